//! Parameters by the types of two beads.

/// The interaction between beads of two types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEntry<F> {
    /// The formula with its parameters.
    pub potential: F,
    /// Å: no force acts at or beyond this distance; 0 for types that do not interact.
    pub cutoff: f64,
}

/// A pair term: an entry for each two types of a system, the same in either order.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTable<F> {
    types: usize,
    /// Row after row; both orders are stored.
    entries: Vec<PairEntry<F>>,
}

impl<F: Copy> PairTable<F> {
    /// A table for a number of types; `entry` is called for each pair of types (a ≤ b).
    pub fn new(types: usize, entry: impl Fn(usize, usize) -> PairEntry<F>) -> Self {
        let ordered = |a: usize, b: usize| entry(a.min(b), a.max(b));
        let entries = (0..types * types).map(|n| ordered(n / types, n % types)).collect();
        PairTable { types, entries }
    }

    /// A table for systems of one type: the same potential between all beads.
    pub fn of_one_type(potential: F, cutoff: f64) -> Self {
        PairTable::new(1, |_, _| PairEntry { potential, cutoff })
    }

    /// The number of types.
    pub fn types(&self) -> usize {
        self.types
    }

    /// The entry of two types.
    pub fn between(&self, a: u16, b: u16) -> PairEntry<F> {
        self.entries[usize::from(a) * self.types + usize::from(b)]
    }

    /// All entries, row after row.
    pub fn entries(&self) -> &[PairEntry<F>] {
        &self.entries
    }

    /// The largest cutoff, Å.
    pub fn largest_cutoff(&self) -> f64 {
        self.entries.iter().map(|entry| entry.cutoff).fold(0.0, f64::max)
    }
}
