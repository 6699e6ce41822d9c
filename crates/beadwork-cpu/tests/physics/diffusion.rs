//! Diffusion of free beads.

use beadwork_model::Interactions;
use beadwork_testing::{ks_statistic, ks_threshold, normal_cdf};

use crate::support::{CASES, assert_joint, coordinates, dynamics, member, system};

/// A sum of normal steps is normal: after n steps of any h, each coordinate has variance
/// 2 kT n h/ξ, and three of them make ⟨r²⟩ = 6 D t.
#[test]
fn mean_square_displacement_is_six_d_t_for_any_step() {
    let beads = 15_000;
    let system = system(vec![[0.0; 3]; beads], Interactions::default());
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        for (seed, timestep) in [1e-3, 1.0, 250.0].into_iter().enumerate() {
            let seed = 10 * number as u64 + seed as u64;
            let mut run = member(&system, dynamics(case, timestep), vec![], seed);
            run.advance(40).unwrap();
            let time = run.time();
            assert_eq!(time, 40.0 * timestep);
            let mut samples: Vec<f64> =
                coordinates(&run).iter().map(|x| x / (2.0 * time).sqrt()).collect();
            // A sum of n squares has mean n and variance 2n.
            let count = samples.len() as f64;
            let squares: f64 = samples.iter().map(|x| x * x).sum();
            let deviation = (squares - count) / (2.0 * count).sqrt();
            assert!(deviation.abs() < 4.0, "{case:?}, step {timestep}: {deviation}");
            deviations.push(deviation);
            let distance = ks_statistic(&mut samples, normal_cdf);
            let threshold = ks_threshold(samples.len(), 1e-5);
            assert!(distance < threshold, "{case:?}, step {timestep}: {distance}");
        }
    }
    assert_joint(&deviations);
}
