//! Averages over batches of ladders.

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Peak, Point, Reweighted};

use crate::replica_exchange::batches::{MOST_TOGETHER, average, batches};
use crate::replica_exchange::curves::Curves;
use crate::replica_exchange::reweighted::GRID;

/// Curves with errors: the specific heat is a parabola in ln T around `place`, the growth of the size one around the
/// mirrored place.
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
fn batches_differ_by_at_most_one_ladder() {
    for (ladders, rungs) in [(129, 16), (64, 64), (65, 8), (9, 60), (3, 200), (8, 600)] {
        let batches = batches(ladders, rungs);
        let sizes: Vec<usize> = batches.iter().map(ExactSizeIterator::len).collect();
        let (least, most) = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
        assert!(least > 0 && most - least <= 1, "{sizes:?}");
        assert!(most == 1 || most * rungs <= MOST_TOGETHER, "{sizes:?}");
        assert!(sizes.len() >= LEAST_BLOCKS.min(ladders), "{sizes:?}");
        assert_eq!(batches.into_iter().flatten().collect::<Vec<_>>(), Vec::from_iter(0..ladders));
    }
}

/// A batch whose curve only falls counts in the average, and the average still has a peak.
#[test]
fn one_batch_without_a_peak() {
    for (batches, last) in [(8, 0.5), (8, -0.1), (4, 0.5), (4, -0.1)] {
        let mut places = vec![0.3; batches - 1];
        places.push(last);
        let curves: Vec<Curves> = places.iter().map(|place| parabola(*place)).collect();
        let averaged = average(&curves);
        // The mean of the parabolas peaks at the mean of their peaks; its height is lower by their variance.
        let count = batches as f64;
        let middle = places.iter().sum::<f64>() / count;
        let squares: f64 = places.iter().map(|place| (place - middle).powi(2)).sum();
        for (peak, centre) in [(averaged.peak, middle), (averaged.growth, 1.0 - middle)] {
            let peak = peak.unwrap();
            assert!((peak.temperature.value - centre.exp()).abs() < 1e-9, "{peak:?}");
            assert!((peak.height.value - (2.0 - squares / count)).abs() < 1e-9, "{peak:?}");
            match (batches, last > 0.0) {
                (8, _) => {
                    // To first order, this is the standard error of the place.
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
