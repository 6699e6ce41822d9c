//! The header of LAMMPS data files, and where their sections begin and end.

use super::Bounds;
use crate::error::Error;
use crate::number::decimal;

/// A line with its number, counted from 1.
pub(super) type Row<'a> = (usize, &'a str);

/// Sections that are read, or whose rows are counted.
const SECTIONS: [&str; 12] = [
    "Masses",
    "Atoms",
    "Velocities",
    "Bonds",
    "Angles",
    "Dihedrals",
    "Impropers",
    "Atom Type Labels",
    "Bond Type Labels",
    "Angle Type Labels",
    "Dihedral Type Labels",
    "Improper Type Labels",
];

/// A section with its rows, without blank lines.
pub(super) struct Section<'a> {
    name: &'a str,
    /// The line of its heading.
    pub line: usize,
    /// The comment of its heading.
    pub comment: &'a str,
    pub rows: Vec<Row<'a>>,
}

/// The lines of a file, sorted by their purpose.
pub(super) struct Parts<'a> {
    header: Vec<Row<'a>>,
    sections: Vec<Section<'a>>,
    /// Sections of coefficients, whose names end with `Coeffs`.
    coefficients: Vec<Section<'a>>,
}

impl<'a> Parts<'a> {
    pub(super) fn split(text: &'a str, file: &str) -> Result<Parts<'a>, Error> {
        let mut parts =
            Parts { header: Vec::new(), sections: Vec::new(), coefficients: Vec::new() };
        let mut of_coefficients = false;
        // The first line is a title.
        for (index, line) in text.lines().enumerate().skip(1) {
            let content = without_comment(line);
            if content.is_empty() {
                continue;
            }
            let sections =
                if of_coefficients { &mut parts.coefficients } else { &mut parts.sections };
            let name = match heading(content) {
                Heading::None => {
                    match sections.last_mut() {
                        Some(section) => section.rows.push((index + 1, line)),
                        None => parts.header.push((index + 1, content)),
                    }
                    continue;
                }
                Heading::Coefficients => content,
                Heading::Read(name) => name,
                Heading::Unknown => {
                    let problem = format!(
                        "the section \"{content}\" is not known; a file of beads may have {} and coefficients",
                        SECTIONS.join(", ")
                    );
                    return Err(Error::damaged_configuration(file, index + 1, problem));
                }
            };
            if let Some(other) = parts.section(name).or(parts.coefficients(name)) {
                let problem = format!("the section {name} stands on line {} already", other.line);
                return Err(Error::damaged_configuration(file, index + 1, problem));
            }
            let comment = line.split_once('#').map_or("", |(_, comment)| comment.trim());
            let section = Section { name, line: index + 1, comment, rows: Vec::new() };
            of_coefficients = matches!(heading(content), Heading::Coefficients);
            match of_coefficients {
                true => parts.coefficients.push(section),
                false => parts.sections.push(section),
            }
        }
        Ok(parts)
    }

    /// A section of coefficients.
    pub(super) fn coefficients(&self, name: &str) -> Option<&Section<'a>> {
        let is_meant = |section: &&Section<'a>| {
            section.name.split_ascii_whitespace().eq(name.split_ascii_whitespace())
        };
        self.coefficients.iter().find(is_meant)
    }

    pub(super) fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// The text of a line before its comment.
pub(super) fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(content, _)| content).trim()
}

enum Heading {
    None,
    Read(&'static str),
    Coefficients,
    Unknown,
}

/// Whether a line begins a section: it consists of letters only, or ends with `Coeffs`.
fn heading(content: &str) -> Heading {
    if !content.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Heading::None;
    }
    if content.ends_with(" Coeffs") {
        return Heading::Coefficients;
    }
    let is_meant =
        |name: &&&str| name.split_ascii_whitespace().eq(content.split_ascii_whitespace());
    match SECTIONS.iter().find(is_meant) {
        Some(name) => Heading::Read(name),
        None if content.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ') => {
            Heading::Unknown
        }
        None => Heading::None,
    }
}

/// The counts and the box of a header.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub atoms: usize,
    pub bonds: usize,
    pub angles: usize,
    pub dihedrals: usize,
    pub impropers: usize,
    pub atom_types: usize,
    pub bond_types: usize,
    pub angle_types: usize,
    /// Whether there are bonds or terms of more atoms, or types of them.
    pub has_bonds: bool,
    pub bounds: Option<Bounds>,
}

