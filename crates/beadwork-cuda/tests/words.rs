//! The words of the kernels' generators, in every scheme, against `beadwork_random::Streams` and its known answers.
//!
//! Without a GPU it prints "skipped: no CUDA device".
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::collections::BTreeMap;

use beadwork_cuda::{Device, Origin, Stream, Words};
use beadwork_random::{
    Generator, HybridTaus, LaggedFibonacci, Lcg, Mt19937, Owner, Ran2, Saru, Scheme, States,
    Streams, Xorwow,
};

struct Card {
    device: Device,
    stream: Stream,
}

impl Card {
    /// `None`, with a notice, if there is no GPU.
    fn open() -> Option<Card> {
        match Device::open(0) {
            Ok(device) => Some(Card { stream: device.stream().unwrap(), device }),
            Err(error) => {
                println!("skipped: no CUDA device ({})", error.code());
                None
            }
        }
    }

    fn words(&self, streams: Streams, origin: Origin, most_steps: usize) -> Words {
        Words::new(&self.device, &self.stream, streams, origin, most_steps).unwrap()
    }

    fn drawn(&self, words: &mut Words, step: u64, steps: usize) -> Vec<u32> {
        words.draw(&self.stream, step, steps).unwrap();
        words.download(&self.stream, steps).unwrap()
    }
}

/// Every generator in every scheme that it runs in.
fn combinations() -> impl Iterator<Item = (Generator, Scheme)> {
    let all = Generator::ALL.into_iter();
    all.flat_map(|generator| generator.schemes().iter().map(move |scheme| (generator, *scheme)))
}

const OWNER: Owner = Owner { seed: 20101, replica: 3 };

/// Words of the host, step after step.
fn expected(streams: &mut Streams, step: u64, steps: usize) -> Vec<u32> {
    let each = streams.words_a_step();
    let mut words = vec![0; each * steps];
    for (step, words) in (step..).zip(words.chunks_exact_mut(each)) {
        streams.draw(step, |_| true, words);
    }
    words
}

/// Draws on both sides, and asserts that words and states are equal.
fn assert_same(
    card: &Card,
    streams: &mut Streams,
    words: &mut Words,
    calls: &[(u64, usize)],
    what: &str,
) {
    for &(step, steps) in calls {
        let expected = expected(streams, step, steps);
        let found = card.drawn(words, step, steps);
        let wrong = (0..expected.len()).find(|&place| found[place] != expected[place]);
        if let Some(place) = wrong {
            let each = streams.words_of_a_bead();
            let bead = place / each % streams.beads() as usize;
            let step = step + (place / streams.words_a_step()) as u64;
            panic!(
                "{what}: step {step}, bead {bead}, word {}: {:08x}, expected {:08x}",
                place % each,
                found[place],
                expected[place]
            );
        }
        assert_eq!(words.states(&card.stream).unwrap().as_ref(), streams.states(), "{what}");
    }
}

/// Steps of which some use the upper half of the counter.
const CALLS: [(u64, usize); 4] = [(0, 1), (1, 7), ((1 << 32) - 2, 4), (1 << 45, 1)];

#[test]
fn words_and_states_are_those_of_the_host() {
    let Some(card) = Card::open() else { return };
    for (generator, scheme) in combinations() {
        for (beads, each) in [(1, 4), (33, 4), (33, 3), (1000, 8), (1000, 5)] {
            let mut streams = Streams::new(generator, scheme, OWNER, beads, each).unwrap();
            let what = format!("{} {}, {beads} beads", generator.name(), scheme.name());
            let mut words = card.words(streams.clone(), Origin::Card, 7);
            assert_same(&card, &mut streams, &mut words, &CALLS, &what);
        }
    }
}

#[test]
fn words_made_on_the_host_are_the_same() {
    let Some(card) = Card::open() else { return };
    for (generator, scheme) in combinations() {
        let mut streams = Streams::new(generator, scheme, OWNER, 33, 4).unwrap();
        let mut words = card.words(streams.clone(), Origin::Host, 7);
        assert_same(&card, &mut streams, &mut words, &CALLS, generator.name());
    }
}

/// Rounds have fewer numbers than a step, or are of depth 8, on rings with distant and with close lags.
#[test]
fn lagged_fibonacci_makes_rounds_of_independent_numbers() {
    let Some(card) = Card::open() else { return };
    for (beads, steps) in [(1_000_000, 1), (300, 30), (300, 80)] {
        let (generator, scheme) = (Generator::LaggedFibonacci, Scheme::OneForAllThreads);
        let mut streams = Streams::new(generator, scheme, OWNER, beads, 4).unwrap();
        let mut words = card.words(streams.clone(), Origin::Card, steps);
        assert_same(&card, &mut streams, &mut words, &[(0, steps), (80, steps)], "many numbers");
    }
}

