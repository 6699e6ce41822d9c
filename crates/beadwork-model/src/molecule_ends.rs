//! The ends of molecules.

use crate::system::System;

/// In place of a bead.
const NO_BEAD: u32 = u32::MAX;

impl System {
    /// The beads between which the end-to-end distance of a molecule is measured: the ends of a linear one, otherwise the first
    /// and the last of its `beads`.
    pub fn ends_of(&self, beads: &[u32]) -> Option<[usize; 2]> {
        let (&first, &last) = (beads.first()?, beads.last()?);
        let known = self.ends.binary_search_by_key(&first, |(of, _)| *of);
        let ends = known.map_or([first, last], |place| self.ends[place].1);
        Some(ends.map(|bead| bead as usize))
    }

    /// Finds the ends of linear molecules from their bonds.
    pub fn find_ends(&mut self) {
        let mut neighbours: Vec<[u32; 2]> = vec![[NO_BEAD; 2]; self.beads()];
        let mut is_branched = vec![false; self.beads()];
        let mut bonds = self.bonds();
        // Two terms may act on one pair.
        bonds.dedup();
        for (i, j) in bonds {
            for (from, to) in [(i, j), (j, i)] {
                match neighbours[from].iter_mut().find(|place| **place == NO_BEAD) {
                    Some(place) => *place = to as u32,
                    None => is_branched[from] = true,
                }
            }
        }
        let degree = |bead: u32| {
            let [one, other] = neighbours[bead as usize];
            usize::from(one != NO_BEAD) + usize::from(other != NO_BEAD)
        };
        let ends_of = |beads: &[u32]| {
            let start = *beads.iter().find(|&&bead| degree(bead) == 1)?;
            let number = |bead: u32| self.particles.molecules[bead as usize];
            let (mut before, mut at, mut count) = (NO_BEAD, start, 1);
            loop {
                if is_branched[at as usize] || number(at) != number(start) {
                    return None;
                }
                let [one, other] = neighbours[at as usize];
                let next = if one == before { other } else { one };
                if next == NO_BEAD {
                    break;
                }
                (before, at) = (at, next);
                count += 1;
            }
            (count == beads.len()).then_some([start.min(at), start.max(at)])
        };
        let molecules = self.particles.beads_of_molecules();
        let several = molecules.iter().filter(|beads| beads.len() > 1);
        let differ = several.filter_map(|beads| {
            let ends = ends_of(beads)?;
            let usual = [beads[0], beads[beads.len() - 1]];
            (ends != usual).then_some((beads[0], ends))
        });
        self.ends = differ.collect();
    }
}
