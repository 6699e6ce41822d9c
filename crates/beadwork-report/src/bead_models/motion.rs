//! Mean squared displacements and diffusion coefficients from the frames of a stage.

use std::ops::Range;

use beadwork_analysis::displacements::{diffusion, exponent, is_slope, lags, mean_squares};
use beadwork_analysis::numbers::fixed;
use beadwork_analysis::statistics::{mean, standard_error};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{System, Units, positions_of};
use beadwork_session::Error;
use rayon::prelude::*;

use super::pair_distributions::Point;
use super::species::{self, Species};
use crate::data::Value;
use crate::frames;
use crate::rows::{BegunMember, PointMembers, samples};

/// Blocks of frames, in all replicas. Displacements end at the length of a block, so they are few: eight give an error that is
/// known to a quarter.
const BLOCKS: usize = 8;
/// Where frames are few, so are blocks: each has as many frames at least.
const LEAST_FRAMES: usize = 3;
/// The most numbers of frames that are in memory, 4 bytes each.
const MOST_NUMBERS: usize = 60_000_000;
/// An exponent of growth that differs by more from 1 is reported, if its error does not explain it.
const NOT_DIFFUSIVE: f64 = 0.1;

/// How far beads of a type, or centres of molecules, move.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// The type, or the kind of molecule with `centres of`.
    pub(super) of: String,
    /// Time, mean squared displacement and its error, in the units of tables.
    pub(super) points: Vec<Point>,
    /// The diffusion coefficient and its error.
    pub(super) coefficient: (f64, Option<f64>),
    pub(super) exponent: Option<f64>,
    /// Blocks of frames in all replicas.
    pub(super) blocks: usize,
}

/// What is followed: beads of a type, each a molecule of its own, or whole molecules.
struct Followed {
    pub(super) of: String,
    pub(super) beads: Vec<u32>,
    /// The places in `beads` of each group.
    pub(super) groups: Vec<Range<usize>>,
}

/// The motion of each type and kind of molecule, or why there is none.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    stage: usize,
) -> Result<Result<Vec<Motion>, String>, Error> {
    let (point, replicas) = (of_point.point, of_point.members.len());
    let in_words = of_point.stage_in_words();
    let absent = |why: &str| Ok(Err(format!("no mean squared displacements and diffusion, {why}")));
    let Some((every, _)) = of_point.request.output.trajectory else {
        return absent(
            "since there is no trajectory: write trajectory = { every_steps = … } in [output]",
        );
    };
    if !point.protocol.stages.get(stage).is_some_and(samples) {
        return absent(&format!("since {in_words} is a minimisation, in which no time passes"));
    }
    let regular = |member: &BegunMember<'_>| -> Result<Vec<usize>, Error> {
        let frames = frames::steps_of_stage(of_point, member, stage)?.unwrap_or_default();
        Ok(at_intervals(&frames, every))
    };
    let chosen: Vec<Vec<usize>> = of_point.members.iter().map(regular).collect::<Result<_, _>>()?;
    let most_frames = chosen.iter().map(Vec::len).max().unwrap_or(0);
    let block = most_frames / BLOCKS.div_ceil(replicas).min(most_frames / LEAST_FRAMES).max(1);
    if block < 2 {
        return absent(&format!(
            "since the replicas have at most {most_frames} frame(s) of {in_words}: write them more often, or make it longer"
        ));
    }
    let at_once = replicas.min(rayon::current_num_threads());
    let followed = followed(&point.system, MOST_NUMBERS / (3 * most_frames * at_once));
    let lags = lags(block - 1);
    let one = |(member, chosen): (&BegunMember<'_>, &Vec<usize>)| {
        let series = positions(of_point, member, chosen, &followed)?;
        let of_block = |number: usize| -> Vec<Vec<f64>> {
            let range = number * block..(number + 1) * block;
            series.iter().map(|frames| mean_squares(&frames[range.clone()], &lags)).collect()
        };
        let blocks = series.first().map_or(0, |frames| frames.len() / block);
        Ok((0..blocks).map(of_block).collect())
    };
    let members = of_point.members.par_iter().zip(&chosen);
    let blocks: Vec<Vec<Vec<Vec<f64>>>> = members.map(one).collect::<Result<_, Error>>()?;
    let blocks = blocks.concat();
    if blocks.is_empty() {
        let why = format!("since no replica has as many frames of {in_words} as the others");
        return absent(&why);
    }
    let units = point.system.units;
    let interval = units.time_in_tables(every as f64 * point.protocol.dynamics.timestep);
    let times: Vec<f64> = lags.iter().map(|&lag| lag as f64 * interval).collect();
    let length = match units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    };
    let motion = |(number, followed): (usize, Followed)| {
        let squares = |block: &Vec<Vec<f64>>| -> Vec<f64> {
            block[number].iter().map(|square| square / (length * length)).collect()
        };
        let of_blocks: Vec<Vec<f64>> = blocks.iter().map(squares).collect();
        Motion::new(followed.of, &times, &of_blocks)
    };
    Ok(Ok(followed.into_iter().enumerate().map(motion).collect()))
}

