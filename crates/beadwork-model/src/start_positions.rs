//! Where a builder puts the beads of a box: on a lattice, or at random.

use beadwork_arithmetic::sine_cosine_of_turns;
use beadwork_random::NoiseKey;

/// The points of a lattice that fills a box whose centre is the origin, along a path whose steps go to neighbours, so that
/// the bonds of a chain are short and no two beads share a place.
pub fn lattice(beads: usize, sides: [f64; 3]) -> Vec<[f64; 3]> {
    let spacing = (sides.iter().product::<f64>() / beads as f64).cbrt();
    let mut counts = sides.map(|side| ((side / spacing).round() as usize).max(1));
    while counts.iter().product::<usize>() < beads {
        // Where the spacing is largest, another layer changes it least.
        let widest = |&a: &usize, &b: &usize| {
            let [a, b] = [a, b].map(|axis| sides[axis] / counts[axis] as f64);
            a.total_cmp(&b)
        };
        let axis = (0..3).max_by(widest).unwrap_or(0);
        counts[axis] += 1;
    }
    let turned =
        |place: usize, count: usize, back: bool| if back { count - 1 - place } else { place };
    let place = |bead: usize| {
        let [columns, rows, _] = counts;
        let (row, layer) = (bead / columns, bead / (columns * rows));
        let x = turned(bead % columns, columns, row % 2 == 1);
        let y = turned(row % rows, rows, layer % 2 == 1);
        let lattice = [x, y, layer];
        [0, 1, 2].map(|axis| {
            let side = sides[axis] / counts[axis] as f64;
            (lattice[axis] as f64 + 0.5) * side - 0.5 * sides[axis]
        })
    };
    (0..beads).map(place).collect()
}

/// Molecules as random walks with steps of one length.
///
/// The cosine of the angle between two bonds that follow each other is uniform from c to 1, and the azimuth is uniform.
/// Directions then forget each other as in a freely rotating chain with ⟨cos θ⟩ = (1 + c)/2, so a long walk of N steps has
/// ⟨R²⟩ = C∞ N l² with C∞ = (1 + ⟨cos θ⟩)/(1 − ⟨cos θ⟩), and c = (C∞ − 3)/(C∞ + 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWalks {
    /// l, Å.
    pub bond_length: f64,
    /// C∞, at least 1: that of a freely jointed chain.
    pub characteristic_ratio: f64,
}

impl RandomWalks {
    /// Places beads in a box whose centre is the origin. Bead k is bonded to bead k − `backs[k]`; with 0 it begins a molecule,
    /// at a point of the box that is uniformly random. Walks leave the box.
    ///
    /// Bead k takes the words of bead k at step 0 of the key, in draw 0: three for the place of the first bead of a molecule,
    /// or two for the polar and the azimuthal angle of its bond.
    pub fn place(&self, backs: &[u32], sides: [f64; 3], key: NoiseKey) -> Vec<[f64; 3]> {
        let smallest = (self.characteristic_ratio - 3.0) / (self.characteristic_ratio + 1.0);
        let mut positions: Vec<[f64; 3]> = Vec::with_capacity(backs.len());
        for (bead, &back) in backs.iter().enumerate() {
            let words = key.words(0, 0, bead as u32, 0);
            let [u, v, w] = [words[0], words[1], words[2]].map(uniform);
            if back == 0 {
                let place = [u, v, w];
                positions.push([0, 1, 2].map(|axis| (place[axis] - 0.5) * sides[axis]));
                continue;
            }
            let from = bead - back as usize;
            let start = positions[from];
            let direction = match backs[from] as usize {
                0 => turned([0.0, 0.0, 1.0], 2.0 * u - 1.0, v),
                before => {
                    let other = positions[from - before];
                    let last = [0, 1, 2].map(|axis| (start[axis] - other[axis]) / self.bond_length);
                    turned(last, smallest + (1.0 - smallest) * u, v)
                }
            };
            positions.push([0, 1, 2].map(|axis| start[axis] + self.bond_length * direction[axis]));
        }
        positions
    }
}

/// A number between 0 and 1.
fn uniform(word: u32) -> f64 {
    (f64::from(word) + 0.5) / 4_294_967_296.0
}

/// A unit vector at an angle to another one, of which the cosine is given, with an azimuth in turns.
fn turned(unit: [f64; 3], cosine: f64, azimuth: f64) -> [f64; 3] {
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let (up, along) = sine_cosine_of_turns(azimuth);
    let [x, y, z] = unit;
    // The cross product with the axis that is farthest from it.
    let first = match (x.abs() <= y.abs() && x.abs() <= z.abs(), y.abs() <= z.abs()) {
        (true, _) => [0.0, z, -y],
        (false, true) => [-z, 0.0, x],
        (false, false) => [y, -x, 0.0],
    };
    let length = first.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [a, b, c] = first.map(|component| component / length);
    let second = [y * c - z * b, z * a - x * c, x * b - y * a];
    let first = [a, b, c];
    let sideways = |axis: usize| sine * (along * first[axis] + up * second[axis]);
    let sum = [0, 1, 2].map(|axis| cosine * unit[axis] + sideways(axis));
    // Otherwise the rounding of each step would enter the next one.
    let length = sum.iter().map(|c| c * c).sum::<f64>().sqrt();
    sum.map(|component| component / length)
}

