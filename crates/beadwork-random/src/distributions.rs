//! Turns words into numbers with a distribution; one file for each method.

pub mod box_muller;
pub mod normal;
pub mod polar;
pub mod uniform;
pub mod ziggurat;

pub use box_muller::box_muller;
pub use normal::{LaneCounter, Normal, normals_from_states, normals_from_words, normals_in_lanes};
pub use polar::polar;
pub use uniform::{symmetric_uniform, uniform_f32, uniform_f64};
pub use ziggurat::ziggurat;

/// The method that turns words into noise of mean 0 and variance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Normal, by [`box_muller()`]: four uniform numbers give three normal ones.
    BoxMuller,
    /// Normal, by [`polar()`], a rejection method: the number of words varies.
    Polar,
    /// Normal, by [`ziggurat()`], a rejection method: the number of words varies.
    Ziggurat,
    /// Uniform in (−√3, √3), by [`symmetric_uniform`]: correct up to the second moment, which suffices for first weak
    /// order (Dünweg and Paul, Int. J. Mod. Phys. C 2, 817 (1991)).
    Uniform,
}

impl Distribution {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::BoxMuller, Self::Polar, Self::Ziggurat, Self::Uniform];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BoxMuller => "box-muller",
            Self::Polar => "polar",
            Self::Ziggurat => "ziggurat",
            Self::Uniform => "uniform",
        }
    }

    /// Words needed for three numbers; for rejection methods the smallest possible number.
    pub const fn words<T: Normal>(self) -> usize {
        match self {
            Self::BoxMuller | Self::Polar => T::WORDS,
            Self::Ziggurat | Self::Uniform => T::WORDS / 4 * 3,
        }
    }

    /// Three independent numbers from the next words of a generator.
    pub fn three<T: Normal>(self, draw: &mut impl FnMut() -> u32) -> [T; 3] {
        match self {
            Self::BoxMuller => T::normals_from(draw),
            Self::Polar => {
                let [x, y] = polar(draw);
                let [z, _] = polar(draw);
                [x, y, z]
            }
            Self::Ziggurat => [(); 3].map(|()| ziggurat(draw)),
            Self::Uniform => [(); 3].map(|()| symmetric_uniform(T::uniform_from(draw).0)),
        }
    }
}
