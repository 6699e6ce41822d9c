//! `start` and `build` in `[system]`: where the beads come from.

use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::{Boundary, Dynamics};
use beadwork_structure::Configuration;

use super::build::{self, BuildRead};
use super::repeat;
use super::start_velocities::{self, DRAWN, OF_FILE};
use crate::document::{Node, Value};
use crate::error::{Error, MISSING_KEY, START, WRONG_TYPE};
use crate::files::Files;
use crate::section::Section;
use crate::system::{Start, as_table, read_start_with};

const START_KEYS: [&str; 5] = ["file", "first", "frame", "repeat", "velocities"];

/// The beads, and the starts of replicas.
#[derive(Default)]
pub(super) struct StartRead {
    pub beads: Configuration,
    /// Of molecules that were built: bead k is bonded to bead k − `backs[k]`, and begins a molecule with 0.
    pub backs: Vec<u32>,
    /// The sides of the box, unless the file has them.
    pub sides: Option<[f64; 3]>,
    /// Copies along each axis of the file's box, whose faces may cut molecules; none where all are whole, since they were built or
    /// the file has images.
    pub cut: Option<[usize; 3]>,
    /// Whether places follow from the seed.
    pub is_random: bool,
    /// Positions of each replica, if they differ.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    /// Velocities of each replica, or one set for all; drawn if there are none.
    pub velocities: Option<Vec<Arc<Vec<[f64; 3]>>>>,
    /// Sentences about velocities that are not used.
    pub warnings: Vec<String>,
}

/// Reads `start`, a file of beads, or `build`, molecules in a box. `sides` are those that `box` gives.
pub(super) fn read(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
    sides: Option<[f64; 3]>,
    dynamics: &Dynamics,
    seed: u64,
) -> Result<StartRead, Error> {
    section.one_of("start", "build")?;
    if let Some(node) = section.node("build") {
        let BuildRead { beads, backs, sides, is_random } = build::read(section, node, sides, seed)?;
        let sides = Some(sides);
        return Ok(StartRead { beads, backs, sides, is_random, ..StartRead::default() });
    }
    let frame = read_frame(section)?;
    let copies = repeat::read(section)?;
    let velocities = start_velocities::read(section, dynamics)?;
    let read = read_start_with(section, files, replicas, &START_KEYS)?;
    let Some(Start { paths, is_series, place }) = read else {
        let problem = "[system]: there are no beads: write start = { file = \"beads.xyz\" } for those of a file, or build = [ { molecule = \"A10\", count = 100 } ]";
        return Err(section.place.error(MISSING_KEY, problem));
    };
    if let Some(frame) = frame {
        keep_in_start(section, "frame", Value::Integer(frame));
    }
    if let Some((_, node)) = &copies {
        keep_in_start(section, "repeat", node.value.clone());
    }
    if let Some(word) = velocities {
        keep_in_start(section, "velocities", Value::Text(word.to_string()));
    }
    let mut all = Vec::with_capacity(paths.len());
    let mut are_whole = true;
    for path in &paths {
        let read = files.configuration(path, frame.unwrap_or(0), &place)?;
        all.push(match &copies {
            Some((copies, node)) => repeat::copied(section, node, *copies, &read)?,
            None => Configuration { positions: read.unwrapped(), ..Configuration::clone(&read) },
        });
        are_whole &= read.images.is_some();
    }
    let cut = (!are_whole).then(|| copies.map_or([1; 3], |(copies, _)| copies));
    let beads = all[0].clone();
    for (other, path) in all.iter().zip(&paths).skip(1) {
        let same = (other.types.len(), &other.type_names, &other.types)
            == (beads.types.len(), &beads.type_names, &beads.types);
        if !same || other.bounds != beads.bounds {
            let problem = format!(
                "[system]: {} and {} have other beads, types or boxes: the files of all replicas must have the same",
                path.display(),
                paths[0].display()
            );
            return Err(place.error(START, problem));
        }
    }
    let mut warnings = Vec::new();
    if velocities.is_none() && beads.velocities.is_some() && dynamics.integrator.has_velocities() {
        warnings.push(format!(
            "the velocities of {} are not used: those of the start are drawn at the temperature. Write velocities = \"{OF_FILE}\" in `start` to begin with those of the file, or \"{DRAWN}\" to drop this warning",
            beads.source
        ));
    }
    let velocities = (velocities == Some(OF_FILE)).then(|| {
        let of_one = |(one, path): (&Configuration, &PathBuf)| {
            let velocities = start_velocities::of_file(one, path, section.units);
            velocities.map(Arc::new).map_err(|problem| place.error(START, problem))
        };
        all.iter().zip(&paths).map(of_one).collect::<Result<Vec<_>, _>>()
    });
    let velocities = velocities.transpose()?;
    let starts = is_series.then(|| all.into_iter().map(|one| one.positions).collect());
    Ok(StartRead { beads, sides, cut, starts, velocities, warnings, ..StartRead::default() })
}

/// `frame` of `start`: 0 for the first frame of a file, −1 for the last.
fn read_frame(section: &Section<'_>) -> Result<Option<i64>, Error> {
    let node = section.node("start").map(as_table);
    match node.as_ref().and_then(|node| node.get("frame")) {
        None => Ok(None),
        Some(Node { value: Value::Integer(frame), .. }) => Ok(Some(*frame)),
        Some(other) => {
            let problem = format!(
                "`start` in [system]: `frame` must be a whole number, 0 for the first frame and -1 for the last, found {}",
                other.found()
            );
            Err(other.place.error(WRONG_TYPE, problem))
        }
    }
}

/// Records a key of `start`.
fn keep_in_start(section: &mut Section<'_>, key: &str, value: Value) {
    let place = section.value_place("start").clone();
    if let Some(start) = section.resolved.get_mut("start").and_then(Node::table_mut) {
        start.set(key, &place, Node::new(value, &place));
    }
}

/// Makes molecules whole that faces of a box cut: each bead of a bond moves to the image that is nearest to the other.
/// Molecules whose bonds form a ring around the box stay open at one bond.
pub(super) fn join_along_bonds(
    positions: &mut [[f64; 3]],
    bonds: &[(usize, usize)],
    boundary: Boundary,
) {
    let mut neighbours = vec![Vec::new(); positions.len()];
    for &(i, j) in bonds {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut joined = vec![false; positions.len()];
    let mut open = Vec::new();
    for first in 0..positions.len() {
        if joined[first] {
            continue;
        }
        joined[first] = true;
        open.push(first);
        while let Some(bead) = open.pop() {
            for &next in &neighbours[bead] {
                if !joined[next] {
                    joined[next] = true;
                    positions[next] = boundary.near(positions[next], positions[bead]);
                    open.push(next);
                }
            }
        }
    }
}
