//! Walks that are made together, a vector lane each.

use beadwork_arithmetic::Instructions;

use super::group::WalkerGroup;
use super::walk::{EitherWalker, Walk};
use super::walker::Rung;
use beadwork_simulation::Failure;

/// Workspace for walks that are made together; what is in it changes the speed, never a walk.
#[derive(Clone, Debug)]
pub(crate) struct Walks {
    single: WalkerGroup<f32>,
    double: WalkerGroup<f64>,
}

impl Walks {
    pub fn new(instructions: Instructions) -> Walks {
        Walks { single: WalkerGroup::new(instructions), double: WalkerGroup::new(instructions) }
    }

    /// Makes up to `sweeps` sweeps of each walk, which fit together; fewer only where the stage of one of them ends.
    /// Returns what became of each.
    pub fn advance(&mut self, walks: &mut [&mut Walk], sweeps: u64) -> Vec<Result<u64, Failure>> {
        let sweeps = walks.iter().map(|walk| walk.remaining()).fold(sweeps, u64::min);
        let mut left = sweeps;
        while left > 0 {
            let now = walks.iter().map(|walk| walk.sweeps_to_fit()).fold(left, u64::min);
            let rungs: Vec<Rung> = walks.iter().map(|walk| walk.rung()).collect();
            let accepted = self.advance_walkers(walks, &rungs, now);
            for (walk, accepted) in walks.iter_mut().zip(accepted) {
                walk.note(now, accepted);
            }
            left -= now;
        }
        vec![Ok(sweeps); walks.len()]
    }

    fn advance_walkers(
        &mut self,
        walks: &mut [&mut Walk],
        rungs: &[Rung],
        sweeps: u64,
    ) -> Vec<u64> {
        let Some(polymer) = walks.first().map(|walk| *walk.polymer()) else {
            return Vec::new();
        };
        let (mut singles, mut doubles) = (Vec::new(), Vec::new());
        for walk in walks {
            match walk.walker_mut() {
                EitherWalker::Single(walker) => singles.push(walker),
                EitherWalker::Double(walker) => doubles.push(walker),
            }
        }
        if doubles.is_empty() {
            self.single.advance(&mut singles, rungs, sweeps, &polymer)
        } else {
            self.double.advance(&mut doubles, rungs, sweeps, &polymer)
        }
    }
}
