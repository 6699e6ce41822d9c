//! LAMMPS data files: <https://docs.lammps.org/read_data.html>.

use std::collections::HashMap;

use super::content::other_of_lammps;
use super::lammps_atoms::{Atoms, Ids, velocities};
use super::lammps_header::{Header, Parts, without_comment};
use super::lammps_labels::Labels;
use super::lammps_molecules::without_zeros;
use super::lammps_styles::Evidence;
use super::lammps_title::unit_style;
use super::types::{check_mass, checked_number};
use super::{Configuration, choose_frame, fields, unknown_format};
use crate::error::Error;

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    choose_frame(1, frame, file)?;
    if let Some(other) = other_of_lammps(text) {
        return Err(unknown_format(file, "", Some(other)));
    }
    let parts = Parts::split(text, file)?;
    let header = Header::read(&parts, file)?;
    check_counts(&parts, &header, file)?;
    let damaged = |line: usize, problem: String| Error::damaged_configuration(file, line, problem);
    let labels = Labels::read(&parts, "atom", header.atom_types, file)?;
    let mut types = Types::read(&parts, &labels, &header, file)?;
    let Some(section) = parts.section("Atoms") else {
        let problem = "the file ends without a section Atoms".to_owned();
        return Err(damaged(text.lines().count(), problem));
    };
    let kind = |text: &str| labels.number(text).and_then(|kind| checked_number(kind as usize - 1));
    let evidence =
        Evidence { has_bonds: header.has_bonds, has_masses: parts.section("Masses").is_some() };
    let atoms = Atoms::read(section, kind, evidence, file)?;
    if let Some(masses) = &atoms.masses {
        types.set_masses(&atoms.types, masses).map_err(|problem| damaged(section.line, problem))?;
    }
    let velocities = parts.section("Velocities");
    let velocities =
        velocities.map(|section| self::velocities(section, &atoms, file)).transpose()?;
    let bonds = terms(&parts, "Bonds", header.bond_types, &atoms.ids, file)?;
    let angles = terms(&parts, "Angles", header.angle_types, &atoms.ids, file)?;
    let molecules = atoms.molecules.and_then(|molecules| without_zeros(molecules, &bonds));
    let mut warnings = atoms.warnings;
    warnings.extend(types.warning);
    warnings.extend(warning_of_plane(&atoms.positions));
    let mut beads = Configuration {
        source: file.to_owned(),
        positions: atoms.positions,
        velocities,
        unit_style: Some(unit_style(text)),
        images: atoms.images,
        type_names: types.names,
        types: atoms.types,
        masses: types.masses,
        charges: atoms.charges,
        molecules,
        bounds: header.bounds,
        bonds,
        angles,
        dihedrals: header.dihedrals,
        impropers: header.impropers,
        warnings,
        ..Configuration::default()
    };
    beads.label_by_type();
    Ok(beads)
}

/// The sentence about beads of a simulation in two dimensions, which no line of the file tells.
fn warning_of_plane(positions: &[[f64; 3]]) -> Option<String> {
    let differ = |axis: usize| positions.iter().any(|at| at[axis] != positions[0][axis]);
    (!positions.is_empty() && !differ(2) && differ(0) && differ(1)).then(|| {
        format!("all atoms have z = {}, as in two dimensions: beads move in three", positions[0][2])
    })
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

struct Types {
    names: Vec<String>,
    masses: Vec<Option<f64>>,
    /// A sentence about names that the file seemed to have.
    warning: Option<String>,
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
        let numbers: Vec<String> = (1..=header.atom_types).map(|kind| kind.to_string()).collect();
        let mut names = numbers.clone();
        let mut row = Vec::new();
        let section = parts.section("Masses");
        for &(line, text) in section.map_or(&[][..], |section| &section.rows) {
            fields::split(without_comment(text), &mut row);
            let mut read = || {
                let kind = labels.number(fields::text(&row, 0, "type")?)? as usize;
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
        let mut warning = None;
        if labels.numbers.is_empty() {
            // Comments are free: two types may share the first word of theirs, such as an element.
            let mut known: HashMap<&str, usize> = HashMap::new();
            let twice = names.iter().enumerate().find_map(|(index, name)| {
                known.insert(name, index).map(|other| (other + 1, index + 1, name.clone()))
            });
            if let Some((one, other, name)) = twice {
                warning = Some(format!(
                    "the types {one} and {other} would have the same name, {name}, from the comments behind their masses: all types are named by their numbers"
                ));
                names = numbers;
            }
        } else {
            names = numbers;
            for (label, number) in &labels.numbers {
                names[*number as usize - 1] = (*label).to_owned();
            }
        }
        Ok(Types { names, masses, warning })
    }

    /// Gives each type the mass of its atoms, which must have the same. Masses of types do not count beside those of atoms.
    fn set_masses(&mut self, types: &[u16], masses: &[f64]) -> Result<(), String> {
        let mut of_atoms = vec![None; self.masses.len()];
        for (kind, mass) in types.iter().zip(masses) {
            let kind = usize::from(*kind);
            match of_atoms[kind].replace(*mass) {
                Some(other) if other != *mass => {
                    return Err(format!(
                        "by their diameters and densities, atoms of type {} have the masses {other} and {mass}; beads of one type have one mass, so give atoms of another mass a type of their own",
                        self.names[kind]
                    ));
                }
                _ => {}
            }
        }
        for (mass, of_atoms) in self.masses.iter_mut().zip(of_atoms) {
            *mass = of_atoms.or(*mass);
        }
        Ok(())
    }
}

/// The bonds or angles of a section: number, type, and the ids of N different atoms.
fn terms<const N: usize>(
    parts: &Parts<'_>,
    section: &str,
    types: usize,
    ids: &Ids,
    file: &str,
) -> Result<Vec<([usize; N], u32)>, Error> {
    let shape = if N == 2 { "bond" } else { "angle" };
    let labels = Labels::read(parts, shape, types, file)?;
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
        let kind = labels.number(row[1])?;
        let mut members = [0; N];
        for place in 0..N {
            let id: usize = fields::whole(row, place + 2, "id of an atom")?;
            let bead = ids
                .bead(id)
                .ok_or_else(|| format!("there is no atom {id} for the {shape}; {}", ids.range()))?;
            if members[..place].contains(&bead) {
                return Err(format!(
                    "the {shape} has atom {id} twice; {N} different atoms are needed"
                ));
            }
            members[place] = bead;
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
