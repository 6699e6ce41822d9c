//! What the examples share: words of the command line, and members that are stepped on a card without files.
#![allow(dead_code, clippy::unwrap_used, reason = "each example takes what it needs")]

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{Ensemble, Error, Job};
use beadwork_model::drives::{Drive, Ends, Spring};
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_simulation::SamplePoint;

/// The words of the command line; `-` stands for what is left out.
pub struct Words(Vec<String>);

impl Words {
    pub fn read() -> Words {
        Words(std::env::args().skip(1).collect())
    }

    pub fn has(&self, word: &str) -> bool {
        self.0.iter().any(|own| own == word)
    }

    pub fn get(&self, place: usize) -> Option<&str> {
        self.0.get(place).map(String::as_str).filter(|word| *word != "-")
    }

    /// The parts of a list with commas.
    pub fn list(&self, place: usize, otherwise: &str) -> Vec<String> {
        self.get(place).unwrap_or(otherwise).split(',').map(String::from).collect()
    }

    /// The numbers of a list, or once none.
    pub fn numbers(&self, place: usize) -> Vec<Option<usize>> {
        self.list(place, "none").iter().map(|number| number.parse().ok()).collect()
    }

    /// `double`, `pulled`, `hybrid-taus`, `second-order`.
    pub fn protocol(&self, beads: usize, skin: f64) -> Protocol {
        let last = beads - 1;
        let ends = Ends { fixed: vec![0], pulled: vec![last], direction: None };
        let spring = Spring { ends, stiffness: 0.05, speed: 2.5e-8, update_every: 1 };
        let pulled = self.has("pulled");
        let chosen = |word: &str| usize::from(self.has(word));
        Protocol {
            dynamics: Dynamics {
                integrator: [Integrator::Brownian, Integrator::BrownianSecondOrder]
                    [chosen("second-order")],
                temperature: 0.6,
                friction: 12_500.0,
                timestep: 20.0,
                precision: [Precision::Single, Precision::Double][chosen("double")],
                skin,
            },
            stages: vec![Stage {
                name: "run".into(),
                kind: StageKind::Dynamics { steps: u64::MAX },
                fixed: if pulled { vec![0] } else { vec![] },
                drives: if pulled { vec![Drive::Spring(spring)] } else { vec![] },
                stops: vec![],
            }],
            ends: (vec![0], vec![last]),
            seed: 1,
            randomness: [Generator::Philox4x32x10, Generator::HybridTaus][chosen("hybrid-taus")]
                .into(),
        }
    }
}

pub fn members(system: &Arc<System>, protocol: &Arc<Protocol>, count: usize) -> Vec<Member> {
    let member = |n| Member::new(system.clone(), protocol.clone(), n, &system.particles.positions);
    (0..count as u64).map(member).collect()
}

/// Has a card make so many steps of all members; whether all are sound at the end.
pub fn advance(ensemble: &mut Ensemble, members: &[Member], steps: u32) -> Result<bool, Error> {
    let points = [SamplePoint { steps, row: true }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    Ok(ensemble.advance(&jobs)?.iter().all(|found| found.samples() == 1))
}
