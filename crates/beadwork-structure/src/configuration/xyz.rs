//! XYZ files, plain and extended.
//!
//! A frame is a line with the number of beads, a line of comment and a line for each bead: its type and its position.
//! In extended XYZ the comment has `key=value` pairs: `Lattice`, the three vectors of the box one after the other, and
//! `Properties`, the names, kinds and numbers of columns (<https://github.com/libAtoms/extxyz>).

use super::column_names::{Property, is_name_of};
use super::types::Types;
use super::{Bounds, Configuration, choose_frame, fields};
use crate::error::Error;
use crate::number::decimal;

const POSITION: [&str; 3] = ["x", "y", "z"];
const VELOCITY: [&str; 3] = ["velocity along x", "velocity along y", "velocity along z"];

pub(super) fn parse(text: &str, file: &str, frame: i64) -> Result<Configuration, Error> {
    let lines: Vec<&str> = text.lines().collect();
    let frames = frames(&lines, file)?;
    let frame = choose_frame(frames.len(), frame, file)?;
    let Frame { comment, beads } = frames[frame];
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
    if value("Properties").is_none() {
        refuse_numbered_rows(rows).map_err(damaged)?;
        let columns = rows.iter().map(|row| row.split_ascii_whitespace().count()).max();
        if columns.is_some_and(|columns| columns > layout.columns) {
            let warning = "columns from the fifth on are not read, because the comment has no Properties that name them";
            warnings.push(warning.to_owned());
        }
    }
    if let Some(lattice) = value("Lattice") {
        configuration.bounds = bounds(lattice, value("Origin"), value("pbc"), file, comment + 1)?;
    } else if names_a_box(lines[comment]) {
        warnings.push(format!(
            "the comment \"{}\" may name a box, which is not read: extended XYZ has it as Lattice=\"10 0 0 0 10 0 0 0 10\"; or write its sides in `box`",
            shortened(lines[comment].trim())
        ));
    }
    configuration.bonds_elsewhere = value("Bonds").map(str::to_owned);
    configuration.bonds_written = value("NumberOfBonds").and_then(|count| count.parse().ok());
    (configuration.frame, configuration.frames) = (frame, frames.len());
    configuration.warnings = warnings;
    configuration.label_by_type();
    Ok(configuration)
}

/// Refuses rows of number, type and position: the numbers would be taken for types, and types for coordinates.
fn refuse_numbered_rows(rows: &[&str]) -> Result<(), String> {
    let are_numbered = |from: usize| {
        let is_numbered = |(row, text): (usize, &&str)| {
            let mut fields = text.split_ascii_whitespace();
            fields.next().and_then(|first| first.parse().ok()) == Some(row + from)
                && fields.count() >= 4
        };
        rows.len() > 2 && rows.iter().enumerate().all(is_numbered)
    };
    if !are_numbered(0) && !are_numbered(1) {
        return Ok(());
    }
    Err("the first column counts the beads, so that it is no type, and Properties is missing; name the columns, such as \
         Properties=id:I:1:species:S:1:pos:R:3"
        .to_owned())
}

/// Whether a comment without `Lattice` has a word for a box and three numbers.
fn names_a_box(comment: &str) -> bool {
    let is_separator = |letter: char| !letter.is_alphanumeric() && !"+-.".contains(letter);
    let words = || comment.split(is_separator).filter(|word| !word.is_empty());
    let is_box = |word: &str| {
        let word = word.to_ascii_lowercase();
        ["box", "cell", "lattice", "boxsize", "unitcell", "cellpar", "celldim"].contains(&&*word)
    };
    words().any(is_box) && words().filter(|word| decimal(word).is_some()).count() >= 3
}

/// The begin of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST).chain(['…']).collect(),
        false => text.to_owned(),
    }
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
    image: Option<usize>,
    /// Number of columns.
    columns: usize,
}

/// A property of `Properties`: `pos:R:3`.
struct Stated<'a> {
    name: &'a str,
    kind: &'a str,
    count: usize,
    /// Its first column, counted from 0.
    first: usize,
}

/// The words of a property that were known first, with the number of columns and the kinds that it may have. A column under
/// one of them must have this shape; one under another name that is also known is left out if it has not.
const WORDS: [(Property, &[&str], usize, &str); 7] = [
    (Property::Type, &["species", "type"], 1, "SI"),
    (Property::Position, &["pos"], 3, "RI"),
    (Property::Velocity, &["velo", "vel", "velocities"], 3, "RI"),
    (Property::Mass, &["mass", "masses"], 1, "RI"),
    (Property::Charge, &["charge", "charges", "initial_charges"], 1, "RI"),
    (Property::Molecule, &["molecule"], 1, "I"),
    (Property::Image, &[], 3, "I"),
];

