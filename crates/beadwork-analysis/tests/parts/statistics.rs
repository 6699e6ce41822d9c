//! Moments, running averages and histograms of few numbers.

use beadwork_analysis::statistics::{
    Histogram, automatic_width, mean, running_average, running_slope, slope, standard_deviation,
    standard_error,
};

#[test]
fn moments_of_five_numbers() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(mean(&values), Some(3.0));
    // The squared deviations add up to 4 + 1 + 0 + 1 + 4 = 10, divided by n − 1 = 4.
    assert_eq!(standard_deviation(&values), Some(2.5f64.sqrt()));
    assert!((standard_error(&values).unwrap() - 0.5f64.sqrt()).abs() < 1e-15);
}

#[test]
fn too_few_values_have_no_moments() {
    assert_eq!(mean(&[]), None);
    assert_eq!(mean(&[7.0]), Some(7.0));
    assert_eq!(standard_deviation(&[7.0]), None);
    assert_eq!(standard_error(&[7.0]), None);
}

#[test]
fn spread_survives_a_large_offset() {
    let values = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0];
    assert_eq!(standard_deviation(&values), Some(1.0));
}

#[test]
fn running_averages_are_of_whole_windows() {
    let values = [1.0, 2.0, 6.0, 8.0, 3.0];
    assert_eq!(running_average(&values, 3), [3.0, 16.0 / 3.0, 17.0 / 3.0]);
    assert_eq!(running_average(&values, 2), [1.5, 4.0, 7.0, 5.5]);
    assert_eq!(running_average(&values, 5), [4.0]);
    assert_eq!(running_average(&values, 1), values);
    assert_eq!(running_average(&values, 0), values);
    assert!(running_average(&values, 6).is_empty());
    assert!(running_average(&values, usize::MAX).is_empty());
    assert!(running_average(&[], 3).is_empty());
}

#[test]
fn running_average_leaves_out_what_is_not_finite() {
    let averages = running_average(&[1.0, f64::NAN, 3.0, f64::INFINITY], 3);
    assert_eq!(averages, [2.0, 3.0]);
    assert!(running_average(&[f64::NAN; 3], 2).iter().all(|value| value.is_nan()));
}

#[test]
fn bins_are_half_open_and_start_at_the_origin() {
    let values = [1.0, 2.0, 2.5, 6.0, f64::NAN, -0.5];
    let histogram = Histogram::with_bin_width(&values, 2.0, 0.0).unwrap();
    assert_eq!(histogram.edges, [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
    assert_eq!(histogram.counts, [1, 1, 2, 0, 1]);
    let shifted = Histogram::with_bin_width(&values, 2.0, 1.0).unwrap();
    assert_eq!(shifted.edges, [-1.0, 1.0, 3.0, 5.0, 7.0]);
    assert_eq!(shifted.counts, [1, 3, 0, 1]);
}

#[test]
fn automatic_width_is_that_of_freedman_and_diaconis() {
    // 0..=8: quartiles 2 and 6, n = 9, so the width is 8/∛9.
    let values: Vec<f64> = (0..=8).map(f64::from).collect();
    assert!((automatic_width(&values).unwrap() - 8.0 / 9f64.cbrt()).abs() < 1e-12);
    // Half of the values are equal: range 8 over √5.
    let half = automatic_width(&[0.0, 0.0, 0.0, 8.0, 0.0]).unwrap();
    assert!((half - 8.0 / 5f64.sqrt()).abs() < 1e-12);
    assert_eq!((automatic_width(&[]), automatic_width(&[3.0; 4])), (None, None));
}

#[test]
fn impossible_widths_are_refused() {
    for (width, origin) in [(0.0, 0.0), (-1.0, 0.0), (f64::NAN, 0.0), (1.0, f64::INFINITY)] {
        assert!(Histogram::with_bin_width(&[1.0], width, origin).is_none(), "{width}");
    }
    assert!(Histogram::with_bin_width(&[0.0, 1.0], 1e-9, 0.0).is_none());
}

#[test]
fn slopes_of_windows_are_those_of_their_lines() {
    // (0, 1), (1, 3), (2, 2): Σ Δx Δy = 1, Σ Δx² = 2.
    assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)]), Some(0.5));
    assert_eq!(slope(&[(1.0, 1.0), (1.0, 3.0)]), None);
    let values: Vec<f64> = (0..40).map(|place| 1e5 + f64::from(place * 7 % 11)).collect();
    let found = running_slope(&values, 5, 0.5);
    assert_eq!(found.len(), 36);
    for (place, found) in found.into_iter().enumerate() {
        let points: Vec<(f64, f64)> =
            (place..place + 5).map(|k| (0.5 * k as f64, values[k])).collect();
        assert!((found - slope(&points).unwrap()).abs() < 1e-9);
    }
    let unknown = running_slope(&[f64::NAN, 1.0, 2.0, 4.0], 2, 2.0);
    assert!(unknown[0].is_nan());
    assert_eq!(unknown[1..], [0.5, 1.0]);
    assert!(running_slope(&values, usize::MAX, 0.5).is_empty());
    assert!(running_slope(&values, 1, 0.5).iter().all(|slope| slope.is_nan()));
}
