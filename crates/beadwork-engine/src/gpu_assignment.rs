//! How the members of a run are shared out over GPUs. No result depends on it.

use std::collections::HashSet;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{Device, sample_bytes, usual_plan};
use beadwork_model::{Precision, Protocol};

use crate::plan::Plan;

/// Workers that share a card at most and, where there are members for it, at least: while one's launch is computed,
/// the others read tables' rows off theirs.
const WORKERS_OF_A_CARD: (usize, usize) = (4, 8);

/// Members of a worker at most: a launch takes all at once.
const MOST_MEMBERS: usize = 4_096;

/// Chains of a worker at most: they are small, and one launch goes far with them.
const MOST_CHAINS: usize = 1 << 17;

/// Bytes that a launch of a worker may bring back.
pub const SAMPLES: usize = 64 << 20;

/// GPUs and the threads that feed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuAssignment {
    /// The cards' names.
    pub cards: Vec<String>,
    /// Threads that have members of their own, over all cards.
    pub workers: usize,
    /// Members that a thread has in hand at most.
    pub together: usize,
    /// The precision of the members that the run begins with.
    pub precision: Precision,
    /// Members to be stepped.
    pub members: usize,
    /// Threads, those with members of their own among them: where chains are sampled the others help to write.
    pub threads: usize,
    /// How the work of a step is laid out.
    pub plans: Plans,
}

/// The plans by which members are stepped, each once, in the order of [`beadwork_cuda::Plan::ALL`]; none where chains are
/// sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plans(Vec<beadwork_cuda::Plan>);

impl Plans {
    /// For the members of a plan on these cards.
    fn of(devices: &[Device], plan: &Plan) -> Plans {
        let mut known = HashSet::new();
        let mut usual = HashSet::new();
        for member in &plan.members {
            // Nothing else of a member matters.
            let Protocol { dynamics, randomness, .. } = &*member.protocol;
            let interacts = member.system.interactions.act_between_beads();
            let names = (dynamics.precision.name(), randomness.generator().name());
            if known.insert((member.system.beads(), interacts, names)) {
                let (system, protocol) = (member.system.clone(), member.protocol.clone());
                let member = Member::new(system, protocol, member.replica, &member.start);
                usual.extend(devices.iter().filter_map(|device| usual_plan(device, &member)));
            }
        }
        Plans::usual(&usual)
    }

    fn usual(usual: &HashSet<beadwork_cuda::Plan>) -> Plans {
        let all = beadwork_cuda::Plan::ALL.into_iter();
        Plans(all.filter(|plan| usual.contains(plan)).collect())
    }

    /// `block plan`, `block and launches plans`.
    fn in_words(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|plan| plan.name()).collect();
        if names.is_empty() {
            return "chains in lanes".to_string();
        }
        let plural = if names.len() > 1 { "s" } else { "" };
        format!("{} plan{plural}", names.join(" and "))
    }
}

/// What matters of a card.
#[derive(Clone, Debug)]
struct Card {
    name: String,
    multiprocessors: usize,
    /// Bytes of memory that nobody uses.
    free: u64,
}

/// What a member takes.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// Bytes of a look at it.
    sample: usize,
    /// Bytes of the card's memory, besides.
    memory: usize,
}

impl Needs {
    /// Of any member of a plan.
    fn of(plan: &Plan) -> Needs {
        let mut needs = Needs::default();
        // Neighbours share system and protocol.
        let mut before = None;
        for member in &plan.members {
            let here = (Arc::as_ptr(&member.system), Arc::as_ptr(&member.protocol));
            if before.replace(here) == Some(here) {
                continue;
            }
            let beads = member.system.beads();
            needs.sample = needs.sample.max(sample_bytes(&member.system, &member.protocol));
            // Positions and generators, and a list of four partial sums of some hundred neighbours each.
            needs.memory = needs.memory.max(beads * (64 + (3 * beads).min(1_024)));
        }
        needs
    }
}

