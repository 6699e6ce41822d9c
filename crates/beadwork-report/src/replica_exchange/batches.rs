//! Batches of ladders, for more temperatures than can be reweighted at once, and the averages of their curves.

use std::ops::Range;

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Peak, Point, Reweighted, parabola_top};

use super::curves::{Curves, growth, heat_capacity};

/// The largest number of temperatures reweighted together; the work grows with its third power.
pub(super) const MOST_TOGETHER: usize = 512;

/// Divides ladders evenly into batches. Many batches are better than few, because errors come from their differences. A batch
/// has fewer ladders than an error of its own needs, so that no time is spent on leaving ladders out.
pub(super) fn batches(ladders: usize, rungs: usize) -> Vec<Range<usize>> {
    let most = (MOST_TOGETHER / rungs).clamp(1, LEAST_BLOCKS - 1);
    let count = ladders.div_ceil(most).max(LEAST_BLOCKS).min(ladders);
    let edge = |batch: usize| batch * ladders / count;
    (0..count).map(|batch| edge(batch)..edge(batch + 1)).collect()
}

/// The mean of the batches' curves. Its error comes from their differences, or for few batches from their own errors in
/// quadrature.
pub(super) fn average(batches: &[Curves]) -> Curves {
    let mean = |pick: &dyn Fn(&Point) -> Estimate, place: usize| {
        let of_each = batches.iter().map(|batch| pick(&batch.points[place]));
        Estimate::mean(&of_each.collect::<Vec<Estimate>>())
    };
    let point = |place: usize| {
        let first = &batches[0].points[place];
        let observable = |which: usize| Reweighted {
            mean: mean(&|point| point.observables[which].mean, place),
            temperature_derivative: mean(
                &|point| point.observables[which].temperature_derivative,
                place,
            ),
        };
        Point {
            temperature: first.temperature,
            energy: mean(&|point| point.energy, place),
            heat_capacity_per_bead: mean(&|point| point.heat_capacity_per_bead, place),
            observables: (0..first.observables.len()).map(observable).collect(),
            effective_samples: batches.iter().map(|one| one.points[place].effective_samples).sum(),
        }
    };
    let points: Vec<Point> = (0..batches[0].points.len()).map(point).collect();
    let ladders = batches.iter().map(|batch| batch.ladders).sum();
    Curves {
        peak: peak(batches, &points, heat_capacity, |batch| batch.peak.as_ref()),
        growth: peak(batches, &points, growth, |batch| batch.growth.as_ref()),
        rival: None,
        points,
        ladders,
    }
}

/// The peak of an averaged curve. Its error comes from averages that leave out one batch each, or for few batches from the
/// errors of their own peaks; it is unknown if a batch has no peak.
fn peak(
    batches: &[Curves],
    points: &[Point],
    curve: fn(&Point) -> Estimate,
    own: fn(&Curves) -> Option<&Peak>,
) -> Option<Peak> {
    let count = batches.len() as f64;
    let temperatures: Vec<f64> = points.iter().map(|point| point.temperature).collect();
    let of =
        |points: &[Point]| -> Vec<f64> { points.iter().map(|point| curve(point).value).collect() };
    let averaged = of(points);
    let (place, height) = top(&temperatures, &averaged)?;
    if batches.len() >= LEAST_BLOCKS {
        let without = |batch: &Curves| {
            let others = averaged.iter().zip(of(&batch.points));
            let others: Vec<f64> =
                others.map(|(mean, own)| (count * mean - own) / (count - 1.0)).collect();
            top(&temperatures, &others).unwrap_or((f64::NAN, f64::NAN))
        };
        let (places, heights): (Vec<f64>, Vec<f64>) = batches.iter().map(without).unzip();
        return Some(Peak {
            temperature: Estimate::jackknife(place, &places),
            height: Estimate::jackknife(height, &heights),
        });
    }
    let unknown = Estimate { value: f64::NAN, error: None, freedom: 0.0 };
    let none = Peak { temperature: unknown, height: unknown };
    let own: Vec<Peak> = batches.iter().map(|batch| own(batch).copied().unwrap_or(none)).collect();
    let averaged = |value: f64, pick: fn(&Peak) -> Estimate| Estimate {
        value,
        ..Estimate::mean(&own.iter().map(pick).collect::<Vec<Estimate>>())
    };
    Some(Peak {
        temperature: averaged(place, |peak| peak.temperature),
        height: averaged(height, |peak| peak.height),
    })
}

/// Temperature and height of a curve's maximum, from the parabola through the highest value and its neighbours; `None` at an
/// end. The ratio of successive temperatures is constant.
fn top(temperatures: &[f64], values: &[f64]) -> Option<(f64, f64)> {
    let highest = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    if highest == 0 || highest + 1 == values.len() || !values[highest].is_finite() {
        return None;
    }
    let (shift, height) = parabola_top([values[highest - 1], values[highest], values[highest + 1]]);
    let ratio = temperatures[highest + 1] / temperatures[highest];
    Some((temperatures[highest] * ratio.powf(shift), height))
}
