//! Reciprocals, roots, elementary functions and normal numbers of the kernels' own text, against the host's:
//! single precision for every fraction or every third, double for a large sample.
//!
//! Without a GPU it prints "skipped: no CUDA device".
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use beadwork_arithmetic::{arc_cosine, exponential, natural_logarithm, sine_cosine_of_turns};
use beadwork_cuda::{Buffer, Device, Function, Stream};
use beadwork_random::{box_muller, uniform_f32, uniform_f64};
use bytemuck::Pod;

/// Each thread computes a range of inputs. The emulation requires the name of the parameter.
const PROBE: &str = r#"
#include "random/keyed.cuh"

struct Round {
    const u32 *words;
    real *results;
    u32 count, operation;
};

constexpr u32 RUN = 64;

extern "C" __global__ void beadwork_probe(const __grid_constant__ Round round)
{
    const u32 first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    const u32 end = min(first + RUN, round.count);
    for (u32 place = first; place < end; ++place) {
        real *const to = round.results + 3ull * place;
        const u32 *const from = round.words + static_cast<u64>(WORDS) * place;
#if DOUBLE
        const real x = __longlong_as_double((static_cast<u64>(from[1]) << 32) | from[0]);
#else
        const real x = __uint_as_float(from[0]);
#endif
        to[0] = to[1] = to[2] = 0;
        if (round.operation == 0) to[0] = reciprocal(x);
        if (round.operation == 1) to[0] = root(x);
        if (round.operation == 2) to[0] = natural_logarithm(x);
        if (round.operation == 3) sine_cosine_of_turns(x, to[0], to[1]);
        if (round.operation == 4) normals(from, to[0], to[1], to[2]);
        if (round.operation == 5) to[0] = exponential(x);
        if (round.operation == 6) to[0] = arc_cosine(x);
    }
}
"#;

/// The most inputs of a launch, for cards with little memory.
const MOST_AT_ONCE: usize = 1 << 22;

const THREADS: u32 = 128;
const RUN: usize = 64;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Reciprocal,
    Root,
    Logarithm,
    Turns,
    Normals,
    Exponential,
    ArcCosine,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Round {
    words: u64,
    results: u64,
    count: u32,
    operation: u32,
}

/// A precision, in the form in which the kernel reads and writes it.
trait Number: Pod + PartialEq + Into<f64> {
    const DOUBLE: u32;
    /// Words of an input: those of [`Operation::Normals`]; the first of them are a number.
    const WORDS: usize;

    fn to_words(self) -> [u32; 2];
    fn is_same(self, other: Self) -> bool;
    /// The unit in the last place of `value` in this precision.
    fn unit(value: f64) -> f64;
}

fn unit(value: f64, fraction_bits: i32, smallest_exponent: i32) -> f64 {
    let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(smallest_exponent);
    // `powi` cannot compute the smallest powers of two.
    2_f64.powi(exponent) * 2_f64.powi(-fraction_bits)
}

impl Number for f32 {
    const DOUBLE: u32 = 0;
    const WORDS: usize = 4;

    fn to_words(self) -> [u32; 2] {
        [self.to_bits(), 0]
    }

    fn is_same(self, other: f32) -> bool {
        self.to_bits() == other.to_bits()
    }

    fn unit(value: f64) -> f64 {
        unit(value, 23, -126)
    }
}

impl Number for f64 {
    const DOUBLE: u32 = 1;
    const WORDS: usize = 8;

    fn to_words(self) -> [u32; 2] {
        [self.to_bits() as u32, (self.to_bits() >> 32) as u32]
    }

    fn is_same(self, other: f64) -> bool {
        self.to_bits() == other.to_bits()
    }

    fn unit(value: f64) -> f64 {
        unit(value, 52, -1022)
    }
}

/// The functions of one precision and rounding on a card.
struct Probe {
    device: Device,
    stream: Stream,
    function: Function,
    /// The stride between tested numbers: on an emulated card tests are slow.
    stride: usize,
}

