//! [`Randomness`], the generator, scheme and distribution of a run's noise.

use crate::catalogue::{Generator, Scheme};
use crate::distributions::Distribution;
use crate::error::Error;

/// A generator, a scheme in which it runs, and a distribution that suits the scheme.
///
/// ```
/// use beadwork_random::{Distribution, Generator, Randomness, Scheme};
///
/// let usual = Randomness::from(Generator::Saru);
/// assert_eq!((usual.scheme(), usual.distribution()), (Scheme::OnePerCall, Distribution::BoxMuller));
/// assert!(Randomness::new(Generator::Saru, Scheme::OnePerThread, Distribution::Polar).is_ok());
/// assert!(Randomness::new(Generator::Saru, Scheme::Counter, Distribution::Polar).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Randomness {
    generator: Generator,
    scheme: Scheme,
    distribution: Distribution,
}

impl Randomness {
    /// Combines the three. The generator must run in the scheme. If beads share a sequence, the distribution must draw
    /// a fixed number of words.
    pub fn new(
        generator: Generator,
        scheme: Scheme,
        distribution: Distribution,
    ) -> Result<Self, Error> {
        let name = scheme.name();
        if !generator.schemes().contains(&scheme) {
            let schemes: Vec<&str> = generator.schemes().iter().map(|each| each.name()).collect();
            let message = format!(
                "The generator {} does not run in the scheme {name}. It runs in: {}.",
                generator.name(),
                schemes.join(", ")
            );
            return Err(Error::new("random/no-such-scheme", message));
        }
        let rejects = matches!(distribution, Distribution::Polar | Distribution::Ziggurat);
        if scheme == Scheme::OneForAllThreads && rejects {
            let message = format!(
                "The distribution {} draws a varying number of words, but in the scheme {name} each bead has a fixed \
                 number of them. Take box-muller or uniform.",
                distribution.name()
            );
            return Err(Error::new("random/no-such-distribution", message));
        }
        Ok(Self { generator, scheme, distribution })
    }

    /// The generator of the words.
    pub const fn generator(self) -> Generator {
        self.generator
    }

    /// The number of generators and the states they keep.
    pub const fn scheme(self) -> Scheme {
        self.scheme
    }

    /// The method that turns words into noise.
    pub const fn distribution(self) -> Distribution {
        self.distribution
    }

    /// Whether vector lanes compute the noise; otherwise words are drawn one after another.
    pub fn is_in_lanes(self) -> bool {
        self.generator.is_in_lanes() && self.distribution == Distribution::BoxMuller
    }

    /// The name of the generator, with scheme and distribution if they are not the default.
    pub fn name(self) -> String {
        let usual = Self::from(self.generator);
        let mut name = self.generator.name().to_string();
        if self.scheme != usual.scheme {
            name = format!("{name} {}", self.scheme.name());
        }
        if self.distribution != usual.distribution {
            name = format!("{name}, {}", self.distribution.name());
        }
        name
    }
}

impl From<Generator> for Randomness {
    /// The generator in its first scheme, with the method of Box and Muller.
    fn from(generator: Generator) -> Self {
        let [scheme, ..] = *generator.schemes() else { unreachable!("a generator has a scheme") };
        Self { generator, scheme, distribution: Distribution::BoxMuller }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generator_has_what_it_runs_in_and_nothing_else() {
        let mut possible = 0;
        for generator in Generator::ALL {
            assert_eq!(Randomness::from(generator).name(), generator.name());
            for scheme in Scheme::ALL {
                for distribution in Distribution::ALL {
                    let made = Randomness::new(generator, scheme, distribution);
                    let fits = generator.schemes().contains(&scheme);
                    let shared = scheme == Scheme::OneForAllThreads
                        && matches!(distribution, Distribution::Polar | Distribution::Ziggurat);
                    assert_eq!(made.is_ok(), fits && !shared, "{generator:?} {scheme:?}");
                    possible += usize::from(made.is_ok());
                }
            }
        }
        // There are 13 pairs of generator and scheme; two of them allow only half of the distributions.
        assert_eq!(possible, 11 * 4 + 2 * 2);
    }

    #[test]
    fn names_say_what_is_unusual() {
        let saru = Generator::Saru;
        let named = |scheme, distribution| {
            Randomness::new(saru, scheme, distribution).map(Randomness::name)
        };
        let (thread, call) = (Scheme::OnePerThread, Scheme::OnePerCall);
        assert_eq!(named(thread, Distribution::Polar).unwrap(), "saru one-per-thread, polar");
        assert_eq!(named(call, Distribution::Uniform).unwrap(), "saru, uniform");
        assert_eq!(named(thread, Distribution::BoxMuller).unwrap(), "saru one-per-thread");
    }
}
