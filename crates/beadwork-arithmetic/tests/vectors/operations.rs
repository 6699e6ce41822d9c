//! Compares every family with plain numbers, to the bit. One test body serves all families and precisions.

use beadwork_arithmetic::{
    Bits, Elementary, Family, Instructions, Kernel, Lane, Pair, Portable, Precision, Real,
    SpreadWords, Vector, Words,
};

/// A check on the vectors of one type.
trait Check<T: Real> {
    fn check<V: Vector<Scalar = T>>(&self);
}

/// Runs a check with every family that this machine has, in one precision, alone and in pairs.
fn with_every_family<T: Real>(check: &impl Check<T>) {
    struct Run<'check, T, C>(&'check C, std::marker::PhantomData<T>);

    impl<T: Real, C: Check<T>> Kernel for Run<'_, T, C> {
        type Output = ();

        #[inline(always)]
        fn run<F: Family>(self) {
            self.0.check::<T::Vector<F>>();
            self.0.check::<Pair<T::Vector<F>>>();
        }
    }

    for instructions in Instructions::ALL.into_iter().filter(|some| some.is_available()) {
        instructions.dispatch(Run(check, std::marker::PhantomData));
    }
    Run(check, std::marker::PhantomData).run::<Portable>();
}

/// Reproducible pseudo-random words, one after another.
fn scattered() -> impl FnMut() -> u64 {
    let mut numbers = (0..).map(crate::scattered);
    move || numbers.next().unwrap()
}

/// A plain number made from the low bits of a `u64`.
trait Plain: Real + Precision + Elementary + Vector<Scalar = Self> {
    fn from_word(word: u64) -> Self;
    fn word(self) -> u64;
}

impl Plain for f32 {
    fn from_word(word: u64) -> Self {
        f32::from_bits(word as u32)
    }

    fn word(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Plain for f64 {
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }

    fn word(self) -> u64 {
        self.to_bits()
    }
}

/// Numbers for which arithmetic has special rules, of both signs, and their neighbours.
fn special<T: Plain>() -> Vec<T> {
    let infinity = T::from_f64(f64::INFINITY).word();
    let smallest_normal = 1 << T::FRACTION_BITS;
    let one = T::from_f64(1.0).word();
    let bits = [
        0,
        1,
        12_345,
        smallest_normal - 1,
        smallest_normal,
        one - 1,
        one,
        one + 1,
        T::from_f64(3.0).word(),
        infinity - 1,
        infinity,
        T::from_f64(f64::NAN).word() & !T::from_f64(-0.0).word(),
    ];
    let sign = T::from_f64(-0.0).word();
    bits.into_iter().flat_map(|bits| [T::from_word(bits), T::from_word(bits | sign)]).collect()
}

/// All pairs of special numbers, then random bits, then random numbers of similar size; a multiple of 32 pairs.
fn pairs<T: Plain>() -> Vec<[T; 2]> {
    let special = special::<T>();
    let mut pairs: Vec<[T; 2]> =
        special.iter().flat_map(|a| special.iter().map(|b| [*a, *b])).collect();
    let mut next = scattered();
    while pairs.len() < 20_000 || !pairs.len().is_multiple_of(32) {
        pairs.push([next(), next()].map(T::from_word));
        let fraction = (1 << T::FRACTION_BITS) - 1;
        let like_one = T::from_f64(1.0).word() & !fraction;
        let sign = T::from_f64(-0.0).word();
        pairs.push([next(), next()].map(|word| T::from_word(word & (fraction | sign) | like_one)));
    }
    pairs
}

/// Equal to the bit, or both NaN: IEEE 754 leaves open which NaN results.
#[track_caller]
fn assert_same<T: Plain>(found: T, expected: T, what: &str, of: &[T]) {
    let undefined = |number: T| number.partial_cmp(&number).is_none();
    let same = found.word() == expected.word() || (undefined(found) && undefined(expected));
    assert!(same, "{what} of {of:?} is {found:?} instead of {expected:?}");
}

struct Arithmetic;

impl<T: Plain> Check<T> for Arithmetic {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        for group in pairs::<T>().chunks_exact(V::WIDTH) {
            let a = V::from_lanes(|lane| group[lane][0]);
            let b = V::from_lanes(|lane| group[lane][1]);
            let (mut sum, mut difference, mut product) = (a, a, a);
            sum += b;
            difference -= b;
            product *= b;
            for (lane, [x, y]) in group.iter().copied().enumerate() {
                let same = |vector: V, expected: T, what: &str| {
                    assert_same(vector.lane(lane), expected, &format!("{name}: {what}"), &[x, y]);
                };
                same(a + b, x + y, "sum");
                same(sum, x + y, "sum in place");
                same(a - b, x - y, "difference");
                same(difference, x - y, "difference in place");
                same(a * b, x * y, "product");
                same(product, x * y, "product in place");
                same(a / b, x / y, "quotient");
                same(a.sqrt(), Lane::sqrt(x), "root");
                // These operations move bits and must keep even NaN unchanged.
                let exact = |vector: V, expected: T, what: &str| {
                    let found = vector.lane(lane);
                    assert_eq!(found.word(), expected.word(), "{name}: {what} of {x:?} and {y:?}");
                };
                exact(-a, -x, "negation");
                exact(a.abs(), Lane::abs(x), "magnitude");
                exact(V::select(a.less_than(b), a, b), if x < y { x } else { y }, "selection");
                let mask = V::mask_to_bits(a.less_than(b));
                assert_eq!(mask >> lane & 1 == 1, x < y, "{name}: {x:?} < {y:?}");
                exact(V::from_bits(a.to_bits()), x, "bits and back");
            }
        }
        for value in [0.0, -0.0, 0.1, -1.0 / 3.0, f64::INFINITY, 1e-40] {
            for lane in 0..V::WIDTH {
                assert_eq!(V::from_f64(value).lane(lane).word(), T::from_f64(value).word());
            }
        }
        assert_eq!(V::zero().lane(V::WIDTH - 1).word(), 0);
    }
}

