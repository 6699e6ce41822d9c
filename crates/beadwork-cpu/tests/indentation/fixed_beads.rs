//! A tip on beads that do not move, against a direct sum over them.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::{BasePath, External, MoveSchedule, Tip};
use beadwork_model::observables::Observable;
use beadwork_model::units::{PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE};
use beadwork_model::{Precision, Protocol, System};

use crate::{BEADS, FRICTION, molecule, protocol, tip};

/// U = ε Σ (σ/(d − R))⁶ over all beads and the force on a tip at a position.
fn direct_sum(tip: &Tip, at: [f64; 3], beads: &[[f64; 3]]) -> (f64, [f64; 3]) {
    let (mut energy, mut force) = (0.0, [0.0; 3]);
    for bead in beads {
        let apart: Vec<f64> = (0..3).map(|axis| at[axis] - bead[axis]).collect();
        let distance = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sixth = (tip.contact.sigma / (distance - tip.radius)).powi(6);
        energy += tip.contact.epsilon * sixth;
        let size = 6.0 * tip.contact.epsilon * sixth / (distance - tip.radius);
        (0..3).for_each(|axis| force[axis] += size * apart[axis] / distance);
    }
    (energy, force)
}

#[test]
fn a_tip_on_fixed_beads_follows_a_direct_sum() {
    let system = molecule();
    let start = system.particles.positions.clone();
    let path = BasePath { speed: 2e-5, out: Some(15_000), rest: 100, cycles: 1 };
    for every in [1_u64, 10] {
        let mut own = tip(every, MoveSchedule::Earlier);
        own.cantilever.path = path;
        let mut fixed = protocol(vec![External::Tip(own.clone())], Precision::Double);
        fixed.stages[0].fixed = (0..BEADS).collect();
        let follow = Follow { system: Arc::new(system.clone()), protocol: Arc::new(fixed), own };
        follow.follow(&start);
    }
}

struct Follow {
    system: Arc<System>,
    protocol: Arc<Protocol>,
    own: Tip,
}

impl Follow {
    fn follow(&self, start: &[[f64; 3]]) {
        let own = &self.own;
        let mut member = Member::new(self.system.clone(), self.protocol.clone(), 0, start);
        let every = own.cantilever.moves_every;
        let mut at = member.state().externals[0].origin;
        let (origin, timestep) = (at, self.protocol.dynamics.timestep);
        let base = |step: u64| {
            // 0.3 Å out in 15,000 steps, a rest of 100, and back.
            let out = 15_000_u64;
            let steps =
                if step < out + 100 { step.min(out) } else { (2 * out + 100).saturating_sub(step) };
            origin[2] - steps as f64 * timestep * own.cantilever.path.speed
        };
        let (mut largest, mut worst) = (0.0_f64, 0.0_f64);
        let mut work = 0.0;
        for window in 0..31_000 / every {
            let step = window * every;
            let (energy, force) = direct_sum(own, at, start);
            if step.is_multiple_of(500) {
                let measured = member.measure().unwrap();
                let get = |observable| measured.get(observable).unwrap();
                let pairs = [
                    (get(Observable::TipForce) / PICONEWTONS_PER_FORCE, force[2]),
                    (get(Observable::TipEnergy), energy),
                    (10.0 * get(Observable::TipX), at[0]),
                    (10.0 * get(Observable::TipY), at[1]),
                    (10.0 * get(Observable::TipZ), at[2]),
                    (
                        get(Observable::Force) / PICONEWTONS_PER_FORCE,
                        own.cantilever.stiffness * (at[2] - base(step)),
                    ),
                    (get(Observable::Work) / PICONEWTON_NANOMETRES_PER_KCAL_MOL, work),
                ];
                for (found, expected) in pairs {
                    worst = worst.max((found - expected).abs() / expected.abs().max(1e-3));
                }
            }
            largest = largest.max(force[2]);
            // While the tip stands at `at`, the base goes on.
            let (from, to) = (base(step), base(step + every));
            work += own.cantilever.stiffness * (0.5 * (from + to) - at[2]) * (to - from);
            let target = [origin[0], origin[1], from];
            let mobility = every as f64 * timestep / FRICTION;
            for axis in 0..3 {
                at[axis] +=
                    mobility * (own.cantilever.stiffness * (target[axis] - at[axis]) + force[axis]);
            }
            member.advance(every).unwrap();
        }
        eprintln!("every {every}: largest force {largest:.4}, largest difference {worst:.1e}");
        assert!(largest > 0.5, "{largest}");
        assert!(worst < 1e-9, "{worst:e}");
        assert_eq!(member.positions(), start);
    }
}
