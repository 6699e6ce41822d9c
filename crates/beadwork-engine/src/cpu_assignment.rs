//! How the members of a run are stepped on this machine. No result depends on it.

use beadwork_cpu::Instructions;
use beadwork_model::{Precision, Randomness, System};

use crate::plan::Plan;

/// Threads, instructions, and how many members a thread steps at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuAssignment {
    /// Threads that have members of their own.
    pub workers: usize,
    /// Threads that share the beads of each member, when members are stepped one at a time.
    pub threads_each: usize,
    /// Members that a thread has in hand, one a vector lane; 1: lanes run over pairs and beads.
    pub together: usize,
    /// With fewer members at hand each is stepped alone: lanes without a member cost as much as
    /// those with one.
    pub worth_together: usize,
    /// Vector instructions.
    pub instructions: Instructions,
    /// The precision of the members that the run begins with.
    pub precision: Precision,
    /// Members to be stepped.
    pub members: usize,
}

/// What members are, as far as it says whether vector lanes may hold one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Their beads move by dynamics.
    Moved,
    /// The same, with words that are drawn one after another: each alone.
    MovedByDrawnWords,
    /// Chains that are sampled.
    Sampled,
}

impl Kind {
    /// Of members of these systems with this randomness.
    pub fn of<'a>(members: impl Iterator<Item = (&'a System, Randomness)> + Clone) -> Kind {
        if members.clone().all(|(system, _)| system.is_sampled()) {
            Kind::Sampled
        } else if members.clone().all(|(_, randomness)| randomness.is_in_lanes()) {
            Kind::Moved
        } else {
            Kind::MovedByDrawnWords
        }
    }

    /// With fewer members a group is slower than these one by one. Whatever lanes have a member, a group of dynamics
    /// takes as long as two fifths as many members alone as the widest vectors have lanes (34 to 89 beads), and one of
    /// chains in the narrowest vectors that hold it less than two (13 and 55 monomers).
    fn worth_together(self, widest: usize) -> usize {
        match self {
            Kind::Moved | Kind::MovedByDrawnWords => (2 * widest).div_ceil(5).max(2),
            Kind::Sampled => 2,
        }
    }
}

/// Beads of the largest system that is stepped with a lane a member: beyond it a group's arrays
/// leave the cache, and its list holds every member's pairs.
const LARGEST_TOGETHER: usize = 2_000;

/// Beads for which waiting for another thread pays.
const BEADS_A_THREAD: usize = 512;

impl CpuAssignment {
    /// The assignment for `open` members of a plan that are still to be stepped.
    pub(crate) fn of(plan: &Plan, open: usize, threads: usize) -> CpuAssignment {
        let beads = plan.members.iter().map(|member| member.system.beads()).max().unwrap_or(0);
        let precision = match plan.members.first() {
            Some(member) => member.protocol.dynamics.precision,
            None => Precision::Single,
        };
        let kinds = plan.members.iter();
        let kind = Kind::of(kinds.map(|member| (&*member.system, member.protocol.randomness)));
        CpuAssignment::new(beads, precision, kind, open, threads)
    }

    /// The assignment for `members` members of up to `beads` beads.
    pub fn new(
        beads: usize,
        precision: Precision,
        kind: Kind,
        members: usize,
        threads: usize,
    ) -> CpuAssignment {
        let workers = threads.clamp(1, members.max(1));
        let width = |instructions: Instructions| match precision {
            Precision::Single => instructions.width::<f32>(),
            Precision::Double => instructions.width::<f64>(),
        };
        let share = members.div_ceil(workers);
        // The narrowest vectors that hold a thread's members, since narrow ones are as fast.
        let best = Instructions::best();
        let instructions = Instructions::ALL
            .into_iter()
            .filter(|instructions| instructions.is_available() && *instructions <= best)
            .find(|instructions| width(*instructions) >= share)
            .unwrap_or(best);
        let together = match kind != Kind::MovedByDrawnWords && beads <= LARGEST_TOGETHER {
            true => width(instructions).min(share),
            false => 1,
        };
        let worth_together = kind.worth_together(width(best));
        if together < worth_together {
            // Threads left over share the beads of large systems.
            let threads_each = (threads / workers).clamp(1, beads.div_ceil(BEADS_A_THREAD).max(1));
            let instructions = best;
            return CpuAssignment {
                workers,
                threads_each,
                together: 1,
                worth_together,
                instructions,
                precision,
                members,
            };
        }
        CpuAssignment {
            workers,
            threads_each: 1,
            together,
            worth_together,
            instructions,
            precision,
            members,
        }
    }

