//! Timing of variants, and whether their forces are right.

use beadwork_arithmetic::Instructions;
use serde::Serialize;

use crate::broadcast::Broadcast;
use crate::clock;
use crate::formula::{Engine, Short};
use crate::loose::{LooseReal, LooseReplicas, LooseTiles, is_available};
use crate::replicas::Replicas;
use crate::systems::{Chain, Reference};
use crate::tiles::{Eight, Four, Tiles, WholeTiles};
use crate::variant::Variant;

/// Repeats of each measurement.
pub const REPEATS: usize = 5;
/// Turns that the variants take in a repeat.
const TURNS: usize = 4;
/// Processor time of a variant's turn, s; tests look at forces, not at times.
const TURN: f64 = if cfg!(test) { 1e-5 } else { 0.004 };
/// Largest difference from plain sums, in units of ε times the magnitudes of a bead's terms. A term
/// is off by 20 roundings at most (r² and its fourth power); sums of 250 terms in a row by half a
/// rounding each if all fell one way.
const TOLERANCE: f64 = 64.0;

/// The variant that others are compared with.
const RULE: &str = "K = 4";
/// The same bits with less work around the pairs: [`WholeTiles`], or [`Replicas`] added up
/// at once.
pub const IMPROVED: &str = "K = 4, improved";
/// That with [`Short`], whose bits are others.
pub const SHORT: &str = "K = 4, improved, fewer multiplications";

/// What the lanes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Pairs or beads of one system.
    OneSystem,
    /// Replicas.
    Ensemble,
}

impl Mode {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Mode::OneSystem => "one system",
            Mode::Ensemble => "ensemble",
        }
    }
}

/// Variants that took turns.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// The chain.
    pub system: &'static str,
    /// Its beads.
    pub beads: usize,
    /// Pairs within the cutoff, the mean over replicas.
    pub pairs: f64,
    /// What the lanes are.
    pub mode: Mode,
    /// `single` or `double`.
    pub precision: &'static str,
    /// The instructions' name.
    pub instructions: &'static str,
    /// One row a variant.
    pub rows: Vec<Row>,
}

/// One variant's figures.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was timed.
    pub variant: String,
    /// ns a pair (and replica), the median of the repeats.
    pub nanoseconds: f64,
    /// The fastest and the slowest repeat.
    pub range: [f64; 2],
    /// Relative to K = 4, the median of the repeats' ratios.
    pub relative: f64,
    /// The largest error of a force, in units of ε times the magnitudes of its terms.
    pub error: f64,
}

impl Series {
    /// The time of a variant relative to K = 4, if it was measured.
    pub fn relative(&self, variant: &str) -> Option<f64> {
        Some(self.rows.iter().find(|row| row.variant == variant)?.relative)
    }

    /// The fastest of the variants without the rules.
    pub fn loosest(&self) -> Option<f64> {
        let loose = self.rows.iter().filter(|row| row.variant.starts_with("loose"));
        loose.map(|row| row.relative).reduce(f64::min)
    }
}

/// Measures both modes of a chain with all instructions of the machine.
///
/// # Errors
/// A sentence that says which forces were wrong.
pub fn measure<T: LooseReal>(
    chain: &Chain,
    precision: &'static str,
) -> Result<Vec<Series>, String> {
    let mut all = Vec::new();
    for instructions in Instructions::ALL.into_iter().filter(|&some| is_available(some)) {
        // With plain numbers, one system and an ensemble of one replica are the same loop.
        if instructions > Instructions::Scalar {
            all.push(one_system::<T>(chain, precision, instructions)?);
        }
        all.push(ensemble::<T>(chain, precision, instructions)?);
    }
    Ok(all)
}

fn one_system<T: LooseReal>(
    chain: &Chain,
    precision: &'static str,
    instructions: Instructions,
) -> Result<Series, String> {
    let replicas = chain.replicas::<T>(1);
    let near = chain.neighbours(&replicas);
    let beads = &replicas[0];
    let mut variants: Vec<Box<dyn Variant>> = vec![
        Box::new(Broadcast::<T>::new("K = 1", instructions, chain, beads, &near)),
        Box::new(Tiles::<T, Four, Engine>::new(RULE, instructions, chain, beads, &near)),
        Box::new(Tiles::<T, Eight, Engine>::new("K = 8", instructions, chain, beads, &near)),
        Box::new(WholeTiles(Tiles::<T, Four, Engine>::new(
            IMPROVED,
            instructions,
            chain,
            beads,
            &near,
        ))),
        Box::new(WholeTiles(Tiles::<T, Four, Short>::new(
            SHORT,
            instructions,
            chain,
            beads,
            &near,
        ))),
        Box::new(LooseTiles::<T, 4, false>::new("loose, 4 × 4", instructions, chain, beads, &near)),
        Box::new(LooseTiles::<T, 8, false>::new("loose, 4 × 8", instructions, chain, beads, &near)),
        Box::new(LooseTiles::<T, 4, true>::new(
            "loose, 4 × 4, estimate",
            instructions,
            chain,
            beads,
            &near,
        )),
        Box::new(LooseTiles::<T, 8, true>::new(
            "loose, 4 × 8, estimate",
            instructions,
            chain,
            beads,
            &near,
        )),
    ];
    let (pairs, errors) = check::<T>(&replicas, &near, &mut variants)?;
    let rows = time(&mut variants, pairs, &errors);
    let (system, mode) = (chain.name, Mode::OneSystem);
    let (beads, instructions) = (beads.len(), instructions.name());
    Ok(Series { system, beads, pairs, mode, precision, instructions, rows })
}

