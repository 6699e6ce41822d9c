//! The threads that share the beads of a member, and the path that each follows.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use beadwork_arithmetic::{Instructions, Kernel};

use super::cpu_path::CpuPath;
use crate::teams::sharing::{dispatch_each, ranges};
use crate::teams::team::Team;
use crate::teams::team_size::TeamSize;

/// The threads of a member that is stepped alone.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    path: CpuPath,
    /// The range of beads of each thread.
    ranges: Vec<Range<usize>>,
    team: Option<Arc<Team>>,
    /// How many threads of the team share the member's beads.
    size: TeamSize,
}

impl Threads {
    /// One thread with all of so many beads, on the fastest path.
    pub fn one(beads: usize) -> Threads {
        Threads {
            path: CpuPath::best(),
            ranges: ranges(beads, 1),
            team: None,
            size: TeamSize::new(1),
        }
    }

    pub fn path(&self) -> CpuPath {
        self.path
    }

    pub fn set_path(&mut self, path: CpuPath) {
        self.path = path;
    }

    pub fn instructions(&self) -> Instructions {
        self.path.instructions()
    }

    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    pub fn team(&self) -> Option<&Team> {
        self.team.as_deref()
    }

    /// Lets up to `threads` threads share so many beads; whether that is another number than before.
    pub fn allow(&mut self, beads: usize, threads: usize) -> bool {
        let most = ranges(beads, threads).len();
        if most == self.size.most() {
            return false;
        }
        self.size = TeamSize::new(most);
        self.team = (most > 1).then(|| Arc::new(Team::new(most)));
        true
    }

    /// Whether another number of threads than now shall make the next step.
    pub fn have_changed(&self) -> bool {
        self.size.now() != self.ranges.len()
    }

    /// Divides the beads among the threads that share them now; whether the ranges are other ones.
    pub fn divide(&mut self, beads: usize) -> bool {
        let ranges = ranges(beads, self.size.now());
        let others = ranges != self.ranges;
        self.ranges = ranges;
        others
    }

    /// The time at which a step begins, if numbers of threads are compared.
    pub fn begin_step(&self) -> Option<Instant> {
        (self.size.most() > 1).then(Instant::now)
    }

    pub fn end_step(&mut self, began: Option<Instant>) {
        if let Some(began) = began {
            self.size.count(began.elapsed());
        }
    }

    /// Dispatches each piece of work on a thread of the team.
    pub fn dispatch<K: Kernel<Output = ()> + Send>(&self, work: impl Iterator<Item = K>) {
        dispatch_each(self.team(), self.instructions(), work);
    }
}
