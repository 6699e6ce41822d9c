//! Angles and fields, one after another: they cost little compared with pairs.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use beadwork_arithmetic::{Family, Instructions, Kernel, Real, Vector};
use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor, outer_forces};
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::potentials::{SinglePotential, convert};
use beadwork_model::{Angles, Interactions, Singles};
use beadwork_random::Normal;

use crate::arrays::coordinates::{Coordinates, CoordinatesPart};
use crate::arrays::lanes::{Triple, in_lanes};
use crate::replica_simd::arrays::{Arrays, TermOnReplicas};
use crate::space::{Geometry, PeriodicBox, Space};

/// A term of angles or fields with any formula.
pub(crate) trait OuterTerm<T>: Debug + Send + Sync {
    /// Adds the forces on the beads of a part, in open space.
    fn add(&self, positions: &Coordinates<T>, total: &mut CoordinatesPart<'_, T>);

    /// Adds the forces on replicas, one in each lane.
    fn add_in_lanes(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>);
}

/// The angles and fields that act on the beads of a range, in the order of the sum.
pub(crate) fn build<T: Normal>(
    interactions: &Interactions,
    geometry: &Geometry<T>,
    beads: &Range<usize>,
) -> Vec<Arc<dyn OuterTerm<T>>> {
    let build = || BuildOuter { beads: beads.clone(), geometry: *geometry };
    let angles = interactions.angles.iter().map(|term| term.visit(build()));
    let singles = interactions.singles.iter().map(|term| term.visit(build()));
    angles.chain(singles).collect()
}

struct BuildOuter<T> {
    beads: Range<usize>,
    geometry: Geometry<T>,
}

impl<T: Normal> AngleVisitor for BuildOuter<T> {
    type Output = Arc<dyn OuterTerm<T>>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        let own = term.iter().filter(|one| one.beads.iter().any(|bead| self.beads.contains(bead)));
        let own = own.map(|angle| (angle.beads, convert(angle.potential)));
        Arc::new(OnAngles::<F, T>(own.collect()))
    }
}

impl<T: Normal> SingleVisitor for BuildOuter<T> {
    type Output = Arc<dyn OuterTerm<T>>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        let own = term.iter().filter(|single| self.beads.contains(&single.bead));
        let entry = |single: &beadwork_model::Single<F>| OnSingle {
            bead: single.bead,
            potential: convert(single.potential),
            anchor: single.potential.anchor().map(T::from_f64),
            place: self.geometry.place(single.potential.anchor()).0,
        };
        Arc::new(OnSingles::<F, T>(own.map(entry).collect()))
    }
}

/// Angles of one formula.
#[derive(Debug)]
struct OnAngles<F: AngleFormula, T: Normal>(Vec<([usize; 3], F::In<T>)>);

impl<F: AngleFormula, T: Normal> OuterTerm<T> for OnAngles<F, T> {
    fn add(&self, positions: &Coordinates<T>, total: &mut CoordinatesPart<'_, T>) {
        for (beads @ [i, j, k], potential) in &self.0 {
            let from_middle =
                |bead: usize| (Triple(positions.get(bead)) - Triple(positions.get(*j))).0;
            let (on_i, on_k) = outer_forces(potential, from_middle(*i), from_middle(*k));
            let on_j = [0, 1, 2].map(|axis| -(on_i[axis] + on_k[axis]));
            for (&bead, force) in beads.iter().zip([on_i, on_j, on_k]) {
                add_to(total, bead, force);
            }
        }
    }

    fn add_in_lanes(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) {
        instructions.dispatch(TermOnReplicas { term: self, arrays });
    }
}

impl<F: AngleFormula, T: Normal> Kernel for TermOnReplicas<'_, '_, OnAngles<F, T>, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        if let Geometry::Periodic(sides) = self.arrays.geometry {
            add_angles_in_box::<F, T::Vector<A>>(sides, self.term, self.arrays);
            return;
        }
        let Arrays { positions, total, .. } = self.arrays;
        for &([i, j, k], parameters) in &self.term.0 {
            let potential: F::In<T::Vector<A>> = in_lanes(parameters);
            let middle = Triple::<T::Vector<A>>::load(positions, j * 3);
            let to_i = Triple::load(positions, i * 3) - middle;
            let to_k = Triple::load(positions, k * 3) - middle;
            let (on_i, on_k) = outer_forces(&potential, to_i.0, to_k.0);
            let both = Triple(on_i) + Triple(on_k);
            for (bead, force) in [(i, Triple(on_i)), (j, -both), (k, Triple(on_k))] {
                (Triple::load(total, bead * 3) + force).store(total, bead * 3);
            }
        }
    }
}

