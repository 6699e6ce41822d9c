//! The mean of the curves of replicas, by bins of deformation.

use std::collections::BTreeMap;

use beadwork_analysis::statistics::{mean, standard_error};

use super::replicas::{IndentedCycle, IndentedGroup, Point, Way};
use crate::words::round_width;

/// Bins between contact and the largest deformation, at most.
const MOST_BINS: usize = 50;
/// A bin should have so many points of each replica.
const POINTS_IN_BIN: usize = 4;

/// The mean over replicas in a bin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BinMean {
    /// From 0.
    pub cycle: usize,
    pub way: Way,
    /// The middle of the bin.
    pub deformation: f64,
    /// The mean of the replicas for each of [`AgainstDeformation`](super::replicas::AgainstDeformation); NaN if it is not measured.
    pub means: [f64; 4],
    /// Their standard errors, with two replicas or more.
    pub errors: [Option<f64>; 4],
    /// Replicas with points in the bin.
    pub replicas: usize,
}

impl IndentedGroup {
    /// The width of a bin; `None` if no replica came into contact.
    pub(super) fn bin_width(&self) -> Option<f64> {
        let approaches = || self.members.iter().flat_map(|member| &member.cycles);
        let depths = |cycle: &IndentedCycle| -> Vec<f64> {
            let depths = cycle.points[0].iter().map(|point| point[0]);
            depths.filter(|depth| *depth >= 0.0).collect()
        };
        let all: Vec<Vec<f64>> = approaches().map(depths).filter(|all| !all.is_empty()).collect();
        let deepest = all.iter().flatten().copied().fold(0.0, f64::max);
        let fewest = all.iter().map(Vec::len).min()?;
        let bins = (fewest / POINTS_IN_BIN).clamp(1, MOST_BINS);
        (deepest > 0.0).then(|| round_width(deepest / bins as f64))
    }

    /// The mean curve: cycle by cycle, approach before retraction, by rising deformation. It begins as far before contact as it
    /// ends behind it. Each replica weighs the same in a bin; bins in which half of those that come into contact, or fewer, have been are left out.
    pub(super) fn mean_curve(&self) -> Vec<BinMean> {
        let Some(width) = self.bin_width() else { return Vec::new() };
        let mut means = Vec::new();
        for cycle in 0..self.cycles() {
            for way in [Way::Approach, Way::Retraction] {
                let touched = self.cycle(cycle).filter(|cycle| cycle.pressed.has_contact());
                let curves = touched.map(|cycle| cycle.points[way as usize].as_slice());
                let curves: Vec<&[Point]> = curves.filter(|points| !points.is_empty()).collect();
                means.extend(of_way(&curves, width).into_iter().map(|bin| BinMean {
                    cycle,
                    way,
                    ..bin
                }));
            }
        }
        let deepest = means.iter().map(|bin| bin.deformation).fold(0.0, f64::max);
        means.retain(|bin| bin.deformation >= -deepest);
        means
    }
}

/// The mean of curves in bins of a width.
fn of_way(curves: &[&[Point]], width: f64) -> Vec<BinMean> {
    let mut bins: BTreeMap<i64, [Vec<f64>; 4]> = BTreeMap::new();
    for curve in curves {
        let mut own: BTreeMap<i64, [Vec<f64>; 4]> = BTreeMap::new();
        for [depth, values @ ..] in *curve {
            let bin = own.entry((depth / width).floor() as i64).or_default();
            bin.iter_mut().zip(values).for_each(|(bin, value)| bin.push(*value));
        }
        for (place, of_member) in own {
            let bin = bins.entry(place).or_default();
            bin.iter_mut().zip(of_member).for_each(|(bin, values)| bin.extend(mean(&values)));
        }
    }
    let of_bin = |(place, values): (i64, [Vec<f64>; 4])| {
        let replicas = values[0].len();
        (2 * replicas > curves.len()).then(|| BinMean {
            cycle: 0,
            way: Way::Approach,
            deformation: (place as f64 + 0.5) * width,
            means: values.each_ref().map(|values| mean(values).unwrap_or(f64::NAN)),
            errors: values.each_ref().map(|values| standard_error(values)),
            replicas,
        })
    };
    bins.into_iter().filter_map(of_bin).collect()
}