fn ensemble<T: LooseReal>(
    chain: &Chain,
    precision: &'static str,
    instructions: Instructions,
) -> Result<Series, String> {
    let replicas = chain.replicas::<T>(instructions.width::<T>());
    let near = chain.neighbours(&replicas);
    let mut variants: Vec<Box<dyn Variant>> = vec![
        Box::new(Replicas::<T, Engine, 1, false>::new("K = 1", instructions, &replicas, &near)),
        Box::new(Replicas::<T, Engine, 2, false>::new("K = 2", instructions, &replicas, &near)),
        Box::new(Replicas::<T, Engine, 4, false>::new(RULE, instructions, &replicas, &near)),
        Box::new(Replicas::<T, Engine, 8, false>::new("K = 8", instructions, &replicas, &near)),
        Box::new(Replicas::<T, Engine, 4, true>::new(IMPROVED, instructions, &replicas, &near)),
        Box::new(Replicas::<T, Short, 4, true>::new(SHORT, instructions, &replicas, &near)),
        Box::new(LooseReplicas::<T, false>::new("loose", instructions, &replicas, &near)),
        Box::new(LooseReplicas::<T, true>::new("loose, estimate", instructions, &replicas, &near)),
    ];
    let (pairs, errors) = check::<T>(&replicas, &near, &mut variants)?;
    let rows = time(&mut variants, pairs * replicas.len() as f64, &errors);
    let (system, mode) = (chain.name, Mode::Ensemble);
    let (beads, instructions) = (replicas[0].len(), instructions.name());
    Ok(Series { system, beads, pairs, mode, precision, instructions, rows })
}

/// Compares forces of the first and the last replica with plain sums. Returns the mean number of
/// pairs, and the largest error of each variant.
fn check<T: LooseReal>(
    replicas: &[Vec<[f64; 3]>],
    near: &[Vec<usize>],
    variants: &mut [Box<dyn Variant>],
) -> Result<(f64, Vec<f64>), String> {
    let looked_at = [0, replicas.len() - 1];
    let references = looked_at.map(|place| Reference::new(&replicas[place], near, T::EPSILON));
    let pairs = references.iter().map(|reference| reference.pairs as f64).sum::<f64>() / 2.0;
    let mut errors = Vec::new();
    for variant in variants {
        variant.evaluate();
        let mut largest = 0.0_f64;
        for (&place, reference) in looked_at.iter().zip(&references) {
            let error = reference.largest_error(&variant.forces(place), T::EPSILON);
            if error.is_nan() || error > TOLERANCE {
                return Err(format!(
                    "Forces of \"{}\" on a chain of {} beads differ from plain sums by {error:.0} roundings of \
                     their terms, more than {TOLERANCE}: the variant is wrong, its time says nothing.",
                    variant.name(),
                    near.len()
                ));
            }
            largest = largest.max(error);
        }
        errors.push(largest);
    }
    Ok((pairs, errors))
}

/// Times variants in turns; `pairs` are those of an evaluation.
fn time(variants: &mut [Box<dyn Variant>], pairs: f64, errors: &[f64]) -> Vec<Row> {
    let rounds: Vec<u64> = variants.iter_mut().map(|variant| rounds(&mut **variant)).collect();
    // By variant, then repeat: ns a pair.
    let mut times = vec![[0.0; REPEATS]; variants.len()];
    for repeat in 0..REPEATS {
        for _ in 0..TURNS {
            for (number, variant) in variants.iter_mut().enumerate() {
                // Not timed: brings its numbers back into the caches.
                variant.evaluate();
                let start = clock::now();
                for _ in 0..rounds[number] {
                    variant.evaluate();
                }
                let seconds = clock::now() - start;
                times[number][repeat] +=
                    1e9 * seconds / (pairs * rounds[number] as f64 * TURNS as f64);
            }
        }
    }
    let rule = variants.iter().position(|variant| variant.name() == RULE);
    let rule = rule.map_or([f64::NAN; REPEATS], |place| times[place]);
    let row = |(number, name): (usize, String)| {
        let mut ratios = times[number];
        for (ratio, rule) in ratios.iter_mut().zip(rule) {
            *ratio /= rule;
        }
        let mut sorted = times[number];
        sorted.sort_unstable_by(f64::total_cmp);
        Row {
            variant: name,
            nanoseconds: median(times[number]),
            range: [sorted[0], sorted[REPEATS - 1]],
            relative: median(ratios),
            error: errors[number],
        }
    };
    variants.iter().map(|variant| variant.name()).enumerate().map(row).collect()
}