#[inline(always)]
fn add_angles_in_box<F: AngleFormula, V: Vector>(
    sides: PeriodicBox<V::Scalar>,
    term: &OnAngles<F, V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
) where
    V::Scalar: Normal,
{
    for &([i, j, k], parameters) in &term.0 {
        let potential: F::In<V> = in_lanes(parameters);
        let middle = Triple::<V>::load(arrays.positions, j * 3);
        let to_i = sides.separation(Triple::load(arrays.positions, i * 3), middle);
        let to_k = sides.separation(Triple::load(arrays.positions, k * 3), middle);
        let (on_i, on_k) = outer_forces(&potential, to_i.0, to_k.0);
        arrays.add_pair(sides, [i, j], Triple(on_i));
        arrays.add_pair(sides, [k, j], Triple(on_k));
    }
}

/// Beads in fields of one formula.
#[derive(Debug)]
struct OnSingles<F: SingleFormula, T: Normal>(Vec<OnSingle<F, T>>);

/// A bead in a field.
#[derive(Debug)]
struct OnSingle<F: SingleFormula, T: Normal> {
    bead: usize,
    potential: F::In<T>,
    /// Å.
    anchor: [T; 3],
    /// The coordinate of the anchor in a box.
    place: [T; 3],
}

impl<F: SingleFormula, T: Normal> OuterTerm<T> for OnSingles<F, T> {
    fn add(&self, positions: &Coordinates<T>, total: &mut CoordinatesPart<'_, T>) {
        for OnSingle { bead, potential, .. } in &self.0 {
            add_to(total, *bead, potential.force(positions.get(*bead)));
        }
    }

    fn add_in_lanes(&self, instructions: Instructions, arrays: &mut Arrays<'_, T>) {
        instructions.dispatch(TermOnReplicas { term: self, arrays });
    }
}

impl<F: SingleFormula, T: Normal> Kernel for TermOnReplicas<'_, '_, OnSingles<F, T>, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Family>(self) {
        if let Geometry::Periodic(sides) = self.arrays.geometry {
            add_singles_in_box::<F, T::Vector<A>>(sides, self.term, self.arrays);
            return;
        }
        let Arrays { positions, total, .. } = self.arrays;
        for &OnSingle { bead, potential, .. } in &self.term.0 {
            let potential: F::In<T::Vector<A>> = in_lanes(potential);
            let at = Triple::<T::Vector<A>>::load(positions, bead * 3);
            let force = Triple(potential.force(at.0));
            (Triple::load(total, bead * 3) + force).store(total, bead * 3);
        }
    }
}

#[inline(always)]
fn add_singles_in_box<F: SingleFormula, V: Vector>(
    sides: PeriodicBox<V::Scalar>,
    term: &OnSingles<F, V::Scalar>,
    arrays: &mut Arrays<'_, V::Scalar>,
) where
    V::Scalar: Normal,
{
    for OnSingle { bead, potential, anchor, place } in &term.0 {
        let potential: F::In<V> = in_lanes(*potential);
        let at = Triple::<V>::load(arrays.positions, bead * 3);
        let at = Triple::spread(*anchor) + sides.separation(at, Triple::coordinates(*place));
        arrays.add_one(sides, *bead, Triple(potential.force(at.0)));
    }
}

/// Adds to the force on a bead if the part contains the bead.
fn add_to<T: Real>(total: &mut CoordinatesPart<'_, T>, bead: usize, force: [T; 3]) {
    if total.beads.contains(&bead) {
        for (axis, component) in total.axes.iter_mut().zip(force) {
            axis[bead - total.beads.start] += component;
        }
    }
}
