//! Names of the generators in kernels.

use beadwork_random::{Generator, Scheme};

/// Generators that kernels of steps have themselves, in every plan.
const IN_STEPS: [Generator; 5] = [
    Generator::Philox4x32x10,
    Generator::Philox4x32x7,
    Generator::SaruTea,
    Generator::Saru,
    Generator::HybridTaus,
];

/// Whether another kernel fills the words of a generator before the steps, unless each bead keeps its state in a thread.
pub fn is_filled(generator: Generator) -> bool {
    !IN_STEPS.contains(&generator)
}

/// Whether a generator has one sequence for all beads.
pub fn draws_for_all(generator: Generator) -> bool {
    generator.schemes()[0] == Scheme::OneForAllThreads
}

/// The names of the generators that kernels of steps have themselves.
pub fn names_in_steps() -> String {
    IN_STEPS.map(Generator::name).join(", ")
}

/// The definitions that select one generator in `kernels/random/`.
pub fn definitions(generator: Generator, scheme: Scheme) -> [(&'static str, u32); 11] {
    let is = |one: Generator| u32::from(generator == one);
    let runs = |one: Scheme| u32::from(scheme == one);
    [
        ("LCG", is(Generator::Lcg)),
        ("RAN2", is(Generator::Ran2)),
        ("HYBRID_TAUS", is(Generator::HybridTaus)),
        ("XORWOW", is(Generator::Xorwow)),
        ("LAGGED_FIBONACCI", is(Generator::LaggedFibonacci)),
        ("MT19937", is(Generator::Mt19937)),
        ("PHILOX_ROUNDS", if generator == Generator::Philox4x32x7 { 7 } else { 10 }),
        ("SARU", is(Generator::Saru)),
        ("SARU_TEA", is(Generator::SaruTea)),
        ("ONE_PER_THREAD", runs(Scheme::OnePerThread)),
        ("PUBLISHED", runs(Scheme::OnePerCallPublished)),
    ]
}

/// The names of the kernels by which a generator makes words: `first`, and one for what has to follow it.
pub fn kernels_of(generator: Generator, first: &str) -> Vec<String> {
    match generator {
        Generator::LaggedFibonacci => vec![first.into(), "beadwork_keep".into()],
        _ => vec![first.into()],
    }
}
