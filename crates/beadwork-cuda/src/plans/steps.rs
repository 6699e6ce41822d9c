//! What a step computes, whatever the layout of its member: the part of a program's key that a stage decides.

use beadwork_model::potentials::PairNoise;
use beadwork_model::{Generator, Integrator, Precision};

use crate::batch::records::MOST_MASKED;
use crate::compile::program::Rounding;
use crate::plans::Plan;
use crate::random::generators;
use crate::tables::TermNames;

/// The place of the first law that presses on beads (`kernels/externals/laws.cuh`).
pub const FIRST_THAT_PRESSES: u32 = 4;

/// Where a lane has a member, the most beads for which it computes all pairs, with a bit for those that act: a search
/// would cost more.
const MOST_UNSEARCHED: usize = 48;

/// The way to find near pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Search {
    /// There are no pair terms.
    None,
    /// All pairs, with a bit for those that act; up to 128 beads.
    Mask,
    /// Bits for the near pairs; up to 128 beads, where a lane has a member.
    Bits,
    /// A list of the near pairs.
    List,
    /// The near pairs are found anew at each step, in bricks of the grid plan.
    Bricks,
}

impl Search {
    fn name(self) -> &'static str {
        match self {
            Search::None => "no-pairs",
            Search::Mask => "mask",
            Search::Bits => "bits",
            Search::List => "list",
            Search::Bricks => "bricks",
        }
    }

    /// The search for members of this size in the block plan.
    pub fn of_block(paired: bool, beads: usize) -> Search {
        if !paired {
            Search::None
        } else if beads <= MOST_UNSEARCHED {
            Search::Mask
        } else if beads <= MOST_MASKED {
            Search::Bits
        } else {
            Search::List
        }
    }

    /// Whether the search must be repeated if beads move too far.
    pub fn is_listed(self) -> bool {
        matches!(self, Search::Bits | Search::List)
    }
}

/// Where the kernel of a step takes the random words of beads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// From a generator of its own.
    Own(Generator),
    /// From memory that another kernel filled (`kernels/random/fill.cuh`).
    Filled,
}

impl Noise {
    /// The noise of a plan with a generator. Where nothing acts between beads, threads keep the states of generators that each
    /// bead has for itself.
    pub fn of(generator: Generator, plan: Plan) -> Noise {
        let filled = match plan {
            Plan::Independent => generators::draws_for_all(generator),
            Plan::Block | Plan::Grid => generators::is_filled(generator),
        };
        if filled { Noise::Filled } else { Noise::Own(generator) }
    }

    /// The name of the generator, or `filled`.
    fn name(self) -> &'static str {
        match self {
            Noise::Own(generator) => generator.name(),
            Noise::Filled => "filled",
        }
    }
}

/// What a step computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// Whether the system is in a periodic box.
    pub boxed: bool,
    /// The terms of the system.
    pub terms: TermNames,
    /// The search for near pairs.
    pub search: Search,
    /// Whether there are externals.
    pub pulled: bool,
    /// Whether some of them press on beads, by a law from [`FIRST_THAT_PRESSES`] on.
    pub pressed: bool,
    /// Where steps take their noise from.
    pub noise: Noise,
    /// The scheme.
    pub integrator: Integrator,
    /// Whether steps minimise the energy, in the grid plan; integrator and generator do not matter then.
    pub minimises: bool,
}

impl Steps {
    /// Brownian steps in open space, without pair terms and externals.
    pub fn brownian(terms: TermNames, precision: Precision) -> Steps {
        Steps {
            precision,
            rounding: Rounding::Fused,
            boxed: false,
            terms,
            search: Search::None,
            pulled: false,
            pressed: false,
            noise: Noise::Own(Generator::Philox4x32x10),
            integrator: Integrator::Brownian,
            minimises: false,
        }
    }

    /// Whether each bead has a generator whose state kernels keep beside the bead.
    pub fn keep_states(&self) -> bool {
        self.noise == Noise::Own(Generator::HybridTaus)
    }

    /// The terms, the search and other properties: `single fene_bond+native_contact mask9 pulled philox4x32-10 brownian`. `quads`
    /// says for how many groups of four beads masks are compared.
    pub fn name(&self, quads: u32) -> String {
        format!(
            "{} {}{}{} {}{} {}{} {}",
            self.precision.name(),
            self.terms.words(),
            if self.boxed { " box" } else { "" },
            if self.rounding == Rounding::AsWritten { " as-written" } else { "" },
            self.search.name(),
            if quads > 0 { quads.to_string() } else { String::new() },
            match (self.pulled, self.pressed) {
                (_, true) => "pressed ",
                (true, false) => "pulled ",
                _ => "",
            },
            self.noise.name(),
            if self.minimises { "minimise" } else { self.integrator.name() },
        )
    }

    /// The definitions of a program.
    pub fn definitions(&self) -> Vec<(&'static str, u32)> {
        let flag = u32::from;
        let mut definitions = vec![
            ("DOUBLE", flag(self.precision == Precision::Double)),
            ("FUSED", flag(self.rounding == Rounding::Fused)),
            ("LISTED", flag(self.search.is_listed())),
            ("TYPED", flag(self.terms.typed)),
            ("BOXED", flag(self.boxed)),
            ("HEATED", flag(self.terms.thermostat.is_some())),
            ("NORMAL_PAIRS", flag(self.terms.thermostat == Some(PairNoise::Normal))),
            ("PULLED", flag(self.pulled)),
            ("PRESSED", flag(self.pressed)),
            ("MINIMISES", flag(self.minimises)),
            ("FILLED", flag(self.noise == Noise::Filled)),
            ("CHOSEN_SEARCH", self.search as u32),
        ];
        let generator = match self.noise {
            Noise::Own(generator) => generator,
            // None of a program's own.
            Noise::Filled => Generator::Philox4x32x10,
        };
        definitions.extend(generators::definitions(generator, generator.schemes()[0]));
        definitions
    }

    /// The scheme's name in `kernels/integrators/`.
    pub fn scheme(&self) -> &'static str {
        match self.integrator {
            _ if self.minimises => "Fire",
            Integrator::Brownian => "Brownian",
            Integrator::BrownianSecondOrder => "BrownianSecondOrder",
            Integrator::Langevin => "Langevin",
            Integrator::LangevinMiddle => "LangevinMiddle",
            Integrator::VelocityVerlet => "VelocityVerlet",
        }
    }
}

#[cfg(test)]
mod tests {
    use beadwork_model::externals::External;

    use super::FIRST_THAT_PRESSES;

    /// A law that kernels lack would exert no force there.
    #[test]
    fn kernels_have_every_law_at_its_place() {
        let text = include_str!("../../kernels/externals/laws.cuh");
        let of_type = External::TYPES;
        for types in [of_type, &of_type[..FIRST_THAT_PRESSES as usize]] {
            let list = format!("typedef LawsFrom<0, {}> Laws;", types.join(", "));
            assert!(text.contains(&list), "laws.cuh has no line {list}");
        }
    }
}
