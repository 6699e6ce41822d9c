//! The parameters of a pair term by the types of two beads, in a form that vectors load.

use std::sync::Arc;

use beadwork_arithmetic::{Elementary, Vector};
use beadwork_model::potentials::pair::{PairFormula, PairTable};
use beadwork_model::potentials::{PairPotential, convert};

use crate::arrays::lanes::{in_lanes, spread};

/// Parameters and squares of cutoffs.
#[derive(Debug)]
pub(crate) struct ParameterTable<F: PairFormula, T: Elementary> {
    types: Arc<[u16]>,
    count: usize,
    pub entries: Vec<(F::In<T>, T)>,
}

/// The parameters and cutoff for beads of two types, in every lane.
pub(crate) struct ParametersOfPair<P, V> {
    pub potential: P,
    pub square_cutoff: V,
}

impl<F: PairFormula, T: Elementary> ParameterTable<F, T> {
    /// The table for a system whose beads have these types.
    pub fn new(term: &PairTable<F>, types: Arc<[u16]>) -> Self {
        let entries = term.entries().iter();
        let entries = entries
            .map(|entry| (convert(entry.potential), T::from_f64(entry.cutoff * entry.cutoff)));
        ParameterTable { types, count: term.types(), entries: entries.collect() }
    }

    /// The number of the entry of two beads.
    #[inline(always)]
    pub fn number(&self, i: usize, j: usize) -> usize {
        usize::from(self.types[i]) * self.count + usize::from(self.types[j])
    }

    /// An entry by its number.
    #[inline(always)]
    pub fn entry<V: Vector<Scalar = T>>(&self, number: usize) -> ParametersOfPair<F::In<V>, V> {
        let (potential, square_cutoff) = self.entries[number];
        ParametersOfPair { potential: in_lanes(potential), square_cutoff: spread(square_cutoff) }
    }
}

impl<V: Vector, P: PairPotential<V>> ParametersOfPair<P, V> {
    /// The force over the distance; zero beyond the cutoff.
    #[inline(always)]
    pub fn factor(&self, r2: V) -> V {
        let factor = self.potential.force_over_distance(r2);
        V::select(r2.less_than(self.square_cutoff), factor, V::zero())
    }
}
