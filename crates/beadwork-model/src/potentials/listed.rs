//! What the listed terms of a system hold: beads, each set with the potential that acts between or on them.

/// A potential between two named beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<P> {
    /// The bead with the smaller number.
    pub i: usize,
    /// The bead with the larger number.
    pub j: usize,
    /// The potential that acts between them.
    pub potential: P,
}

/// Bonded pairs of one formula, sorted by (i, j), each pair once.
pub type Pairs<F> = Vec<Pair<F>>;

/// A potential of the angle at the middle one of three beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle<P> {
    /// The beads, the middle one second.
    pub beads: [usize; 3],
    /// The potential that acts between them.
    pub potential: P,
}

/// Angles of one formula. Their order is the order in which a bead sums them.
pub type Angles<F> = Vec<Angle<F>>;

/// A potential of one bead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single<P> {
    /// The bead.
    pub bead: usize,
    /// The potential that acts on it.
    pub potential: P,
}

/// Beads in fields of one formula. Their order is the order in which a bead sums them.
pub type Singles<F> = Vec<Single<F>>;