/// The numbers of those frames that follow each other after `every` steps. A failure, or the end of a stage, may have a frame
/// between two of them. Steps of a minimisation count, so the first of the frames may be at any step.
fn at_intervals(frames: &[(usize, u64)], every: u64) -> Vec<usize> {
    let at = |offset: u64| frames.iter().filter(move |(_, step)| step % every == offset);
    let offsets = frames.iter().map(|(_, step)| step % every);
    let most = offsets.max_by_key(|&offset| at(offset).count());
    most.map_or_else(Vec::new, |offset| at(offset).map(|(frame, _)| *frame).collect())
}

/// At most so many beads and molecules, evenly chosen.
fn followed(system: &System, most: usize) -> Vec<Followed> {
    let mut all: Vec<Followed> = Vec::new();
    for (kind, of) in system.type_labels().into_iter().enumerate() {
        let is_of = |bead: &usize| usize::from(system.particles.types[*bead]) == kind;
        let beads: Vec<u32> = (0..system.beads()).filter(is_of).map(|bead| bead as u32).collect();
        let groups = (0..beads.len()).map(|place| place..place + 1).collect();
        all.push(Followed { of, beads, groups });
    }
    for Species { name, beads, molecules } in species::of_system(system) {
        all.push(Followed { of: format!("centres of {name}"), beads, groups: molecules });
    }
    all.retain(|followed| !followed.groups.is_empty());
    let most = (most / all.len().max(1)).max(1);
    for followed in &mut all {
        let stride = followed.groups.len().div_ceil(most);
        followed.groups = followed.groups.iter().step_by(stride).cloned().collect();
    }
    all
}

/// The positions of all that is followed, in each of the chosen frames: those of centres of mass of molecules.
fn positions(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    chosen: &[usize],
    followed: &[Followed],
) -> Result<Vec<Vec<Vec<[f32; 3]>>>, Error> {
    let system = &of_point.point.system;
    let mut series = vec![Vec::new(); followed.len()];
    let Some((_, kind)) = of_point.request.output.trajectory else { return Ok(series) };
    frames::read(member, kind, chosen, |_, frame| {
        if frame.len() == system.beads() {
            for (series, followed) in series.iter_mut().zip(followed) {
                let centre = |group: &Range<usize>| {
                    centre(system, frame, &followed.beads[group.clone()]).map(|x| x as f32)
                };
                series.push(followed.groups.iter().map(centre).collect());
            }
        }
    })?;
    Ok(series)
}

fn centre(system: &System, frame: &[[f64; 3]], beads: &[u32]) -> [f64; 3] {
    if let [bead] = beads {
        return frame[*bead as usize];
    }
    let masses = || beads.iter().map(|&bead| system.mass(bead as usize));
    let total: f64 = masses().sum();
    let mut centre = [0.0; 3];
    for (mass, position) in masses().zip(positions_of(frame, beads).iter()) {
        for axis in 0..3 {
            centre[axis] += mass / total * position[axis];
        }
    }
    centre
}

impl Motion {
    fn new(of: String, times: &[f64], blocks: &[Vec<f64>]) -> Motion {
        let point = |(lag, &time): (usize, &f64)| {
            let values: Vec<f64> = blocks.iter().map(|block| block[lag]).collect();
            (time, mean(&values).unwrap_or(f64::NAN), standard_error(&values))
        };
        let points: Vec<Point> = times.iter().enumerate().map(point).collect();
        let squares: Vec<f64> = points.iter().map(|point| point.1).collect();
        let of_blocks: Vec<f64> =
            blocks.iter().filter_map(|block| diffusion(times, block)).collect();
        let value = diffusion(times, &squares).unwrap_or(f64::NAN);
        Motion {
            of,
            points,
            coefficient: (value, standard_error(&of_blocks)),
            exponent: exponent(times, &squares),
            blocks: blocks.len(),
        }
    }

