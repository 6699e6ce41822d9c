//! Ladders that are too many to be reweighted at once: batches of them, and the average of their curves.

use std::ops::Range;

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Peak, Point, Reweighted, parabola_top};

use super::curves::{Curves, growth, heat_capacity};

/// Temperatures of which samples are reweighted together: the work grows with their third power.
pub(super) const MOST_TOGETHER: usize = 512;

/// The batches in which ladders are reweighted that are too many to be reweighted at once: as many ladders in each, or one
/// more.
///
/// More batches are better than fewer, since errors come from how they differ. Each has fewer ladders than an error of its
/// own would need, so that no time is spent on leaving ladders out.
pub(super) fn batches(ladders: usize, rungs: usize) -> Vec<Range<usize>> {
    let most = (MOST_TOGETHER / rungs).clamp(1, LEAST_BLOCKS - 1);
    let count = ladders.div_ceil(most).max(LEAST_BLOCKS).min(ladders);
    let edge = |batch: usize| batch * ladders / count;
    (0..count).map(|batch| edge(batch)..edge(batch + 1)).collect()
}

/// The mean over batches. Its error comes from how they differ; of few, from their own errors in quadrature.
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

/// The peak of one of the averaged curves. Its error comes from the averages without one batch after another; of few, from
/// those of their own peaks. Without a peak there, the error is not known.
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

/// Place and height of the highest value of a curve whose temperatures have the same ratio everywhere, by the parabola
/// through it and its neighbours; `None` at an end.
fn top(temperatures: &[f64], values: &[f64]) -> Option<(f64, f64)> {
    let highest = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    if highest == 0 || highest + 1 == values.len() || !values[highest].is_finite() {
        return None;
    }
    let (shift, height) = parabola_top([values[highest - 1], values[highest], values[highest + 1]]);
    let ratio = temperatures[highest + 1] / temperatures[highest];
    Some((temperatures[highest] * ratio.powf(shift), height))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::curves::GRID;
    use super::*;

    /// Curves of a specific heat that is a parabola in ln T about a place, with errors, and of a size whose growth is
    /// one about the mirrored place.
    pub fn parabola(place: f64) -> Curves {
        let exact = |value: f64| Estimate { value, error: Some(0.1), freedom: f64::INFINITY };
        let point = |step: usize| {
            let temperature = (step as f64 / (GRID - 1) as f64).exp();
            let about = |place: f64| exact(2.0 - (temperature.ln() - place).powi(2));
            Point {
                temperature,
                energy: exact(temperature),
                heat_capacity_per_bead: about(place),
                observables: vec![Reweighted {
                    mean: exact(temperature),
                    temperature_derivative: about(1.0 - place),
                }],
                effective_samples: 1.0,
            }
        };
        let peak = |place: f64| {
            let peak = Peak { temperature: exact(place.exp()), height: exact(2.0) };
            (place > 0.0 && place < 1.0).then_some(peak)
        };
        Curves {
            points: (0..GRID).map(point).collect(),
            peak: peak(place),
            growth: peak(1.0 - place),
            rival: None,
            ladders: 1,
        }
    }

    #[test]
    fn no_batch_is_a_rest() {
        for (ladders, rungs) in [(129, 16), (64, 64), (65, 8), (9, 60), (3, 200), (8, 600)] {
            let batches = batches(ladders, rungs);
            let sizes: Vec<usize> = batches.iter().map(ExactSizeIterator::len).collect();
            let (least, most) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
            assert!(least > 0 && most - least <= 1, "{sizes:?}");
            assert!(most == 1 || most * rungs <= MOST_TOGETHER, "{sizes:?}");
            assert!(sizes.len() >= LEAST_BLOCKS.min(ladders), "{sizes:?}");
            assert_eq!(
                batches.into_iter().flatten().collect::<Vec<_>>(),
                Vec::from_iter(0..ladders)
            );
        }
    }

    /// A batch whose curve only falls has its share in the average, and does not take the peak away.
    #[test]
    fn one_batch_without_a_peak() {
        for (batches, last) in [(8, 0.5), (8, -0.1), (4, 0.5), (4, -0.1)] {
            let mut places = vec![0.3; batches - 1];
            places.push(last);
            let curves: Vec<Curves> = places.iter().map(|place| parabola(*place)).collect();
            let averaged = average(&curves);
            // The mean of parabolas has its top at the mean of their tops, lower by their variance.
            let count = batches as f64;
            let middle = places.iter().sum::<f64>() / count;
            let squares: f64 = places.iter().map(|place| (place - middle).powi(2)).sum();
            for (peak, centre) in [(averaged.peak, middle), (averaged.growth, 1.0 - middle)] {
                let peak = peak.unwrap();
                assert!((peak.temperature.value - centre.exp()).abs() < 1e-9, "{peak:?}");
                assert!((peak.height.value - (2.0 - squares / count)).abs() < 1e-9, "{peak:?}");
                match (batches, last > 0.0) {
                    (8, _) => {
                        // To first order, the standard error of the place.
                        let error = centre.exp() * (squares / count / (count - 1.0)).sqrt();
                        assert!((peak.temperature.error.unwrap() / error - 1.0).abs() < 0.1);
                    }
                    (_, true) => assert_eq!(peak.temperature.error, Some(0.05)),
                    (_, false) => assert_eq!(peak.temperature.error, None),
                }
            }
        }
        let without = average(&[parabola(-0.1), parabola(0.0)]);
        assert!(without.peak.is_none() && without.growth.is_none());
    }
}