#[test]
fn streams_continue_on_host_and_card() {
    let Some(card) = Card::open() else { return };
    for (generator, scheme) in combinations() {
        let mut streams = Streams::new(generator, scheme, OWNER, 33, 4).unwrap();
        let mut first = card.words(streams.clone(), Origin::Card, 5);
        card.drawn(&mut first, 0, 5);
        expected(&mut streams, 0, 5);
        // Continues on the host after the card, and on the card after the host.
        let mut other = Streams::new(generator, scheme, OWNER, 33, 4).unwrap();
        if let Some(states) = first.states(&card.stream).unwrap() {
            other.restore(states).unwrap();
        }
        assert_eq!(other, streams, "{}", generator.name());
        expected(&mut other, 5, 2);
        expected(&mut streams, 5, 2);
        let mut again = card.words(other, Origin::Card, 5);
        assert_same(&card, &mut streams, &mut again, &[(7, 3)], generator.name());
    }
}

/// The hexadecimal numbers on one side of a line, from left to right.
struct Fields<'line>(std::str::SplitWhitespace<'line>);

impl Fields<'_> {
    fn long(&mut self) -> u64 {
        u64::from_str_radix(self.0.next().unwrap(), 16).unwrap()
    }

    fn word(&mut self) -> u32 {
        self.long() as u32
    }

    fn words<const N: usize>(&mut self) -> [u32; N] {
        [(); N].map(|()| self.word())
    }
}

/// The draw that must give a known answer: streams, steps to skip, and the place of the answer.
struct Question {
    streams: Streams,
    step: u64,
    /// Steps to draw; the answer is in the last one.
    steps: usize,
    /// The first word of the answer among those of its step.
    first: usize,
}

/// The question for one bead that continues from this state.
fn of_state(states: States, each: usize, steps: usize) -> Option<Question> {
    let generator = match states {
        States::Lcg(_) => Generator::Lcg,
        States::Ran2(_) => Generator::Ran2,
        States::HybridTaus(_) => Generator::HybridTaus,
        States::Xorwow(_) => Generator::Xorwow,
        States::Saru(_) => Generator::Saru,
        States::LaggedFibonacci(_) => Generator::LaggedFibonacci,
        States::Mt19937(_) => Generator::Mt19937,
    };
    let scheme = *generator.schemes().last()?;
    let mut streams = Streams::new(generator, scheme, OWNER, 1, each).unwrap();
    streams.restore(states).ok()?;
    Some(Question { streams, step: 0, steps, first: 0 })
}

/// The question for a bead without a state at one step.
fn keyed(
    generator: Generator,
    scheme: Scheme,
    owner: Owner,
    step: u64,
    bead: u32,
    first: usize,
) -> Option<Question> {
    // Some known answers are of beads beyond any memory; they are skipped.
    let beads = (bead < 1 << 20).then_some(bead + 1)?;
    let streams = Streams::new(generator, scheme, owner, beads, first + 4).unwrap();
    let first = bead as usize * (first + 4) + first;
    Some(Question { streams, step, steps: 1, first })
}

