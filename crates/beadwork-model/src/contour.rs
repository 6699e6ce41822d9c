//! Lengths along chains.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::system::System;

impl System {
    /// The length of the shortest path along bonds at rest between two beads, Å or reduced (Dijkstra's algorithm); `None` if no
    /// bonds join them.
    pub fn contour(&self, from: usize, to: usize) -> Option<f64> {
        let beads = self.particles.positions.len();
        let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); beads];
        for (i, j, length) in self.bonds_at_rest() {
            neighbours[i].push((j, length));
            neighbours[j].push((i, length));
        }
        let mut distances = vec![f64::INFINITY; beads];
        distances[from] = 0.0;
        // Non-negative numbers have the order of their bits.
        let mut open = BinaryHeap::from([Reverse((0.0_f64.to_bits(), from))]);
        while let Some(Reverse((bits, bead))) = open.pop() {
            if bead == to {
                return Some(distances[to]);
            }
            if f64::from_bits(bits) > distances[bead] {
                continue;
            }
            for &(next, length) in &neighbours[bead] {
                let distance = distances[bead] + length;
                if distance < distances[next] {
                    distances[next] = distance;
                    open.push(Reverse((distance.to_bits(), next)));
                }
            }
        }
        None
    }
}
