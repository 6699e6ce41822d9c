//! Moves a second of elastic polymers on a card, without files, as lines of JSON:
//! `samplers MONOMERS,… REPLICAS,… [LANES,…|-] [THREADS,…|-] [double]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod common;

use std::time::Instant;

use beadwork_cpu::monte_carlo::Rung;
use beadwork_cuda::{
    ChainOverrides, ChainSamplers, Device, LadderBatch, Number, Replicas, Rounding, SweepSchedule,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;
use common::Words;

/// The published moves ([G] in the book's list of sources), at a temperature at which the chain is a globule.
const RUNG: Rung = Rung { temperature: 0.7, displacement: 0.01 };
const REPEATS: usize = 5;

fn bare<T: Number>(device: &Device, monomers: usize, replicas: usize, overrides: ChainOverrides) {
    let polymer = ElasticPolymer::new(monomers);
    let one = |first| Replicas {
        first,
        rungs: vec![RUNG],
        rung_of: vec![0],
        positions: vec![polymer.straight()],
        fits: vec![AcceptanceCount::default()],
    };
    let ladders = (0..replicas as u64).map(one).collect();
    let batch = LadderBatch { polymer, seed: 1, sweep: 0, attempt: 0, ladders };
    let samplers = ChainSamplers::<T>::new(device, batch, Rounding::Fused, overrides);
    let mut samplers = match samplers {
        Ok(samplers) => samplers,
        Err(error) => return println!("{{\"refused\": {:?}}}", error.to_string()),
    };
    let mut sweeps = 16;
    let mut run = |sweeps| {
        let began = Instant::now();
        samplers.advance(SweepSchedule { sweeps, ..SweepSchedule::default() }).unwrap();
        began.elapsed().as_secs_f64()
    };
    run(sweeps);
    loop {
        let seconds = run(sweeps);
        if seconds > 0.05 {
            break;
        }
        sweeps = (sweeps as f64 * (0.08 / seconds).clamp(1.5, 16.0)) as u64;
    }
    let mut seconds = [0; REPEATS].map(|_| run(sweeps));
    seconds.sort_by(f64::total_cmp);
    let moves = sweeps as f64 * (monomers * replicas) as f64 / seconds[REPEATS / 2];
    let lanes = samplers.lanes();
    let threads = overrides.threads.unwrap_or(32);
    println!(
        "{{\"monomers\": {monomers}, \"replicas\": {replicas}, \"lanes\": {lanes}, \"threads\": {threads}, \"moves_per_second\": {moves:.4e}}}"
    );
}

fn main() {
    let words = Words::read();
    let device = Device::open(0).unwrap();
    for monomers in words.numbers(0).into_iter().flatten() {
        for replicas in words.numbers(1).into_iter().flatten() {
            for lanes in words.numbers(2) {
                for threads in words.numbers(3) {
                    let [lanes, threads] = [lanes, threads].map(|n| n.map(|n| n as u32));
                    let overrides = ChainOverrides { lanes, threads, by_host: false };
                    match words.has("double") {
                        false => bare::<f32>(&device, monomers, replicas, overrides),
                        true => bare::<f64>(&device, monomers, replicas, overrides),
                    }
                }
            }
        }
    }
}
