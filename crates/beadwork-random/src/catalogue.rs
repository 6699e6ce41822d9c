//! The catalogue of generators and schemes: their names, the size of their states, their known flaws.

/// The number of generators of a replica, and the states they keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// No state: words are a function of seed, purpose, replica, step and bead (Salmon and others).
    Counter,
    /// A generator with a state for each bead (Zhmurov and others, arXiv:1003.1123).
    OnePerThread,
    /// One generator for all beads of a replica, which share its sequence by cycle division (same source).
    OneForAllThreads,
    /// A generator for each bead and step, seeded by a hash of both and dropped after use (Phillips, Anderson and
    /// Glotzer, J. Comput. Phys. 230, 7191, 2011).
    OnePerCall,
    /// Like `OnePerCall`, with the published 32-bit seeding, which adds seed and step: two seeds have the same noise at
    /// different steps, and noise repeats after 2³² steps. For comparisons only.
    OnePerCallPublished,
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Self; 5] = [
        Self::Counter,
        Self::OnePerThread,
        Self::OneForAllThreads,
        Self::OnePerCall,
        Self::OnePerCallPublished,
    ];

    /// The name used in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::OnePerThread => "one-per-thread",
            Self::OneForAllThreads => "one-for-all-threads",
            Self::OnePerCall => "one-per-call",
            Self::OnePerCallPublished => "one-per-call-published",
        }
    }

    /// The flaw of the scheme with any generator, as half a sentence.
    pub const fn flaws(self) -> Option<&'static str> {
        match self {
            Self::OnePerCallPublished => Some(
                "step + seed shifts two seeds into the same noise, which repeats after 2^32 steps",
            ),
            Self::Counter | Self::OnePerThread | Self::OneForAllThreads | Self::OnePerCall => None,
        }
    }
}

/// A generator of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// [`philox4x32`](crate::philox4x32()) with ten rounds.
    Philox4x32x10,
    /// [`philox4x32`](crate::philox4x32()) with seven rounds.
    Philox4x32x7,
    /// [`tea`](crate::tea()) of eight rounds seeds [`Saru`](crate::Saru).
    SaruTea,
    /// [`Saru`](crate::Saru), seeded by its own hash.
    Saru,
    /// [`HybridTaus`](crate::HybridTaus).
    HybridTaus,
    /// [`Ran2`](crate::Ran2).
    Ran2,
    /// [`Xorwow`](crate::Xorwow).
    Xorwow,
    /// [`LaggedFibonacci`](crate::LaggedFibonacci).
    LaggedFibonacci,
    /// [`Mt19937`](crate::Mt19937).
    Mt19937,
    /// [`Lcg`](crate::Lcg).
    Lcg,
}

impl Generator {
    /// All generators; those without known flaws come first.
    pub const ALL: [Self; 10] = [
        Self::Philox4x32x10,
        Self::Philox4x32x7,
        Self::SaruTea,
        Self::Saru,
        Self::HybridTaus,
        Self::Ran2,
        Self::Xorwow,
        Self::LaggedFibonacci,
        Self::Mt19937,
        Self::Lcg,
    ];

    /// Generators that vector lanes compute; the words of other generators are drawn one after another.
    pub const IN_LANES: [Self; 2] = [Self::Philox4x32x10, Self::HybridTaus];

    /// Whether vector lanes compute this generator.
    pub fn is_in_lanes(self) -> bool {
        Self::IN_LANES.contains(&self)
    }

