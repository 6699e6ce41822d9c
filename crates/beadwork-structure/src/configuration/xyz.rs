//! XYZ files, plain and extended.
//!
//! A frame is a line with the number of beads, a line of comment and a line for each bead: its type and its position.
//! In extended XYZ the comment has `key=value` pairs: `Lattice`, the three vectors of the box one after the other, and
//! `Properties`, the names, kinds and numbers of columns (<https://github.com/libAtoms/extxyz>).

use super::types::Types;
use super::{Bounds, Configuration, choose_frame, fields};
use crate::error::Error;
use crate::number::decimal;

const POSITION: [&str; 3] = ["x", "y", "z"];
const VELOCITY: [&str; 3] = ["velocity along x", "velocity along y", "velocity along z"];

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    let lines: Vec<&str> = text.lines().collect();
    let frames = frames(&lines, file)?;
    let Frame { comment, beads } = frames[choose_frame(frames.len(), frame, file)?];
    let damaged = |problem: String| Error::damaged_configuration(file, comment + 1, problem);
    let pairs = pairs(lines[comment]);
    let value = |key: &str| {
        pairs.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| *value)
    };
    let mut warnings = Vec::new();
    let layout = match value("Properties") {
        Some(properties) => Layout::new(properties, &mut warnings).map_err(damaged)?,
        None => Layout { species: 0, position: 1, columns: 4, ..Layout::default() },
    };
    let rows = &lines[comment + 1..comment + 1 + beads];
    let mut configuration = layout.read(rows, comment + 2, file)?;
    if value("Properties").is_none()
        && let Some(columns) = rows.iter().map(|row| row.split_ascii_whitespace().count()).max()
        && columns > layout.columns
    {
        let warning = "columns from the fifth on are not read, because the comment has no Properties that name them";
        warnings.push(warning.to_owned());
    }
    if let Some(lattice) = value("Lattice") {
        configuration.bounds = bounds(lattice, value("Origin"), value("pbc"), file, comment + 1)?;
    }
    configuration.warnings = warnings;
    configuration.label_by_type();
    Ok(configuration)
}

#[derive(Clone, Copy)]
struct Frame {
    /// The index of the line of comment.
    comment: usize,
    beads: usize,
}

fn frames(lines: &[&str], file: &str) -> Result<Vec<Frame>, Error> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        if line.trim().is_empty() {
            next += 1;
            continue;
        }
        let damaged = |problem: String| Error::damaged_configuration(file, next + 1, problem);
        let beads: usize = line.trim().parse().map_err(|_| {
            let before = frames.last().map_or(String::new(), |Frame { comment, beads }| {
                format!(". The frame before it begins at line {comment} with the number {beads}")
            });
            damaged(format!(
                "a number of beads begins each frame, but the line reads \"{}\"{before}",
                line.trim()
            ))
        })?;
        let present = lines.len().saturating_sub(next + 2);
        if beads == 0 {
            return Err(damaged("the frame has no beads".to_owned()));
        }
        if beads > present {
            return Err(damaged(format!(
                "the frame should have {beads} beads, but the number of lines behind its comment is {present}"
            )));
        }
        frames.push(Frame { comment: next + 1, beads });
        next += 2 + beads;
    }
    Ok(frames)
}

