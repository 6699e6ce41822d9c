//! Which worker steps which members on which GPU. No result depends on it.

use std::collections::HashSet;
use std::sync::Arc;

use beadwork_cuda::{Device, FILLED_BYTES, alike, fewest_filled_bytes, sample_bytes, usual_plan};
use beadwork_model::{Boundary, Precision, Protocol, Stage, StageKind};

use crate::cpu_assignment::in_words;
use crate::plan::Plan;

/// The fewest and the most workers of a card with many members; fewer if threads are few. While the card computes the
/// launch of one worker, the others write the rows of their members.
const WORKERS_OF_A_CARD: (usize, usize) = (4, 8);

/// The most members of a worker, which are in one launch.
const MOST_MEMBERS: usize = 4_096;

/// The most chains of a worker. Chains are small, so one launch makes many sweeps of them.
const MOST_CHAINS: usize = 1 << 17;

/// The most bytes that a launch of a worker returns.
pub const SAMPLES: usize = 64 << 20;

/// The GPUs and the threads that launch kernels on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuAssignment {
    /// The cards' names.
    pub cards: Vec<String>,
    /// Threads that have members of their own, over all cards.
    pub workers: usize,
    /// The most members that a worker has at a time.
    pub together: usize,
    /// The precision of the first member.
    pub precision: Precision,
    /// Members that have steps left.
    pub members: usize,
    /// All threads. Those without members of their own help to write rows, and with minimisations that the CPU makes.
    pub threads: usize,
    /// The plans by which members are stepped, each listed once; empty where chains are sampled.
    plans: Vec<beadwork_cuda::Plan>,
}

/// The usual plans of a run's members, `on_card` of them on each of these cards, in their first stage that does not minimise, in the order of [`beadwork_cuda::Plan::ALL`].
fn usual_plans(devices: &[Device], plan: &Plan, on_card: usize) -> Vec<beadwork_cuda::Plan> {
    let alike = alike(plan.members.iter().map(|member| member.system.beads()), on_card);
    let mut known = HashSet::new();
    let mut usual = HashSet::new();
    for member in &plan.members {
        // The plan depends on nothing else of a member.
        let Protocol { dynamics, randomness, stages, .. } = &*member.protocol;
        let interactions = &member.system.interactions;
        let sides = match member.system.boundary {
            Boundary::Open => [0.0; 3],
            Boundary::Periodic { lengths } => lengths,
        };
        let lengths = [sides.as_slice(), &[interactions.pair_cutoff()]].concat();
        let lengths: Vec<u64> = lengths.into_iter().map(f64::to_bits).collect();
        let acts = (interactions.act_between_beads(), interactions.thermostat.is_some(), lengths);
        let minimises = |stage: &Stage| matches!(stage.kind, StageKind::Minimise { .. });
        let first = stages.iter().position(|stage| !minimises(stage)).unwrap_or(0);
        let is_driven = stages.get(first).is_some_and(|stage| !stage.externals.is_empty());
        let moves = (dynamics.integrator.has_velocities(), is_driven);
        let names = (dynamics.precision.name(), randomness.generator().name());
        if known.insert((member.system.beads(), acts, moves, names)) {
            let mut member = member.member();
            member.begin_stage(first);
            usual.extend(devices.iter().filter_map(|device| usual_plan(device, &member, alike)));
        }
    }
    beadwork_cuda::Plan::ALL.into_iter().filter(|plan| usual.contains(plan)).collect()
}

/// `block plan`, `block and grid plans`.
fn describe_plans(plans: &[beadwork_cuda::Plan]) -> String {
    let names: Vec<&str> = plans.iter().map(|plan| plan.name()).collect();
    match names.as_slice() {
        [] => "chains in lanes".to_string(),
        [only] => format!("{only} plan"),
        names => format!("{} plans", names.join(" and ")),
    }
}

/// The properties of a card on which the assignment depends.
#[derive(Clone, Debug)]
struct Card {
    name: String,
    multiprocessors: usize,
    /// Bytes of free memory.
    free: u64,
}

/// The memory that the largest member takes.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// Bytes of one sample.
    sample: usize,
    /// Other bytes in the card's memory.
    memory: usize,
    /// Bytes of random words in the shortest launch for which they are filled; 0 if steps draw their own.
    words: usize,
}

