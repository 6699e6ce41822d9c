//! Checks every line of `known_answers.txt`, to the last bit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests, too")]

use std::collections::BTreeMap;

use beadwork_random::micro_streams::{
    published_saru_stream, published_saru_tea_stream, published_seed, saru_stream, saru_tea_stream,
};
use beadwork_random::{
    Generator, HybridTaus, LaggedFibonacci, Lcg, Mt19937, NoiseKey, Normal, Owner, Purpose, Ran2,
    Saru, Scheme, Streams, Xorwow, box_muller, philox4x32, polar, tea, uniform_f32, uniform_f64,
    ziggurat,
};
use rand_core::{Rng, SeedableRng};

/// The hexadecimal numbers on one side of a line, taken from left to right.
struct Fields<'line>(std::str::SplitWhitespace<'line>);

impl Fields<'_> {
    fn number(&mut self, digits: usize) -> u64 {
        let text = self.0.next().expect("a number is missing");
        assert_eq!(text.len(), digits, "{text} is not padded to its width");
        u64::from_str_radix(text, 16).unwrap()
    }

    fn word(&mut self) -> u32 {
        self.number(8) as u32
    }

    fn words<const N: usize>(&mut self) -> [u32; N] {
        [(); N].map(|()| self.word())
    }

    fn long(&mut self) -> u64 {
        self.number(16)
    }

    fn key(&mut self) -> NoiseKey {
        let (seed, purpose, replica) = (self.long(), self.word(), self.long());
        let purpose = Purpose::ALL.iter().find(|known| known.value() == purpose).unwrap();
        NoiseKey::new(seed, *purpose, replica)
    }
}

/// The key of an answer that states its words; they are those of the answers under "key".
fn known_key(words: [u32; 2]) -> NoiseKey {
    let purposes = [Purpose::ThermalForce, Purpose::PairThermostat];
    let mut keys = purposes.into_iter().map(|purpose| NoiseKey::new(20101, purpose, 7));
    keys.find(|known| known.key_words() == words).expect("an unknown key")
}

/// The next words of a generator.
fn next<const N: usize>(mut draw: impl FnMut() -> u32) -> Vec<u64> {
    words(&[(); N].map(|()| draw()))
}

fn state_and_four(mut stream: Saru) -> Vec<u64> {
    let mut found = words(&stream.state());
    found.extend(next::<4>(|| stream.next_u32()));
    found
}

/// The answer to `streams-` with this name.
fn streams(name: &str, given: &mut Fields) -> Vec<u64> {
    let schemes =
        [("-published", Scheme::OnePerCallPublished), ("-one-per-thread", Scheme::OnePerThread)];
    let scheme = schemes.iter().find_map(|(end, scheme)| Some((name.strip_suffix(end)?, *scheme)));
    let name = scheme.map_or(name, |(name, _)| name);
    let generator = Generator::ALL.into_iter().find(|known| known.name() == name).unwrap();
    let scheme = scheme.map_or(generator.schemes()[0], |(_, scheme)| scheme);
    let owner = Owner { seed: given.long(), replica: given.long() };
    let [beads, each, step, bead] = given.words();
    let mut streams = Streams::new(generator, scheme, owner, beads, each as usize).unwrap();
    let mut found = vec![0; streams.words_a_step()];
    for step in 0..=step {
        streams.draw(step.into(), |_| true, &mut found);
    }
    words(&found[(bead * each) as usize..][..4])
}

fn words(numbers: &[u32]) -> Vec<u64> {
    numbers.iter().map(|number| u64::from(*number)).collect()
}

fn singles(numbers: &[f32]) -> Vec<u64> {
    numbers.iter().map(|number| u64::from(number.to_bits())).collect()
}

