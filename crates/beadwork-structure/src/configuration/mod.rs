//! Configurations of beads: positions, types, and whatever else a file says of each bead.
//!
//! Nothing is taken for a protein here: every atom of a file is a bead.

mod column_names;
mod content;
mod csv_table;
mod fields;
mod gsd;
mod gsd_chunks;
mod lammps;
mod lammps_atoms;
mod lammps_coefficients;
mod lammps_header;
mod lammps_labels;
mod lammps_molecules;
mod lammps_styles;
mod lammps_title;
mod mmcif;
mod pdb;
mod records;
mod repeat;
mod types;
mod xyz;

use std::collections::HashMap;
use std::path::Path;

pub use lammps_coefficients::{
    LammpsCoefficientRow, LammpsCoefficientSection, LammpsCoefficients, parse_lammps_coefficients,
};

use beadwork_files::unpacked_name;
use content::{Content, content};

use crate::error::Error;
use crate::label::{Label, Name};
use crate::structure::{as_text, read_bytes};
use crate::visible_text::text_of_file;

/// Low and high faces of an orthorhombic box along each axis.
pub(crate) type Bounds = [[f64; 2]; 3];

/// The beads of one frame of a file, in its order and units (ångström in PDB and mmCIF files).
///
/// Lists of beads have one entry a bead, or are `None` where the file does not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The name of the file as given by the caller, for messages.
    pub source: String,
    /// Whether lengths are in ångström, as in PDB and mmCIF files; other formats do not say.
    pub in_angstrom: bool,
    /// Positions as the file has them, which may be outside of the box.
    pub positions: Vec<[f64; 3]>,
    /// Velocities, as the file has them.
    pub velocities: Option<Vec<[f64; 3]>>,
    /// Of LAMMPS data files: the unit style that the first line names, such as `lj` or `real`; empty if it names none.
    pub unit_style: Option<String>,
    /// How many boxes each bead has crossed along each axis (image flags of LAMMPS).
    pub images: Option<Vec<[i32; 3]>>,
    /// Names of the types, each different. In LAMMPS files all types of the header in its order: the first word of the
    /// comment behind the mass, or the label of the type, or its number. In other files the types that occur, in the
    /// order of their first beads.
    pub type_names: Vec<String>,
    /// The type of each bead, as an index of `type_names`.
    pub types: Vec<u16>,
    /// The mass of each type.
    pub masses: Vec<Option<f64>>,
    /// The charge of each bead.
    pub charges: Option<Vec<f64>>,
    /// The molecule of each bead. Atoms of LAMMPS files whose number is 0, which means none, have one of their own: those that
    /// bonds connect are one molecule.
    pub molecules: Option<Vec<u32>>,
    /// The number that means "no molecule", if the format has one: 0 in LAMMPS data files.
    pub no_molecule: Option<u32>,
    /// Of files that beadwork wrote: where the bonds of their beads stand, if beads are bonded otherwise than one after
    /// another in each molecule.
    pub bonds_elsewhere: Option<String>,
    /// Of files that beadwork wrote: the number of bonds, which the file does not hold, if it is not that of chains.
    pub bonds_written: Option<usize>,
    /// The frame that was read, counted from 0.
    pub frame: usize,
    /// Number of frames of the file; 0 where the format has no frames.
    pub frames: usize,
    /// By which selections find the beads. Files without residues have beads named as their types, or as a CSV file
    /// names them; their chains are named by the numbers of molecules, and residues count the beads of a molecule.
    pub labels: Vec<Label>,
    /// Low and high faces of the box; `None` where the file has no orthorhombic box.
    pub bounds: Option<[[f64; 2]; 3]>,
    /// Bonds: two different beads, counted from 0, and the kind that the file gives (1 where it gives none).
    pub bonds: Vec<([usize; 2], u32)>,
    /// Angles: three different beads, counted from 0, and the kind that the file gives.
    pub angles: Vec<([usize; 3], u32)>,
    /// Number of dihedrals in the file; they are not read.
    pub dihedrals: usize,
    /// Number of improper dihedrals in the file; they are not read.
    pub impropers: usize,
    /// Warnings as sentences, such as lists of what was left out.
    pub warnings: Vec<String>,
}

impl Configuration {
    /// Number of beads.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no beads; a configuration that was read has some.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions in the copies of the box that [`Configuration::images`] name.
    pub fn unwrapped(&self) -> Vec<[f64; 3]> {
        let (Some(images), Some(bounds)) = (&self.images, self.bounds) else {
            return self.positions.clone();
        };
        let sides = bounds.map(|[low, high]| high - low);
        let one = |(at, image): (&[f64; 3], &[i32; 3])| {
            [0, 1, 2].map(|axis| at[axis] + f64::from(image[axis]) * sides[axis])
        };
        self.positions.iter().zip(images).map(one).collect()
    }