/// `None` for answers that are not of a stream, such as hashes and distributions, or that need other lags.
fn question(name: &str, given: &mut Fields) -> Option<Question> {
    let per_call = |name: &str| {
        let tea = name.contains("tea");
        if tea { Generator::SaruTea } else { Generator::Saru }
    };
    match name {
        "lcg" => of_state(States::Lcg(vec![Lcg::from_state(given.word())]), 5, 1),
        "hybrid-taus" => {
            let state = HybridTaus::from_state(given.words()).unwrap();
            of_state(States::HybridTaus(vec![state]), 5, 1)
        }
        "ran2-words" => {
            let state = Ran2::from_random_words(given.words());
            of_state(States::Ran2(vec![state]), 5, 1)
        }
        "xorwow" => {
            let state = Xorwow::from_state(given.words()).unwrap();
            of_state(States::Xorwow(vec![state]), 5, 1)
        }
        "mt19937" => of_state(States::Mt19937(Mt19937::from_seed_number(given.word())), 5, 1),
        "mt19937-at" => {
            let state = Mt19937::from_seed_number(given.word());
            of_state(States::Mt19937(state), 1, given.word() as usize + 1)
        }
        "mt19937-array" => {
            of_state(States::Mt19937(Mt19937::from_array(&given.words::<4>())), 5, 1)
        }
        "lagged-fibonacci" => {
            let lags = (given.word() as usize, given.word() as usize);
            let mut before = Lcg::from_state(given.word());
            let draw = std::iter::repeat_with(|| before.next_u32());
            let state = LaggedFibonacci::from_random_words(lags, draw);
            of_state(States::LaggedFibonacci(state), 5, given.word() as usize / 5 + 1)
        }
        "saru-1" => of_state(States::Saru(vec![Saru::from_one(given.word())]), 4, 1),
        "saru-2" => of_state(States::Saru(vec![Saru::from_two(given.word(), given.word())]), 4, 1),
        "saru-3" => {
            let [a, b, c] = given.words();
            of_state(States::Saru(vec![Saru::from_three(a, b, c)]), 4, 1)
        }
        // The key of the thermal force in replica 7 of seed 20101; the other key in the answers is that of pairs.
        "noise" | "saru-stream" | "saru-tea-stream" => {
            let (key, step) = (given.words::<2>(), given.long());
            let draw = if name == "noise" { given.word() } else { 0 };
            let (i, j) = (given.word(), given.word());
            let owner = Owner { seed: 20101, replica: 7 };
            let found = match name {
                "noise" => {
                    let (generator, scheme) = (Generator::Philox4x32x10, Scheme::Counter);
                    keyed(generator, scheme, owner, step, i, 4 * draw as usize)?
                }
                _ => keyed(per_call(name), Scheme::OnePerCall, owner, step, i, 0)?,
            };
            (j == 0 && found.streams.key() == Some(key)).then_some(found)
        }
        "published-saru" | "published-saru-tea" => {
            let (seed, step) = (given.word(), u64::from(given.word()));
            let (i, j) = (given.word(), given.word());
            let owner = Owner { seed: 1, replica: 0 };
            let found = keyed(per_call(name), Scheme::OnePerCallPublished, owner, step, i, 0)?;
            (j == 0 && found.streams.key() == Some([seed, 0])).then_some(found)
        }
        _ => {
            let name = name.strip_prefix("streams-")?;
            let ends = [
                ("-published", Scheme::OnePerCallPublished),
                ("-one-per-thread", Scheme::OnePerThread),
            ];
            let end =
                ends.iter().find_map(|(end, scheme)| Some((name.strip_suffix(end)?, *scheme)));
            let name = end.map_or(name, |(name, _)| name);
            let generator = Generator::ALL.into_iter().find(|known| known.name() == name).unwrap();
            let scheme = end.map_or(generator.schemes()[0], |(_, scheme)| scheme);
            let owner = Owner { seed: given.long(), replica: given.long() };
            let [beads, each, step, bead] = given.words();
            let streams = Streams::new(generator, scheme, owner, beads, each as usize).unwrap();
            let first = (bead * each) as usize;
            Some(Question { streams, step: 0, steps: step as usize + 1, first })
        }
    }
}

#[test]
fn known_answers() {
    let Some(card) = Card::open() else { return };
    let text = include_str!("../../beadwork-random/known_answers.txt");
    let mut lines_of = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (given, expected) = line.split_once("->").unwrap();
        let (name, given) = given.split_once(' ').unwrap();
        let Some(question) = question(name, &mut Fields(given.split_whitespace())) else {
            continue;
        };
        let Question { streams, step, steps, first } = question;
        let mut words = card.words(streams, Origin::Card, steps);
        let found = card.drawn(&mut words, step, steps);
        let found = &found[found.len() / steps * (steps - 1)..][first..];
        let mut expected = Fields(expected.split_whitespace());
        // Saru's hashes give the state first, from which `question` continued.
        if matches!(name, "saru-1" | "saru-2" | "saru-3") {
            expected.words::<2>();
        }
        let expected: Vec<u32> =
            expected.0.map(|number| u32::from_str_radix(number, 16).unwrap()).collect();
        assert_eq!(&found[..expected.len()], expected, "{line}");
        *lines_of.entry(name).or_insert(0) += 1;
    }
    let of_streams = Generator::ALL.map(|generator| format!("streams-{}", generator.name()));
    let mut expected: BTreeMap<&str, usize> =
        of_streams.iter().map(|name| (name.as_str(), 3)).collect();
    expected.extend([
        ("hybrid-taus", 3),
        ("lagged-fibonacci", 2),
        ("lcg", 3),
        ("mt19937", 3),
        ("mt19937-array", 2),
        ("mt19937-at", 1),
        ("noise", 5),
        ("published-saru", 2),
        ("published-saru-tea", 2),
        ("ran2-words", 3),
        ("saru-1", 3),
        ("saru-2", 3),
        ("saru-3", 3),
        ("saru-stream", 4),
        ("saru-tea-stream", 4),
        ("streams-saru-one-per-thread", 3),
        ("streams-saru-published", 3),
        ("streams-saru-tea-published", 3),
        ("xorwow", 3),
    ]);
    assert_eq!(lines_of, expected);
}
