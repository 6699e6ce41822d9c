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
        Manner::new(beads, precision, open, threads)
    }

    /// The manner for `members` members of up to `beads` beads.
    pub fn new(beads: usize, precision: Precision, members: usize, threads: usize) -> Manner {
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
        let together = if beads > LARGEST_TOGETHER { 1 } else { width(instructions).min(share) };
        let worth_together = width(instructions).div_ceil(3).max(2);
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
            };
        }
        Manner { crews, threads_each: 1, together, worth_together, instructions, precision }
    }

    /// `16 members at a time in single precision, avx-512, on 2 threads`.
    pub fn describe(&self) -> String {
        let members = match self.together {
            1 => "one member at a time".to_string(),
            many => format!("{many} members at a time"),
        };
        let threads = match self.crews * self.threads_each {
            1 => "1 thread".to_string(),
            many if self.threads_each > 1 => {
                format!("{many} threads, {} of them for each member", self.threads_each)
            }
            many => format!("{many} threads"),
        };
        format!(
            "{members} in {} precision, {} instructions, on {threads}",
            self.precision.name(),
            self.instructions.name()
        )
    }
}
