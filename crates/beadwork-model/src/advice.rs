//! What can be said of a request before it runs: is the step small enough, does the chain follow.

use std::collections::BTreeSet;

use crate::drives::Drive;
use crate::observables::{Observable, Unit, extension};
use crate::protocol::{Dynamics, Protocol, Stage, StageKind};
use crate::system::System;
use crate::units::PICONEWTONS_PER_FORCE;

/// Largest step of a bond's stiffest mode that runs are accurate with; see [`bond_step`].
pub const ADVISED_BOND_STEP: f64 = 0.6;

/// The dimensionless step of the stiffest mode of a chain of the system's stiffest bonds,
/// 4 k h/ξ: a harmonic mode of rate λ is multiplied by 1 − λh each step, so that the dynamics
/// explodes beyond 2 and its variance is wrong by 1/(1 − λh/2) below.
pub fn bond_step(system: &System, dynamics: &Dynamics) -> f64 {
    4.0 * system.interactions.stiffest_bond() * dynamics.timestep / dynamics.friction
}

/// Everything worth a warning, each a sentence.
pub fn warnings(system: &System, protocol: &Protocol) -> Vec<String> {
    let mut warnings = Vec::new();
    let dynamics = &protocol.dynamics;
    let moves =
        protocol.stages.iter().any(|stage| matches!(stage.kind, StageKind::Dynamics { .. }));
    let step = bond_step(system, dynamics);
    if moves && step > ADVISED_BOND_STEP {
        let advised = rounded_down(dynamics.timestep * ADVISED_BOND_STEP / step);
        warnings.push(format!(
            "the time step of {} ps is too large for the stiffest bond: 4 k h/friction is {step:.2}, and beyond {ADVISED_BOND_STEP} bonds of SOP chains break within some thousand steps; use at most {advised} ps, or raise the friction{}",
            dynamics.timestep,
            printed_friction_hint(dynamics)
        ));
    }
    let step = system.interactions.stiffest_field() * dynamics.timestep / dynamics.friction;
    if moves && step > ADVISED_BOND_STEP {
        let what = if step < 2.0 { "overshoot them" } else { "leave them for good" };
        warnings.push(format!(
            "the time step of {} ps is too large for the wells: k h/friction is {step:.2}, beyond {} beads {what}; use at most {} ps, or softer wells",
            dynamics.timestep,
            if step < 2.0 { ADVISED_BOND_STEP } else { 2.0 },
            rounded_down(dynamics.timestep * ADVISED_BOND_STEP / step),
        ));
    }
    for stage in &protocol.stages {
        for drive in &stage.drives {
            if let Drive::Spring(spring) = drive {
                // Pulled at one end, a chain held at the other moves at ν/2 on average.
                let beads = bonded_to(system, &spring.ends.pulled) as f64;
                let drag = 0.5 * beads * dynamics.friction * spring.speed.abs();
                if drag * PICONEWTONS_PER_FORCE > 50.0 {
                    warnings.push(format!(
                        "stage \"{}\": dragging the unfolded chain through the solvent at this speed takes up to {:.0} pN beside the forces of interest (beads of the chain x friction x speed / 2); pull slower to come below",
                        stage.name,
                        drag * PICONEWTONS_PER_FORCE
                    ));
                }
            }
        }
        let pulling = stage.drives.iter().filter(|drive| drive.ends().is_some()).count();
        if pulling > 1 {
            warnings.push(format!(
                "stage \"{}\": {pulling} drives pull; the columns of force and work, and with them the unfolding force, are the sums over them, each along its own direction",
                stage.name
            ));
        }
        warnings.extend(stop_warnings(system, protocol, stage));
        for drive in &stage.drives {
            let (name, stiffness) = match drive {
                Drive::Spring(spring) => {
                    ("spring", spring.stiffness / spring.ends.pulled.len().max(1) as f64)
                }
                Drive::Restrain(restrain) => ("restraint", restrain.stiffness),
                Drive::Force(_) | Drive::ForceRamp(_) => continue,
            };
            let step = stiffness * dynamics.timestep / dynamics.friction;
            if step > ADVISED_BOND_STEP {
                warnings.push(format!(
                    "stage \"{}\": the {name} is too stiff for the time step: k h/friction is {step:.2}, beyond {ADVISED_BOND_STEP} beads overshoot it; use a softer one or a smaller step",
                    stage.name
                ));
            }
        }
        if !stage.fixed.is_empty() && stage.fixed.len() == system.beads() {
            warnings
                .push(format!("stage \"{}\": every bead is fixed, nothing will move", stage.name));
        }
        let fixed: BTreeSet<usize> = stage.fixed.iter().copied().collect();
        for drive in &stage.drives {
            if let Some(ends) = drive.ends()
                && ends.pulled.iter().all(|bead| fixed.contains(bead))
            {
                warnings.push(format!(
                    "stage \"{}\": every bead that the {} pulls is also fixed, so that it cannot move",
                    stage.name,
                    drive.kind()
                ));
            }
        }
    }
    warnings
}

