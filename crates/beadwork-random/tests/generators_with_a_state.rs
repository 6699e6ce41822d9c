//! Seeds, states and checkpoints of generators that keep a state.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

use beadwork_random::generators::lagged_fibonacci::{LAGS, replaced_together};
use beadwork_random::{
    Generator, HybridTaus, LaggedFibonacci, NoiseKey, Owner, Purpose, Scheme, States, Streams,
    lags_for,
};

const OWNER: Owner = Owner { seed: 20101, replica: 7 };

/// Every generator in every scheme that keeps a state (`kept`), or in every scheme that keeps none.
fn pairs(kept: bool) -> impl Iterator<Item = (Generator, Scheme)> {
    let of =
        |generator: Generator| generator.schemes().iter().map(move |scheme| (generator, *scheme));
    let pairs = Generator::ALL.into_iter().flat_map(of);
    pairs.filter(move |(generator, scheme)| (generator.state_bytes(*scheme, 20) > 0) == kept)
}

fn draw(streams: &mut Streams, step: u64) -> Vec<u32> {
    let mut words = vec![0; streams.words_a_step()];
    streams.draw(step, |_| true, &mut words);
    words
}

#[test]
fn streams_resume_from_their_states() {
    for (generator, scheme) in pairs(true) {
        let mut whole = Streams::new(generator, scheme, OWNER, 5, 4).unwrap();
        // 100 steps take more words than the twister makes in a round.
        (0..100).for_each(|step| drop(draw(&mut whole, step)));
        let checkpoint = serde_json::to_string(whole.states().unwrap()).unwrap();
        let states: States = serde_json::from_str(&checkpoint).unwrap();
        let mut resumed = Streams::new(generator, scheme, OWNER, 5, 4).unwrap();
        assert_ne!(resumed, whole);
        resumed.restore(states).unwrap();
        assert_eq!(resumed, whole);
        for step in 100..200 {
            assert_eq!(draw(&mut resumed, step), draw(&mut whole, step), "{generator:?}");
        }
    }
}

#[test]
fn streams_without_a_state_give_any_step_at_any_time() {
    for (generator, scheme) in pairs(false) {
        let mut streams = Streams::new(generator, scheme, OWNER, 5, 4).unwrap();
        let later = draw(&mut streams, 1_000_000);
        assert_ne!(draw(&mut streams, 0), later);
        assert_eq!(draw(&mut streams, 1_000_000), later);
        assert_eq!(streams.states(), None);
    }
}

#[test]
fn states_of_other_generators_are_refused() {
    let new = |generator: Generator, beads| {
        Streams::new(generator, generator.schemes()[0], OWNER, beads, 4).unwrap()
    };
    let mut streams = new(Generator::Xorwow, 5);
    for other in [new(Generator::Lcg, 5), new(Generator::Xorwow, 4), new(Generator::Mt19937, 5)] {
        let error = streams.restore(other.states().unwrap().clone()).unwrap_err();
        assert_eq!(error.code(), "random/impossible-state");
        assert!(error.to_string().contains("generator xorwow"), "{error}");
    }
    // Larger systems need other lags.
    let mut streams = new(Generator::LaggedFibonacci, 5);
    let other = new(Generator::LaggedFibonacci, 1000).states().unwrap().clone();
    assert!(streams.restore(other).is_err());
}

