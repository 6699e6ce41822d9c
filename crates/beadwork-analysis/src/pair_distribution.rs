//! Pair distribution functions g(r) of beads in a periodic box.

use std::f64::consts::PI;

/// Counts of pairs of beads by their types and their distance, over some frames.
///
/// ```
/// use beadwork_analysis::pair_distribution::PairDistribution;
/// // Two beads of one type in a box of 1000 cubic units, 2.5 units apart: one pair in the shell from 2 to 3.
/// let mut pairs = PairDistribution::new(vec![2], 1000.0, 5.0, 5);
/// pairs.add_pair(0, 0, 2.5 * 2.5);
/// pairs.end_frame();
/// let shell = 4.0 / 3.0 * std::f64::consts::PI * (27.0 - 8.0);
/// let g = pairs.values(0, 0).unwrap();
/// assert!((g[2] - 1000.0 / shell).abs() < 1e-9 && g[3] == 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PairDistribution {
    /// The number of beads of each type.
    beads: Vec<usize>,
    volume: f64,
    reach: f64,
    bins: usize,
    /// The counts of each pair of types a ≤ b, in the order (0, 0), (0, 1), (1, 1), (0, 2), …
    counts: Vec<Vec<u64>>,
    frames: u64,
}

impl PairDistribution {
    /// Of so many beads of each type, without frames. `reach` is the end of the last of the `bins` of equal width, in the
    /// unit of length whose cube is the unit of `volume`.
    pub fn new(beads: Vec<usize>, volume: f64, reach: f64, bins: usize) -> PairDistribution {
        let pairs = beads.len() * (beads.len() + 1) / 2;
        PairDistribution {
            beads,
            volume,
            reach,
            bins,
            counts: vec![vec![0; bins]; pairs],
            frames: 0,
        }
    }

    /// Counts a pair of beads, by their types and the square of their distance. Each pair of a frame counts once; pairs at or
    /// beyond the reach do not count.
    pub fn add_pair(&mut self, a: usize, b: usize, square_distance: f64) {
        let bin = square_distance.sqrt() / self.reach * self.bins as f64;
        if let Some(count) = self.counts[place(a, b)].get_mut(bin as usize) {
            *count += 1;
        }
    }

    /// Ends a frame, all pairs of which have been added.
    pub fn end_frame(&mut self) {
        self.frames += 1;
    }

    /// The number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds the frames of another one of the same beads, volume, reach and bins.
    pub fn merge(&mut self, other: &PairDistribution) {
        self.frames += other.frames;
        for (counts, more) in self.counts.iter_mut().flatten().zip(other.counts.iter().flatten()) {
            *counts += more;
        }
    }

    /// The middle of each bin.
    pub fn distances(&self) -> Vec<f64> {
        let width = self.reach / self.bins as f64;
        (0..self.bins).map(|bin| (bin as f64 + 0.5) * width).collect()
    }

    /// g(r) in each bin for beads of two types: the pairs that were counted over those of an ideal gas of the same density.
    /// `None` without frames, or if there are no such pairs of beads.
    pub fn values(&self, a: usize, b: usize) -> Option<Vec<f64>> {
        let [first, second] = [a, b].map(|kind| self.beads[kind] as f64);
        let pairs = if a == b { 0.5 * first * (first - 1.0) } else { first * second };
        let all = pairs * self.frames as f64;
        if all <= 0.0 {
            return None;
        }
        let width = self.reach / self.bins as f64;
        let sphere = |bins: usize| 4.0 / 3.0 * PI * (bins as f64 * width).powi(3);
        let value = |(bin, &count): (usize, &u64)| {
            count as f64 * self.volume / (all * (sphere(bin + 1) - sphere(bin)))
        };
        Some(self.counts[place(a, b)].iter().enumerate().map(value).collect())
    }
}

/// The place of a pair of types in the list of counts.
fn place(a: usize, b: usize) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distances in a simple cubic lattice: 6 neighbours at 1, 12 at √2, 8 at √3, 6 at 2.
    #[test]
    fn shells_of_a_lattice() {
        let side = 8_i32;
        let points: Vec<[i32; 3]> =
            (0..side.pow(3)).map(|n| [n % side, n / side % side, n / (side * side)]).collect();
        let beads = points.len();
        let mut pairs =
            PairDistribution::new(vec![beads / 2, beads / 2], f64::from(side.pow(3)), 2.31, 21);
        // Two types in layers along x.
        let kind = |point: &[i32; 3]| (point[0] % 2) as usize;
        for (number, a) in points.iter().enumerate() {
            for b in &points[number + 1..] {
                let square: i32 = (0..3)
                    .map(|axis| (a[axis] - b[axis]).rem_euclid(side))
                    .map(|apart| apart.min(side - apart).pow(2))
                    .sum();
                pairs.add_pair(kind(a), kind(b), f64::from(square));
            }
        }
        pairs.end_frame();
        let mut twice = pairs.clone();
        twice.merge(&pairs);
        assert_eq!((twice.frames(), twice.values(0, 1)), (2, pairs.values(0, 1)));
        // Neighbours of a bead in a bin: g times the density of the other type times the shell.
        let neighbours = |a: usize, b: usize, distance: f64| {
            let bin = (distance / 0.11) as usize;
            let [low, high] =
                [bin, bin + 1].map(|bin| 4.0 / 3.0 * PI * (0.11 * bin as f64).powi(3));
            // Of its own type a bead has one neighbour less to find.
            let others = if a == b { (beads / 2 - 1) as f64 } else { (beads / 2) as f64 };
            pairs.values(a, b).unwrap()[bin] * others / f64::from(side.pow(3)) * (high - low)
        };
        for (distance, alike, unlike) in
            [(1.0, 4.0, 2.0), (2_f64.sqrt(), 4.0, 8.0), (3_f64.sqrt(), 0.0, 8.0), (2.0, 6.0, 0.0)]
        {
            assert!((neighbours(0, 0, distance) - alike).abs() < 1e-9, "{distance}");
            assert!((neighbours(1, 1, distance) - alike).abs() < 1e-9, "{distance}");
            assert!((neighbours(0, 1, distance) - unlike).abs() < 1e-9, "{distance}");
        }
        assert_eq!(PairDistribution::new(vec![1], 1.0, 1.0, 4).values(0, 0), None);
    }
}