    /// Members that worker number `worker` has in hand at most: few members are shared out evenly, so
    /// that no thread reports idle beside one with many.
    pub fn room(&self, worker: usize) -> usize {
        let (share, rest) = (self.members / self.workers, self.members % self.workers);
        (share + usize::from(worker < rest)).clamp(1, self.together)
    }

    /// `up to 16 members at a time on each thread, single precision, avx-512 instructions, 2 threads`.
    pub fn describe(&self) -> String {
        let members = match self.together {
            1 => "one member at a time".to_string(),
            many => format!("up to {many} members at a time on each thread"),
        };
        let threads = match self.workers * self.threads_each {
            1 => "1 thread".to_string(),
            many if self.threads_each > 1 => {
                format!("{many} threads, {} of them for each member", self.threads_each)
            }
            many => format!("{many} threads"),
        };
        format!(
            "{members}, {} precision, {} instructions, {threads}",
            self.precision.name(),
            self.instructions.name()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_work_where_there_are_members_for_it() {
        for (members, threads) in [(1, 1), (3, 2), (9, 8), (17, 16), (40, 3), (1000, 7)] {
            let assignment =
                CpuAssignment::new(34, Precision::Single, Kind::Moved, members, threads);
            let rooms: Vec<usize> =
                (0..assignment.workers).map(|worker| assignment.room(worker)).collect();
            assert_eq!(assignment.workers, threads.min(members));
            assert!(
                rooms.iter().all(|&room| (1..=assignment.together).contains(&room)),
                "{rooms:?}"
            );
            let at_once: usize = rooms.iter().sum();
            assert!(at_once <= members && at_once >= members.min(assignment.workers), "{rooms:?}");
        }
    }

    #[test]
    fn large_systems_are_stepped_one_at_a_time_by_all_threads() {
        let assignment = CpuAssignment::new(28_620, Precision::Single, Kind::Moved, 1, 4);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (1, 4, 1));
        let assignment = CpuAssignment::new(28_620, Precision::Double, Kind::Moved, 2, 5);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (2, 2, 1));
        // Too small to be shared.
        let assignment = CpuAssignment::new(300, Precision::Single, Kind::Moved, 1, 4);
        assert_eq!((assignment.workers, assignment.threads_each), (1, 1));
        // Words that are drawn one after another.
        let assignment = CpuAssignment::new(34, Precision::Single, Kind::MovedByDrawnWords, 100, 2);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (2, 1, 1));
    }

    #[test]
    fn few_chains_are_sampled_together_where_few_proteins_are_not() {
        for instructions in Instructions::ALL.into_iter().filter(|one| one.is_available()) {
            assert_eq!(Kind::Sampled.worth_together(instructions.width::<f32>()), 2);
        }
        let assignment =
            |kind, members| CpuAssignment::new(13, Precision::Single, kind, members, 2);
        // Four for each of two threads, as far as vectors have lanes.
        let lanes = Instructions::best().width::<f32>();
        assert_eq!(assignment(Kind::Sampled, 8).together, lanes.min(4));
        assert_eq!(
            (assignment(Kind::Sampled, 2).workers, assignment(Kind::Sampled, 2).together),
            (2, 1)
        );
        if lanes == 16 {
            assert_eq!(assignment(Kind::Moved, 8).together, 1);
            assert_eq!(assignment(Kind::Sampled, 8).instructions.width::<f32>(), 4);
        }
    }
}
