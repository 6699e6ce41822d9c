//! The supported programs, a sample of all that the planner may ask for: what is compiled without a GPU, and watched.

use crate::cases::{Case, cases};
use crate::program::{Form, Key, Program, Search};
use crate::shape::{Shape, Size, Wishes};
use crate::topology::MOST_UNSEARCHED;
use crate::{Plan, Properties, layout};

/// The program of each of the [`cases`], in their order, with the form of blocks that a large card gets.
pub fn cover() -> Vec<Program> {
    cases().iter().map(program).collect()
}

fn program(case: &Case) -> Program {
    let key = Key {
        precision: case.precision,
        rounding: case.rounding,
        terms: case.terms,
        search: match case.beads {
            _ if !case.repels => Search::None,
            ..=MOST_UNSEARCHED if case.plan == Plan::Block => Search::Mask,
            ..=layout::MOST_MASKED if case.plan == Plan::Block => Search::Bits,
            _ => Search::List,
        },
        pulled: case.pulled,
        generator: case.generator,
        integrator: case.integrator,
        cluster: 1,
        lane_members: 0,
        quads: 0,
        contacts: 0,
        places: 0,
        threads: 0,
        blocks: 0,
    };
    if case.plan != Plan::Block {
        let large = case.beads > usize::from(u16::MAX);
        let by_pair = case.plan == Plan::LaunchesByPair;
        return key.launches(Form { by_pair, wide: large, cells: large });
    }
    let drives = usize::from(key.pulled);
    let size = Size { beads: case.beads, drives, contacts: 4, lane_bytes: 200 * case.beads };
    let shape = Shape::new(size, [case.company; 2], &key, &large_card(), Wishes::default());
    key.shaped(&shape, size).program()
}

fn large_card() -> Properties {
    Properties {
        name: String::new(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        blocks_per_cluster: 16,
        shared_memory_per_block: 232_448,
        shared_memory_per_multiprocessor: 233_472,
        registers_per_multiprocessor: 65_536,
        memory: 0,
        driver: (13, 0),
    }
}