#[test]
fn arithmetic_and_comparisons() {
    with_every_family::<f32>(&Arithmetic);
    with_every_family::<f64>(&Arithmetic);
}

struct Masks;

impl<T: Plain> Check<T> for Masks {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        let all = u32::MAX >> (32 - V::WIDTH);
        let mut next = scattered();
        let mut some = vec![0, all, 1, 1 << (V::WIDTH - 1), all ^ 1];
        some.extend((0..1000).map(|_| next() as u32 & all));
        for a in some.iter().copied() {
            let mask = V::mask_from_bits(a);
            assert_eq!(V::mask_to_bits(mask), a, "{name}");
            // Bits beyond the last lane are ignored.
            assert_eq!(V::mask_to_bits(V::mask_from_bits(a | !all)), a, "{name}");
            assert_eq!(V::any(mask), a != 0, "{name}: {a:b}");
            let b = next() as u32 & all;
            let other = V::mask_from_bits(b);
            assert_eq!(V::mask_to_bits(V::both(mask, other)), a & b, "{name}");
            let chosen = V::select(mask, V::from_f64(2.0), V::from_f64(-3.0));
            for lane in 0..V::WIDTH {
                let expected = if a >> lane & 1 == 1 { 2.0 } else { -3.0 };
                assert_eq!(chosen.lane(lane).to_f64(), expected, "{name}: {a:b}");
            }
        }
    }
}

#[test]
fn masks() {
    with_every_family::<f32>(&Masks);
    with_every_family::<f64>(&Masks);
}

struct Memory;

impl<T: Plain> Check<T> for Memory {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        let numbers: Vec<T> = (0..64).map(|n| T::from_f64(f64::from(n) + 0.1)).collect();
        // Starts at every offset, so most loads are not aligned.
        for first in 0..16 {
            let vector = V::load(&numbers[first..]);
            let mut stored = [T::zero(); 64];
            vector.store(&mut stored[first..]);
            let mut doubles = [0.0; 64];
            vector.to_f64_lanes(&mut doubles[first..]);
            for n in 0..64 {
                let inside = (first..first + V::WIDTH).contains(&n);
                let expected = if inside { numbers[n] } else { T::zero() };
                assert_eq!(stored[n].word(), expected.word(), "{name}: number {n}");
                assert_eq!(doubles[n], expected.to_f64(), "{name}: number {n}");
            }
            for lane in 0..V::WIDTH {
                assert_eq!(vector.lane(lane).word(), numbers[first + lane].word(), "{name}");
            }
        }
        let mut asked = Vec::new();
        V::from_lanes(|lane| {
            asked.push(lane);
            T::zero()
        });
        V::words_from_lanes(|lane| {
            asked.push(lane);
            0
        });
        let once: Vec<usize> = (0..V::WIDTH).chain(0..V::WIDTH).collect();
        assert_eq!(asked, once, "{name}");

        let four = [10.0, 20.0, 30.0, 40.0].map(T::from_f64);
        // Parts beyond the tile repeat it from its first pair.
        for part in 0..(32 / V::WIDTH).max(2) {
            let (columns, rows) = (V::columns(&four, part), V::rows(&four, part));
            for lane in 0..V::WIDTH {
                let pair = part * V::WIDTH + lane;
                assert_eq!(columns.lane(lane).word(), four[pair % 4].word(), "{name}: {pair}");
                assert_eq!(rows.lane(lane).word(), four[pair / 4 % 4].word(), "{name}: {pair}");
            }
        }
    }
}

