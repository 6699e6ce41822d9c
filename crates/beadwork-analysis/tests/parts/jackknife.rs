//! Errors of estimates and their confidence intervals.

use beadwork_analysis::Estimate;
use beadwork_analysis::statistics::{mean, standard_error};

use crate::noise::Noise;

/// The jackknife error of a mean is exactly its standard error.
#[test]
fn a_mean_has_its_standard_error() {
    let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    let sum: f64 = values.iter().sum();
    let left_out: Vec<f64> = values.iter().map(|value| (sum - value) / 7.0).collect();
    let estimate = Estimate::jackknife(mean(&values).unwrap(), &left_out);
    assert!((estimate.error.unwrap() - standard_error(&values).unwrap()).abs() < 1e-14);
    let deviation = estimate.deviation(estimate.value - 2.0 * estimate.error.unwrap());
    assert!((deviation.unwrap() - 2.0).abs() < 1e-12);
}

#[test]
fn seven_blocks_are_too_few() {
    assert_eq!(Estimate::jackknife(1.0, &[1.0; 7]).error, None);
    assert_eq!(Estimate::jackknife(1.0, &[1.0; 8]).error, Some(0.0));
    assert_eq!(Estimate::jackknife(1.0, &[f64::NAN; 8]).error, None);
}

/// Quantiles agree with tables. The interval from eight blocks covers 95 %; two standard errors would cover 91 %.
#[test]
fn few_blocks_have_wide_intervals() {
    for (freedom, factor) in [(1.0, 12.706), (7.0, 2.3646), (15.0, 2.1314), (f64::INFINITY, 1.9600)]
    {
        let estimate = Estimate { value: 0.0, error: Some(1.0), freedom };
        let found = estimate.half_interval().unwrap();
        assert!((found / factor - 1.0).abs() < 1e-4, "{freedom}");
    }
    let mut noise = Noise(9);
    let (mut inside, repeats) = (0.0, 4000);
    for _ in 0..repeats {
        let values: Vec<f64> = (0..8).map(|_| noise.normal()).collect();
        let sum: f64 = values.iter().sum();
        let left_out: Vec<f64> = values.iter().map(|value| (sum - value) / 7.0).collect();
        let estimate = Estimate::jackknife(sum / 8.0, &left_out);
        assert_eq!(estimate.freedom, 7.0);
        inside += f64::from(u8::from(estimate.value.abs() < estimate.half_interval().unwrap()));
    }
    // Within four standard deviations of a share of 0.95.
    let share = inside / f64::from(repeats);
    assert!((share - 0.95).abs() < 4.0 * (0.95 * 0.05 / f64::from(repeats)).sqrt(), "{share}");
}

/// Equal errors add their degrees of freedom; if one error is much larger, its own degrees decide.
#[test]
fn means_of_estimates() {
    let of = |value, error| Estimate { value, error, freedom: 7.0 };
    let mean = Estimate::mean(&[of(1.0, Some(3.0)), of(2.0, Some(4.0))]);
    assert_eq!((mean.value, mean.error), (1.5, Some(2.5)));
    assert!((mean.freedom - 7.0 * 625.0 / 337.0).abs() < 1e-12);
    assert_eq!(Estimate::mean(&[of(1.0, Some(2.0)); 3]).freedom, 21.0);
    assert_eq!(Estimate::mean(&[of(1.0, Some(3.0)), of(2.0, None)]).error, None);
    // The variance of 0 to 7 is 6; √6/√8 is the standard error of the mean.
    let many: Vec<Estimate> = (0..8).map(|value| of(f64::from(value), None)).collect();
    let mean = Estimate::mean(&many);
    assert!((mean.error.unwrap() - (6.0_f64 / 8.0).sqrt()).abs() < 1e-12);
    assert_eq!(mean.freedom, 7.0);
}
