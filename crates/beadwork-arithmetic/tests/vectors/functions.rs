//! The elementary functions in the lanes of every family have the bits of the plain functions.

use std::thread;

use crate::scattered;
use beadwork_arithmetic::{
    Elementary, Family, Instructions, Kernel, Real, Vector, arc_cosine, exponential,
    natural_logarithm, sine_cosine_of_turns,
};

/// Numbers that are compared together.
const BLOCK: usize = 4096;

/// The results of the functions for a block.
struct Values<T> {
    logarithm: Vec<T>,
    sine: Vec<T>,
    cosine: Vec<T>,
    exponential: Vec<T>,
    arc_cosine: Vec<T>,
}

impl<T: Real> Values<T> {
    fn new() -> Self {
        let zeros = || vec![T::zero(); BLOCK];
        Self {
            logarithm: zeros(),
            sine: zeros(),
            cosine: zeros(),
            exponential: zeros(),
            arc_cosine: zeros(),
        }
    }
}

struct Logarithm<'block, T>(&'block [T], &'block mut Values<T>);

impl<T: Real> Kernel for Logarithm<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let width = T::Vector::<F>::WIDTH;
        let outputs = self.1.logarithm.chunks_exact_mut(width);
        for (input, output) in self.0.chunks_exact(width).zip(outputs) {
            natural_logarithm(T::Vector::<F>::load(input)).store(output);
        }
    }
}

struct Turns<'block, T>(&'block [T], &'block mut Values<T>);

impl<T: Real> Kernel for Turns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let width = T::Vector::<F>::WIDTH;
        let sines = self.1.sine.chunks_exact_mut(width);
        let outputs = sines.zip(self.1.cosine.chunks_exact_mut(width));
        for (input, (sine, cosine)) in self.0.chunks_exact(width).zip(outputs) {
            let (s, c) = sine_cosine_of_turns(T::Vector::<F>::load(input));
            s.store(sine);
            c.store(cosine);
        }
    }
}

struct ExponentialAndArcCosine<'block, T>(&'block [T], &'block mut Values<T>);

impl<T: Real> Kernel for ExponentialAndArcCosine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let width = T::Vector::<F>::WIDTH;
        let powers = self.1.exponential.chunks_exact_mut(width);
        let outputs = powers.zip(self.1.arc_cosine.chunks_exact_mut(width));
        for (input, (power, angle)) in self.0.chunks_exact(width).zip(outputs) {
            let x = T::Vector::<F>::load(input);
            exponential(x).store(power);
            arc_cosine(x).store(angle);
        }
    }
}

