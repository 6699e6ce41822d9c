//! The atoms of LAMMPS data files and the styles in which they are written.

use super::fields;
use super::lammps_header::{Row, Section, without_comment};
use crate::error::Error;

/// Which columns, counted from 0, an atom style has; the first is the id of the atom.
struct Style {
    name: &'static str,
    molecule: Option<usize>,
    kind: usize,
    charge: Option<usize>,
    position: usize,
}

const STYLES: [Style; 6] = [
    Style { name: "atomic", molecule: None, kind: 1, charge: None, position: 2 },
    Style { name: "charge", molecule: None, kind: 1, charge: Some(2), position: 3 },
    Style { name: "bond", molecule: Some(1), kind: 2, charge: None, position: 3 },
    Style { name: "angle", molecule: Some(1), kind: 2, charge: None, position: 3 },
    Style { name: "molecular", molecule: Some(1), kind: 2, charge: None, position: 3 },
    Style { name: "full", molecule: Some(1), kind: 2, charge: Some(3), position: 4 },
];

impl Style {
    /// The style that the comment behind `Atoms` names; without a comment, the one that the number of columns leaves.
    fn of(comment: &str, columns: usize) -> Result<&'static Style, String> {
        let known = STYLES.map(|style| style.name).join(", ");
        let remedy =
            "name the atom style in a comment behind the heading, such as \"Atoms # bond\"";
        if let Some(name) = comment.split_ascii_whitespace().next() {
            let style = STYLES.iter().find(|style| style.name == name).ok_or_else(|| {
                format!("the comment behind Atoms reads \"{comment}\", which is no known atom style; {remedy}; known are {known}")
            })?;
            if style.columns_without_images() == columns
                || style.columns_without_images() + 3 == columns
            {
                return Ok(style);
            }
            let expected = style.columns_without_images();
            return Err(format!(
                "the first atom has {columns} columns, but the atom style {name} has {expected}, or {} with image flags",
                expected + 3
            ));
        }
        match columns {
            5 | 8 => Ok(&STYLES[0]),
            7 | 10 => Ok(&STYLES[5]),
            6 | 9 => Err(format!(
                "atoms with {columns} columns may have the atom style charge or molecular; {remedy} or \"Atoms # charge\""
            )),
            _ => Err(format!(
                "atoms with {columns} columns have none of the atom styles {known}; {remedy}"
            )),
        }
    }

    /// Number of columns without image flags.
    fn columns_without_images(&self) -> usize {
        self.position + 3
    }
}

/// The atoms of a file in the order of their ids.
pub(super) struct Atoms {
    pub positions: Vec<[f64; 3]>,
    pub images: Option<Vec<[i32; 3]>>,
    pub types: Vec<u16>,
    pub charges: Option<Vec<f64>>,
    pub molecules: Option<Vec<u32>>,
}

impl Atoms {
    /// Reads the rows of a section; `kind` understands the type of an atom.
    pub(super) fn read(
        section: &Section<'_>,
        kind: impl Fn(&str) -> Result<u16, String>,
        file: &str,
    ) -> Result<Atoms, Error> {
        let damaged =
            |line: usize, problem: String| Error::damaged_configuration(file, line, problem);
        let first = section.rows.first().map_or("", |(_, row)| without_comment(row));
        let columns = first.split_ascii_whitespace().count();
        let style = Style::of(section.comment, columns)
            .map_err(|problem| damaged(section.line, problem))?;
        let count = section.rows.len();
        let mut atoms = Atoms {
            positions: vec![[0.0; 3]; count],
            images: (columns > style.columns_without_images()).then(|| vec![[0; 3]; count]),
            types: vec![0; count],
            charges: style.charge.map(|_| vec![0.0; count]),
            molecules: style.molecule.map(|_| vec![0; count]),
        };
        each_atom(section, count, file, |fields, atom| {
            if fields.len() != columns {
                return Err(format!(
                    "there are {} columns, but the first atom has {columns}",
                    fields.len()
                ));
            }
            atoms.read_atom(style, fields, atom, kind(fields[style.kind])?)
        })?;
        Ok(atoms)
    }

    fn read_atom(
        &mut self,
        style: &Style,
        fields: &[&str],
        atom: usize,
        kind: u16,
    ) -> Result<(), String> {
        self.types[atom] = kind;
        self.positions[atom] = fields::vector(fields, style.position, ["x", "y", "z"])?;
        if let Some((column, charges)) = style.charge.zip(self.charges.as_mut()) {
            charges[atom] = fields::number(fields, column, "charge")?;
        }
        if let Some((column, molecules)) = style.molecule.zip(self.molecules.as_mut()) {
            molecules[atom] = fields::whole(fields, column, "molecule")?;
        }
        if let Some(images) = self.images.as_mut() {
            let first = style.columns_without_images();
            let flag = |axis: usize| fields::whole(fields, first + axis, "image flag");
            images[atom] = [flag(0)?, flag(1)?, flag(2)?];
        }
        Ok(())
    }
}

/// Velocities of all atoms in the order of their ids.
pub(super) fn velocities(
    section: &Section<'_>,
    atoms: usize,
    file: &str,
) -> Result<Vec<[f64; 3]>, Error> {
    let mut velocities = vec![[0.0; 3]; atoms];
    let names = ["velocity along x", "velocity along y", "velocity along z"];
    each_atom(section, atoms, file, |fields, atom| {
        velocities[atom] = fields::vector(fields, 1, names)?;
        Ok(())
    })?;
    Ok(velocities)
}

/// Calls `read` with the fields of each row and the index of its atom. Each id from 1 to the number of atoms must
/// begin one row.
fn each_atom(
    section: &Section<'_>,
    atoms: usize,
    file: &str,
    mut read: impl FnMut(&[&str], usize) -> Result<(), String>,
) -> Result<(), Error> {
    let mut lines = vec![0; atoms];
    let mut beyond: Option<(usize, Row<'_>)> = None;
    let mut fields = Vec::new();
    for &(line, row) in &section.rows {
        let damaged = |problem: String| Error::damaged_configuration(file, line, problem);
        fields::split(without_comment(row), &mut fields);
        let id: usize = fields::whole(&fields, 0, "id of an atom").map_err(damaged)?;
        let slot = id
            .checked_sub(1)
            .ok_or_else(|| damaged("the id of an atom is 0; ids run from 1".to_owned()))?;
        match lines.get_mut(slot) {
            Some(0) => {
                lines[slot] = line;
                read(&fields, slot).map_err(damaged)?;
            }
            Some(other) => {
                return Err(damaged(format!("atom {id} stands on line {other} already")));
            }
            None => beyond = beyond.or(Some((id, (line, row)))),
        }
    }
    let missing = lines.iter().position(|line| *line == 0).map(|slot| slot + 1);
    let Some(missing) = missing else { return Ok(()) };
    let (place, found) = match beyond {
        Some((id, (line, _))) => (line, format!(", but there is the id {id}")),
        None => (section.line, String::new()),
    };
    let problem = format!(
        "no row has the id {missing}{found}; {atoms} atoms have the ids from 1 to {atoms} without gaps, in any order"
    );
    Err(Error::damaged_configuration(file, place, problem))
}