#[test]
fn numbers_in_memory_and_tiles() {
    with_every_family::<f32>(&Memory);
    with_every_family::<f64>(&Memory);
}

struct Chosen;

impl<T: Plain> Check<T> for Chosen {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        let all = u32::MAX >> (32 - V::WIDTH);
        let mut next = scattered();
        let mut some = vec![0, all, 1, 1 << (V::WIDTH - 1), all ^ 1];
        some.extend((0..1000).map(|_| next() as u32 & all));
        for bits in some {
            let from: Vec<u32> = (0..V::WIDTH).map(|_| next() as u32).collect();
            let chosen = (0..V::WIDTH).filter(|lane| bits >> lane & 1 == 1);
            let expected: Vec<u32> = chosen.map(|lane| from[lane]).collect();
            // Bits beyond the last lane are ignored.
            for bits in [bits, bits | !all] {
                let mut to = vec![7; V::WIDTH + 1];
                let count = V::store_chosen(bits, &from, &mut to);
                assert_eq!(to[..count], expected, "{name}: {bits:b}");
                assert_eq!(to[V::WIDTH], 7, "{name}: {bits:b}");
            }
        }
    }
}

#[test]
fn numbers_of_chosen_lanes() {
    with_every_family::<f32>(&Chosen);
    with_every_family::<f64>(&Chosen);
}

struct TooShort;

impl<T: Plain> Check<T> for TooShort {
    fn check<V: Vector<Scalar = T>>(&self) {
        let short = vec![T::zero(); V::WIDTH - 1];
        let fails = |work: &mut dyn FnMut()| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err()
        };
        let name = std::any::type_name::<V>();
        assert!(fails(&mut || _ = V::load(&short)), "{name}: load");
        assert!(fails(&mut || V::zero().store(&mut short.clone())), "{name}: store");
        let mut doubles = vec![0.0; V::WIDTH - 1];
        assert!(fails(&mut || V::zero().to_f64_lanes(&mut doubles)), "{name}: doubles");
        assert!(fails(&mut || _ = V::zero().lane(V::WIDTH)), "{name}: lane");
        let (few, enough) = (vec![0; V::WIDTH - 1], vec![0; V::WIDTH]);
        let chosen = |from: &[u32], to: &[u32]| {
            fails(&mut || _ = V::store_chosen(0, from, &mut to.to_vec()))
        };
        assert!(chosen(&few, &enough) && chosen(&enough, &few), "{name}: chosen lanes");
        let words = V::words_from_lanes(|_| 0);
        assert!(fails(&mut || _ = V::word(words, V::WIDTH)), "{name}: word");
    }
}

#[test]
fn slices_that_are_too_short_are_refused() {
    with_every_family::<f32>(&TooShort);
    with_every_family::<f64>(&TooShort);
}

struct Integers;

impl<T: Plain> Check<T> for Integers {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        let width = 1 + T::FRACTION_BITS + T::EXPONENT_BITS;
        let kept = u64::MAX >> (64 - width);
        let mut next = scattered();
        for round in 0..2000 {
            let words: Vec<[u64; 2]> = (0..V::WIDTH).map(|_| [next(), next()]).collect();
            let bits = |n: usize| V::from_lanes(|lane| T::from_word(words[lane][n])).to_bits();
            let (a, b) = (bits(0), bits(1));
            let shift = round % width;
            for (lane, [x, y]) in words.iter().copied().enumerate() {
                let (x, y) = (x & kept, y & kept);
                let same = |found: V::Bits, expected: u64, what: &str| {
                    let found = V::from_bits(found).lane(lane).word();
                    assert_eq!(found, expected & kept, "{name}: {what}, {x:#x}, {y:#x}, {shift}");
                };
                same(a.wrapping_add(b), x.wrapping_add(y), "sum");
                same(a.wrapping_sub(b), x.wrapping_sub(y), "difference");
                same(a & b, x & y, "and");
                same(a | b, x | y, "or");
                same(a ^ b, x ^ y, "exclusive or");
                same(a << shift, x << shift, "left");
                same(a >> shift, x >> shift, "right");
                same(V::Bits::from_u64(words[0][0]), words[0][0], "splat");
            }
        }
    }
}

#[test]
fn bits_of_numbers() {
    with_every_family::<f32>(&Integers);
    with_every_family::<f64>(&Integers);
}

struct RandomWords;

