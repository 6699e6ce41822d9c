//! Points of a sweep that are the same, however their values are written.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::ensemble::Axis;
use crate::error::{Error, SWEEP};
use crate::point::PointRead;
use crate::request::{Point, in_words};

/// Keys of names, which tell apart what may be alike, such as two proteins of one sequence.
const NAMES: [&str; 2] = ["name", "file"];

/// Refuses two points with the same system, start, stages and settings. `choices` has for each point the index of its value on each
/// axis.
pub(crate) fn refuse_equal(
    read: &[PointRead],
    choices: &[Vec<usize>],
    axes: &[Axis],
) -> Result<(), Error> {
    // Points that are alike but for their beads, by their digest.
    let mut known: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (number, point) in read.iter().enumerate() {
        let alike = known.entry(digest(point)).or_default();
        let is_same = |other: &&usize| {
            has_same_beads(&read[**other].point, &point.point)
                && !named_apart(axes, [&choices[**other], &choices[number]])
        };
        if let Some(&other) = alike.iter().find(is_same) {
            return Err(refusal(axes, [&choices[other], &choices[number]]));
        }
        alike.push(number);
    }
    Ok(())
}

/// A digest of what a point has beside its beads. What all points must share is refused elsewhere if it differs.
fn digest(read: &PointRead) -> [u8; 32] {
    let PointRead { point, replicas, run, noise: (noise, _), .. } = read;
    let mut protocol = point.protocol.as_ref().clone();
    for stop in protocol.stages.iter_mut().flat_map(|stage| &mut stage.stops) {
        // One rule may be written in several units.
        stop.text.clear();
    }
    let exchange = &point.exchange;
    let text = format!("{protocol:?} {exchange:?} {replicas} {run:?} {noise:?}");
    let mut hash = Sha256::new();
    for word in text.split([' ', ',', '[', ']', '(', ')', '{', '}']) {
        // One quantity in two units may differ in its last bit, whole numbers may not.
        match word.parse::<f64>() {
            Ok(number) if word.contains(['.', 'e']) => hash.update(format!("{number:.11e}")),
            _ => hash.update(word),
        }
        hash.update(b" ");
    }
    hash.finalize().into()
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

/// Whether two points have different names of something.
fn named_apart(axes: &[Axis], [one, other]: [&[usize]; 2]) -> bool {
    axes.iter().zip(one.iter().zip(other)).any(|(axis, (a, b))| {
        let key = axis.path.rsplit('.').next().unwrap_or_default();
        NAMES.contains(&key) && axis.values[*a].plain() != axis.values[*b].plain()
    })
}

fn refusal(axes: &[Axis], [one, other]: [&[usize]; 2]) -> Error {
    let all = axes.iter().zip(one.iter().zip(other));
    let values =
        all.map(|(axis, (a, b))| (axis, [&axis.values[*a], &axis.values[*b]])).collect::<Vec<_>>();
    let mut differing = values.clone();
    differing.retain(|(_, [a, b])| a.plain() != b.plain());
    let words = |which: usize| {
        let settings = differing.iter().map(|(axis, ab)| (axis.path.clone(), ab[which].plain()));
        in_words(&settings.collect::<Vec<_>>())
    };
    let problem = match differing.as_slice() {
        [] => {
            let settings = values.iter().map(|(axis, [a, _])| (axis.path.clone(), a.plain()));
            format!("the point {} is there twice", in_words(&settings.collect::<Vec<_>>()))
        }
        [(axis, [a, b])] => format!(
            "\"{}\" has the values {} and {}, which mean the same",
            axis.path,
            a.plain(),
            b.plain()
        ),
        _ => format!("the points {} and {} are the same", words(0), words(1)),
    };
    let place = differing.first().or(values.first()).map(|(_, [_, b])| &b.place);
    let error = Error::new(SWEEP, format!("[ensemble.sweep]: {problem}: leave one out"));
    match place {
        Some(place) => error.at(place),
        None => error,
    }
}
