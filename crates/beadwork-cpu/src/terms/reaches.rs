//! The radii of neighbour lists by the types of two beads.

use beadwork_arithmetic::Real;
use beadwork_model::potentials::pair::PairCutoffs;

/// The radii within which a list has pairs: cutoff + skin for each two types, and 0 for types between which no term
/// acts.
///
/// Squares are slightly larger, since forces round their cutoffs differently.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaches<T> {
    /// Å: the radius of a search that finds the pairs of all types.
    pub largest: f64,
    types: usize,
    /// Row after row; a single number if it is the same for all types.
    squares: Vec<T>,
}

impl<T: Real> Reaches<T> {
    /// The radii for a skin, Å.
    pub fn new(cutoffs: &PairCutoffs, skin: f64) -> Self {
        let types = cutoffs.types();
        let square = |n: usize| {
            let reach = cutoffs.reach((n / types) as u16, (n % types) as u16, skin);
            T::from_f64(reach.powi(2) * 1.000_001)
        };
        let squares = (0..types * types).map(square).collect();
        Reaches { largest: cutoffs.largest() + skin, types, squares }
    }

    /// The square, Å², if it is the same for all types.
    pub fn same(&self) -> Option<T> {
        match self.squares.as_slice() {
            [same] => Some(*same),
            _ => None,
        }
    }

    /// The square for beads of two types, Å².
    #[inline(always)]
    pub fn square(&self, a: u16, b: u16) -> T {
        match self.squares.as_slice() {
            [same] => *same,
            squares => squares[usize::from(a) * self.types + usize::from(b)],
        }
    }
}
