//! The generators of the library as bit generators of numpy.
//!
//! A bit generator of numpy holds a struct of C: a pointer to a state, and functions that draw from it (`bitgen_t` of
//! `numpy/random/bitgen.h`). Its object has the address of that struct in a capsule named `BitGenerator`. [`WordStream::connect`]
//! writes its own state and functions there, so that everything that numpy does with its generators it does with these.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use beadwork::random::{
    Distribution, Generator, MAXIMUM_STEP, Owner, Randomness, Scheme, Streams, uniform_f64,
};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::Failure;

/// Words of a bead at a step: a draw has four, and the number of a draw has 16 bits.
const MOST_WORDS: u32 = 4 << 16;
/// Words of all beads at a step, where they share a sequence: 256 MiB.
const MOST_SHARED: u64 = 1 << 26;
/// Words of the states of beads: 256 MiB.
const MOST_STATES: u64 = 1 << 26;
const MOST_BEADS: u32 = 10_000_000;

/// `bitgen_t` of numpy.
#[repr(C)]
struct BitGenerator {
    state: *mut c_void,
    next_uint64: unsafe extern "C" fn(*mut c_void) -> u64,
    next_uint32: unsafe extern "C" fn(*mut c_void) -> u32,
    next_double: unsafe extern "C" fn(*mut c_void) -> f64,
    next_raw: unsafe extern "C" fn(*mut c_void) -> u64,
}

/// Which words of a generator.
struct Place {
    seed: u64,
    replica: u64,
    step: u64,
    bead: u32,
    /// The larger bead of a pair; 0 for a single bead.
    partner: u32,
    /// Beads that share the sequence of a generator for all of them.
    beads: u32,
    /// Words of a step.
    words: u32,
}

/// The words of a bead or a pair, one after another: those of a step, then those of the next one.
struct Words {
    streams: Streams,
    place: Place,
    /// The words of all beads of the streams at a step.
    of_step: Vec<u32>,
    /// The own words of a step, and how many of them were taken.
    own: Vec<u32>,
    taken: usize,
}

impl Words {
    fn new(generator: Generator, scheme: Scheme, place: Place) -> Result<Words, Failure> {
        let has_states = matches!(scheme, Scheme::OnePerThread | Scheme::OneForAllThreads);
        let is_shared = scheme == Scheme::OneForAllThreads;
        place.check(has_states, is_shared)?;
        let randomness = Randomness::new(generator, scheme, Distribution::BoxMuller);
        let randomness = randomness.map_err(|error| Failure::argument(error.to_string()))?;
        let owner = Owner { seed: place.seed, replica: place.replica };
        let words = place.words as usize;
        let of = |beads: u32| Streams::in_simulations(randomness, owner, beads, words);
        let mut streams = of(if is_shared { place.beads } else { 1 });
        if scheme == Scheme::OnePerThread && place.bead > 0 {
            let beads = place.bead + 1;
            // All states are made on the way to one.
            let each = streams.states().map_or(1, |states| states.packed_words()) as u64;
            let most = MOST_STATES / each.max(1);
            if u64::from(beads) > most {
                return Err(Failure::argument(format!(
                    "bead is {}: this generator has streams for beads 0 to {}",
                    place.bead,
                    most - 1
                )));
            }
            let all = of(beads);
            // Word k of a bead is at k times the number of beads after its first one.
            let packed = all.states().map(|states| states.packed()).unwrap_or_default();
            let own = packed.iter().skip(place.bead as usize).step_by(beads as usize);
            restore(&mut streams, &own.copied().collect::<Vec<u32>>())?;
        }
        let of_step = vec![0; streams.words_a_step()];
        let own = vec![0; words];
        Ok(Words { streams, place, of_step, own, taken: words })
    }

