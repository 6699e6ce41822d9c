//! Replica exchange: which replicas of a ladder swap their temperatures, and a record of how replicas travelled.
//!
//! Configurations stay where they are and temperatures travel. A ladder has as many rungs as replicas, coldest first;
//! attempt a pairs rungs (0, 1), (2, 3) … where a is even and (1, 2), (3, 4) … where it is odd. Stages may also place
//! the temperatures anew, by the counts of the record ([`Ladder::tune`]).

mod placement;

use beadwork_arithmetic::natural_logarithm;
use beadwork_model::{Placement, Tuning};
use beadwork_random::{NoiseKey, Purpose};
use serde::{Deserialize, Serialize};

/// A ladder and the key of its decisions.
#[derive(Clone, Debug)]
pub struct Ladder {
    key: NoiseKey,
    inverse_temperatures: Vec<f64>,
    state: LadderState,
}

/// The state from which a ladder continues to the bit, always after an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderState {
    /// Exchanges attempted so far.
    pub attempt: u64,
    /// k_B T of each rung, ascending, in the unit of the energies.
    pub temperatures: Vec<f64>,
    /// The rung of each replica.
    pub rungs: Vec<u32>,
    /// Counts of exchanges and of the replicas' travels.
    pub record: Record,
    /// The rule that last placed temperatures. No decision depends on it; checkpoints hold it after the replicas.
    #[serde(skip)]
    pub placed_by: Option<Placement>,
}

/// Counts of a ladder since the start of the run or since its temperatures were last placed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Attempts of each pair of neighbouring rungs, by the lower rung.
    pub attempted: Vec<u64>,
    /// Accepted attempts of each pair.
    pub accepted: Vec<u64>,
    /// After each attempt, by rung: replicas whose last end was the lowest rung.
    pub upward: Vec<u64>,
    /// The same for replicas whose last end was the highest rung.
    pub downward: Vec<u64>,
    /// The end of the ladder that each replica visited last.
    pub last_end: Vec<Option<End>>,
    /// Round trips of each replica, from the lowest rung to the highest and back.
    pub round_trips: Vec<u64>,
    /// Whether each replica has been at the highest rung since it left the lowest.
    pub turned: Vec<bool>,
}

/// An end of a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The lowest rung, the coldest.
    Lowest,
    /// The highest rung, the hottest.
    Highest,
}

impl LadderState {
    /// The start of a run: replica r is on rung r, and the rungs have these temperatures.
    pub fn new(temperatures: &[f64]) -> LadderState {
        let rungs = temperatures.len();
        let mut state = LadderState {
            attempt: 0,
            temperatures: temperatures.to_vec(),
            rungs: (0..rungs as u32).collect(),
            record: Record::default(),
            placed_by: None,
        };
        state.begin_record();
        state
    }

    /// Sets all counts to zero.
    fn begin_record(&mut self) {
        let rungs = self.rungs.len();
        let pairs = rungs.saturating_sub(1);
        self.record = Record {
            attempted: vec![0; pairs],
            accepted: vec![0; pairs],
            upward: vec![0; rungs],
            downward: vec![0; rungs],
            last_end: vec![None; rungs],
            round_trips: vec![0; rungs],
            turned: vec![false; rungs],
        };
        self.note_ends();
    }

    fn note_ends(&mut self) {
        let highest = self.rungs.len() as u32 - 1;
        let record = &mut self.record;
        for (replica, &rung) in self.rungs.iter().enumerate() {
            if rung == 0 {
                if record.turned[replica] {
                    record.round_trips[replica] += 1;
                    record.turned[replica] = false;
                }
                record.last_end[replica] = Some(End::Lowest);
            } else if rung == highest {
                record.turned[replica] |= record.last_end[replica] == Some(End::Lowest);
                record.last_end[replica] = Some(End::Highest);
            }
        }
    }
}

impl Ladder {
    /// A ladder whose replicas are numbered from `first` on.
    pub fn new(seed: u64, first: u64, state: LadderState) -> Ladder {
        Ladder {
            key: NoiseKey::new(seed, Purpose::ReplicaExchange, first),
            inverse_temperatures: inverse(&state.temperatures),
            state,
        }
    }

    /// The state from which the ladder continues.
    pub fn state(&self) -> &LadderState {
        &self.state
    }

    /// k_B T of each rung.
    pub fn temperatures(&self) -> &[f64] {
        &self.state.temperatures
    }

    /// 1/T of each rung.
    pub fn inverse_temperatures(&self) -> &[f64] {
        &self.inverse_temperatures
    }

    /// The key of its decisions.
    pub fn key(&self) -> NoiseKey {
        self.key
    }

