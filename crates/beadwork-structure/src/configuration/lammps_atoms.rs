//! The atoms of LAMMPS data files and what else has a row for each atom.

use std::f64::consts::PI;

use super::fields;
use super::lammps_header::{Section, without_comment};
use super::lammps_styles::{Evidence, Field, Layout};
use super::types::check_mass;
use crate::error::Error;

/// The ids of atoms, ascending. The place of an id is the number of its bead.
#[derive(Debug)]
pub(super) struct Ids(Vec<usize>);

impl Ids {
    fn read(section: &Section<'_>, file: &str) -> Result<Ids, Error> {
        let mut ids = Vec::with_capacity(section.rows.len());
        for &(line, row) in &section.rows {
            let first = without_comment(row).split_ascii_whitespace().next();
            let first: Vec<&str> = first.into_iter().collect();
            let damaged = |problem: String| Error::damaged_configuration(file, line, problem);
            let id: usize = fields::whole(&first, 0, "id of an atom").map_err(damaged)?;
            if id == 0 {
                return Err(damaged("the id of an atom is 0; ids run from 1".to_owned()));
            }
            ids.push((id, line));
        }
        ids.sort_unstable();
        if let Some(&[(id, other), (_, line)]) = ids.windows(2).find(|two| two[0].0 == two[1].0) {
            let problem = format!("atom {id} stands on line {other} already");
            return Err(Error::damaged_configuration(file, line, problem));
        }
        Ok(Ids(ids.into_iter().map(|(id, _)| id).collect()))
    }

    /// The bead that has an id.
    pub(super) fn bead(&self, id: usize) -> Option<usize> {
        match self.0.get(id.wrapping_sub(1)) {
            Some(&same) if same == id => Some(id - 1),
            _ => self.0.binary_search(&id).ok(),
        }
    }

    /// Says which ids there are.
    pub(super) fn range(&self) -> String {
        let (first, last) = (self.0.first().unwrap_or(&0), self.0.last().unwrap_or(&0));
        match self.gap() {
            None => format!("atoms have the ids from {first} to {last}"),
            Some(_) => format!("atoms have ids from {first} to {last}, with gaps"),
        }
    }

    /// A sentence if numbers of beads follow not from ids alone.
    pub(super) fn warning(&self) -> Option<String> {
        let bead = self.gap()?;
        let id = self.0[bead];
        let (first, last) = (self.0[0], self.0[self.0.len() - 1]);
        Some(format!(
            "the ids of the {} atoms run from {first} to {last} with gaps: beads are counted from 0 in the order of ids, so that bead {bead} is atom {id}",
            self.0.len()
        ))
    }

    /// The first bead whose number is not one less than its id.
    fn gap(&self) -> Option<usize> {
        self.0.iter().enumerate().position(|(bead, id)| *id != bead + 1)
    }
}

/// The atoms of a file in the order of their ids.
pub(super) struct Atoms {
    pub ids: Ids,
    pub positions: Vec<[f64; 3]>,
    pub images: Option<Vec<[i32; 3]>>,
    pub types: Vec<u16>,
    pub charges: Option<Vec<f64>>,
    pub molecules: Option<Vec<u32>>,
    /// Masses that follow from diameters and densities.
    pub masses: Option<Vec<f64>>,
    /// Number of columns that a row of velocities may have.
    pub velocity_columns: [usize; 2],
    pub warnings: Vec<String>,
}

impl Atoms {
    /// Reads the rows of a section; `kind` understands the type of an atom.
    pub(super) fn read(
        section: &Section<'_>,
        kind: impl Fn(&str) -> Result<u16, String>,
        evidence: Evidence,
        file: &str,
    ) -> Result<Atoms, Error> {
        let first = section.rows.first().map_or("", |(_, row)| without_comment(row));
        let columns = first.split_ascii_whitespace().count();
        let fits = |layout: &Layout| {
            let mut one = Atoms::of_layout(layout, Ids(Vec::new()), 1);
            let mut row = Vec::new();
            section.rows.iter().all(|(_, text)| {
                fields::split(without_comment(text), &mut row);
                one.read_atom(layout, &row, columns, 0, &kind).is_ok()
            })
        };
        let layout = Layout::choose(section.comment, columns, evidence, fits)
            .map_err(|problem| Error::damaged_configuration(file, section.line, problem))?;
        let ids = Ids::read(section, file)?;
        let mut atoms = Atoms::of_layout(&layout, ids, section.rows.len());
        let mut row = Vec::new();
        for &(line, text) in &section.rows {
            fields::split(without_comment(text), &mut row);
            let bead = row.first().and_then(|id| atoms.ids.bead(id.parse().ok()?));
            atoms
                .read_atom(&layout, &row, columns, bead.unwrap_or_default(), &kind)
                .map_err(|problem| Error::damaged_configuration(file, line, problem))?;
        }
        atoms.warnings = layout.warnings;
        atoms.warnings.extend(atoms.ids.warning());
        Ok(atoms)
    }

