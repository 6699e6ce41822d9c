//! Compares every program that a run may need on a card with the reference path.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use beadwork::cuda::{Case, ChainCase, Device, Plan, cases, chain_cases};
use rayon::prelude::*;

use super::finding::{Finding, finding};
use super::trial::{Ends, Sound, TrialError};
use super::{chains, members};
use crate::program::progress::Counter;

/// The most threads; a compiler takes half a gigabyte in each.
pub const MOST_THREADS: usize = 8;

/// A program and the case that tests it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Trial {
    Members(Case),
    Chains(ChainCase),
}

impl Trial {
    fn all() -> Vec<Trial> {
        let members = cases().into_iter().map(Trial::Members);
        let chains = chain_cases().into_iter().map(Trial::Chains);
        members.chain(chains).collect()
    }

    fn name(&self) -> String {
        match self {
            Trial::Members(case) => case.name(),
            Trial::Chains(case) => case.name(),
        }
    }

    /// The trial that stands for all programs with the same bits: every form of block, any number of lanes.
    fn alike(self) -> Trial {
        match self {
            Trial::Members(case) => Trial::Members(Case { members: 1, plan: Plan::Block, ..case }),
            Trial::Chains(case) => Trial::Chains(ChainCase { lanes: 32, ..case }),
        }
    }

    fn attempt(self, card: &Device) -> Result<Sound, TrialError> {
        match self {
            Trial::Members(case) => members::attempt(card, case),
            Trial::Chains(case) => chains::attempt(card, case),
        }
    }
}

/// Has a card step generated systems and sample generated chains by each program. Returns a finding for each program that
/// fails, and one for all programs.
pub fn checks(card: &Device) -> Vec<Finding> {
    let began = Instant::now();
    let trials = Trial::all();
    let outcomes = try_all(card, &trials);
    let mut failures: Vec<(Trial, String)> = Vec::new();
    let (mut sound, mut left_out, mut largest) = (0, 0, 0.0_f64);
    let mut bits: HashMap<Trial, (Trial, &Ends)> = HashMap::new();
    for (&trial, outcome) in trials.iter().zip(&outcomes) {
        match outcome {
            None => {}
            Some(Err(TrialError::DoesNotFit)) => left_out += 1,
            Some(Err(TrialError::Wrong(reason) | TrialError::Over(reason))) => {
                failures.push((trial, reason.clone()));
            }
            Some(Ok(Sound { ends, of_bound })) => {
                largest = largest.max(*of_bound);
                let (first, expected) = *bits.entry(trial.alike()).or_insert((trial, ends));
                if expected == ends {
                    sound += 1;
                } else {
                    let reason = format!("ends at other bits than {}", first.name());
                    failures.push((trial, reason));
                }
            }
        }
    }
    let tried = outcomes.iter().flatten().count();
    let mut text = format!(
        "{sound} of {} programs do as the reference path does, with differences of up to {largest:.2} of what rounding allows",
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
        .map(|(trial, reason)| finding(&format!("{place}, {}", trial.name()), Err(reason)))
        .collect();
    let all = if healthy { Ok(text) } else { Err(text) };
    findings.push(finding(&format!("{place}, every program"), all));
    findings
}

/// The outcome of each trial; `None` after one that made the card unusable. Several threads share the trials, because a
/// program takes longer to compile than to run.
fn try_all(card: &Device, trials: &[Trial]) -> Vec<Option<Result<Sound, TrialError>>> {
    let counter = Mutex::new(Counter::new("programs", trials.len()));
    let over = AtomicBool::new(false);
    let attempt = |trial: &Trial| {
        if over.load(Ordering::Relaxed) {
            return None;
        }
        let outcome = trial.attempt(card);
        over.fetch_or(matches!(outcome, Err(TrialError::Over(_))), Ordering::Relaxed);
        let failed = matches!(outcome, Err(TrialError::Wrong(_) | TrialError::Over(_)));
        counter.lock().unwrap_or_else(PoisonError::into_inner).count(failed);
        Some(outcome)
    };
    trials.par_iter().with_max_len(1).map(attempt).collect()
}
