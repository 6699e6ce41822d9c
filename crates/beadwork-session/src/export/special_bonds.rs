//! Which line `special_bonds` a script of LAMMPS needs.

use beadwork_model::JoinedBeads;

/// LAMMPS tells pairs with one, two and three bonds between them from others.
const MOST_BONDS: usize = 3;

/// A sentence with the line that leaves out the pairs on which no pair term acts, ascending, among beads with these bonds, and with
/// what the line cannot say. LAMMPS leaves out pairs with up to three bonds between them where a script says nothing.
pub(super) fn note(beads: usize, bonds: &[[usize; 2]], excluded: &[(usize, usize)]) -> String {
    let PairsByBonds { all, without } = PairsByBonds::of(beads, bonds, excluded);
    let weights = without.map(|count| if count > 0 { "0" } else { "1" });
    let mut note = format!(
        "the exclusions of the model are not in the file: a script needs special_bonds lj/coul {}",
        weights.join(" ")
    );
    let far = excluded.len() - without.iter().sum::<usize>();
    if far > 0 {
        note += &format!(
            "; this line cannot leave out {far} pair(s) on which no pair term of the model acts, since they have more than three bonds between them, or none"
        );
    }
    let partly = all.iter().zip(&without).filter(|(_, without)| **without > 0);
    let more: usize = partly.map(|(all, without)| all - without).sum();
    if more > 0 {
        note += &format!("; this line leaves out {more} pair(s) on which the model acts");
    }
    note
}

/// Pairs by the number of bonds between them, from one on.
#[derive(Default)]
struct PairsByBonds {
    all: [usize; MOST_BONDS],
    /// Those on which no pair term acts.
    without: [usize; MOST_BONDS],
}

impl PairsByBonds {
    fn of(beads: usize, bonds: &[[usize; 2]], excluded: &[(usize, usize)]) -> PairsByBonds {
        let bonds: Vec<(usize, usize)> = bonds.iter().map(|&[i, j]| (i, j)).collect();
        let mut joined = JoinedBeads::new(beads, &bonds);
        let mut pairs = PairsByBonds::default();
        let mut rest = excluded;
        for bead in 0..beads {
            let (own, later) = rest.split_at(rest.partition_point(|(first, _)| *first <= bead));
            rest = later;
            let near = joined.within(MOST_BONDS, &[bead]);
            for (other, between) in near.into_iter().filter(|(other, _)| *other > bead) {
                let is_excluded = own.binary_search(&(bead, other)).is_ok();
                pairs.all[between - 1] += 1;
                pairs.without[between - 1] += usize::from(is_excluded);
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of six.
    fn of_chain(excluded: &[(usize, usize)]) -> String {
        let bonds: Vec<[usize; 2]> = (1..6).map(|bead| [bead - 1, bead]).collect();
        note(6, &bonds, excluded)
    }

    fn within(bonds: usize) -> Vec<(usize, usize)> {
        (0..6).flat_map(|i| (i + 1..6.min(i + bonds + 1)).map(move |j| (i, j))).collect()
    }

    #[test]
    fn the_line_follows_from_the_bonds_between_excluded_pairs() {
        for (bonds, line) in [(0, "1 1 1"), (1, "0 1 1"), (2, "0 0 1"), (3, "0 0 0")] {
            let said = of_chain(&within(bonds));
            assert!(said.ends_with(&format!("special_bonds lj/coul {line}")), "{said}");
        }
        // A shorter way counts: all pairs of a ring of three have one bond between them.
        let ring = note(3, &[[0, 1], [1, 2], [0, 2]], &[(0, 1), (0, 2), (1, 2)]);
        assert!(ring.ends_with("lj/coul 0 1 1"), "{ring}");
    }

    /// The bonds of a hub reach all of its arms from each: four million ways.
    #[test]
    fn arms_of_a_hub_are_counted_once() {
        let arms = 2_000;
        let bonds: Vec<[usize; 2]> = (1..=arms).map(|arm| [0, arm]).collect();
        let PairsByBonds { all, without } = PairsByBonds::of(arms + 1, &bonds, &[(0, 7), (3, 9)]);
        assert_eq!(all, [arms, arms * (arms - 1) / 2, 0]);
        assert_eq!(without, [1, 1, 0]);
    }

    #[test]
    fn what_the_line_cannot_say_is_counted() {
        let far = of_chain(&within(4));
        assert!(far.contains("lj/coul 0 0 0; this line cannot leave out 2 pair(s)"), "{far}");
        let some = of_chain(&[(0, 1)]);
        assert!(some.contains("lj/coul 0 1 1; this line leaves out 4 pair(s)"), "{some}");
    }
}