    /// Gives beads of a file without residues their labels.
    pub fn label_by_type(&mut self) {
        let names: Vec<Name> = self.type_names.iter().map(|name| Name::from(&**name)).collect();
        let mut molecules: HashMap<u32, (Name, usize)> = HashMap::new();
        let molecule_of = |bead: usize| self.molecules.as_ref().map(|molecules| molecules[bead]);
        let label = |(bead, &number): (usize, &u16)| {
            let (chain, place) = match molecule_of(bead) {
                None => (Name::default(), bead),
                Some(molecule) => {
                    let name = || (Name::from(&*molecule.to_string()), 0);
                    let (chain, beads) = molecules.entry(molecule).or_insert_with(name);
                    *beads += 1;
                    (*chain, *beads - 1)
                }
            };
            Label {
                name: names[usize::from(number)],
                residue_name: names[usize::from(number)],
                // Four digits are all that PDB files have room for.
                residue_number: (place % 9_999 + 1) as i32,
                chain,
                ..Label::default()
            }
        };
        self.labels = self.types.iter().enumerate().map(label).collect();
    }
}

/// Reads the beads of a file; the ending of its name decides which format it is, or the content where the ending is not
/// in the table. A file that gzip or bzip2 packed is unpacked, and its ending is the one before `.gz` or `.bz2`.
///
/// | ending | format | what is read |
/// |---|---|---|
/// | `.xyz`, `.extxyz` | XYZ, plain or extended | types, positions; extended: box (`Lattice`, `Origin`, `pbc`) and the `Properties` species, pos, velo, mass, charge, molecule, periodic_image, also under other usual names |
/// | `.csv` | a header that names the columns | `x`, `y`, `z`; optional `type` (otherwise all are of type `A`), `label` or `name`, `molecule`, `mass`, `charge`, `vx`, `vy`, `vz`, `frame`, also under other usual names |
/// | `.data`, `.lmp`, `.lammps` | LAMMPS data, atom styles atomic, charge, bond, angle, molecular, full, sphere, dipole and hybrid ones of these | box, masses, beads in the order of their ids, image flags, velocities, bonds, angles; [`parse_lammps_coefficients`] has the coefficients |
/// | `.gsd` | GSD with the schema of HOOMD-blue | types, masses, charges, positions, velocities, images, box, bonds, angles |
/// | `.pdb`, `.ent` | PDB | each ATOM and HETATM, its type is the atom name; box (`CRYST1`), bonds (`CONECT`) |
/// | `.cif`, `.mmcif` | mmCIF | each row of `_atom_site`, its type is the atom name; box (`_cell`) |
///
/// `frame` counts the frames of an XYZ, GSD or CSV file or the models of a PDB or mmCIF file from 0; negative numbers count
/// from the end, -1 is the last. LAMMPS data files have one frame. Text that is not UTF-8 is read as Latin-1.
///
/// # Errors
/// A file that cannot be read, whose format neither its ending nor its content tells, a frame that the file does not have,
/// text that breaks the rules of its format, wrong counts, a bond or an angle with a bead that is missing or twice in it,
/// beads of one type with different masses, a tilted box. The message names line, byte or bead.
pub fn read_configuration(path: &Path, frame: i64) -> Result<Configuration, Error> {
    let source = path.display().to_string();
    parse_configuration_bytes(&read_bytes(path)?, &source, frame)
}

/// As [`read_configuration`], from the bytes of a file, unpacked.
///
/// # Errors
/// As for [`read_configuration`].
pub fn parse_configuration_bytes(
    bytes: &[u8],
    source: &str,
    frame: i64,
) -> Result<Configuration, Error> {
    match Format::of(source, bytes)?.reader {
        Reader::Bytes(_) if bytes.is_empty() => Err(Error::empty_file(source)),
        Reader::Bytes(parse) => parse(bytes, source, frame),
        Reader::Text(_) => parse_configuration(&as_text(bytes), source, frame),
    }
}

/// As [`read_configuration`], from text; `source` is the name of the file, whose ending decides on the format.
///
/// ```
/// use beadwork_structure::parse_configuration;
/// let text = "2\nLattice=\"8 0 0 0 8 0 0 0 9\" Properties=species:S:1:pos:R:3:mass:R:1\n\
///             A 0 0 0.5 2\nB 1 0 0.5 3\n";
/// let beads = parse_configuration(text, "two.xyz", 0)?;
/// assert_eq!(beads.positions[1], [1.0, 0.0, 0.5]);
/// assert_eq!(beads.type_names, ["A", "B"]);
/// assert_eq!(beads.masses, [Some(2.0), Some(3.0)]);
/// assert_eq!(beads.bounds, Some([[0.0, 8.0], [0.0, 8.0], [0.0, 9.0]]));
/// # Ok::<(), beadwork_structure::Error>(())
/// ```
pub fn parse_configuration(text: &str, source: &str, frame: i64) -> Result<Configuration, Error> {
    let Reader::Text(parse) = Format::of(source, text.as_bytes())?.reader else {
        return parse_configuration_bytes(text.as_bytes(), source, frame);
    };
    let text = text_of_file(text);
    if text.trim().is_empty() {
        return Err(Error::empty_file(source));
    }
    parse(&text, source, frame)
}

