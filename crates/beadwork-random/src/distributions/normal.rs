//! [`Normal`], three standard normal numbers of a bead in either precision.

use beadwork_arithmetic::{Elementary, Real};

use super::box_muller::box_muller;
use super::uniform::{uniform_f32, uniform_f64};
use crate::noise::NoiseKey;

/// A precision in which beads have normal noise.
///
/// The layout is frozen. In single precision one block of four words (draw 0) gives the uniforms u₀ … u₃; in double
/// precision two blocks (draws 0 and 1) give eight words, of which pairs (high word first) make u₀ … u₃. Then the first
/// two numbers are Box–Muller's of (u₀, u₁) and the third is the first one of (u₂, u₃); its second one is dropped.
pub trait Normal: Real + Elementary {
    /// Words that one call takes.
    const WORDS: usize;

    /// Three independent standard normal numbers of `bead` at `step`, up to
    /// [`MAXIMUM_STEP`](crate::MAXIMUM_STEP). Draws 0 and 1 are used.
    fn normals(key: NoiseKey, step: u64, bead: u32) -> [Self; 3];

    /// Three independent standard normal numbers from the next [`Normal::WORDS`] words of a generator.
    fn normals_from(draw: &mut impl FnMut() -> u32) -> [Self; 3];
}

#[inline(always)]
fn three<T: Elementary>([a, b, c, d]: [T; 4]) -> [T; 3] {
    let [x, y] = box_muller(a, b);
    let [z, _] = box_muller(c, d);
    [x, y, z]
}

#[inline(always)]
fn single(words: [u32; 4]) -> [f32; 3] {
    three(words.map(uniform_f32))
}

#[inline(always)]
fn double([a, b, c, d]: [u32; 4], [e, f, g, h]: [u32; 4]) -> [f64; 3] {
    three([uniform_f64(a, b), uniform_f64(c, d), uniform_f64(e, f), uniform_f64(g, h)])
}

impl Normal for f32 {
    const WORDS: usize = 4;

    #[inline(always)]
    fn normals(key: NoiseKey, step: u64, bead: u32) -> [Self; 3] {
        single(key.words(step, 0, bead, 0))
    }

    #[inline(always)]
    fn normals_from(draw: &mut impl FnMut() -> u32) -> [Self; 3] {
        single([(); 4].map(|()| draw()))
    }
}

impl Normal for f64 {
    const WORDS: usize = 8;

    #[inline(always)]
    fn normals(key: NoiseKey, step: u64, bead: u32) -> [Self; 3] {
        double(key.words(step, 0, bead, 0), key.words(step, 1, bead, 0))
    }

    #[inline(always)]
    fn normals_from(draw: &mut impl FnMut() -> u32) -> [Self; 3] {
        let first = [(); 4].map(|()| draw());
        let second = [(); 4].map(|()| draw());
        double(first, second)
    }
}
