//! The accuracy study of \[A\] (§IV.C): a force ramp on a particle in a well, by theory and by simulation.
//!
//! k = 40 pN/nm, r_f = κ ν₀ = 10 pN/nm · 1 µm/s, D = 1.5×10⁻¹¹ cm²/s, 300 K: τ = 69 µs, steps of 1, 25 and 50 ps. The
//! tests make 2×10⁷ steps; `validation/` makes the paper's 10⁹.
//!
//! Equation 3: ⟨X(t)⟩ = (r_f/k)(t − τ(1 − e^{−t/τ})). The paper's relative errors, 2×10⁻⁵ for its equation 4 and 1×10⁻⁵
//! for equation 5, are bounds on the mean; the mean of 10⁵ runs scatters more.

use beadwork_cpu::Member;
use beadwork_model::externals::{External, ForceRamp};
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::units::{Dimension, parse};
use beadwork_model::{Dynamics, Integrator, Interactions, Precision, Single};

use crate::oscillators::discrete_law;
use crate::support::{CASES, along_x, assert_joint, deviation, member, system, trapped};

/// Parameters of the study, in internal units.
struct Study {
    stiffness: f64,
    rate: f64,
    friction: f64,
    temperature: f64,
    tau: f64,
}

impl Study {
    fn new() -> Study {
        let value = |text, dimension| parse(text, dimension).unwrap().value;
        let stiffness = value("40 pN/nm", Dimension::Stiffness);
        let rate = value("10 pN/nm", Dimension::Stiffness) * value("1 um/s", Dimension::Speed);
        // D = kT/ξ; 1 cm²/s is 10⁴ Å²/ps.
        let temperature = value("300 K", Dimension::Temperature);
        let friction = temperature / (1.5e-11 * 1e4);
        Study { stiffness, rate, friction, temperature, tau: friction / stiffness }
    }

    /// Equation 3, Å.
    fn theory(&self, time: f64) -> f64 {
        // t − τ(1 − e^{−t/τ}), without cancellation for short times.
        self.rate / self.stiffness * (time + self.tau * (-time / self.tau).exp_m1())
    }

    /// Equations 4 and 5; the latter with and without the term r_f h²/2ξ that the paper leaves out.
    fn recursion(&self, scheme: Scheme, timestep: f64, steps: u64) -> f64 {
        let Study { rate, friction, tau, .. } = *self;
        let mut x = 0.0;
        for step in 0..steps {
            let time = step as f64 * timestep;
            let slope = rate * time / friction - x / tau;
            x += slope * timestep;
            if scheme != Scheme::First {
                x -= slope * timestep * timestep / (2.0 * tau);
            }
            if scheme == Scheme::Second {
                x += rate * timestep * timestep / (2.0 * friction);
            }
        }
        x
    }

    fn dynamics(&self, case: (Integrator, Precision), temperature: f64, timestep: f64) -> Dynamics {
        let (integrator, precision) = case;
        Dynamics {
            integrator,
            temperature,
            friction: self.friction,
            timestep,
            precision,
            skin: 2.0,
        }
    }