    fn draw(&mut self) {
        let Place { step, bead, partner, words, .. } = self.place;
        match self.streams.states() {
            None => {
                self.streams.draw_pairs(step, bead, &[partner], &mut self.own);
            }
            Some(_) => {
                self.streams.draw(step, |_| true, &mut self.of_step);
                let is_shared = self.streams.scheme() == Scheme::OneForAllThreads;
                let begin = if is_shared { bead as usize * words as usize } else { 0 };
                self.own.copy_from_slice(&self.of_step[begin..begin + words as usize]);
            }
        }
        self.place.step = if step == MAXIMUM_STEP { 0 } else { step + 1 };
        self.taken = 0;
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        if self.taken == self.own.len() {
            self.draw();
        }
        self.taken += 1;
        self.own[self.taken - 1]
    }

    /// Two words: the first one is the upper half.
    #[inline(always)]
    fn two(&mut self) -> [u32; 2] {
        let high = self.next();
        [high, self.next()]
    }
}

impl Place {
    fn check(&self, has_states: bool, is_shared: bool) -> Result<(), Failure> {
        let refused = |reason: String| Err(Failure::argument(reason));
        let Place { step, bead, partner, beads, words, .. } = *self;
        if !(1..=MOST_WORDS).contains(&words) {
            return refused(format!("words is {words}: give 1 to {MOST_WORDS}"));
        }
        if step > MAXIMUM_STEP {
            return refused(format!("step is {step}: give 0 to {MAXIMUM_STEP}"));
        }
        if !(1..=MOST_BEADS).contains(&beads) {
            return refused(format!("beads is {beads}: give 1 to {MOST_BEADS}"));
        }
        if has_states && step > 0 {
            return refused(
                "step is for schemes without a state: this generator gives its words in their order, from the first one"
                    .to_string(),
            );
        }
        if has_states && partner > 0 {
            return refused(
                "this generator keeps a state, so it has no words for pairs: leave partner out"
                    .to_string(),
            );
        }
        if partner > 0 && partner <= bead {
            return refused(format!(
                "the pair is ({bead}, {partner}): give the smaller number as bead and the larger one as partner"
            ));
        }
        if is_shared && u64::from(beads) * u64::from(words) > MOST_SHARED {
            return refused(format!(
                "{beads} beads with {words} words each are more than {MOST_SHARED} words a step: give fewer"
            ));
        }
        if has_states && bead >= if is_shared { beads } else { MOST_BEADS } {
            let beads = if is_shared { beads } else { MOST_BEADS };
            return refused(format!("bead is {bead}: there are beads 0 to {}", beads - 1));
        }
        Ok(())
    }
}

fn restore(streams: &mut Streams, packed: &[u32]) -> Result<(), Failure> {
    let damaged = |error: beadwork::random::Error| Failure::argument(error.to_string());
    let before = streams.states();
    let states = before.map(|states| states.unpacked(packed)).transpose().map_err(damaged)?;
    states.map_or(Ok(()), |states| streams.restore(states)).map_err(damaged)
}

/// The words of a bead or a pair of a simulation, for a bit generator of numpy.
///
/// Who calls any method, or a function of a connected struct, holds the lock of the bit generator.
#[pyclass(frozen, module = "beadwork._beadwork")]
pub struct WordStream {
    // In a box of its own: numpy has its address.
    words: Box<UnsafeCell<Words>>,
}

// SAFETY: all access is under the lock of the bit generator, as numpy has it for its own.
unsafe impl Sync for WordStream {}

/// The words left of a step, and the states of the generator.
type State<'py> = (u64, Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<u32>>>);