/// The pairs `key=value` of a comment; values with blanks stand in quotes or braces.
fn pairs(comment: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = comment;
    while let Some((before, after)) = rest.split_once('=') {
        let key = before.split_whitespace().last().unwrap_or("");
        let after = after.trim_start();
        let closing = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => Some(quote),
            Some('{') => Some('}'),
            _ => None,
        };
        let (value, left) = match closing {
            Some(closing) => after[1..].split_once(closing).unwrap_or((&after[1..], "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((key, value.trim()));
        rest = left;
    }
    pairs
}

/// In which columns, counted from 0, the properties of a bead begin.
#[derive(Default)]
struct Layout {
    species: usize,
    position: usize,
    velocity: Option<usize>,
    mass: Option<usize>,
    charge: Option<usize>,
    molecule: Option<usize>,
    /// Number of columns.
    columns: usize,
}

impl Layout {
    /// Understands `species:S:1:pos:R:3`: name, kind and number of columns of each property.
    fn new(properties: &str, warnings: &mut Vec<String>) -> Result<Layout, String> {
        let mut layout = Layout::default();
        let (mut species, mut position) = (None, None);
        let mut left_out = Vec::new();
        let words: Vec<&str> = properties.split(':').collect();
        for property in words.chunks(3) {
            let [name, kind @ ("S" | "R" | "I" | "L"), count] = property else {
                return Err(format!(
                    "Properties reads \"{properties}\"; it needs name, kind (S, R, I or L) and number of columns of each \
                     property, such as species:S:1:pos:R:3"
                ));
            };
            let count: usize = count.parse().ok().filter(|count| (1..1000).contains(count)).ok_or_else(
                || format!("the property {name} has \"{count}\" columns, which is not a number above zero"),
            )?;
            let (place, expected, allowed) = match *name {
                "species" | "type" => (&mut species, 1, "SI"),
                "pos" => (&mut position, 3, "RI"),
                "velo" | "vel" | "velocities" => (&mut layout.velocity, 3, "RI"),
                "mass" | "masses" => (&mut layout.mass, 1, "RI"),
                "charge" | "charges" | "initial_charges" => (&mut layout.charge, 1, "RI"),
                "molecule" => (&mut layout.molecule, 1, "I"),
                _ => {
                    left_out.push(*name);
                    layout.columns += count;
                    continue;
                }
            };
            if count != expected || !allowed.contains(kind) {
                return Err(format!(
                    "the property {name} has the kind {kind} and {count} columns; it needs the kind {} and {expected}",
                    &allowed[..1]
                ));
            }
            if place.replace(layout.columns).is_some() {
                return Err(format!("Properties has {name}, or another word for it, twice"));
            }
            layout.columns += count;
        }
        let needed = |place: Option<usize>, name: &str| {
            place.ok_or_else(|| format!("Properties has no {name}, which every bead needs"))
        };
        layout.species = needed(species, "species")?;
        layout.position = needed(position, "pos")?;
        if !left_out.is_empty() {
            warnings.push(format!(
                "the properties {} are not read; known are species, pos, velo, mass, charge and molecule",
                left_out.join(", ")
            ));
        }
        Ok(layout)
    }

    /// Reads the lines of beads, of which the first has the number `first`.
    fn read(&self, rows: &[&str], first: usize, file: &str) -> Result<Configuration, Error> {
        let mut types = Types::default();
        let mut beads = Configuration {
            source: file.to_owned(),
            positions: Vec::with_capacity(rows.len()),
            types: Vec::with_capacity(rows.len()),
            velocities: self.velocity.map(|_| Vec::with_capacity(rows.len())),
            charges: self.charge.map(|_| Vec::with_capacity(rows.len())),
            molecules: self.molecule.map(|_| Vec::with_capacity(rows.len())),
            ..Configuration::default()
        };
        let mut fields = Vec::new();
        for (bead, row) in rows.iter().enumerate() {
            fields::split(row, &mut fields);
            self.read_bead(&fields, bead, &mut types, &mut beads)
                .map_err(|problem| Error::damaged_configuration(file, first + bead, problem))?;
        }
        beads.type_names = types.names;
        beads.masses = types.masses;
        Ok(beads)
    }

    fn read_bead(
        &self,
        fields: &[&str],
        bead: usize,
        types: &mut Types,
        beads: &mut Configuration,
    ) -> Result<(), String> {
        let number = types.number(fields::text(fields, self.species, "type")?)?;
        beads.types.push(number);
        beads.positions.push(fields::vector(fields, self.position, POSITION)?);
        if let Some((column, velocities)) = self.velocity.zip(beads.velocities.as_mut()) {
            velocities.push(fields::vector(fields, column, VELOCITY)?);
        }
        if let Some(column) = self.mass {
            types.set_mass(number, fields::number(fields, column, "mass")?, bead)?;
        }
        if let Some((column, charges)) = self.charge.zip(beads.charges.as_mut()) {
            charges.push(fields::number(fields, column, "charge")?);
        }
        if let Some((column, molecules)) = self.molecule.zip(beads.molecules.as_mut()) {
            molecules.push(fields::whole(fields, column, "molecule")?);
        }
        if fields.len() < self.columns {
            let expected = self.columns;
            return Err(format!("there are {} columns instead of {expected}", fields.len()));
        }
        Ok(())
    }
}

/// The box: `None` where `pbc` says that no axis is periodic.
fn bounds(
    lattice: &str,
    origin: Option<&str>,
    pbc: Option<&str>,
    file: &str,
    line: usize,
) -> Result<Option<Bounds>, Error> {
    let damaged = |problem: String| Error::damaged_configuration(file, line, problem);
    let numbers = |text: &str| text.split_whitespace().map(decimal).collect::<Option<Vec<f64>>>();
    let vectors = numbers(lattice).filter(|numbers| numbers.len() == 9).ok_or_else(|| {
        damaged(format!("Lattice reads \"{lattice}\", which is not nine numbers in quotes"))
    })?;
    let origin = numbers(origin.unwrap_or("0 0 0")).filter(|numbers| numbers.len() == 3);
    let origin =
        origin.ok_or_else(|| damaged("Origin needs three numbers in quotes".to_owned()))?;
    let is_true = |word: &str| match word {
        "T" | "True" | "true" | "1" => Some(true),
        "F" | "False" | "false" | "0" => Some(false),
        _ => None,
    };
    let axes: Option<Vec<bool>> = pbc.unwrap_or("T T T").split_whitespace().map(is_true).collect();
    match axes.as_deref() {
        Some([true, true, true]) => {}
        Some([false, false, false]) => return Ok(None),
        _ => {
            return Err(damaged(format!(
                "pbc reads \"{}\"; a box is periodic along all axes, \"T T T\", or along none, \"F F F\"",
                pbc.unwrap_or_default()
            )));
        }
    }
    let side = |axis: usize| vectors[4 * axis];
    // Programs that turn boxes leave rounding errors beside the diagonal.
    let is_straight =
        |place: usize| place.is_multiple_of(4) || vectors[place].abs() <= 1e-9 * side(place / 3);
    if let Some(axis) = (0..3).find(|axis| side(*axis) <= 0.0) {
        let name = POSITION[axis];
        return Err(damaged(format!("the side of the box along {name} is not above zero")));
    }
    if !(0..9).all(is_straight) {
        return Err(Error::tilted_box(
            file,
            format!("line {line}"),
            "Lattice has numbers beside its diagonal",
        ));
    }
    Ok(Some([0, 1, 2].map(|axis| [origin[axis], origin[axis] + side(axis)])))
}
