//! The tables of a run: which members have one, and a copy of all rows in one Parquet file.

use std::path::Path;

use beadwork_engine::CheckpointSet;
use beadwork_input::Request;
use beadwork_io::RunFolder;

use crate::Error;
use crate::members_list::{self, Listed};
use crate::part::Part;
use crate::session::plan;

/// Whether this program can write Parquet files.
pub const PARQUET: bool = cfg!(feature = "parquet");

/// Writes the rows of all members of a run or of its parts: the number of the replica, the values of the sweep as the input
/// writes them, then the columns of the tables. An empty cell becomes null.
///
/// # Errors
/// A program without Parquet, a damaged table, a file that cannot be written.
pub fn write_parquet(folders: &[RunFolder], request: &Request, path: &Path) -> Result<(), Error> {
    #[cfg(feature = "parquet")]
    return crate::parquet::write(folders, request, path);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = (folders, request, path);
        Err(beadwork_io::Error::NoParquet.into())
    }
}

/// A member by its folder, its index there and its number.
pub type MemberFolder<'a> = (&'a RunFolder, usize, u64);

/// The members that have begun: those with a table or a checkpoint, and those that `members.csv` names as begun.
///
/// # Errors
/// A table that is shorter than at its checkpoint; a damaged `members.csv`.
pub fn begun<'a>(
    folders: &'a [RunFolder],
    request: &Request,
) -> Result<Vec<MemberFolder<'a>>, Error> {
    let mut begun = Vec::new();
    for folder in folders {
        let listed = members_list::read(folder)?;
        let lengths = lengths_at_checkpoints(folder, request)?;
        for (place, number) in folder.members().enumerate() {
            let path = folder.table(place);
            let is_listed = listed.get(place).is_some_and(|one| *one != Listed::NotBegun);
            let found = std::fs::metadata(&path).map(|table| table.len());
            if let (Some(expected), Ok(found)) = (lengths[place], &found)
                && *found < expected
            {
                return Err(beadwork_io::Error::TooShort { path, expected, found: *found }.into());
            }
            if is_listed
                || lengths[place].is_some()
                || folder.checkpoint(place).exists()
                || found.is_ok()
            {
                begun.push((folder, place, number as u64));
            }
        }
    }
    Ok(begun)
}

/// The length of each member's table at its checkpoint, in bytes; `None` without a readable checkpoint, which other
/// functions report.
fn lengths_at_checkpoints(
    folder: &RunFolder,
    request: &Request,
) -> Result<Vec<Option<u64>>, Error> {
    let plan = plan(request, &Part::of(folder, request)?);
    let groups = plan.checkpoint_groups().into_iter();
    let lengths = groups.flat_map(|members| match CheckpointSet::read(folder, &plan, &members) {
        Ok(set) => set.members.into_iter().map(|one| one.map(|one| one.record.table)).collect(),
        Err(_) => vec![None; members.len()],
    });
    Ok(lengths.collect())
}
