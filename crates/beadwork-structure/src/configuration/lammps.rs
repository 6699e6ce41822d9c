//! LAMMPS data files: <https://docs.lammps.org/read_data.html>.

use std::collections::{HashMap, HashSet};

use super::lammps_atoms::{Atoms, velocities};
use super::lammps_header::{Header, Parts, without_comment};
use super::types::{check_mass, checked_number};
use super::{Configuration, choose_frame, fields};
use crate::error::Error;

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    choose_frame(1, frame, file)?;
    let parts = Parts::split(text, file)?;
    let header = Header::read(&parts, file)?;
    check_counts(&parts, &header, file)?;
    let damaged = |line: usize, problem: String| Error::damaged_configuration(file, line, problem);
    let labels = Labels::read(&parts, "Atom Type Labels", header.atom_types, file)?;
    let types = Types::read(&parts, &labels, &header, file)?;
    let Some(section) = parts.section("Atoms") else {
        let problem = "the file ends without a section Atoms".to_owned();
        return Err(damaged(text.lines().count(), problem));
    };
    let kind =
        |text: &str| labels.number(text, "atom").and_then(|kind| checked_number(kind as usize - 1));
    let atoms = Atoms::read(section, kind, file)?;
    let velocities = parts.section("Velocities");
    let velocities = velocities.map(|section| self::velocities(section, header.atoms, file));
    let bonds = Labels::read(&parts, "Bond Type Labels", header.bond_types, file)?;
    let angles = Labels::read(&parts, "Angle Type Labels", header.angle_types, file)?;
    let mut beads = Configuration {
        source: file.to_owned(),
        positions: atoms.positions,
        velocities: velocities.transpose()?,
        unit_style: Some(unit_style(text)),
        images: atoms.images,
        type_names: types.names,
        types: atoms.types,
        masses: types.masses,
        charges: atoms.charges,
        molecules: atoms.molecules,
        bounds: header.bounds,
        bonds: terms(&parts, "Bonds", &bonds, header.atoms, file)?,
        angles: terms(&parts, "Angles", &angles, header.atoms, file)?,
        dihedrals: header.dihedrals,
        impropers: header.impropers,
        ..Configuration::default()
    };
    beads.label_by_type();
    Ok(beads)
}

/// The unit style in the first line, where LAMMPS writes `units = lj`; empty if there is none.
fn unit_style(text: &str) -> String {
    let title = text.lines().next().unwrap_or_default();
    let mut words = title.split([' ', '\t', ',', '=']).filter(|word| !word.is_empty());
    words.find(|word| *word == "units").and_then(|_| words.next()).unwrap_or_default().to_owned()
}

/// Compares the rows of sections with the numbers in the header.
fn check_counts(parts: &Parts<'_>, header: &Header, file: &str) -> Result<(), Error> {
    let expected = [
        ("Atoms", header.atoms, "atoms"),
        ("Velocities", header.atoms, "atoms"),
        ("Bonds", header.bonds, "bonds"),
        ("Angles", header.angles, "angles"),
        ("Dihedrals", header.dihedrals, "dihedrals"),
        ("Impropers", header.impropers, "impropers"),
        ("Masses", header.atom_types, "atom types"),
    ];
    for (name, count, what) in expected {
        let optional = matches!(name, "Velocities" | "Masses" | "Atoms");
        let (line, rows) = match parts.section(name) {
            Some(section) => (section.line, section.rows.len()),
            None if optional || count == 0 => continue,
            None => (1, 0),
        };
        if rows != count {
            let problem = format!(
                "the number of rows in the section {name} is {rows}, but the header announces {count} for {what}; the file may be cut off"
            );
            return Err(Error::damaged_configuration(file, line, problem));
        }
    }
    Ok(())
}

/// Labels of types, which may stand in place of their numbers.
struct Labels<'a> {
    /// Number of types; they are counted from 1.
    types: usize,
    numbers: HashMap<&'a str, u32>,
}

