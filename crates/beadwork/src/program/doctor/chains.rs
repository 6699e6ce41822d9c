//! Compares chains that a program samples on a card with the reference path.

mod agreement;
#[cfg(test)]
mod tests;

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
use super::trial::{Ends, Sound, TrialError};

const SEED: u64 = 20_101;

/// Locked while a thread has ladders on a card.
static CARD: Mutex<()> = Mutex::new(());

/// The lowest and the highest temperature of all ladders, in units of ε.
const TEMPERATURES: (f64, f64) = (0.3, 2.0);

/// The numbers of ladders and of rungs. Their replicas do not fill the blocks of any form with several replicas.
const LADDERS: (usize, usize) = (5, 3);

/// Samples at exchanges, whose positions bound the rounding of energies, and also between exchanges and fits.
const SCHEDULE: SweepSchedule = SweepSchedule {
    sweeps: 0,
    sample_every: Some(2),
    also_sample_every: Some(3),
    exchange_every: Some(3),
    tune_every: Some(4),
};

/// Has a card sample a few ladders by the program of a case, and compares them with the reference path.
pub fn attempt(card: &Device, case: ChainCase) -> Result<Sound, TrialError> {
    let start = batch(case.monomers, LADDERS);
    let (stops, end) = match case.precision {
        Precision::Single => on_card::<f32>(card, case, start.clone())?,
        Precision::Double => on_card::<f64>(card, case, start.clone())?,
    };
    let of_bound = judge(case, start, &stops, &end).map_err(TrialError::Wrong)?;
    Ok(Sound { ends: Ends::Chains(stops, end), of_bound })
}

/// Ladders of folded chains, each warmer than the previous one.
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

/// Some two thousand moves of each replica; for long chains, enough sweeps for a sample, a fit and an exchange.
fn schedule(monomers: usize) -> SweepSchedule {
    SweepSchedule { sweeps: (2_000 / monomers as u64).max(7), ..SCHEDULE }
}

fn on_card<T: Number>(
    card: &Device,
    case: ChainCase,
    start: LadderBatch,
) -> Result<(Vec<Stop>, LadderBatch), Error> {
    let overrides = ChainOverrides { lanes: Some(case.lanes), ..ChainOverrides::default() };
    let mut samplers = ChainSamplers::<T>::new(card, start, case.rounding, overrides)?;
    // One ladder program at a time: replicas that wait for each other must not also wait for another program to end.
    let _card = CARD.lock().unwrap_or_else(PoisonError::into_inner);
    let stops = samplers.advance(schedule(case.monomers))?;
    Ok((stops, samplers.batch()?))
}

/// Compares stops and the final state with those of the processor from the same start.
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
