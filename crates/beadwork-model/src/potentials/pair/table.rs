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

    /// The cutoffs of this term.
    pub fn cutoffs(&self) -> PairCutoffs {
        PairCutoffs::new(self.types, |a, b| self.entries[a * self.types + b].cutoff)
    }
}

/// The largest cutoff of some pair terms, by the types of two beads.
#[derive(Clone, Debug, PartialEq)]
pub struct PairCutoffs {
    types: usize,
    /// Å, row after row; a single number if it is the same for all types.
    cutoffs: Vec<f64>,
}

impl PairCutoffs {
    /// Cutoffs, Å, for a number of types; `cutoff` must be the same for (a, b) and (b, a).
    pub fn new(types: usize, cutoff: impl Fn(usize, usize) -> f64) -> Self {
        let mut cutoffs: Vec<_> =
            (0..types * types).map(|n| cutoff(n / types, n % types)).collect();
        if cutoffs.iter().all(|&other| other == cutoffs[0]) {
            cutoffs.truncate(1);
        }
        PairCutoffs { types, cutoffs }
    }

    /// The larger of two cutoffs for each pair of types.
    pub(crate) fn or_larger(&self, other: &PairCutoffs) -> Self {
        let types = self.types.max(other.types);
        PairCutoffs::new(types, |a, b| {
            let (a, b) = (a as u16, b as u16);
            self.between(a, b).max(other.between(a, b))
        })
    }

    /// Å: no term acts between beads of two types at or beyond this distance; 0 if no term acts between them at all.
    pub fn between(&self, a: u16, b: u16) -> f64 {
        match self.cutoffs.as_slice() {
            [same] => *same,
            cutoffs => cutoffs[usize::from(a) * self.types + usize::from(b)],
        }
    }

    /// The radius, Å, of a neighbour list for beads of two types: a list with this skin has the pairs that are nearer.
    /// It is 0 if no term acts between them.
    pub fn reach(&self, a: u16, b: u16, skin: f64) -> f64 {
        let cutoff = self.between(a, b);
        if cutoff > 0.0 { cutoff + skin } else { 0.0 }
    }

    /// The number of types that [`PairCutoffs::between`] distinguishes; 1 if all cutoffs are the same.
    pub fn types(&self) -> usize {
        if self.cutoffs.len() > 1 { self.types } else { 1 }
    }

    /// The largest cutoff of all, Å.
    pub fn largest(&self) -> f64 {
        self.cutoffs.iter().copied().fold(0.0, f64::max)
    }
}
