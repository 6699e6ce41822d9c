//! Chains that a card samples by a program of its table, against the reference path.

mod agreement;

use std::sync::{Mutex, PoisonError};

use beadwork::cpu::monte_carlo::Rung;
use beadwork::cuda::{
    ChainCase, ChainOverrides, ChainSamplers, Device, Error, LadderBatch, Number, Replicas,
    Rounding, Stop, SweepSchedule,
};
use beadwork::model::Precision;
use beadwork::model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork::simulation::AcceptanceCount;

use self::agreement::{Sum, compare};
use super::thorough::{Ends, Sound, TrialError};

const SEED: u64 = 20_101;

/// Held by whoever has ladders on a card.
static TURN: Mutex<()> = Mutex::new(());

/// Temperatures of all rungs are from the first to the second, in units of ε.
const TEMPERATURES: (f64, f64) = (0.3, 2.0);

/// Ladders and their rungs, which make another number of replicas than fill the blocks of any form with several in each.
const LADDERS: (usize, usize) = (5, 3);

/// Looks at other times than exchanges and fits of displacements, and at each exchange: by the positions there is known how
/// energies may be rounded.
const COURSE: SweepSchedule = SweepSchedule {
    sweeps: 0,
    sample_every: Some(2),
    also_sample_every: Some(3),
    exchange_every: Some(3),
    tune_every: Some(4),
};

/// Has a card sample a few ladders by the program of a case, and holds them to the reference path.
pub fn attempt(card: &Device, case: ChainCase) -> Result<Sound, TrialError> {
    let start = batch(case.monomers, LADDERS);
    let (stops, end) = match case.precision {
        Precision::Single => on_card::<f32>(card, case, start.clone())?,
        Precision::Double => on_card::<f64>(card, case, start.clone())?,
    };
    let of_bound = judge(case, start, &stops, &end).map_err(TrialError::Wrong)?;
    Ok(Sound { ends: Ends::Chains(stops, end), of_bound })
}

/// Some ladders of some rungs each, one ladder warmer than the other, of folded chains.
fn batch(monomers: usize, (ladders, rungs): (usize, usize)) -> LadderBatch {
    let polymer = ElasticPolymer::new(monomers);
    let (coldest, warmest) = TEMPERATURES;
    let last = (ladders * rungs - 1) as f64;
    let rung = |place: usize| Rung {
        temperature: coldest + (warmest - coldest) * place as f64 / last,
        displacement: 0.05 + 0.02 * place as f64,
    };
    let ladder = |number: usize| Replicas {
        first: (number * rungs) as u64,
        rungs: (0..rungs).map(|place| rung(number * rungs + place)).collect(),
        rung_of: (0..rungs as u32).collect(),
        positions: vec![polymer.folded(); rungs],
        fits: vec![AcceptanceCount::default(); rungs],
    };
    LadderBatch {
        polymer,
        seed: SEED,
        sweep: 0,
        attempt: 0,
        ladders: (0..ladders).map(ladder).collect(),
    }
}

/// Some two thousand moves of each replica, and in long chains as many sweeps as all that is due has turns in.
fn schedule(monomers: usize) -> SweepSchedule {
    SweepSchedule { sweeps: (2_000 / monomers as u64).max(7), ..COURSE }
}

fn on_card<T: Number>(
    card: &Device,
    case: ChainCase,
    start: LadderBatch,
) -> Result<(Vec<Stop>, LadderBatch), Error> {
    let overrides = ChainOverrides { lanes: Some(case.lanes), ..ChainOverrides::default() };
    let mut samplers = ChainSamplers::<T>::new(card, start, case.rounding, overrides)?;
    // Replicas of a ladder wait for each other, and must not wait for the room that those of another program take.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let stops = samplers.advance(schedule(case.monomers))?;
    Ok((stops, samplers.batch()?))
}

/// Compares stops and the end with what the processor makes of the start.
fn judge(
    case: ChainCase,
    mut start: LadderBatch,
    stops: &[Stop],
    end: &LadderBatch,
) -> Result<f64, String> {
    let schedule = schedule(case.monomers);
    let expected = start.sample_plainly(case.precision, schedule, stops);
    let sum = match case.rounding {
        Rounding::AsWritten => Sum::AS_WRITTEN,
        Rounding::Fused => Sum::fused(case.precision),
    };
    let of_bound = compare(&start.polymer, stops, &expected, sum)?;
    if *end != start {
        return Err(
            "positions, rungs, displacements or counts of moves do not end as on the reference path"
                .to_string(),
        );
    }
    Ok(of_bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: ChainCase = ChainCase {
        precision: Precision::Single,
        rounding: Rounding::Fused,
        monomers: 13,
        lanes: 4,
    };

    /// What a batch makes of the schedule of [`CASE`] on the reference path.
    fn sampled(mut start: LadderBatch) -> (Vec<Stop>, LadderBatch) {
        let stops = start.sample_plainly(CASE.precision, schedule(CASE.monomers), &[]);
        (stops, start)
    }

    fn outcome(start: LadderBatch) -> Result<f64, String> {
        let (stops, end) = sampled(start);
        judge(CASE, batch(CASE.monomers, LADDERS), &stops, &end)
    }

    /// Every chain that is tried can be sampled, and is fitted and exchanged on the way.
    #[test]
    fn trials_do_all_that_is_tested() {
        let begin = batch(CASE.monomers, LADDERS);
        let (stops, end) = sampled(begin.clone());
        assert_eq!(outcome(begin.clone()), Ok(0.0));
        for (before, after) in begin.ladders.iter().zip(&end.ladders) {
            assert_ne!(before.rungs, after.rungs);
        }
        let swaps = stops.windows(2).filter(|pair| pair[0].rungs != pair[1].rungs).count();
        assert!(swaps > 0, "nothing is exchanged");
    }

    /// What a program does wrong by little is refused.
    #[test]
    fn small_faults_are_seen() {
        let right = || batch(CASE.monomers, LADDERS);
        let refused = |what: &str, change: &dyn Fn(&mut LadderBatch)| {
            let mut wrong = right();
            change(&mut wrong);
            let outcome = outcome(wrong);
            assert!(outcome.is_err(), "{what} passes: {outcome:?}");
        };
        refused("a stiffer bond", &|wrong| wrong.polymer.bonds.stiffness *= 1.01);
        refused("a shorter cutoff", &|wrong| wrong.polymer.pairs.cutoff *= 0.99);
        refused("another attempt", &|wrong| wrong.attempt = 1);
        refused("another sweep", &|wrong| wrong.sweep = 1);
        refused("a wrong temperature", &|wrong| wrong.ladders[2].rungs[1].temperature *= 1.02);
        refused("a wrong displacement", &|wrong| {
            wrong.ladders[1].rungs[0].displacement *= 1.0 + 1e-6
        });

        let (stops, end) = sampled(right());
        let refused = |what: &str, change: &dyn Fn(&mut [Stop])| {
            let mut wrong = stops.clone();
            change(&mut wrong);
            let outcome = judge(CASE, right(), &wrong, &end);
            assert!(outcome.is_err(), "{what} passes: {outcome:?}");
        };
        let last = stops.iter().rposition(|stop| stop.energies.is_some()).unwrap();
        refused("a wrong energy", &|wrong| {
            wrong[last].energies.iter_mut().for_each(|all| all[4] *= 1.0 + 1e-4)
        });
        refused("a missing energy", &|wrong| wrong[last].energies = None);
        refused("a replica elsewhere", &|wrong| {
            wrong[0].positions.iter_mut().for_each(|all| all[8][12][2] += 1e-6)
        });
    }
}