impl<'a> Labels<'a> {
    fn read(
        parts: &Parts<'a>,
        section: &str,
        types: usize,
        file: &str,
    ) -> Result<Labels<'a>, Error> {
        let mut numbers = HashMap::new();
        let mut labelled = HashSet::new();
        let rows = parts.section(section).map_or(&[][..], |section| &section.rows);
        let mut row = Vec::new();
        for &(line, text) in rows {
            fields::split(without_comment(text), &mut row);
            let label = match row[..] {
                [number, label] => number.parse().ok().map(|number: u32| (label, number)),
                _ => None,
            };
            let label = label.filter(|(_, number)| (1..=types).contains(&(*number as usize)));
            let label = label.filter(|(_, number)| labelled.insert(*number));
            let known = label.and_then(|(label, number)| numbers.insert(label, number));
            if label.is_none() || known.is_some() {
                let problem = format!(
                    "a row of {section} has the number of a type, from 1 to {types}, and its label; each only once"
                );
                return Err(Error::damaged_configuration(file, line, problem));
            }
        }
        Ok(Labels { types, numbers })
    }

    /// The number, from 1, of a type that is given by number or by label.
    fn number(&self, text: &str, shape: &str) -> Result<u32, String> {
        let number = text.parse().ok().or_else(|| self.numbers.get(text).copied());
        number.filter(|number: &u32| (1..=self.types).contains(&(*number as usize))).ok_or_else(
            || {
                let header = format!("the header announces {} {shape} types", self.types);
                format!("\"{text}\" is no type: {header}, which are counted from 1")
            },
        )
    }
}

struct Types {
    names: Vec<String>,
    masses: Vec<Option<f64>>,
}

impl Types {
    fn read(
        parts: &Parts<'_>,
        labels: &Labels<'_>,
        header: &Header,
        file: &str,
    ) -> Result<Types, Error> {
        let damaged =
            |line: usize, problem: String| Error::damaged_configuration(file, line, problem);
        checked_number(header.atom_types.saturating_sub(1))
            .map_err(|problem| damaged(1, problem))?;
        let mut masses = vec![None; header.atom_types];
        let mut names: Vec<String> = (1..=header.atom_types).map(|kind| kind.to_string()).collect();
        let mut row = Vec::new();
        let section = parts.section("Masses");
        for &(line, text) in section.map_or(&[][..], |section| &section.rows) {
            fields::split(without_comment(text), &mut row);
            let mut read = || {
                let kind = labels.number(fields::text(&row, 0, "type")?, "atom")? as usize;
                let mass = fields::number(&row, 1, "mass")?;
                check_mass(mass)?;
                if masses[kind - 1].replace(mass).is_some() {
                    return Err(format!("the type {} has a mass already", row[0]));
                }
                if let Some(name) =
                    text.split_once('#').and_then(|(_, name)| name.split_whitespace().next())
                {
                    names[kind - 1] = name.to_owned();
                }
                Ok(())
            };
            read().map_err(|problem| damaged(line, problem))?;
        }
        for (label, number) in &labels.numbers {
            names[*number as usize - 1] = (*label).to_owned();
        }
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            if let Some(other) = numbers.insert(name, index + 1) {
                let problem = format!(
                    "the types {other} and {} have the same name, {name}; change the comment behind one of the masses",
                    index + 1
                );
                return Err(damaged(section.map_or(1, |section| section.line), problem));
            }
        }
        Ok(Types { names, masses })
    }
}

/// The bonds or angles of a section: number, type, and the ids of N different atoms.
fn terms<const N: usize>(
    parts: &Parts<'_>,
    section: &str,
    labels: &Labels<'_>,
    atoms: usize,
    file: &str,
) -> Result<Vec<([usize; N], u32)>, Error> {
    let shape = if N == 2 { "bond" } else { "angle" };
    let rows = parts.section(section).map_or(&[][..], |section| &section.rows);
    let mut terms = Vec::with_capacity(rows.len());
    let mut row = Vec::new();
    let read = |row: &[&str]| {
        if row.len() != N + 2 {
            let (expected, columns) = (N + 2, row.len());
            return Err(format!(
                "the {shape} has {columns} columns instead of {expected}: number, type, and {N} ids of atoms"
            ));
        }
        let kind = labels.number(row[1], shape)?;
        let mut members = [0; N];
        for place in 0..N {
            let id: usize = fields::whole(row, place + 2, "id of an atom")?;
            if !(1..=atoms).contains(&id) {
                return Err(format!(
                    "there is no atom {id} for the {shape}; atoms have the ids from 1 to {atoms}"
                ));
            }
            if members[..place].contains(&(id - 1)) {
                return Err(format!(
                    "the {shape} has atom {id} twice; {N} different atoms are needed"
                ));
            }
            members[place] = id - 1;
        }
        Ok((members, kind))
    };
    for &(line, text) in rows {
        fields::split(without_comment(text), &mut row);
        let term = read(&row).map_err(|problem| Error::damaged_configuration(file, line, problem));
        terms.push(term?);
    }
    Ok(terms)
}