    fn member(
        &self,
        case: (Integrator, Precision),
        temperature: f64,
        timestep: f64,
        beads: usize,
        seed: u64,
    ) -> Member {
        let ends = along_x((0..beads).collect());
        let ramp = ForceRamp { ends, rate: self.rate * beads as f64 };
        let dynamics = self.dynamics(case, temperature, timestep);
        member(&trapped(beads, self.stiffness), dynamics, vec![External::ForceRamp(ramp)], seed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scheme {
    First,
    AsPrinted,
    Second,
}

fn relative(found: f64, expected: f64) -> f64 {
    (found / expected - 1.0).abs()
}

#[test]
fn parameters_give_the_times_of_the_paper() {
    let study = Study::new();
    // 69 µs, and √(kT/k) = 0.322 nm.
    assert!((study.tau / 1e6 - 69.0).abs() < 0.1, "{}", study.tau);
    let width = (study.temperature / study.stiffness).sqrt() / 10.0;
    assert!((width - 0.322).abs() < 5e-4, "{width}");
}

#[test]
fn the_recursions_of_the_mean_are_within_the_papers_bounds() {
    let study = Study::new();
    let steps = 20_000_000;
    for timestep in [1.0, 25.0, 50.0] {
        let expected = study.theory(steps as f64 * timestep);
        for (scheme, bound) in [(Scheme::First, 2e-5), (Scheme::Second, 1e-5)] {
            let error = relative(study.recursion(scheme, timestep, steps), expected);
            assert!(error < bound, "{scheme:?}, {timestep} ps: {error:e}");
        }
    }
}

/// Steps long enough to see the order: halving them halves the error of equation 4 and of
/// equation 5 as printed, and quarters that of equation 5 with the missing term.
#[test]
fn equation_five_is_of_second_order_only_with_its_missing_term() {
    let study = Study::new();
    let time = 2.0 * study.tau;
    for (scheme, order) in [(Scheme::First, 1.0), (Scheme::AsPrinted, 1.0), (Scheme::Second, 2.0)] {
        let error =
            |steps: u64| study.recursion(scheme, time / steps as f64, steps) - study.theory(time);
        let found: f64 = (error(1_000) / error(2_000)).log2();
        assert!((found - order).abs() < 0.01, "{scheme:?}: order {found}");
    }
    // In the long run the printed form lags by half a step more: (r_f/k) h/2.
    let timestep = 0.05 * study.tau;
    let steps = 2_000;
    let gap = study.recursion(Scheme::Second, timestep, steps)
        - study.recursion(Scheme::AsPrinted, timestep, steps);
    let expected = study.rate / study.stiffness * timestep / 2.0 / (1.0 - 0.025);
    assert!(relative(gap, expected) < 1e-9, "{gap:e} {expected:e}");
}

/// Both add 10⁵ small steps to a sum and round it each time, by half a unit of the last digit at most: together by ε a
/// step.
#[test]
fn runs_without_noise_are_the_recursions() {
    let study = Study::new();
    let steps = 100_000;
    for (integrator, scheme) in
        [(Integrator::Brownian, Scheme::First), (Integrator::BrownianSecondOrder, Scheme::Second)]
    {
        for timestep in [1.0, 50.0, 0.05 * study.tau] {
            let mut run = study.member((integrator, Precision::Double), 0.0, timestep, 1, 1);
            run.advance(steps).unwrap();
            let found = run.positions()[0][0];
            let error = relative(found, study.recursion(scheme, timestep, steps));
            let bound = steps as f64 * f64::EPSILON;
            assert!(error < bound, "{integrator:?}, {timestep} ps: {error:e}");
        }
    }
}

/// The mean of M particles against equation 3, which the discrete mean equals except for the transient, and their
/// variance against the discrete one. Steps of τ/500 reach 4 τ in seconds; the laws hold for any step.
#[test]
fn stochastic_runs_are_within_four_standard_errors_of_equation_three() {
    let study = Study::new();
    let timestep = study.tau / 500.0;
    let steps = 2_000;
    let mut deviations = Vec::new();
    for (seed, case) in CASES.into_iter().enumerate() {
        let mut run = study.member(case, study.temperature, timestep, 2_000, 1_100 + seed as u64);
        run.advance(steps).unwrap();
        let a = timestep / study.tau;
        let (factor, variance) = discrete_law(case.0, a);
        let variance =
            study.temperature / study.stiffness * variance * (1.0 - factor.powi(2 * steps as i32));
        let positions = run.positions();
        let expected = study.theory(run.time());
        // 3.22 Å/√2000; the discrete mean differs from equation 3 by a thousandth of that.
        let error = (variance / 2_000.0).sqrt();
        let discrete = study.rate / study.stiffness
            * (run.time() - study.tau * (1.0 - factor.powi(steps as i32)));
        assert!((discrete - expected).abs() < 1e-2 * error);
        let x: Vec<f64> = positions.iter().map(|position| position[0]).collect();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        assert!((mean - expected).abs() < 4.0 * error, "{case:?}: {mean} for {expected}");
        deviations.push((mean - expected) / error);
        let squares: Vec<f64> = positions
            .iter()
            .flat_map(|p| [p[0] - expected, p[1], p[2]])
            .map(|away| away * away)
            .collect();
        deviations.push(deviation(&squares, variance));
    }
    assert_joint(&deviations);
}

/// At 1 ps the mean moves by 2.5×10⁻⁹ Å a step. Around 50 Å, where the beads of a protein are, neighbours in f32 are
/// 3.8×10⁻⁶ Å apart: without noise a particle there does not move until the ramp is far ahead, and near the origin it
/// lags more and more. (Noise of 5×10⁻⁴ Å a step makes rounding up as frequent as rounding down; then single precision
/// is accurate enough.)
#[test]
fn without_noise_single_precision_freezes() {
    let study = Study::new();
    let steps = 200_000;
    for integrator in Integrator::OVERDAMPED {
        let travelled = |precision| {
            let potential = HarmonicTrap { stiffness: study.stiffness, centre: [50.0, 0.0, 0.0] };
            let singles = vec![vec![Single { bead: 0, potential }].into()];
            let interactions = Interactions { singles, ..Interactions::default() };
            let system = system(vec![[50.0, 0.0, 0.0]; 2], interactions);
            let ramp = ForceRamp { ends: along_x(vec![0]), rate: study.rate };
            let dynamics = study.dynamics((integrator, precision), 0.0, 1.0);
            let mut run = member(&system, dynamics, vec![External::ForceRamp(ramp)], 1);
            run.advance(steps).unwrap();
            run.positions()[0][0] - 50.0
        };
        assert_eq!(travelled(Precision::Single), 0.0);
        // In f64 the neighbours of 50 are 7×10⁻¹⁵ Å apart, and 2×10⁵ steps are rounded.
        let expected = study.theory(steps as f64);
        let double = travelled(Precision::Double);
        assert!((double - expected).abs() < steps as f64 * 3.6e-15, "{double:e} {expected:e}");
    }
    // Equation 4 as a plain recursion in f32 from the origin, to 0.7 τ.
    let steps = 50_000_000;
    let (pull, decay) = ((study.rate / study.friction) as f32, (1.0 / study.tau) as f32);
    let mut x = 0.0_f32;
    for step in 0..steps {
        x += pull * step as f32 - x * decay;
    }
    let error = relative(f64::from(x), study.theory(f64::from(steps)));
    assert!(error > 1e3 * 2e-5, "{error:e}");
}
