//! The supported programs, a sample of all that the planner may need: tests compile them without a GPU.

use crate::Properties;
use crate::batch::layout::MOST_MASKED;
use crate::compile::program::Program;
use crate::plans::Plan;
use crate::plans::cases::{Case, cases};
use crate::plans::key::{Form, Group, Key, Search};
use crate::plans::shape::{LaunchOverrides, Shape, Size};
use crate::tables::TermNames;

/// The program of each of the [`cases`], in their order, with the form of blocks for a large card.
pub fn cover() -> Vec<Program> {
    cases().iter().map(program).collect()
}

/// The terms of a case's system: every formula if it has types, else those that the case names.
fn terms(case: &Case) -> TermNames {
    let mut terms = TermNames::every();
    if case.typed {
        return terms;
    }
    let names = ["fene_bond", "harmonic_bond", "native_contact", "harmonic_trap"];
    let named = |name: &str| names.iter().zip(case.terms).any(|(&known, has)| has && known == name);
    terms.bonded.retain(|term| named(term.formula));
    terms.pairs.retain(|&name| case.repels && name == "sixth_power_repulsion");
    terms.angles.clear();
    terms.singles.retain(|&name| named(name));
    TermNames { typed: false, ..terms }
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
    let types = if case.typed { 2 } else { 1 };
    let size = Size { beads: case.beads, drives, contacts: 4, lane_bytes, types };
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
