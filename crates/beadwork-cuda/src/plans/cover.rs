//! The supported programs, a sample of all that the planner may need: tests compile them without a GPU.

use beadwork_model::potentials::PairNoise;
use beadwork_model::{Generator, Integrator, Precision};

use crate::Properties;
use crate::batch::records::MOST_MASKED;
use crate::compile::program::{Program, Rounding};
use crate::plans::Plan;
use crate::plans::bricks::Contents;
use crate::plans::cases::{Case, cases};
use crate::plans::key::Key;
use crate::plans::layout::{Shape, Size};
use crate::plans::shape::LaunchOverrides;
use crate::plans::steps::{Noise, Search, Steps};
use crate::tables::TermNames;

/// The program of each of the [`cases`], in their order, with the form of blocks for a large card; then some for boxes and pair
/// thermostats, and for minimisations.
pub fn cover() -> Vec<Program> {
    let others = in_boxes().into_iter().chain(minimisations()).chain(without_helpers());
    cases().iter().map(|case| key(case).program()).chain(others).collect()
}

/// Programs of some pressed members whose lanes of beads compute what presses, as where shared memory has no room for it.
fn without_helpers() -> Vec<Program> {
    let all = cases();
    let with_helpers = all.iter().map(key).filter(|key| key.pressing);
    with_helpers.step_by(3).map(|key| Key { pressing: false, ..key }.program()).collect()
}

/// Programs that minimise, with lists that warps share or not.
fn minimisations() -> impl Iterator<Item = Program> {
    let table = [
        (5_000, 1, Precision::Single, false, false),
        (70_000, 1, Precision::Double, false, false),
        (31, 8, Precision::Double, false, false),
        (5_000, 1, Precision::Single, true, true),
        (70_000, 1, Precision::Single, true, false),
        (5_000, 8, Precision::Double, true, true),
    ];
    let all = table.into_iter().map(|(beads, members, precision, boxed, shared_lists)| {
        let plain = Steps::brownian(TermNames::every(), precision);
        let steps = Steps { boxed, search: Search::List, minimises: true, ..plain };
        of_grid(steps, size_of(beads, 0, 2), members, shared_lists).program()
    });
    // Without pair terms; lists may be those of a pair thermostat, which does not act.
    let unpaired = [Search::None, Search::List].into_iter().map(|search| {
        let terms = TermNames { pairs: Vec::new(), ..TermNames::every() };
        let plain = Steps::brownian(terms, Precision::Single);
        let steps = Steps { boxed: true, search, minimises: true, ..plain };
        of_grid(steps, size_of(5_000, 0, 2), 1, false).program()
    });
    all.chain(unpaired)
}

/// Programs for each form of block in a box, with formulas of each shape, and with a pair thermostat.
fn in_boxes() -> Vec<Program> {
    use Integrator::{Brownian, BrownianSecondOrder, Langevin, LangevinMiddle, VelocityVerlet};
    use Precision::{Double, Single};
    let (uniform, normal) = (Some(PairNoise::Uniform), Some(PairNoise::Normal));
    let (philox, saru) = (Generator::Philox4x32x10, Generator::Saru);
    let table = [
        ((45, 1), Brownian, Single, None, philox),
        ((45, 20_000), Langevin, Single, None, philox),
        ((89, 20_000), BrownianSecondOrder, Double, None, Generator::HybridTaus),
        ((200, 300), LangevinMiddle, Double, None, philox),
        ((1_913, 1), Brownian, Single, None, philox),
        ((64, 20_000), VelocityVerlet, Single, uniform, philox),
        ((64, 1), VelocityVerlet, Double, normal, saru),
        ((1_500, 300), VelocityVerlet, Single, normal, philox),
        ((1_500, 1), VelocityVerlet, Single, uniform, Generator::SaruTea),
        ((200, 300), Langevin, Single, None, Generator::Xorwow),
        ((64, 20_000), Brownian, Single, None, Generator::Lcg),
    ];
    // The grid plan: few beads, with four lanes each, and more than 16 bits can count.
    let grids = [
        ((5_000, 1), Langevin, Single, None, philox),
        ((5_000, 8), Brownian, Double, None, Generator::HybridTaus),
        ((70_000, 1), BrownianSecondOrder, Single, None, saru),
        ((70_000, 1), VelocityVerlet, Single, uniform, philox),
        ((5_000, 1), VelocityVerlet, Double, normal, Generator::SaruTea),
    ];
    let bricks = [
        ((5_000, 1), VelocityVerlet, Single, uniform, philox),
        ((5_000, 8), VelocityVerlet, Double, normal, Generator::SaruTea),
        ((70_000, 1), Langevin, Single, None, philox),
        ((300_000, 8), VelocityVerlet, Single, uniform, saru),
        ((5_000, 1), LangevinMiddle, Double, None, philox),
        ((5_000, 1), Langevin, Single, None, Generator::Mt19937),
    ];
    let blocks = table.into_iter().map(|row| (None, row));
    let lists = grids.into_iter().map(|row| (Some((Search::List, false)), row));
    let shared_lists = grids.into_iter().map(|row| (Some((Search::List, true)), row));
    let bricks = bricks.into_iter().map(|row| (Some((Search::Bricks, false)), row));
    let programs = blocks.chain(lists).chain(shared_lists).chain(bricks).map(
        |(of_grids, ((beads, members), integrator, precision, noise, generator))| {
            let mut terms = TermNames { thermostat: noise, ..TermNames::every() };
            let mixture =
                ["fene_bond", "dpd_conservative", "lennard_jones", "cosine_angle", "harmonic_trap"];
            let fluid = ["dpd_conservative"];
            let has = |name: &str| match noise {
                None => mixture.contains(&name),
                Some(_) => fluid.contains(&name),
            };
            terms.bonded.retain(|term| has(term.name));
            for names in [&mut terms.pairs, &mut terms.angles, &mut terms.singles] {
                names.retain(|&name| has(name));
            }
            let search = of_grids.map_or(Search::of_block(true, beads), |(search, _)| search);
            let rounding = if members == 1 { Rounding::AsWritten } else { Rounding::Fused };
            let plain = Steps::brownian(terms, precision);
            let noise = Noise::of(generator, Plan::Block);
            let steps = Steps { boxed: true, rounding, search, noise, integrator, ..plain };
            let size = size_of(beads, 0, 2);
            match of_grids {
                Some((_, shared)) => of_grid(steps, size, members, shared).program(),
                None => of_block(steps, size, members).program(),
            }
        },
    );
    programs.collect()
}

