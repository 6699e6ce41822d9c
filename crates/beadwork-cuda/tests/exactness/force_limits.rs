//! Forces around the limit in a box: below it they are summed exactly, beyond it they name a bead, in boxes of any size.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::Job;
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::{Dynamics, ForceUnit, Integrator, Precision, Single, System};
use beadwork_simulation::{SamplePoint, StepError};
use beadwork_testing::few_or_many;

use crate::boxes::{GRIDS, in_form, lennard_jones};
use crate::stepping::{assert_same, device, without_squares};
use crate::support::{dynamics, protocol, stage};

/// The force unit of a box follows from the number of contributions. Fields without stiffness are contributions as well as
/// beads are, so a small box with millions of them has the unit of a box with millions of beads.
fn as_if_of(contributions: usize) -> System {
    let mut system = lennard_jones(45);
    let beads = system.beads();
    let potential = HarmonicTrap { stiffness: 0.0, centre: [0.0; 3] };
    let field = |number| Single { bead: number % beads, potential };
    system.interactions.singles =
        vec![(beads..contributions).map(field).collect::<Vec<_>>().into()];
    system
}

/// Puts beads 11 and 17 so near to each other that the force between them is `part` of the limit: 48 (1/r)^13, since the
/// attraction is less than 10⁻³ of it.
fn with_force(mut system: System, part: f64) -> System {
    let r = (48.0 / (part * ForceUnit::of(&system).limit)).powf(1.0 / 13.0);
    system.particles.positions[11] = [3.9, 0.1, 0.2];
    // Across a face.
    system.particles.positions[17] = [3.9 + r - 8.0, 0.1, 0.2];
    system
}

/// Bricks sum up to 2⁴¹ units exactly, shared lists 2⁴⁰ before they sum anew; in a box of more than two million beads the limit is 2⁴⁰ units.
#[test]
fn forces_around_the_limit_have_the_bits_of_the_reference_path_on_a_gpu() {
    let Some(device) = device() else { return };
    for (contributions, bits) in [(45, 51), ((1 << 21) + 1, 40)] {
        let system = as_if_of(contributions);
        let unit = ForceUnit::of(&system);
        assert_eq!(unit.limit / unit.unit, 2.0_f64.powi(bits));
        for part in few_or_many(vec![0.8, 1.2], vec![0.4, 0.8, 1.2, 1.8, 2.5]) {
            let system = Arc::new(with_force(system.clone(), part));
            // A step h with the force F of the limit moves a bead by h² F/2 = 10⁻³.
            let timestep = (2e-3 / unit.limit).sqrt();
            let case = (Integrator::LangevinMiddle, Precision::Single);
            let dynamics = Dynamics { skin: 0.1, ..dynamics(case, timestep) };
            let protocol = Arc::new(protocol(dynamics, vec![stage(2, vec![])]));
            let start = &system.particles.positions;
            let member = || Member::new(system.clone(), protocol.clone(), 1, start);
            let mut on_host = member().with_path(CpuPath::Reference);
            let expected = on_host.advance(2).err();
            let error = expected.as_ref().map(|failure| failure.error);
            let too_large = StepError::ForceTooLarge { bead: 11, limit: unit.limit };
            assert_eq!(error, (part > 1.0).then_some(too_large), "{part}");
            for form in GRIDS {
                let what = format!("{part} of 2^{bits} units, {form:?}");
                let mut on_gpu = member();
                let points = [SamplePoint { steps: 2, row: false }];
                let jobs = [Job { member: &on_gpu, points: &points }];
                let results = in_form(&device, form).advance(&jobs).unwrap();
                if results[0].samples() == 1 {
                    results[0].bring(0, &mut on_gpu).unwrap();
                }
                let failure = results[0].fail(&mut on_gpu).unwrap();
                assert_eq!(failure.map(|failure| failure.error), error, "{what}");
                if error.is_none() {
                    let (found, expected) = (on_gpu.state(), on_host.state());
                    assert_eq!(found.extra.motion, expected.extra.motion, "{what}");
                    assert_same(&without_squares(found), &without_squares(expected), &what);
                }
            }
        }
    }
}
