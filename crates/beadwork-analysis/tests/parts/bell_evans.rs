//! The law of Bell and Evans: its distribution, and fits to forces drawn from it.

use std::f64::consts::PI;

use beadwork_random::generators::philox4x32;
use beadwork_testing::statistics::{ks_statistic, ks_threshold};

use beadwork_analysis::bell_evans::{
    BellEvans, Estimator, MeasuredRate, Unfit, fit, most_probable,
};

/// kT at 300 K, pN nm.
const THERMAL: f64 = 4.142;
/// A barrier at 0.3 nm that is passed once in 50 s.
fn law() -> BellEvans {
    BellEvans::new(0.3, 0.02, THERMAL)
}

/// Even numbers between 0 and 1.
fn even(set: u32, number: u32) -> f64 {
    let [word, ..] = philox4x32::<10>([set, number, 0, 0], [1, 2]);
    (f64::from(word) + 0.5) / 4_294_967_296.0
}

/// Forces drawn from the law at five rates over two decades and a half.
fn drawn(law: &BellEvans, set: u32, replicas: u32) -> Vec<MeasuredRate> {
    let rate = |number: u32| {
        let loading_rate = 1e3 * 10_f64.powf(0.6 * f64::from(number));
        let force = |replica| law.quantile(even(set, 1000 * number + replica), loading_rate);
        MeasuredRate { loading_rate, forces: (0..replicas).map(force).collect() }
    };
    (0..5).map(rate).collect()
}

/// exp(a) E₁(a), which is the mean of a law with thermal force and loading rate 1.
fn scaled_integral(a: f64) -> f64 {
    BellEvans { thermal_force: 1.0, rate: a }.mean(1.0)
}

/// The special values of E₁ are those of Abramowitz and Stegun, tables 5.1 and 5.2.
#[test]
fn the_integral_has_its_published_values() {
    for (a, expected) in [
        (0.5, 0.559_773_595 * 0.5_f64.exp()),
        (1.0, 0.219_383_934 * 1_f64.exp()),
        (2.0, 0.048_900_511 * 2_f64.exp()),
        (10.0, 0.915_633_339 / 10.0),
        (20.0, 0.954_370_910 / 20.0),
    ] {
        let found = scaled_integral(a);
        assert!((found / expected - 1.0).abs() < 1e-8, "{a}: {found} for {expected}");
    }
    let [below, above] = [1.0 - 1e-9, 1.0 + 1e-9].map(scaled_integral);
    assert!((below - above).abs() < 1e-8);
    assert!((scaled_integral(1e6) * 1e6 - 1.0).abs() < 2e-6);
}

/// Mean and most probable force are those of the distribution, at high rates and at low ones.
#[test]
fn mean_and_mode_are_those_of_the_distribution() {
    let law = law();
    for loading_rate in [1e-2, 1.0, 1e2, 1e5] {
        let count = 200_000;
        let step = |number: usize| (number as f64 + 0.5) / count as f64;
        let forces = (0..count).map(|number| law.quantile(step(number), loading_rate));
        let mean = forces.sum::<f64>() / count as f64;
        assert!((mean / law.mean(loading_rate) - 1.0).abs() < 1e-4, "{loading_rate}");
        let density = |force: f64| {
            let [low, high] =
                [-1e-3, 1e-3].map(|shift| law.share_below(force + shift, loading_rate));
            high - low
        };
        let mode = law.most_probable(loading_rate);
        if mode > 0.0 {
            assert!(density(mode) > density(mode - 1.0) && density(mode) > density(mode + 1.0));
        }
    }
    // Where it is far above the thermal force the mean lies γ s below the mode.
    let off = law.most_probable(1e8) - law.mean(1e8);
    assert!((off / law.thermal_force - 0.577_215_66).abs() < 1e-6, "{off}");
    assert!((law.distance(THERMAL) - 0.3).abs() < 1e-12);
}

#[test]
fn drawn_forces_have_the_distribution() {
    let mut forces = drawn(&law(), 3, 1000)[2].forces.clone();
    let statistic =
        ks_statistic(&mut forces, |force| law().share_below(force, 1e3 * 10_f64.powf(1.2)));
    assert!(statistic < ks_threshold(1000, 1e-6), "{statistic}");
}