    fn of_layout(layout: &Layout, ids: Ids, count: usize) -> Atoms {
        let has = |field| layout.column(field).is_some();
        Atoms {
            ids,
            positions: vec![[0.0; 3]; count],
            images: layout.has_images.then(|| vec![[0; 3]; count]),
            types: vec![0; count],
            charges: has(Field::Charge).then(|| vec![0.0; count]),
            molecules: has(Field::Molecule).then(|| vec![0; count]),
            masses: has(Field::Density).then(|| vec![0.0; count]),
            // Spheres rotate.
            velocity_columns: [4, if has(Field::Density) { 7 } else { 4 }],
            warnings: Vec::new(),
        }
    }

    fn read_atom(
        &mut self,
        layout: &Layout,
        row: &[&str],
        columns: usize,
        bead: usize,
        kind: impl Fn(&str) -> Result<u16, String>,
    ) -> Result<(), String> {
        if row.len() != columns {
            let found = row.len();
            return Err(format!("there are {found} columns, but the first atom has {columns}"));
        }
        let column = |field: Field| layout.column(field).unwrap_or(columns);
        self.types[bead] = kind(fields::text(row, column(Field::Type), "type")?)?;
        self.positions[bead] = fields::vector(row, column(Field::Position), ["x", "y", "z"])?;
        if let Some(charges) = &mut self.charges {
            charges[bead] = fields::number(row, column(Field::Charge), "charge")?;
        }
        if let Some(molecules) = &mut self.molecules {
            molecules[bead] = fields::whole(row, column(Field::Molecule), "molecule")?;
        }
        if let Some(masses) = &mut self.masses {
            let diameter = fields::number(row, column(Field::Diameter), "diameter")?;
            let density = fields::number(row, column(Field::Density), "density")?;
            // The density of a point is its mass.
            let volume = if diameter > 0.0 { PI / 6.0 * diameter.powi(3) } else { 1.0 };
            masses[bead] = density * volume;
            check_mass(masses[bead])?;
        }
        if let Some(images) = &mut self.images {
            let first = layout.columns_without_images();
            let flag = |axis: usize| fields::whole(row, first + axis, "image flag");
            images[bead] = [flag(0)?, flag(1)?, flag(2)?];
        }
        Ok(())
    }
}

/// Velocities of all atoms in the order of their ids.
pub(super) fn velocities(
    section: &Section<'_>,
    atoms: &Atoms,
    file: &str,
) -> Result<Vec<[f64; 3]>, Error> {
    let mut velocities = vec![[0.0; 3]; atoms.positions.len()];
    let mut lines = vec![0; velocities.len()];
    let names = ["velocity along x", "velocity along y", "velocity along z"];
    let mut row = Vec::new();
    for &(line, text) in &section.rows {
        fields::split(without_comment(text), &mut row);
        let mut read = || {
            let id: usize = fields::whole(&row, 0, "id of an atom")?;
            let bead = atoms.ids.bead(id).ok_or_else(|| {
                format!("there is no atom {id} for the velocity; {}", atoms.ids.range())
            })?;
            if lines[bead] > 0 {
                return Err(format!("atom {id} stands on line {} already", lines[bead]));
            }
            lines[bead] = line;
            velocities[bead] = fields::vector(&row, 1, names)?;
            let [expected, or] = atoms.velocity_columns;
            if ![expected, or].contains(&row.len()) {
                return Err(format!(
                    "the velocity has {} columns instead of {expected}: the id of the atom, and three components",
                    row.len()
                ));
            }
            Ok(())
        };
        read().map_err(|problem| Error::damaged_configuration(file, line, problem))?;
    }
    Ok(velocities)
}
