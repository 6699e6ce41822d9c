//! Implements the traits of `rand_core` and serde for all generators.

/// Implements `TryRng` by `next_u32`: two words make 64 bits, the lower first; bytes are little-endian.
macro_rules! words_for_the_ecosystem {
    ($generator:ty) => {
        impl rand_core::TryRng for $generator {
            type Error = std::convert::Infallible;

            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                Ok(self.next_u32())
            }

            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                rand_core::utils::next_u64_via_u32(self)
            }

            fn try_fill_bytes(&mut self, destination: &mut [u8]) -> Result<(), Self::Error> {
                rand_core::utils::fill_bytes_via_next_word(destination, || self.try_next_u32())
            }
        }
    };
}

/// Implements `SeedableRng` with this many little-endian words, treated as `from_random_words` does.
macro_rules! seeds_for_the_ecosystem {
    ($generator:ty, $words:literal) => {
        impl rand_core::SeedableRng for $generator {
            type Seed = [u8; 4 * $words];

            fn from_seed(seed: Self::Seed) -> Self {
                Self::from_random_words(rand_core::utils::read_words(&seed))
            }
        }
    };
}

/// Implements the conversions with which serde reads and writes a `state` of this many words.
macro_rules! state_of_words {
    ($generator:ty, $words:literal) => {
        impl TryFrom<[u32; $words]> for $generator {
            type Error = Error;

            fn try_from(state: [u32; $words]) -> Result<Self, Error> {
                Self::from_state(state)
            }
        }

        impl From<$generator> for [u32; $words] {
            fn from(generator: $generator) -> Self {
                generator.state
            }
        }
    };
}

pub(super) use {seeds_for_the_ecosystem, state_of_words, words_for_the_ecosystem};
