//! Topologies in the PSF format of CHARMM and X-PLOR: beads with masses and charges, and bonds.

use std::fmt::Write;
use std::path::Path;

use crate::{Error, TopologyBead, atomic};

/// VMD reads names of extended files into buffers of this many characters.
const LARGEST_NAME: usize = 7;

/// Numbers of beads and bonds have ten columns in extended files.
const LARGEST_BEAD_COUNT: usize = 999_999_999;

/// Sections that other programs expect, all empty: a bead model has them in its own files.
const EMPTY_SECTIONS: [&str; 5] = [
    "!NTHETA: angles",
    "!NPHI: dihedrals",
    "!NIMPHI: impropers",
    "!NDON: donors",
    "!NACC: acceptors",
];

/// Widths of the columns.
struct Layout {
    flags: &'static str,
    number: usize,
    name: usize,
}

/// CHARMM: `(I8,1X,A4,1X,A4,1X,A4,1X,A4,1X,A4,1X,2G14.6,I8)`.
const STANDARD: Layout = Layout { flags: "PSF", number: 8, name: 4 };

/// CHARMM: `(I10,1X,A8,1X,A8,1X,A8,1X,A8,1X,A4,1X,2G14.6,I8)`. The flag NAMD tells VMD and
/// MDAnalysis that blanks separate the columns; by columns MDAnalysis misreads the mass.
const EXTENDED: Layout = Layout { flags: "PSF EXT NAMD", number: 10, name: 8 };

/// Writes the beads and the `bonds` between them (pairs of indices from 0) atomically.
///
/// The extended layout is used for more than 99,999 beads, for names of more than 4 characters,
/// and for residue numbers that with their insertion code have more than 4.
///
/// # Errors
/// [`Error::Name`] for a name that is empty, has more than 7 characters, or contains a blank;
/// [`Error::Number`] for a mass or charge that is not finite; [`Error::Bond`];
/// [`Error::TooManyBeads`]; [`Error::Write`].
pub fn write(
    path: &Path,
    beads: &[TopologyBead],
    bonds: &[(usize, usize)],
    title: &str,
) -> Result<(), Error> {
    atomic::write(path, format(path, beads, bonds, title)?.as_bytes())
}

fn format(
    path: &Path,
    beads: &[TopologyBead],
    bonds: &[(usize, usize)],
    title: &str,
) -> Result<String, Error> {
    check(path, beads, bonds)?;
    let layout =
        if beads.len() <= 99_999 && beads.iter().all(fits_standard) { STANDARD } else { EXTENDED };
    let Layout { flags, number, name } = layout;

    let titles: Vec<&str> = title.lines().collect();
    let mut text = format!("{flags}\n\n{:>number$} !NTITLE\n", titles.len().max(1));
    for line in titles.iter().chain(titles.is_empty().then_some(&"")) {
        // Writing into a String does not fail.
        let _ = writeln!(text, " REMARKS {line}");
    }
    let _ = writeln!(text, "\n{:>number$} !NATOM", beads.len());
    for (index, bead) in beads.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>number$} {:<name$} {:<name$} {:<name$} {:<name$} {:<4} {}{}{:>8}",
            index + 1,
            bead.segment_or_chain(),
            residue(bead),
            bead.residue_name,
            bead.name,
            bead_type(&bead.name),
            real(bead.charge),
            real(bead.mass),
            0
        );
    }
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
    Ok(text)
}

