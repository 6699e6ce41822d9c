//! Energies at neighbouring rungs of a ladder of oscillators, with correct and with wrong swap rules.

use beadwork_analysis::overlap::{overlap_fraction, slope_error};

use crate::noise::Noise;

/// Quadratic degrees of freedom of each replica, with an energy of kT/2 each.
const DEGREES: usize = 12;

/// How replicas are swapped.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Right,
    /// Accepts every swap, whatever the energies.
    Always,
    /// Accepts with probability exp[(E₁ − E₂)(β₁ − β₂)/2].
    HalfExponent,
}

/// Returns the energies at each rung after each interval, and the part of the attempts accepted. In an interval, four
/// of twelve coordinates are drawn anew.
fn exchange(
    noise: &mut Noise,
    temperatures: &[f64],
    length: usize,
    rule: Rule,
) -> (Vec<Vec<f64>>, f64) {
    let draw = |noise: &mut Noise, t: f64| (0.5 * t).sqrt() * noise.normal();
    let mut replicas: Vec<Vec<f64>> =
        temperatures.iter().map(|&t| (0..DEGREES).map(|_| draw(noise, t)).collect()).collect();
    let energy = |replica: &[f64]| replica.iter().map(|x| x * x).sum::<f64>();
    let mut energies = vec![Vec::new(); temperatures.len()];
    let (mut attempts, mut successes) = (0.0, 0.0);
    for interval in 0..length {
        for (replica, &temperature) in replicas.iter_mut().zip(temperatures) {
            for _ in 0..4 {
                let place = (noise.uniform() * DEGREES as f64) as usize;
                replica[place] = draw(noise, temperature);
            }
        }
        for low in (interval % 2..temperatures.len() - 1).step_by(2) {
            let gap = temperatures[low].recip() - temperatures[low + 1].recip();
            let exponent = gap * (energy(&replicas[low]) - energy(&replicas[low + 1]));
            let accepted = match rule {
                Rule::Right => noise.uniform() < exponent.exp(),
                Rule::HalfExponent => noise.uniform() < (0.5 * exponent).exp(),
                Rule::Always => true,
            };
            attempts += 1.0;
            if accepted {
                successes += 1.0;
                replicas.swap(low, low + 1);
            }
        }
        energies.iter_mut().zip(&replicas).for_each(|(all, replica)| all.push(energy(replica)));
    }
    (energies, successes / attempts)
}

const TEMPERATURES: [f64; 4] = [0.5, 0.7, 1.0, 1.4];

fn deviations(temperatures: &[f64], energies: &[Vec<f64>]) -> Vec<f64> {
    let pair = |low: usize| {
        let places = [low + 1, low];
        slope_error(
            places.map(|place| temperatures[place]),
            [&[&energies[low + 1]], &[&energies[low]]],
        )
    };
    (0..temperatures.len() - 1).map(|low| pair(low).unwrap().deviation(0.0).unwrap()).collect()
}

#[test]
fn a_correct_ladder_has_the_expected_slopes() {
    let mut noise = Noise(31);
    let mut squares = 0.0;
    for _ in 0..40 {
        let (energies, _) = exchange(&mut noise, &TEMPERATURES, 3000, Rule::Right);
        let deviations = deviations(&TEMPERATURES, &energies);
        assert!(deviations.iter().all(|z| z.abs() < 4.0), "{deviations:?}");
        squares += deviations.iter().map(|z| z * z).sum::<f64>() / 120.0;
    }
    // Stated errors are right: χ²/120 scatters by √(2/120) = 0.13, more since neighbours share energies.
    assert!((squares - 1.0).abs() < 0.65, "{squares}");
}

#[test]
fn wrong_rules_and_labels_show() {
    let mut noise = Noise(32);
    for rule in [Rule::Always, Rule::HalfExponent] {
        let (energies, _) = exchange(&mut noise, &TEMPERATURES, 20_000, rule);
        let deviations = deviations(&TEMPERATURES, &energies);
        assert!(deviations.iter().all(|z| z.abs() > 4.0), "{deviations:?}");
    }
    // The last temperature is a tenth above its label; the pairs without it still agree.
    let (energies, _) = exchange(&mut noise, &[0.5, 0.7, 1.0, 1.54], 20_000, Rule::Right);
    let deviations = deviations(&TEMPERATURES, &energies);
    assert!(deviations[2].abs() > 4.0, "{deviations:?}");
    assert!(deviations[..2].iter().all(|z| z.abs() < 4.0), "{deviations:?}");
}

#[test]
fn overlap_of_known_distributions() {
    assert_eq!(overlap_fraction([&[1.0, 2.0], &[3.0, 4.0]]), 0.0);
    assert_eq!(overlap_fraction([&[1.0, 2.0, 2.0], &[2.0, 1.0, 2.0]]), 1.0);
    assert_eq!(overlap_fraction([&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]]), 0.5);
    assert!(overlap_fraction([&[], &[1.0]]).is_nan());
    // Normal distributions two σ apart overlap by erfc(1/√2) = 0.3173.
    let mut noise = Noise(34);
    let mut normal = |centre| (0..40_000).map(|_| centre + noise.normal()).collect::<Vec<f64>>();
    let found = overlap_fraction([&normal(0.0), &normal(2.0)]);
    assert!((found - 0.3173).abs() < 4.0 * (2.0 * 0.25 / 40_000f64).sqrt(), "{found}");
}

#[test]
fn energies_without_a_slope_are_refused() {
    let code = |temperatures, first: &[f64], second: &[f64]| {
        slope_error(temperatures, [&[first], &[second]]).unwrap_err().code()
    };
    assert_eq!(code([2.0, 1.0], &[3.0, 4.0], &[1.0, 2.0]), "analysis/free-energies");
    assert_eq!(code([2.0, 1.0], &[3.0, 3.0], &[3.0]), "analysis/free-energies");
    assert_eq!(code([1.0, 1.0], &[1.0], &[1.0]), "analysis/samples");
    assert_eq!(code([2.0, 1.0], &[1.0], &[]), "analysis/samples");
    assert_eq!(code([2.0, 1.0], &[1.0], &[f64::NAN]), "analysis/samples");
    // Ten energies are enough for a slope, too few for its error.
    let few = [1.0, 5.0, 2.0, 4.0, 3.0];
    let found = slope_error([2.0, 1.0], [&[&few], &[&few]]).unwrap();
    assert!((found.value + 0.5).abs() < 1e-9 && found.error.is_none());
}
