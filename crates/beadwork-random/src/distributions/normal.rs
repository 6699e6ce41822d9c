//! [`Normal`], three standard normal numbers for a bead in either precision, and the same numbers in lanes.

use beadwork_arithmetic::{Real, Vector, Words};

use super::box_muller::box_muller;
use crate::generators::{hybrid_taus_in_lanes, philox4x32_in_lanes};
use crate::noise::{DRAW_SHIFT, NoiseKey, step_words};

/// A precision in which beads get normal noise.
///
/// The layout is frozen. In single precision one block of four words (draw 0) gives the uniforms u₀ … u₃; in double
/// precision two blocks (draws 0 and 1) give eight words, of which pairs (high word first) make u₀ … u₃. Box–Muller
/// turns (u₀, u₁) into the first two numbers, and (u₂, u₃) into the third and a number that is dropped.
pub trait Normal: Real + Vector<Scalar = Self> {
    /// Words that one call takes.
    const WORDS: usize = 4 * Self::WORDS_A_LANE;

    /// Three independent standard normal numbers of `bead` at `step`, up to
    /// [`MAXIMUM_STEP`](crate::MAXIMUM_STEP). Draws 0 and 1 are used.
    #[inline(always)]
    fn normals(key: NoiseKey, step: u64, bead: u32) -> [Self; 3] {
        normals_in_lanes(LaneCounter::<Self> {
            key: key.key_words().map(Words::splat),
            step: step_words(step).map(Words::splat),
            bead: Words::splat(bead),
        })
    }

    /// Three independent standard normal numbers from the next [`Normal::WORDS`] words of a generator.
    #[inline(always)]
    fn normals_from(draw: &mut impl FnMut() -> u32) -> [Self; 3] {
        let mut words = [Self::Words::splat(0); 8];
        for word in &mut words[..Self::WORDS] {
            *word = Words::splat(draw());
        }
        three_from(words)
    }

    /// A uniform number from the next word, or from the next two in double precision; and the last word drawn, whose
    /// low nine bits the number does not use.
    #[inline(always)]
    fn uniform_from(draw: &mut impl FnMut() -> u32) -> (Self, u32) {
        let high = draw();
        let low = if Self::WORDS_A_LANE == 1 { high } else { draw() };
        (Self::uniform(Words::splat(high), Words::splat(low)), low)
    }
}

impl Normal for f32 {}
impl Normal for f64 {}

/// The key, step and bead of each lane; lanes may differ in all three. In double precision both words of a lane are
/// equal, as [`Vector::words_from_lanes`] and [`Words::splat`] make them.
#[derive(Clone, Copy, Debug)]
pub struct LaneCounter<V: Vector> {
    /// Key words from [`NoiseKey::key_words`].
    pub key: [V::Words; 2],
    /// Step words from [`step_words`].
    pub step: [V::Words; 2],
    /// Numbers of the beads.
    pub bead: V::Words,
}

/// Three standard normal numbers in every lane: those of [`Normal::normals`] for the lane's key, step and bead.
///
/// In double precision the even words of one block are draw 0, the odd ones draw 1.
#[inline(always)]
pub fn normals_in_lanes<V: Vector>(counter: LaneCounter<V>) -> [V; 3] {
    let [low, high] = counter.step;
    let zero = V::Words::splat(0);
    let words = [low, high | V::splat_odd(1 << DRAW_SHIFT), counter.bead, zero];
    let [a, b, c, d] = philox4x32_in_lanes::<10, V::Words>(words, counter.key);
    three_from([a, b, c, d, V::odd_words(a), V::odd_words(b), V::odd_words(c), V::odd_words(d)])
}

/// Three standard normal numbers in every lane from [`HybridTaus`](crate::HybridTaus) generators, equal to those of
/// [`Normal::normals_from`]. Advances the states, given word by word as in
/// [`HybridTaus::state`](crate::HybridTaus::state).
#[inline(always)]
pub fn normals_from_states<V: Vector>(states: &mut [V::Words; 4]) -> [V; 3] {
    let mut words = [V::Words::splat(0); 8];
    // Written out as a macro, since compilers may not unroll loops over vectors.
    macro_rules! draw {
        ($($place:literal)*) => {
            $(
                if $place < 4 * V::WORDS_A_LANE {
                    words[$place] = hybrid_taus_in_lanes(states);
                }
            )*
        };
    }
    draw!(0 1 2 3 4 5 6 7);
    three_from(words)
}

/// Three standard normal numbers in every lane from words already drawn for each lane, equal to those of
/// [`Normal::normals_from`]. `word` returns the word of a lane by its index below [`Normal::WORDS`].
#[inline(always)]
pub fn normals_from_words<V: Vector>(word: impl Fn(usize, usize) -> u32) -> [V; 3] {
    let mut words = [V::Words::splat(0); 8];
    macro_rules! take {
        ($($place:literal)*) => {
            $(
                if $place < 4 * V::WORDS_A_LANE {
                    words[$place] = V::words_from_lanes(|lane| word(lane, $place));
                }
            )*
        };
    }
    take!(0 1 2 3 4 5 6 7);
    three_from(words)
}

/// Normal numbers from successive words; single precision uses the first four. This is no closure: the compiler may not
/// inline closures that hold vectors, and then compiles them without the vector instructions.
#[inline(always)]
fn three_from<V: Vector>([a, b, c, d, e, f, g, h]: [V::Words; 8]) -> [V; 3] {
    three(if V::WORDS_A_LANE == 1 {
        [V::uniform(a, a), V::uniform(b, b), V::uniform(c, c), V::uniform(d, d)]
    } else {
        [V::uniform(a, b), V::uniform(c, d), V::uniform(e, f), V::uniform(g, h)]
    })
}

#[inline(always)]
fn three<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 3] {
    let [x, y] = box_muller(a, b);
    let [z, _] = box_muller(c, d);
    [x, y, z]
}