    /// The name in inputs and commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Philox4x32x10 => "philox4x32-10",
            Self::Philox4x32x7 => "philox4x32-7",
            Self::SaruTea => "saru-tea",
            Self::Saru => "saru",
            Self::HybridTaus => "hybrid-taus",
            Self::Ran2 => "ran2",
            Self::Xorwow => "xorwow",
            Self::LaggedFibonacci => "lagged-fibonacci",
            Self::Mt19937 => "mt19937",
            Self::Lcg => "lcg",
        }
    }

    /// The schemes in which the generator runs; the first is the default.
    pub const fn schemes(self) -> &'static [Scheme] {
        match self {
            Self::Philox4x32x10 | Self::Philox4x32x7 => &[Scheme::Counter],
            Self::SaruTea => &[Scheme::OnePerCall, Scheme::OnePerCallPublished],
            Self::Saru => &[Scheme::OnePerCall, Scheme::OnePerCallPublished, Scheme::OnePerThread],
            Self::HybridTaus | Self::Ran2 | Self::Xorwow | Self::Lcg => &[Scheme::OnePerThread],
            Self::LaggedFibonacci | Self::Mt19937 => &[Scheme::OneForAllThreads],
        }
    }

    /// Bytes of one state, of a bead or of all beads together; zero in schemes without states. The state of Lagged
    /// Fibonacci has as many words as its longer lag, which grows with the numbers drawn in a step.
    pub fn state_bytes(self, scheme: Scheme, numbers_a_step: usize) -> usize {
        match self {
            _ if !matches!(scheme, Scheme::OnePerThread | Scheme::OneForAllThreads) => 0,
            Self::LaggedFibonacci => 4 * crate::generators::lags_for(numbers_a_step).1 + 4,
            Self::Mt19937 => 2500,
            Self::Ran2 => 140,
            Self::Xorwow => 24,
            Self::HybridTaus => 16,
            Self::Saru | Self::SaruTea => 8,
            Self::Lcg => 4,
            Self::Philox4x32x10 | Self::Philox4x32x7 => 0,
        }
    }

    /// The number of words after which one stream repeats.
    pub const fn period(self) -> &'static str {
        match self {
            Self::Philox4x32x10 | Self::Philox4x32x7 => "2^130 words a key",
            Self::SaruTea | Self::Saru => "2^63.8",
            Self::HybridTaus => "2^120",
            Self::Ran2 => "2^61",
            Self::Xorwow => "2^192",
            Self::LaggedFibonacci => "2^(long lag + 31)",
            Self::Mt19937 => "2^19937",
            Self::Lcg => "2^32",
        }
    }

    /// The known flaw of the generator, as half a sentence.
    pub const fn flaws(self) -> Option<&'static str> {
        match self {
            Self::Philox4x32x10 | Self::Philox4x32x7 | Self::SaruTea => None,
            Self::Saru => Some("its hash of the seeds was found weak, and HOOMD-blue dropped it"),
            Self::HybridTaus => Some(
                "its low bits are nearly linear and nothing proves the beads' sequences independent",
            ),
            Self::Ran2 => Some(
                "all beads share one circle of 2.3e18 numbers, in which their sequences may overlap, and its words \
                 have 31 bits",
            ),
            Self::Xorwow => Some(
                "it fails three tests of BigCrush and nothing proves the beads' sequences independent",
            ),
            Self::LaggedFibonacci => Some(
                "each of its numbers is the sum of two earlier ones, an exact correlation of three",
            ),
            Self::Mt19937 => Some("its bits are linear, and fail tests of linear complexity"),
            Self::Lcg => Some(
                "it fails nearly every test: all beads run through one circle of 2^32 numbers, and low bits have short \
                 periods",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_schemes_are_distinct() {
        let names: HashSet<&str> = Generator::ALL.iter().map(|each| each.name()).collect();
        assert_eq!(names.len(), Generator::ALL.len());
        let names: HashSet<&str> = Scheme::ALL.iter().map(|each| each.name()).collect();
        assert_eq!(names.len(), Scheme::ALL.len());
        for generator in Generator::ALL {
            let schemes: HashSet<&Scheme> = generator.schemes().iter().collect();
            assert!(!schemes.is_empty() && schemes.len() == generator.schemes().len());
        }
    }

    #[test]
    fn the_state_of_lagged_fibonacci_grows_in_steps() {
        let bytes = |beads: usize| {
            Generator::LaggedFibonacci.state_bytes(Scheme::OneForAllThreads, 4 * beads)
        };
        assert_eq!((bytes(100), bytes(257), bytes(258)), (9_128, 9_128, 17_696));
    }
}
