//! From words to numbers with a distribution, one file each.

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

/// How words become noise of mean 0 and variance 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Normal, by [`box_muller()`]: four uniform numbers for three.
    BoxMuller,
    /// Normal, by [`polar()`], which draws words until it accepts some.
    Polar,
    /// Normal, by [`ziggurat()`], which draws words until it accepts some.
    Ziggurat,
    /// Uniform in (−√3, √3), by [`symmetric_uniform`]: right to the second moment, which is enough for first weak order
    /// (Dünweg and Paul, Int. J. Mod. Phys. C 2, 817 (1991)).
    Uniform,
}

impl Distribution {
    /// Every one.
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

    /// Words for three numbers; where words are rejected, the least number.
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
