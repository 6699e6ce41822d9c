//! Structures that are part of the program, so that an input can name one where no file is.

use crate::error::{Error, Location, UNREADABLE_FILE};

/// What the names of built-in structures begin with.
const PREFIX: &str = "built-in:";

/// C-alpha atoms of ubiquitin, wwPDB entry 1UBQ (CC0): a folded domain of 76 residues.
pub const UBIQUITIN: &str = include_str!("built_in/ubiquitin.pdb");

/// The files by their names behind `built-in:`. The shell is that of satellite panicum mosaic virus, wwPDB entry 5CVZ (CC0), whose
/// 60 operators make 8,460 residues.
const STRUCTURES: [(&str, &str); 2] =
    [("ubiquitin.pdb", UBIQUITIN), ("spmv.pdb", include_str!("built_in/spmv.pdb"))];

/// The name of a file without what marks it as built in.
pub(crate) fn name_of_file(written: &str) -> &str {
    written.strip_prefix(PREFIX).unwrap_or(written)
}

/// The contents of a built-in file; `None` if the name is that of another file.
///
/// # Errors
/// A name that begins like that of a built-in file and is none.
pub(crate) fn contents(written: &str, place: &Location) -> Result<Option<&'static str>, Error> {
    let Some(name) = written.strip_prefix(PREFIX) else { return Ok(None) };
    match STRUCTURES.iter().find(|(known, _)| *known == name) {
        Some((_, contents)) => Ok(Some(contents)),
        None => {
            let known = STRUCTURES.map(|(name, _)| format!("\"{PREFIX}{name}\""));
            let problem = format!(
                "there is no structure \"{written}\": built in are {}",
                known.join(" and ")
            );
            Err(place.error(UNREADABLE_FILE, problem))
        }
    }
}
