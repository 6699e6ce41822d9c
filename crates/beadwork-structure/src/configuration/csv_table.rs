//! CSV files of beads: a header names the columns, `#` begins a comment.

use csv::StringRecord;

use super::column_names::{Property, axis_of, is_name_of};
use super::fields::not;
use super::types::Types;
use super::{Configuration, choose_frame};
use crate::error::Error;
use crate::label::Name;
use crate::number::decimal;

/// The columns that messages name; the first three a file must have.
const COLUMNS: [&str; 12] =
    ["x", "y", "z", "type", "label", "molecule", "mass", "charge", "vx", "vy", "vz", "frame"];

/// The type of beads where the file has no column of types.
const ONLY_TYPE: &str = "A";

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    let damaged = |offset: u64, problem: String| {
        Error::damaged_configuration(file, line_at(text, offset), problem)
    };
    let broken = |error: &csv::Error| {
        let problem = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("there are {len} values for {expected_len} columns")
            }
            _ => error.to_string(),
        };
        damaged(error.position().map_or(0, csv::Position::byte), problem)
    };
    let delimiter = delimiter(text);
    let reader = || {
        let mut builder = csv::ReaderBuilder::new();
        builder.comment(Some(b'#')).delimiter(delimiter).from_reader(text.as_bytes())
    };
    let mut table = reader();
    let header = table.headers().map_err(|error| broken(&error))?;
    let mut warnings = Vec::new();
    let columns = Columns::find(header, &mut warnings).map_err(|problem| damaged(0, problem))?;
    let (frame, frames) = match columns.frame {
        None => (choose_frame(1, frame, file)?, 0),
        Some(column) => {
            let frames = count_frames(reader(), column).map_err(|error| broken(&error))?;
            (choose_frame(frames.max(1), frame, file)?, frames)
        }
    };
    let mut types = Types::default();
    let mut beads = columns.empty(file);
    let mut names = Vec::new();
    let mut record = StringRecord::new();
    let mut counted = FrameCounter::default();
    while table.read_record(&mut record).map_err(|error| broken(&error))? {
        if columns.frame.is_some_and(|column| counted.place(&record, column) != frame) {
            continue;
        }
        columns.read_bead(&record, &mut types, &mut beads, &mut names).map_err(|problem| {
            damaged(record.position().map_or(0, csv::Position::byte), problem)
        })?;
    }
    if beads.positions.is_empty() {
        return Err(damaged(0, "the file has a header but no beads".to_owned()));
    }
    if columns.kind.is_none() && names.iter().any(|name| *name != names[0]) {
        warnings.push(format!(
            "all beads are of type {ONLY_TYPE}, because no column has the types; the names of beads serve selections alone. Call a column `type` if it has them"
        ));
    }
    beads.type_names = types.names;
    beads.masses = types.masses;
    beads.warnings = warnings;
    (beads.frame, beads.frames) = (frame, frames);
    beads.label_by_type();
    for (label, name) in beads.labels.iter_mut().zip(names) {
        label.name = name;
    }
    Ok(beads)
}

/// Commas, unless the header has none and semicolons or tabs in their place.
fn delimiter(text: &str) -> u8 {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let header = text.lines().find(is_content).unwrap_or_default();
    match () {
        () if header.contains(',') => b',',
        () if header.contains(';') => b';',
        () if header.contains('\t') => b'\t',
        () => b',',
    }
}

/// Numbers the frames of a file: rows that follow each other with one value of a column.
#[derive(Default)]
struct FrameCounter {
    frames: usize,
    last: Option<String>,
}

impl FrameCounter {
    /// The frame of a row, counted from 0.
    fn place(&mut self, record: &StringRecord, column: usize) -> usize {
        let value = record.get(column).unwrap_or("").trim();
        if self.last.as_deref() != Some(value) {
            self.last = Some(value.to_owned());
            self.frames += 1;
        }
        self.frames - 1
    }
}

fn count_frames(mut table: csv::Reader<&[u8]>, column: usize) -> Result<usize, csv::Error> {
    let mut counted = FrameCounter::default();
    let mut record = StringRecord::new();
    while table.read_record(&mut record)? {
        counted.place(&record, column);
    }
    Ok(counted.frames)
}

/// The line, from 1, of the first record at or after a byte.
fn line_at(text: &str, offset: u64) -> usize {
    let offset = usize::try_from(offset).map_or(text.len(), |offset| offset.min(text.len()));
    let (before, after) = text.as_bytes().split_at(offset);
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    let is_record = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    newlines + 1 + after.split(|byte| *byte == b'\n').position(|line| is_record(&line)).unwrap_or(0)
}