#[cfg(test)]
mod tests {
    use beadwork_random::Purpose;

    use super::*;
    use crate::particles::Boundary;

    fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
        Boundary::Open.squared_distance(a, b).sqrt()
    }

    #[test]
    fn a_path_through_the_lattice_has_short_steps_and_no_place_twice() {
        for (beads, sides) in [(3_000, [10.0; 3]), (97, [4.0, 9.0, 30.0]), (1, [2.0; 3])] {
            let positions = lattice(beads, sides);
            let spacing = (sides.iter().product::<f64>() / beads as f64).cbrt();
            for pair in positions.windows(2) {
                let step = distance(pair[0], pair[1]);
                assert!((0.4 * spacing..2.0 * spacing).contains(&step), "{step} of {spacing}");
            }
            let inside = |p: &[f64; 3]| (0..3).all(|axis| p[axis].abs() < 0.5 * sides[axis]);
            assert!(positions.iter().all(inside));
            let mut bits: Vec<_> = positions.iter().map(|p| p.map(f64::to_bits)).collect();
            bits.sort_unstable();
            bits.dedup();
            assert_eq!(bits.len(), beads);
        }
    }

    const MOLECULES: usize = 4_000;
    const STEPS: usize = 20;

    fn walks(ratio: f64) -> Vec<[f64; 3]> {
        let backs: Vec<u32> =
            (0..MOLECULES * (STEPS + 1)).map(|bead| u32::from(bead % (STEPS + 1) > 0)).collect();
        let key = NoiseKey::new(7, Purpose::StartConfiguration, 0);
        RandomWalks { bond_length: 0.97, characteristic_ratio: ratio }.place(
            &backs,
            [9.0, 5.0, 7.0],
            key,
        )
    }

    /// The squared end-to-end distance of N steps of a freely rotating chain over l²; Flory, Statistical Mechanics of Chain
    /// Molecules, chapter I.
    fn law(ratio: f64) -> f64 {
        let (n, cosine) = (STEPS as f64, (ratio - 1.0) / (ratio + 1.0));
        let end = 2.0 * cosine * (1.0 - cosine.powi(STEPS as i32)) / (1.0 - cosine).powi(2);
        n * ratio - end
    }

    #[test]
    fn walks_have_their_bond_length_and_the_size_of_a_freely_rotating_chain() {
        for ratio in [1.0, 1.88, 4.0] {
            let positions = walks(ratio);
            let mut squares = Vec::new();
            for molecule in positions.chunks_exact(STEPS + 1) {
                for bond in molecule.windows(2) {
                    assert!((distance(bond[0], bond[1]) - 0.97).abs() < 1e-12);
                }
                for turn in molecule.windows(3) {
                    // 2 (1 + cos θ) l² with the smallest cosine.
                    let least = 2.0 * (1.0 + (ratio - 3.0) / (ratio + 1.0)) * 0.97 * 0.97;
                    assert!(distance(turn[0], turn[2]).powi(2) > least - 1e-9);
                }
                squares.push((distance(molecule[0], molecule[STEPS]) / 0.97).powi(2));
            }
            let mean = squares.iter().sum::<f64>() / MOLECULES as f64;
            let variance = squares.iter().map(|square| (square - mean).powi(2)).sum::<f64>();
            let error = (variance / (MOLECULES as f64).powi(2)).sqrt();
            assert!((mean - law(ratio)).abs() < 4.0 * error, "{ratio}: {mean} ± {error}");
        }
    }

    #[test]
    fn molecules_begin_everywhere_in_the_box() {
        let positions = walks(1.0);
        for (axis, side) in [9.0, 5.0, 7.0].into_iter().enumerate() {
            let mut starts: Vec<f64> =
                positions.iter().step_by(STEPS + 1).map(|p| p[axis] / side + 0.5).collect();
            starts.sort_by(f64::total_cmp);
            let gap =
                |(rank, at): (usize, &f64)| (at - (rank as f64 + 0.5) / MOLECULES as f64).abs();
            let largest = starts.iter().enumerate().map(gap).fold(0.0, f64::max);
            // The test of Kolmogorov and Smirnov: beyond 1.95/√n with a probability of 10⁻³.
            assert!(largest < 1.95 / (MOLECULES as f64).sqrt(), "{largest}");
        }
    }

    #[test]
    fn branches_begin_at_their_beads() {
        // A star: three arms of two beads on bead 0.
        let backs = [0, 1, 1, 3, 1, 5, 1];
        let key = NoiseKey::new(7, Purpose::StartConfiguration, 0);
        let walk = RandomWalks { bond_length: 2.0, characteristic_ratio: 1.0 };
        let positions = walk.place(&backs, [3.0; 3], key);
        for [i, j] in [[0, 1], [1, 2], [0, 3], [3, 4], [0, 5], [5, 6]] {
            assert!((distance(positions[i], positions[j]) - 2.0).abs() < 1e-12);
        }
    }
}
