//! Pair distribution functions from the frames of the last stage.

use std::f64::consts::PI;
use std::fmt::Write as _;

use beadwork_analysis::pair_distribution::PairDistribution;
use beadwork_analysis::statistics::standard_error;
use beadwork_input::TrajectoryKind;
use beadwork_io::table::quoted;
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Boundary, System, Units, near_pairs};
use beadwork_session::Error;
use rayon::prelude::*;

use super::{Group, frames};
use crate::rows::{Member, PointMembers};

/// Pairs are counted up to so many times the largest cutoff, and not beyond half of the shortest side.
const CUTOFFS: f64 = 3.0;
const BINS: usize = 200;
/// Blocks of frames, in all, from which errors are found.
const BLOCKS: usize = 20;
/// The most pairs that are counted, over all frames of a point.
const MOST_PAIRS: f64 = 5e8;

/// g(r) of beads of two types.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// The names of the types.
    pub types: [String; 2],
    /// The distance in the unit of tables, g, and its standard error if it is known.
    pub points: Vec<(f64, f64, Option<f64>)>,
}

/// g(r) of each pair of types from the frames of the last stage, and a note if there are no such frames.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    last: usize,
) -> Result<(Vec<Curve>, Option<String>), Error> {
    let system = &of_point.point.system;
    let Boundary::Periodic { lengths } = system.boundary else { return Ok((Vec::new(), None)) };
    if !system.interactions.act_on_pairs() {
        return Ok((Vec::new(), None));
    }
    let kind = match of_point.request.output.trajectory {
        Some((_, TrajectoryKind::Gsd)) => {
            let note = "pair distributions are not read from GSD: write format = \"dcd\" in `trajectory` for them";
            return Ok((Vec::new(), Some(note.to_string())));
        }
        Some((_, kind)) => kind,
        None => return Ok((Vec::new(), None)),
    };
    let shortest = lengths.into_iter().fold(f64::INFINITY, f64::min);
    let reach = (CUTOFFS * system.interactions.pair_cutoffs().largest()).min(0.5 * shortest);
    let volume: f64 = lengths.iter().product();
    let empty = PairDistribution::new(beads_of_types(system), volume, reach, BINS);
    let beads = system.beads() as f64;
    let pairs_a_frame = 0.5 * beads * beads / volume * 4.0 / 3.0 * PI * reach.powi(3);
    let replicas = of_point.members.len();
    let most_frames = (MOST_PAIRS / pairs_a_frame / replicas as f64).max(1.0) as usize;
    let one = |member: &Member<'_>| -> Result<Vec<PairDistribution>, Error> {
        let chosen = frames::of_stage(of_point, member, last)?.unwrap_or_default();
        let stride = chosen.len().div_ceil(most_frames).max(1);
        let chosen: Vec<usize> = chosen.into_iter().step_by(stride).collect();
        let blocks = BLOCKS.div_ceil(replicas).min(chosen.len());
        let mut found = vec![empty.clone(); blocks];
        frames::read(member, kind, &chosen, |place, positions| {
            if positions.len() == system.beads() {
                add(&mut found[place * blocks / chosen.len()], system, positions, reach);
            }
        })?;
        found.retain(|block| block.frames() > 0);
        Ok(found)
    };
    let blocks: Vec<Vec<PairDistribution>> =
        of_point.members.par_iter().map(one).collect::<Result<_, _>>()?;
    let blocks = blocks.concat();
    if blocks.is_empty() {
        let note =
            "no replica has frames of the last stage, so that pair distributions are unknown";
        return Ok((Vec::new(), Some(note.to_string())));
    }
    Ok((curves(system, &empty, &blocks), None))
}

fn beads_of_types(system: &System) -> Vec<usize> {
    let mut beads = vec![0; system.types.len()];
    system.particles.types.iter().for_each(|&kind| beads[usize::from(kind)] += 1);
    beads
}

/// Adds the pairs of a frame.
fn add(to: &mut PairDistribution, system: &System, positions: &[[f64; 3]], reach: f64) {
    let (boundary, types) = (system.boundary, &system.particles.types);
    near_pairs(
        boundary,
        positions.len(),
        |bead| positions[bead],
        reach,
        |i, partners| {
            for &j in partners {
                let j = j as usize;
                let square = boundary.squared_distance(positions[i], positions[j]);
                to.add_pair(usize::from(types[i]), usize::from(types[j]), square);
            }
        },
    );
    to.end_frame();
}

/// The mean of all frames, with the standard error of the means of blocks.
fn curves(system: &System, empty: &PairDistribution, blocks: &[PairDistribution]) -> Vec<Curve> {
    let mut all = empty.clone();
    blocks.iter().for_each(|block| all.merge(block));
    let unit = match system.units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    };
    let kinds = system.types.len();
    let mut curves = Vec::new();
    for a in 0..kinds {
        for b in a..kinds {
            let Some(values) = all.values(a, b) else { continue };
            let of_blocks: Vec<Vec<f64>> =
                blocks.iter().filter_map(|block| block.values(a, b)).collect();
            let point = |(bin, (distance, g)): (usize, (f64, f64))| {
                let values: Vec<f64> = of_blocks.iter().map(|block| block[bin]).collect();
                (distance / unit, g, standard_error(&values))
            };
            let points = all.distances().into_iter().zip(values).enumerate().map(point).collect();
            let types = [a, b].map(|kind| system.types[kind].name.clone());
            curves.push(Curve { types, points });
        }
    }
    curves
}

/// `pair-distributions.csv`.
pub(super) fn table(groups: &[Group]) -> String {
    let unit = match groups.first().map(|group| group.units) {
        Some(Units::Real) => "_nm",
        _ => "",
    };
    let mut text = format!("group,type,other_type,distance{unit},g,standard_error\n");
    for group in groups {
        let name = quoted(&group.name);
        for Curve { types, points } in &group.pair_distributions {
            let [first, second] = types.each_ref().map(|name| quoted(name));
            for (distance, g, error) in points {
                let error = error.map(|error| error.to_string()).unwrap_or_default();
                let _ = writeln!(text, "{name},{first},{second},{distance},{g},{error}");
            }
        }
    }
    text
}