/// Compares all families on `blocks` blocks of numbers, number n being `number(n)`, on all cores.
fn compare<T>(
    blocks: usize,
    number: impl Fn(u64) -> T + Sync,
    plain: impl Fn(&[T], &mut Values<T>) + Sync,
    vectors: impl Fn(Instructions, &[T], &mut Values<T>) + Sync,
) where
    T: Real + Elementary,
    T::Bits: PartialEq,
{
    let families: Vec<Instructions> =
        Instructions::ALL.into_iter().skip(1).filter(|some| some.is_available()).collect();
    let threads = thread::available_parallelism().unwrap().get();
    let work = |thread: usize| {
        let mut inputs = vec![T::zero(); BLOCK];
        let (mut expected, mut found) = (Values::new(), Values::new());
        for block in (thread..blocks).step_by(threads) {
            for (n, input) in inputs.iter_mut().enumerate() {
                *input = number((block * BLOCK + n) as u64);
            }
            plain(&inputs, &mut expected);
            for family in &families {
                vectors(*family, &inputs, &mut found);
                let pairs = [
                    (&found.logarithm, &expected.logarithm),
                    (&found.sine, &expected.sine),
                    (&found.cosine, &expected.cosine),
                    (&found.exponential, &expected.exponential),
                    (&found.arc_cosine, &expected.arc_cosine),
                ];
                for (found, expected) in pairs {
                    let differs = |(a, b): (&T, &T)| a.to_bits() != b.to_bits();
                    if let Some(n) = found.iter().zip(expected).position(differs) {
                        let (x, found, expected) = (inputs[n], found[n], expected[n]);
                        panic!("{}: {found:?} of {x:?}, not {expected:?}", family.name());
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || work(thread));
        }
    });
}

fn compare_logarithms<T>(blocks: usize, number: impl Fn(u64) -> T + Sync)
where
    T: Real + Elementary,
    T::Bits: PartialEq,
{
    compare(
        blocks,
        number,
        |inputs, values| {
            for (input, output) in inputs.iter().zip(&mut values.logarithm) {
                *output = natural_logarithm(*input);
            }
        },
        |family, inputs, values| family.dispatch(Logarithm(inputs, values)),
    );
}

fn compare_turns<T>(blocks: usize, number: impl Fn(u64) -> T + Sync)
where
    T: Real + Elementary,
    T::Bits: PartialEq,
{
    compare(
        blocks,
        number,
        |inputs, values| {
            let outputs = values.sine.iter_mut().zip(&mut values.cosine);
            for (input, (sine, cosine)) in inputs.iter().zip(outputs) {
                (*sine, *cosine) = sine_cosine_of_turns(*input);
            }
        },
        |family, inputs, values| family.dispatch(Turns(inputs, values)),
    );
}

fn compare_exponentials_and_arc_cosines<T>(blocks: usize, number: impl Fn(u64) -> T + Sync)
where
    T: Real + Elementary,
    T::Bits: PartialEq,
{
    compare(
        blocks,
        number,
        |inputs, values| {
            let outputs = values.exponential.iter_mut().zip(&mut values.arc_cosine);
            for (input, (power, angle)) in inputs.iter().zip(outputs) {
                (*power, *angle) = (exponential(*input), arc_cosine(*input));
            }
        },
        |family, inputs, values| family.dispatch(ExponentialAndArcCosine(inputs, values)),
    );
}

#[test]
fn logarithm_in_single_precision_of_every_number_up_to_one() {
    // All positive normal numbers up to 1, counted by their bits.
    let numbers = 0x3f80_0000 - 0x0080_0000;
    compare_logarithms(numbers / BLOCK, |n| f32::from_bits(0x3f80_0000 - n as u32));
}

#[test]
fn turns_in_single_precision_of_every_multiple() {
    compare_turns((1 << 24) / BLOCK, |n| (n + 1) as f32 / 16_777_216.0);
}

#[test]
fn logarithm_in_double_precision_of_random_numbers() {
    let uniform = |n: u64| ((n >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0;
    let any = |n: u64| f64::from_bits(0x0010_0000_0000_0000 + n % 0x3fe0_0000_0000_0000);
    compare_logarithms(250, |n| if n % 2 == 0 { uniform(scattered(n)) } else { any(scattered(n)) });
}

#[test]
fn turns_in_double_precision_of_random_angles() {
    compare_turns(250, |n| (scattered(n) >> 11) as f64 / 9_007_199_254_740_992.0);
}

#[test]
fn exponential_and_arc_cosine_in_single_precision_over_all_magnitudes() {
    // Every 31st of the numbers up to infinity, counted by their bits, with both signs.
    let numbers = 2 * (0x7f80_0000 / 31);
    compare_exponentials_and_arc_cosines(numbers / BLOCK, |n| {
        f32::from_bits((n / 2 * 31) as u32 | ((n % 2) << 31) as u32)
    });
}

#[test]
fn exponential_and_arc_cosine_in_double_precision_of_random_numbers() {
    let symmetric = |n: u64| (n >> 10) as f64 / 9_007_199_254_740_992.0 - 1.0;
    compare_exponentials_and_arc_cosines(250, |n| match n % 2 {
        0 => 750.0 * symmetric(scattered(n)),
        _ => 1.01 * symmetric(scattered(n)),
    });
}
