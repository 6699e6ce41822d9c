//! [`States`] as the words that kernels keep.

use crate::error::Error;
use crate::generators::{HybridTaus, LaggedFibonacci, Lcg, Mt19937, Ran2, Saru, Xorwow};
use crate::streams::States;

/// Word k of bead b at k · beads + b: neighbouring threads read neighbouring words.
fn packed<const COUNT: usize>(states: impl ExactSizeIterator<Item = [u32; COUNT]>) -> Vec<u32> {
    let beads = states.len();
    let mut words = vec![0; COUNT * beads];
    for (bead, state) in states.enumerate() {
        for (k, word) in state.into_iter().enumerate() {
            words[k * beads + bead] = word;
        }
    }
    words
}

fn unpacked<const COUNT: usize, G>(
    words: &[u32],
    beads: usize,
    generator: impl Fn([u32; COUNT]) -> Result<G, Error>,
) -> Result<Vec<G>, Error> {
    (0..beads).map(|bead| generator(std::array::from_fn(|k| words[k * beads + bead]))).collect()
}

/// A generator and its table, which a `Vec` holds.
fn of_ran2(generator: &Ran2) -> [u32; 35] {
    let words: Vec<i32> = generator.clone().into();
    std::array::from_fn(|k| words[k] as u32)
}

impl States {
    /// All states as words: of generators of beads, word k of bead b at k · beads + b; of generators of all beads, what
    /// they keep and their place.
    pub fn packed(&self) -> Vec<u32> {
        match self {
            Self::Lcg(states) => packed(states.iter().map(|state| [state.state()])),
            Self::Ran2(states) => packed(states.iter().map(of_ran2)),
            Self::HybridTaus(states) => packed(states.iter().map(|state| state.state())),
            Self::Xorwow(states) => packed(states.iter().map(|state| state.state())),
            Self::Saru(states) => packed(states.iter().map(|state| state.state())),
            Self::LaggedFibonacci(state) => {
                let (ring, place) = state.ring();
                ring.iter().copied().chain([place as u32]).collect()
            }
            Self::Mt19937(state) => state.clone().into(),
        }
    }

    /// How many words [`States::packed`] gives.
    pub fn packed_words(&self) -> usize {
        match self {
            Self::Lcg(states) => states.len(),
            Self::Ran2(states) => 35 * states.len(),
            Self::HybridTaus(states) => 4 * states.len(),
            Self::Xorwow(states) => 6 * states.len(),
            Self::Saru(states) => 2 * states.len(),
            Self::LaggedFibonacci(state) => state.lags().1 + 1,
            Self::Mt19937(_) => 625,
        }
    }

    /// States of the same generators from what [`States::packed`] gave.
    ///
    /// # Errors
    /// [`Error::ImpossibleState`] and [`Error::DeadState`] for words that are no states, or not as many.
    pub fn unpacked(&self, words: &[u32]) -> Result<Self, Error> {
        let of_beads = |beads: usize, each: usize, generator: &'static str| {
            let fits = words.len() == beads * each;
            if fits { Ok(beads) } else { Err(Error::ImpossibleState { generator }) }
        };
        Ok(match self {
            Self::Lcg(states) => {
                let beads = of_beads(states.len(), 1, "lcg")?;
                Self::Lcg(unpacked(words, beads, |[state]: [u32; 1]| Ok(Lcg::from_state(state)))?)
            }
            Self::Ran2(states) => {
                let beads = of_beads(states.len(), 35, "ran2")?;
                Self::Ran2(unpacked(words, beads, |state: [u32; 35]| {
                    Ran2::try_from(state.map(u32::cast_signed).to_vec())
                })?)
            }
            Self::HybridTaus(states) => {
                let beads = of_beads(states.len(), 4, "hybrid-taus")?;
                Self::HybridTaus(unpacked(words, beads, HybridTaus::from_state)?)
            }
            Self::Xorwow(states) => {
                let beads = of_beads(states.len(), 6, "xorwow")?;
                Self::Xorwow(unpacked(words, beads, Xorwow::from_state)?)
            }
            Self::Saru(states) => {
                let beads = of_beads(states.len(), 2, "saru")?;
                Self::Saru(unpacked(words, beads, |state| Ok(Saru::from_state(state)))?)
            }
            Self::LaggedFibonacci(state) => {
                let impossible = Error::ImpossibleState { generator: "lagged-fibonacci" };
                let Some((place, ring)) = words.split_last() else { return Err(impossible) };
                let (lags, place) = (state.lags(), *place as usize);
                Self::LaggedFibonacci(LaggedFibonacci::from_ring(lags, ring.to_vec(), place)?)
            }
            Self::Mt19937(_) => Self::Mt19937(Mt19937::try_from(words.to_vec())?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generator, Owner, Streams};

    fn states(generator: Generator, beads: u32) -> States {
        let owner = Owner { seed: 20101, replica: 3 };
        let scheme = *generator.schemes().last().unwrap();
        let mut streams = Streams::new(generator, scheme, owner, beads, 4).unwrap();
        let mut words = vec![0; streams.words_a_step()];
        streams.draw(0, |_| true, &mut words);
        streams.states().unwrap().clone()
    }

    const KEPT: [Generator; 7] = [
        Generator::Lcg,
        Generator::Ran2,
        Generator::HybridTaus,
        Generator::Xorwow,
        Generator::Saru,
        Generator::LaggedFibonacci,
        Generator::Mt19937,
    ];

    #[test]
    fn states_are_what_was_packed() {
        for generator in KEPT {
            let states = states(generator, 5);
            let words = states.packed();
            assert_eq!(words.len(), states.packed_words(), "{generator:?}");
            assert_eq!(states.unpacked(&words).as_ref(), Ok(&states), "{generator:?}");
            assert!(states.unpacked(&words[1..]).is_err(), "{generator:?}");
        }
    }

    #[test]
    fn words_of_beads_lie_beside_each_other() {
        let States::HybridTaus(generators) = states(Generator::HybridTaus, 5) else {
            panic!("other states")
        };
        let words = States::HybridTaus(generators.clone()).packed();
        for (bead, generator) in generators.iter().enumerate() {
            for (k, word) in generator.state().into_iter().enumerate() {
                assert_eq!(words[5 * k + bead], word);
            }
        }
    }
}
