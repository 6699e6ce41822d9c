//! Proposed ladders against those that formulas give.

use super::*;

/// √C of a system whose heat capacity has a peak, and its integral over ln T.
fn root(logarithm: f64) -> f64 {
    10.0 + 30.0 / (1.0 + (4.0 * logarithm).powi(2))
}

fn length(from: f64, to: f64) -> f64 {
    let integral = |x: f64| 10.0 * x + 7.5 * (4.0 * x).atan();
    0.5 * (integral(to.ln()) - integral(from.ln()))
}

#[test]
fn geometric_ladders_have_one_ratio() {
    let ladder = geometric(0.2, 1.6, 4).unwrap();
    for (found, expected) in ladder.iter().zip([0.2, 0.4, 0.8, 1.6]) {
        assert!((found - expected).abs() < 1e-14);
    }
    assert_eq!((ladder[0], ladder[3]), (0.2, 1.6));
}

#[test]
fn acceptance_measured_on_a_geometric_ladder_becomes_equal() {
    let temperatures = geometric(0.3, 3.0, 33).unwrap();
    let acceptance: Vec<f64> =
        temperatures.windows(2).map(|pair| complementary(length(pair[0], pair[1]))).collect();
    // At the peak a twentieth of the attempts succeeds, away from it more than half.
    let least = acceptance.iter().copied().fold(1.0, f64::min);
    assert!(least < 0.06 && acceptance[0] > 0.5, "{acceptance:?}");
    for count in [20, 33, 50] {
        let ladder = equal_acceptance(&temperatures, &acceptance, count).unwrap();
        assert_eq!(ladder.temperatures.len(), count);
        assert_eq!((ladder.temperatures[0], ladder.temperatures[count - 1]), (0.3, 3.0));
        let each = length(0.3, 3.0) / (count - 1) as f64;
        assert!((ladder.acceptance - complementary(each)).abs() < 1e-9);
        for pair in ladder.temperatures.windows(2) {
            // √C changes by at most a tenth within an interval of the first ladder.
            let ratio = length(pair[0], pair[1]) / each;
            assert!((ratio - 1.0).abs() < 0.1, "{count}: {pair:?} {ratio}");
        }
    }
}

#[test]
fn heat_capacities_say_the_same() {
    let temperatures = geometric(0.3, 3.0, 400).unwrap();
    let heat_capacity: Vec<f64> = temperatures.iter().map(|t| root(t.ln()).powi(2)).collect();
    let ladder = from_heat_capacity(&temperatures, &heat_capacity, 24).unwrap();
    for pair in ladder.temperatures.windows(2) {
        assert!((complementary(length(pair[0], pair[1])) - ladder.acceptance).abs() < 1e-3);
    }
    // C the same everywhere is a geometric ladder.
    let even = from_heat_capacity(&[0.5, 0.9, 2.0], &[3.0; 3], 5).unwrap();
    for (found, expected) in even.temperatures.iter().zip(geometric(0.5, 2.0, 5).unwrap()) {
        assert!((found - expected).abs() < 1e-12);
    }
}

/// Replicas diffuse with D(T) on a ladder of even steps: f falls as 1/D, and the best density of
/// temperatures is 1/√D.
#[test]
fn flow_puts_temperatures_where_replicas_are_slow() {
    let rungs = 60;
    let temperatures: Vec<f64> = (0..rungs).map(|rung| 1.0 + rung as f64 / 59.0).collect();
    // 1/√D = 1 + 9 (T − 1)², so that its integral is x + 3 x³ of 4, and that of 1/D is
    // x + 6 x³ + 16.2 x⁵ of 23.2, x = T − 1.
    let flow: Vec<f64> = temperatures
        .iter()
        .map(|t| 1.0 - ((t - 1.0) + 6.0 * (t - 1.0).powi(3) + 16.2 * (t - 1.0).powi(5)) / 23.2)
        .map(|f| f.clamp(0.0, 1.0))
        .collect();
    let found = from_flow(&temperatures, &flow, 21).unwrap();
    for (rung, temperature) in found.iter().enumerate() {
        let x = temperature - 1.0;
        let reached = (x + 3.0 * x.powi(3)) / 4.0 * 20.0;
        // A hundredth of even flow shifts them by less than half a rung.
        assert!((reached - rung as f64).abs() < 0.5, "{rung}: {temperature} {reached}");
    }
    // Even flow changes nothing.
    let even: Vec<f64> = (0..rungs).map(|rung| 1.0 - rung as f64 / 59.0).collect();
    let same = from_flow(&temperatures, &even, rungs).unwrap();
    assert!(same.iter().zip(&temperatures).all(|(one, other)| (one - other).abs() < 1e-9));
}

#[test]
fn noisy_flow_still_makes_a_ladder() {
    assert_eq!(
        falling(&[1.0, 0.5, 0.7, 0.3, 0.0]),
        [1.0, 0.7, 0.5, 0.3, 0.0].map(|f: f64| {
            // Rungs 1 and 2 are one run of mean 0.6 at 1.5; between the ends and it go straight lines.
            match f {
                0.7 => 1.0 - 0.4 / 1.5,
                0.5 => 0.6 - 0.3 / 1.5 * 0.5,
                _ => f,
            }
        })
    );
    let temperatures = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5];
    for flow in [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.2, 0.9, 0.1, 0.8, 0.0]] {
        let ladder = from_flow(&temperatures, &flow, 9).unwrap();
        assert!(ladder.windows(2).all(|pair| pair[0] < pair[1]), "{ladder:?}");
    }
}

#[test]
fn what_makes_no_ladder_is_refused() {
    let refusals = [
        geometric(1.0, 0.5, 4).err(),
        geometric(0.0, 0.5, 4).err(),
        geometric(0.1, 0.5, 1).err(),
        equal_acceptance(&[1.0, 2.0, 3.0], &[0.5, 0.0], 4).err(),
        equal_acceptance(&[1.0, 2.0, 3.0], &[0.5], 4).err(),
        equal_acceptance(&[1.0, 2.0], &[1.0], 4).err(),
        from_heat_capacity(&[1.0, 2.0], &[1.0, -1.0], 4).err(),
        from_flow(&[1.0, 2.0, 3.0], &[1.0, f64::NAN, 0.0], 4).err(),
    ];
    assert!(refusals.iter().all(|e| e.as_ref().is_some_and(|e| e.code() == "analysis/samples")));
}