/// Where the columns stand.
struct Columns {
    position: [usize; 3],
    kind: Option<usize>,
    name: Option<usize>,
    molecule: Option<usize>,
    mass: Option<usize>,
    charge: Option<usize>,
    velocity: Option<[usize; 3]>,
    frame: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord, warnings: &mut Vec<String>) -> Result<Columns, String> {
        let header: Vec<&str> = header.iter().map(str::trim).collect();
        for (index, name) in header.iter().enumerate() {
            let is_same = |other: &&str| other.eq_ignore_ascii_case(name);
            if !name.is_empty() && header[..index].iter().any(is_same) {
                return Err(format!("the column \"{name}\" is there twice"));
            }
        }
        let one = |is_meant: &dyn Fn(&str) -> bool, what: &str| {
            let found: Vec<usize> =
                (0..header.len()).filter(|&column| is_meant(header[column])).collect();
            match found[..] {
                [] => Ok(None),
                [column] => Ok(Some(column)),
                [one, other, ..] => Err(format!(
                    "the columns \"{}\" and \"{}\" may both have {what}; keep one of them, or rename the other",
                    header[one], header[other]
                )),
            }
        };
        let of =
            |property: Property, what: &str| one(&|name: &str| is_name_of(property, name), what);
        let all = |property: Property, names: [&str; 3]| {
            let component = |axis: usize| {
                let is_meant = |name: &str| axis_of(property, name) == Some(axis);
                one(&is_meant, &format!("{} of a bead", names[axis]))
            };
            match (component(0)?, component(1)?, component(2)?) {
                (Some(x), Some(y), Some(z)) => Ok(Some([x, y, z])),
                (None, None, None) => Ok(None),
                _ => Err(format!("of the columns {} some are missing", names.join(", "))),
            }
        };
        let position = all(Property::Position, ["x", "y", "z"])?.ok_or_else(|| {
            format!(
                "the columns x, y, z are missing; the first line names the columns, which reads \"{}\"",
                header.join(",")
            )
        })?;
        let columns = Columns {
            position,
            kind: of(Property::Type, "types")?,
            name: of(Property::Label, "names")?,
            molecule: of(Property::Molecule, "molecules")?,
            mass: of(Property::Mass, "masses")?,
            charge: of(Property::Charge, "charges")?,
            velocity: all(Property::Velocity, ["vx", "vy", "vz"])?,
            frame: of(Property::Frame, "frames")?,
        };
        columns.name_what_is_left_out(&header, warnings);
        Ok(columns)
    }

    fn name_what_is_left_out(&self, header: &[&str], warnings: &mut Vec<String>) {
        let single = [self.kind, self.name, self.molecule, self.mass, self.charge, self.frame];
        let vectors = self.velocity.iter().chain([&self.position]).flatten().copied();
        let read: Vec<usize> = single.into_iter().flatten().chain(vectors).collect();
        // Tables of pandas begin with a column without a name, which counts rows.
        let is_left_out = |column: &usize| !read.contains(column) && !header[*column].is_empty();
        let left_out: Vec<&str> =
            (0..header.len()).filter(is_left_out).map(|column| header[column]).collect();
        if !left_out.is_empty() {
            warnings.push(format!(
                "the columns {} are not read; known are {}",
                left_out.join(", "),
                COLUMNS.join(", ")
            ));
        }
    }

    fn empty(&self, file: &str) -> Configuration {
        Configuration {
            source: file.to_owned(),
            velocities: self.velocity.map(|_| Vec::new()),
            charges: self.charge.map(|_| Vec::new()),
            molecules: self.molecule.map(|_| Vec::new()),
            ..Configuration::default()
        }
    }

    fn read_bead(
        &self,
        record: &StringRecord,
        types: &mut Types,
        beads: &mut Configuration,
        names: &mut Vec<Name>,
    ) -> Result<(), String> {
        let text = |column: usize| record.get(column).unwrap_or("").trim();
        let number = |column: usize, what: &str| {
            decimal(text(column)).ok_or_else(|| not(text(column), column, what, "a number"))
        };
        let vector = |columns: [usize; 3], [x, y, z]: [&str; 3]| {
            Ok::<_, String>([
                number(columns[0], x)?,
                number(columns[1], y)?,
                number(columns[2], z)?,
            ])
        };
        let kind = self.kind.map_or(ONLY_TYPE, text);
        if kind.is_empty() {
            return Err("the type is empty".to_owned());
        }
        let kind = types.number(kind)?;
        if let Some(column) = self.mass {
            types.set_mass(kind, number(column, "mass")?, beads.positions.len())?;
        }
        beads.types.push(kind);
        beads.positions.push(vector(self.position, ["x", "y", "z"])?);
        if let Some((columns, velocities)) = self.velocity.zip(beads.velocities.as_mut()) {
            velocities.push(vector(columns, ["vx", "vy", "vz"])?);
        }
        if let Some((column, charges)) = self.charge.zip(beads.charges.as_mut()) {
            charges.push(number(column, "charge")?);
        }
        if let Some((column, molecules)) = self.molecule.zip(beads.molecules.as_mut()) {
            let expected = || not(text(column), column, "molecule", "a whole number from 0");
            molecules.push(whole(text(column)).ok_or_else(expected)?);
        }
        if let Some(column) = self.name {
            names.push(Name::from(text(column)));
        }
        Ok(())
    }
}

/// A whole number, also as `3.0`: tables with gaps have all their numbers so.
fn whole(text: &str) -> Option<u32> {
    let text = text.split_once('.').map_or(text, |(whole, rest)| {
        let is_zero = !rest.is_empty() && rest.bytes().all(|digit| digit == b'0');
        if is_zero { whole } else { text }
    });
    text.parse().ok()
}