/// A positive number by its first two digits.
fn rounded_down(number: f64) -> f64 {
    let digits = 10f64.powf(number.log10().floor() - 1.0);
    (number / digits).floor() * digits
}

/// How many beads hang together with the given ones by bonds, these included.
fn bonded_to(system: &System, beads: &[usize]) -> usize {
    let mut neighbours = vec![Vec::new(); system.particles.positions.len()];
    for (i, j) in system.bonds() {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut reached: BTreeSet<usize> = beads.iter().copied().collect();
    let mut open: Vec<usize> = reached.iter().copied().collect();
    while let Some(bead) = open.pop() {
        open.extend(neighbours[bead].iter().filter(|&&next| reached.insert(next)));
    }
    reached.len()
}

/// Stop rules on the extension that hold from the start, or that the drive cannot reach.
fn stop_warnings(system: &System, protocol: &Protocol, stage: &Stage) -> Vec<String> {
    if stage.stops.is_empty() {
        return Vec::new();
    }
    let start = Unit::Nanometre.convert(extension(&protocol.ends, &system.particles.positions));
    let time = stage.steps() as f64 * protocol.dynamics.timestep;
    let travel = stage.drives.iter().map(|drive| match drive {
        Drive::Spring(spring) => Unit::Nanometre.convert(spring.speed.abs() * time),
        Drive::Force(_) | Drive::ForceRamp(_) => f64::INFINITY,
        Drive::Restrain(_) => 0.0,
    });
    let travel: f64 = travel.sum();
    let mut warnings = Vec::new();
    for rule in stage.stops.iter().filter(|rule| rule.observable == Observable::Extension) {
        if rule.holds(start) {
            warnings.push(format!(
                "stage \"{}\": \"{}\" holds already in the structure, where the extension is {start:.2} nm: the stage may end at once",
                stage.name, rule.text
            ));
        } else if rule.above && !stage.drives.is_empty() && start + travel < rule.threshold {
            warnings.push(format!(
                "stage \"{}\": \"{}\" will hardly be reached: the extension is {start:.2} nm in the structure and the base travels {travel:.2} nm",
                stage.name, rule.text
            ));
        }
    }
    warnings
}

/// P4 prints ξ = 7.0×10⁵ pN ps/nm beside h = 20 ps; its own program uses 12.4 times more.
fn printed_friction_hint(dynamics: &Dynamics) -> &'static str {
    let printed = 7.0e5 / (10.0 * PICONEWTONS_PER_FORCE);
    if (dynamics.friction / printed - 1.0).abs() < 0.02 {
        ". 7.0e5 pN ps/nm is the friction printed in the SOP-GPU paper of 2010; with steps of 20 ps that program in fact uses 8.685e6 pN ps/nm"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;
    use crate::drives::{Ends, Spring};
    use crate::potentials::{FeneBond, HarmonicTrap};
    use crate::protocol::{Integrator, Precision, StopRule};
    use crate::system::{Interactions, Pair, Single};
    use crate::units::{Dimension, parse};

    fn system() -> System {
        let potential = FeneBond { stiffness: 20.0, limit: 2.0, length: 3.8 };
        System {
            interactions: Interactions {
                bonded: vec![vec![Pair { i: 0, j: 1, potential }].into()],
                ..Interactions::default()
            },
            ..System::default()
        }
    }

    fn protocol(friction: &str, timestep: f64) -> Protocol {
        Protocol {
            dynamics: Dynamics {
                integrator: Integrator::Brownian,
                temperature: 0.6,
                friction: parse(friction, Dimension::Friction).unwrap().value,
                timestep,
                precision: Precision::Double,
                skin: 4.0,
            },
            stages: vec![Stage {
                name: "run".into(),
                kind: StageKind::Dynamics { steps: 10 },
                fixed: vec![],
                drives: vec![],
                stops: vec![],
            }],
            ends: (vec![0], vec![1]),
            seed: 1,
            randomness: Generator::Philox4x32x10.into(),
        }
    }

    #[test]
    fn steps_that_sop_gpu_uses_pass() {
        // 4 · 20 · 0.0016 = 0.128 at 20 ps, 0.256 at 40 ps.
        let friction = "12500 kcal ps/(mol A^2)";
        assert!((bond_step(&system(), &protocol(friction, 20.0).dynamics) - 0.128).abs() < 1e-12);
        assert!(warnings(&system(), &protocol(friction, 20.0)).is_empty());
        assert!(warnings(&system(), &protocol(friction, 40.0)).is_empty());
    }

    #[test]
    fn wells_too_stiff_for_the_time_step_are_named() {
        let said = |stiffness: f64| {
            let potential = HarmonicTrap { stiffness, centre: [0.0; 3] };
            let interactions = Interactions {
                singles: vec![vec![Single { bead: 0, potential }].into()],
                ..Interactions::default()
            };
            let system = System { interactions, ..System::default() };
            warnings(&system, &protocol("12500 kcal ps/(mol A^2)", 1000.0)).join("; ")
        };
        assert_eq!(said(7.0), "");
        assert!(said(10.0).contains("0.80, beyond 0.6 beads overshoot them; use at most 750 ps"));
        assert!(said(30.0).contains("2.40, beyond 2 beads leave them for good"), "{}", said(30.0));
    }

    #[test]
    fn the_printed_friction_is_named() {
        let warnings = warnings(&system(), &protocol("7.0e5 pN ps/nm", 20.0));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("8.685e6 pN ps/nm"), "{}", warnings[0]);
        assert!(warnings[0].contains("at most 7.5 ps"), "{}", warnings[0]);
    }

    /// Two beads 3.8 Å apart, the second pulled at 1 nm in all.
    fn pulled(drives: usize, stop: Option<(bool, f64)>, stiffness: f64) -> Vec<String> {
        let mut system = system();
        system.particles.positions = vec![[0.0; 3], [3.8, 0.0, 0.0]];
        let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
        let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None };
        // Ten steps of 20 ps: 10 Å, slow enough for the drag of two beads.
        protocol.dynamics.friction = 12_500.0;
        let spring = Spring { ends, stiffness, speed: 0.05, update_every: 1 };
        protocol.stages[0].drives = vec![Drive::Spring(spring); drives];
        protocol.stages[0].stops = stop
            .map(|(above, threshold)| StopRule {
                text: "rule".into(),
                observable: Observable::Extension,
                above,
                threshold,
                every: 1,
            })
            .into_iter()
            .collect();
        let all = warnings(&system, &protocol);
        all.into_iter().filter(|warning| !warning.contains("dragging")).collect()
    }

    #[test]
    fn only_the_chain_that_is_pulled_is_dragged() {
        // Beads 0 to 2 are a chain, 3 and 4 another, 5 is alone. N ξ ν/2 · 69.48 pN is
        // 12 500 · 0.0002 · 69.48/2 = 87 pN for each bead.
        let bond = |i, j| Pair { i, j, ..system().interactions.bonded_by::<FeneBond>()[0] };
        let mut system = system();
        system.particles.positions = vec![[0.0; 3]; 6];
        *system.interactions.bonded_by_mut() = vec![bond(0, 1), bond(1, 2), bond(3, 4)];
        for (pulled, drag) in [(vec![2], "261 pN"), (vec![3], "174 pN"), (vec![2, 0, 5], "347 pN")]
        {
            let ends = Ends { fixed: vec![0], pulled, direction: None };
            let mut protocol = protocol("12500 kcal ps/(mol A^2)", 20.0);
            let spring = Spring { ends, stiffness: 0.05, speed: 2e-4, update_every: 1 };
            protocol.stages[0].drives = vec![Drive::Spring(spring)];
            assert_only(&warnings(&system, &protocol), &format!("takes up to {drag}"));
        }
    }

    fn assert_only(warnings: &[String], part: &str) {
        assert!(warnings.len() == 1 && warnings[0].contains(part), "{warnings:?}");
    }

    #[test]
    fn stop_rules_that_hold_at_once_or_never_are_named() {
        // 0.38 nm at the start, 1.38 nm at most.
        assert_only(&pulled(1, Some((true, 0.3)), 0.05), "holds already");
        assert_only(&pulled(1, Some((true, 1.5)), 0.05), "will hardly be reached");
        assert!(pulled(1, Some((true, 1.3)), 0.05).is_empty());
        assert_only(&pulled(1, Some((false, 0.5)), 0.05), "holds already");
    }

    #[test]
    fn several_drives_and_stiff_ones_are_named() {
        assert!(pulled(1, None, 0.05).is_empty());
        assert_only(&pulled(2, None, 0.05), "2 drives pull");
        // k h/ξ = 500 · 20/12500.
        assert_only(&pulled(1, None, 500.0), "k h/friction is 0.80");
    }
}
