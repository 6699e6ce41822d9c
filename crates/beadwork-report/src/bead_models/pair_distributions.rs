//! Pair distribution functions from the frames of a stage.

use std::f64::consts::PI;
use std::ops::Range;

use beadwork_analysis::pair_distribution::PairDistribution;
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Boundary, NearPairs, System, Units};
use beadwork_session::Error;
use rayon::prelude::*;

use crate::frames::{self, Threads};
use crate::rows::PointMembers;

/// Pairs are counted up to so many times the largest cutoff, and not beyond half of the shortest side.
const CUTOFFS: f64 = 3.0;
const BINS: usize = 200;
/// The most pairs that are counted, over all frames of a point.
const MOST_PAIRS: f64 = 5e8;

/// Of a frame with so many beads, each thread counts the pairs of a share.
const LARGE: usize = 8_192;

/// Where a curve is, its value there, and the standard error of the value if it is known.
pub(super) type Point = (f64, f64, Option<f64>);

/// g(r) of beads of two types.
#[derive(Clone, Debug)]
pub(super) struct PairDistributionCurve {
    /// The names of the types.
    pub types: [String; 2],
    /// The distance in the unit of tables, g, and its standard error if it is known.
    pub points: Vec<Point>,
    /// The longest bond between beads of these types in any frame, in the unit of tables.
    pub longest_bond: Option<f64>,
}

/// The counts of frames, and the longest bond of each pair of types; 0 where there is none.
#[derive(Clone)]
struct Counted {
    pairs: PairDistribution,
    bonds: Vec<f64>,
}

impl Counted {
    fn merge(&mut self, other: &Counted) {
        self.pairs.merge(&other.pairs);
        self.bonds.iter_mut().zip(&other.bonds).for_each(|(own, other)| *own = own.max(*other));
    }
}

/// g(r) of each pair of types from the frames of a stage; none without frames.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    stage: usize,
) -> Result<Vec<PairDistributionCurve>, Error> {
    let system = &of_point.point.system;
    let Boundary::Periodic { lengths } = system.boundary else { return Ok(Vec::new()) };
    if !system.interactions.act_on_pairs() {
        return Ok(Vec::new());
    }
    let shortest = lengths.into_iter().fold(f64::INFINITY, f64::min);
    let reach = (CUTOFFS * system.interactions.pair_cutoffs().largest()).min(0.5 * shortest);
    let volume: f64 = lengths.iter().product();
    let kinds = system.types.len();
    let empty = Counted {
        pairs: PairDistribution::new(beads_of_types(system), volume, reach, BINS),
        bonds: vec![0.0; kinds * kinds],
    };
    let bonds = system.bonds();
    let beads = system.beads() as f64;
    let pairs_a_frame = 0.5 * beads * beads / volume * 4.0 / 3.0 * PI * reach.powi(3);
    let most_frames = MOST_PAIRS / pairs_a_frame / of_point.members.len() as f64;
    let threads = match system.beads() < LARGE {
        true => Threads::ForReplicas,
        false => Threads::ForFrames,
    };
    let blocks =
        frames::in_blocks(of_point, stage, most_frames, threads, &empty, |block, positions| {
            block.merge(&of_frame(&empty, system, &bonds, positions, reach));
        })?;
    if blocks.iter().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    Ok(curves(system, &empty, &blocks))
}

pub(super) fn beads_of_types(system: &System) -> Vec<usize> {
    let mut beads = vec![0; system.types.len()];
    system.particles.types.iter().for_each(|&kind| beads[usize::from(kind)] += 1);
    beads
}

/// The pairs of a frame; `empty` has none.
fn of_frame(
    empty: &Counted,
    system: &System,
    bonds: &[(usize, usize)],
    positions: &[[f64; 3]],
    reach: f64,
) -> Counted {
    let types = &system.particles.types;
    let near = NearPairs::new(system.boundary, positions.len(), |bead| positions[bead], reach);
    let of_share = |beads: Range<usize>| {
        let mut counts = empty.pairs.clone();
        near.pairs(beads, |i, j, square| {
            counts.add_pair(usize::from(types[i]), usize::from(types[j]), square);
        });
        counts
    };
    let merged = |mut all: PairDistribution, share: PairDistribution| {
        all.merge(&share);
        all
    };
    let shares = near.shares().into_par_iter().map(of_share);
    let mut frame =
        Counted { pairs: shares.reduce(|| empty.pairs.clone(), merged), ..empty.clone() };
    frame.pairs.end_frame();
    let kinds = system.types.len();
    for &(i, j) in bonds {
        let length = system.boundary.squared_distance(positions[i], positions[j]).sqrt();
        let (a, b) = (usize::from(types[i]), usize::from(types[j]));
        let longest = &mut frame.bonds[a.min(b) * kinds + a.max(b)];
        *longest = longest.max(length);
    }
    frame
}

/// The mean of all frames, with the standard error of the means of blocks of each replica.
fn curves(system: &System, empty: &Counted, blocks: &[Vec<Counted>]) -> Vec<PairDistributionCurve> {
    let mut all = empty.clone();
    blocks.iter().flatten().for_each(|block| all.merge(block));
    let unit = match system.units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    };
    let labels = system.type_labels();
    let kinds = labels.len();
    let mut curves = Vec::new();
    for a in 0..kinds {
        for b in a..kinds {
            let Some(values) = all.pairs.values(a, b) else { continue };
            let of_replica = |blocks: &Vec<Counted>| -> Vec<Vec<f64>> {
                blocks.iter().filter_map(|block| block.pairs.values(a, b)).collect()
            };
            let of_blocks: Vec<Vec<Vec<f64>>> = blocks.iter().map(of_replica).collect();
            let point = |(bin, (distance, g)): (usize, (f64, f64))| {
                let average = frames::average(&of_blocks, |block| block[bin]);
                (distance / unit, g, average.and_then(|average| average.error))
            };
            let points =
                all.pairs.distances().into_iter().zip(values).enumerate().map(point).collect();
            let types = [a, b].map(|kind| labels[kind].clone());
            let longest = Some(all.bonds[a * kinds + b]).filter(|length| *length > 0.0);
            let longest_bond = longest.map(|length| length / unit);
            curves.push(PairDistributionCurve { types, points, longest_bond });
        }
    }
    curves
}