impl Header {
    pub(super) fn read(parts: &Parts<'_>, file: &str) -> Result<Header, Error> {
        let mut header = Header::default();
        let mut faces = [None; 3];
        for &(line, content) in &parts.header {
            let words: Vec<&str> = content.split_ascii_whitespace().collect();
            if is_tilt(&words) {
                let named = "the header has a tilt (xy xz yz) or vectors of a box";
                return Err(Error::tilted_box(file, format!("line {line}"), named));
            }
            header
                .read_line(&words, &mut faces)
                .map_err(|problem| Error::damaged_configuration(file, line, problem))?;
        }
        let Header { bonds, angles, dihedrals, impropers, bond_types, angle_types, .. } = header;
        let of_bonds = [bonds, angles, dihedrals, impropers, bond_types, angle_types];
        header.has_bonds |= of_bonds.iter().any(|count| *count > 0);
        let first = parts.header.first().map_or(1, |(line, _)| *line);
        let damaged = |problem: &str| Err(Error::damaged_configuration(file, first, problem));
        if header.atoms == 0 {
            return damaged(
                "the header does not say how many atoms there are, in a line such as \"1000 atoms\"; the first line of the \
                 file is a title and does not count",
            );
        }
        header.bounds = match faces {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            [None, None, None] => None,
            _ => return damaged("of the lines xlo xhi, ylo yhi, zlo zhi some are missing"),
        };
        Ok(header)
    }

    fn read_line(
        &mut self,
        words: &[&str],
        faces: &mut [Option<[f64; 2]>; 3],
    ) -> Result<(), String> {
        let count = |text: &str| {
            text.parse::<usize>()
                .map_err(|_| format!("\"{text}\" is not a number of {}", words[1..].join(" ")))
        };
        match words {
            [atoms, "atoms"] => self.atoms = count(atoms)?,
            [bonds, "bonds"] => self.bonds = count(bonds)?,
            [angles, "angles"] => self.angles = count(angles)?,
            [dihedrals, "dihedrals"] => self.dihedrals = count(dihedrals)?,
            [impropers, "impropers"] => self.impropers = count(impropers)?,
            [types, "atom", "types"] => self.atom_types = count(types)?,
            [types, "bond", "types"] => self.bond_types = count(types)?,
            [types, "angle", "types"] => self.angle_types = count(types)?,
            [types, "dihedral" | "improper", "types"] => self.has_bonds |= count(types)? > 0,
            // Room for later terms is no part of a configuration.
            [_, "extra", .., "per", "atom"] => {}
            [_, "xy", "xz", "yz"] | [_, _, _, "xy", "xz", "yz"] => {}
            [low, high, low_name, high_name] => {
                let names = [["xlo", "xhi"], ["ylo", "yhi"], ["zlo", "zhi"]];
                let axis = names.iter().position(|names| *names == [*low_name, *high_name]);
                let (Some(axis), Some(low), Some(high)) = (axis, decimal(low), decimal(high))
                else {
                    return Err(unknown(words));
                };
                if low == high {
                    return Err(format!(
                        "the box begins and ends at {low}; beads move in three dimensions, so each side needs a length"
                    ));
                }
                if low > high {
                    return Err(format!(
                        "the box ends at {high}, which is not above its begin at {low}"
                    ));
                }
                faces[axis] = Some([low, high]);
            }
            [bodies, "ellipsoids" | "lines" | "triangles" | "bodies"] => {
                if count(bodies)? > 0 {
                    return Err(format!("{} are not read; beads are points", words[1]));
                }
            }
            _ => return Err(unknown(words)),
        }
        Ok(())
    }
}

fn unknown(words: &[&str]) -> String {
    format!(
        "the line \"{}\" is not known in a header; known are lines such as \"1000 atoms\", \"2 atom types\" and \"0 10 xlo xhi\"",
        words.join(" ")
    )
}

fn is_tilt(words: &[&str]) -> bool {
    match words {
        [tilts @ .., "xy", "xz", "yz"] => tilts.iter().any(|tilt| decimal(tilt) != Some(0.0)),
        [.., "avec" | "bvec" | "cvec"] | [.., "abc", "origin"] => true,
        _ => false,
    }
}