/// The needs of members with this many beads, externals and types.
pub(super) fn size_of(beads: usize, externals: usize, types: usize) -> Size {
    let lane_bytes = if beads <= MOST_MASKED { 200 * beads } else { 0 };
    let table_bytes = if types > 1 { 64 * types * types } else { 0 };
    let cells = [(beads as f64 / 3.0).cbrt() as u32; 3];
    let contents = Contents { cells, per_cell: 3.0, list_capacity: 16, crowding: 0 };
    Size {
        beads,
        externals,
        is_pushed: false,
        contacts: 4,
        lane_bytes,
        types,
        table_bytes,
        contents,
    }
}

/// The key of the block plan for members on a large card.
fn of_block(steps: Steps, size: Size, members: usize) -> Key {
    let shape = Shape::new(size, [members; 2], &steps, &large_card(), LaunchOverrides::default());
    shape.key(&steps, size)
}

/// The key of the grid plan for members on a large card.
fn of_grid(steps: Steps, size: Size, members: usize, shared_lists: bool) -> Key {
    let shared_lists = Some(shared_lists);
    let (card, overrides) =
        (large_card(), LaunchOverrides { shared_lists, ..LaunchOverrides::default() });
    let bricks = (steps.search == Search::Bricks)
        .then(|| Shape::of_bricks(size, members, &steps, &card, overrides))
        .flatten();
    let shape = bricks.unwrap_or_else(|| Shape::of_grid(size, members, &steps, &card, overrides));
    shape.key(&steps, size)
}

/// The terms of a case's system: every formula if it has types, else those that the case names.
fn terms(case: &Case) -> TermNames {
    let mut terms = TermNames::every();
    if case.typed {
        return terms;
    }
    let names = ["fene_bond", "harmonic_bond", "native_contact", "harmonic_trap"];
    let named = |name: &str| names.iter().zip(case.terms).any(|(&known, has)| has && known == name);
    terms.bonded.retain(|term| named(term.name));
    terms.pairs.retain(|&name| case.repels && name == "sixth_power_repulsion");
    terms.angles.clear();
    terms.singles.retain(|&name| named(name));
    TermNames { typed: false, ..terms }
}

fn key(case: &Case) -> Key {
    let terms = terms(case);
    let paired = !terms.pairs.is_empty();
    let search = match case.plan {
        Plan::Grid if paired => Search::List,
        _ => Search::of_block(paired, case.beads),
    };
    let steps = Steps {
        rounding: case.rounding,
        search,
        pulled: case.pulled || case.pressed,
        pressed: case.pressed,
        noise: Noise::of(case.generator, case.plan),
        integrator: case.integrator,
        ..Steps::brownian(terms, case.precision)
    };
    // What presses are a plane, points of a surface, and a tip.
    let externals = usize::from(case.pulled) + 3 * usize::from(case.pressed);
    let size = size_of(case.beads, externals, if case.typed { 2 } else { 1 });
    let size = Size { is_pushed: case.has_tip(), ..size };
    match case.plan {
        Plan::Independent => {
            let (card, overrides) = (large_card(), LaunchOverrides::default());
            let shape = Shape::of_beads(case.members * case.beads, &card, overrides);
            shape.key(&steps, size)
        }
        Plan::Block => of_block(steps, size, case.members),
        Plan::Grid => of_grid(steps, size, case.members, false),
    }
}

/// An H200.
pub(super) fn large_card() -> Properties {
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
