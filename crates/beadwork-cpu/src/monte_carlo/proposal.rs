//! Which monomer is to move, where to, and what it may cost.

use beadwork_arithmetic::{Real, natural_logarithm};
use beadwork_random::{NoiseKey, Normal};

/// A move as its four random words make it: a monomer, a displacement uniform in a cube (P3 §3.2), and the most that it
/// may cost.
///
/// Of the words of (sweep, move), the upper 23 bits of words 1, 2 and 3 are the components, n of them making
/// 2(n + ½)2⁻²³ − 1 in (−1, 1); their lower eight make 24 bits m, and monomer ⌊m N/2²⁴⌋ moves. Word 0 makes
/// u = (n + ½)2⁻³², and the move is accepted where ΔE ≤ −T ln u, which is Metropolis's u < exp(−ΔE/T).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal<T> {
    /// Which one.
    pub monomer: usize,
    /// Each component in (−1, 1), in units of the largest displacement.
    pub direction: [T; 3],
    /// −ln u, positive.
    pub threshold: T,
}

impl<T: Normal> Proposal<T> {
    /// The proposal of a move of a sweep; `key` is that of [`beadwork_random::Purpose::MonteCarloMove`].
    pub fn new(key: NoiseKey, sweep: u64, number: u32, monomers: usize) -> Proposal<T> {
        let words = key.words(sweep, 0, number, 0);
        let component = |word: u32| {
            let cell = f64::from(word >> 9) + 0.5;
            T::from_f64(cell / f64::from(1 << 22) - 1.0)
        };
        let [low, middle, high] = [words[3], words[2], words[1]].map(|word| u64::from(word & 255));
        let place = high << 16 | middle << 8 | low;
        let uniform = T::from_f64((f64::from(words[0]) + 0.5) / 4_294_967_296.0);
        Proposal {
            monomer: ((place * monomers as u64) >> 24) as usize,
            direction: [component(words[1]), component(words[2]), component(words[3])],
            threshold: -natural_logarithm(uniform),
        }
    }
}

/// Whether a change of energy is accepted; one that is not a number is not.
#[inline(always)]
pub(crate) fn is_accepted<T: Real>(change: T, temperature: T, threshold: T) -> bool {
    change.less_than(temperature * threshold) || change == temperature * threshold
}

#[cfg(test)]
mod tests {
    use super::*;
    use beadwork_random::Purpose;

    #[test]
    fn both_precisions_propose_alike() {
        let key = NoiseKey::new(1, Purpose::MonteCarloMove, 2);
        for number in 0..1_000 {
            let single = Proposal::<f32>::new(key, 3, number, 55);
            let double = Proposal::<f64>::new(key, 3, number, 55);
            assert_eq!(single.monomer, double.monomer);
            assert_eq!(single.direction.map(f64::from), double.direction);
            let error = f64::from(single.threshold) - double.threshold;
            assert!(error.abs() < 1e-6 * double.threshold + 1e-7);
            assert!(double.threshold > 0.0);
        }
    }

    /// Of M moves, each of 7 monomers is chosen M/7 times and each third of each axis M/3 times; χ² of 6 and of 2
    /// degrees of freedom, at 10⁻⁴ 27.9 and 18.4.
    #[test]
    fn all_monomers_and_directions_are_as_likely() {
        let key = NoiseKey::new(5, Purpose::MonteCarloMove, 0);
        let (mut chosen, mut thirds) = ([0.0; 7], [[0.0; 3]; 3]);
        let moves = 100_000;
        for number in 0..moves {
            let proposal = Proposal::<f64>::new(key, u64::from(number / 7), number % 7, 7);
            chosen[proposal.monomer] += 1.0;
            for axis in 0..3 {
                thirds[axis][(1.5 * (proposal.direction[axis] + 1.0)) as usize] += 1.0;
            }
        }
        let chi_square = |counts: &[f64]| -> f64 {
            let expected = f64::from(moves) / counts.len() as f64;
            counts.iter().map(|count| (count - expected).powi(2) / expected).sum()
        };
        assert!(chi_square(&chosen) < 27.9, "{chosen:?}");
        for counts in thirds {
            assert!(chi_square(&counts) < 18.4, "{counts:?}");
        }
    }
}
