//! PDB files as beads: each ATOM and HETATM of a model, CRYST1 and CONECT.

use std::collections::{HashMap, HashSet};

use super::{Configuration, choose_frame, records};
use crate::error::Error;
use crate::number::{plain_decimal, serial_number};
use crate::pdb::{columns, is_atom, is_record, models, records as atoms};
use crate::residue_columns::ResidueColumns;

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    let lines: Vec<&str> = text.lines().collect();
    if !lines.iter().any(|line| is_atom(line)) {
        return Err(Error::not_a_structure(file, ""));
    }
    let mut warnings = Vec::new();
    let models = models(&lines, &mut warnings);
    let frame = choose_frame(models.len(), frame, file)?;
    let chosen = models[frame].lines.clone();
    let of_atoms: Vec<usize> = chosen.clone().filter(|index| is_atom(lines[*index])).collect();
    if of_atoms.is_empty() {
        let problem = "the model has no atoms".to_owned();
        return Err(Error::damaged_configuration(file, chosen.start + 1, problem));
    }
    let residue_columns = ResidueColumns::decide(&lines, chosen.clone());
    let atoms = atoms(&lines, chosen, &residue_columns, file)?;
    warnings.extend(residue_columns.warnings);
    let mut beads = records::configuration(&atoms, |atom| of_atoms[atom] + 1, file)?;
    (beads.frame, beads.frames) = (frame, models.len());
    // Trajectories have a cell before each frame.
    let is_cell = |line: &str| is_record(line, "CRYST1");
    let before = lines[..of_atoms[0]].iter().rposition(|line| is_cell(line));
    if let Some(index) = before.or_else(|| lines.iter().position(|line| is_cell(line))) {
        let cell = cell(lines[index])
            .map_err(|problem| Error::damaged_configuration(file, index + 1, problem))?;
        beads.bounds = records::bounds(cell, &mut warnings);
    }
    beads.bonds = bonds(&lines, &of_atoms, file)?;
    beads.warnings = warnings;
    Ok(beads)
}

/// Lengths and angles of a CRYST1 record.
fn cell(line: &str) -> Result<[f64; 6], String> {
    let mut cell = [0.0; 6];
    for (value, (first, last)) in
        cell.iter_mut().zip([(7, 15), (16, 24), (25, 33), (34, 40), (41, 47), (48, 54)])
    {
        let text = columns(line, first, last).trim();
        *value = plain_decimal(text).ok_or_else(|| {
            format!("columns {first}–{last} of CRYST1 read \"{text}\", which is not a number")
        })?;
    }
    Ok(cell)
}

/// The bonds of CONECT records, each once: the smaller index first, in the order of the file.
fn bonds(lines: &[&str], of_atoms: &[usize], file: &str) -> Result<Vec<([usize; 2], u32)>, Error> {
    let is_bond = |line: &str| line.starts_with("CONECT");
    if !lines.iter().any(|line| is_bond(line)) {
        return Ok(Vec::new());
    }
    // Where a serial number is there twice, the second bead stands beside the first.
    let mut serials: HashMap<i32, (usize, Option<usize>)> = HashMap::new();
    for (bead, index) in of_atoms.iter().enumerate() {
        if let Some(serial) = serial_number(columns(lines[*index], 7, 11)) {
            serials.entry(serial).and_modify(|beads| beads.1 = Some(bead)).or_insert((bead, None));
        }
    }
    let bead = |text: &str| {
        let serial = serial_number(text)
            .ok_or_else(|| format!("CONECT has \"{text}\", which is no serial number"))?;
        match serials.get(&serial) {
            Some((bead, None)) => Ok(*bead),
            Some((one, Some(other))) => Err(format!(
                "CONECT names the atom {serial}, which both bead {} and bead {} are; number the atoms anew",
                one, other
            )),
            None => Err(format!("CONECT names the atom {serial}, which is not there")),
        }
    };
    let mut bonds = Vec::new();
    let mut seen = HashSet::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_bond(line)) {
        let mut read = || {
            let first = bead(columns(line, 7, 11))?;
            for column in [12, 17, 22, 27] {
                let text = columns(line, column, column + 4);
                if text.trim().is_empty() {
                    continue;
                }
                let second = bead(text)?;
                if first == second {
                    return Err(format!("CONECT joins the atom {} with itself", text.trim()));
                }
                let bond = [first.min(second), first.max(second)];
                if seen.insert(bond) {
                    bonds.push((bond, 1));
                }
            }
            Ok(())
        };
        read().map_err(|problem| Error::damaged_configuration(file, index + 1, problem))?;
    }
    Ok(bonds)
}
