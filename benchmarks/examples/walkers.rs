//! Moves a second of elastic polymers on a card, without files, as lines of JSON:
//! `walkers MONOMERS,… REPLICAS,… [LANES,…|-] [THREADS,…|-] [double]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::time::Instant;

use beadwork_cpu::monte_carlo::Rung;
use beadwork_cuda::{
    Course, Device, Number, Population, Replicas, Rounding, WalkerWishes, Walkers,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_simulation::AcceptanceCount;

/// The published moves ([G] in the book's list of sources), at a temperature at which the chain is a globule.
const RUNG: Rung = Rung { temperature: 0.7, displacement: 0.01 };
const REPEATS: usize = 5;

fn numbers(text: Option<&String>) -> Vec<Option<usize>> {
    match text.map(String::as_str) {
        None | Some("-") => vec![None],
        Some(text) => text.split(',').map(|number| number.parse().ok()).collect(),
    }
}

fn ladder(polymer: &ElasticPolymer, first: u64, rungs: Vec<Rung>) -> Replicas {
    let count = rungs.len();
    Replicas {
        first,
        rungs,
        places: (0..count as u32).collect(),
        positions: vec![polymer.straight(); count],
        fits: vec![AcceptanceCount::default(); count],
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn timed(work: &mut dyn FnMut()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

fn bare<T: Number>(device: &Device, monomers: usize, replicas: usize, wishes: WalkerWishes) {
    let polymer = ElasticPolymer::new(monomers);
    let one = |number| ladder(&polymer, number, vec![RUNG]);
    let ladders = (0..replicas as u64).map(one).collect();
    let population = Population { polymer, seed: 1, sweep: 0, attempt: 0, ladders };
    let walkers = Walkers::<T>::new(device, population, Rounding::Fused, wishes);
    let mut walkers = match walkers {
        Ok(walkers) => walkers,
        Err(error) => return println!("{{\"refused\": {:?}}}", error.to_string()),
    };
    let mut sweeps = 16;
    let mut run = |sweeps| {
        let course = Course { sweeps, ..Course::default() };
        timed(&mut || drop(walkers.advance(course).unwrap()))
    };
    run(sweeps);
    loop {
        let seconds = run(sweeps);
        if seconds > 0.05 {
            break;
        }
        sweeps = (sweeps as f64 * (0.08 / seconds).clamp(1.5, 16.0)) as u64;
    }
    let seconds = median((0..REPEATS).map(|_| run(sweeps)).collect());
    let moves = sweeps as f64 * (monomers * replicas) as f64 / seconds;
    let lanes = walkers.lanes();
    let threads = wishes.threads.unwrap_or(32);
    println!(
        "{{\"monomers\": {monomers}, \"replicas\": {replicas}, \"lanes\": {lanes}, \"threads\": {threads}, \"moves_per_second\": {moves:.4e}}}"
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = Device::open(0).unwrap();
    let [monomers, replicas] = [0, 1].map(|place| numbers(arguments.get(place)));
    for monomers in monomers.into_iter().flatten() {
        for replicas in replicas.iter().flatten().copied() {
            for lanes in numbers(arguments.get(2)) {
                for threads in numbers(arguments.get(3)) {
                    let [lanes, threads] = [lanes, threads].map(|n| n.map(|n| n as u32));
                    let wishes = WalkerWishes { lanes, threads, by_host: false };
                    match arguments.get(4) {
                        None => bare::<f32>(&device, monomers, replicas, wishes),
                        Some(_) => bare::<f64>(&device, monomers, replicas, wishes),
                    }
                }
            }
        }
    }
}
