//! Topologies in the PSF format of CHARMM and X-PLOR: beads with masses and charges, and bonds.

use std::fmt::Write;
use std::path::Path;

use crate::{Error, TopologyBead, atomic, in_parts};

/// The most characters of a name: VMD reads those of extended files into buffers of this many.
pub const LARGEST_NAME: usize = 7;

/// Numbers of beads and bonds have ten columns in extended files.
const LARGEST_BEAD_COUNT: usize = 999_999_999;

/// Sections that other programs expect. They stay empty: the input of a run holds its bead model.
const EMPTY_SECTIONS: [&str; 5] = [
    "!NTHETA: angles",
    "!NPHI: dihedrals",
    "!NIMPHI: impropers",
    "!NDON: donors",
    "!NACC: acceptors",
];

struct Layout {
    flags: &'static str,
    number: usize,
    name: usize,
}

/// CHARMM: `(I8,1X,A4,1X,A4,1X,A4,1X,A4,1X,A4,1X,2G14.6,I8)`.
const STANDARD: Layout = Layout { flags: "PSF", number: 8, name: 4 };

/// CHARMM: `(I10,1X,A8,1X,A8,1X,A8,1X,A8,1X,A4,1X,2G14.6,I8)`. With the flag NAMD,
/// VMD and MDAnalysis split lines at blanks. Without it MDAnalysis would misread the mass.
const EXTENDED: Layout = Layout { flags: "PSF EXT NAMD", number: 10, name: 8 };

/// Writes the beads and the `bonds` between them (pairs of indices from 0) atomically.
///
/// The extended layout is used for more than 99,999 beads, and if a name, or a residue number with its insertion code,
/// has more than 4 characters. Names that are empty, have more than 7 characters or contain a blank are errors.
pub fn write(
    path: &Path,
    beads: &[TopologyBead],
    bonds: &[(usize, usize)],
    title: &str,
) -> Result<(), Error> {
    check(path, beads, bonds)?;
    let fits_standard = |bead: &TopologyBead| {
        [bead.segment_or_chain(), &residue(bead), &bead.residue_name, &bead.name]
            .iter()
            .all(|name| name.chars().count() <= STANDARD.name)
    };
    let is_standard = beads.len() <= 99_999 && beads.iter().all(fits_standard);
    let Layout { flags, number, name } = if is_standard { STANDARD } else { EXTENDED };

    let titles: Vec<&str> = title.lines().collect();
    let mut text = format!("{flags}\n\n{:>number$} !NTITLE\n", titles.len().max(1));
    for line in titles.iter().chain(titles.is_empty().then_some(&"")) {
        // Writing into a String does not fail.
        let _ = writeln!(text, " REMARKS {line}");
    }
    let _ = writeln!(text, "\n{:>number$} !NATOM", beads.len());
    text.push_str(&in_parts(beads.len(), |text, index| {
        let bead = &beads[index];
        let _ = writeln!(
            text,
            "{:>number$} {:<name$} {:<name$} {:<name$} {:<name$} {:<4} {}{}{:>8}",
            index + 1,
            bead.segment_or_chain(),
            residue(bead),
            bead.residue_name,
            bead.name,
            // The type of a bead has four columns in both layouts.
            bead.name.chars().take(4).collect::<String>(),
            real(bead.charge),
            real(bead.mass),
            0
        );
        Ok(())
    })?);
    let _ = writeln!(text, "\n{:>number$} !NBOND: bonds", bonds.len());
    for line in bonds.chunks(4) {
        for (first, second) in line {
            let _ = write!(text, "{:>number$}{:>number$}", first + 1, second + 1);
        }
        text.push('\n');
    }
    for section in EMPTY_SECTIONS {
        let _ = writeln!(text, "\n{:>number$} {section}\n", 0);
    }
    atomic::write(path, text.as_bytes())
}

/// Whether a file can number so many beads.
///
/// # Errors
/// If it cannot.
pub fn check_count(path: &Path, beads: usize) -> Result<(), Error> {
    match beads > LARGEST_BEAD_COUNT {
        true => Err(Error::too_many_beads(path, beads, LARGEST_BEAD_COUNT)),
        false => Ok(()),
    }
}

/// Whether a file can hold a name: 1 to 7 characters without blanks.
pub fn holds_name(name: &str) -> bool {
    let unprintable = |letter: char| letter.is_whitespace() || letter.is_control();
    (1..=LARGEST_NAME).contains(&name.chars().count()) && !name.contains(unprintable)
}

fn check(path: &Path, beads: &[TopologyBead], bonds: &[(usize, usize)]) -> Result<(), Error> {
    check_count(path, beads.len())?;
    for (index, bead) in beads.iter().enumerate() {
        for (field, name) in [
            ("name", &*bead.name),
            ("residue name", &bead.residue_name),
            ("segment", bead.segment_or_chain()),
        ] {
            if !holds_name(name) {
                let message = format!(
                    "Bead {index} (counted from 0) has the {field} {name:?}, which {} cannot hold: \
                     it takes 1 to {LARGEST_NAME} characters without blanks. Change it in the \
                     input.",
                    path.display()
                );
                return Err(Error::other("io/name", message));
            }
        }
        for (field, value) in [("charge", bead.charge), ("mass", bead.mass)] {
            if !value.is_finite() {
                return Err(Error::number(path, index, field, value));
            }
        }
    }
    check_bonds(path, beads.len(), bonds)
}

pub(crate) fn check_bonds(
    path: &Path,
    beads: usize,
    bonds: &[(usize, usize)],
) -> Result<(), Error> {
    let Some((first, second)) = bonds.iter().find(|bond| bond.0.max(bond.1) >= beads) else {
        return Ok(());
    };
    let message = format!(
        "{} was given a bond between the beads {first} and {second} (counted from 0), but there \
         are {beads} beads.",
        path.display()
    );
    Err(Error::other("io/bond", message))
}

fn residue(bead: &TopologyBead) -> String {
    let number = bead.residue_number;
    bead.insertion
        .filter(|letter| !letter.is_whitespace())
        .map_or_else(|| number.to_string(), |letter| format!("{number}{letter}"))
}

/// Formats as G14.6, with a blank in front.
fn real(value: f64) -> String {
    let fixed = format!("{value:>14.6}");
    let fits = fixed.len() == 14 && fixed.starts_with(' ');
    if fits && (value == 0.0 || value.abs() >= 1e-3) { fixed } else { format!("{value:>14.6e}") }
}
