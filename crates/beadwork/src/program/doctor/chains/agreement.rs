//! Bounds for the difference between chains on a card and those of the reference path.

use beadwork::cuda::Stop;
use beadwork::model::Precision;
use beadwork::model::force_fields::elastic_polymer::ElasticPolymer;

/// Roundings of a term of an energy, as parts of its size. With unit u a squared distance has 5 of them, a quotient σ²/r² 7,
/// its third power 23 and s³(s³ − 1) 48; the shift, which is less than s³, adds 26 of it: together 75 of s⁶ + s³. Of a bond's
/// stretch y = (r − r₀)/R the difference has 3.5 r/R < 12 and the product 2, so that 1 − y² is off by 30 u and
/// −(K R²/2) ln(1 − y²) by K R²/2 (30 + 10)/(1 − y²) u, the logarithm's own among them.
const ROUNDINGS: f64 = 80.0;

/// How the sum of an energy is rounded.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The unit of rounding; 0 if every operation is rounded as on the reference path.
    unit: f64,
}

/// Partial sums, by number of the monomer.
const PARTIALS: usize = 32;

impl Sum {
    /// The sum of a program with the rounding of the reference path.
    pub const AS_WRITTEN: Sum = Sum { unit: 0.0 };

    /// The sum of a program with fused sums of products.
    pub fn fused(precision: Precision) -> Sum {
        let unit = match precision {
            Precision::Single => SINGLE,
            Precision::Double => 1.0 / (1_u64 << 53) as f64,
        };
        Sum { unit }
    }

    /// The largest difference of two energies of a chain that are rounded differently, in units of ε.
    ///
    /// Each term is rounded by [`ROUNDINGS`] units of its size, then once for each other term of its partial sum, and 5 times
    /// when the partial sums are added. Pairs beyond the cutoff add nothing.
    fn bound(&self, polymer: &ElasticPolymer, positions: &[[f64; 3]]) -> f64 {
        let ElasticPolymer { pairs, bonds, .. } = polymer;
        let square = |i: usize, j: usize| -> f64 {
            (0..3).map(|axis| (positions[i][axis] - positions[j][axis]).powi(2)).sum()
        };
        let mut terms = vec![0; PARTIALS];
        let mut size = 0.0;
        for j in 1..positions.len() {
            let near = (0..j).map(|i| square(i, j)).filter(|r2| *r2 <= pairs.cutoff.powi(2));
            for r2 in near {
                let cube = (pairs.diameter.powi(2) / r2).powi(3);
                size += 4.0 * pairs.depth * (cube * cube + cube);
                terms[j % PARTIALS] += 1;
            }
            let stretch = (square(j - 1, j).sqrt() - bonds.length) / bonds.limit;
            let scale = 0.5 * bonds.stiffness * bonds.limit.powi(2);
            size += scale / (1.0 - stretch * stretch);
            terms[j % PARTIALS] += 1;
        }
        let most = terms.into_iter().max().unwrap_or(0);
        2.0 * self.unit * size * (ROUNDINGS + f64::from(most) + 5.0)
    }
}

const SINGLE: f64 = 1.0 / (1_u32 << 24) as f64;

/// Compares stops with those of the reference path. Returns the largest difference of an energy as a fraction of what rounding
/// allows.
///
/// All programs round moves alike, so a monomer that moves ends at the same bits. Programs may differ only in whether they
/// accept a move whose change of energy is within rounding of the limit: some 10⁻⁶ T in single precision, for about one in a
/// million moves. None of the 2·10⁵ moves in single precision of the fixed seed is so close, so positions, accepted moves and
/// displacements must have the same bits. So must rungs, because the reference path decides exchanges by the energies `found`.
pub fn compare(
    polymer: &ElasticPolymer,
    found: &[Stop],
    expected: &[Stop],
    sum: Sum,
) -> Result<f64, String> {
    let what = |stop: &Stop| {
        (stop.sweep, stop.energies.is_some(), stop.positions.is_some(), stop.rungs.is_some())
    };
    if !found.iter().map(what).eq(expected.iter().map(what)) {
        return Err("samples and exchanges are not those of the reference path".to_string());
    }
    let mut worst = 0.0_f64;
    for (found, expected) in found.iter().zip(expected) {
        let sweep = found.sweep;
        if found.accepted != expected.accepted {
            return Err(format!(
                "up to sweep {sweep} the replicas have accepted {:?} moves, and on the reference path {:?}",
                found.accepted, expected.accepted
            ));
        }
        if let Some(replica) = first_difference(&found.positions, &expected.positions) {
            return Err(format!(
                "after sweep {sweep} replica {replica} is not where the reference path has it, which should be the same bits"
            ));
        }
        let energies = found.energies.iter().flatten().zip(expected.energies.iter().flatten());
        let positions = expected.positions.iter().flatten();
        for (replica, ((here, there), positions)) in energies.zip(positions).enumerate() {
            let (difference, bound) = ((here - there).abs(), sum.bound(polymer, positions));
            if difference.is_nan() || difference > bound {
                return Err(format!(
                    "after sweep {sweep} the energy of replica {replica} is {here:?} and on the reference path {there:?}, and rounding allows {bound:.1e} between them"
                ));
            }
            if difference > 0.0 {
                worst = worst.max(difference / bound);
            }
        }
        if let Some(replica) = first_difference(&found.rungs, &expected.rungs) {
            return Err(format!(
                "after the exchange of sweep {sweep} replica {replica} is on another rung than its energy says"
            ));
        }
    }
    Ok(worst)
}

/// The index of the first element that differs.
fn first_difference<T: PartialEq>(
    found: &Option<Vec<T>>,
    expected: &Option<Vec<T>>,
) -> Option<usize> {
    found.iter().flatten().zip(expected.iter().flatten()).position(|(a, b)| a != b)
}

#[cfg(test)]
mod tests {
    use beadwork::cpu::monte_carlo::{ChainSampler, ChainSamplerState, Rung};

    use super::*;

    /// Single precision is off by at most half of the bound, which is for two such paths; a missing pair in contact,
    /// −ε, exceeds the bound.
    #[test]
    fn energies_are_bounded_by_their_rounding() {
        for monomers in [2, 13, 55, 128] {
            let polymer = ElasticPolymer::new(monomers);
            let sum = Sum { unit: SINGLE };
            let mut state = ChainSamplerState { sweep: 0, positions: polymer.straight() };
            let mut single = ChainSampler::<f32>::new(&polymer, 5, 0, &state);
            for temperature in [2.0, 1.0, 0.4] {
                single.advance(300, Rung { temperature, displacement: 0.1 }, &polymer);
                state = single.state();
                let double = ChainSampler::<f64>::new(&polymer, 5, 0, &state);
                let difference = (single.energy(&polymer) - double.energy(&polymer)).abs();
                let bound = sum.bound(&polymer, &state.positions);
                assert!(2.0 * difference <= bound && bound < 0.3, "{difference:e} of {bound:e}");
            }
        }
    }
}
