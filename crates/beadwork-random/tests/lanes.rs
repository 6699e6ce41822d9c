//! Generators and normal numbers in lanes equal the plain ones bit by bit, in every family and precision.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

use std::marker::PhantomData;

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Vector, Words};
use beadwork_random::{
    HybridTaus, LaneCounter, MAXIMUM_STEP, NoiseKey, Normal, Purpose, hybrid_taus_in_lanes,
    normals_from_states, normals_in_lanes, philox4x32, philox4x32_in_lanes, step_words,
};

/// A check on the vectors of one type.
trait Check<T: Normal> {
    fn check<V: Vector<Scalar = T>>(&self);
}

/// Runs a check with every family that this machine has, in one precision, alone and in pairs.
fn with_every_family<T: Normal>(check: &impl Check<T>) {
    struct Run<'check, T, C>(&'check C, PhantomData<T>);

    impl<T: Normal, C: Check<T>> Kernel for Run<'_, T, C> {
        type Output = ();

        #[inline(always)]
        fn run<F: Family>(self) {
            self.0.check::<T::Vector<F>>();
            self.0.check::<Pair<T::Vector<F>>>();
        }
    }

    for instructions in Instructions::ALL.into_iter().filter(|some| some.is_available()) {
        instructions.dispatch(Run(check, PhantomData));
    }
}

/// Four pseudo-random words for this test.
fn words(n: u64) -> [u32; 4] {
    NoiseKey::new(77, Purpose::Test, 5).words(n, 0, 0, 0)
}

fn bits<T: Normal>(numbers: [T; 3]) -> [u64; 3] {
    numbers.map(|number| number.to_f64().to_bits())
}

fn lane_of<V: Vector>(normals: [V; 3], lane: usize) -> [V::Scalar; 3] {
    normals.map(|normal| normal.lane(lane))
}

/// Keys, steps and beads that differ between lanes, at the ends of their ranges and at random.
struct Keyed;

impl<T: Normal> Check<T> for Keyed {
    fn check<V: Vector<Scalar = T>>(&self) {
        for round in 0..2000 {
            let whose = |lane: usize| {
                let [a, b, c, d] = words(round * 32 + lane as u64);
                let step = match round {
                    0 => lane as u64,
                    1 => MAXIMUM_STEP - lane as u64,
                    2 => u64::from(u32::MAX) - 1 + lane as u64,
                    _ => (u64::from(a) << 32 | u64::from(b)) & MAXIMUM_STEP,
                };
                let bead = if round < 3 { u32::MAX - lane as u32 } else { c };
                (NoiseKey::new(20101, Purpose::ThermalForce, u64::from(d)), step, bead)
            };
            let normals = normals_in_lanes::<V>(LaneCounter {
                key: [0, 1].map(|n| V::words_from_lanes(|lane| whose(lane).0.key_words()[n])),
                step: [0, 1].map(|n| V::words_from_lanes(|lane| step_words(whose(lane).1)[n])),
                bead: V::words_from_lanes(|lane| whose(lane).2),
            });
            for lane in 0..V::WIDTH {
                let (key, step, bead) = whose(lane);
                assert_eq!(
                    bits(lane_of(normals, lane)),
                    bits(T::normals(key, step, bead)),
                    "{}: lane {lane}, step {step}, bead {bead}",
                    std::any::type_name::<V>()
                );
            }
        }
    }
}

#[test]
fn keyed_noise() {
    with_every_family::<f32>(&Keyed);
    with_every_family::<f64>(&Keyed);
}

/// Beads that share a key and a step, whose words are then the same in all lanes.
struct Beads;

impl<T: Normal> Check<T> for Beads {
    fn check<V: Vector<Scalar = T>>(&self) {
        let key = NoiseKey::new(3, Purpose::ThermalForce, 4);
        let step = 5_000_000_000;
        for first in (0..1024).step_by(V::WIDTH) {
            let normals = normals_in_lanes::<V>(LaneCounter {
                key: key.key_words().map(Words::splat),
                step: step_words(step).map(Words::splat),
                bead: V::words_from_lanes(|lane| (first + lane) as u32),
            });
            for lane in 0..V::WIDTH {
                let expected = T::normals(key, step, (first + lane) as u32);
                assert_eq!(bits(lane_of(normals, lane)), bits(expected));
            }
        }
    }
}

#[test]
fn keyed_noise_of_beads_in_a_row() {
    with_every_family::<f32>(&Beads);
    with_every_family::<f64>(&Beads);
}

/// Packs states into lanes, draws from them and unpacks them again.
struct States;

impl<T: Normal> Check<T> for States {
    fn check<V: Vector<Scalar = T>>(&self) {
        let mut noise = HybridTaus::of_beads(20101, 7, 64);
        let mut plain = noise.clone();
        for _ in 0..100 {
            let mut three = |state: &mut HybridTaus| T::normals_from(&mut || state.next_u32());
            let expected: Vec<[T; 3]> = plain.iter_mut().map(&mut three).collect();
            for (group, expected) in noise.chunks_mut(V::WIDTH).zip(expected.chunks(V::WIDTH)) {
                let word = |n: usize| V::words_from_lanes(|lane| group[lane].state()[n]);
                let mut states = [word(0), word(1), word(2), word(3)];
                let normals = normals_from_states::<V>(&mut states);
                for (lane, generator) in group.iter_mut().enumerate() {
                    *generator = HybridTaus::from_lanes::<V>(&states, lane);
                    assert_eq!(bits(lane_of(normals, lane)), bits(expected[lane]));
                }
            }
            assert_eq!(noise, plain, "{}", std::any::type_name::<V>());
        }
    }
}

#[test]
fn noise_with_a_state() {
    with_every_family::<f32>(&States);
    with_every_family::<f64>(&States);
}

/// Even and odd words of a lane belong to different counters.
struct Generators;

impl<T: Normal> Check<T> for Generators {
    fn check<V: Vector<Scalar = T>>(&self) {
        let odd_places = V::splat_odd(u32::MAX);
        for round in 0..500 {
            let input =
                |lane: usize, place: usize| words(round * 64 + 2 * lane as u64 + place as u64);
            let pack = |n: usize| {
                let even = V::words_from_lanes(|lane| input(lane, 0)[n]);
                let odd = V::words_from_lanes(|lane| input(lane, 1)[n]);
                even ^ (even ^ odd) & odd_places
            };
            let packed = [pack(0), pack(1), pack(2), pack(3)];
            let ten = philox4x32_in_lanes::<10, _>(packed, [packed[1], packed[2]]);
            let seven = philox4x32_in_lanes::<7, _>(packed, [packed[3], packed[0]]);
            let mut state = packed;
            let drawn = hybrid_taus_in_lanes(&mut state);
            for lane in 0..V::WIDTH {
                for place in 0..V::WORDS_A_LANE {
                    let found = |words: V::Words| {
                        let words = if place == 0 { words } else { V::odd_words(words) };
                        V::word(words, lane)
                    };
                    let input = input(lane, place);
                    assert_eq!(ten.map(found), philox4x32::<10>(input, [input[1], input[2]]));
                    assert_eq!(seven.map(found), philox4x32::<7>(input, [input[3], input[0]]));
                    let mut generator = HybridTaus::from_state(input).unwrap();
                    assert_eq!(found(drawn), generator.next_u32());
                    assert_eq!(state.map(found), generator.state());
                }
            }
        }
    }
}

#[test]
fn generators_of_words() {
    with_every_family::<f32>(&Generators);
    with_every_family::<f64>(&Generators);
}
