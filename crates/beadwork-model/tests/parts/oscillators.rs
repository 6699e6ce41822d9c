//! Independent particles and the laws of their schemes.

use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::{Dynamics, Integrator, Precision};

fn dynamics(integrator: Integrator, timestep: f64) -> Dynamics {
    let precision = Precision::Double;
    Dynamics { integrator, temperature: 1.0, friction: 1.0, timestep, precision, skin: 0.0 }
}

/// Seven particles in one dimension are axes of three beads, whose last two axes are unused.
#[test]
fn particles_in_one_dimension_are_axes_of_beads() {
    let line =
        Oscillators { particles: 7, dimensions: Dimensions::One, stiffness: 2.0, start: 10.0 };
    let system = line.build();
    assert_eq!((system.beads(), system.interactions.singles_by::<HarmonicTrap>().len()), (3, 3));
    assert_eq!(system.particles.positions[2], [10.0; 3]);
    let positions = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 1e9, 1e9]];
    assert_eq!(line.moments(&positions), ([4.0; 3], 20.0));
    let space = Oscillators { particles: 2, dimensions: Dimensions::Three, ..line };
    assert_eq!(space.moments(&positions[..2]), ([2.5, 3.5, 4.5], 91.0 / 6.0));
    let free = Oscillators { stiffness: 0.0, ..space }.build();
    assert!(free.interactions.singles_by::<HarmonicTrap>().is_empty());
}

/// kT = ξ = 1, k = 4, h = 1/8: a = 1/2.
#[test]
fn laws_computed_by_hand() {
    let wells =
        Oscillators { particles: 1, dimensions: Dimensions::One, stiffness: 4.0, start: 8.0 };
    let first = wells.law(&dynamics(Integrator::Brownian, 0.125));
    assert_eq!((first.factor, first.kick), (0.5, 0.25));
    // kT/k/(1 − a/2) = (1/4)/(3/4).
    assert_eq!(first.stationary(), Some(1.0 / 3.0));
    assert_eq!((first.mean(2.0), first.mean(3.0)), (2.0, 1.0));
    // ⟨B²⟩ (1 + c²).
    assert!((first.variance(2.0) - 0.25 * 1.25).abs() < 1e-15);
    assert!((first.relaxation().unwrap() - 1.0 / 2.0_f64.ln()).abs() < 1e-15);
    let second = wells.law(&dynamics(Integrator::BrownianSecondOrder, 0.125));
    assert_eq!((second.factor, second.kick), (0.625, 0.25 * 0.5625));
    let free = Oscillators { stiffness: 0.0, ..wells }.law(&dynamics(Integrator::Brownian, 2.0));
    assert_eq!((free.stationary(), free.relaxation()), (None, None));
    assert_eq!((free.mean(9.0), free.variance(9.0)), (8.0, 36.0));
    // ⟨B²⟩ (1 + c² + c⁴) with c = −2: the variance diverges.
    let lost = wells.law(&dynamics(Integrator::Brownian, 0.75));
    assert_eq!((lost.factor, lost.stationary(), lost.relaxation()), (-2.0, None, None));
    assert_eq!(lost.variance(3.0), lost.kick * 21.0);
    let forgetful = wells.law(&dynamics(Integrator::Brownian, 0.25));
    assert_eq!(forgetful.factor, 0.0);
    assert!(forgetful.relaxation().unwrap() < 0.01);
    // With a > 1 the mean changes its sign at each step.
    let large = wells.law(&dynamics(Integrator::Brownian, 0.375));
    assert_eq!((large.factor, large.mean(2.0), large.mean(3.0)), (-0.5, 2.0, -1.0));
}
/// Compares the rounding of a step in each precision with the bound.
#[test]
fn rounding_stays_within_its_bound() {
    let wells =
        Oscillators { particles: 1, dimensions: Dimensions::One, stiffness: 0.1, start: 100.0 };
    for precision in [Precision::Single, Precision::Double] {
        let dynamics = Dynamics { precision, ..dynamics(Integrator::Brownian, 0.37) };
        let law = wells.law(&dynamics);
        let (mut single, mut double) = (100.0_f32, 100.0_f64);
        for steps in 1..=300 {
            single += 0.37 * (-0.1 * single);
            double += 0.37 * (-0.1 * double);
            let found = match precision {
                Precision::Single => f64::from(single),
                Precision::Double => double,
            };
            let (off, bound) =
                (found - law.mean(steps.into()), wells.rounding(&dynamics, steps.into()));
            assert!(off.abs() <= bound, "{steps}: {off} {bound}");
            assert!(bound < 1e-4 * law.mean(steps.into()), "{steps}: {bound}");
        }
    }
}