    /// Whether the coefficient is that of a slope, not of the longest time alone.
    fn has_slope(&self) -> bool {
        is_slope(&self.points.iter().map(|point| point.0).collect::<Vec<f64>>())
    }

    /// Whether displacements grow otherwise than in diffusion, by more than their error explains.
    fn is_not_diffusive(&self) -> bool {
        let error = self.points.last().map_or(0.0, |(_, square, error)| {
            error.unwrap_or(0.0) / square / std::f64::consts::LN_2
        });
        self.exponent.is_some_and(|found| (found - 1.0).abs() > NOT_DIFFUSIVE + 3.0 * error)
    }
}

/// Diffusion coefficients.
pub(super) fn values(all: &[Motion], units: Units) -> impl Iterator<Item = Value> + use<'_> {
    let unit = if units == Units::Real { "nm²/ns" } else { "" };
    all.iter().map(move |motion| {
        let (value, error) = motion.coefficient;
        let value = Value::new("diffusion_coefficient", "diffusion coefficient", unit, value);
        let independent_values = Some(motion.blocks as f64);
        let of = match motion.has_slope() {
            true => "slope of squared displacements",
            false => "squared displacement over 6 t at the longest time t",
        };
        let blocks = if motion.blocks == 1 { "block" } else { "blocks" };
        let basis = format!("{of} in {} {blocks} of frames", motion.blocks);
        let value = value.of(motion.of.as_str()).with_error(error).from(basis);
        Value { independent_values, ..value }
    })
}

/// A note if too few times stand behind diffusion coefficients for a slope. All have the same times.
pub(super) fn few_times(all: &[Motion]) -> Option<String> {
    let motion = all.iter().find(|motion| !motion.has_slope())?;
    Some(format!(
        "diffusion coefficients rest on displacements over {} time(s), too few for a slope: they are the square over 6 t at the longest time, which free flight and cages change; write frames more often, or make the stage longer",
        motion.points.len()
    ))
}

/// A note if displacements grow otherwise than in diffusion.
pub(super) fn not_diffusive(all: &[Motion]) -> Option<String> {
    let slow = all.iter().filter(|motion| motion.is_not_diffusive());
    let slow: Vec<String> = slow
        .map(|motion| {
            format!("{} (t^{})", motion.of, fixed(motion.exponent.unwrap_or(f64::NAN), 2))
        })
        .collect();
    (!slow.is_empty()).then(|| {
        format!(
            "squared displacements do not grow as t but otherwise in {}, so that diffusion coefficients are those of this time scale: make the stage longer",
            slow.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A minimisation of 37 steps, frames every 100, and the last one at the end of the stage.
    #[test]
    fn frames_after_a_minimisation_follow_each_other() {
        let frames = [(1, 137), (2, 237), (3, 337), (4, 360)];
        assert_eq!(at_intervals(&frames, 100), [1, 2, 3]);
        assert!(at_intervals(&[], 100).is_empty());
    }

    /// Squares 6 D t + b with D = 1 and b = 6: the slope knows D, two times do not.
    #[test]
    fn words_say_whether_a_coefficient_is_a_slope() {
        let motion = |count: u32| {
            let times: Vec<f64> = (1..=count).map(f64::from).collect();
            let squares: Vec<f64> = times.iter().map(|time| 6.0 * time + 6.0).collect();
            [Motion::new("A".into(), &times, &[squares.clone(), squares])]
        };
        let basis = |of: &[Motion]| values(of, Units::Reduced).next().unwrap().basis;
        let [few, many] = [motion(2), motion(3)];
        assert_eq!([few[0].coefficient.0, many[0].coefficient.0].map(f64::round), [2.0, 1.0]);
        assert!(basis(&few).starts_with("squared displacement over 6 t"), "{}", basis(&few));
        assert!(basis(&many).starts_with("slope of squared displacements in 2 blocks"));
        let single = [Motion::new("A".into(), &[1.0], &[vec![6.0]])];
        assert!(basis(&single).ends_with(" in 1 block of frames"), "{}", basis(&single));
        assert!(few_times(&few).unwrap().contains("over 2 time(s)"));
        assert_eq!(few_times(&many), None);
    }
}
