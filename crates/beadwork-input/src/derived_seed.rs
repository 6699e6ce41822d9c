//! Noise of its own for a run that begins where another one ended.
//!
//! Noise is keyed by seed, replica and step. A run that starts from the end of another one with the same seed would meet
//! the same noise again: its displacements would repeat those of the first run. Such a run gets another seed, which
//! follows from the one that is written and from the positions with which it begins.

use sha2::{Digest, Sha256};

use crate::document::{Node, Value};
use crate::ensemble::Ensemble;
use crate::error::{CONFLICT, Error, SWEEP};
use crate::files::Files;
use crate::noise::{KEY, Noise, OF_SEED};
use crate::point::PointRead;

/// The path of the seed in a sweep.
const SEED_PATH: &str = "random.seed";

/// Gives a run that continues another one, or that asks for it, a seed of its own, in all points and in the resolved form.
/// Returns a note.
pub(crate) fn settle(
    read: &mut [PointRead],
    ensemble: &mut Ensemble,
    files: &Files,
) -> Result<Option<String>, Error> {
    let Some(first) = read.first() else { return Ok(None) };
    let (noise, place) = (first.noise.0, first.noise.1.clone());
    if read.iter().any(|point| point.noise.0 != noise) {
        let problem = "[ensemble.sweep]: `noise` of [random] cannot be swept: all points of a run share it; sweep \"random.seed\"";
        return Err(ensemble.place.error(SWEEP, problem));
    }
    let output = files.output();
    let why = match (noise, output) {
        (Noise::OfSeed, _) | (Noise::Automatic, None) => return Ok(None),
        (_, Some(path)) => format!("{} is the output of a run", path.display()),
        (Noise::Fresh, None) => "noise = \"fresh\"".to_string(),
    };
    if !files.has_positions() {
        let problem = "[random]: noise = \"fresh\" makes the seed from the positions of a `start` or `structure` file, and this input reads none: write another `seed`";
        return Err(place.error(CONFLICT, problem));
    }
    let positions = digest(read);
    let written = first.point.protocol.seed;
    for point in read.iter_mut() {
        let protocol = std::sync::Arc::make_mut(&mut point.point.protocol);
        protocol.seed = derived(protocol.seed, &positions);
        if let Some(Value::Table(random)) = point.resolved.get_mut("random") {
            // The order is that in which the keys are read again.
            let mut rest = std::mem::take(random);
            ["seed", KEY].iter().for_each(|key| rest.remove(key));
            let node = |value| Node::new(value, &place);
            random.set("seed", &place, node(Value::Integer(protocol.seed as i64)));
            random.set(KEY, &place, node(Value::Text(OF_SEED.to_string())));
            random.entries.extend(rest.entries);
        }
    }
    for axis in ensemble.axes.iter_mut().filter(|axis| axis.path == SEED_PATH) {
        for node in &mut axis.values {
            if let Value::Integer(seed) = &mut node.value {
                *seed = derived(*seed as u64, &positions) as i64;
            }
        }
    }
    let seeds = match ensemble.axes.iter().any(|axis| axis.path == SEED_PATH) {
        true => "the swept seeds become others".to_string(),
        false => format!("the seed {written} becomes {}", read[0].point.protocol.seed),
    };
    Ok(Some(format!(
        "{why}, so this run gets noise of its own: {seeds}, which follows from it and the start positions; [random] noise = \"seed\" keeps the seed, and repeats the noise of a run that had it"
    )))
}

/// The SHA-256 of the positions with which the replicas of the first point begin: x, y and z of each bead as 64-bit
/// floating-point numbers, the lowest byte first.
fn digest(read: &[PointRead]) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut add = |positions: &[[f64; 3]]| {
        for number in positions.as_flattened() {
            hash.update(number.to_le_bytes());
        }
    };
    if let Some(first) = read.first() {
        match &first.point.starts {
            Some(starts) => starts.iter().for_each(|start| add(start)),
            None => add(&first.point.system.particles.positions),
        }
    }
    hash.finalize().into()
}

/// The first 8 bytes, the lowest first and without the highest bit, of the SHA-256 of `beadwork noise`, the seed in 8 bytes
/// and the digest of the positions.
fn derived(seed: u64, positions: &[u8; 32]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"beadwork noise");
    hash.update(seed.to_le_bytes());
    hash.update(positions);
    let bytes: [u8; 32] = hash.finalize().into();
    let first = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    first & (u64::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value computed by Python's hashlib.
    #[test]
    fn seeds_follow_a_documented_rule() {
        let mut hash = Sha256::new();
        for number in [1.0_f64, -2.5, 3.25] {
            hash.update(number.to_le_bytes());
        }
        let positions: [u8; 32] = hash.finalize().into();
        assert_eq!(derived(20101, &positions), KNOWN);
        assert_ne!(derived(20102, &positions), derived(20101, &positions));
    }

    const KNOWN: u64 = 722_504_616_078_029_525;
}
