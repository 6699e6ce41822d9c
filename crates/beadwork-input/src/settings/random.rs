//! `[random]`: seed, generator, scheme and distribution of the noise.

use beadwork_model::{Distribution, Generator, Integrator, Randomness, Scheme};

use crate::document::{Node, Table};
use crate::error::{CONFLICT, Error, Location};
use crate::noise::{self, Noise};
use crate::section::Section;
use crate::words::quoted;

const KEYS: [&str; 6] = ["seed", "noise", "generator", "scheme", "distribution", "accept_flaws"];
pub(crate) const DEFAULT_SEED: u32 = 20101;

/// `[random]` as it was read.
pub(crate) struct RandomRead {
    pub seed: u64,
    pub randomness: Randomness,
    /// Which noise the run gets, and where the input says so.
    pub noise: (Noise, Location),
    pub resolved: Table,
}

/// Reads `[random]`: the seed, the generator, its scheme and the distribution of the noise.
pub(crate) fn read_random(node: &Node, integrator: Integrator) -> Result<RandomRead, Error> {
    let mut section = Section::open(node, "[random]", &KEYS)?;
    let seed = section.integer_or("seed", 0, DEFAULT_SEED)?;
    let noise = noise::read(&mut section)?;
    let usual = Some(Generator::Philox4x32x10);
    let generator = section.named("generator", Generator::ALL, Generator::name, usual)?;
    let usual = Randomness::from(generator);
    let scheme = section.named("scheme", Scheme::ALL, Scheme::name, Some(usual.scheme()))?;
    let (every, likely) = (Distribution::ALL, Some(usual.distribution()));
    let distribution = section.named("distribution", every, Distribution::name, likely)?;
    let accepted = section.boolean_or("accept_flaws", false)?;
    let randomness = Randomness::new(generator, scheme, distribution).map_err(|error| {
        let (name, shared) = (generator.name(), scheme.name());
        if error.code() == "random/no-such-distribution" {
            let problem = format!(
                "is \"{}\", which takes a varying number of words, but in the scheme \"{shared}\" each bead has a fixed number of them: take \"box-muller\" or \"uniform\"",
                distribution.name()
            );
            return section.fault(CONFLICT, "distribution", &problem);
        }
        let schemes: Vec<&str> = generator.schemes().iter().map(|scheme| scheme.name()).collect();
        let problem = format!(
            "is \"{shared}\", in which the generator \"{name}\" does not run: it runs in {}",
            quoted(&schemes)
        );
        section.fault(CONFLICT, "scheme", &problem)
    })?;
    for (key, name, flaws, instead) in [
        ("generator", generator.name(), generator.flaws(), "philox4x32-10"),
        ("scheme", scheme.name(), scheme.flaws(), usual.scheme().name()),
    ] {
        if let Some(flaws) = flaws
            && !accepted
        {
            let problem = format!(
                "\"{name}\" is for repeating published work only: {flaws}; write accept_flaws = true beside it to use it all the same, or take \"{instead}\""
            );
            return Err(section.fault(CONFLICT, key, &problem));
        }
    }
    if distribution == Distribution::Uniform && integrator == Integrator::BrownianSecondOrder {
        let problem = "\"uniform\" has the fourth moment 9/5 where a normal number has 3, which the second order of \"brownian-second-order\" rests on: take \"box-muller\", or integrator = \"brownian\"";
        return Err(section.fault(CONFLICT, "distribution", problem));
    }
    Ok(RandomRead { seed: seed.value, randomness, noise, resolved: section.resolved })
}
