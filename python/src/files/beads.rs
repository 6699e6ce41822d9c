//! Beads and sequences that are read.

use std::path::PathBuf;

use beadwork::model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork::structure::{Configuration, Label, Name, Selection, read_configuration};
use numpy::ndarray::Array2;
use numpy::{Element, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::Failure;
use crate::threads::without_python;

/// The beads of a frame of a file, by the names of the attributes of `beadwork.Beads`. Lengths are in nm where the format says
/// what they are, otherwise as the file has them.
#[pyfunction]
pub fn read_beads(py: Python<'_>, path: PathBuf, frame: i64) -> PyResult<Bound<'_, PyDict>> {
    let beads = without_python(py, || Ok(read_configuration(&path, frame)?))?;
    let unit = if beads.in_angstrom { ANGSTROMS_PER_NANOMETRE } else { 1.0 };
    let scaled = |all: &[[f64; 3]]| rows(py, all.iter().map(|at| at.map(|x| x / unit)).collect());
    let dict = PyDict::new(py);
    dict.set_item("unit", if beads.in_angstrom { "nm" } else { "" })?;
    dict.set_item("positions", scaled(&beads.positions))?;
    dict.set_item("velocities", beads.velocities.as_deref().map(|all| rows(py, all.to_vec())))?;
    dict.set_item("images", beads.images.as_deref().map(|all| rows(py, all.to_vec())))?;
    dict.set_item("type_names", &beads.type_names)?;
    let types = beads.types.iter().map(|&kind| i64::from(kind)).collect();
    dict.set_item("types", PyArray1::from_vec(py, types))?;
    dict.set_item("masses", masses(&beads).map(|masses| PyArray1::from_vec(py, masses)))?;
    let charges = beads.charges.clone();
    dict.set_item("charges", charges.map(|charges| PyArray1::from_vec(py, charges)))?;
    dict.set_item("molecules", molecules(&beads).map(|all| PyArray1::from_vec(py, all)))?;
    let bounds = beads.bounds.map(|bounds| bounds.map(|faces| faces.map(|at| at / unit)));
    let sides = bounds.map(|bounds| bounds.map(|[low, high]| high - low));
    dict.set_item("box", sides.map(|sides| PyArray1::from_slice(py, &sides)))?;
    let origin = bounds.map(|bounds| bounds.map(|[low, _]| low));
    dict.set_item("origin", origin.map(|origin| PyArray1::from_slice(py, &origin)))?;
    listed(py, &dict, "bond", &beads.bonds)?;
    listed(py, &dict, "angle", &beads.angles)?;
    labels(py, &dict, &beads.labels)?;
    dict.set_item("frame", beads.frame)?;
    dict.set_item("frames", beads.frames)?;
    dict.set_item("warnings", unsaid(&beads))?;
    Ok(dict)
}

fn rows<T: Element, const N: usize>(py: Python<'_>, all: Vec<[T; N]>) -> Bound<'_, PyArray2<T>> {
    PyArray2::from_owned_array(py, Array2::from(all))
}

/// The mass of each bead, NaN where the file has none; `None` if it has none at all.
fn masses(beads: &Configuration) -> Option<Vec<f64>> {
    let of = |&kind: &u16| beads.masses.get(usize::from(kind)).copied().flatten();
    let masses: Vec<Option<f64>> = beads.types.iter().map(of).collect();
    let has_some = masses.iter().any(Option::is_some);
    has_some.then(|| masses.into_iter().map(|mass| mass.unwrap_or(f64::NAN)).collect())
}

/// The molecule of each bead, −1 for none.
fn molecules(beads: &Configuration) -> Option<Vec<i64>> {
    let number = |&molecule: &u32| match Some(molecule) == beads.no_molecule {
        true => -1,
        false => i64::from(molecule),
    };
    beads.molecules.as_ref().map(|all| all.iter().map(number).collect())
}

fn listed<const N: usize>(
    py: Python<'_>,
    dict: &Bound<'_, PyDict>,
    name: &str,
    terms: &[([usize; N], u32)],
) -> PyResult<()> {
    let beads = terms.iter().map(|(beads, _)| beads.map(|bead| bead as i64)).collect();
    let types = terms.iter().map(|(_, kind)| i64::from(*kind)).collect();
    dict.set_item(format!("{name}s"), rows(py, beads))?;
    dict.set_item(format!("{name}_types"), PyArray1::from_vec(py, types))
}

fn labels(py: Python<'_>, dict: &Bound<'_, PyDict>, labels: &[Label]) -> PyResult<()> {
    let names = |of: fn(&Label) -> Name| -> Vec<&'static str> {
        labels.iter().map(|label| of(label).as_str()).collect()
    };
    dict.set_item("names", names(|label| label.name))?;
    dict.set_item("residue_names", names(|label| label.residue_name))?;
    dict.set_item("chains", names(|label| label.chain))?;
    dict.set_item("segments", names(|label| label.segment))?;
    let insertion = |label: &Label| label.insertion.map(String::from).unwrap_or_default();
    dict.set_item("insertions", labels.iter().map(insertion).collect::<Vec<_>>())?;
    let numbers = labels.iter().map(|label| i64::from(label.residue_number)).collect();
    dict.set_item("residue_numbers", PyArray1::from_vec(py, numbers))
}

/// The warnings of the reader, and what the arrays do not have.
fn unsaid(beads: &Configuration) -> Vec<String> {
    let mut warnings = beads.warnings.clone();
    for (count, what) in [(beads.dihedrals, "dihedral"), (beads.impropers, "improper dihedral")] {
        if count > 0 {
            warnings.push(format!("{}: {count} {what}(s) are not read", beads.source));
        }
    }
    warnings
}

/// The places of the beads with these labels that a selection chooses.
#[pyfunction]
pub fn select(
    selection: &str,
    names: Vec<String>,
    residue_names: Vec<String>,
    residue_numbers: Vec<i32>,
    insertions: Vec<String>,
    chains: Vec<String>,
    segments: Vec<String>,
) -> PyResult<Vec<usize>> {
    let selection = Selection::parse(selection).map_err(Failure::from)?;
    let label = |bead: usize| Label {
        name: Name::from(&*names[bead]),
        residue_name: Name::from(&*residue_names[bead]),
        residue_number: residue_numbers[bead],
        insertion: insertions[bead].chars().next(),
        chain: Name::from(&*chains[bead]),
        segment: Name::from(&*segments[bead]),
    };
    let labels: Vec<Label> = (0..names.len()).map(label).collect();
    Ok(selection.indices(&labels))
}

/// Names, descriptions and sequences of a FASTA file.
#[pyfunction]
pub fn read_fasta(path: PathBuf) -> PyResult<Vec<(String, String, String)>> {
    let records = beadwork::structure::read_fasta(&path).map_err(Failure::from)?;
    let of = |record: beadwork::structure::FastaRecord| {
        let sequence = record.sequence();
        (record.name, record.description, sequence)
    };
    Ok(records.into_iter().map(of).collect())
}
