//! The tables of a run: which members have one, and a copy of all rows in one Parquet file.

use std::path::Path;

use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_model::observables::{MeasuredColumn, Observable, PullColumn};

pub use crate::begun_members::{MemberFolder, begun, begun_and_ended};

use crate::Error;

/// Whether this program can write Parquet files.
pub const PARQUET: bool = cfg!(feature = "parquet");

/// The measured columns that at least one member's table has, in the order of tables.
pub fn measured_columns(request: &Request) -> Vec<MeasuredColumn> {
    let of_a_point = |observable: &Observable| {
        request.points.iter().any(|point| point.protocol.measures(*observable, &point.system))
    };
    let stages = request.points.iter().flat_map(|point| &point.protocol.stages);
    let pulls = PullColumn::of_externals(stages.flat_map(|stage| &stage.externals));
    let whole = Observable::ALL.into_iter().filter(of_a_point).map(MeasuredColumn::Whole);
    whole.chain(pulls.into_iter().map(MeasuredColumn::OfPull)).collect()
}

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
