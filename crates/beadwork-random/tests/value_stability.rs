//! Every line of `known_answers.txt`, to the last bit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests, too")]

use std::collections::BTreeMap;

use beadwork_random::{
    HybridTaus, NoiseKey, Normal, Philox4x32, Purpose, StatefulNoise, box_muller, philox4x32,
    uniform_f32, uniform_f64,
};
use rand_core::{Rng, SeedableRng};

/// The hexadecimal numbers of one side of a line, taken from the left.
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

fn words(numbers: &[u32]) -> Vec<u64> {
    numbers.iter().map(|number| u64::from(*number)).collect()
}

fn singles(numbers: &[f32]) -> Vec<u64> {
    numbers.iter().map(|number| u64::from(number.to_bits())).collect()
}

fn doubles(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn answer(name: &str, given: &mut Fields) -> Vec<u64> {
    match name {
        "philox4x32-10" => words(&philox4x32::<10>(given.words(), given.words())),
        "philox4x32-7" => words(&philox4x32::<7>(given.words(), given.words())),
        "hybrid-taus" => {
            let mut generator = HybridTaus::from_seeds(given.words()).unwrap();
            words(&[(); 5].map(|()| generator.next_u32()))
        }
        "hybrid-taus-at" => {
            let mut generator = HybridTaus::from_seeds(given.words()).unwrap();
            for _ in 0..given.word() {
                generator.next_u32();
            }
            words(&generator.state())
        }
        "key" => words(&given.key().key_words()),
        "noise" => {
            // The key's words are those of the answers under "key" with these inputs.
            let key = given.words();
            let purposes = [Purpose::ThermalForce, Purpose::PairThermostat];
            let mut keys = purposes.into_iter().map(|purpose| NoiseKey::new(20101, purpose, 7));
            let key = keys.find(|known| known.key_words() == key).expect("an unknown key");
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
            let noise = StatefulNoise::new(seed, replica, bead + 1);
            words(&noise.states()[bead as usize].state())
        }
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
        ("noise", 7),
        ("normals-f32", 6),
        ("normals-f64", 6),
        ("philox4x32-10", 3),
        ("philox4x32-7", 3),
        ("uniform-f32", 6),
        ("uniform-f64", 6),
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
    let mut stream = <Philox4x32>::from_seed([0; 8]);
    let mut bytes = [0; 6];
    stream.fill_bytes(&mut bytes);
    assert_eq!(bytes, [0xd5, 0xe8, 0x27, 0x66, 0x8d, 0xc5]);
}