impl Needs {
    fn of(plan: &Plan) -> Needs {
        let mut needs = Needs::default();
        // Consecutive members usually share system and protocol.
        let mut before = None;
        for member in &plan.members {
            let here = (Arc::as_ptr(&member.system), Arc::as_ptr(&member.protocol));
            if before.replace(here) == Some(here) {
                continue;
            }
            let beads = member.system.beads();
            needs.sample = needs.sample.max(sample_bytes(&member.system, &member.protocol));
            // Memory of positions, generators and four partial sums, whose lists have some hundred neighbours each.
            needs.memory = needs.memory.max(beads * (64 + (3 * beads).min(1_024)));
            let words = fewest_filled_bytes(&member.system, &member.protocol);
            needs.words = needs.words.max(words);
        }
        needs
    }

    /// The members that fit into so many bytes of the card's memory. Words of a launch take [`FILLED_BYTES`], or what its members
    /// need at least if that is more, so there must be room for either.
    fn fitting(self, bytes: u64) -> u64 {
        let [memory, words] = [self.memory, self.words].map(|bytes| bytes as u64);
        let usual = if words > 0 { FILLED_BYTES as u64 } else { 0 };
        let in_usual = bytes.saturating_sub(usual) / memory.max(1);
        in_usual.min(bytes / (memory + words).max(1))
    }
}

impl GpuAssignment {
    /// The assignment for `members` members of a plan that have steps left.
    pub fn new(devices: &[Device], plan: &Plan, members: usize, threads: usize) -> GpuAssignment {
        let card = |device: &Device| Card {
            name: device.properties().name.clone(),
            multiprocessors: device.properties().multiprocessors as usize,
            // If the free memory is unknown, a launch that needs more than there is fails with a message.
            free: device.free_memory().unwrap_or(u64::MAX),
        };
        let precision = plan.precision();
        let mut cards: Vec<Card> = devices.iter().map(card).collect();
        if !plan.members.iter().all(|member| member.system.is_sampled()) {
            let assignment = GpuAssignment::of(cards, Needs::of(plan), precision, members, threads);
            let on_card = assignment.members_on_card();
            let plans = usual_plans(&devices[..assignment.cards.len()], plan, on_card);
            return GpuAssignment { plans, ..assignment };
        }
        // All replicas of a ladder are on one card.
        cards.truncate(plan.checkpoint_groups().len().clamp(1, members.max(1)));
        GpuAssignment::of_chains(cards, precision, members, threads)
    }

    /// One worker for each card. Replicas that wait for each other in a kernel must all be resident, so a card computes
    /// one launch at a time.
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
            plans: Vec::new(),
        }
    }

    /// Whether the members are chains sampled by Monte Carlo moves.
    pub fn are_sampled(&self) -> bool {
        self.plans.is_empty()
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
        // With fewer members one launch leaves multiprocessors idle, and two would be no faster.
        let workers_of_a_card = if each < 2 * multiprocessors {
            1
        } else {
            (each / multiprocessors.max(1)).clamp(least, most).min((threads / used).max(1))
        };
        let workers = used * workers_of_a_card;
        let free = cards.iter().map(|card| card.free).min().unwrap_or(u64::MAX);
        // Half of the free memory: buffers grow by more than they need, and other programs use the card too.
        let fitting = needs.fitting(free / 2 / workers_of_a_card as u64);
        let together = (SAMPLES / needs.sample.max(1))
            .min(MOST_MEMBERS)
            .min(usize::try_from(fitting).unwrap_or(usize::MAX))
            .min(members.div_ceil(workers))
            .max(1);
        GpuAssignment {
            cards: cards.into_iter().map(|card| card.name).collect(),
            workers,
            together,
            precision,
            members,
            threads: threads.max(workers),
            plans: vec![beadwork_cuda::Plan::Block],
        }
    }

    pub(crate) fn card(&self, worker: usize) -> usize {
        worker % self.cards.len().max(1)
    }

    /// Members that are stepped on a card at a time.
    pub fn members_on_card(&self) -> usize {
        self.at_once().div_ceil(self.cards.len().max(1))
    }

    /// Members that are stepped on all cards at a time.
    pub fn at_once(&self) -> usize {
        (self.together * self.workers).min(self.members)
    }

    /// `up to 1000 members at a time on NVIDIA H200, single precision, block plan, 16 threads`.
    pub fn describe(&self) -> String {
        let members = match self.at_once() {
            1 => "one member at a time".to_string(),
            many => format!("up to {many} members at a time"),
        };
        format!(
            "{members} on {}, {} precision, {}, {}",
            describe_cards(&self.cards),
            self.precision.name(),
            describe_plans(&self.plans),
            in_words(self.threads, "thread")
        )
    }
}

