//! What it costs a cluster at rest to have some of its pairs tied by bonds: an estimate, quadratic in the displacements.

use beadwork_cpu::monte_carlo::quench;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::potentials::{FeneBond, PairPotential};

use crate::paths::Graph;

/// Stiffness against displacements as a whole, which cost nothing and which no bond pulls at.
const HELD: f64 = 1e-6;

/// A cluster at rest without bonds, and how its pairs yield.
#[derive(Clone, Debug)]
pub struct Elasticity {
    /// Where forces between pairs vanish, without bonds.
    pub sites: Vec<[f64; 3]>,
    /// The energy there.
    pub energy: f64,
    /// The number of each pair that touches, by its sites.
    numbers: Vec<Vec<usize>>,
    /// How much longer than a bond at rest each pair is.
    excess: Vec<f64>,
    /// By how much pair a is shortened by a unit force that pulls the ends of pair b together.
    compliance: Vec<Vec<f64>>,
    /// Of a bond, reciprocal.
    yielding: f64,
}

impl Elasticity {
    /// Of the minimum next to a configuration of a chain's monomers.
    pub fn of(polymer: &ElasticPolymer, near: &[[f64; 3]], graph: &Graph) -> Elasticity {
        // Bonds of no stiffness, which hold wherever monomers are.
        let bonds = FeneBond { stiffness: 0.0, limit: 1e3, ..polymer.bonds };
        let free = quench(&ElasticPolymer { bonds, ..*polymer }, near);
        let (sites, energy) = (free.positions, free.energy);
        let count = sites.len();
        let size = 3 * count;
        let mut stiffness = vec![vec![0.0; size]; size];
        let mut numbers = vec![vec![usize::MAX; count]; count];
        let (mut excess, mut pulls) = (Vec::new(), Vec::new());
        for j in 0..count {
            for i in 0..j {
                let apart = [0, 1, 2].map(|axis| sites[j][axis] - sites[i][axis]);
                let distance = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
                let along = apart.map(|x| x / distance);
                add_pair(&mut stiffness, polymer, [i, j], along, distance);
                if graph.touch(i, j) {
                    numbers[i][j] = excess.len();
                    numbers[j][i] = excess.len();
                    excess.push(distance - polymer.bonds.length);
                    let mut pull = vec![0.0; size];
                    for axis in 0..3 {
                        pull[3 * i + axis] = along[axis];
                        pull[3 * j + axis] = -along[axis];
                    }
                    pulls.push(pull);
                }
            }
        }
        (0..size).for_each(|place| stiffness[place][place] += HELD);
        factorise(&mut stiffness);
        pulls.iter_mut().for_each(|pull| solve_lower(&stiffness, pull));
        let compliance =
            pulls.iter().map(|a| pulls.iter().map(|b| product(a, b)).collect()).collect();
        let yielding = 1.0 / polymer.bonds.stiffness;
        Elasticity { sites, energy, numbers, excess, compliance, yielding }
    }

    /// The energy with bonds along a path, which add ½ hᵀ (C + 1/K)⁻¹ h: h the excess of its pairs, C their compliance,
    /// K the stiffness of bonds.
    pub fn estimate(&self, path: &[usize]) -> f64 {
        let bonds: Vec<usize> =
            path.windows(2).map(|link| self.numbers[link[0]][link[1]]).collect();
        let yields = |(row, a): (usize, &usize)| -> Vec<f64> {
            let mut row_of =
                bonds[..=row].iter().map(|b| self.compliance[*a][*b]).collect::<Vec<_>>();
            row_of[row] += self.yielding;
            row_of
        };
        let mut matrix: Vec<Vec<f64>> = bonds.iter().enumerate().map(yields).collect();
        factorise(&mut matrix);
        let mut excess: Vec<f64> = bonds.iter().map(|bond| self.excess[*bond]).collect();
        solve_lower(&matrix, &mut excess);
        self.energy + 0.5 * product(&excess, &excess)
    }
}

/// Adds the second derivatives of a pair's energy, V″ n nᵀ + V′/r (1 − n nᵀ).
fn add_pair(
    stiffness: &mut [Vec<f64>],
    polymer: &ElasticPolymer,
    [i, j]: [usize; 2],
    along: [f64; 3],
    distance: f64,
) {
    let slope = |r: f64| -r * polymer.pairs.force_over_distance(r * r);
    let change = 1e-5 * distance;
    let second = (slope(distance + change) - slope(distance - change)) / (2.0 * change);
    let across = slope(distance) / distance;
    for a in 0..3 {
        for b in 0..3 {
            let unit = if a == b { across } else { 0.0 };
            let block = (second - across) * along[a] * along[b] + unit;
            stiffness[3 * i + a][3 * i + b] += block;
            stiffness[3 * j + a][3 * j + b] += block;
            stiffness[3 * i + a][3 * j + b] -= block;
            stiffness[3 * j + a][3 * i + b] -= block;
        }
    }
}

/// The lower factor L of a symmetric positive matrix L Lᵀ (Cholesky), in place of its lower half.
pub(crate) fn factorise(matrix: &mut [Vec<f64>]) {
    for row in 0..matrix.len() {
        let (above, rest) = matrix.split_at_mut(row);
        let line = &mut rest[0];
        for column in 0..row {
            let sum = product(&line[..column], &above[column][..column]);
            line[column] = (line[column] - sum) / above[column][column];
        }
        line[row] = (line[row] - product(&line[..row], &line[..row])).sqrt();
    }
}

/// L⁻¹ of a vector, in its place.
pub(crate) fn solve_lower(lower: &[Vec<f64>], vector: &mut [f64]) {
    for (row, line) in lower.iter().enumerate() {
        let sum = product(&line[..row], &vector[..row]);
        vector[row] = (vector[row] - sum) / line[row];
    }
}

/// In four sums, which a processor adds at a time.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        (0..4).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use beadwork_random::Mt19937;

    use super::*;
    use crate::icosahedron::mackay;

    #[test]
    fn factors_on_paper() {
        let mut matrix = vec![vec![4.0, 0.0], vec![2.0, 10.0]];
        factorise(&mut matrix);
        assert_eq!((matrix[0][0], matrix[1][0], matrix[1][1]), (2.0, 1.0, 3.0));
        let mut vector = [2.0, 7.0];
        solve_lower(&matrix, &mut vector);
        assert_eq!(vector, [1.0, 2.0]);
    }

    /// The energies of all ways through the icosahedron of 13 range over 0.012.
    #[test]
    fn estimates_are_near_what_quenches_find() {
        let polymer = ElasticPolymer::new(13);
        let ideal = mackay(1, polymer.bonds.length);
        let graph = Graph::of(&ideal, 1.25 * polymer.bonds.length);
        let elasticity = Elasticity::of(&polymer, &ideal, &graph);
        let mut generator = Mt19937::from_seed_number(1);
        for _ in 0..10 {
            let path = graph.random_path(&mut || generator.next_u32()).unwrap();
            let sites: Vec<[f64; 3]> = path.iter().map(|site| elasticity.sites[*site]).collect();
            let (found, estimate) = (quench(&polymer, &sites).energy, elasticity.estimate(&path));
            assert!((found - estimate).abs() < 0.001, "{found} {estimate}");
        }
    }
}