impl Layout {
    /// Understands `species:S:1:pos:R:3`: name, kind and number of columns of each property.
    fn new(properties: &str, warnings: &mut Vec<String>) -> Result<Layout, String> {
        let stated = stated(properties)?;
        let mut used = Vec::new();
        let mut find = |property: Property| {
            let place = find(property, &stated)?;
            used.extend(place);
            Ok::<_, String>(place.map(|place| stated[place].first))
        };
        let needed = |place: Option<usize>, name: &str| {
            place.ok_or_else(|| format!("Properties has no {name}, which every bead needs"))
        };
        let species = match find(Property::Type)? {
            None => find(Property::AtomicNumber)?,
            found => found,
        };
        let layout = Layout {
            species: needed(species, "species")?,
            position: needed(find(Property::Position)?, "pos")?,
            velocity: find(Property::Velocity)?,
            mass: find(Property::Mass)?,
            charge: find(Property::Charge)?,
            molecule: find(Property::Molecule)?,
            image: find(Property::Image)?,
            columns: stated.last().map_or(0, |last| last.first + last.count),
        };
        let is_left_out = |place: &usize| !used.contains(place);
        let left_out: Vec<&str> =
            (0..stated.len()).filter(is_left_out).map(|place| stated[place].name).collect();
        if !left_out.is_empty() {
            let momenta = match left_out.contains(&"momenta") {
                true => "; momenta are in a unit of their writer, so write velocities as velo",
                false => "",
            };
            warnings.push(format!(
                "the properties {} are not read; known are species, pos, velo, mass, charge, molecule and periodic_image{momenta}",
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
            images: self.image.map(|_| Vec::with_capacity(rows.len())),
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
        if let Some((column, images)) = self.image.zip(beads.images.as_mut()) {
            let image = |axis: usize| fields::whole(fields, column + axis, "periodic image");
            images.push([image(0)?, image(1)?, image(2)?]);
        }
        if fields.len() < self.columns {
            let expected = self.columns;
            return Err(format!("there are {} columns instead of {expected}", fields.len()));
        }
        Ok(())
    }
}

fn stated(properties: &str) -> Result<Vec<Stated<'_>>, String> {
    let mut all: Vec<Stated<'_>> = Vec::new();
    let words: Vec<&str> = properties.split(':').collect();
    for property in words.chunks(3) {
        let [name, kind @ ("S" | "R" | "I" | "L"), count] = property else {
            return Err(format!(
                "Properties reads \"{properties}\"; it needs name, kind (S, R, I or L) and number of columns of each \
                 property, such as species:S:1:pos:R:3"
            ));
        };
        let is_number = |count: &usize| (1..1000).contains(count);
        let count: usize = count.parse().ok().filter(is_number).ok_or_else(|| {
            format!("the property {name} has \"{count}\" columns, which is not a number above zero")
        })?;
        let first = all.last().map_or(0, |last| last.first + last.count);
        all.push(Stated { name, kind, count, first });
    }
    Ok(all)
}

/// Which of the stated properties is the one that is looked for.
fn find(property: Property, stated: &[Stated<'_>]) -> Result<Option<usize>, String> {
    let words = WORDS.iter().find(|words| words.0 == property);
    let (_, words, expected, allowed) = words.copied().unwrap_or((property, &[], 1, "SI"));
    let fits = |one: &Stated<'_>| one.count == expected && allowed.contains(one.kind);
    let all = |is_meant: &dyn Fn(&Stated<'_>) -> bool| -> Vec<usize> {
        (0..stated.len()).filter(|&place| is_meant(&stated[place])).collect()
    };
    let under_word = all(&|one| words.contains(&one.name));
    if let [one, ..] = under_word[..] {
        let Stated { name, kind, count, .. } = &stated[one];
        if !fits(&stated[one]) {
            return Err(format!(
                "the property {name} has the kind {kind} and {count} columns; it needs the kind {} and {expected}",
                &allowed[..1]
            ));
        }
        return match under_word[..] {
            [_, other, ..] => Err(format!(
                "Properties has {}, or another word for it, twice: {name} and {}; keep one of them, or rename the other",
                words[0], stated[other].name
            )),
            _ => Ok(Some(one)),
        };
    }
    match all(&|one| is_name_of(property, one.name) && fits(one))[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [one, other, ..] => Err(format!(
            "the properties {} and {} may both be meant; keep one of them, or rename the other",
            stated[one].name, stated[other].name
        )),
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
