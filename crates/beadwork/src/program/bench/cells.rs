//! Near pairs by cells, and energies and forces from them: written once more, apart from the CPU
//! backend, so that a run is judged by something other than itself.

use std::ops::Range;
use std::sync::Arc;

use beadwork::cpu::reference;
use beadwork::model::{Energies, System};

/// Beads sorted into cubes.
struct Cells {
    counts: [usize; 3],
    /// Beads of cube c are `order[starts[c]..starts[c + 1]]`.
    starts: Vec<usize>,
    order: Vec<usize>,
    cell_of: Vec<[usize; 3]>,
}

impl Cells {
    /// Cubes at least `reach` wide; wider where beads are so sparse that most cubes were empty.
    fn new(positions: &[[f64; 3]], reach: f64) -> Cells {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for position in positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let counts_for = |width: f64| {
            [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / width).max(0.0) as usize + 1)
        };
        let mut width = reach;
        let most = (8 * positions.len() + 64) as f64;
        while counts_for(width).iter().map(|&count| count as f64).product::<f64>() > most {
            width *= 1.5;
        }
        let counts = counts_for(width);
        let cell_of: Vec<[usize; 3]> = positions
            .iter()
            .map(|position| {
                [0, 1, 2].map(|axis| {
                    (((position[axis] - low[axis]) / width) as usize).min(counts[axis] - 1)
                })
            })
            .collect();
        let mut cells = Cells { counts, starts: Vec::new(), order: Vec::new(), cell_of };
        cells.starts = vec![0; counts.iter().product::<usize>() + 1];
        for &cell in &cells.cell_of {
            let index = cells.index(cell);
            cells.starts[index + 1] += 1;
        }
        for cell in 1..cells.starts.len() {
            cells.starts[cell] += cells.starts[cell - 1];
        }
        let mut next = cells.starts.clone();
        cells.order = vec![0; positions.len()];
        for (bead, &cell) in cells.cell_of.iter().enumerate() {
            let place = &mut next[cells.index(cell)];
            cells.order[*place] = bead;
            *place += 1;
        }
        cells
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.counts[1] + y) * self.counts[2] + z
    }

    /// The cubes around one, along one axis.
    fn around(&self, cell: usize, axis: usize) -> Range<usize> {
        cell.saturating_sub(1)..(cell + 2).min(self.counts[axis])
    }

    fn beads_near(&self, bead: usize, mut visit: impl FnMut(usize)) {
        let [x, y, z] = self.cell_of[bead];
        for x in self.around(x, 0) {
            for y in self.around(y, 1) {
                for z in self.around(z, 2) {
                    let index = self.index([x, y, z]);
                    for &other in &self.order[self.starts[index]..self.starts[index + 1]] {
                        visit(other);
                    }
                }
            }
        }
    }
}

/// Calls `visit` with i < j and their squared distance, Å², for all pairs closer than `reach`, Å.
pub fn near_pairs(positions: &[[f64; 3]], reach: f64, mut visit: impl FnMut(usize, usize, f64)) {
    let cells = Cells::new(positions, reach);
    for i in 0..positions.len() {
        cells.beads_near(i, |j| {
            if j > i {
                let r2 = square_distance(positions[i], positions[j]);
                if r2 < reach * reach {
                    visit(i, j, r2);
                }
            }
        });
    }
}

fn square_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

/// What acts at one configuration.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// By term, kcal/mol.
    pub energies: Energies,
    /// Mean of F·F over beads, (kcal/(mol Å))².
    pub square_force: f64,
}

/// Energies and forces at `positions`, Å, in f64.
pub fn evaluate(system: &System, positions: &[[f64; 3]]) -> Evaluation {
    let mut forces = vec![[0.0; 3]; positions.len()];
    let system = Arc::new(system.clone());
    // A broken bond has no force that could be compared.
    if reference::Forces::new(&system, 0.0).evaluate(positions, &mut forces).is_err() {
        forces.fill([f64::NAN; 3]);
    }
    let energies = system.energies(positions);
    let square: f64 = forces.iter().flatten().map(|component| component * component).sum();
    Evaluation { energies, square_force: square / positions.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::reference;

    /// Points on a spiral that crosses many cubes; the brute search is the definition.
    #[test]
    fn every_near_pair_comes_once() {
        let positions: Vec<[f64; 3]> = (0..300)
            .map(|n| {
                let turn = f64::from(n) * 0.7;
                [turn.cos() * 0.1 * turn, turn.sin() * 9.0, 0.05 * turn * turn.cos()]
            })
            .collect();
        for reach in [0.5, 3.0, 100.0] {
            let mut found = Vec::new();
            near_pairs(&positions, reach, |i, j, _| found.push((i, j)));
            found.sort_unstable();
            let mut expected = Vec::new();
            for i in 0..positions.len() {
                for j in i + 1..positions.len() {
                    if square_distance(positions[i], positions[j]) < reach * reach {
                        expected.push((i, j));
                    }
                }
            }
            assert!(!expected.is_empty());
            assert_eq!(found, expected, "{reach}");
        }
    }

    #[test]
    fn two_far_groups_do_not_need_all_the_cubes_between() {
        let positions = [[0.0; 3], [1.0, 0.0, 0.0], [1e9, 1e9, 1e9], [1e9, 1e9, 1e9 + 1.0]];
        let mut found = Vec::new();
        near_pairs(&positions, 2.0, |i, j, _| found.push((i, j)));
        assert_eq!(found, [(0, 1), (2, 3)]);
    }

    #[test]
    fn energies_are_the_systems_and_forces_their_slope() {
        let system = reference::system().unwrap();
        let mut positions = system.particles.positions.clone();
        for (bead, position) in positions.iter_mut().enumerate() {
            position[bead % 3] += 0.2 * (bead as f64).sin();
        }
        let here = evaluate(&system, &positions);
        let expected = system.energies(&positions);
        assert!((here.energies.total() - expected.total()).abs() < 1e-10);
        assert!(expected.bonds > 0.1 && expected.pairs > 0.01);
        let mut square = 0.0;
        let h = 1e-5;
        for bead in 0..positions.len() {
            for axis in 0..3 {
                let at = positions[bead][axis];
                positions[bead][axis] = at + h;
                let up = system.energies(&positions).total();
                positions[bead][axis] = at - h;
                let down = system.energies(&positions).total();
                positions[bead][axis] = at;
                square += ((down - up) / (2.0 * h)).powi(2);
            }
        }
        let expected = square / positions.len() as f64;
        assert!((here.square_force / expected - 1.0).abs() < 1e-6, "{here:?} {expected}");
    }
}
