//! mmCIF files as beads: each row of `_atom_site` of a model, and `_cell`.

use super::{Configuration, choose_frame, records};
use crate::error::Error;
use crate::mmcif::{Sites, known, line};
use crate::mmcif_table::{Table, read};
use crate::number::cif_number;

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    let [atom_site, cell] = read(text, file, ["_atom_site", "_cell"])?;
    let Some(atom_site) = atom_site else {
        let hint = " that this crate can use (an mmCIF file without atoms)";
        return Err(Error::not_a_structure(file, hint));
    };
    let sites = Sites::new(&atom_site, file)?;
    let models = sites.models()?;
    if models.is_empty() {
        let problem = "the table _atom_site has no rows";
        return Err(Error::damaged_mmcif(file, atom_site.line, problem));
    }
    let frame = choose_frame(models.len(), frame, file)?;
    let model = models[frame];
    let (lines, atoms): (Vec<_>, Vec<_>) = sites.all(model)?.into_iter().unzip();
    let mut beads = records::configuration(&atoms, |atom| lines[atom], file)?;
    (beads.frame, beads.frames) = (frame, models.len());
    let cell = cell.map(|table| self::cell(&table, file)).transpose()?.flatten();
    beads.bounds = cell.and_then(|cell| records::bounds(cell, &mut beads.warnings));
    Ok(beads)
}

/// Lengths and angles of the unit cell; `None` where the file leaves them open.
fn cell(table: &Table<'_>, file: &str) -> Result<Option<[f64; 6]>, Error> {
    let Some(row) = table.rows().next() else { return Ok(None) };
    let names = ["length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma"];
    let mut cell = [0.0; 6];
    for (value, name) in cell.iter_mut().zip(names) {
        let Some(text) = known(row, table.column(name)) else { return Ok(None) };
        *value = cif_number(text).ok_or_else(|| {
            let problem = format!("_cell.{name} reads \"{text}\", which is not a number");
            Error::damaged_configuration(file, line(row), problem)
        })?;
    }
    Ok(Some(cell))
}
