//! Conformations of a chain: distances of its beads by their separation along the chain, and contacts.

use crate::interruption;

/// Mean square distances of pairs of beads by their separation along the chain.
///
/// ```
/// use beadwork_analysis::conformations::InternalDistances;
/// // A straight chain: the distance grows as the separation.
/// let chain: Vec<[f64; 3]> = (0..40).map(|bead| [0.38 * f64::from(bead), 0.0, 0.0]).collect();
/// let mut distances = InternalDistances::new(40);
/// distances.add(&chain);
/// let scaling = distances.scaling().unwrap();
/// assert!((scaling.exponent - 1.0).abs() < 1e-6 && (scaling.prefactor - 0.38).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InternalDistances {
    /// Σ R² over frames and pairs, by the separation less one.
    sums: Vec<f64>,
    frames: u64,
}

/// R(s) = R₀ s^ν, the root mean square distance of beads s bonds apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// ν: 1/3 of a globule, 1/2 of an ideal chain, 0.588 of a chain in good solvent.
    pub exponent: f64,
    /// R₀, in the unit of the positions.
    pub prefactor: f64,
}

/// Nearer pairs feel the stiffness of the bonds and are left out of the fit of the exponent (Tesei et al., Nature 626, 897,
/// 2024).
pub const LEAST_SEPARATION: usize = 6;

impl InternalDistances {
    /// Of a chain with this many beads, without frames.
    pub fn new(beads: usize) -> InternalDistances {
        InternalDistances { sums: vec![0.0; beads.saturating_sub(1)], frames: 0 }
    }

    /// Adds a frame.
    ///
    /// # Panics
    /// If it has more beads than the chain.
    pub fn add(&mut self, positions: &[[f64; 3]]) {
        for (i, a) in positions.iter().enumerate() {
            if interruption::is_wished() {
                break;
            }
            for (b, sum) in positions[i + 1..].iter().zip(&mut self.sums) {
                *sum += (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>();
            }
        }
        self.frames += 1;
    }

    /// The sums of both.
    pub fn merge(&mut self, other: &InternalDistances) {
        self.frames += other.frames;
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
    }

    /// Takes frames that were added away again, up to rounding.
    pub fn remove(&mut self, other: &InternalDistances) {
        self.frames -= other.frames;
        for (sum, less) in self.sums.iter_mut().zip(&other.sums) {
            *sum -= less;
        }
    }

    /// The number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The separation and the root mean square distance of beads so far apart; empty without frames.
    pub fn root_mean_squares(&self) -> Vec<(f64, f64)> {
        if self.frames == 0 {
            return Vec::new();
        }
        let beads = self.sums.len() + 1;
        let of = |(index, sum): (usize, &f64)| {
            let pairs = (beads - index - 1) as f64 * self.frames as f64;
            ((index + 1) as f64, (sum / pairs).sqrt())
        };
        self.sums.iter().enumerate().map(of).collect()
    }

    /// The least-squares fit of R₀ s^ν to the root mean square distances of beads at least six bonds apart; `None` for
    /// fewer than four such separations.
    pub fn scaling(&self) -> Option<Scaling> {
        let all = self.root_mean_squares();
        let points = all.get(LEAST_SEPARATION - 1..).filter(|points| points.len() >= 4)?;
        // For each ν the best R₀ is Σ R s^ν / Σ s^2ν; ν is found by golden section.
        let prefactor = |exponent: f64| {
            let sums = points.iter().map(|(s, r)| (r * s.powf(exponent), s.powf(2.0 * exponent)));
            let (up, down) = sums.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
            up / down
        };
        let misfit = |exponent: f64| {
            let scale = prefactor(exponent);
            points.iter().map(|(s, r)| (r - scale * s.powf(exponent)).powi(2)).sum::<f64>()
        };
        let golden = (5_f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (0.0, 2.0);
        while high - low > 1e-9 {
            let [a, b] = [high - golden * (high - low), low + golden * (high - low)];
            if misfit(a) < misfit(b) { high = b } else { low = a }
        }
        let exponent = 0.5 * (low + high);
        Some(Scaling { exponent, prefactor: prefactor(exponent) })
    }
}

/// How often each pair of beads is in contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMap {
    beads: usize,
    reach: f64,
    /// Frames in which a pair is in contact, by row.
    counts: Vec<u32>,
    frames: u32,
}

impl ContactMap {
    /// Of a chain with this many beads, without frames; beads nearer than `reach` are in contact.
    pub fn new(beads: usize, reach: f64) -> ContactMap {
        ContactMap { beads, reach, counts: vec![0; beads * beads], frames: 0 }
    }

    /// Adds a frame.
    pub fn add(&mut self, positions: &[[f64; 3]]) {
        for (i, a) in positions.iter().enumerate() {
            if interruption::is_wished() {
                break;
            }
            for (j, b) in positions.iter().enumerate().skip(i + 1) {
                let square: f64 = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum();
                if square < self.reach * self.reach {
                    self.counts[i * self.beads + j] += 1;
                    self.counts[j * self.beads + i] += 1;
                }
            }
        }
        self.frames += 1;
    }

    /// The sums of both.
    pub fn merge(&mut self, other: &ContactMap) {
        self.frames += other.frames;
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The probability of contact of two beads; NaN for a bead with itself and without frames.
    ///
    /// # Panics
    /// If there is no such bead.
    pub fn probability(&self, i: usize, j: usize) -> f64 {
        match i == j || self.frames == 0 {
            true => f64::NAN,
            false => f64::from(self.counts[i * self.beads + j]) / f64::from(self.frames),
        }
    }

    /// The probability of contact of each pair, a row for each bead; see [`ContactMap::probability`].
    pub fn probabilities(&self) -> Vec<Vec<f64>> {
        let row = |i: usize| (0..self.beads).map(|j| self.probability(i, j)).collect();
        (0..self.beads).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_are_counted_for_both_beads() {
        let mut map = ContactMap::new(3, 1.0);
        map.add(&[[0.0; 3], [0.5, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        map.add(&[[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.9, 0.0]]);
        let found = map.probabilities();
        assert_eq!((found[0][1], found[1][0], found[0][2], found[2][1]), (1.0, 1.0, 0.5, 0.0));
        assert!(found[1][1].is_nan());
    }

    #[test]
    fn frames_of_two_parts_are_those_of_the_whole() {
        let frame = |scale: f64| -> Vec<[f64; 3]> {
            (0..20).map(|bead| [scale * f64::from(bead), f64::from(bead % 3), 0.0]).collect()
        };
        let mut whole = InternalDistances::new(20);
        let mut parts = [InternalDistances::new(20), InternalDistances::new(20)];
        for (number, scale) in [1.0, 2.0, 3.0].into_iter().enumerate() {
            whole.add(&frame(scale));
            parts[number % 2].add(&frame(scale));
        }
        let [mut first, second] = parts;
        first.merge(&second);
        assert_eq!(first, whole);
        assert_eq!(whole.root_mean_squares().len(), 19);
        assert!(InternalDistances::new(8).scaling().is_none());
    }
}
