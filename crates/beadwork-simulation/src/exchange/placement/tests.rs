//! Ladders whose best temperatures are known.

use super::*;

const MANY: u64 = 1_000_000;

/// The temperatures after one placement by these shares of rejections.
fn once(temperatures: &[f64], rejections: &[f64]) -> Vec<f64> {
    let accepted: Vec<u64> =
        rejections.iter().map(|r| ((1.0 - r) * MANY as f64).round() as u64).collect();
    by_acceptance(temperatures, &vec![MANY; rejections.len()], &accepted)
}

#[test]
fn rejections_are_shared_out_evenly() {
    let placed = once(&[1.0, 2.0, 3.0, 4.0], &[0.2, 0.2, 0.6]);
    // The sums of rejections are 0.2, 0.4, 1 at the rungs; the new rungs are at a third and two thirds of the whole.
    for (found, expected) in placed.iter().zip([1.0, 2.0 + 0.4 / 0.6, 3.0 + 4.0 / 9.0, 4.0]) {
        assert!((found - expected).abs() < 1e-5, "{placed:?}");
    }
    // A third of 1 is reached beyond 3, the old temperature of the next rung, which limits the move.
    let placed = once(&[1.0, 2.0, 3.0, 4.0], &[0.05, 0.05, 0.9]);
    assert_eq!(placed[1], 3.0);
    assert!((placed[2] - (3.0 + 0.5667 / 0.9)).abs() < 1e-3, "{placed:?}");
    // If nothing was rejected or attempted, no temperature moves.
    let even = [1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(by_acceptance(&even, &[7; 4], &[7; 4]), even);
    assert_eq!(by_acceptance(&even, &[0; 4], &[0; 4]), even);
    assert_eq!(by_acceptance(&[1.0, 2.0], &[9], &[0]), [1.0, 2.0]);
}

/// Rejections that add up to Λ(T), with a transition at T = 2.
#[test]
fn temperatures_are_dense_at_a_transition() {
    let barrier = |t: f64| {
        let x = (t - 2.0) / 0.05;
        2.0 * (t - 1.0) + 0.8 * x / (1.0 + x.abs())
    };
    let mut ladder: Vec<f64> = (0..25).map(|rung| 1.0 + rung as f64 / 12.0).collect();
    for _ in 0..20 {
        let rejections: Vec<f64> =
            ladder.windows(2).map(|pair| barrier(pair[1]) - barrier(pair[0])).collect();
        ladder = once(&ladder, &rejections);
        assert!(ladder.windows(2).all(|pair| pair[0] < pair[1]), "{ladder:?}");
    }
    let whole = barrier(3.0) - barrier(1.0);
    for (rung, temperature) in ladder.iter().enumerate() {
        let reached = (barrier(*temperature) - barrier(1.0)) / whole * 24.0;
        assert!((reached - rung as f64).abs() < 1e-3, "{rung}: {reached}");
    }
    let gaps: Vec<f64> = ladder.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps[12] < gaps[0] / 5.0 && gaps[11] < gaps[23] / 5.0, "{gaps:?}");
}

/// Replicas diffuse with D(T) on a ladder of even steps: f falls as 1/D, and the best density of temperatures is 1/√D,
/// here 1 + 9 (T − 1)², whose integral is x + 3 x³ of 4 for x = T − 1.
fn reached(temperature: f64) -> f64 {
    let x = temperature - 1.0;
    (x + 3.0 * x.powi(3)) / 4.0
}

#[test]
fn flow_puts_temperatures_where_replicas_are_slow() {
    let rungs = 60;
    let temperatures: Vec<f64> = (0..rungs).map(|rung| 1.0 + rung as f64 / 59.0).collect();
    // The integral of 1/D is (x + 6 x³ + 16.2 x⁵)/23.2.
    let flow: Vec<f64> = temperatures
        .iter()
        .map(|t| 1.0 - ((t - 1.0) + 6.0 * (t - 1.0).powi(3) + 16.2 * (t - 1.0).powi(5)) / 23.2)
        .collect();
    let found = evenly(&temperatures, &lengths(&flow));
    for (rung, temperature) in found.iter().enumerate() {
        // The uniform flow that is mixed in shifts the temperatures by about a hundredth.
        let place = reached(*temperature) * 59.0;
        assert!((place - rung as f64).abs() < 1.5, "{rung}: {temperature} {place}");
    }
    // A uniform flow changes nothing.
    let even: Vec<f64> = (0..rungs).map(|rung| 1.0 - rung as f64 / 59.0).collect();
    let same = evenly(&temperatures, &lengths(&even));
    assert!(same.iter().zip(&temperatures).all(|(one, other)| (one - other).abs() < 1e-9));
}

/// Repeated placements by the counts that each new ladder gives: a replica needs (ΔT)²/D to cross an interval.
#[test]
fn placements_by_flow_converge_to_an_even_flow() {
    let mut ladder: Vec<f64> = (0..21).map(|rung| 1.0 + rung as f64 / 20.0).collect();
    for _ in 0..12 {
        let slowness = |pair: &[f64]| {
            let x = 0.5 * (pair[0] + pair[1]) - 1.0;
            ((pair[1] - pair[0]) * (1.0 + 9.0 * x * x)).powi(2)
        };
        let falls: Vec<f64> = ladder.windows(2).map(slowness).collect();
        let whole: f64 = falls.iter().sum();
        let mut f = 1.0;
        let mut upward = vec![MANY];
        for fall in falls {
            f -= fall / whole;
            upward.push((f.clamp(0.0, 1.0) * MANY as f64) as u64);
        }
        let downward: Vec<u64> = upward.iter().map(|up| MANY - up).collect();
        ladder = by_flow(&ladder, &upward, &downward);
        assert!(ladder.windows(2).all(|pair| pair[0] < pair[1]), "{ladder:?}");
    }
    for (rung, temperature) in ladder.iter().enumerate() {
        assert!((reached(*temperature) * 20.0 - rung as f64).abs() < 0.1, "{rung}: {temperature}");
    }
}

#[test]
fn noisy_flow_still_makes_a_ladder() {
    // Rungs 1 and 2 are one run of mean 0.6 at 1.5; straight lines join it to the ends.
    let expected = [1.0, 1.0 - 0.4 / 1.5, 0.6 - 0.3 / 1.5 * 0.5, 0.3, 0.0];
    assert_eq!(falling(&[1.0, 0.5, 0.7, 0.3, 0.0]), expected);
    let temperatures = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5];
    for upward in [[9, 9, 9, 0, 0, 0], [9, 2, 8, 1, 7, 0], [0; 6]] {
        let downward = upward.map(|up| if upward == [0; 6] { 0 } else { 9 - up });
        let ladder = by_flow(&temperatures, &upward, &downward);
        assert!(ladder.windows(2).all(|pair| pair[0] < pair[1]), "{ladder:?}");
        assert_eq!((ladder[0], ladder[5]), (1.0, 1.5));
    }
}
