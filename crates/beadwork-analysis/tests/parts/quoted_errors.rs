//! Quoted errors against the scatter of independent series with a known law.

use beadwork_analysis::average::Average;
use beadwork_analysis::statistics::{mean, standard_deviation};

use crate::autocorrelation::autoregression;
use crate::noise::Noise;

/// The root mean square of quoted errors over the scatter of the means, from `repeats` runs of some series each.
fn quoted_over_scatter(repeats: usize, mut run: impl FnMut() -> Vec<Vec<f64>>) -> f64 {
    let found: Vec<Average> = (0..repeats).map(|_| Average::of(&run()).unwrap()).collect();
    let means: Vec<f64> = found.iter().map(|one| one.mean).collect();
    let squares: Vec<f64> = found.iter().map(|one| one.error.unwrap().powi(2)).collect();
    mean(&squares).unwrap().sqrt() / standard_deviation(&means).unwrap()
}

/// A fast part and a slow one, whose variance is `share` of the whole.
fn two_times(noise: &mut Noise, [fast, slow]: [f64; 2], share: f64, length: usize) -> Vec<f64> {
    let fast = autoregression(noise, fast, length);
    let slow = autoregression(noise, slow, length);
    let both = fast.iter().zip(&slow);
    both.map(|(fast, slow)| (1.0 - share).sqrt() * fast + share.sqrt() * slow).collect()
}

/// 300 runs know the scatter to 4 %; the bounds are those of a good error, 0.8 and 1.25.
#[test]
fn errors_are_the_scatter_of_independent_runs() {
    let mut noise = Noise(37);
    for length in [1 << 10, 1 << 12] {
        for factor in [0.0, 0.5, 0.8, 0.95] {
            let ratio =
                quoted_over_scatter(300, || vec![autoregression(&mut noise, factor, length)]);
            assert!((0.8..1.25).contains(&ratio), "{factor}, {length}: {ratio}");
        }
        // Vibrations that anti-correlate hide a slow part that decides the error: alone, the window closes after three values
        // and gives a third of the error.
        let ratio =
            quoted_over_scatter(300, || vec![two_times(&mut noise, [-0.6, 0.98], 0.1, length)]);
        assert!((0.8..1.25).contains(&ratio), "two times, {length}: {ratio}");
        let ratio =
            quoted_over_scatter(300, || vec![two_times(&mut noise, [-0.5, 0.97], 0.03, length)]);
        assert!((0.8..1.25).contains(&ratio), "a faint slow part, {length}: {ratio}");
    }
}

/// An error that is far too small by chance is worse than one that is too large: of 400 runs at most so many quote less than 0.6 of
/// the scatter. That of means of n values with correlations fᵗ is √((1 + f)/(1 − f)/n) to first order.
#[test]
fn few_errors_are_far_below_the_scatter() {
    let mut noise = Noise(41);
    for (factor, series, length, most) in
        [(0.5, 1, 128, 12), (0.75, 1, 512, 2), (0.75, 4, 1 << 10, 1)]
    {
        let scatter = ((1.0 + factor) / (1.0 - factor) / f64::from(series * length)).sqrt();
        let is_small = |_: &i32| {
            let run: Vec<_> =
                (0..series).map(|_| autoregression(&mut noise, factor, length as usize)).collect();
            Average::of(&run).unwrap().error.unwrap() < 0.6 * scatter
        };
        let small = (0..400).filter(is_small).count();
        assert!(small <= most, "{factor}, {series} of {length}: {small}");
    }
}

/// A few runs together, and many short ones that are themselves the independent values.
#[test]
fn errors_of_several_series() {
    let mut noise = Noise(38);
    for (series, length, fast) in [(4, 512, -0.6), (64, 64, -0.6), (256, 4, 0.3)] {
        let one = |noise: &mut Noise| two_times(noise, [fast, 0.95], 0.1, length);
        let ratio =
            quoted_over_scatter(200, || (0..series).map(|_| one(&mut noise)).collect::<Vec<_>>());
        assert!((0.8..1.25).contains(&ratio), "{series} of {length}: {ratio}");
    }
}

/// The root of a mean square from correlated blocks, whose error twenty fixed blocks would give too small.
#[test]
fn errors_of_functions_of_blocks() {
    let mut noise = Noise(39);
    let root = |sum: f64, count: f64| (sum / count).sqrt();
    let found: Vec<Average> = (0..300)
        .map(|_| {
            let values = autoregression(&mut noise, 0.98, 1 << 13);
            let blocks: Vec<f64> = values
                .chunks(64)
                .map(|block| block.iter().map(|value| (5.0 + value).powi(2)).sum::<f64>() / 64.0)
                .collect();
            let sum: f64 = blocks.iter().sum();
            let count = blocks.len() as f64;
            let without = blocks.iter().map(|block| root(sum - block, count - 1.0)).collect();
            Average::jackknife(root(sum, count), &[without]).unwrap()
        })
        .collect();
    let scatter =
        standard_deviation(&found.iter().map(|one| one.mean).collect::<Vec<_>>()).unwrap();
    let squares: Vec<f64> = found.iter().map(|one| one.error.unwrap().powi(2)).collect();
    let ratio = mean(&squares).unwrap().sqrt() / scatter;
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn single_and_equal_values_have_no_error() {
    let one = Average::of(&[[2.5]]).unwrap();
    assert_eq!((one.mean, one.error), (2.5, None));
    assert_eq!(Average::of(&[[0.1; 50]]).unwrap().error, None);
    assert_eq!(Average::of(&[[0.0; 0]]), None);
    let slope = Average { mean: 2.0, error: Some(0.5), independent: 60.0, is_known: true };
    assert_eq!(slope.through(4.0, -4.0).error, Some(2.0));
}