impl Probe {
    /// `None`, with a notice, if there is no GPU.
    fn new<T: Number>(fused: bool) -> Option<Probe> {
        let device = match Device::open(0) {
            Ok(device) => device,
            Err(error) => {
                println!("skipped: no CUDA device ({})", error.code());
                return None;
            }
        };
        let definitions = format!(
            "#define DOUBLE {}\n#define FUSED {}\n#define PHILOX_ROUNDS 10\n",
            T::DOUBLE,
            u32::from(fused)
        );
        let source = definitions + PROBE;
        let module = device.load("arithmetic of a test", &source).unwrap();
        let function = module.function("beadwork_probe").unwrap();
        let stride = if device.properties().name == "emulated card" { 37 } else { 1 };
        Some(Probe { stream: device.stream().unwrap(), device, function, stride })
    }

    /// Three results for each input of `T::WORDS` words.
    fn results<T: Number>(&self, operation: Operation, inputs: &[u32]) -> Vec<[T; 3]> {
        let chunks = inputs.chunks(T::WORDS * MOST_AT_ONCE);
        chunks.flat_map(|inputs| self.launch(operation, inputs)).collect()
    }

    fn launch<T: Number>(&self, operation: Operation, inputs: &[u32]) -> Vec<[T; 3]> {
        let count = inputs.len() / T::WORDS;
        let mut words = Buffer::<u32>::new(&self.device, inputs.len()).unwrap();
        words.upload(&self.stream, 0, inputs).unwrap();
        let results = Buffer::<T>::new(&self.device, 3 * count).unwrap();
        let round = Round {
            words: words.address(),
            results: results.address(),
            count: count as u32,
            operation: operation as u32,
        };
        let blocks = count.div_ceil(RUN * THREADS as usize) as u32;
        // SAFETY: the parameter is the kernel's. It reads `T::WORDS` words and writes three numbers for each of `count`
        // inputs, for which the buffers are long enough; they exist until the download below has waited.
        unsafe {
            self.stream.launch(&self.function, blocks, THREADS, 0, &round).unwrap();
        }
        let mut numbers = vec![T::zeroed(); 3 * count];
        results.download(&self.stream, 0, &mut numbers).unwrap();
        numbers.as_chunks::<3>().0.to_vec()
    }

    /// Results for numbers.
    fn of_numbers<T: Number>(&self, operation: Operation, numbers: &[T]) -> Vec<[T; 3]> {
        let mut words = vec![0; T::WORDS * numbers.len()];
        for (place, number) in words.chunks_exact_mut(T::WORDS).zip(numbers) {
            place[..2].copy_from_slice(&number.to_words());
        }
        self.results(operation, &words)
    }

    /// Asserts that the card's first results have the bits of `expected`.
    fn assert_bits<T: Number + std::fmt::LowerExp>(
        &self,
        operation: Operation,
        numbers: &[T],
        expected: impl Fn(T) -> [T; 3],
    ) {
        let found = self.of_numbers(operation, numbers);
        let wrong = |place: &usize| {
            let expected = expected(numbers[*place]);
            found[*place].iter().zip(expected).any(|(found, expected)| !found.is_same(expected))
        };
        let wrong: Vec<usize> = (0..numbers.len()).filter(wrong).collect();
        if let Some(&place) = wrong.first() {
            let (x, found, expected) = (numbers[place], found[place], expected(numbers[place]));
            panic!(
                "{operation:?} of {} of {} numbers, first of {x:e}: {:e} {:e}, expected {:e} {:e}",
                wrong.len(),
                numbers.len(),
                found[0],
                found[1],
                expected[0],
                expected[1]
            );
        }
    }

    /// The largest error of the card's results, in units of the last place.
    fn worst<T: Number>(
        &self,
        operation: Operation,
        numbers: &[T],
        expected: impl Fn(T) -> [f64; 2],
    ) -> f64 {
        let found = self.of_numbers(operation, numbers);
        let errors = numbers.iter().zip(&found).flat_map(|(&x, found)| {
            let expected = expected(x);
            [0, 1].map(|k| (found[k].into() - expected[k]).abs() / T::unit(expected[k]))
        });
        // NaN counts as an infinite error.
        let errors = errors.map(|error| if error.is_nan() { f64::INFINITY } else { error });
        errors.fold(0.0, f64::max)
    }
}