/// `NVIDIA H200`, `2 x NVIDIA H200`, `NVIDIA H200 and NVIDIA L4`.
fn describe_cards(cards: &[String]) -> String {
    let mut words: Vec<String> = Vec::new();
    for (place, card) in cards.iter().enumerate().filter(|(n, card)| !cards[..*n].contains(card)) {
        words.push(match cards[place..].iter().filter(|other| *other == card).count() {
            1 => card.clone(),
            count => format!("{count} x {card}"),
        });
    }
    words.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_assignment::rooms;

    fn card() -> Card {
        Card { name: "NVIDIA H200".to_string(), multiprocessors: 132, free: 64 << 30 }
    }

    fn assignment(cards: usize, needs: Needs, members: usize, threads: usize) -> GpuAssignment {
        GpuAssignment::of(vec![card(); cards], needs, Precision::Single, members, threads)
    }

    const LITTLE: Needs = Needs { sample: 1_000, memory: 10_000, words: 0 };

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
            let rooms = rooms(members, assignment.workers, assignment.together);
            assert!(rooms.iter().all(|room| (1..=together).contains(room)), "{rooms:?}");
            assert!(rooms.iter().sum::<usize>() <= members, "{rooms:?}");
            assert!(
                assignment.members_on_card() * cards >= assignment.at_once().min(members),
                "{assignment:?}"
            );
            // All used cards have equally many workers.
            for card in 0..assignment.cards.len() {
                let of_card =
                    (0..workers).filter(|&worker| assignment.card(worker) == card).count();
                assert_eq!(of_card, workers / assignment.cards.len());
            }
        }
        // With a megabyte a sample, no more members than fit into the memory for samples.
        let together = |sample, memory| {
            assignment(1, Needs { sample, memory, words: 0 }, 100_000, 16).together
        };
        assert_eq!(together(1 << 20, 1_000), 64);
        assert_eq!(together(1 << 30, 1_000), 1);
        // Half of 64 GiB for eight workers: 4 GiB each.
        assert_eq!(together(1_000, 16 << 20), 256);
        assert_eq!(together(1_000, 1 << 40), 1);
        // Of these 4 GiB words that are filled take 256 MiB, or more if members need more.
        let together = |words| {
            assignment(1, Needs { sample: 1_000, memory: 16 << 20, words }, 100_000, 16).together
        };
        assert_eq!(together(1_000), 240);
        assert_eq!(together(2 << 20), 227);
        assert_eq!(together(16 << 20), 128);
    }

    #[test]
    fn a_gpu_assignment_is_described() {
        let words =
            "up to 1000 members at a time on NVIDIA H200, single precision, block plan, 16 threads";
        assert_eq!(assignment(1, LITTLE, 1_000, 16).describe(), words);
        let words = "one member at a time on NVIDIA H200, single precision, block plan, 16 threads";
        assert_eq!(assignment(8, LITTLE, 1, 16).describe(), words);
        use beadwork_cuda::Plan::{Block, Grid, Independent};
        for (plans, words) in [
            (&[Block][..], "block plan"),
            (&[Grid], "grid plan"),
            (&[Independent, Block], "independent and block plans"),
        ] {
            assert_eq!(describe_plans(plans), words);
        }
        let chains = GpuAssignment::of_chains(vec![card()], Precision::Single, 640, 16);
        assert_eq!((chains.workers, chains.together, chains.are_sampled()), (1, 640, true));
        let words = "up to 640 members at a time on NVIDIA H200, single precision, chains in lanes, 16 threads";
        assert_eq!(chains.describe(), words);
        assert_eq!(describe_cards(&["a", "b", "a"].map(String::from)), "2 x a and b");
    }
}