fn check(path: &Path, beads: &[TopologyBead], bonds: &[(usize, usize)]) -> Result<(), Error> {
    if beads.len() > LARGEST_BEAD_COUNT {
        return Err(Error::TooManyBeads {
            path: path.to_path_buf(),
            beads: beads.len(),
            limit: LARGEST_BEAD_COUNT,
        });
    }
    for (index, bead) in beads.iter().enumerate() {
        for (field, name) in [
            ("name", bead.name.as_str()),
            ("residue name", &bead.residue_name),
            ("segment", bead.segment_or_chain()),
        ] {
            let length = name.chars().count();
            let unprintable = |letter: char| letter.is_whitespace() || letter.is_control();
            if length == 0 || length > LARGEST_NAME || name.contains(unprintable) {
                return Err(Error::Name {
                    path: path.to_path_buf(),
                    bead: index,
                    field,
                    name: name.to_owned(),
                    limit: LARGEST_NAME,
                });
            }
        }
        for (field, value) in [("charge", bead.charge), ("mass", bead.mass)] {
            if !value.is_finite() {
                return Err(Error::Number { path: path.to_path_buf(), bead: index, field, value });
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
    match bonds.iter().find(|(first, second)| *first >= beads || *second >= beads) {
        Some(&(first, second)) => {
            Err(Error::Bond { path: path.to_path_buf(), first, second, beads })
        }
        None => Ok(()),
    }
}

fn fits_standard(bead: &TopologyBead) -> bool {
    [bead.segment_or_chain(), &residue(bead), &bead.residue_name, &bead.name]
        .iter()
        .all(|name| name.chars().count() <= STANDARD.name)
}

fn residue(bead: &TopologyBead) -> String {
    let number = bead.residue_number;
    bead.insertion
        .filter(|letter| !letter.is_whitespace())
        .map_or_else(|| number.to_string(), |letter| format!("{number}{letter}"))
}

/// The type of a bead has four columns in either layout.
fn bead_type(name: &str) -> String {
    name.chars().take(4).collect()
}

/// G14.6, with a blank in front.
fn real(value: f64) -> String {
    let fixed = format!("{value:>14.6}");
    let too_small = value != 0.0 && value.abs() < 1e-3;
    if fixed.len() > 14 || !fixed.starts_with(' ') || too_small {
        format!("{value:>14.6e}")
    } else {
        fixed
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn chain(beads: usize) -> (Vec<TopologyBead>, Vec<(usize, usize)>) {
        let chain = (0..beads)
            .map(|index| TopologyBead {
                name: "CA".to_owned(),
                residue_name: "ALA".to_owned(),
                residue_number: index as i32 + 1,
                insertion: None,
                chain: "A".to_owned(),
                segment: String::new(),
                mass: 110.0,
                charge: -1.0,
                occupancy: 1.0,
                beta: 20.0,
            })
            .collect();
        let bonds = (1..beads).map(|index| (index - 1, index)).collect();
        (chain, bonds)
    }

    #[test]
    fn a_short_chain_has_the_standard_columns() {
        let (mut beads, bonds) = chain(6);
        beads[1].residue_number = -5;
        beads[2].insertion = Some('B');
        beads[3].segment = "PROA".to_owned();
        let text = format(Path::new("x.psf"), &beads, &bonds, "six beads\nof a chain").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "PSF");
        assert_eq!(lines[2], "       2 !NTITLE");
        assert_eq!(lines[3..5], [" REMARKS six beads", " REMARKS of a chain"]);
        assert_eq!(lines[6], "       6 !NATOM");
        assert_eq!(
            lines[7],
            "       1 A    1    ALA  CA   CA        -1.000000    110.000000       0"
        );
        assert_eq!(&lines[8][14..18], "-5  ");
        assert_eq!(&lines[9][14..18], "3B  ");
        assert_eq!(&lines[10][9..13], "PROA");
        assert_eq!(lines[14], "       5 !NBOND: bonds");
        assert_eq!(lines[15], "       1       2       2       3       3       4       4       5");
        assert_eq!(lines[16], "       5       6");
    }

    #[test]
    fn what_does_not_fit_makes_the_file_extended() {
        let long_number = |beads: &mut Vec<TopologyBead>| beads[0].residue_number = 10_000;
        let insertion = |beads: &mut Vec<TopologyBead>| {
            beads[0].residue_number = 1000;
            beads[0].insertion = Some('A');
        };
        let long_name = |beads: &mut Vec<TopologyBead>| beads[0].name = "MONOMER".to_owned();
        for alter in [long_number, insertion, long_name] {
            let (mut beads, bonds) = chain(2);
            alter(&mut beads);
            let text = format(Path::new("x.psf"), &beads, &bonds, "").unwrap();
            assert!(text.starts_with("PSF EXT NAMD\n"));
            let line = text.lines().find(|line| line.contains("ALA")).unwrap();
            for gap in [10, 19, 28, 37, 46, 51] {
                assert_eq!(line.as_bytes()[gap], b' ', "{line}");
            }
            assert_eq!(line.split_whitespace().count(), 9, "{line}");
        }
    }

    #[test]
    fn large_systems_are_extended() {
        let (beads, bonds) = chain(99_999);
        let path = Path::new("x.psf");
        // Residue numbers of five digits would do it as well.
        let same_residue = |beads: &[TopologyBead]| -> Vec<TopologyBead> {
            beads.iter().cloned().map(|bead| TopologyBead { residue_number: 1, ..bead }).collect()
        };
        let mut beads = same_residue(&beads);
        assert!(format(path, &beads, &bonds, "").unwrap().starts_with("PSF\n"));
        beads.push(beads[0].clone());
        let text = format(path, &beads, &bonds, "").unwrap();
        assert!(text.starts_with("PSF EXT"));
        assert!(text.contains("\n    100000 A        1        ALA"));
        assert!(text.contains("     99998     99999\n"));
    }

    #[test]
    fn numbers_of_any_size_stay_in_their_columns() {
        for (value, text) in [
            (110.0, "    110.000000"),
            (-0.5, "     -0.500000"),
            (1.5e8, "      1.500000e8"),
            (2e-7, "      2.000000e-7"),
        ] {
            let column = real(value);
            assert_eq!(column.trim(), text.trim());
            assert_eq!(column.len(), 14);
            assert!(column.starts_with(' '));
        }
    }

    #[test]
    fn unusable_input_is_named() {
        let path = Path::new("x.psf");
        let (beads, _) = chain(3);
        let bond = format(path, &beads, &[(0, 3)], "").unwrap_err();
        assert_eq!(bond.code(), "io/bond");
        for name in ["", "EIGHTLET", "A B"] {
            let mut beads = beads.clone();
            beads[2].name = name.to_owned();
            let error = format(path, &beads, &[], "").unwrap_err();
            assert_eq!(error.code(), "io/name");
            assert!(error.to_string().starts_with("Bead 2 "));
        }
        let mut beads = beads.clone();
        beads[1].mass = f64::NAN;
        let error = format(path, &beads, &[], "").unwrap_err();
        assert_eq!(error.code(), "io/number");
    }
}
