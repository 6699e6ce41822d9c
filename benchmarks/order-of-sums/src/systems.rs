//! What is computed: compact chains of beads with the sizes of three systems, and plain sums to
//! compare with.

use std::collections::HashSet;

use beadwork_arithmetic::Real;
use beadwork_model::potentials::{PairPotential, SixthPowerRepulsion};

/// SOP's repulsion: 1 kcal/mol at 3.8 Å.
pub const REPULSION: SixthPowerRepulsion = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
/// Å.
pub const CUTOFF: f64 = 20.0;
/// Lists hold pairs up to the cutoff and this much more, Å.
pub const SKIN: f64 = 4.0;

/// Å, between neighbours in a chain.
const BOND: f64 = 3.8;
/// Å, between other beads, where the walk finds the room.
const ROOM: f64 = 4.5;
/// Å³ a bead: that of residues in a folded protein, 110 Da of 1.35 g/cm³.
const VOLUME: f64 = 135.0;
/// Å, how far a replica's beads are displaced along each axis at most.
const DISPLACEMENT: f64 = 0.5;

/// One of the systems.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What it is like.
    pub name: &'static str,
    /// Å.
    pub beads: Vec<[f64; 3]>,
    /// Pairs that do not repel each other, both orders: bonds and native contacts.
    pub excluded: HashSet<(usize, usize)>,
}

impl Chain {
    /// A chain of the bead and contact numbers of the WW domain.
    pub fn like_ww() -> Chain {
        Chain::compact("WW-like", 34, 75, 1)
    }

    /// A chain of the bead and contact numbers of titin I27.
    pub fn like_titin() -> Chain {
        Chain::compact("titin-like", 89, 255, 2)
    }

    /// A chain of the bead number of a microtubule protofilament.
    pub fn large() -> Chain {
        Chain::compact("large", 6928, 20_000, 3)
    }

    /// A random walk that keeps out of its own way in a sphere of a protein's density. The closest
    /// pairs that are not near in the chain are its contacts.
    pub fn compact(name: &'static str, length: usize, contacts: usize, seed: u64) -> Chain {
        let mut random = Uniform(seed);
        let radius = (VOLUME * length as f64 * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
        let mut beads: Vec<[f64; 3]> = vec![[0.0; 3]];
        while beads.len() < length {
            let last = beads[beads.len() - 1];
            let mut best = (f64::NEG_INFINITY, last);
            for _ in 0..24 {
                let direction = random.direction();
                let place = [0, 1, 2].map(|axis| last[axis] + BOND * direction[axis]);
                // Outside of the sphere a place is the worse the farther it lies.
                let outside = square(place, [0.0; 3]).sqrt() - radius;
                let others = &beads[..beads.len() - 1];
                let nearest = others.iter().map(|&bead| square(place, bead)).fold(1e6, f64::min);
                let worth = if outside > 0.0 { -outside } else { nearest.sqrt() };
                if worth > best.0 {
                    best = (worth, place);
                }
                if worth > ROOM {
                    break;
                }
            }
            beads.push(best.1);
        }
        let mut near = Vec::new();
        for (i, &bead) in beads.iter().enumerate() {
            for (j, &other) in beads.iter().enumerate().skip(i + 3) {
                let r2 = square(bead, other);
                if r2 < 144.0 {
                    near.push((r2, i, j));
                }
            }
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let bonds = (1..length).map(|j| (j - 1, j));
        let contacts = near.into_iter().take(contacts).map(|(_, i, j)| (i, j));
        let excluded = bonds.chain(contacts).flat_map(|(i, j)| [(i, j), (j, i)]).collect();
        Chain { name, beads, excluded }
    }

    /// As many sets of positions of the chain, Å, rounded to a precision: the chain itself, then
    /// others that differ by some tenths of Å.
    pub fn replicas<T: Real>(&self, count: usize) -> Vec<Vec<[f64; 3]>> {
        let mut random = Uniform(4);
        let mut replicas = Vec::with_capacity(count);
        for number in 0..count {
            let reach = if number == 0 { 0.0 } else { DISPLACEMENT };
            let moved = |bead: &[f64; 3]| {
                bead.map(|component| {
                    let shift = reach * (2.0 * random.next() - 1.0);
                    T::from_f64(component + shift).to_f64()
                })
            };
            replicas.push(self.beads.iter().map(moved).collect());
        }
        replicas
    }

    /// The partners of each bead within the lists' reach in any of some replicas, ascending,
    /// excluded ones left out; each pair in both orders.
    pub fn neighbours(&self, replicas: &[Vec<[f64; 3]>]) -> Vec<Vec<usize>> {
        let reach = CUTOFF + SKIN;
        // Two beads can come nearer by twice the longest displacement.
        let margin = if replicas.len() > 1 { 2.0 * DISPLACEMENT * 3_f64.sqrt() } else { 0.0 };
        let wide = (reach + margin).powi(2);
        let count = self.beads.len();
        let mut rows = vec![Vec::new(); count];
        for i in 0..count {
            for j in 0..count {
                if i != j
                    && square(replicas[0][i], replicas[0][j]) < wide
                    && replicas.iter().any(|beads| square(beads[i], beads[j]) < reach * reach)
                    && !self.excluded.contains(&(i, j))
                {
                    rows[i].push(j);
                }
            }
        }
        rows
    }
}

/// Forces that the others are compared with: plain sums in double precision.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Pairs within the cutoff.
    pub pairs: usize,
    forces: Vec<[f64; 3]>,
    /// For each bead the sum of the magnitudes of its terms.
    magnitudes: Vec<f64>,
    /// The same of the terms at the cutoff, which rounding can drop or let in.
    doubtful: Vec<f64>,
}

/// Rounding errors of the positions' differences, squares, sum and cutoff, in units of the last
/// place of r²: terms that are nearer to the cutoff are in doubt.
const DOUBT: f64 = 8.0;

impl Reference {
    /// Of a chain at `beads`, Å; `neighbours` are those of [`Chain::neighbours`], and `epsilon` the
    /// precision's.
    pub fn new(beads: &[[f64; 3]], neighbours: &[Vec<usize>], epsilon: f64) -> Reference {
        let mut pairs = 0;
        let (mut forces, mut magnitudes, mut doubtful) = (Vec::new(), Vec::new(), Vec::new());
        for (i, partners) in neighbours.iter().enumerate() {
            let (mut force, mut magnitude, mut doubt) = ([0.0; 3], 0.0, 0.0);
            for &j in partners {
                let r2 = square(beads[i], beads[j]);
                let factor = REPULSION.force_over_distance(r2);
                let excess = r2 / (CUTOFF * CUTOFF) - 1.0;
                if excess.abs() < DOUBT * epsilon {
                    doubt += factor * r2.sqrt();
                }
                if excess >= 0.0 {
                    continue;
                }
                pairs += usize::from(j > i);
                magnitude += factor * r2.sqrt();
                for axis in 0..3 {
                    force[axis] += factor * (beads[i][axis] - beads[j][axis]);
                }
            }
            forces.push(force);
            magnitudes.push(magnitude);
            doubtful.push(doubt);
        }
        Reference { pairs, forces, magnitudes, doubtful }
    }

