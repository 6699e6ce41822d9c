//! Beads that are written.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use beadwork::io::extended_xyz::{self, BondsElsewhere, XyzBead};
use beadwork::io::{
    GsdBeads, GsdTerms, LammpsAtom, LammpsData, LammpsTerms, TopologyBead, atomic, gsd, pdb,
};
use beadwork::model::units::ANGSTROMS_PER_NANOMETRE;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use super::unwritten;
use crate::failure::Failure;

/// Room around beads in open space in files that need a box.
const MARGIN: f64 = 1.0;

/// What is written, as `beadwork.write` prepares it: a box has its centre at the origin.
#[derive(FromPyObject)]
pub struct Given<'py> {
    positions: PyReadonlyArray2<'py, f64>,
    velocities: Option<PyReadonlyArray2<'py, f64>>,
    types: PyReadonlyArray1<'py, u32>,
    type_names: Vec<String>,
    /// Of each bead.
    masses: PyReadonlyArray1<'py, f64>,
    charges: PyReadonlyArray1<'py, f64>,
    molecules: PyReadonlyArray1<'py, u32>,
    sides: Option<[f64; 3]>,
    bonds: Vec<[u32; 2]>,
    bond_types: Vec<u32>,
    angles: Vec<[u32; 3]>,
    angle_types: Vec<u32>,
    names: Vec<String>,
    residue_names: Vec<String>,
    residue_numbers: Vec<i32>,
    insertions: Vec<String>,
    chains: Vec<String>,
    segments: Vec<String>,
}

/// The arrays of [`Given`] as slices.
struct Beads<'a, 'py> {
    given: &'a Given<'py>,
    positions: &'a [[f64; 3]],
    velocities: Option<&'a [[f64; 3]]>,
    types: &'a [u32],
    masses: &'a [f64],
    charges: &'a [f64],
    molecules: &'a [u32],
}

/// Writes beads in the format `pdb`, `xyz`, `gsd` or `lammps`.
#[pyfunction]
pub fn write_beads(path: PathBuf, format: &str, beads: Given<'_>, title: &str) -> PyResult<()> {
    let beads = Beads {
        positions: beads.positions.as_slice()?.as_chunks().0,
        velocities: match &beads.velocities {
            Some(velocities) => Some(velocities.as_slice()?.as_chunks().0),
            None => None,
        },
        types: beads.types.as_slice()?,
        masses: beads.masses.as_slice()?,
        charges: beads.charges.as_slice()?,
        molecules: beads.molecules.as_slice()?,
        given: &beads,
    };
    let bytes = match format {
        "pdb" => beads.pdb(&path, title)?,
        "xyz" => beads.xyz(title),
        "gsd" => beads.gsd(&path)?,
        _ => beads.lammps(title)?,
    };
    atomic::write(&path, &bytes).map_err(|error| unwritten(&path, error))?;
    Ok(())
}

impl Beads<'_, '_> {
    /// Lengths in nm.
    fn pdb(&self, path: &Path, title: &str) -> Result<Vec<u8>, Failure> {
        let given = self.given;
        let owned = |text: &String| Cow::Owned(text.clone());
        let bead = |bead: usize| TopologyBead {
            name: owned(&given.names[bead]),
            residue_name: owned(&given.residue_names[bead]),
            residue_number: given.residue_numbers[bead],
            insertion: given.insertions[bead].chars().next(),
            chain: owned(&given.chains[bead]),
            segment: owned(&given.segments[bead]),
            mass: self.masses[bead],
            charge: self.charges[bead],
            occupancy: 1.0,
            beta: 0.0,
        };
        let beads: Vec<TopologyBead> = (0..self.positions.len()).map(bead).collect();
        let to_angstrom = |at: &[f64; 3]| at.map(|x| x * ANGSTROMS_PER_NANOMETRE);
        let positions: Vec<[f64; 3]> = self.positions.iter().map(to_angstrom).collect();
        let bonds = given.bonds.iter().map(|bond| (bond[0] as usize, bond[1] as usize));
        let bonds: Vec<(usize, usize)> = bonds.collect();
        let sides = given.sides.as_ref().map(to_angstrom);
        Ok(pdb::text(path, &beads, &positions, &bonds, sides, title)?.into_bytes())
    }