    /// The rungs after the next attempt, by the energies of the replicas. A replica without an energy does not swap,
    /// and neither do its neighbours with it.
    pub fn decide(&self, energies: &[Option<f64>]) -> Vec<u32> {
        let mut rungs = self.state.rungs.clone();
        let mut replicas = vec![0; rungs.len()];
        for (replica, &rung) in rungs.iter().enumerate() {
            replicas[rung as usize] = replica;
        }
        for lower in self.lower_rungs() {
            let (cold, warm) = (replicas[lower], replicas[lower + 1]);
            let (Some(below), Some(above)) = (energies[cold], energies[warm]) else { continue };
            let [colder, warmer] = [0, 1].map(|above| self.inverse_temperatures[lower + above]);
            if is_swapped(self.key, self.state.attempt, lower, (below - above) * (colder - warmer))
            {
                rungs.swap(cold, warm);
            }
        }
        rungs
    }

    /// Records the rungs after an attempt.
    pub fn settle(&mut self, rungs: &[u32]) {
        for lower in self.lower_rungs() {
            self.state.record.attempted[lower] += 1;
        }
        for (&before, &after) in self.state.rungs.iter().zip(rungs) {
            // The other replica of the pair goes down.
            if after > before {
                self.state.record.accepted[before as usize] += 1;
            }
        }
        self.state.rungs.copy_from_slice(rungs);
        self.state.attempt += 1;
        self.state.note_ends();
        let record = &mut self.state.record;
        for (end, &rung) in record.last_end.iter().zip(rungs) {
            match end {
                Some(End::Lowest) => record.upward[rung as usize] += 1,
                Some(End::Highest) => record.downward[rung as usize] += 1,
                None => {}
            }
        }
    }

    /// Places the temperatures anew if a stage asks for it after this number of attempts, and returns the rule that was
    /// used. The record begins anew at each placement, and where such a stage begins.
    ///
    /// Uses round trips if at least half of the replicas travelled from the lowest rung to the highest since
    /// temperatures were last placed, otherwise acceptance.
    pub fn tune(&mut self, tunings: &[Tuning]) -> Option<Placement> {
        let attempt = self.state.attempt;
        let Some(tuning) = tunings.iter().find(|tuning| tuning.placements().contains(&attempt))
        else {
            if tunings.iter().any(|tuning| tuning.first == attempt) {
                self.state.begin_record();
            }
            return None;
        };
        let by = match tuning.by {
            Placement::RoundTrips if 2 * self.travelled() < self.state.rungs.len() => {
                Placement::Acceptance
            }
            by => by,
        };
        let LadderState { temperatures, record, .. } = &mut self.state;
        *temperatures = match by {
            Placement::Acceptance => {
                placement::by_acceptance(temperatures, &record.attempted, &record.accepted)
            }
            Placement::RoundTrips => {
                placement::by_flow(temperatures, &record.upward, &record.downward)
            }
        };
        self.inverse_temperatures = inverse(temperatures);
        self.state.begin_record();
        self.state.placed_by = Some(by);
        Some(by)
    }

    /// The number of replicas that travelled from the lowest rung to the highest.
    fn travelled(&self) -> usize {
        let Record { round_trips, turned, .. } = &self.state.record;
        round_trips.iter().zip(turned).filter(|(trips, turned)| **turned || **trips > 0).count()
    }

    /// The lower rungs of the pairs of the next attempt.
    fn lower_rungs(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.lowest_pair(self.state.attempt);
        (first..self.inverse_temperatures.len().saturating_sub(1)).step_by(2)
    }

    /// The lower rung of the lowest pair of an attempt.
    pub fn lowest_pair(&self, attempt: u64) -> usize {
        (attempt % 2) as usize
    }
}

fn inverse(temperatures: &[f64]) -> Vec<f64> {
    temperatures.iter().map(|temperature| 1.0 / temperature).collect()
}

/// Whether two replicas swap: with probability min(1, exp Δ), Δ = (E_i − E_j)(β_i − β_j) (equation 6 of \[G\] in the book's
/// list of sources).
///
/// u = (n + ½) 2⁻³² of word 0 of (attempt, lower rung) is below exp Δ where ln u < Δ; nothing is swapped if Δ is not a
/// number. Kernels use the same expressions.
pub fn is_swapped(key: NoiseKey, attempt: u64, lower: usize, exponent: f64) -> bool {
    let word = key.words(attempt, 0, lower as u32, 0)[0];
    let uniform = (f64::from(word) + 0.5) / 4_294_967_296.0;
    natural_logarithm(uniform) < exponent
}