/// Evaluations that fill a turn.
fn rounds(variant: &mut dyn Variant) -> u64 {
    variant.evaluate();
    let mut rounds = 1_u64;
    loop {
        let start = clock::now();
        for _ in 0..rounds {
            variant.evaluate();
        }
        let seconds = clock::now() - start;
        if seconds >= 0.25 * TURN {
            return ((rounds as f64 * TURN / seconds).ceil() as u64).max(1);
        }
        rounds *= 2;
    }
}

fn median(mut numbers: [f64; REPEATS]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[REPEATS / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forces(mut variant: impl Variant) -> Vec<[f64; 3]> {
        variant.evaluate();
        variant.forces(0)
    }

    /// A variant that keeps the rule has the bits of its K with all instructions, alone and in an
    /// ensemble; others differ.
    fn bits_depend_on_k_alone<T: LooseReal>() {
        let chain = Chain::like_titin();
        let replicas = chain.replicas::<T>(1);
        let near = chain.neighbours(&replicas);
        let scalar = Instructions::Scalar;
        let plain = [
            forces(Replicas::<T, Engine, 1, false>::new("", scalar, &replicas, &near)),
            forces(Replicas::<T, Engine, 4, false>::new("", scalar, &replicas, &near)),
            forces(Replicas::<T, Engine, 8, false>::new("", scalar, &replicas, &near)),
        ];
        assert!(plain[0] != plain[1] && plain[1] != plain[2] && plain[0] != plain[2]);
        for some in Instructions::ALL.into_iter().filter(|&some| is_available(some)) {
            let beads = &replicas[0];
            assert_eq!(forces(Broadcast::<T>::new("", some, &chain, beads, &near)), plain[0]);
            let four = Tiles::<T, Four, Engine>::new("", some, &chain, beads, &near);
            assert_eq!(forces(four), plain[1], "{some:?}");
            let four = Tiles::<T, Four, Engine>::new("", some, &chain, beads, &near);
            let mut whole = WholeTiles(four);
            // Sums are zero again after each evaluation.
            whole.evaluate();
            assert_eq!(forces(whole), plain[1], "{some:?}");
            let eight = Tiles::<T, Eight, Engine>::new("", some, &chain, beads, &near);
            assert_eq!(forces(eight), plain[2], "{some:?}");
            let wide = chain.replicas::<T>(some.width::<T>());
            let near = chain.neighbours(&wide);
            assert_eq!(
                forces(Replicas::<T, Engine, 1, false>::new("", some, &wide, &near)),
                plain[0]
            );
            assert_eq!(
                forces(Replicas::<T, Engine, 4, false>::new("", some, &wide, &near)),
                plain[1]
            );
            assert_eq!(
                forces(Replicas::<T, Engine, 8, false>::new("", some, &wide, &near)),
                plain[2]
            );
            assert_eq!(
                forces(Replicas::<T, Engine, 1, true>::new("", some, &wide, &near)),
                plain[0]
            );
            let mut at_once = Replicas::<T, Engine, 4, true>::new("", some, &wide, &near);
            at_once.evaluate();
            assert_eq!(forces(at_once), plain[1], "{some:?}");
        }
    }

    #[test]
    fn bits_depend_on_k_alone_in_both_precisions() {
        bits_depend_on_k_alone::<f32>();
        bits_depend_on_k_alone::<f64>();
    }

    #[test]
    fn all_forces_are_those_of_plain_sums() {
        // Block ends inside of chains of all lengths.
        for length in [3, 16, 21, 34, 41] {
            let chain = Chain::compact("short", length, length / 2, length as u64);
            for instructions in Instructions::ALL.into_iter().filter(|&some| is_available(some)) {
                let series = [
                    one_system::<f32>(&chain, "single", instructions),
                    one_system::<f64>(&chain, "double", instructions),
                    ensemble::<f32>(&chain, "single", instructions),
                    ensemble::<f64>(&chain, "double", instructions),
                ];
                for series in series {
                    let series = series.unwrap();
                    assert!(series.rows.iter().all(|row| row.relative > 0.0));
                }
            }
        }
    }

    #[test]
    fn a_wrong_force_is_found() {
        #[derive(Debug)]
        struct Nothing;

        impl Variant for Nothing {
            fn name(&self) -> String {
                "nothing".to_string()
            }

            fn evaluate(&mut self) {}

            fn forces(&self, _replica: usize) -> Vec<[f64; 3]> {
                vec![[0.0; 3]; 34]
            }
        }

        let chain = Chain::like_ww();
        let replicas = chain.replicas::<f32>(2);
        let near = chain.neighbours(&replicas);
        let message = check::<f32>(&replicas, &near, &mut [Box::new(Nothing)]).unwrap_err();
        assert!(message.contains("\"nothing\"") && message.contains("34 beads"), "{message}");
    }
}
