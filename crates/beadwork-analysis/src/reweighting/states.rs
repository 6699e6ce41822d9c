//! Samples at several temperatures, and how their energies are binned.

use crate::Samples;

/// The samples at one temperature.
#[derive(Clone, Debug)]
pub struct State<'a> {
    /// T, in the unit of the energies.
    pub temperature: f64,
    /// 2τ, at least 1. It sets the relative weights of temperatures; errors come from the groups.
    pub inefficiency: f64,
    /// One entry for each group, the same groups in each state: independent ladders, or the same
    /// stretches of time at all temperatures ([`Samples::blocks`]), since swaps correlate neighbours.
    /// A group may be empty: a ladder with temperatures of its own has samples at these alone. With at least
    /// [`LEAST_BLOCKS`](crate::jackknife::LEAST_BLOCKS) groups, all averages have errors.
    pub groups: Vec<Samples<'a>>,
}

/// Which energies are put into one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binning {
    /// Bins of a tenth of the least standard deviation of the energy at one temperature, or of 1/Δβ of
    /// the neighbours furthest apart, whichever is finer; doubled until they are no more than
    /// [`MOST_BINS`]. A bin lies at the mean energy of its samples and holds their spread, so that the bias is of
    /// second order: (width/σ)²/12 of a heat capacity at most, below 10⁻³.
    Automatic,
    /// Bins of this width, in the unit of the energies.
    Width(f64),
    /// Only equal energies share a bin: MBAR as published, without bias, which takes more memory and time.
    Exact,
}

/// The largest number of bins that [`Binning::Automatic`] makes.
pub const MOST_BINS: usize = 1 << 16;
