//! Writes Parquet files (format of the Apache Parquet project, version 1 pages).

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Stored};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use beadwork_io::{Error, atomic};

use crate::{Cells, Column, Kind};

/// Rows that are kept in memory and stored together. Readers load one group at a time; the authors
/// of the format advise some 10⁵ rows for tables of this width.
const ROWS_IN_GROUP: usize = 1 << 17;

/// Writes a Parquet file atomically: a kill leaves the old file or none.
///
/// `next` returns some rows at a time, as one [`Cells`] for each column, all of one length; at the end, `None`.
///
/// # Errors
/// Those of `next`, columns of other lengths or kinds, a file that cannot be written.
pub fn write<E: From<Error>>(
    path: &Path,
    columns: &[Column],
    mut next: impl FnMut() -> Result<Option<Vec<Cells>>, E>,
) -> Result<(), E> {
    let fault = |error| Error::write(path)(system_error(error));
    atomic::write_with(path, |file| {
        let schema = schema(columns).map_err(fault)?;
        let mut writer =
            SerializedFileWriter::new(file, schema, properties(columns)).map_err(fault)?;
        let empty = || columns.iter().map(|column| Cells::new(column.kind)).collect::<Vec<_>>();
        let mut group = empty();
        let held = |group: &[Cells]| group.first().map_or(0, Cells::len);
        let mut groups = 0;
        while let Some(rows) = next()? {
            append(path, &mut group, rows)?;
            if held(&group) >= ROWS_IN_GROUP {
                write_group(&mut writer, &group).map_err(fault)?;
                (group, groups) = (empty(), groups + 1);
            }
        }
        // A table without rows also gets a group, since readers expect at least one.
        if held(&group) > 0 || groups == 0 {
            write_group(&mut writer, &group).map_err(fault)?;
        }
        writer.close().map_err(fault)?;
        Ok(())
    })
}

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (stored, meaning) = match column.kind {
            Kind::Integer => (Stored::INT64, None),
            Kind::Number => (Stored::DOUBLE, None),
            Kind::Text => (Stored::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(&column.name, stored)
            .with_logical_type(meaning)
            .with_repetition(Repetition::OPTIONAL)
            .build()
            .map(Arc::new)
    });
    let fields: Vec<TypePtr> = fields.collect::<Result<_, _>>()?;
    Type::group_type_builder("table").with_fields(fields).build().map(Arc::new)
}

/// Numbers rarely repeat, so a dictionary would only cost time. Their bytes are split by position
/// instead: the exponents do repeat, and the compression finds them.
fn properties(columns: &[Column]) -> WriterPropertiesPtr {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("beadwork".to_string());
    for column in columns.iter().filter(|column| column.kind == Kind::Number) {
        // A path of one part, so that a dot in a name does not split it.
        let path = ColumnPath::new(vec![column.name.clone()]);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
    }
    Arc::new(properties.build())
}

fn append(path: &Path, group: &mut [Cells], rows: Vec<Cells>) -> Result<(), Error> {
    let columns = group.len();
    let length = rows.first().map_or(0, Cells::len);
    if rows.len() != columns {
        return Err(Error::table_columns(path, columns, rows.len()));
    }
    if let Some(place) = rows.iter().position(|cells| cells.len() != length) {
        return Err(Error::table_columns(path, columns, place));
    }
    for (place, (held, cells)) in group.iter_mut().zip(rows).enumerate() {
        match (held, cells) {
            (Cells::Integers(held), Cells::Integers(cells)) => held.extend(cells),
            (Cells::Numbers(held), Cells::Numbers(cells)) => held.extend(cells),
            (Cells::Texts(held), Cells::Texts(cells)) => held.extend(cells),
            _ => return Err(Error::table_columns(path, place + 1, place)),
        }
    }
    Ok(())
}

fn write_group(
    writer: &mut SerializedFileWriter<&mut File>,
    group: &[Cells],
) -> Result<(), ParquetError> {
    let mut rows = writer.next_row_group()?;
    for cells in group {
        match cells {
            Cells::Integers(cells) => write_column::<Int64Type, _>(&mut rows, cells, |cell| *cell)?,
            Cells::Numbers(cells) => write_column::<DoubleType, _>(&mut rows, cells, |cell| *cell)?,
            Cells::Texts(cells) => write_column::<ByteArrayType, _>(&mut rows, cells, |cell| {
                ByteArray::from(cell.as_str())
            })?,
        }
    }
    rows.close()?;
    Ok(())
}

/// Writes the present values, and for each cell whether its value is present.
fn write_column<T: DataType, C>(
    rows: &mut SerializedRowGroupWriter<'_, &mut File>,
    cells: &[Option<C>],
    stored: impl Fn(&C) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = cells.iter().flatten().map(stored).collect();
    let present: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let Some(mut column) = rows.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".to_string()));
    };
    column.typed::<T>().write_batch(&values, Some(&present), None)?;
    column.close()
}

/// The error of the operating system if one stopped the writer, otherwise the writer's own error.
fn system_error(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_faults() {
        // This device is always full; the writer must report its error.
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let columns = [Column { name: "step".to_string(), kind: Kind::Integer }];
        let schema = schema(&columns).unwrap();
        let writer = SerializedFileWriter::new(&mut full, schema, properties(&columns)).unwrap();
        let error =
            Error::write(Path::new("tables.parquet"))(system_error(writer.close().unwrap_err()));
        assert_eq!(error.code(), "io/disk-full");
        let other = system_error(ParquetError::General("no".to_string()));
        assert!(other.to_string().contains("no") && other.kind() == std::io::ErrorKind::Other);
    }
}
