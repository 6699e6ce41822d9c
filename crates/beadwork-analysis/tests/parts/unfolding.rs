//! Unfolding forces of curves with known peaks, and of noise.

use beadwork_analysis::unfolding::{Criteria, Curve, Unfolding, analyse, noise_fall, noise_floor};

use crate::noise::Noise;

/// A curve with these forces, one sample per ns, extension growing by 0.1 nm per sample.
fn curve(force_pn: Vec<f64>) -> Curve {
    let count = force_pn.len();
    Curve {
        time_ns: (0..count).map(|sample| sample as f64).collect(),
        extension_nm: (0..count).map(|sample| 0.1 * sample as f64).collect(),
        contacts: (0..count).map(|sample| (count - sample) as f64).collect(),
        force_pn,
    }
}

/// The force at `count` samples, linear between the corners (sample, force).
fn polygon(corners: &[(usize, f64)]) -> Vec<f64> {
    corners
        .windows(2)
        .flat_map(|pair| {
            let ((start, from), (end, to)) = (pair[0], pair[1]);
            (start..end).map(move |sample| {
                from + (to - from) * (sample - start) as f64 / (end - start) as f64
            })
        })
        .chain(corners.last().map(|corner| corner.1))
        .collect()
}

fn raw(prominence_pn: f64) -> Criteria {
    Criteria { window_points: 1, prominence_pn, taut_extension_nm: None }
}

#[test]
fn two_peaks_and_a_taut_chain() {
    let corners =
        [(0, 0.0), (100, 30.0), (120, 10.0), (300, 120.0), (340, 20.0), (500, 400.0), (520, 200.0)];
    let curve = curve(polygon(&corners));
    let criteria = Criteria { taut_extension_nm: Some(45.0), ..raw(8.0) };
    let unfolding = analyse(&curve, &criteria);
    let rupture = unfolding.rupture.unwrap();
    assert_eq!(rupture, unfolding.peaks[1]);
    assert_eq!(unfolding.peaks.len(), 2);
    assert_eq!((rupture.index, rupture.force_pn, rupture.fall_pn), (300, 120.0, 100.0));
    assert_eq!((rupture.time_ns, rupture.contacts), (300.0, 221.0));
    assert!((rupture.extension_nm - 30.0).abs() < 1e-12);
    let first = unfolding.peaks[0];
    assert_eq!((first.index, first.force_pn, first.fall_pn), (100, 30.0, 20.0));
    // Without the limit, the fall of the taut chain, 200 pN, is the largest.
    assert_eq!(analyse(&curve, &raw(8.0)).rupture.unwrap().force_pn, 400.0);
}

#[test]
fn a_plain_maximum_is_not_the_unfolding_force() {
    let corners = [(0, 0.0), (50, 100.0), (60, 15.0), (200, 300.0)];
    let rupture = analyse(&curve(polygon(&corners)), &raw(8.0)).rupture.unwrap();
    assert_eq!((rupture.force_pn, rupture.fall_pn), (100.0, 85.0));
}

#[test]
fn the_largest_fall_may_pass_over_lower_peaks() {
    // From 100 to 10 with a lower peak at 60: the fall is 90, and 60 is a peak with a fall of 50.
    let corners = [(0, 0.0), (10, 100.0), (20, 30.0), (30, 60.0), (40, 10.0)];
    let unfolding = analyse(&curve(polygon(&corners)), &raw(8.0));
    assert_eq!(unfolding.rupture.unwrap().fall_pn, 90.0);
    let falls: Vec<f64> = unfolding.peaks.iter().map(|peak| peak.fall_pn).collect();
    assert_eq!(falls, [90.0, 50.0]);
}

#[test]
fn a_rise_without_a_fall_is_not_unfolded() {
    let unfolding = analyse(&curve(polygon(&[(0, 0.0), (500, 300.0)])), &raw(0.0));
    assert_eq!(unfolding, Unfolding::default());
}

#[test]
fn a_fall_below_the_prominence_does_not_count() {
    let corners = [(0, 0.0), (50, 50.0), (60, 41.0), (100, 100.0)];
    let curve = curve(polygon(&corners));
    assert_eq!(analyse(&curve, &raw(9.1)).rupture, None);
    assert_eq!(analyse(&curve, &raw(8.9)).rupture.unwrap().force_pn, 50.0);
}

#[test]
fn a_peak_at_the_very_end_counts_once_it_has_fallen() {
    let corners = [(0, 0.0), (98, 98.0), (100, 78.0)];
    let curve = curve(polygon(&corners));
    assert_eq!(analyse(&curve, &raw(20.0)).rupture.unwrap().index, 98);
    assert_eq!(analyse(&curve, &raw(20.1)).rupture, None);
}

#[test]
fn averages_are_taken_before_the_search() {
    // One sample of 1000 pN adds 1000/10 to a window of ten.
    let mut force = vec![0.0; 100];
    force[50] = 1000.0;
    let criteria = Criteria { window_points: 10, ..raw(1.0) };
    let rupture = analyse(&curve(force), &criteria).rupture.unwrap();
    assert!((rupture.force_pn - 100.0).abs() < 1e-9);
}