impl GpuAssignment {
    /// The assignment for `members` members of a plan that are still to be stepped.
    pub fn new(devices: &[Device], plan: &Plan, members: usize, threads: usize) -> GpuAssignment {
        let card = |device: &Device| Card {
            name: device.properties().name.clone(),
            multiprocessors: device.properties().multiprocessors as usize,
            // Where it cannot be told, the launch will.
            free: device.free_memory().unwrap_or(u64::MAX),
        };
        let precision = match plan.members.first() {
            Some(member) => member.protocol.dynamics.precision,
            None => Precision::Single,
        };
        let mut cards: Vec<Card> = devices.iter().map(card).collect();
        let plans = Plans::of(devices, plan);
        if !plans.0.is_empty() {
            let assignment = GpuAssignment::of(cards, Needs::of(plan), precision, members, threads);
            return GpuAssignment {
                plans: Plans::of(&devices[..assignment.cards.len()], plan),
                ..assignment
            };
        }
        // A ladder is on one card, by itself or with others.
        cards.truncate(plan.kept_together().len().clamp(1, members.max(1)));
        GpuAssignment::of_chains(cards, precision, members, threads)
    }

    /// A thread a card: replicas that wait for each other in a kernel must be on the card together, so that there is one
    /// launch at a time.
    fn of_chains(
        cards: Vec<Card>,
        precision: Precision,
        members: usize,
        threads: usize,
    ) -> GpuAssignment {
        let workers = cards.len().max(1);
        GpuAssignment {
            workers,
            together: members.div_ceil(workers).clamp(1, MOST_CHAINS),
            precision,
            members,
            threads: threads.max(workers),
            cards: cards.into_iter().map(|card| card.name).collect(),
            plans: Plans(Vec::new()),
        }
    }

    /// Whether members are chains that are sampled.
    pub fn are_sampled(&self) -> bool {
        self.plans.0.is_empty()
    }

    fn of(
        mut cards: Vec<Card>,
        needs: Needs,
        precision: Precision,
        members: usize,
        threads: usize,
    ) -> GpuAssignment {
        cards.truncate(members.max(1));
        let used = cards.len().max(1);
        let each = members.div_ceil(used);
        let multiprocessors = cards.iter().map(|card| card.multiprocessors).min().unwrap_or(1);
        let (least, most) = WORKERS_OF_A_CARD;
        // With fewer members a launch leaves multiprocessors idle, and two would be no faster.
        let workers_of_a_card = if each < 2 * multiprocessors {
            1
        } else {
            (each / multiprocessors.max(1)).clamp(least, most).min((threads / used).max(1))
        };
        let workers = used * workers_of_a_card;
        let free = cards.iter().map(|card| card.free).min().unwrap_or(u64::MAX);
        // Half of it: buffers grow by more than they need, and other programs come and go.
        let held = free / 2 / workers_of_a_card as u64 / needs.memory.max(1) as u64;
        let together = (SAMPLES / needs.sample.max(1))
            .min(MOST_MEMBERS)
            .min(usize::try_from(held).unwrap_or(usize::MAX))
            .min(members.div_ceil(workers))
            .max(1);
        let cards = cards.into_iter().map(|card| card.name).collect();
        GpuAssignment {
            cards,
            workers,
            together,
            precision,
            members,
            threads: workers,
            plans: Plans(vec![beadwork_cuda::Plan::Block]),
        }
    }

    /// The card of worker number `worker`.
    pub(crate) fn card(&self, worker: usize) -> usize {
        worker % self.cards.len().max(1)
    }

    /// Members that worker number `worker` has in hand at most: few members are shared out evenly.
    pub(crate) fn room(&self, worker: usize) -> usize {
        let (share, rest) = (self.members / self.workers, self.members % self.workers);
        (share + usize::from(worker < rest)).clamp(1, self.together)
    }

    /// Members that are stepped on a card at a time.
    pub fn members_on_card(&self) -> usize {
        self.at_once().div_ceil(self.cards.len().max(1))
    }

    /// Members of all threads at once.
    pub fn at_once(&self) -> usize {
        (self.together * self.workers).min(self.members)
    }

    /// `up to 1000 members at a time on an NVIDIA H200, single precision, block plan, 8 threads`.
    pub fn describe(&self) -> String {
        let members = match self.at_once() {
            1 => "one member at a time".to_string(),
            many => format!("up to {many} members at a time"),
        };
        let threads = match self.threads {
            1 => "1 thread".to_string(),
            many => format!("{many} threads"),
        };
        format!(
            "{members} on {}, {} precision, {}, {threads}",
            in_words(&self.cards),
            self.precision.name(),
            self.plans.in_words()
        )
    }
}