/// What reads the content of a file, with its name, and one of its frames.
#[derive(Clone, Copy)]
enum Reader {
    Text(fn(&str, &str, i64) -> Result<Configuration, Error>),
    Bytes(fn(&[u8], &str, i64) -> Result<Configuration, Error>),
}

struct Format {
    /// Endings of file names, in lower case.
    endings: &'static [&'static str],
    content: Content,
    reader: Reader,
}

const FORMATS: [Format; 6] = [
    Format { endings: &["xyz", "extxyz"], content: Content::Xyz, reader: Reader::Text(xyz::parse) },
    Format { endings: &["csv"], content: Content::Csv, reader: Reader::Text(csv_table::parse) },
    Format {
        endings: &["data", "lmp", "lammps"],
        content: Content::LammpsData,
        reader: Reader::Text(lammps::parse),
    },
    Format { endings: &["gsd"], content: Content::Gsd, reader: Reader::Bytes(gsd::parse) },
    Format { endings: &["pdb", "ent"], content: Content::Pdb, reader: Reader::Text(pdb::parse) },
    Format {
        endings: &["cif", "mmcif"],
        content: Content::Mmcif,
        reader: Reader::Text(mmcif::parse),
    },
];

impl Format {
    /// The format that the ending of a name, without that of a packer, tells, or else the content.
    fn of(source: &str, bytes: &[u8]) -> Result<&'static Format, Error> {
        let ending =
            Path::new(unpacked_name(source)).extension().map(|ending| ending.to_string_lossy());
        let ending = ending.map(|ending| ending.to_ascii_lowercase()).unwrap_or_default();
        let by_ending = FORMATS.iter().find(|format| format.endings.contains(&&*ending));
        if let Some(format) = by_ending {
            return Ok(format);
        }
        let found = content(bytes);
        let by_content = FORMATS.iter().find(|format| Some(format.content) == found);
        by_content.ok_or_else(|| unknown_format(source, &ending, found))
    }
}

/// Whether a file is a LAMMPS data file: by the ending of its name, or by its content where no format has the ending.
pub fn is_lammps_data(bytes: &[u8], source: &str) -> bool {
    Format::of(source, bytes).is_ok_and(|format| format.content == Content::LammpsData)
}

/// Whether the ending of a name, or else the content, tells a format of which beads are read.
pub fn is_file_of_beads(bytes: &[u8], source: &str) -> bool {
    Format::of(source, bytes).is_ok()
}

fn unknown_format(source: &str, ending: &str, found: Option<Content>) -> Error {
    let endings: Vec<_> = FORMATS
        .iter()
        .flat_map(|format| format.endings)
        .map(|ending| format!(".{ending}"))
        .collect();
    let problem = match (ending, found) {
        (_, Some(Content::LammpsDump)) => {
            "this is a dump of LAMMPS, which is not read. Write a data file with write_data, or convert the dump to extended XYZ or GSD".to_owned()
        }
        (_, Some(Content::LammpsScript)) => {
            "this is a script of LAMMPS, which is not read. Take its data file, or write one with write_data".to_owned()
        }
        _ => format!(
            "neither the ending of the name nor the content tells the format. Beads are read from files of the formats whose names end in {}. Rename or convert the file",
            endings.join(", ")
        ),
    };
    Error::new("structure/unknown-format", format!("{source}: {problem}."))
}

/// The frame that `wanted` means in a file of `frames` frames, counted from 0.
fn choose_frame(frames: usize, wanted: i64, source: &str) -> Result<usize, Error> {
    let counted = usize::try_from(wanted.unsigned_abs()).unwrap_or(usize::MAX);
    let frame = if wanted < 0 { frames.checked_sub(counted) } else { Some(counted) };
    frame.filter(|frame| *frame < frames).ok_or_else(|| {
        let present = match frames {
            1 => "one frame, which is 0 or -1".to_owned(),
            _ => format!("{frames} frames: 0 to {}, or from the end -1 to -{frames}", frames - 1),
        };
        let message = format!(
            "{source}: there is no frame {wanted}; the file has {present}. Ask for one of those."
        );
        Error::new("structure/no-such-frame", message)
    })
}
