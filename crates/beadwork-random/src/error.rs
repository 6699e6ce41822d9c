//! What can be wrong with a request for random numbers.

use crate::noise::MAXIMUM_STEP;

/// A request that the noise or a generator cannot serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A step number that the counter has no room for.
    #[error(
        "Step {step} is beyond step {MAXIMUM_STEP}, the last one that has noise of its own. \
         Continue in a new run with another seed."
    )]
    StepTooLarge {
        /// The step asked for.
        step: u64,
    },

    /// A pair of beads whose numbers are not ascending.
    #[error(
        "The noise of beads {first} and {second} was asked for in this order. Name the smaller number first."
    )]
    PairOutOfOrder {
        /// The number given first.
        first: u32,
        /// The number given second.
        second: u32,
    },

    /// A seed of Hybrid Taus that is too small.
    #[error(
        "Seed {value} of component {component} of the Hybrid Taus generator is below 128. \
         Give four seeds of 128 or more."
    )]
    SeedTooSmall {
        /// The component, 0 to 3.
        component: usize,
        /// The seed given for it.
        value: u32,
    },

    /// A state of Hybrid Taus from which a component returns zeros for ever.
    #[error(
        "Word {value:#010x} of component {component} is no state of a Hybrid Taus generator, it repeats itself \
         for ever. The file that it came from is damaged: go back to an older checkpoint."
    )]
    DeadState {
        /// The component, 0 to 2.
        component: usize,
        /// The word found there.
        value: u32,
    },

    /// A seed of Ran2 outside its range.
    #[error(
        "Seed {value} of the Ran2 generator is not between 1 and 2147483562. Give one that is."
    )]
    SeedOutOfRange {
        /// The seed given.
        value: u32,
    },

    /// A state of some other generator that it cannot be in, or of as many beads as there are not.
    #[error(
        "The stored state of the generator {generator} is not one that it can be in, or belongs to another system. The \
         file that it came from is damaged: go back to an older checkpoint."
    )]
    ImpossibleState {
        /// Its name.
        generator: &'static str,
    },

    /// A generator in a scheme that it does not run in.
    #[error(
        "The generator {generator} does not run in the scheme {scheme}. It runs in: {schemes}."
    )]
    NoSuchScheme {
        /// The generator's name.
        generator: &'static str,
        /// The scheme's name.
        scheme: &'static str,
        /// The names of those that it runs in.
        schemes: String,
    },

    /// A distribution that takes as many words as it takes, of a sequence that beads share.
    #[error(
        "The distribution {distribution} takes as many words as it takes, and in the scheme {scheme} each bead has a \
         fixed number of them. Take box-muller or uniform."
    )]
    NoSuchDistribution {
        /// The distribution's name.
        distribution: &'static str,
        /// The scheme's name.
        scheme: &'static str,
    },
}

/// Every code that [`Error::code`] returns, with a line on its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("random/step-too-large", "a step number needs more than 48 bits"),
    ("random/pair-out-of-order", "the beads of a pair are not in ascending order"),
    ("random/seed-too-small", "a seed of Hybrid Taus is below 128"),
    ("random/dead-state", "a stored state of Hybrid Taus cannot have come from a run"),
    ("random/seed-out-of-range", "a seed of Ran2 is not between 1 and 2147483562"),
    ("random/impossible-state", "a stored state of a generator cannot have come from this run"),
    ("random/no-such-scheme", "a generator does not run in the scheme asked for"),
    (
        "random/no-such-distribution",
        "a distribution asks for any number of words where beads share a sequence",
    ),
];

impl Error {
    /// The stable code of this kind of error, listed in [`ERROR_CODES`].
    pub fn code(&self) -> &'static str {
        match self {
            Self::StepTooLarge { .. } => "random/step-too-large",
            Self::PairOutOfOrder { .. } => "random/pair-out-of-order",
            Self::SeedTooSmall { .. } => "random/seed-too-small",
            Self::DeadState { .. } => "random/dead-state",
            Self::SeedOutOfRange { .. } => "random/seed-out-of-range",
            Self::ImpossibleState { .. } => "random/impossible-state",
            Self::NoSuchScheme { .. } => "random/no-such-scheme",
            Self::NoSuchDistribution { .. } => "random/no-such-distribution",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_listed_code() {
        let errors = [
            Error::StepTooLarge { step: 1 << 48 },
            Error::PairOutOfOrder { first: 2, second: 1 },
            Error::SeedTooSmall { component: 0, value: 127 },
            Error::DeadState { component: 0, value: 1 },
            Error::SeedOutOfRange { value: 0 },
            Error::ImpossibleState { generator: "ran2" },
            Error::NoSuchScheme { generator: "lcg", scheme: "counter", schemes: String::new() },
            Error::NoSuchDistribution { distribution: "polar", scheme: "one-for-all-threads" },
        ];
        let codes: Vec<&str> = errors.iter().map(Error::code).collect();
        let listed: Vec<&str> = ERROR_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, listed);
    }
}