/// 400 experiments of 5 rates × 20 replicas: the fit has no bias beyond a fifth of its error, quoted errors are those of the scatter,
/// intervals of 95 % hold the truth as often, and the law is rejected as often as it should be.
#[test]
fn errors_of_fits_cover_the_truth() {
    let truth = law();
    let sets = 400;
    let (mut distances, mut rates, mut inside, mut rejected) = (vec![], vec![], [0, 0], 0);
    for set in 0..sets {
        let fit = match fit(&drawn(&truth, set, 20), Estimator::Mean) {
            Ok(fit) => fit,
            Err(Unfit::NotTheLaw { .. }) => {
                rejected += 1;
                continue;
            }
            Err(other) => panic!("{other:?}"),
        };
        let distance = (truth.thermal_force / fit.law.thermal_force).ln();
        let rate = (fit.law.rate / truth.rate).ln();
        distances.push((distance, fit.relative_error_of_distance));
        rates.push((rate, fit.error_of_log_rate));
        inside[0] += u32::from(distance.abs() < 1.96 * fit.relative_error_of_distance);
        inside[1] += u32::from(rate.abs() < 1.96 * fit.error_of_log_rate);
    }
    // One of a hundred, so 4 ± 2.
    assert!(rejected <= 14, "{rejected}");
    let count = distances.len() as f64;
    for (found, inside) in [distances, rates].iter().zip(inside) {
        let mean = found.iter().map(|one| one.0).sum::<f64>() / count;
        let scatter = (found.iter().map(|one| one.0.powi(2)).sum::<f64>() / count).sqrt();
        let quoted = (found.iter().map(|one| one.1.powi(2)).sum::<f64>() / count).sqrt();
        assert!(mean.abs() < 0.2 * scatter, "{mean} {scatter}");
        // The scatter of 400 sets is known to 3.5 %; four of these, and a tenth for resampling 20 forces.
        assert!((quoted / scatter - 1.0).abs() < 0.24, "{quoted} for {scatter}");
        // 95 ± 1.1 %: four of these, and 3 % for resampling.
        assert!((0.876..0.995).contains(&(f64::from(inside) / count)), "{inside} of {count}");
    }
    assert!(quoted_error_of_line(&truth));
}

/// The error of x by theory: the scatter of a force is π s/√6, so the error of the slope s is that over the root of Σ (ln r − mean)².
fn quoted_error_of_line(truth: &BellEvans) -> bool {
    let fit = fit(&drawn(truth, 77, 400), Estimator::Mean).unwrap();
    let spread = (0..5).map(|number| (0.6 * 10_f64.ln() * (f64::from(number) - 2.0)).powi(2));
    let expected = PI / 6_f64.sqrt() / (400.0 * spread.sum::<f64>()).sqrt();
    (fit.relative_error_of_distance / expected - 1.0).abs() < 0.15
}

/// The most probable forces give the same barrier, with larger errors.
#[test]
fn most_probable_forces_give_the_barrier_too() {
    let truth = law();
    let drawn = drawn(&truth, 5, 400);
    let mode = most_probable(&drawn[4].forces).unwrap();
    let expected = truth.most_probable(drawn[4].loading_rate);
    assert!((mode - expected).abs() < 0.5 * truth.thermal_force, "{mode} for {expected}");
    let by_mean = fit(&drawn, Estimator::Mean).unwrap();
    let by_mode = fit(&drawn, Estimator::MostProbable).unwrap();
    for fit in [by_mean, by_mode] {
        let off = (truth.thermal_force / fit.law.thermal_force).ln();
        assert!(off.abs() < 4.0 * fit.relative_error_of_distance, "{fit:?}");
        assert!((fit.law.rate / truth.rate).ln().abs() < 4.0 * fit.error_of_log_rate, "{fit:?}");
    }
    assert!(by_mode.relative_error_of_distance > by_mean.relative_error_of_distance);
    assert_eq!((by_mode.lack_of_fit, by_mean.rates, by_mean.forces), (None, 5, 2000));
}

/// At rates so low that bonds break before the force counts, the mean still fixes the law where the line of the mode does not.
#[test]
fn low_rates_need_the_exact_mean() {
    let truth = BellEvans::new(0.3, 20.0, THERMAL);
    let rates = [10.0, 100.0, 1e3, 1e4].map(|loading_rate| {
        let force = |number: u32| truth.quantile((f64::from(number) + 0.5) / 2e3, loading_rate);
        MeasuredRate { loading_rate, forces: (0..2000).map(force).collect() }
    });
    let found = fit(&rates, Estimator::Mean).unwrap().law;
    assert!((found.thermal_force / truth.thermal_force - 1.0).abs() < 1e-3, "{found:?}");
    assert!((found.rate / truth.rate - 1.0).abs() < 1e-2, "{found:?}");
}

#[test]
fn what_no_law_fits_is_said() {
    let rates = drawn(&law(), 9, 30);
    let only = |range: std::ops::Range<usize>| fit(&rates[range], Estimator::Mean);
    assert_eq!(only(0..2), Err(Unfit::FewRates { rates: 2 }));
    let mut alone = rates.clone();
    alone[0].forces.truncate(1);
    alone[1].forces.truncate(0);
    alone[2].forces.truncate(1);
    assert_eq!(fit(&alone, Estimator::Mean), Err(Unfit::FewRates { rates: 2 }));
    let mut near = rates.clone();
    near.iter_mut().zip(1..).for_each(|(rate, number)| rate.loading_rate = 1e3 + f64::from(number));
    assert!(matches!(fit(&near, Estimator::Mean), Err(Unfit::NarrowRange { span }) if span < 1.01));
    // Forces of one rate at all.
    let mut flat = rates.clone();
    flat.iter_mut().for_each(|rate| rate.forces = rates[0].forces.clone());
    assert_eq!(fit(&flat, Estimator::Mean), Err(Unfit::NotRising));
    // Two barriers: from the middle on forces grow three times as steeply.
    let mut bent = rates.clone();
    for (number, rate) in bent.iter_mut().enumerate().skip(3) {
        let more = 2.0 * law().thermal_force * 0.6 * 10_f64.ln() * (number as f64 - 2.0);
        rate.forces.iter_mut().for_each(|force| *force += more);
    }
    let Err(Unfit::NotTheLaw { probability }) = fit(&bent, Estimator::Mean) else { panic!() };
    assert!(probability < 1e-4, "{probability}");
}
