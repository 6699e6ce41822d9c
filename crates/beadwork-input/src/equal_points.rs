//! Points of a sweep that differ in nothing but their noise.

use std::sync::Arc;

use beadwork_model::Protocol;

use crate::ensemble::Ensemble;
use crate::files::FILE_KEYS;
use crate::point::PointRead;
use crate::request::{Point, in_words};

/// Keys of names, which, as names of files do, tell apart what may be alike, such as two proteins of one sequence.
const NAMES: [&str; 2] = ["name", "sequence"];

/// The warning about neighbouring points with the same system, start and stages. Each point is compared with those before it along
/// each axis, so that the time is linear in their number. `choices` has for each point the index of its value on each axis.
pub(crate) fn warning(
    read: &[PointRead],
    choices: &[Vec<usize>],
    settings: &[Vec<(String, String)>],
    ensemble: &Ensemble,
) -> Option<String> {
    let neighbours = |number: usize| {
        let before = ensemble.neighbours_before(number, &choices[number]);
        before.into_iter().map(move |other| [other, number])
    };
    let is_same = |[one, other]: &[usize; 2]| {
        !are_named_apart(&settings[*one], &settings[*other])
            && are_same(&read[*one].point, &read[*other].point)
    };
    let mut pairs = (0..read.len()).flat_map(neighbours).filter(is_same);
    let [one, other] = pairs.next()?.map(|number| in_words(&settings[number]));
    let more = match pairs.count() {
        0 => String::new(),
        1 => ", and so does 1 more pair".to_string(),
        count => format!(", and so do {count} more pairs"),
    };
    Some(format!(
        "[ensemble.sweep]: the points {one} and {other} have the same system, start and stages{more}: such points differ in their noise alone, as replicas do; leave one of them out, or look for a value that does not do what it should"
    ))
}

/// Whether two points have different names of something.
fn are_named_apart(one: &[(String, String)], other: &[(String, String)]) -> bool {
    one.iter().zip(other).any(|((path, one), (_, other))| {
        let key = path.rsplit('.').next().unwrap_or_default();
        (NAMES.contains(&key) || FILE_KEYS.contains(&key)) && one != other
    })
}

/// What all points must share is refused elsewhere if it differs. What most sweeps vary is compared first.
fn are_same(one: &Point, other: &Point) -> bool {
    let [ours, theirs] = [one, other].map(|point| point.protocol.as_ref());
    ours.seed == theirs.seed
        && ours.dynamics == theirs.dynamics
        && one.exchange == other.exchange
        && has_same_beads(one, other)
        && without_texts(ours) == without_texts(theirs)
}

/// One stop rule may be written in several units.
fn without_texts(protocol: &Protocol) -> Protocol {
    let mut protocol = protocol.clone();
    let stops = protocol.stages.iter_mut().flat_map(|stage| &mut stage.stops);
    stops.for_each(|stop| stop.text.clear());
    protocol
}

fn has_same_beads(one: &Point, other: &Point) -> bool {
    // Most systems of a sweep differ in their interactions, which are compared faster than names.
    let is_same_system = Arc::ptr_eq(&one.system, &other.system)
        || (one.system.interactions == other.system.interactions && one.system == other.system);
    is_same_system
        && one.start == other.start
        && one.starts == other.starts
        && one.velocities == other.velocities
}