    /// The largest difference of a force's component, in units of the precision's ε times the
    /// magnitudes of the bead's terms.
    pub fn largest_error(&self, forces: &[[f64; 3]], epsilon: f64) -> f64 {
        assert_eq!(forces.len(), self.forces.len(), "a force for each bead");
        let mut largest = 0.0_f64;
        for (bead, force) in forces.iter().enumerate() {
            for axis in 0..3 {
                let difference = (force[axis] - self.forces[bead][axis]).abs();
                // A bead without terms has no force at all.
                let error = if difference <= self.doubtful[bead] {
                    0.0
                } else {
                    (difference - self.doubtful[bead]) / (epsilon * self.magnitudes[bead])
                };
                // Not a number is the largest error.
                largest = if error > largest || error.is_nan() { error } else { largest };
            }
        }
        largest
    }
}

/// Squared distance, Å².
pub fn square(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum()
}

/// Uniform numbers: splitmix64 (Steele, Lea and Flood, OOPSLA 2014, figure 16).
struct Uniform(u64);

impl Uniform {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point of the unit sphere: a point of the ball, stretched.
    fn direction(&mut self) -> [f64; 3] {
        loop {
            let point = [(); 3].map(|()| 2.0 * self.next() - 1.0);
            let length = square(point, [0.0; 3]).sqrt();
            if length > 0.1 && length <= 1.0 {
                return point.map(|component| component / length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_compact_and_keep_their_bonds() {
        let chain = Chain::like_titin();
        assert_eq!((chain.beads.len(), chain.excluded.len()), (89, 2 * (88 + 255)));
        for bond in chain.beads.windows(2) {
            assert!((square(bond[0], bond[1]).sqrt() - BOND).abs() < 1e-9);
        }
        // A sphere of 89 · 135 Å³ has the radius 14.2 Å; a bead may stick out by less than a bond.
        assert!(chain.beads.iter().all(|&bead| square(bead, [0.0; 3]).sqrt() < 14.3 + BOND));
    }

    #[test]
    fn the_reference_finds_a_wrong_force_and_knows_the_pairs() {
        let chain = Chain::compact("pair", 3, 0, 5);
        let replicas = chain.replicas::<f64>(1);
        let neighbours = chain.neighbours(&replicas);
        assert_eq!(neighbours, [vec![2], vec![], vec![0]]);
        let reference = Reference::new(&replicas[0], &neighbours, f64::EPSILON);
        assert_eq!(reference.pairs, 1);
        let r2 = square(replicas[0][0], replicas[0][2]);
        let factor = REPULSION.force_over_distance(r2);
        let on_first = [0, 1, 2].map(|a| factor * (replicas[0][0][a] - replicas[0][2][a]));
        let mut forces = vec![on_first, [0.0; 3], on_first.map(|component| -component)];
        assert_eq!(reference.largest_error(&forces, f64::EPSILON), 0.0);
        forces[2][1] *= 1.0 + 1e-12;
        assert!(reference.largest_error(&forces, f64::EPSILON) > 100.0);
    }
}
