//! What can be wrong with a request for random numbers.

/// A request that the noise or a generator cannot serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A state of Hybrid Taus from which a component returns zeros forever.
    #[error(
        "Word {value:#010x} of component {component} is no state of a Hybrid Taus generator: the component would \
         return zeros forever. The file that it came from is damaged: go back to an older checkpoint."
    )]
    DeadState {
        /// The component, 0 to 2.
        component: usize,
        /// The word found there.
        value: u32,
    },

    /// A state that the generator cannot be in, or one of another number of beads.
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

    /// A distribution that rejects words, from a sequence that beads share.
    #[error(
        "The distribution {distribution} draws a varying number of words, but in the scheme {scheme} each bead has a \
         fixed number of them. Take box-muller or uniform."
    )]
    NoSuchDistribution {
        /// The distribution's name.
        distribution: &'static str,
        /// The scheme's name.
        scheme: &'static str,
    },
}

/// The code and the meaning of each kind of error.
macro_rules! codes {
    ($($kind:ident: $code:literal, $meaning:literal;)*) => {
        /// Every code that [`Error::code`] returns, with a line on its meaning.
        pub const ERROR_CODES: &[(&str, &str)] = &[$(($code, $meaning)),*];

        impl Error {
            /// The stable code of this kind of error, listed in [`ERROR_CODES`].
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$kind { .. } => $code,)*
                }
            }
        }
    };
}

codes! {
    DeadState: "random/dead-state", "a stored state of Hybrid Taus cannot have come from a run";
    ImpossibleState: "random/impossible-state",
        "a stored state of a generator cannot have come from this run";
    NoSuchScheme: "random/no-such-scheme", "a generator does not run in the scheme asked for";
    NoSuchDistribution: "random/no-such-distribution",
        "a distribution draws a varying number of words where beads share a sequence";
}
