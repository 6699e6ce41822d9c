//! Frames of GSD files with the schema of HOOMD-blue: <https://gsd.readthedocs.io/en/stable/schema-hoomd.html>.

use super::gsd_chunks::{Chunk, Chunks};
use super::types::{check_mass, checked_number};
use super::{Bounds, Configuration, choose_frame};
use crate::error::Error;

/// Properties of particles that are read; a warning names others.
const READ: [&str; 8] = ["N", "types", "typeid", "mass", "charge", "position", "velocity", "image"];

pub(super) fn parse(bytes: &[u8], file: &str, frame: i64) -> Result<Configuration, Error> {
    let chunks = Chunks::read(bytes, file)?;
    let frames = chunks.frames();
    let frame = choose_frame(frames, frame, file)?;
    let mut beads = Frame { chunks, frame: frame as u64 }.read(file)?;
    (beads.frame, beads.frames) = (frame, frames);
    Ok(beads)
}

/// A frame of a file. What it lacks is that of the first frame, if that has as many beads or terms.
struct Frame<'a> {
    chunks: Chunks<'a>,
    frame: u64,
}

impl Frame<'_> {
    fn read(&self, file: &str) -> Result<Configuration, Error> {
        self.refuse_a_plane()?;
        let (beads, place) = self.count("particles")?;
        if beads == 0 {
            return Err(self.damaged(place, "the frame has no particles".to_owned()));
        }
        let type_names = self.names("particles")?;
        // First, so that no damaged count makes an array of defaults.
        let positions = self.vectors("particles/position", beads)?.ok_or_else(|| {
            self.damaged(place, format!("frame {} has no particles/position", self.frame))
        })?;
        let types = self.typeids("particles", beads, type_names.len())?;
        let images = match self.array("particles", "image", beads)? {
            None => None,
            Some(chunk) => Some(chunk.integers::<3>().map_err(|error| self.at(&chunk, error))?),
        };
        let (bonds, angles) = (self.terms("bonds")?, self.terms("angles")?);
        let mut read = Configuration {
            source: file.to_owned(),
            positions,
            velocities: self.vectors("particles/velocity", beads)?,
            images,
            masses: self.masses(&types, &type_names)?,
            charges: self.numbers("charge", beads)?,
            type_names,
            types,
            bounds: self.bounds(file)?,
            bonds,
            angles,
            dihedrals: self.count("dihedrals")?.0,
            impropers: self.count("impropers")?.0,
            warnings: self.warnings()?,
            ..Configuration::default()
        };
        read.label_by_type();
        Ok(read)
    }

    fn damaged(&self, place: u64, problem: String) -> Error {
        self.chunks.damaged(place, problem)
    }

    /// The error about the content of a chunk.
    fn at(&self, chunk: &Chunk<'_>, problem: String) -> Error {
        self.damaged(chunk.place, format!("{}: {problem}", chunk.name))
    }

    /// How many particles, bonds or angles the frame has, and where it says so.
    fn count(&self, of: &str) -> Result<(usize, u64), Error> {
        self.count_in(of, self.frame)
    }

    fn count_in(&self, of: &str, frame: u64) -> Result<(usize, u64), Error> {
        let name = format!("{of}/N");
        let found = self.chunks.find(frame, &name).or_else(|| self.chunks.find(0, &name));
        let Some(chunk) = found else { return Ok((0, self.chunks.index_place())) };
        let count = chunk.whole_numbers().and_then(|numbers| match numbers[..] {
            [count] => Ok(count as usize),
            _ => Err(format!("there are {} numbers instead of one", numbers.len())),
        });
        count.map(|count| (count, chunk.place)).map_err(|problem| self.at(&chunk, problem))
    }

    /// A chunk with a row for each particle or term; `None` if all have the default.
    fn array(&self, of: &str, name: &str, rows: usize) -> Result<Option<Chunk<'_>>, Error> {
        let name = format!("{of}/{name}");
        let found = match self.chunks.find(self.frame, &name) {
            None if self.count_in(of, 0)?.0 == rows => self.chunks.find(0, &name),
            found => found,
        };
        match found {
            Some(chunk) if chunk.rows != rows as u64 => {
                let problem = format!("there are {} rows for {rows} {of}", chunk.rows);
                Err(self.at(&chunk, problem))
            }
            found => Ok(found),
        }
    }

    /// Vectors of finite numbers.
    fn vectors(&self, name: &str, rows: usize) -> Result<Option<Vec<[f64; 3]>>, Error> {
        let (of, name) = name.split_once('/').unwrap_or((name, ""));
        let Some(chunk) = self.array(of, name, rows)? else { return Ok(None) };
        chunk.vectors::<3>().map(Some).map_err(|problem| self.at(&chunk, problem))
    }

    /// A number of each particle. Numbers in single precision are read as the shortest decimal numbers that they may
    /// stand for: 0.1, not 0.10000000149.
    fn numbers(&self, name: &str, rows: usize) -> Result<Option<Vec<f64>>, Error> {
        let Some(chunk) = self.array("particles", name, rows)? else { return Ok(None) };
        let numbers = chunk.vectors::<1>().map_err(|problem| self.at(&chunk, problem))?;
        Ok(Some(numbers.into_iter().map(|[number]| shortest(number)).collect()))
    }

    /// The names of types; `A` alone by default.
    fn names(&self, of: &str) -> Result<Vec<String>, Error> {
        let name = format!("{of}/types");
        let found = self.chunks.find(self.frame, &name).or_else(|| self.chunks.find(0, &name));
        let Some(chunk) = found else { return Ok(vec!["A".to_owned()]) };
        let names = chunk.texts().map_err(|problem| self.at(&chunk, problem))?;
        for (number, name) in names.iter().enumerate() {
            let problem = match name.as_str() {
                "" => format!("type {number} has no name"),
                _ if names[..number].contains(name) => format!("two types have the name {name}"),
                _ => continue,
            };
            return Err(self.at(&chunk, problem));
        }
        Ok(names)
    }

    /// The type of each particle; the first one by default.
    fn typeids(&self, of: &str, rows: usize, types: usize) -> Result<Vec<u16>, Error> {
        let Some(chunk) = self.array(of, "typeid", rows)? else { return Ok(vec![0; rows]) };
        let checked = |(row, number): (usize, u32)| match checked_number(number as usize) {
            Ok(kind) if usize::from(kind) < types => Ok(kind),
            _ => Err(format!(
                "row {row} has the type {number}, but there are {types}, counted from 0"
            )),
        };
        let numbers = chunk.whole_numbers();
        let kinds =
            numbers.and_then(|numbers| numbers.into_iter().enumerate().map(checked).collect());
        kinds.map_err(|problem| self.at(&chunk, problem))
    }

    /// The mass of each type that the file gives.
    fn masses(&self, types: &[u16], names: &[String]) -> Result<Vec<Option<f64>>, Error> {
        let mut masses = vec![None; names.len()];
        let Some(chunk) = self.array("particles", "mass", types.len())? else { return Ok(masses) };
        let of_beads = self.numbers("mass", types.len())?.unwrap_or_default();
        for (bead, (&kind, mass)) in types.iter().zip(of_beads).enumerate() {
            check_mass(mass)
                .map_err(|problem| self.at(&chunk, format!("bead {bead}: {problem}")))?;
            let known = masses[usize::from(kind)].get_or_insert(mass);
            if *known != mass {
                let name = &names[usize::from(kind)];
                let problem = format!(
                    "bead {bead} of type {name} has the mass {mass}, but those before it have {known}; beads of one type have one mass, so give beads of another mass a type of their own"
                );
                return Err(self.at(&chunk, problem));
            }
        }
        Ok(masses)
    }

    /// Bonds or angles: beads and the number of the type, from 1.
    fn terms<const N: usize>(&self, of: &str) -> Result<Vec<([usize; N], u32)>, Error> {
        let (count, place) = self.count(of)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let (beads, _) = self.count("particles")?;
        let types = self.names(of)?.len();
        let Some(chunk) = self.array(of, "group", count)? else {
            let problem = format!("there are {count} {of}, but no {of}/group");
            return Err(self.damaged(place, problem));
        };
        let kinds = self.typeids(of, count, types)?;
        let groups = chunk.indices::<N>().map_err(|problem| self.at(&chunk, problem))?;
        let mut terms = Vec::with_capacity(count);
        for (row, (group, kind)) in groups.into_iter().zip(kinds).enumerate() {
            let members = group.map(|bead| bead as usize);
            if let Some(bead) = members.iter().find(|bead| **bead >= beads) {
                let problem =
                    format!("row {row} has bead {bead}, but there are {beads}, counted from 0");
                return Err(self.at(&chunk, problem));
            }
            if (1..N).any(|place| members[..place].contains(&members[place])) {
                let problem = format!("row {row} has a bead twice; {N} different beads are needed");
                return Err(self.at(&chunk, problem));
            }
            terms.push((members, u32::from(kind) + 1));
        }
        Ok(terms)
    }

    /// Refuses a frame of two dimensions. Its box may have any third side, so the number of dimensions decides.
    fn refuse_a_plane(&self) -> Result<(), Error> {
        let name = "configuration/dimensions";
        let found = self.chunks.find(self.frame, name).or_else(|| self.chunks.find(0, name));
        let Some(chunk) = found else { return Ok(()) };
        let dimensions = chunk.bytes_as_numbers().map_err(|problem| self.at(&chunk, problem))?;
        match dimensions[..] {
            [3] => Ok(()),
            [2] => {
                let problem = format!(
                    "frame {} has two dimensions, and beads move in three; systems in a plane are not supported",
                    self.frame
                );
                Err(self.at(&chunk, problem))
            }
            _ => Err(self.at(&chunk, format!("reads {dimensions:?}, which is not 2 or 3"))),
        }
    }

    /// The box, whose centre is the origin.
    fn bounds(&self, file: &str) -> Result<Option<Bounds>, Error> {
        let name = "configuration/box";
        let found = self.chunks.find(self.frame, name).or_else(|| self.chunks.find(0, name));
        let Some(chunk) = found else { return Ok(None) };
        let numbers = chunk.vectors::<1>().map_err(|problem| self.at(&chunk, problem))?;
        let [x, y, z, tilts @ ..] = &numbers[..] else {
            return Err(self.at(&chunk, "there are fewer than three sides".to_owned()));
        };
        if tilts.iter().flatten().any(|tilt| *tilt != 0.0) {
            let found = format!("{name} of frame {} has tilt factors other than 0", self.frame);
            return Err(Error::tilted_box(file, format!("byte {}", chunk.place), &found));
        }
        let sides = [x, y, z].map(|[side]| shortest(*side));
        if let Some(side) = sides.iter().find(|side| **side <= 0.0) {
            let problem = format!(
                "the side {side} is not above zero; a box has three dimensions, so a system in a plane cannot be read"
            );
            return Err(self.at(&chunk, problem));
        }
        Ok(Some(sides.map(|side| [-side / 2.0, side / 2.0])))
    }

    fn warnings(&self) -> Result<Vec<String>, Error> {
        let mut warnings = Vec::new();
        let is_left_out = |name: &&str| !READ.contains(name);
        let names = self.chunks.names_below("particles/");
        let left_out: Vec<&str> = names.into_iter().filter(is_left_out).collect();
        if !left_out.is_empty() {
            warnings.push(format!(
                "the properties {} of particles are not read; beads are points with mass and charge",
                left_out.join(", ")
            ));
        }
        for what in ["constraints", "pairs"] {
            let (count, _) = self.count(what)?;
            if count > 0 {
                warnings.push(format!("the {count} {what} of the file are not read"));
            }
        }
        Ok(warnings)
    }
}

/// The shortest decimal number that is the same in single precision.
fn shortest(number: f64) -> f64 {
    let single = number as f32;
    match f64::from(single) == number {
        true => single.to_string().parse().unwrap_or(number),
        false => number,
    }
}
