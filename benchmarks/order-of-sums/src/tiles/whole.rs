//! 4 × 4 tiles with the same bits and less work around them: a tile is taken at once, as one vector
//! of sixteen lanes made of the machine's, and a row's forces are added up as soon as it is done.
//!
//! Rows are taken in ascending order, so that a row's beads have all their terms once its own tiles
//! are done: the partial sums in the registers need not go back to memory.

use beadwork_arithmetic::{Family, Kernel, Pair, Real, Vector};

use super::{Four, Row, STRIP, Tiles};
use crate::buffers::spread;
use crate::formula::Formula;
use crate::systems::CUTOFF;
use crate::variant::Variant;

/// One system by whole tiles.
#[derive(Debug)]
pub struct WholeTiles<T, P>(pub Tiles<T, Four, P>);

impl<T: Real, P: Formula> Variant for WholeTiles<T, P> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn evaluate(&mut self) {
        self.0.instructions.dispatch(Evaluation(&mut self.0));
    }

    fn forces(&self, replica: usize) -> Vec<[f64; 3]> {
        self.0.forces(replica)
    }
}

struct Evaluation<'a, T, P>(&'a mut Tiles<T, Four, P>);

impl<T: Real, P: Formula> Kernel for Evaluation<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        match T::Vector::<F>::WIDTH {
            16 => self.0.run_whole::<T::Vector<F>>(),
            8 => self.0.run_whole::<Pair<T::Vector<F>>>(),
            4 => self.0.run_whole::<Pair<Pair<T::Vector<F>>>>(),
            2 => self.0.run_whole::<Pair<Pair<Pair<T::Vector<F>>>>>(),
            _ => self.0.run_whole::<Pair<Pair<Pair<Pair<T::Vector<F>>>>>>(),
        }
    }
}

impl<T: Real, P: Formula> Tiles<T, Four, P> {
    /// With vectors of sixteen lanes. Sums are zero before and after.
    #[inline(always)]
    fn run_whole<V: Vector<Scalar = T>>(&mut self) {
        if V::WIDTH != STRIP {
            return;
        }
        let potential = P::spread::<V>();
        let cutoff = spread::<V>(T::from_f64(CUTOFF * CUTOFF));
        for row in 0..self.rows.len() {
            let Row { own, later } = self.rows[row].clone();
            let mut lanes = self.take::<V>(row, 0);
            self.sums[row * 3 * STRIP..][..3 * STRIP].fill(T::zero());
            self.add::<V, false>(&mut lanes, own, row, 0, &potential, cutoff);
            self.add::<V, true>(&mut lanes, later, row, 0, &potential, cutoff);
            for axis in 0..3 {
                let mut sums = [T::zero(); STRIP];
                lanes.sums.0[axis].store(&mut sums);
                let total = &mut self.total.0[axis][row * 4..][..4];
                for (bead, total) in total.iter_mut().enumerate() {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|partial| sums[bead * 4 + partial]);
                    *total = (a + b) + (c + d);
                }
            }
        }
    }
}
