//! Every program that a card may be asked for, against the plain path.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use beadwork::cpu::{Member, MemberState, Way};
use beadwork::cuda::{
    self, Case, Device, Ensemble, Error, Job, Look, Plan, Rounding, cases, fits_a_block,
};
use beadwork::model::{Protocol, System};

use super::agreement::{Agreement, compare, growth};
use super::{Finding, finding, generated, one_line};
use crate::program::progress::Tally;

/// Threads at most: compilers take half a gigabyte each.
const MOST_THREADS: usize = 8;

/// Beads up to which the definition itself is asked, and not a faster way that has its bits.
const MOST_PLAIN: usize = 4_000;

/// A case and the system that is stepped for it.
struct Trial {
    case: Case,
    name: String,
    system: Arc<System>,
}

/// What came of a trial.
enum Outcome {
    Sound {
        states: Vec<MemberState>,
        agreement: Agreement,
    },
    DoesNotFit,
    Wrong(String),
    /// Nothing more can be done on this card.
    Over(String),
}

/// Has a card step a generated system by each program of the table; a finding for each program that fails, and one for
/// all together.
pub fn checks(card: &Device) -> Vec<Finding> {
    let began = Instant::now();
    let trials = trials();
    let outcomes = try_all(card, &trials);
    let mut failures: Vec<(usize, String)> = Vec::new();
    let (mut sound, mut left_out, mut largest) = (0, 0, 0.0_f64);
    // Those that round alike have the same bits in every form of block and by launches.
    let mut bits: HashMap<_, (&str, &[MemberState])> = HashMap::new();
    for (number, trial) in trials.iter().enumerate() {
        let case = &trial.case;
        match &outcomes[number] {
            None => {}
            Some(Outcome::DoesNotFit) => left_out += 1,
            Some(Outcome::Wrong(reason) | Outcome::Over(reason)) => {
                failures.push((number, reason.clone()));
            }
            Some(Outcome::Sound { states, agreement }) => {
                largest = largest.max(agreement.of_bound);
                let alike = (
                    Arc::as_ptr(&trial.system),
                    (case.precision, case.rounding, case.integrator, case.generator, case.pulled),
                );
                let (first, expected) = *bits.entry(alike).or_insert((&trial.name, states));
                if expected == states {
                    sound += 1;
                } else {
                    failures.push((number, format!("ends at other bits than {first}")));
                }
            }
        }
    }
    let tried = outcomes.iter().flatten().count();
    let mut text = format!(
        "{sound} of {} programs step as the plain path does, with differences of up to {largest:.2} of what rounding allows",
        trials.len() - left_out
    );
    if left_out > 0 {
        text.push_str(&format!("; {left_out} more do not fit on this card"));
    }
    if tried < trials.len() {
        text.push_str(&format!("; {} were not tried any more", trials.len() - tried));
    }
    let seconds = Duration::from_secs(began.elapsed().as_secs());
    text.push_str(&format!("; after {}", humantime::format_duration(seconds)));
    let place = format!("GPU {}", card.ordinal());
    let healthy = failures.is_empty() && tried == trials.len();
    let mut findings: Vec<Finding> = failures
        .into_iter()
        .map(|(number, reason)| finding(&format!("{place}, {}", trials[number].name), Err(reason)))
        .collect();
    let all = if healthy { Ok(text) } else { Err(text) };
    findings.push(finding(&format!("{place}, every program"), all));
    findings
}

fn trials() -> Vec<Trial> {
    let mut systems: HashMap<(usize, [bool; 4], bool), Arc<System>> = HashMap::new();
    let trial = |case: Case| {
        let kind = (case.beads, case.terms, case.repels);
        let system = systems
            .entry(kind)
            .or_insert_with(|| Arc::new(generated::system(kind.0, kind.1, kind.2)));
        Trial { system: system.clone(), name: case.name(), case }
    };
    cases().into_iter().map(trial).collect()
}

