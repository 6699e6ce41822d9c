//! Proposals of moves: the monomer, its displacement, and the bound on the change of energy.

use beadwork_arithmetic::{Real, natural_logarithm};
use beadwork_random::{NoiseKey, Normal};

/// A move made of four random words: a monomer, a displacement uniform in a cube (\[G\], §3.2), and the largest
/// accepted change of energy.
///
/// The words are keyed by (sweep, move). The upper 23 bits n of words 1, 2 and 3 give components 2(n + ½)2⁻²³ − 1 in
/// (−1, 1); their lower eight bits give 24 bits m, and monomer ⌊m N/2²⁴⌋ moves. Word 0, n, gives u = (n + ½)2⁻³². The
/// move is accepted if ΔE ≤ −T ln u, which is Metropolis's u < exp(−ΔE/T).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal<T> {
    /// The monomer that moves.
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

/// Whether a change of energy is accepted; NaN is refused.
#[inline(always)]
pub(crate) fn is_accepted<T: Real>(change: T, temperature: T, threshold: T) -> bool {
    change.less_than(temperature * threshold) || change == temperature * threshold
}
