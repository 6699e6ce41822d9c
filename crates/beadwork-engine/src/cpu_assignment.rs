//! Which thread of the processor steps which members, and with which instructions. No result depends on it.

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
    /// Members that a thread steps together, one in each vector lane; 1: lanes run over pairs and beads.
    pub together: usize,
    /// A thread with fewer members than this steps each alone, because empty lanes cost as much as used ones.
    pub worth_together: usize,
    /// Vector instructions.
    pub instructions: Instructions,
    /// The precision of the first member.
    pub precision: Precision,
}

/// How members are computed. The kind decides whether vector lanes may hold one member each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SteppingKind {
    Moved,
    /// Dynamics whose random words are drawn one after another: each member is stepped alone.
    MovedByDrawnWords,
    Sampled,
}

impl SteppingKind {
    fn of<'a>(members: impl Iterator<Item = (&'a System, Randomness)> + Clone) -> SteppingKind {
        if members.clone().all(|(system, _)| system.is_sampled()) {
            SteppingKind::Sampled
        } else if members.clone().all(|(_, randomness)| randomness.is_in_lanes()) {
            SteppingKind::Moved
        } else {
            SteppingKind::MovedByDrawnWords
        }
    }

    /// The fewest members that are faster together than one by one; the widest vectors have `widest` lanes. A group in
    /// dynamics takes as long as two fifths of a full group one by one (34 to 89 beads); a group of chains, in the
    /// narrowest vectors that hold it, less than two chains one by one (13 and 55 monomers).
    fn worth_together(self, widest: usize) -> usize {
        match self {
            SteppingKind::Moved | SteppingKind::MovedByDrawnWords => {
                (2 * widest).div_ceil(5).max(2)
            }
            SteppingKind::Sampled => 2,
        }
    }
}

/// Beads of the largest system whose members are stepped together. The arrays of a group of larger members do not fit into
/// the cache, and its neighbour list holds every member's pairs.
const LARGEST_TOGETHER: usize = 2_000;

/// A thread that has fewer beads than this loses more by waiting for the other threads than it gains.
const BEADS_A_THREAD: usize = 512;

/// How many of some threads are to share the beads of a member.
pub fn useful_threads(beads: usize, threads: usize) -> usize {
    threads.clamp(1, beads.div_ceil(BEADS_A_THREAD).max(1))
}

impl CpuAssignment {
    /// The assignment for `open` members of a plan that have steps left.
    pub fn of(plan: &Plan, open: usize, threads: usize) -> CpuAssignment {
        let beads = plan.members.iter().map(|member| member.system.beads()).max().unwrap_or(0);
        let kinds = plan.members.iter();
        let kind =
            SteppingKind::of(kinds.map(|member| (&*member.system, member.protocol.randomness)));
        CpuAssignment::new(beads, plan.precision(), kind, open, threads)
    }

    fn new(
        beads: usize,
        precision: Precision,
        kind: SteppingKind,
        members: usize,
        threads: usize,
    ) -> CpuAssignment {
        let workers = threads.clamp(1, members.max(1));
        let width = |instructions: Instructions| match precision {
            Precision::Single => instructions.width::<f32>(),
            Precision::Double => instructions.width::<f64>(),
        };
        let share = members.div_ceil(workers);
        let best = Instructions::best();
        // The narrowest vectors that hold a thread's members, because wider ones are no faster.
        let narrowest = Instructions::ALL
            .into_iter()
            .filter(|instructions| instructions.is_available() && *instructions <= best)
            .find(|instructions| width(*instructions) >= share)
            .unwrap_or(best);
        let may_share_vectors =
            kind != SteppingKind::MovedByDrawnWords && beads <= LARGEST_TOGETHER;
        let together = width(narrowest).min(share);
        let worth_together = kind.worth_together(width(best));
        let (together, threads_each, instructions) =
            if may_share_vectors && together >= worth_together {
                (together, 1, narrowest)
            } else {
                // The remaining threads share the beads of large systems.
                (1, useful_threads(beads, threads / workers), best)
            };
        CpuAssignment { workers, threads_each, together, worth_together, instructions, precision }
    }

    /// `up to 16 members at a time on each thread, single precision, avx-512 instructions, 2 threads`.
    pub fn describe(&self) -> String {
        let members = match self.together {
            1 => "one member at a time".to_string(),
            many => format!("up to {many} members at a time on each thread"),
        };
        let threads = in_words(self.workers * self.threads_each, "thread");
        let shared = match self.threads_each {
            1 => String::new(),
            each => format!(", {each} of them for each member"),
        };
        format!(
            "{members}, {} precision, {} instructions, {threads}{shared}",
            self.precision.name(),
            self.instructions.name()
        )
    }
}

/// The most members that each worker has at a time, up to `together`. Few members are divided evenly, so that no thread is
/// idle beside one that has several.
pub(crate) fn rooms(members: usize, workers: usize, together: usize) -> Vec<usize> {
    let share = |worker| members / workers + usize::from(worker < members % workers);
    (0..workers).map(|worker| share(worker).clamp(1, together)).collect()
}

/// `1 thread`, `2 threads`.
pub(crate) fn in_words(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_gets_members_if_there_are_enough() {
        for (members, threads) in [(1, 1), (3, 2), (9, 8), (17, 16), (40, 3), (1000, 7)] {
            let assignment =
                CpuAssignment::new(34, Precision::Single, SteppingKind::Moved, members, threads);
            let rooms = rooms(members, assignment.workers, assignment.together);
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
        let assignment = CpuAssignment::new(28_620, Precision::Single, SteppingKind::Moved, 1, 4);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (1, 4, 1));
        let assignment = CpuAssignment::new(28_620, Precision::Double, SteppingKind::Moved, 2, 5);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (2, 2, 1));
        // A system too small to be shared by threads.
        let assignment = CpuAssignment::new(300, Precision::Single, SteppingKind::Moved, 1, 4);
        assert_eq!((assignment.workers, assignment.threads_each), (1, 1));
        // With random words that are drawn one after another, each member is stepped alone.
        let assignment =
            CpuAssignment::new(34, Precision::Single, SteppingKind::MovedByDrawnWords, 100, 2);
        assert_eq!((assignment.workers, assignment.threads_each, assignment.together), (2, 1, 1));
    }

    #[test]
    fn few_chains_are_sampled_together_where_few_proteins_are_not() {
        for instructions in Instructions::ALL.into_iter().filter(|one| one.is_available()) {
            assert_eq!(SteppingKind::Sampled.worth_together(instructions.width::<f32>()), 2);
        }
        let assignment =
            |kind, members| CpuAssignment::new(13, Precision::Single, kind, members, 2);
        // Each of two threads gets four members, or as many as its vectors have lanes.
        let lanes = Instructions::best().width::<f32>();
        assert_eq!(assignment(SteppingKind::Sampled, 8).together, lanes.min(4));
        assert_eq!(
            (
                assignment(SteppingKind::Sampled, 2).workers,
                assignment(SteppingKind::Sampled, 2).together
            ),
            (2, 1)
        );
        if lanes == 16 {
            assert_eq!(assignment(SteppingKind::Moved, 8).together, 1);
            assert_eq!(assignment(SteppingKind::Sampled, 8).instructions.width::<f32>(), 4);
        }
    }
}
