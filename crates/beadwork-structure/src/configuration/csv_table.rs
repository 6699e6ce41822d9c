//! CSV files of beads: a header names the columns, `#` begins a comment.

use csv::StringRecord;

use super::fields::not;
use super::types::Types;
use super::{Configuration, choose_frame};
use crate::error::Error;
use crate::label::Name;
use crate::number::decimal;

/// Columns that a file may have; the first three it must have.
const COLUMNS: [&str; 12] =
    ["x", "y", "z", "type", "label", "name", "molecule", "mass", "charge", "vx", "vy", "vz"];

/// The type of beads where the file has no column of types.
const ONLY_TYPE: &str = "A";

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    choose_frame(1, frame, file)?;
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
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| broken(&error))?;
    let columns = Columns::find(header).map_err(|problem| damaged(0, problem))?;
    let mut types = Types::default();
    let mut beads = columns.empty(file);
    let mut names = Vec::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| broken(&error))? {
        columns.read_bead(&record, &mut types, &mut beads, &mut names).map_err(|problem| {
            damaged(record.position().map_or(0, csv::Position::byte), problem)
        })?;
    }
    if beads.positions.is_empty() {
        return Err(damaged(0, "the file has a header but no beads".to_owned()));
    }
    beads.type_names = types.names;
    beads.masses = types.masses;
    beads.label_by_type();
    for (label, name) in beads.labels.iter_mut().zip(names) {
        label.name = name;
    }
    Ok(beads)
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
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Columns, String> {
        let header: Vec<String> =
            header.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        for (index, name) in header.iter().enumerate() {
            if !COLUMNS.contains(&&**name) {
                return Err(format!(
                    "unknown column \"{name}\"; the first line names the columns, which may be {}",
                    COLUMNS.join(", ")
                ));
            }
            if header[..index].contains(name) {
                return Err(format!("the column \"{name}\" is there twice"));
            }
        }
        let at = |name: &str| header.iter().position(|column| column == name);
        let all = |names: [&str; 3]| {
            let [x, y, z] = names.map(at);
            match (x, y, z) {
                (Some(x), Some(y), Some(z)) => Ok(Some([x, y, z])),
                (None, None, None) => Ok(None),
                _ => Err(format!("of the columns {} some are missing", names.join(", "))),
            }
        };
        let position = all(["x", "y", "z"])?
            .ok_or("the columns x, y, z are missing; the first line names the columns")?;
        let (label, name) = (at("label"), at("name"));
        if label.and(name).is_some() {
            return Err("the columns label and name mean the same; keep one of them".to_owned());
        }
        Ok(Columns {
            position,
            kind: at("type"),
            name: label.or(name),
            molecule: at("molecule"),
            mass: at("mass"),
            charge: at("charge"),
            velocity: all(["vx", "vy", "vz"])?,
        })
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
            let parsed = text(column).parse();
            molecules.push(
                parsed
                    .map_err(|_| not(text(column), column, "molecule", "a whole number from 0"))?,
            );
        }
        if let Some(column) = self.name {
            names.push(Name::from(text(column)));
        }
        Ok(())
    }
}