#[test]
fn a_window_longer_than_the_data_finds_no_peak() {
    let corners = [(0, 0.0), (50, 100.0), (60, 15.0)];
    let criteria = Criteria { window_points: 1_000, ..raw(1.0) };
    assert_eq!(analyse(&curve(polygon(&corners)), &criteria), Unfolding::default());
}

/// A sample at an end weighs no more than any other; a truncated window would double its weight.
#[test]
fn the_ends_of_a_curve_make_no_peak_of_their_own() {
    for end in [0, 199] {
        let mut force =
            polygon(&[(0, 0.0), (90, 0.0), (91, 20.0), (110, 20.0), (111, 0.0), (199, 0.0)]);
        force[end] = 150.0;
        let criteria = Criteria { window_points: 10, ..raw(16.0) };
        let unfolding = analyse(&curve(force), &criteria);
        assert_eq!(unfolding.peaks.len(), 1, "{unfolding:?}");
        let rupture = unfolding.rupture.unwrap();
        // The peak is at the first window, samples 91 to 110; whole windows begin and end with the curve.
        assert_eq!((rupture.index, rupture.time_ns), (96, 96.0));
        assert!(
            (rupture.force_pn - 20.0).abs() < 1e-9 && (rupture.extension_nm - 9.55).abs() < 1e-9
        );
    }
}

#[test]
fn fewer_than_three_samples_are_not_unfolded() {
    for force in [vec![], vec![5.0], vec![50.0, 0.0]] {
        assert_eq!(analyse(&curve(force), &raw(1.0)), Unfolding::default());
    }
}

#[test]
fn samples_that_are_not_finite_are_left_out() {
    let mut curve = curve(polygon(&[(0, 0.0), (50, 100.0), (60, 15.0), (200, 300.0)]));
    curve.force_pn[10] = f64::NAN;
    curve.extension_nm[55] = f64::INFINITY;
    curve.time_ns[70] = f64::NEG_INFINITY;
    curve.contacts.clear();
    let rupture = analyse(&curve, &Criteria { window_points: 5, ..raw(8.0) }).rupture.unwrap();
    // Samples 46 to 50 average to 96; a window one later would contain the fall to 91.5 at sample 51.
    assert_eq!(rupture.index, 48);
    assert!((rupture.force_pn - 96.0).abs() < 1e-9);
    assert!(rupture.contacts.is_nan());
    for value in [rupture.force_pn, rupture.extension_nm, rupture.time_ns, rupture.fall_pn] {
        assert!(value.is_finite());
    }
    let nothing = Curve { force_pn: vec![f64::NAN; 201], ..curve };
    assert_eq!(analyse(&nothing, &raw(8.0)), Unfolding::default());
}

#[test]
fn noise_alone_is_not_unfolded() {
    // κ = 35 pN/nm at 300 K: kT = 4.142 pN nm, √(κ kT) = 12.04 pN.
    let (samples, window_points) = (20_000, 100);
    assert!((noise_floor(35.0, 300.0, 1) - 12.04).abs() < 0.005);
    let floor = noise_floor(35.0, 300.0, window_points);
    let mut noise = Noise(3);
    for _ in 0..20 {
        let force = (0..samples).map(|_| 12.04 * noise.normal()).collect();
        let curve = curve(force);
        let prominence_pn = noise_fall(floor, samples);
        let criteria = Criteria { window_points, prominence_pn, taut_extension_nm: None };
        assert_eq!(analyse(&curve, &criteria).rupture, None);
        // With a threshold of three standard deviations, noise makes two of the 200 independent windows peaks.
        let criteria = Criteria { prominence_pn: 3.0 * floor, ..criteria };
        assert!(analyse(&curve, &criteria).rupture.is_some());
    }
}

#[test]
fn the_rupture_starts_the_maximum_drawdown() {
    let mut noise = Noise(8);
    for _ in 0..50 {
        let mut force = 0.0;
        let walk: Vec<f64> = (0..300)
            .map(|_| {
                force += noise.normal();
                force
            })
            .collect();
        let mut drawdown = (0.0, 0);
        for start in 0..walk.len() {
            let fall = walk[start..]
                .iter()
                .take_while(|value| **value <= walk[start])
                .map(|value| walk[start] - value)
                .fold(0.0, f64::max);
            if fall > drawdown.0 {
                drawdown = (fall, start);
            }
        }
        let rupture = analyse(&curve(walk), &raw(2.0)).rupture.unwrap();
        assert_eq!((rupture.fall_pn, rupture.index), drawdown);
    }
}

/// 2 pN a sample up to half of the peak, then 3 pN a sample: the loading rate is that before the rupture.
#[test]
fn the_loading_rate_is_the_slope_before_the_rupture() {
    let rise =
        (0..=25).map(|k| 2.0 * f64::from(k)).chain((1..=16).map(|k| 50.0 + 3.0 * f64::from(k)));
    let force: Vec<f64> = rise.chain([20.0, 10.0, 15.0]).collect();
    let curve = curve(force);
    let found = analyse(&curve, &raw(8.0));
    assert_eq!(found.rupture.unwrap().force_pn, 98.0);
    let per_sample = found.loading_rate.unwrap() * (curve.time_ns[1] - curve.time_ns[0]);
    assert!((per_sample - 3.0).abs() < 1e-12, "{per_sample}");
    assert_eq!(analyse(&curve, &raw(200.0)).loading_rate, None);
}
