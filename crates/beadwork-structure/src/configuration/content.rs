//! What format a file has, from its content: for files whose names do not tell.

use super::gsd_chunks::MAGIC;
use crate::mmcif_table::is_mmcif;
use crate::number::decimal;
use crate::structure::as_text;

/// Lines of a file that are looked at: headers and comments of files by hand are rarely longer.
const LOOKED_AT: usize = 1_000;

/// A format whose files can be told by their content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Gsd,
    Mmcif,
    Pdb,
    LammpsData,
    /// A dump, which LAMMPS writes and beadwork does not read.
    LammpsDump,
    /// Commands of LAMMPS.
    LammpsScript,
    Xyz,
    Csv,
}

/// The format of a file; `None` if its content tells none.
pub(super) fn content(bytes: &[u8]) -> Option<Content> {
    if bytes.starts_with(&MAGIC.to_le_bytes()) {
        return Some(Content::Gsd);
    }
    if bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
        return None;
    }
    let text = as_text(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = text.lines().take(LOOKED_AT).collect();
    let begins =
        |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.starts_with(word)));
    if is_lammps_data(&lines) {
        return Some(Content::LammpsData);
    }
    if is_mmcif(text) {
        return Some(Content::Mmcif);
    }
    if begins(&["ATOM  ", "HETATM", "CRYST1"]) {
        return Some(Content::Pdb);
    }
    if let Some(other) = other_of_lammps(text) {
        return Some(other);
    }
    if is_xyz(&lines) {
        return Some(Content::Xyz);
    }
    let header = lines.iter().find(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    let columns: Vec<String> =
        header.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    let has = |name: &&str| columns.iter().any(|column| column == name);
    ["x", "y", "z"].iter().all(has).then_some(Content::Csv)
}

/// A header with a number of atoms, and behind it a section or the faces of a box.
fn is_lammps_data(lines: &[&str]) -> bool {
    // The first line is a title.
    let mut words = lines.iter().skip(1).map(|line| {
        let content = line.split('#').next().unwrap_or_default();
        content.split_ascii_whitespace().collect::<Vec<_>>()
    });
    let is_count =
        |words: &Vec<&str>| matches!(words[..], [count, "atoms"] if count.parse::<u64>().is_ok());
    words.any(|line| is_count(&line))
        && words.any(|line| {
            matches!(line[..], ["Atoms" | "Masses"] | [_, _, "xlo", "xhi"] | [_, "atom", "types"])
        })
}

/// Files of LAMMPS that are no data files, and no format that is read: dumps, and scripts with at least three commands that
/// most scripts have.
pub(super) fn other_of_lammps(text: &str) -> Option<Content> {
    const COMMANDS: [&str; 8] = [
        "units",
        "atom_style",
        "read_data",
        "pair_style",
        "pair_coeff",
        "bond_style",
        "fix",
        "run",
    ];
    let lines = text.lines().take(LOOKED_AT);
    if lines.clone().any(|line| line.starts_with("ITEM: TIMESTEP")) {
        return Some(Content::LammpsDump);
    }
    let first = lines.filter_map(|line| line.split_ascii_whitespace().next());
    let mut found: Vec<&str> = first.filter(|word| COMMANDS.contains(word)).collect();
    found.sort_unstable();
    found.dedup();
    (found.len() >= 3).then_some(Content::LammpsScript)
}

/// A number of beads, a comment, and a row with a type and a position.
fn is_xyz(lines: &[&str]) -> bool {
    let Some(first) = lines.iter().position(|line| !line.trim().is_empty()) else { return false };
    let row = lines.get(first + 2).map(|row| row.split_ascii_whitespace().collect::<Vec<_>>());
    let is_row = row.is_some_and(|row| {
        matches!(row[..], [_, x, y, z, ..] if [x, y, z].iter().all(|at| decimal(at).is_some()))
    });
    is_row && lines[first].trim().parse::<u64>().is_ok_and(|count| count > 0)
}