impl<T: Plain> Check<T> for RandomWords {
    fn check<V: Vector<Scalar = T>>(&self) {
        let name = std::any::type_name::<V>();
        // Even and odd words of a lane; single precision has only even ones.
        let odd_mask = V::splat_odd(u32::MAX);
        let words_of = |pairs: &[[u32; 2]]| {
            let even = V::words_from_lanes(|lane| pairs[lane][0]);
            let odd = V::words_from_lanes(|lane| pairs[lane][1]);
            even ^ (even ^ odd) & odd_mask
        };
        let pairs_of = |words: V::Words| -> Vec<[u32; 2]> {
            let odd = V::odd_words(words);
            (0..V::WIDTH).map(|lane| [V::word(words, lane), V::word(odd, lane)]).collect()
        };
        let mut next = scattered();
        for round in 0..2000 {
            let mut some = || -> Vec<[u32; 2]> {
                let mut pair = || match round {
                    0 => [u32::MAX, 0],
                    _ => [next() as u32, (next() >> 32) as u32],
                };
                (0..V::WIDTH).map(|_| pair()).collect()
            };
            let (x, y) = (some(), some());
            let constant = if round == 0 { u32::MAX } else { next() as u32 };
            let shift = round % 32;
            let (a, b) = (words_of(&x), words_of(&y));
            let same = |found: V::Words, expected: &dyn Fn(u32, u32) -> u32, what: &str| {
                let found = pairs_of(found);
                for lane in 0..V::WIDTH {
                    for place in 0..V::WORDS_A_LANE {
                        let (x, y) = (x[lane][place], y[lane][place]);
                        let found = found[lane][place];
                        assert_eq!(found, expected(x, y), "{name}: {what}, {x:#x}, {y:#x}");
                    }
                }
            };
            let product = |x: u32| u64::from(x) * u64::from(constant);
            same(a, &|x, _| x, "words");
            same(a.wrapping_add(b), &u32::wrapping_add, "sum");
            same(a ^ b, &|x, y| x ^ y, "exclusive or");
            same(a & b, &|x, y| x & y, "and");
            same(a | b, &|x, y| x | y, "or");
            same(a << shift, &|x, _| x << shift, "left");
            same(a >> shift, &|x, _| x >> shift, "right");
            same(a.wrapping_mul(constant), &|x, _| x.wrapping_mul(constant), "product");
            let (high, low) = a.widening_multiply(constant);
            same(high, &|x, _| (product(x) >> 32) as u32, "high word");
            same(low, &|x, _| product(x) as u32, "low word");
            let (high, _) = (a.spread() ^ b.spread()).widening_multiply(constant);
            let chain = high ^ b.spread();
            let expected = |x: u32, y: u32| (product(x ^ y) >> 32) as u32 ^ y;
            same(V::Words::join(chain), &expected, "chain of products");
            same(V::Words::splat(constant), &|_, _| constant, "splat");

            let uniform = V::uniform(a, b);
            for lane in 0..V::WIDTH {
                let (high, low) = (x[lane][0], y[lane][0]);
                let expected = if V::WORDS_A_LANE == 1 {
                    (f64::from(high >> 9) + 0.5) / 8_388_608.0
                } else {
                    let top = u64::from(high) << 20 | u64::from(low) >> 12;
                    (top as f64 + 0.5) / 4_503_599_627_370_496.0
                };
                assert_eq!(uniform.lane(lane).to_f64(), expected, "{name}: {high:#x}, {low:#x}");
            }
        }
        let odd = pairs_of(V::splat_odd(7));
        let expected = if V::WORDS_A_LANE == 1 { [0, 0] } else { [0, 7] };
        assert!(odd.iter().all(|pair| *pair == expected), "{name}: {odd:?}");
    }
}

#[test]
fn words_of_generators() {
    with_every_family::<f32>(&RandomWords);
    with_every_family::<f64>(&RandomWords);
}

fn plain_comparisons<T: Real>() {
    let number = T::from_f64;
    let undefined = number(f64::NAN);
    assert!(number(1.0).less_than(number(2.0)) && !number(2.0).less_than(number(2.0)));
    assert!(!undefined.less_than(number(1.0)) && !number(1.0).less_than(undefined));
    assert!(!Real::is_finite(undefined) && !Real::is_finite(number(f64::INFINITY)));
    assert!(Real::is_finite(number(1.0)));
    assert_eq!(Lane::sqrt(number(2.25)).to_f64(), 1.5);
    assert_eq!(Lane::abs(number(-0.5)).to_f64(), 0.5);
    assert_eq!(T::select(true, number(1.0), number(2.0)).to_f64(), 1.0);
    assert_eq!(T::select(false, number(1.0), number(2.0)).to_f64(), 2.0);
    assert_eq!(T::zero().to_f64(), 0.0);
}

#[test]
fn plain_numbers() {
    plain_comparisons::<f32>();
    plain_comparisons::<f64>();
    // Constants are rounded once.
    assert_eq!(f32::from_f64(0.1), 0.1_f32);
    assert_eq!(f64::from_f64(0.1), 0.1_f64);
}