    fn xyz(&self, title: &str) -> Vec<u8> {
        let given = self.given;
        let bead = |bead: usize| XyzBead {
            species: &given.type_names[self.types[bead] as usize],
            position: self.positions[bead],
            velocity: self.velocities.map(|all| all[bead]),
            mass: self.masses[bead],
            charge: self.charges[bead] as f32,
            molecule: self.molecules[bead],
        };
        let beads: Vec<XyzBead<'_>> = (0..self.positions.len()).map(bead).collect();
        let mut bonds: Vec<[u32; 2]> = given.bonds.iter().map(sorted).collect();
        bonds.sort_unstable();
        bonds.dedup();
        // What readers take for bonded if the file says nothing.
        let neighbours = self.molecules.windows(2).zip(0..).filter(|(two, _)| two[0] == two[1]);
        let chains: Vec<[u32; 2]> = neighbours.map(|(_, first)| [first, first + 1]).collect();
        let include_chains = chains.iter().all(|bond| bonds.binary_search(bond).is_ok());
        let elsewhere = (bonds != chains).then_some(BondsElsewhere {
            count: bonds.len(),
            include_chains,
            file: "a GSD or LAMMPS file",
        });
        extended_xyz::text(&beads, given.sides, elsewhere, title).into_bytes()
    }

    fn gsd(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let given = self.given;
        let single = |all: &[f64]| all.iter().map(|&x| x as f32).collect();
        let beads = GsdBeads {
            type_names: given.type_names.clone(),
            types: self.types.to_vec(),
            masses: single(self.masses),
            charges: single(self.charges),
            bonds: terms(&given.bonds, &given.bond_types),
            angles: terms(&given.angles, &given.angle_types),
            sides: given.sides,
            has_velocities: self.velocities.is_some(),
        };
        let velocities = self.velocities.unwrap_or_default();
        Ok(gsd::file_of_one_frame(path, &beads, 0, self.positions, velocities)?)
    }

    fn lammps(&self, title: &str) -> Result<Vec<u8>, Failure> {
        let given = self.given;
        let bounds = self.bounds();
        let atom = |bead: usize| {
            let mut position = self.positions[bead];
            let mut image = [0; 3];
            if given.sides.is_some() {
                for ((x, image), [low, high]) in position.iter_mut().zip(&mut image).zip(bounds) {
                    let boxes = ((*x - low) / (high - low)).floor();
                    *x -= boxes * (high - low);
                    *image = boxes as i64;
                }
            }
            LammpsAtom {
                molecule: self.molecules[bead] + 1,
                kind: self.types[bead] + 1,
                charge: self.charges[bead] as f32,
                position,
                image,
            }
        };
        let data = LammpsData {
            title: title.to_string(),
            remarks: Vec::new(),
            bounds,
            types: given.type_names.iter().cloned().zip(self.masses_of_types()?).collect(),
            atoms: (0..self.positions.len()).map(atom).collect(),
            velocities: self.velocities.map(<[[f64; 3]]>::to_vec),
            bonds: lammps_terms(&given.bonds, &given.bond_types),
            angles: lammps_terms(&given.angles, &given.angle_types),
        };
        Ok(data.text().into_bytes())
    }

    fn bounds(&self) -> [[f64; 2]; 3] {
        if let Some(sides) = self.given.sides {
            return sides.map(|side| [-0.5 * side, 0.5 * side]);
        }
        [0, 1, 2].map(|axis| {
            let along = || self.positions.iter().map(|at| at[axis]);
            let low = along().fold(f64::INFINITY, f64::min);
            let high = along().fold(f64::NEG_INFINITY, f64::max);
            [low - MARGIN, high + MARGIN]
        })
    }

    /// The mass of each type, which all its beads must have; 1 of a type without beads.
    fn masses_of_types(&self) -> Result<Vec<f64>, Failure> {
        let mut masses: Vec<Option<f64>> = vec![None; self.given.type_names.len()];
        for (&kind, &mass) in self.types.iter().zip(self.masses) {
            let own = *masses[kind as usize].get_or_insert(mass);
            if own != mass {
                return Err(Failure::argument(format!(
                    "beads of type {} have the masses {own} and {mass}, and a data file of LAMMPS has one for each type: give them types of their own",
                    self.given.type_names[kind as usize]
                )));
            }
        }
        Ok(masses.into_iter().map(|mass| mass.unwrap_or(1.0)).collect())
    }
}

fn sorted(bond: &[u32; 2]) -> [u32; 2] {
    [bond[0].min(bond[1]), bond[0].max(bond[1])]
}

/// The number of types, one more than the largest.
fn count(types: &[u32]) -> u32 {
    types.iter().max().map_or(0, |most| most + 1)
}

fn terms<const N: usize>(beads: &[[u32; N]], types: &[u32]) -> GsdTerms<N> {
    let type_names = (1..=count(types)).map(|kind| kind.to_string()).collect();
    GsdTerms { type_names, types: types.to_vec(), beads: beads.to_vec() }
}

fn lammps_terms<const N: usize>(beads: &[[u32; N]], types: &[u32]) -> LammpsTerms<N> {
    let one = |(&kind, beads): (&u32, &[u32; N])| (kind + 1, beads.map(|bead| bead as usize));
    LammpsTerms {
        types: count(types),
        terms: types.iter().zip(beads).map(one).collect(),
        coefficients: Vec::new(),
    }
}