fn doubles(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The words of a congruential generator from the given state.
fn drawing(given: &mut Fields) -> impl FnMut() -> u32 + use<> {
    let mut generator = Lcg::from_state(given.word());
    move || generator.next_u32()
}

fn answer(name: &str, given: &mut Fields) -> Vec<u64> {
    match name {
        "philox4x32-10" => words(&philox4x32::<10>(given.words(), given.words())),
        "philox4x32-7" => words(&philox4x32::<7>(given.words(), given.words())),
        "hybrid-taus" => {
            let mut generator = HybridTaus::from_state(given.words()).unwrap();
            words(&[(); 5].map(|()| generator.next_u32()))
        }
        "hybrid-taus-at" => {
            let mut generator = HybridTaus::from_state(given.words()).unwrap();
            for _ in 0..given.word() {
                generator.next_u32();
            }
            words(&generator.state())
        }
        "key" => words(&given.key().key_words()),
        "noise" => {
            let key = known_key(given.words());
            let (step, draw) = (given.long(), given.number(4) as u16);
            words(&key.words(step, draw, given.word(), given.word()))
        }
        "uniform-f32" => singles(&[uniform_f32(given.word())]),
        "uniform-f64" => doubles(&[uniform_f64(given.word(), given.word())]),
        "box-muller-f32" => {
            singles(&box_muller(f32::from_bits(given.word()), f32::from_bits(given.word())))
        }
        "box-muller-f64" => {
            doubles(&box_muller(f64::from_bits(given.long()), f64::from_bits(given.long())))
        }
        "normals-f32" => singles(&f32::normals(given.key(), given.long(), given.word())),
        "normals-f64" => doubles(&f64::normals(given.key(), given.long(), given.word())),
        "generator-state" => {
            let (seed, replica, bead) = (given.long(), given.long(), given.word());
            words(&HybridTaus::of_beads(seed, replica, bead + 1)[bead as usize].state())
        }
        "lcg" => {
            let mut generator = Lcg::from_state(given.word());
            next::<5>(|| generator.next_u32())
        }
        "lcg-at" => {
            let mut generator = Lcg::from_state(given.word());
            generator.pass_over(given.long());
            words(&[generator.state()])
        }
        "ran2" => {
            let mut generator = Ran2::from_seed_number(given.word()).unwrap();
            next::<5>(|| generator.next_number() as u32)
        }
        "ran2-at" => {
            let mut generator = Ran2::from_seed_number(given.word()).unwrap();
            for _ in 0..given.word() {
                generator.next_number();
            }
            next::<1>(|| generator.next_number() as u32)
        }
        "ran2-words" => {
            let mut generator = Ran2::from_random_words(given.words());
            next::<5>(|| generator.next_u32())
        }
        "xorwow" => {
            let mut generator = Xorwow::from_state(given.words()).unwrap();
            next::<5>(|| generator.next_u32())
        }
        "mt19937" => {
            let mut generator = Mt19937::from_seed_number(given.word());
            next::<5>(|| generator.next_u32())
        }
        "mt19937-at" => {
            let mut generator = Mt19937::from_seed_number(given.word());
            for _ in 0..given.word() {
                generator.next_u32();
            }
            next::<1>(|| generator.next_u32())
        }
        "mt19937-array" => {
            let mut generator = Mt19937::from_array(&given.words::<4>());
            next::<5>(|| generator.next_u32())
        }
        "lagged-fibonacci" => {
            let lags = (given.word() as usize, given.word() as usize);
            let mut before = Lcg::from_state(given.word());
            let draw = std::iter::repeat_with(|| before.next_u32());
            let mut generator = LaggedFibonacci::from_random_words(lags, draw);
            for _ in 0..given.word() {
                generator.next_u32();
            }
            next::<5>(|| generator.next_u32())
        }
        "saru-1" => state_and_four(Saru::from_one(given.word())),
        "saru-2" => state_and_four(Saru::from_two(given.word(), given.word())),
        "saru-3" => state_and_four(Saru::from_three(given.word(), given.word(), given.word())),
        "tea8" => words(&tea::<8>(given.words(), given.words())),
        "tea32" => words(&tea::<32>(given.words(), given.words())),
        "saru-stream" | "saru-tea-stream" => {
            let (key, step) = (known_key(given.words()), given.long());
            let stream = if name == "saru-stream" { saru_stream } else { saru_tea_stream };
            let mut stream = stream(key, step, given.word(), given.word());
            next::<4>(|| stream.next_u32())
        }
        "published-seed" => words(&[published_seed(given.word())]),
        "published-saru" | "published-saru-tea" => {
            let stream = if name == "published-saru" {
                published_saru_stream
            } else {
                published_saru_tea_stream
            };
            let mut stream = stream(given.word(), given.word(), given.word(), given.word());
            next::<4>(|| stream.next_u32())
        }
        "polar-f32" => singles(&polar(&mut drawing(given))),
        "polar-f64" => doubles(&polar(&mut drawing(given))),
        "ziggurat-f32" => singles(&[ziggurat(&mut drawing(given))]),
        "ziggurat-f64" => doubles(&[ziggurat(&mut drawing(given))]),
        _ if name.starts_with("streams-") => streams(&name["streams-".len()..], given),
        _ => panic!("{name} is not the name of a known answer"),
    }
}

#[test]
fn known_answers() {
    let text = include_str!("../known_answers.txt");
    let mut lines_of = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (given, expected) = line.split_once("->").unwrap();
        let (name, given) = given.split_once(' ').unwrap();
        let mut given = Fields(given.split_whitespace());
        let found = answer(name, &mut given);
        assert_eq!(given.0.next(), None, "a number is left over in: {line}");
        let expected: Vec<u64> = expected
            .split_whitespace()
            .map(|number| u64::from_str_radix(number, 16).unwrap())
            .collect();
        assert_eq!(found, expected, "{line}");
        *lines_of.entry(name).or_insert(0) += 1;
    }
    let expected = [
        ("box-muller-f32", 7),
        ("box-muller-f64", 7),
        ("generator-state", 3),
        ("hybrid-taus", 3),
        ("hybrid-taus-at", 1),
        ("key", 16),
        ("lagged-fibonacci", 4),
        ("lcg", 3),
        ("lcg-at", 3),
        ("mt19937", 3),
        ("mt19937-array", 2),
        ("mt19937-at", 1),
        ("noise", 7),
        ("normals-f32", 6),
        ("normals-f64", 6),
        ("philox4x32-10", 3),
        ("philox4x32-7", 3),
        ("polar-f32", 4),
        ("polar-f64", 4),
        ("published-saru", 3),
        ("published-saru-tea", 3),
        ("published-seed", 3),
        ("ran2", 3),
        ("ran2-at", 1),
        ("ran2-words", 3),
        ("saru-1", 3),
        ("saru-2", 3),
        ("saru-3", 3),
        ("saru-stream", 6),
        ("saru-tea-stream", 6),
        ("streams-hybrid-taus", 3),
        ("streams-lagged-fibonacci", 3),
        ("streams-lcg", 3),
        ("streams-mt19937", 3),
        ("streams-philox4x32-10", 3),
        ("streams-philox4x32-7", 3),
        ("streams-ran2", 3),
        ("streams-saru", 3),
        ("streams-saru-one-per-thread", 3),
        ("streams-saru-published", 3),
        ("streams-saru-tea", 3),
        ("streams-saru-tea-published", 3),
        ("streams-xorwow", 3),
        ("tea32", 1),
        ("tea8", 3),
        ("uniform-f32", 6),
        ("uniform-f64", 6),
        ("xorwow", 3),
        ("ziggurat-f32", 4),
        ("ziggurat-f64", 4),
    ];
    assert_eq!(lines_of, BTreeMap::from(expected));
}

