//! Sums of exp(iq·r) over beads.

use std::f64::consts::TAU;

use beadwork_arithmetic::{Family, Instructions, Kernel};
use rayon::prelude::*;

use super::WaveVectors;
use crate::interruption;

/// Vectors that a thread takes at a time.
const VECTORS: usize = 512;
/// Beads whose powers of exp(2πi x/L) are in the cache together.
const BEADS: usize = 64;

/// A complex number: its real and its imaginary part.
type Complex = [f64; 2];
/// Complex numbers of some beads: real parts, then imaginary ones.
type AmplitudeRow = [[f64; BEADS]; 2];

const ONE: AmplitudeRow = [[1.0; BEADS], [0.0; BEADS]];

/// ρ(q) = Σ exp(iq·r) for each vector in turn, and for each a number of each type. The order of all sums is fixed, so that
/// results do not depend on the number of threads.
pub fn amplitudes(
    vectors: &WaveVectors,
    positions: &[[f64; 3]],
    types: &[u16],
    kinds: usize,
) -> Vec<Complex> {
    // Sorted by type, so that sums have no choice inside.
    let mut order: Vec<Vec<[f64; 3]>> = vec![Vec::new(); kinds];
    for (position, &kind) in positions.iter().zip(types) {
        order[usize::from(kind)].push(*position);
    }
    let instructions = Instructions::best();
    let one = |numbers: &[[i32; 3]]| {
        let mut sums = vec![[0.0; 2]; numbers.len() * kinds];
        for (kind, beads) in order.iter().enumerate() {
            let sums = &mut sums[kind..];
            for some in beads.chunks(BEADS) {
                if interruption::is_wished() {
                    break;
                }
                let powers = &Powers::new(vectors.sides(), some, numbers);
                instructions.dispatch(Add { sums, stride: kinds, numbers, powers });
            }
        }
        sums
    };
    vectors.numbers().par_chunks(VECTORS).map(one).collect::<Vec<_>>().concat()
}

/// Adds the terms of some beads to every `stride`th sum.
struct Add<'a> {
    sums: &'a mut [Complex],
    stride: usize,
    numbers: &'a [[i32; 3]],
    powers: &'a Powers,
}

impl Kernel for Add<'_> {
    type Output = ();

    // The compiler vectorises the loops over lanes for each set of instructions.
    #[inline(always)]
    fn run<F: Family>(self) {
        let Add { sums, stride, numbers, powers } = self;
        let mut last = None;
        let mut across = ONE;
        for (sum, &[x, y, z]) in sums.iter_mut().step_by(stride).zip(numbers) {
            // Neighbours in the sorted list share their first two numbers.
            if last.replace([x, y]) != Some([x, y]) {
                across = product(&powers.get(0, x), &powers.get(1, y));
            }
            let along = &powers.axes[2][z.unsigned_abs() as usize];
            let sign = if z < 0 { -1.0 } else { 1.0 };
            let [mut real, mut imaginary] = [[0.0; LANES]; 2];
            for at in (0..BEADS).step_by(LANES) {
                for lane in 0..LANES {
                    let [a, b] = [across[0][at + lane], across[1][at + lane]];
                    let [c, d] = [along[0][at + lane], sign * along[1][at + lane]];
                    real[lane] += a * c - b * d;
                    imaginary[lane] += a * d + b * c;
                }
            }
            sum[0] += real.iter().sum::<f64>();
            sum[1] += imaginary.iter().sum::<f64>();
        }
    }
}

/// Partial sums that a processor adds at once.
const LANES: usize = 8;

/// exp(2πi n x/L) of some beads for each axis and each n from 0 up. Places without a bead have zeros along x.
struct Powers {
    axes: [Vec<AmplitudeRow>; 3],
}

impl Powers {
    fn new(sides: [f64; 3], beads: &[[f64; 3]], numbers: &[[i32; 3]]) -> Powers {
        let of_axis = |axis: usize| {
            let most = numbers.iter().map(|n| n[axis].unsigned_abs()).max().unwrap_or(0);
            let mut unit = ONE;
            let mut first = ONE;
            for (place, position) in beads.iter().enumerate() {
                let sides_away = position[axis] / sides[axis];
                let angle = TAU * (sides_away - sides_away.floor());
                (unit[1][place], unit[0][place]) = angle.sin_cos();
            }
            if axis == 0 {
                first[0][beads.len()..].fill(0.0);
            }
            let mut rows = vec![first];
            for n in 0..most as usize {
                rows.push(product(&rows[n], &unit));
            }
            rows
        };
        Powers { axes: [0, 1, 2].map(of_axis) }
    }

    /// The powers for n, which may be negative.
    #[inline(always)]
    fn get(&self, axis: usize, n: i32) -> AmplitudeRow {
        let mut row = self.axes[axis][n.unsigned_abs() as usize];
        if n < 0 {
            row[1].iter_mut().for_each(|imaginary| *imaginary = -*imaginary);
        }
        row
    }
}

#[inline(always)]
fn product(one: &AmplitudeRow, other: &AmplitudeRow) -> AmplitudeRow {
    let mut product = ONE;
    for bead in 0..BEADS {
        let [a, b, c, d] = [one[0][bead], one[1][bead], other[0][bead], other[1][bead]];
        product[0][bead] = a * c - b * d;
        product[1][bead] = a * d + b * c;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums term by term.
    #[test]
    fn sums_are_those_of_single_terms() {
        let sides = [3.0, 4.0, 5.5];
        let vectors = WaveVectors::new(sides, 14.0, 30.0);
        let position = |bead: usize| {
            [0.37, 1.91, 2.83].map(|factor| ((bead * bead) as f64 * factor) % 40.0 - 20.0)
        };
        // Not a multiple of the beads in a row, for either type.
        let positions: Vec<[f64; 3]> = (0..203).map(position).collect();
        let types: Vec<u16> = (0..203).map(|bead| u16::from(bead % 3 == 1)).collect();
        let found = amplitudes(&vectors, &positions, &types, 2);
        assert!(vectors.numbers().len() > 2 * VECTORS);
        for (of_types, &numbers) in found.chunks(2).zip(vectors.numbers()) {
            let q = vectors.vector(numbers);
            let mut sums = [[0.0; 2]; 2];
            for (position, &kind) in positions.iter().zip(&types) {
                let angle: f64 = (0..3).map(|axis| q[axis] * position[axis]).sum();
                sums[usize::from(kind)][0] += angle.cos();
                sums[usize::from(kind)][1] += angle.sin();
            }
            for (found, sum) in of_types.as_flattened().iter().zip(sums.as_flattened()) {
                // Products of up to 30 factors, sums of 203 terms, angles up to 30 · 20 · √3: some 10⁻¹¹ at most.
                assert!((found - sum).abs() < 1e-10, "{numbers:?}: {found} {sum}");
            }
        }
    }
}
