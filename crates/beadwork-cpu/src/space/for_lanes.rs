//! What loops over lanes ask of a space.

use std::fmt::Debug;

use beadwork_arithmetic::{Real, Vector};

use crate::arrays::lanes::Triple;

/// The number of partial sums of a bead's force in open space.
pub const PARTIAL_SUMS: usize = 4;

/// Space as loops over lanes see it.
pub(crate) trait Space<T: Real>: Copy + Send + Sync {
    /// Whether moves may be too long for it, and forces too large.
    const WRAPS: bool;
    /// The sums of a bead, of which partner j adds to number j mod this.
    const PARTIAL_SUMS: usize;
    /// A component of a sum.
    type Sum: Copy + Default + Debug + Send + Sync;
    /// The force on beads in lanes, as it is added to sums.
    type Force<V: Vector<Scalar = T>>: Copy;

    /// The array of sums that this space uses.
    fn of<'a>(ordered: &'a mut [T], whole: &'a mut [i64]) -> &'a mut [Self::Sum];

    /// The lanes in which a force, kcal/(mol Å), is within the range of the sums.
    fn counts<V: Vector<Scalar = T>>(self, force: Triple<V>) -> V::Mask;

    /// A force as it is added.
    fn rounded<V: Vector<Scalar = T>>(self, force: Triple<V>) -> Self::Force<V>;

    /// A sum in lanes: three vectors of an array, of which the first has the number `place`.
    fn load<V: Vector<Scalar = T>>(sums: &[Self::Sum], place: usize) -> Self::Force<V>;

    /// The inverse of [`Space::load`].
    fn store<V: Vector<Scalar = T>>(force: Self::Force<V>, sums: &mut [Self::Sum], place: usize);

    /// The sum of two forces.
    fn plus<V: Vector<Scalar = T>>(a: Self::Force<V>, b: Self::Force<V>) -> Self::Force<V>;

    /// The difference of two forces.
    fn minus<V: Vector<Scalar = T>>(a: Self::Force<V>, b: Self::Force<V>) -> Self::Force<V>;

    /// The force, kcal/(mol Å), of a sum.
    fn total<V: Vector<Scalar = T>>(self, sum: Self::Force<V>) -> Triple<V>;

    /// a − b, Å.
    fn separation<V: Vector<Scalar = T>>(self, a: Triple<V>, b: Triple<V>) -> Triple<V>;

    /// A coordinate after a displacement, Å.
    fn advance<V: Vector<Scalar = T>>(self, from: Triple<V>, shift: Triple<V>) -> Triple<V>;

    /// The lanes whose displacement, Å, is short enough to be told from its images.
    fn fits<V: Vector<Scalar = T>>(self, shift: Triple<V>) -> V::Mask;
}
