//! Beads that bonds, or other pairs, join directly or through others.

use crate::system::System;

/// Which beads some pairs join.
///
/// ```
/// use beadwork_model::JoinedBeads;
///
/// // A chain of four, and a bead alone.
/// let mut joined = JoinedBeads::new(5, &[(0, 1), (1, 2), (2, 3)]);
/// assert_eq!(joined.within(2, &[3]), [(3, 0), (2, 1), (1, 2)]);
/// assert_eq!(joined.within(usize::MAX, &[1]).len(), 4);
/// assert_eq!(joined.within(usize::MAX, &[4]), [(4, 0)]);
/// ```
#[derive(Clone, Debug)]
pub struct JoinedBeads {
    /// Where the partners of each bead begin in `partners`, and where the last ones end.
    starts: Vec<usize>,
    partners: Vec<usize>,
    /// The number of the walk that last reached each bead; 0 for none. So a walk takes no time for beads that it does not reach.
    reached_by: Vec<u64>,
    walks: u64,
}

impl JoinedBeads {
    /// So many beads with these pairs, in any order; a pair may be repeated.
    ///
    /// # Panics
    /// If a pair has a bead that is not there.
    pub fn new(beads: usize, pairs: &[(usize, usize)]) -> JoinedBeads {
        let mut starts = vec![0; beads + 1];
        for &(i, j) in pairs {
            starts[i + 1] += 1;
            starts[j + 1] += 1;
        }
        for bead in 0..beads {
            starts[bead + 1] += starts[bead];
        }
        let mut places = starts.clone();
        let mut partners = vec![0; 2 * pairs.len()];
        for &(i, j) in pairs {
            for (bead, partner) in [(i, j), (j, i)] {
                partners[places[bead]] = partner;
                places[bead] += 1;
            }
        }
        JoinedBeads { starts, partners, reached_by: vec![0; beads], walks: 0 }
    }

    /// The beads that at most `most` pairs in a row join to some beads, these included: each with the smallest number of pairs
    /// between, in ascending order of it.
    ///
    /// # Panics
    /// If one of `from` is not there.
    pub fn within(&mut self, most: usize, from: &[usize]) -> Vec<(usize, usize)> {
        self.walks += 1;
        let JoinedBeads { starts, partners, reached_by, walks } = self;
        let mut is_new = |bead: usize| std::mem::replace(&mut reached_by[bead], *walks) != *walks;
        let mut reached: Vec<(usize, usize)> = Vec::new();
        reached.extend(from.iter().filter(|&&bead| is_new(bead)).map(|&bead| (bead, 0)));
        let mut next = 0;
        while let Some(&(bead, between)) = reached.get(next)
            && between < most
        {
            next += 1;
            let all = &partners[starts[bead]..starts[bead + 1]];
            let new = all.iter().filter(|&&partner| is_new(partner));
            reached.extend(new.map(|&partner| (partner, between + 1)));
        }
        reached
    }
}

impl System {
    /// Which beads the bonds of the system join; contacts do not count.
    pub fn joined_by_bonds(&self) -> JoinedBeads {
        JoinedBeads::new(self.particles.positions.len(), &self.bonds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of five, the pair of beads 0 and 1 twice.
    #[test]
    fn shortest_ways_count() {
        let mut ring = JoinedBeads::new(5, &[(0, 1), (1, 2), (2, 3), (4, 3), (4, 0), (0, 1)]);
        assert_eq!(ring.within(usize::MAX, &[0]), [(0, 0), (1, 1), (4, 1), (2, 2), (3, 2)]);
        // A walk forgets the one before it, and begins at each bead once.
        assert_eq!(ring.within(1, &[2, 2]), [(2, 0), (1, 1), (3, 1)]);
        assert_eq!(ring.within(0, &[4]), [(4, 0)]);
        assert!(ring.within(1, &[]).is_empty());
    }
}