/// All fractions with this exponent.
fn fractions(exponent: i32, stride: usize) -> Vec<f32> {
    let first = ((exponent + 127) as u32) << 23;
    (0..1_u32 << 23).step_by(stride).map(|fraction| f32::from_bits(first | fraction)).collect()
}

/// Reproducible integers without structure.
fn scattered(count: usize) -> impl Iterator<Item = u64> {
    (1..=count as u64).map(|n| {
        let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let n = (n ^ (n >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        n ^ (n >> 32)
    })
}

/// Doubles with any fraction and an exponent in this range.
fn doubles(count: usize, exponents: std::ops::Range<i64>) -> Vec<f64> {
    let span = (exponents.end - exponents.start) as u64;
    let number = |n: u64| {
        let exponent = (exponents.start + 1023) as u64 + (n >> 52) % span;
        f64::from_bits((exponent << 52) | (n & 0xf_ffff_ffff_ffff))
    };
    scattered(count).map(number).collect()
}

const SAMPLE: usize = 1 << 21;

#[test]
fn reciprocals_and_roots_are_correctly_rounded() {
    for fused in [false, true] {
        let Some(probe) = Probe::new::<f32>(fused) else { return };
        // Exponents up to the limits at which reciprocals are normal numbers.
        for exponent in [-126, -60, -1, 0, 1, 60, 125] {
            let numbers = fractions(exponent, probe.stride);
            probe.assert_bits(Operation::Reciprocal, &numbers, |y: f32| [1.0 / y, 0.0, 0.0]);
        }
        probe.assert_bits(Operation::Reciprocal, &[2_f32.powi(126)], |y| [1.0 / y, 0.0, 0.0]);
        // Even and odd exponents, well inside the range.
        for exponent in [-61, -60, -1, 0, 1, 60, 61] {
            let numbers = fractions(exponent, probe.stride);
            probe.assert_bits(Operation::Root, &numbers, |x: f32| [x.sqrt(), 0.0, 0.0]);
        }
        let Some(probe) = Probe::new::<f64>(fused) else { return };
        let numbers = doubles(SAMPLE / probe.stride, -1000..1000);
        probe.assert_bits(Operation::Reciprocal, &numbers, |y: f64| [1.0 / y, 0.0, 0.0]);
        probe.assert_bits(Operation::Root, &numbers, |x: f64| [x.sqrt(), 0.0, 0.0]);
    }
}

/// All values of a uniform number, and all fractions over the range.
fn arguments_of_logarithms(stride: usize) -> Vec<f32> {
    let uniforms = (0..1_u32 << 23).step_by(stride).map(|n| uniform_f32(n << 9));
    let others = [-126, -60, -24, -1, 0, 60].into_iter();
    uniforms.chain(others.flat_map(|exponent| fractions(exponent, stride))).collect()
}

/// Every multiple of 2⁻²⁴ in [0, 1].
fn turns(stride: usize) -> Vec<f32> {
    (0..=1_u32 << 24).step_by(stride).map(|n| n as f32 / 16_777_216.0).collect()
}

fn double_turns(count: usize) -> Vec<f64> {
    scattered(count).map(|n| (n >> 11) as f64 / (1_u64 << 53) as f64).collect()
}

/// Fractions with these exponents and both signs.
fn signed_fractions(exponents: &[i32], stride: usize) -> impl Iterator<Item = f32> {
    let magnitudes = exponents.iter().flat_map(move |&exponent| fractions(exponent, stride));
    magnitudes.flat_map(|x| [x, -x])
}

/// Numbers whose exponential is normal and finite.
fn arguments_of_exponentials(stride: usize) -> Vec<f32> {
    let all = signed_fractions(&[-60, -24, -3, -2, -1, 0, 3, 5, 6], 3 * stride);
    all.filter(|x| (-87.336_54..=88.722_83).contains(x)).chain([0.0, -0.0]).collect()
}

/// Random numbers between 0 and each of two ends.
fn double_arguments(count: usize, ends: [f64; 2]) -> Vec<f64> {
    let between = |n: u64| ends[(n % 2) as usize] * ((n >> 11) as f64 / (1_u64 << 53) as f64);
    scattered(count).map(between).chain(ends).chain([0.0, -0.0]).collect()
}

fn arguments_of_arc_cosines(stride: usize) -> Vec<f32> {
    let inside = signed_fractions(&[-60, -24, -13, -3, -2, -1], 3 * stride);
    inside.chain([0.0, -0.0, 1.0, -1.0]).collect()
}

const EXPONENTIALS: [f64; 2] = [-708.396_418_532_264_1, 709.782_712_893_384];

#[test]
fn rounded_as_written_exponentials_and_arc_cosines_have_the_bits_of_the_host() {
    let Some(probe) = Probe::new::<f32>(false) else { return };
    let mut numbers = arguments_of_exponentials(probe.stride);
    numbers.extend(signed_fractions(&[6, 7, 20], 37 * probe.stride));
    numbers.extend([f32::INFINITY, f32::NEG_INFINITY]);
    probe.assert_bits(Operation::Exponential, &numbers, |x| [exponential(x), 0.0, 0.0]);
    let mut numbers = arguments_of_arc_cosines(probe.stride);
    numbers.extend(signed_fractions(&[0, 1, 20], 37 * probe.stride));
    numbers.extend([f32::INFINITY, f32::NEG_INFINITY]);
    probe.assert_bits(Operation::ArcCosine, &numbers, |x| [arc_cosine(x), 0.0, 0.0]);
    let Some(probe) = Probe::new::<f64>(false) else { return };
    let count = SAMPLE / probe.stride;
    for ends in [[-1.0, 1.0], EXPONENTIALS, [-1e4, 1e4], [f64::MIN, f64::MAX]] {
        let numbers = double_arguments(count, ends);
        probe.assert_bits(Operation::Exponential, &numbers, |x| [exponential(x), 0.0, 0.0]);
        probe.assert_bits(Operation::ArcCosine, &numbers, |x| [arc_cosine(x), 0.0, 0.0]);
    }
}

#[test]
fn rounded_as_written_elementary_functions_have_the_bits_of_the_host() {
    let logarithm = |x: f32| [natural_logarithm(x), 0.0, 0.0];
    let Some(probe) = Probe::new::<f32>(false) else { return };
    probe.assert_bits(Operation::Logarithm, &arguments_of_logarithms(probe.stride), logarithm);
    probe.assert_bits(Operation::Turns, &turns(probe.stride), |u| {
        let (sine, cosine) = sine_cosine_of_turns(u);
        [sine, cosine, 0.0]
    });
    let Some(probe) = Probe::new::<f64>(false) else { return };
    let numbers = doubles(SAMPLE / probe.stride, -1022..1000);
    probe.assert_bits(Operation::Logarithm, &numbers, |x| [natural_logarithm(x), 0.0, 0.0]);
    probe.assert_bits(Operation::Turns, &double_turns(SAMPLE / probe.stride), |u| {
        let (sine, cosine) = sine_cosine_of_turns(u);
        [sine, cosine, 0.0]
    });
}

/// Words with which the uniform numbers of radius and angle take each of 2²³ values once, in different orders; the
/// third number's too.
fn words_of_normals(count: usize, stride: usize) -> Vec<u32> {
    // Odd multipliers permute whole numbers below a power of two.
    let factors = [1, 0x2c_1b3d, 0x29_7a2d, 0x1b_56c5];
    let place = |n: usize| factors.map(|factor| ((n as u32).wrapping_mul(factor) & 0x7f_ffff) << 9);
    (0..count).step_by(stride).flat_map(place).collect()
}

#[test]
fn rounded_as_written_normal_numbers_have_the_bits_of_the_host() {
    let Some(probe) = Probe::new::<f32>(false) else { return };
    let words = words_of_normals(1 << 23, probe.stride);
    let found: Vec<[f32; 3]> = probe.results(Operation::Normals, &words);
    for (words, found) in words.as_chunks::<4>().0.iter().zip(&found) {
        let [a, b, c, d] = words.map(uniform_f32);
        let ([x, y], [z, _]) = (box_muller(a, b), box_muller(c, d));
        assert_eq!(found.map(f32::to_bits), [x, y, z].map(f32::to_bits), "{words:x?}");
    }
    let Some(probe) = Probe::new::<f64>(false) else { return };
    let words: Vec<u32> =
        scattered(4 * SAMPLE / probe.stride).flat_map(|n| [(n >> 32) as u32, n as u32]).collect();
    let found: Vec<[f64; 3]> = probe.results(Operation::Normals, &words);
    for (words, found) in words.as_chunks::<8>().0.iter().zip(&found) {
        let uniform = |pair: usize| uniform_f64(words[2 * pair], words[2 * pair + 1]);
        let [x, y] = box_muller(uniform(0), uniform(1));
        let [z, _] = box_muller(uniform(2), uniform(3));
        assert_eq!(found.map(f64::to_bits), [x, y, z].map(f64::to_bits), "{words:x?}");
    }
}

/// (sin 2πu, cos 2πu) in double precision, the nearest quarter turn taken off exactly.
fn true_turns(u: f64) -> [f64; 2] {
    let quarters = (4.0 * u).round();
    let (sine, cosine) = (std::f64::consts::TAU * (u - quarters / 4.0)).sin_cos();
    match quarters as u32 % 4 {
        0 => [sine, cosine],
        1 => [cosine, -sine],
        2 => [-sine, -cosine],
        _ => [-cosine, sine],
    }
}

/// The bounds that `beadwork_arithmetic` promises; in double precision plus the last-place errors of the standard
/// library and of the product with 2π.
#[test]
fn fused_elementary_functions_are_no_less_accurate() {
    let Some(probe) = Probe::new::<f32>(true) else { return };
    let numbers = arguments_of_logarithms(probe.stride);
    let logarithm = probe.worst(Operation::Logarithm, &numbers, |x: f32| [f64::from(x).ln(), 0.0]);
    let turn = probe.worst(Operation::Turns, &turns(probe.stride), |u: f32| true_turns(u.into()));
    println!("single precision: logarithm {logarithm:.3} ulp, sine and cosine {turn:.3} ulp");
    assert!(logarithm <= 0.9 && turn <= 1.6, "{logarithm} {turn}");
    let Some(probe) = Probe::new::<f64>(true) else { return };
    let numbers = doubles(SAMPLE / probe.stride, -1022..1000);
    let logarithm = probe.worst(Operation::Logarithm, &numbers, |x: f64| [x.ln(), 0.0]);
    let numbers = double_turns(SAMPLE / probe.stride);
    let turn = probe.worst(Operation::Turns, &numbers, true_turns);
    println!("double precision: logarithm {logarithm:.3} ulp, sine and cosine {turn:.3} ulp");
    assert!(logarithm <= 2.0 && turn <= 3.6, "{logarithm} {turn}");
}

/// As for the functions above.
#[test]
fn fused_exponentials_and_arc_cosines_are_no_less_accurate() {
    let Some(probe) = Probe::new::<f32>(true) else { return };
    let numbers = arguments_of_exponentials(probe.stride);
    let power = probe.worst(Operation::Exponential, &numbers, |x: f32| [f64::from(x).exp(), 0.0]);
    let numbers = arguments_of_arc_cosines(probe.stride);
    let angle = probe.worst(Operation::ArcCosine, &numbers, |x: f32| [f64::from(x).acos(), 0.0]);
    println!("single precision: exponential {power:.3} ulp, arc cosine {angle:.3} ulp");
    assert!(power <= 0.9 && angle <= 1.2, "{power} {angle}");
    let Some(probe) = Probe::new::<f64>(true) else { return };
    let numbers = double_arguments(SAMPLE / probe.stride, EXPONENTIALS);
    let power = probe.worst(Operation::Exponential, &numbers, |x: f64| [x.exp(), 0.0]);
    let numbers = double_arguments(SAMPLE / probe.stride, [-1.0, 1.0]);
    let angle = probe.worst(Operation::ArcCosine, &numbers, |x: f64| [x.acos(), 0.0]);
    println!("double precision: exponential {power:.3} ulp, arc cosine {angle:.3} ulp");
    assert!(power <= 1.9 && angle <= 2.2, "{power} {angle}");
}