/// An outcome for each trial, but for those after one that ended all. Several threads work at it, since a program takes
/// a core longer to compile than a card to try.
fn try_all(card: &Device, trials: &[Trial]) -> Vec<Option<Outcome>> {
    let mut outcomes: Vec<Option<Outcome>> = trials.iter().map(|_| None).collect();
    let mut tally = Tally::new("programs", trials.len());
    let next = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..cores.min(MOST_THREADS) {
            let sender = sender.clone();
            let (next, over) = (&next, &over);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(trial) = trials.get(number) else { break };
                    let outcome = attempt(card, trial);
                    if matches!(outcome, Outcome::Over(_)) {
                        over.store(true, Ordering::Relaxed);
                    }
                    if sender.send((number, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (number, outcome) in receiver {
            tally.count(matches!(outcome, Outcome::Wrong(_) | Outcome::Over(_)));
            outcomes[number] = Some(outcome);
        }
    });
    outcomes
}

fn attempt(card: &Device, trial: &Trial) -> Outcome {
    let steps = steps_of(trial.case.beads);
    let protocol = generated::protocol(&trial.case, steps.iter().map(|&s| u64::from(s)).sum());
    let start = generated::moved(&trial.system.positions, 0.15);
    let mut members = members_at(trial, &protocol, &start);
    let fits = members.iter().all(|member| fits_a_block(card, member));
    if trial.case.plan == Plan::Block && !fits {
        return Outcome::DoesNotFit;
    }
    match fly(card, &trial.case, &steps, &mut members) {
        Ok(()) => {}
        Err(Error::Memory { .. }) => return Outcome::DoesNotFit,
        Err(error @ (Error::Compile { .. } | Error::Corrupt { .. })) => {
            return Outcome::Wrong(one_line(&error));
        }
        Err(error) => return Outcome::Over(one_line(&error)),
    }
    let states: Vec<MemberState> = members.iter().map(Member::state).collect();
    match judge(trial, &protocol, &start, &states) {
        Ok(agreement) => Outcome::Sound { states, agreement },
        Err(reason) => Outcome::Wrong(reason),
    }
}

/// Steps up to each look: launches of 64, of 8 and of single steps, and fewer where the processor has much to do.
fn steps_of(beads: usize) -> [u32; 2] {
    match beads {
        0..=1_000 => [73, 7],
        1_001..=MOST_PLAIN => [17, 3],
        _ => [9, 1],
    }
}

fn members_at(trial: &Trial, protocol: &Arc<Protocol>, start: &[[f64; 3]]) -> Vec<Member> {
    let count = if trial.case.beads <= 1_000 { 3 } else { 1 };
    let member = |replica| Member::new(trial.system.clone(), protocol.clone(), replica, start);
    (0..count).map(member).collect()
}

/// Steps members on the card to their last look.
fn fly(
    card: &Device,
    case: &Case,
    steps: &[u32; 2],
    members: &mut [Member],
) -> Result<(), cuda::Error> {
    let ensemble = Ensemble::new(card)?.with_plan(case.plan).with_company(case.company);
    let mut ensemble = ensemble.with_rounding(case.rounding);
    let looks = steps.map(|steps| Look { steps, row: false });
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, looks: &looks }).collect();
    let harvests = ensemble.advance(&jobs)?;
    for (member, harvest) in members.iter_mut().zip(&harvests) {
        if harvest.looks() < looks.len() {
            return Err(Error::Corrupt { what: "a failure of a sound trajectory".to_string() });
        }
        for look in 0..looks.len() {
            harvest.bring(look, member)?;
        }
    }
    Ok(())
}

/// Compares each member with what the processor makes of it.
fn judge(
    trial: &Trial,
    protocol: &Arc<Protocol>,
    start: &[[f64; 3]],
    states: &[MemberState],
) -> Result<Agreement, String> {
    let fused = trial.case.rounding == Rounding::Fused;
    let nearby = generated::moved(start, 1e-3);
    let mut worst = Agreement::default();
    let from_start = members_at(trial, protocol, start);
    let from_nearby = members_at(trial, protocol, &nearby);
    for ((found, member), twin) in states.iter().zip(from_start).zip(from_nearby) {
        let expected = on_processor(member)?;
        let agreement = if fused {
            let growth = growth([start, &nearby], [&expected, &on_processor(twin)?]);
            compare(protocol, found, &expected, growth)?
        } else {
            Agreement::to_the_bit(found, &expected)?
        };
        worst.of_bound = worst.of_bound.max(agreement.of_bound);
    }
    Ok(worst)
}

fn on_processor(member: Member) -> Result<MemberState, String> {
    let small = member.positions().len() <= MOST_PLAIN;
    let mut member = if small { member.with_way(Way::Plain) } else { member };
    let steps = member.remaining();
    member.advance(steps).map_err(|failure| format!("on the CPU: {:?}", failure.trouble))?;
    Ok(member.state())
}
