//! `start` and `build` in `[system]`: where the beads come from.

use std::path::PathBuf;
use std::sync::Arc;

use beadwork_model::Boundary;
use beadwork_structure::Configuration;

use super::build::{self, BuildRead};
use super::molecules::OwnBox;
use super::repeat;
use super::start_velocities::{self, DRAWN, OF_FILE};
use crate::built::StartFile;
use crate::document::{Node, Value, as_table};
use crate::error::{Error, Location, MISSING_KEY, START, WRONG_TYPE};
use crate::files::Files;
use crate::section::Section;
use crate::settings::DynamicsRead;
use crate::starts::{StartFiles, read_start_with};

const START_KEYS: [&str; 5] = ["file", "first", "frame", "repeat", "velocities"];

/// The beads, and the starts of replicas.
#[derive(Default)]
pub(super) struct StartRead {
    pub beads: Configuration,
    /// Of molecules that were built: bead k is bonded to bead k − `backs[k]`, and begins a molecule with 0.
    pub backs: Vec<u32>,
    /// The sides of the box, unless the file has them.
    pub sides: Option<[f64; 3]>,
    /// How the file places beads; none where they were built.
    pub in_file: Option<InFile>,
    /// The file and its frame.
    pub start: Option<StartFile>,
    /// Whether places follow from the seed.
    pub is_random: bool,
    /// Positions of each replica, if they differ.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    /// Velocities of each replica, or one set for all; drawn if there are none.
    pub velocities: Option<Vec<Arc<Vec<[f64; 3]>>>>,
    /// Sentences about frames and velocities that are not used.
    pub warnings: Vec<String>,
}

/// How a file places beads.
#[derive(Clone, Copy, Debug)]
pub(super) struct InFile {
    /// Copies along each axis of the file's box, whose faces may cut molecules.
    copies: [usize; 3],
    /// Whether all files have images.
    has_images: bool,
}

impl InFile {
    /// The box in which the beads of a file have their place: that of the file, or that of the system if the file has none.
    pub fn own_box(self, file: &Configuration, boundary: Boundary) -> OwnBox {
        let sides = match (file.bounds, boundary) {
            (Some(bounds), _) => Some(bounds.map(|[low, high]| high - low)),
            (None, Boundary::Periodic { lengths }) => Some(lengths),
            (None, Boundary::Open) => None,
        };
        let of_copy =
            |sides: [f64; 3]| [0, 1, 2].map(|axis| sides[axis] / self.copies[axis] as f64);
        OwnBox {
            boundary: sides
                .map_or(Boundary::Open, |sides| Boundary::Periodic { lengths: of_copy(sides) }),
            has_images: self.has_images,
            is_of_file_alone: self.copies == [1; 3],
        }
    }
}

/// Reads `start`, a file of beads, or `build`, molecules that are placed here. `sides` are those that `box` gives.
pub(super) fn read(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
    sides: Option<[f64; 3]>,
    dynamics: &DynamicsRead,
    seed: u64,
) -> Result<StartRead, Error> {
    section.one_of("start", "build")?;
    if let Some(node) = section.node("build") {
        let BuildRead { beads, backs, sides, is_random } =
            build::read(section, node, sides, (dynamics, files.is_begun), seed)?;
        return Ok(StartRead { beads, backs, sides, is_random, ..StartRead::default() });
    }
    let frame = read_frame(section)?;
    let copies = repeat::read(section)?;
    let velocities = start_velocities::read(section, &dynamics.dynamics)?;
    let read = read_start_with(section, files, replicas, &START_KEYS)?;
    let Some(StartFiles { paths, is_series, place }) = read else {
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
    let mut has_images = true;
    for path in &paths {
        let read = files.configuration(path, frame.unwrap_or(0), &place)?;
        all.push(match &copies {
            Some((copies, node)) => repeat::copied(section, node, *copies, &read)?,
            None => Configuration { positions: read.unwrapped(), ..Configuration::clone(&read) },
        });
        has_images &= read.images.is_some();
    }
    let in_file = InFile {
        copies: copies.as_ref().map_or([1; 3], |(copies, _)| *copies),
        has_images: has_images && all.iter().all(|one| one.bounds.is_some()),
    };
    let beads = all[0].clone();
    refuse_other_beads(&all, &paths, &place)?;
    let start = StartFile { file: beads.source.clone(), frame: beads.frame, frames: beads.frames };
    let is_moving = dynamics.dynamics.integrator.has_velocities();
    let warnings = warnings(&beads, frame, velocities.is_none() && is_moving);
    let velocities = (velocities == Some(OF_FILE)).then(|| {
        let of_one = |(one, path): (&Configuration, &PathBuf)| {
            let velocities = start_velocities::of_file(one, path, section.units);
            velocities.map(Arc::new).map_err(|problem| place.error(START, problem))
        };
        all.iter().zip(&paths).map(of_one).collect::<Result<Vec<_>, _>>()
    });
    let velocities = velocities.transpose()?;
    let starts = is_series.then(|| all.into_iter().map(|one| one.positions).collect());
    let (in_file, start) = (Some(in_file), Some(start));
    Ok(StartRead {
        beads,
        sides,
        in_file,
        start,
        starts,
        velocities,
        warnings,
        ..StartRead::default()
    })
}

/// Refuses files of replicas that have other beads, types or boxes than the first one.
fn refuse_other_beads(
    all: &[Configuration],
    paths: &[PathBuf],
    place: &Location,
) -> Result<(), Error> {
    let beads = &all[0];
    for (other, path) in all.iter().zip(paths).skip(1) {
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
    Ok(())
}

/// Warns of frames and velocities of a file that are not used, though the input does not say so. `draws_unasked` says that
/// velocities are drawn and no key asks for that.
fn warnings(beads: &Configuration, frame: Option<i64>, draws_unasked: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    if frame.is_none() && beads.frames > 1 {
        warnings.push(format!(
            "{} has {} frames, and the first one is taken, because `start` names none: write frame = -1 for the last one, or frame = 0 to drop this warning",
            beads.source, beads.frames
        ));
    }
    if draws_unasked && beads.velocities.is_some() {
        warnings.push(format!(
            "the velocities of {} are not used: those of the start are drawn at the temperature. Write velocities = \"{OF_FILE}\" in `start` to begin with those of the file, or \"{DRAWN}\" to drop this warning",
            beads.source
        ));
    }
    warnings
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
