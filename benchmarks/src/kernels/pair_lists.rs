//! Lists of the partners of beads for [`PairStreams`](super::PairStreams).

use beadwork_random::{NoiseKey, Purpose, Scheme};

/// Partners of a bead, and those of them that a half list has.
pub const PARTNERS: usize = 50;
pub(super) const HALF: usize = PARTNERS / 2;

/// Which numbers the partners of a bead have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// The next numbers, up and down: beads that lie near each other have near numbers.
    Near,
    /// Random numbers: beads have moved far from where they were numbered.
    Random,
}

impl Neighbours {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Near, Self::Random];

    /// The name in inputs and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Random => "random",
        }
    }
}

/// Which lists have a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// The list of one bead, whose thread adds the force to both by atomic operations.
    Half,
    /// The lists of both beads; each thread adds to its own bead alone.
    Full,
}

impl Lists {
    /// The lists of a scheme in the paper: a generator of each thread cannot give two threads the same number.
    pub fn of(scheme: Scheme) -> Self {
        if scheme == Scheme::OnePerThread { Self::Half } else { Self::Full }
    }

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Full => "full",
        }
    }

    pub(super) const fn length(self) -> usize {
        match self {
            Self::Half => HALF,
            Self::Full => PARTNERS,
        }
    }
}

/// Beads and their partners; partner k of bead b is at k · beads + b. The first half of a full list is the half list.
///
/// Beads are in a ring, and each has the next 25 on both sides as partners. Numbers in the order of the ring make near
/// partners, numbers in a random order random ones.
#[derive(Debug)]
pub struct PairLists {
    beads: usize,
    partners: Vec<u32>,
}

impl PairLists {
    /// The lists of more than 50 beads.
    ///
    /// # Panics
    /// If beads are fewer: some pair would be listed twice.
    pub fn new(beads: u32, neighbours: Neighbours) -> Self {
        let count = beads as usize;
        assert!(count > PARTNERS, "beads have {PARTNERS} partners each");
        let mut ring: Vec<u32> = (0..beads).collect();
        if neighbours == Neighbours::Random {
            let key = NoiseKey::new(crate::SEED, Purpose::Test, 0);
            for place in (1..count).rev() {
                let [high, low, ..] = key.words(0, 0, place as u32, 0);
                let word = u64::from(high) << 32 | u64::from(low);
                ring.swap(place, (word % (place as u64 + 1)) as usize);
            }
        }
        let mut partners = vec![0; PARTNERS * count];
        for (place, &bead) in ring.iter().enumerate() {
            for k in 0..HALF {
                partners[k * count + bead as usize] = ring[(place + k + 1) % count];
                partners[(k + HALF) * count + bead as usize] =
                    ring[(place + count - k - 1) % count];
            }
        }
        Self { beads: count, partners }
    }

    pub(super) fn beads(&self) -> usize {
        self.beads
    }

    pub(super) fn partner(&self, bead: usize, k: usize) -> usize {
        self.partners[k * self.beads + bead] as usize
    }

    /// The place of a pair in the half lists, bead after bead. A bead is partner k of its partner k + 25.
    pub(super) fn place_in_half(&self, bead: usize, k: usize) -> usize {
        if k < HALF { HALF * bead + k } else { HALF * self.partner(bead, k) + k - HALF }
    }

    /// The first partners of all beads, this many of each.
    pub(super) fn of_length(&self, length: usize) -> &[u32] {
        &self.partners[..length * self.beads]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn half_lists_have_each_pair_once_and_full_lists_twice() {
        const BEADS: usize = 97;
        for neighbours in Neighbours::ALL {
            let lists = PairLists::new(BEADS as u32, neighbours);
            let pairs = |length: usize| {
                let of = move |bead| (0..length).map(move |k| (bead, k));
                (0..BEADS).flat_map(of).map(|(bead, k)| (bead, lists.partner(bead, k)))
            };
            let unordered = |(a, b): (usize, usize)| (a.min(b), a.max(b));
            let half: HashSet<_> = pairs(HALF).map(unordered).collect();
            assert_eq!(half.len(), HALF * BEADS);
            assert!(half.iter().all(|(a, b)| a < b));
            for (bead, k) in (0..BEADS).flat_map(|bead| (0..HALF).map(move |k| (bead, k))) {
                let partner = lists.partner(bead, k);
                assert_eq!(lists.partner(partner, k + HALF), bead);
                assert_eq!(lists.place_in_half(partner, k + HALF), lists.place_in_half(bead, k));
            }
            let full: HashSet<_> = pairs(PARTNERS).collect();
            assert_eq!(full.len(), PARTNERS * BEADS);
            assert_eq!(full.into_iter().map(unordered).collect::<HashSet<_>>(), half);
            // In the ring of 97 a near partner is at most 25 numbers away.
            let apart = |(a, b): &(usize, usize)| (b - a).min(BEADS + a - b);
            let farthest = half.iter().map(apart).max();
            let expected = if neighbours == Neighbours::Near { HALF } else { BEADS / 2 };
            assert_eq!(farthest, Some(expected));
        }
    }
}
