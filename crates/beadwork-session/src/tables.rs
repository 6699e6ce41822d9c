//! The tables of a run: which members have one, and a copy of all rows in one Parquet file.

use std::path::Path;

use beadwork_input::Request;
use beadwork_io::RunFolder;

pub use crate::begun_members::{MemberFolder, begun};

use crate::Error;

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
