//! How the members of a run are stepped on this machine. No result depends on it.

use beadwork_cpu::Instructions;
use beadwork_model::Precision;

use crate::plan::Plan;

/// Threads, instructions, and how many members a thread steps at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Threads that have members of their own.
    pub crews: usize,
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

/// Beads of the largest system that is stepped with a lane a member: beyond it a group's arrays
/// leave the cache, and its list holds every member's pairs.
const LARGEST_TOGETHER: usize = 2_000;

/// Beads for which waiting for another thread pays.
const BEADS_A_THREAD: usize = 512;

impl Manner {
    /// The manner for `open` members of a plan that are still to be stepped.
    pub(crate) fn of(plan: &Plan, open: usize, threads: usize) -> Manner {
        let beads = plan.members.iter().map(|member| member.system.beads.len()).max().unwrap_or(0);
        let precision = match plan.members.first() {
            Some(member) => member.protocol.dynamics.precision,
            None => Precision::Single,
        };
        let in_lanes = plan.members.iter().all(|member| member.protocol.randomness.is_in_lanes());
        Manner::new(beads, precision, in_lanes, open, threads)
    }

    /// The manner for `members` members of up to `beads` beads, whose noise can be computed in lanes
    /// or not.
    pub fn new(
        beads: usize,
        precision: Precision,
        in_lanes: bool,
        members: usize,
        threads: usize,
    ) -> Manner {
        let crews = threads.clamp(1, members.max(1));
        let width = |instructions: Instructions| match precision {
            Precision::Single => instructions.width::<f32>(),
            Precision::Double => instructions.width::<f64>(),
        };
        let share = members.div_ceil(crews);
        // The narrowest vectors that hold a thread's members, since narrow ones are as fast.
        let best = Instructions::best();
        let instructions = Instructions::ALL
            .into_iter()
            .filter(|instructions| instructions.is_available() && *instructions <= best)
            .find(|instructions| width(*instructions) >= share)
            .unwrap_or(best);
        let together = match in_lanes && beads <= LARGEST_TOGETHER {
            true => width(instructions).min(share),
            false => 1,
        };
        // A group takes as long however many of its lanes have a member, and as long as two fifths as
        // many members alone as the widest vectors have lanes (measured for 34 to 89 beads).
        let worth_together = (2 * width(best)).div_ceil(5).max(2);
        if together < worth_together {
            // Threads left over share the beads of large systems.
            let threads_each = (threads / crews).clamp(1, beads.div_ceil(BEADS_A_THREAD).max(1));
            let instructions = best;
            return Manner {
                crews,
                threads_each,
                together: 1,
                worth_together,
                instructions,
                precision,
                members,
            };
        }
        Manner {
            crews,
            threads_each: 1,
            together,
            worth_together,
            instructions,
            precision,
            members,
        }
    }

    /// Members that crew number `crew` has in hand at most: few members are shared out evenly, so
    /// that no thread stands idle beside one with many.
    pub fn room(&self, crew: usize) -> usize {
        let (share, rest) = (self.members / self.crews, self.members % self.crews);
        (share + usize::from(crew < rest)).clamp(1, self.together)
    }

    /// `up to 16 members at a time on each thread, single precision, avx-512 instructions, 2 threads`.
    pub fn describe(&self) -> String {
        let members = match self.together {
            1 => "one member at a time".to_string(),
            many => format!("up to {many} members at a time on each thread"),
        };
        let threads = match self.crews * self.threads_each {
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
            let manner = Manner::new(34, Precision::Single, true, members, threads);
            let rooms: Vec<usize> = (0..manner.crews).map(|crew| manner.room(crew)).collect();
            assert_eq!(manner.crews, threads.min(members));
            assert!(rooms.iter().all(|&room| (1..=manner.together).contains(&room)), "{rooms:?}");
            let at_once: usize = rooms.iter().sum();
            assert!(at_once <= members && at_once >= members.min(manner.crews), "{rooms:?}");
        }
    }

    #[test]
    fn large_systems_are_stepped_one_at_a_time_by_all_threads() {
        let manner = Manner::new(28_620, Precision::Single, true, 1, 4);
        assert_eq!((manner.crews, manner.threads_each, manner.together), (1, 4, 1));
        let manner = Manner::new(28_620, Precision::Double, true, 2, 5);
        assert_eq!((manner.crews, manner.threads_each, manner.together), (2, 2, 1));
        // Too small to be shared.
        let manner = Manner::new(300, Precision::Single, true, 1, 4);
        assert_eq!((manner.crews, manner.threads_each), (1, 1));
        // Words that are drawn one after another.
        let manner = Manner::new(34, Precision::Single, false, 100, 2);
        assert_eq!((manner.crews, manner.threads_each, manner.together), (2, 1, 1));
    }
}
