//! The supported programs, a sample of all that the planner may ask for: what is compiled without a GPU, and watched.

use crate::Properties;
use crate::batch::layout::MOST_MASKED;
use crate::compile::program::Program;
use crate::plans::Plan;
use crate::plans::cases::{Case, cases};
use crate::plans::key::{Form, Group, Key, Search};
use crate::plans::shape::{LaunchOverrides, Shape, Size};
use crate::tables::{BondedName, TermNames};

/// The program of each of the [`cases`], in their order, with the form of blocks that a large card gets.
pub fn cover() -> Vec<Program> {
    cases().iter().map(program).collect()
}

/// The terms of a case's system.
fn terms(case: &Case) -> TermNames {
    let bonded = [("fene_bond", true), ("harmonic_bond", true), ("native_contact", false)];
    let bonded = bonded.iter().zip(case.terms).filter(|(_, has)| *has);
    let mut pairs = if case.repels { vec!["sixth_power_repulsion"] } else { Vec::new() };
    pairs.extend(case.typed.then_some("lennard_jones"));
    TermNames {
        bonded: bonded.map(|(&(formula, is_bond), _)| BondedName { formula, is_bond }).collect(),
        pairs,
        angles: if case.typed { vec!["cosine_squared_angle"] } else { Vec::new() },
        singles: if case.terms[3] { vec!["harmonic_trap"] } else { Vec::new() },
        typed: case.typed,
    }
}

fn program(case: &Case) -> Program {
    let terms = terms(case);
    let paired = !terms.pairs.is_empty();
    let search = match case.plan {
        Plan::Graph if paired => Search::List,
        _ => Search::of_block(paired, case.beads),
    };
    let key = Key {
        rounding: case.rounding,
        search,
        pulled: case.pulled,
        generator: case.generator,
        integrator: case.integrator,
        ..Key::unshaped(terms, case.precision)
    };
    let drives = usize::from(key.pulled);
    let lane_bytes = if case.beads <= MOST_MASKED { 200 * case.beads } else { 0 };
    let size = Size { beads: case.beads, drives, contacts: 4, lane_bytes };
    let (card, overrides) = (large_card(), LaunchOverrides::default());
    let large = case.beads > usize::from(u16::MAX);
    let (key, shape) = match case.plan {
        Plan::Graph => return key.graph(Form { wide: large, cells: large }),
        Plan::Independent => {
            let shape = Shape::of_beads(case.members * case.beads, &card, overrides);
            (Key { group: Group::Single, ..key }, shape)
        }
        Plan::Block => {
            let shape = Shape::new(size, [case.members; 2], &key, &card, overrides);
            (key, shape)
        }
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
        memory: 0,
        driver: (13, 0),
    }
}
