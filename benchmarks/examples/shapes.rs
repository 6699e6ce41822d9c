//! Steps per second of a protein by the block plan, for several numbers of members and forms of blocks, without files:
//! `shapes PDB SIDE_CHAIN_CUTOFF|- MEMBERS,… [MEMBERS_OF_A_BLOCK,…|-] [THREADS,…|-] [BLOCKS,…|-] [lanes|quads] [pulled] [hybrid-taus] [double]`.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cuda::{Device, Ensemble, LaunchOverrides};
use beadwork_model::force_fields::sop::{Beads, ContactRule, Parameters, build};
use beadwork_structure::{ReadOptions, read};
use common::{Words, advance, members};

fn main() {
    let words = Words::read();
    let file = words.get(0).unwrap();
    let structure = read(Path::new(file), &ReadOptions::default()).unwrap();
    let parameters = Parameters {
        contacts: ContactRule::Distance {
            cutoff: 8.0,
            side_chain_cutoff: words.get(1).map(|cutoff| cutoff.parse().unwrap()),
            side_chain_hydrogens: true,
        },
        ..Parameters::default()
    };
    let (system, _) = build(&structure, Beads::from_structure(&structure), &parameters).unwrap();
    let beads = system.particles.positions.len();
    let system = Arc::new(system);
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let protocol = Arc::new(words.protocol(beads, number("SKIN").unwrap_or(4.0)));
    let device = Device::open(0).unwrap();
    println!("{beads} beads, {:?}", device.properties());
    let forms = words
        .numbers(4)
        .into_iter()
        .flat_map(|threads| words.numbers(5).into_iter().map(move |blocks| (threads, blocks)));
    let forms: Vec<_> = forms.collect();
    for count in words.numbers(2) {
        let count = count.unwrap_or(1);
        let members = members(&system, &protocol, count);
        for block in words.numbers(3) {
            for &(threads, blocks) in &forms {
                let overrides = LaunchOverrides {
                    lanes: words
                        .has("lanes")
                        .then_some(true)
                        .or(words.has("quads").then_some(false)),
                    cluster: number("CLUSTER").map(|blocks| blocks as usize),
                    members: block,
                    threads,
                    blocks,
                };
                let mut ensemble = Ensemble::new(&device).unwrap().with_overrides(overrides);
                let mut steps = 200_u32;
                let seconds = loop {
                    // The first launch compiles.
                    advance(&mut ensemble, &members, steps).unwrap();
                    let began = Instant::now();
                    assert!(advance(&mut ensemble, &members, steps).unwrap());
                    let seconds = began.elapsed().as_secs_f64();
                    if seconds > 0.2 {
                        break seconds;
                    }
                    steps = (f64::from(steps) * (0.25 / seconds).clamp(1.5, 20.0)) as u32;
                };
                println!(
                    "{count} members, {block:?} in a block, {threads:?} threads, {blocks:?} blocks: {:.4e} trajectory-steps/s, {:.3} us a step",
                    f64::from(steps) * count as f64 / seconds,
                    seconds / f64::from(steps) * 1e6
                );
            }
        }
    }
}
