//! The supported programs, a sample of all that the planner may ask for: what is compiled without a GPU, and watched.

use crate::cases::{Case, cases};
use crate::program::{Form, Key, Program, Search};
use crate::shape::{Shape, Size, Wishes};
use crate::{Plan, Properties};

/// The program of each of the [`cases`], in their order, with the form of blocks that a large card gets.
pub fn cover() -> Vec<Program> {
    cases().iter().map(program).collect()
}

fn program(case: &Case) -> Program {
    let in_block = Search::of_block(case.repels, case.beads);
    let large = case.beads > usize::from(u16::MAX);
    let key = Key {
        precision: case.precision,
        rounding: case.rounding,
        terms: case.terms,
        search: if case.repels && case.plan != Plan::Block { Search::List } else { in_block },
        pulled: case.pulled,
        generator: case.generator,
        integrator: case.integrator,
        ..Key::UNSHAPED
    };
    let drives = usize::from(key.pulled);
    let size = Size { beads: case.beads, drives, contacts: 4, lane_bytes: 200 * case.beads };
    let (card, wishes) = (large_card(), Wishes::default());
    let by_pair = case.plan == Plan::LaunchesByPair;
    let (key, shape) = match case.plan {
        Plan::LaunchesByParticle | Plan::LaunchesByPair => {
            return key.launches(Form { by_pair, wide: large, cells: large });
        }
        Plan::Beads => {
            let shape = Shape::of_beads(case.company * case.beads, &card, wishes);
            (Key { apart: true, ..key }, shape)
        }
        Plan::Block => (key, Shape::new(size, [case.company; 2], &key, &card, wishes)),
    };
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