#[pymethods]
impl WordStream {
    #[new]
    #[pyo3(signature = (generator, scheme, seed, replica, step, bead, partner, beads, words))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword of the class that people call"
    )]
    fn new(
        generator: &str,
        scheme: Option<&str>,
        seed: u64,
        replica: u64,
        step: u64,
        bead: u32,
        partner: u32,
        beads: u32,
        words: u32,
    ) -> PyResult<WordStream> {
        let generator = one_of(&Generator::ALL, Generator::name, generator)?;
        let scheme = match scheme {
            Some(scheme) => one_of(&Scheme::ALL, Scheme::name, scheme)?,
            None => generator.schemes()[0],
        };
        let place = Place { seed, replica, step, bead, partner, beads, words };
        let words = Words::new(generator, scheme, place)?;
        Ok(WordStream { words: Box::new(UnsafeCell::new(words)) })
    }

    /// Makes a bit generator of numpy, which has this capsule, draw from here. It must keep this object.
    fn connect(&self, capsule: &Bound<'_, PyCapsule>) -> PyResult<()> {
        let place = capsule.pointer_checked(Some(c"BitGenerator"))?.cast::<BitGenerator>();
        let own = BitGenerator {
            state: self.words.get().cast(),
            next_uint64,
            next_uint32,
            next_double,
            next_raw,
        };
        // SAFETY: a capsule of this name has the address of a `bitgen_t`, which is as large; nobody draws from it before its
        // constructor has returned.
        unsafe { place.write(own) };
        Ok(())
    }

    /// The scheme.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.words().streams.scheme().name()
    }

    /// The next step, the words that are left of the last one, and the states of a generator that has any.
    fn state<'py>(&self, py: Python<'py>) -> State<'py> {
        let words = self.words();
        let states = words.streams.states().map(|states| PyArray1::from_vec(py, states.packed()));
        let left = words.own[words.taken..].to_vec();
        (words.place.step, PyArray1::from_vec(py, left), states)
    }

    /// Goes on from what `state` returned for the same place.
    #[pyo3(signature = (step, left, states))]
    fn restore(
        &self,
        step: u64,
        left: PyReadonlyArray1<'_, u32>,
        states: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<()> {
        let left = left.to_vec()?;
        let states: Option<Vec<u32>> = states.map(|states| states.to_vec()).transpose()?;
        // SAFETY: the caller holds the lock.
        let words = unsafe { &mut *self.words.get() };
        let each = words.own.len();
        let has_states = words.streams.states().is_some();
        if step > MAXIMUM_STEP || left.len() > each || states.is_some() != has_states {
            let problem = "this state is not one of such a generator: take it from the attribute state of another one";
            return Err(Failure::argument(problem).into());
        }
        if let Some(states) = states {
            restore(&mut words.streams, &states)?;
        }
        words.taken = each - left.len();
        words.own[words.taken..].copy_from_slice(&left);
        words.place.step = step;
        Ok(())
    }
}

impl WordStream {
    fn words(&self) -> &Words {
        // SAFETY: the caller holds the lock.
        unsafe { &*self.words.get() }
    }
}

/// The value of this name.
fn one_of<T: Copy>(all: &[T], name: fn(T) -> &'static str, text: &str) -> Result<T, Failure> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        Failure::argument(format!("there is no {text}: take one of {}", names.join(", ")))
    })
}

/// Name, schemes, period in words, and known flaw.
type PyGenerator = (&'static str, Vec<&'static str>, &'static str, Option<&'static str>);

/// All generators of the library.
#[pyfunction]
pub fn generators() -> Vec<PyGenerator> {
    let of = |generator: Generator| {
        let schemes = generator.schemes().iter().map(|scheme| scheme.name()).collect();
        (generator.name(), schemes, generator.period(), generator.flaws())
    };
    Generator::ALL.map(of).to_vec()
}

/// # Safety
/// `state` is the address of [`Words`] that live, and whose lock the caller holds.
unsafe fn words_at<'a>(state: *mut c_void) -> &'a mut Words {
    // SAFETY: as the caller promises.
    unsafe { &mut *state.cast::<Words>() }
}

unsafe extern "C" fn next_uint64(state: *mut c_void) -> u64 {
    // SAFETY: numpy passes on what `connect` wrote.
    let [high, low] = unsafe { words_at(state) }.two();
    u64::from(high) << 32 | u64::from(low)
}

unsafe extern "C" fn next_uint32(state: *mut c_void) -> u32 {
    // SAFETY: numpy passes on what `connect` wrote.
    unsafe { words_at(state) }.next()
}

unsafe extern "C" fn next_double(state: *mut c_void) -> f64 {
    // SAFETY: numpy passes on what `connect` wrote.
    let [high, low] = unsafe { words_at(state) }.two();
    uniform_f64(high, low)
}

unsafe extern "C" fn next_raw(state: *mut c_void) -> u64 {
    // SAFETY: numpy passes on what `connect` wrote.
    u64::from(unsafe { words_at(state) }.next())
}
