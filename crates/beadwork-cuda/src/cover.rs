//! The supported programs, a sample of all that the planner may ask for: what is compiled without a GPU, and watched.

use beadwork_model::{Generator, Integrator, Precision};

use crate::Properties;
use crate::layout::LANES;
use crate::program::{Form, Key, Program, Rounding, Search};
use crate::shape::{Shape, Size, Wishes};

/// Beads and members of each form of block: few and many small members, and large ones.
const FORMS: [(usize, usize, Search); 7] = [
    (34, 1, Search::Mask),
    (34, 20_000, Search::Mask),
    (89, 1, Search::Bits),
    (89, 20_000, Search::Bits),
    (200, 300, Search::List),
    (1_913, 1, Search::List),
    (3_500, 1, Search::List),
];

/// The SOP model of a protein: FENE bonds and native contacts.
const SOP: [bool; 4] = [true, false, true, false];

/// Programs of every form of block in every precision, integrator, generator, with drives and without; and of every term
/// and rounding in some of them.
pub fn cover() -> Vec<Program> {
    let mut keys = Vec::new();
    for (beads, members, search) in FORMS {
        for precision in Precision::ALL {
            for integrator in Integrator::ALL {
                for generator in Generator::ALL {
                    for pulled in [false, true] {
                        let key = key(precision, integrator, generator, search, pulled);
                        keys.push(shaped(key, beads, members));
                    }
                }
            }
        }
        let plain =
            key(Precision::Single, Integrator::Brownian, Generator::Philox4x32x10, search, false);
        let all = Key { terms: [true; 4], pulled: true, ..plain };
        keys.push(shaped(all, beads, members));
        keys.push(shaped(Key { rounding: Rounding::AsWritten, ..plain }, beads, members));
    }
    let alone =
        key(Precision::Double, Integrator::Brownian, Generator::HybridTaus, Search::None, false);
    keys.push(shaped(Key { terms: [false, true, false, true], ..alone }, 64, 1));
    keys.push(shaped(Key { terms: [false, false, false, true], ..alone }, 64, 20_000));
    let mut programs: Vec<Program> = keys.iter().map(Key::program).collect();
    for precision in Precision::ALL {
        for integrator in Integrator::ALL {
            let generator = match integrator {
                Integrator::Brownian => Generator::Philox4x32x10,
                Integrator::BrownianSecondOrder => Generator::HybridTaus,
            };
            let key = key(precision, integrator, generator, Search::List, true);
            let key = Key { terms: [true; 4], ..key };
            for (by_pair, large) in [(false, false), (true, false), (false, true)] {
                programs.push(key.launches(Form { by_pair, wide: large, cells: large }));
            }
        }
    }
    programs
}

fn key(
    precision: Precision,
    integrator: Integrator,
    generator: Generator,
    search: Search,
    pulled: bool,
) -> Key {
    Key {
        precision,
        rounding: Rounding::Fused,
        terms: SOP,
        search,
        pulled,
        generator,
        integrator,
        lane_members: 0,
        quads: 0,
        places: 0,
        threads: 0,
        blocks: 0,
    }
}

/// The key with the form of blocks that a large card gets.
fn shaped(key: Key, beads: usize, members: usize) -> Key {
    let card = Properties {
        name: String::new(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        shared_memory_per_block: 232_448,
        shared_memory_per_multiprocessor: 233_472,
        registers_per_multiprocessor: 65_536,
        memory: 0,
        driver: (13, 0),
    };
    let size = Size { beads, drives: usize::from(key.pulled), lane_bytes: 200 * beads };
    let shape = Shape::new(size, members, &key, &card, Wishes::default());
    key.shaped(&shape, beads.div_ceil(LANES))
}
