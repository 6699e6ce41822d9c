//! The rows of all members in one Parquet file.

use std::path::Path;

use beadwork_analysis::table::{self, Table};
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_model::Units;
use beadwork_model::observables::Unit;
use beadwork_parquet::{Cells, Column, Kind};

use crate::Error;
use crate::begun_members::begun;
use crate::tables::measured_columns;

/// [`crate::tables::write_parquet`].
pub fn write(folders: &[RunFolder], request: &Request, path: &Path) -> Result<(), Error> {
    let settings = &request.points[0].settings;
    let own = own_columns(request);
    let replica = Column { name: "replica".to_string(), kind: Kind::Integer };
    let swept = settings.iter().map(|(path, _)| Column { name: path.clone(), kind: Kind::Text });
    let head: Vec<Column> =
        std::iter::once(replica).chain(swept).chain(own.iter().cloned()).collect();
    let begun = begun(folders, request)?;
    let mut members = begun.into_iter();
    beadwork_parquet::write(path, &head, || {
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

/// The columns that at least one member's table has.
fn own_columns(request: &Request) -> Vec<Column> {
    let column = |name: &str, kind| Column { name: name.to_string(), kind };
    let units = request.points.first().map_or(Units::Real, |point| point.system.units);
    let head = [
        column("step", Kind::Integer),
        column(units.time_column(), Kind::Number),
        column("stage", Kind::Text),
    ];
    let measured = measured_columns(request).into_iter().map(|measured| {
        let kind = match measured.quantity().unit() {
            Unit::Count => Kind::Integer,
            _ => Kind::Number,
        };
        column(&measured.column_in(units), kind)
    });
    head.into_iter().chain(measured).collect()
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