#[test]
fn impossible_states_are_refused() {
    let refused = |text: &str| {
        let problem = serde_json::from_str::<States>(text).unwrap_err().to_string();
        assert!(problem.contains("go back to an older checkpoint"), "{problem}");
    };
    refused(r#"{"Xorwow":[[0,0,0,0,0,7]]}"#);
    refused(r#"{"LaggedFibonacci":{"short":1,"place":0,"words":[2,4,6]}}"#);
    refused(r#"{"LaggedFibonacci":{"short":1,"place":3,"words":[1,4,6]}}"#);
    refused(r#"{"LaggedFibonacci":{"short":3,"place":0,"words":[1,4,6]}}"#);
    let twister = |words: &[u32]| format!(r#"{{"Mt19937":{words:?}}}"#);
    let mut words = vec![0; 625];
    refused(&twister(&words));
    // The recurrence never uses the low bits of this word.
    words[0] = 0x7fff_ffff;
    refused(&twister(&words));
    words[0] = 0x8000_0000;
    assert!(serde_json::from_str::<States>(&twister(&words)).is_ok());
    words[624] = 624;
    refused(&twister(&words));
    refused(&twister(&words[1..]));
    let ran2 = |words: &[i32]| format!(r#"{{"Ran2":[{words:?}]}}"#);
    let mut words = vec![1; 35];
    assert!(serde_json::from_str::<States>(&ran2(&words)).is_ok());
    refused(&ran2(&words[1..]));
    for (place, wrong) in [(0, 0), (1, 2_147_483_399), (2, 2_147_483_563), (34, -1)] {
        words[place] = wrong;
        refused(&ran2(&words));
        words[place] = 1;
    }
}

#[test]
fn only_generators_of_free_beads_advance() {
    for generator in [Generator::Lcg, Generator::Ran2, Generator::HybridTaus, Generator::Xorwow] {
        let new = || Streams::new(generator, Scheme::OnePerThread, OWNER, 3, 4).unwrap();
        let (mut whole, mut held) = (new(), new());
        let first = draw(&mut whole, 0);
        let mut words = vec![0; 12];
        held.draw(0, |bead| bead != 1, &mut words);
        assert_eq!((&words[..4], &words[8..]), (&first[..4], &first[8..]));
        let second = draw(&mut held, 1);
        assert_eq!(second[4..8], first[4..8], "{generator:?}");
        assert_eq!(second[..4], draw(&mut whole, 1)[..4]);
    }
}

#[test]
fn schemes_in_which_a_generator_does_not_run_are_refused() {
    let problem = Streams::new(Generator::Saru, Scheme::Counter, OWNER, 1, 1).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "The generator saru does not run in the scheme counter. It runs in: one-per-call, one-per-call-published, \
         one-per-thread."
    );
}

#[test]
fn seeds_replicas_and_beads_start_with_other_words() {
    for (generator, scheme) in pairs(true).chain(pairs(false)) {
        if scheme == Scheme::OnePerCallPublished {
            continue;
        }
        let first = |seed, replica| {
            draw(&mut Streams::new(generator, scheme, Owner { seed, replica }, 8, 4).unwrap(), 0)
        };
        let mut all: Vec<u32> = [first(0, 0), first(1, 0), first(0, 1), first(1 << 63, 0)].concat();
        all.sort_unstable();
        all.dedup();
        // Two of 128 random words are equal with probability 1.9·10⁻⁶.
        assert_eq!(all.len(), 128, "{generator:?} {scheme:?}");
    }
}

#[test]
fn the_lanes_generators_are_those_of_the_catalogue() {
    let generators = HybridTaus::of_beads(OWNER.seed, OWNER.replica, 5);
    let streams = Streams::new(Generator::HybridTaus, Scheme::OnePerThread, OWNER, 5, 4).unwrap();
    assert_eq!(streams.states(), Some(&States::HybridTaus(generators)));
    // The words of the default generator are those of keyed noise.
    let key = NoiseKey::new(OWNER.seed, Purpose::ThermalForce, OWNER.replica);
    let scheme = Scheme::Counter;
    let mut streams = Streams::new(Generator::Philox4x32x10, scheme, OWNER, 5, 8).unwrap();
    let words = draw(&mut streams, 12);
    assert_eq!(words[32..36], key.words(12, 0, 4, 0));
    assert_eq!(words[36..], key.words(12, 1, 4, 0));
    let mut pair = [0; 8];
    assert!(streams.draw_pairs(12, 3, &[9], &mut pair));
    assert_eq!(pair[4..], key.words(12, 1, 3, 9));
}

#[test]
fn random_words_below_128_are_moved() {
    let generator = HybridTaus::from_random_words([0, 127, 128, u32::MAX]);
    assert_eq!(generator.state(), [128, 255, 128, u32::MAX]);
}

#[test]
fn dead_states_are_refused() {
    // The largest words that the masks of 31, 29 and 28 bits turn into zero.
    for (component, value) in [(0, 1), (1, 7), (2, 15)] {
        let mut state = [u32::MAX; 4];
        state[component] = value;
        let error = HybridTaus::from_state(state).unwrap_err();
        assert_eq!(error.code(), "random/dead-state");
        let named = format!("Word {value:#010x} of component {component} ");
        assert!(error.to_string().starts_with(&named), "{error}");
        state[component] = value + 1;
        assert!(HybridTaus::from_state(state).is_ok());
    }
    assert!(HybridTaus::from_state([u32::MAX, u32::MAX, u32::MAX, 0]).is_ok());
}

#[test]
fn low_bits_are_linear_as_documented() {
    // Each bit of the three Tausworthe components obeys recurrences of lengths 31, 29 and 28, together 88; bit k of the
    // congruential generator has period 2ᵏ⁺¹ and negates after half of it, which takes a recurrence of length 2ᵏ + 1.
    let mut generator = HybridTaus::from_state([128, 129, 130, 131]).unwrap();
    let words: Vec<u32> = (0..1000).map(|_| generator.next_u32()).collect();
    for (bit, length) in [(0, 90), (1, 91), (2, 93), (3, 97), (4, 105), (6, 153)] {
        let bits: Vec<bool> = words.iter().map(|word| word >> bit & 1 == 1).collect();
        assert_eq!(linear_complexity(&bits), length, "bit {bit}");
    }
}

/// The length of the shortest linear recurrence over GF(2) that generates these bits (Berlekamp and Massey).
fn linear_complexity(bits: &[bool]) -> usize {
    let mut connection = vec![true];
    let mut previous = vec![true];
    let (mut length, mut gap) = (0, 1);
    for n in 0..bits.len() {
        let discrepancy = connection
            .iter()
            .enumerate()
            .filter(|(k, c)| **c && *k <= length && bits[n - k])
            .count()
            % 2
            == 1;
        if !discrepancy {
            gap += 1;
            continue;
        }
        let before = connection.clone();
        connection.resize(connection.len().max(previous.len() + gap), false);
        for (k, c) in previous.iter().enumerate() {
            connection[k + gap] ^= c;
        }
        if 2 * length <= n {
            length = n + 1 - length;
            previous = before;
            gap = 1;
        } else {
            gap += 1;
        }
    }
    length
}

#[test]
fn a_damaged_checkpoint_is_refused_with_a_sentence() {
    let error = serde_json::from_str::<HybridTaus>("[1,500,500,500]").unwrap_err();
    assert!(error.to_string().contains("0x00000001 of component 0"), "{error}");
}

#[test]
fn states_of_beads_do_not_depend_on_their_number() {
    let few = HybridTaus::of_beads(20101, 7, 3);
    let many = HybridTaus::of_beads(20101, 7, 100);
    assert_eq!(few, many[..3]);
}

/// The square of the polynomial modulo x^long + x^short + 1; bits are coefficients.
fn square(bits: &[u64], (short, long): (usize, usize)) -> Vec<u64> {
    let spread = |half: u64| (0..32).fold(0, |wide, bit| wide | (half >> bit & 1) << (2 * bit));
    let mut wide: Vec<u64> =
        bits.iter().flat_map(|word| [spread(word & 0xffff_ffff), spread(word >> 32)]).collect();
    for place in (long / 64..wide.len()).rev() {
        let kept = if place == long / 64 { (1 << (long % 64)) - 1 } else { 0 };
        let high = wide[place] & !kept;
        wide[place] &= kept;
        // x^long = x^short + 1; a reduced power may itself need further reduction.
        for power in [0, short] {
            let first = (64 * place + power) as isize - long as isize;
            let (word, shift) = (first.div_euclid(64), first.rem_euclid(64));
            if word >= 0 {
                wide[word as usize] ^= high << shift;
            }
            if shift > 0 {
                wide[(word + 1) as usize] ^= high >> (64 - shift);
            }
        }
    }
    wide.truncate(bits.len());
    wide
}

/// If `long` and 2^long − 1 are prime, every irreducible trinomial is primitive. It is irreducible if x^(2^long) = x
/// and it has no linear factor, that is, if it is 1 at x = 0 and at x = 1.
fn is_primitive(lags: (usize, usize)) -> bool {
    let mut start = vec![0; lags.1 / 64 + 1];
    start[0] = 0b10;
    (0..lags.1).fold(start.clone(), |x, _| square(&x, lags)) == start
}

#[test]
fn trinomials_are_primitive_and_the_misprint_is_not() {
    for lags in &LAGS[..5] {
        assert!(is_primitive(*lags), "{lags:?}");
    }
    assert!(!is_primitive((12_470, 23_209)));
}

#[test]
fn numbers_a_step_choose_the_lags() {
    let limits = LAGS.map(replaced_together);
    assert_eq!(limits, [1029, 1419, 4187, 9842, 9739, 21034, 54454, 279_695, 288_477, 1_010_202]);
    assert_eq!(lags_for(4 * 257), LAGS[0]);
    assert_eq!(lags_for(1029), LAGS[1]);
    assert_eq!(lags_for(9841), LAGS[3]);
    // The fifth pair allows no larger numbers than the fourth.
    assert_eq!(lags_for(9842), LAGS[5]);
    assert_eq!(lags_for(1_010_201), LAGS[9]);
    assert_eq!(lags_for(10_000_000), LAGS[9]);
}

#[test]
fn words_without_an_odd_one_are_refused_or_repaired() {
    for words in [vec![2, 4, 6], vec![1, 4]] {
        let error = LaggedFibonacci::from_words((1, 3), words).unwrap_err();
        assert_eq!(error.code(), "random/impossible-state");
        assert!(error.to_string().contains("generator lagged-fibonacci"), "{error}");
    }
    let mended = LaggedFibonacci::from_random_words((1, 3), [2, 4, 6].into_iter());
    assert_eq!(Ok(mended), LaggedFibonacci::from_words((1, 3), vec![3, 4, 6]));
}

#[test]
fn lagged_fibonacci_follows_its_recurrence() {
    let (short, long) = LAGS[0];
    let mut generator =
        LaggedFibonacci::from_random_words((short, long), (0_u32..).map(|n| n * n + 1));
    let mut sequence = generator.ring().0.to_vec();
    for _ in 0..3 * long {
        sequence.push(generator.next_u32());
    }
    for n in long..sequence.len() {
        assert_eq!(sequence[n], sequence[n - short].wrapping_add(sequence[n - long]));
    }
}