#[test]
fn generators_with_a_state_take_words_in_the_keyed_order() {
    let key = NoiseKey::new(3, Purpose::Test, 4);
    let words: Vec<u32> = (0..2).flat_map(|draw| key.words(5, draw, 6, 0)).collect();
    let mut single = words.iter().copied();
    assert_eq!(f32::normals_from(&mut || single.next().unwrap()), f32::normals(key, 5, 6));
    assert_eq!(single.count(), words.len() - f32::WORDS);
    let mut double = words.iter().copied();
    assert_eq!(f64::normals_from(&mut || double.next().unwrap()), f64::normals(key, 5, 6));
    assert_eq!(double.count(), words.len() - f64::WORDS);
}

#[test]
fn seeds_of_the_ecosystem_are_little_endian_words() {
    let mut bytes = [0; 16];
    for (place, value) in [(0, 128), (4, 129), (8, 130), (12, 131)] {
        bytes[place] = value;
    }
    let mut generator = HybridTaus::from_seed(bytes);
    assert_eq!(generator.state(), [128, 129, 130, 131]);
    assert_eq!(Rng::next_u64(&mut generator), 0xa926_13ac_4866_2404);
    let mut bytes = [0; 6];
    generator.fill_bytes(&mut bytes);
    assert_eq!(bytes, [0xac, 0x70, 0x25, 0xc6, 0x64, 0xd2]);
}
