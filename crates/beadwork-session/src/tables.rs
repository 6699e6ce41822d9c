//! The rows of all members in one Parquet file: a copy of the tables, written when the run has finished.

use std::path::Path;

use beadwork_analysis::table::{self, Table};
use beadwork_engine::CheckpointSet;
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_io::columns::{self, Cells, Column, Kind};
use beadwork_model::Units;
use beadwork_model::observables::{Observable, Unit};

use crate::Error;
use crate::members_list::{self, Listed};
use crate::part::Part;
use crate::session::plan;

/// Whether this program can write Parquet files.
pub const PARQUET: bool = columns::AVAILABLE;

/// Writes the rows of all members of a run or of its parts: the number of the replica, the values of the sweep as the input
/// writes them, then the columns of the tables. An empty cell becomes null.
///
/// # Errors
/// A program without Parquet, a damaged table, a file that cannot be written.
pub fn write_parquet(folders: &[RunFolder], request: &Request, path: &Path) -> Result<(), Error> {
    let settings = &request.points[0].settings;
    let own = own_columns(request);
    let replica = Column { name: "replica".to_string(), kind: Kind::Integer };
    let swept = settings.iter().map(|(path, _)| Column { name: path.clone(), kind: Kind::Text });
    let head: Vec<Column> =
        std::iter::once(replica).chain(swept).chain(own.iter().cloned()).collect();
    let begun = begun(folders, request)?;
    let mut members = begun.into_iter();
    columns::write(path, &head, || {
        let Some((folder, place, number)) = members.next() else { return Ok(None) };
        let table = table::read_csv(folder.table(place))?;
        let rows = table.rows();
        let mut cells = vec![Cells::Integers(vec![Some(number as i64); rows])];
        let (point, _) = request.member(number);
        for (_, value) in &point.settings {
            cells.push(Cells::Texts(vec![Some(value.clone()); rows]));
        }
        for column in &own {
            cells.push(cells_of(&table, column)?);
        }
        Ok::<_, Error>(Some(cells))
    })
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

/// The columns that at least one member's table has.
fn own_columns(request: &Request) -> Vec<Column> {
    let of_a_point = |observable: &Observable| {
        request.points.iter().any(|point| point.protocol.measures(*observable, &point.system))
    };
    let column = |name: &str, kind| Column { name: name.to_string(), kind };
    let units = request.points.first().map_or(Units::Real, |point| point.system.units);
    let head = [
        column("step", Kind::Integer),
        column(units.time_column(), Kind::Number),
        column("stage", Kind::Text),
    ];
    let observables = Observable::ALL.into_iter().filter(of_a_point).map(|observable| {
        let kind = match observable.unit() {
            Unit::Count => Kind::Integer,
            _ => Kind::Number,
        };
        column(observable.column_in(units), kind)
    });
    head.into_iter().chain(observables).collect()
}

/// The cells of a member's column; nulls if its table lacks the column.
fn cells_of(table: &Table, column: &Column) -> Result<Cells, Error> {
    let name = column.name.as_str();
    let rows = table.rows();
    let numbers = || match table.has(name) {
        true => table.numbers(name),
        false => Ok(vec![f64::NAN; rows]),
    };
    let known = |number: &f64| number.is_finite();
    Ok(match column.kind {
        // Tables are read as f64, in which counts of at most 2^48 steps are exact.
        Kind::Integer => {
            let integer = |number: f64| known(&number).then_some(number as i64);
            Cells::Integers(numbers()?.into_iter().map(integer).collect())
        }
        Kind::Number => Cells::Numbers(
            numbers()?.into_iter().map(|number| Some(number).filter(known)).collect(),
        ),
        Kind::Text => {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_string());
            Cells::Texts(table.texts(name)?.into_iter().map(text).collect())
        }
    })
}
