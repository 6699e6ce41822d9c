//! Verlet lists with a skin: pairs that may come within the cutoff before the next look.

use beadwork_arithmetic::Real;

use crate::state::Trouble;

/// Pairs i < j within cutoff + skin at the moment of building, excluded ones left out.
///
/// A list serves as long as no bead has moved by more than half the skin since it was built: two
/// beads farther apart than cutoff + skin then, cannot be within the cutoff now. The displacement
/// is checked before each use, so that no pair is ever missed.
#[derive(Clone, Debug)]
pub struct NeighbourList<T> {
    /// Square of cutoff + skin, and a little more: whether a pair acts is for its force to say, with
    /// a cutoff that is rounded in its own way.
    square_reach: T,
    /// Square of the largest displacement that a list survives.
    square_limit: T,
    /// Partners of bead i are `excluded[excluded_rows[i]..excluded_rows[i + 1]]`.
    excluded_rows: Vec<usize>,
    excluded: Vec<u32>,
    reference: Vec<[T; 3]>,
    rows: Vec<usize>,
    partners: Vec<u32>,
    rebuilds: u64,
}

/// Half the skin, less what rounding in f32 could hide.
pub(crate) const SAFETY: f64 = 0.5 * 0.9999;

impl<T: Real> NeighbourList<T> {
    /// An empty list for `beads` beads; it builds itself at first use. `excluded` pairs are i < j,
    /// ascending; lengths in Å.
    pub fn new(beads: usize, cutoff: f64, skin: f64, excluded: &[(usize, usize)]) -> Self {
        let mut excluded_rows = vec![0; beads + 1];
        for &(i, _) in excluded {
            excluded_rows[i + 1] += 1;
        }
        for i in 0..beads {
            excluded_rows[i + 1] += excluded_rows[i];
        }
        NeighbourList {
            square_reach: T::from_f64((cutoff + skin).powi(2) * 1.000_001),
            square_limit: T::from_f64((SAFETY * skin).powi(2)),
            excluded_rows,
            excluded: excluded.iter().map(|&(_, j)| j as u32).collect(),
            reference: Vec::new(),
            rows: vec![0; beads + 1],
            partners: Vec::new(),
            rebuilds: 0,
        }
    }

    /// Makes the list right for `positions`, Å.
    ///
    /// # Errors
    /// When a coordinate is not finite.
    pub fn refresh(&mut self, positions: &[[T; 3]]) -> Result<(), Trouble> {
        let moved = self.reference.len() != positions.len()
            || self.reference.iter().zip(positions).any(|(reference, position)| {
                let square = square(*position, *reference);
                self.square_limit.less_than(square) || !square.is_finite()
            });
        if moved { self.build(positions) } else { Ok(()) }
    }

    fn build(&mut self, positions: &[[T; 3]]) -> Result<(), Trouble> {
        let finite = |position: &[T; 3]| position.iter().all(|component| component.is_finite());
        if let Some(bead) = positions.iter().position(|position| !finite(position)) {
            return Err(Trouble::NotFinite { bead });
        }
        self.partners.clear();
        for i in 0..positions.len() {
            let excluded = &self.excluded[self.excluded_rows[i]..self.excluded_rows[i + 1]];
            let mut excluded = excluded.iter().copied().peekable();
            for j in i + 1..positions.len() {
                if excluded.next_if_eq(&(j as u32)).is_some() {
                    continue;
                }
                if square(positions[i], positions[j]) < self.square_reach {
                    self.partners.push(j as u32);
                }
            }
            self.rows[i + 1] = self.partners.len();
        }
        self.reference.clear();
        self.reference.extend_from_slice(positions);
        self.rebuilds += 1;
        Ok(())
    }

    /// Partners j > i of bead i, ascending.
    #[inline(always)]
    pub fn partners(&self, i: usize) -> &[u32] {
        &self.partners[self.rows[i]..self.rows[i + 1]]
    }

    /// How often the list was built.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }
}

/// Squared distance in the number type of the positions.
#[inline(always)]
pub(crate) fn square<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize, spacing: f64) -> Vec<[f64; 3]> {
        (0..count).map(|i| [i as f64 * spacing, 0.0, 0.0]).collect()
    }

    #[test]
    fn holds_what_is_within_reach_and_not_excluded() {
        let mut list = NeighbourList::new(5, 2.0, 0.5, &[(0, 1), (1, 3)]);
        list.refresh(&line(5, 1.0)).unwrap();
        assert_eq!(list.partners(0), [2]);
        assert_eq!(list.partners(1), [2]);
        assert_eq!(list.partners(2), [3, 4]);
        assert_eq!(list.partners(3), [4]);
        assert_eq!(list.partners(4), []);
    }

    #[test]
    fn is_rebuilt_when_a_bead_has_moved_by_half_the_skin() {
        let mut positions = line(3, 1.0);
        let mut list = NeighbourList::new(3, 2.0, 1.0, &[]);
        list.refresh(&positions).unwrap();
        positions[1][1] = 0.49;
        list.refresh(&positions).unwrap();
        assert_eq!(list.rebuilds(), 1);
        positions[1][1] = 0.51;
        list.refresh(&positions).unwrap();
        assert_eq!(list.rebuilds(), 2);
    }

    #[test]
    fn names_a_bead_that_is_not_finite() {
        let mut positions = line(3, 1.0);
        let mut list = NeighbourList::new(3, 2.0, 1.0, &[]);
        list.refresh(&positions).unwrap();
        positions[2][0] = f64::NAN;
        assert_eq!(list.refresh(&positions), Err(Trouble::NotFinite { bead: 2 }));
    }

    /// Two beads walk towards each other in steps of a random size; whenever they are within the
    /// cutoff they must be in the list.
    #[test]
    fn no_pair_within_the_cutoff_is_ever_missed() {
        let key = beadwork_random::NoiseKey::new(7, beadwork_random::Purpose::Test, 0);
        let beads = 40;
        for skin in [0.0, 0.3, 2.0] {
            let mut list = NeighbourList::new(beads, 3.0, skin, &[(0, 1)]);
            let mut positions: Vec<[f64; 3]> = (0..beads)
                .map(|i| [(i % 4) as f64 * 2.5, (i / 4 % 4) as f64 * 2.5, (i / 16) as f64 * 2.5])
                .collect();
            for step in 0..200 {
                for (bead, position) in positions.iter_mut().enumerate() {
                    let push: [f64; 3] = beadwork_random::Normal::normals(key, step, bead as u32);
                    for axis in 0..3 {
                        position[axis] += 0.1 * push[axis];
                    }
                }
                list.refresh(&positions).unwrap();
                for i in 0..beads {
                    for j in i + 1..beads {
                        let near = square(positions[i], positions[j]) < 9.0;
                        if near && (i, j) != (0, 1) {
                            assert!(
                                list.partners(i).contains(&(j as u32)),
                                "{skin} {step} {i} {j}"
                            );
                        }
                    }
                }
            }
        }
    }
}