/// `NVIDIA H200`, `2 x NVIDIA H200`, `NVIDIA H200 and NVIDIA L4`.
fn in_words(cards: &[String]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for card in cards {
        match kinds.iter_mut().find(|(name, _)| name == card) {
            Some((_, count)) => *count += 1,
            None => kinds.push((card, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(
            |(name, count)| if count == 1 { name.to_string() } else { format!("{count} x {name}") },
        )
        .collect();
    kinds.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignment(cards: usize, needs: Needs, members: usize, threads: usize) -> GpuAssignment {
        let card = Card { name: "NVIDIA H200".to_string(), multiprocessors: 132, free: 64 << 30 };
        GpuAssignment::of(vec![card; cards], needs, Precision::Single, members, threads)
    }

    const LITTLE: Needs = Needs { sample: 1_000, memory: 10_000 };

    #[test]
    fn members_are_shared_out_over_cards_and_threads() {
        for (cards, members, threads, workers, together) in [
            (1, 1, 16, 1, 1),
            (1, 263, 16, 1, 263),
            (1, 264, 16, 4, 66),
            (1, 1_000, 16, 7, 143),
            (1, 5_000, 16, 8, 625),
            (1, 5_000, 2, 2, 2_500),
            (1, 5_000, 1, 1, 4_096),
            (1, 100_000, 16, 8, 4_096),
            (4, 3, 16, 3, 1),
            (2, 5_000, 8, 8, 625),
            (8, 5_000, 2, 8, 625),
        ] {
            let assignment = assignment(cards, LITTLE, members, threads);
            assert_eq!(
                (assignment.workers, assignment.together),
                (workers, together),
                "{assignment:?}"
            );
            let rooms: Vec<usize> =
                (0..assignment.workers).map(|worker| assignment.room(worker)).collect();
            assert!(rooms.iter().all(|room| (1..=together).contains(room)), "{rooms:?}");
            assert!(rooms.iter().sum::<usize>() <= members, "{rooms:?}");
            assert!(
                assignment.members_on_card() * cards >= assignment.at_once().min(members),
                "{assignment:?}"
            );
            // Each card that is used has as many workers as the others.
            for card in 0..assignment.cards.len() {
                let of_card =
                    (0..workers).filter(|&worker| assignment.card(worker) == card).count();
                assert_eq!(of_card, workers / assignment.cards.len());
            }
        }
        // A megabyte a look: no more members than the memory has room for.
        let together =
            |sample, memory| assignment(1, Needs { sample, memory }, 100_000, 16).together;
        assert_eq!(together(1 << 20, 1_000), 64);
        assert_eq!(together(1 << 30, 1_000), 1);
        // Half of 64 GiB for eight workers: 4 GiB each.
        assert_eq!(together(1_000, 16 << 20), 256);
        assert_eq!(together(1_000, 1 << 40), 1);
    }

    #[test]
    fn a_gpu_assignment_is_described() {
        let words =
            "up to 1000 members at a time on NVIDIA H200, single precision, block plan, 7 threads";
        assert_eq!(assignment(1, LITTLE, 1_000, 16).describe(), words);
        let words = "one member at a time on NVIDIA H200, single precision, block plan, 1 thread";
        assert_eq!(assignment(8, LITTLE, 1, 16).describe(), words);
        use beadwork_cuda::Plan::{Block, Graph, Independent};
        for (usual, words) in [
            (&[Block][..], "single precision, block plan, 1 thread"),
            (&[Graph], "single precision, graph plan, 1 thread"),
            (&[Independent, Block], "single precision, independent and block plans, 1 thread"),
        ] {
            let plans = Plans::usual(&usual.iter().copied().collect());
            let described = GpuAssignment { plans, ..assignment(1, LITTLE, 1, 16) }.describe();
            assert!(described.ends_with(words), "{described}");
        }
        let card = Card { name: "NVIDIA H200".to_string(), multiprocessors: 132, free: 64 << 30 };
        let chains = GpuAssignment::of_chains(vec![card], Precision::Single, 640, 16);
        assert_eq!((chains.workers, chains.room(0), chains.are_sampled()), (1, 640, true));
        let words = "up to 640 members at a time on NVIDIA H200, single precision, chains in lanes, 16 threads";
        assert_eq!(chains.describe(), words);
        assert_eq!(in_words(&["a", "b", "a"].map(String::from)), "2 x a and b");
    }
}
