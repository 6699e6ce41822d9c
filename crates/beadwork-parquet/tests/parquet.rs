//! A Parquet file gives back every cell of the table of columns that was written to it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::fs::{self, File};
use std::path::Path;

use beadwork_io::Error;
use beadwork_parquet::parquet::file::reader::{FileReader, SerializedFileReader};
use beadwork_parquet::parquet::record::Field;
use beadwork_parquet::{Cells, Column, Kind};

fn head() -> Vec<Column> {
    let kinds =
        [("replica", Kind::Integer), ("pull.speed", Kind::Text), ("force_pN", Kind::Number)];
    kinds.map(|(name, kind)| Column { name: name.to_string(), kind }).to_vec()
}

/// Rows `from..to` of a table in which every third force is missing.
fn rows(from: i64, to: i64) -> Vec<Cells> {
    vec![
        Cells::Integers((from..to).map(Some).collect()),
        Cells::Texts((from..to).map(|row| Some(format!("{} µm/s", row % 2))).collect()),
        Cells::Numbers((from..to).map(|row| (row % 3 != 0).then_some(row as f64 / 7.0)).collect()),
    ]
}

fn write(path: &Path, portions: Vec<Vec<Cells>>) -> Result<(), Error> {
    let mut portions = portions.into_iter();
    beadwork_parquet::write(path, &head(), || Ok(portions.next()))
}

fn read(path: &Path) -> (Vec<String>, Vec<Vec<Field>>, usize) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr().clone();
    let names = schema.columns().iter().map(|column| column.name().to_string()).collect();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect::<Vec<_>>()
    });
    (names, rows.collect(), reader.num_row_groups())
}

#[test]
fn cells_come_back_and_missing_ones_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables.parquet");
    write(&path, vec![rows(0, 4), rows(4, 4), rows(4, 10)]).unwrap();
    let (names, found, groups) = read(&path);
    assert_eq!(names, ["replica", "pull.speed", "force_pN"]);
    assert_eq!((found.len(), groups), (10, 1));
    for (row, fields) in found.iter().enumerate() {
        assert_eq!(fields[0], Field::Long(row as i64));
        assert_eq!(fields[1], Field::Str(format!("{} µm/s", row % 2)));
        let force = if row % 3 == 0 { Field::Null } else { Field::Double(row as f64 / 7.0) };
        assert_eq!(fields[2], force);
    }
    // Writing the same rows again gives the same bytes and leaves no other file in the folder.
    let bytes = fs::read(&path).unwrap();
    write(&path, vec![rows(0, 10)]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn many_rows_are_in_several_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables.parquet");
    write(&path, (0..10).map(|part| rows(30_000 * part, 30_000 * (part + 1))).collect()).unwrap();
    let (_, found, groups) = read(&path);
    assert_eq!((found.len(), groups), (300_000, 2));
    assert!(found.iter().enumerate().all(|(row, fields)| fields[0] == Field::Long(row as i64)));
}

#[test]
fn a_table_without_rows_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables.parquet");
    write(&path, Vec::new()).unwrap();
    let (names, found, _) = read(&path);
    assert_eq!((names.len(), found.len()), (3, 0));
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables.parquet");
    write(&path, vec![rows(0, 3)]).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut short = rows(0, 3);
    short.pop();
    let mut ragged = rows(0, 3);
    ragged[1] = Cells::Texts(vec![None]);
    let mut other = rows(0, 3);
    other[2] = Cells::Texts(vec![None; 3]);
    for portion in [short, ragged, other] {
        let error = write(&path, vec![rows(3, 5), portion]).unwrap_err();
        assert_eq!(error.code(), "io/table-columns");
    }
    let stop = || Error::TooShort { path: path.clone(), expected: 1, found: 0 };
    let error = beadwork_parquet::write(&path, &head(), || Err::<Option<Vec<Cells>>, _>(stop()));
    assert_eq!(error.unwrap_err().code(), "io/short-output");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("nowhere/tables.parquet");
    assert_eq!(write(&nowhere, Vec::new()).unwrap_err().code(), "io/write");
}
