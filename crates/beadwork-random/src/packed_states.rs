//! Packs [`States`] into words for device memory.

use crate::error::Error;
use crate::generators::{HybridTaus, LaggedFibonacci, Lcg, Mt19937, Saru, Xorwow};
use crate::streams::States;

/// Word k of bead b is at k · beads + b, so that neighbouring threads read neighbouring words.
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
    before: &[G],
    generator: &'static str,
    from_state: impl Fn([u32; COUNT]) -> Result<G, Error>,
) -> Result<Vec<G>, Error> {
    let beads = before.len();
    if words.len() != COUNT * beads {
        return Err(Error::impossible_state(generator));
    }
    (0..beads).map(|bead| from_state(std::array::from_fn(|k| words[k * beads + bead]))).collect()
}

impl States {
    /// All states as words. For generators of beads, word k of bead b is at k · beads + b; for a generator of all
    /// beads, its words are followed by its position.
    pub fn packed(&self) -> Vec<u32> {
        match self {
            Self::Lcg(states) => packed(states.iter().map(|state| [state.state()])),
            Self::Ran2(states) => packed(states.iter().map(|state| {
                let words: Vec<i32> = state.clone().into();
                std::array::from_fn::<_, 35, _>(|k| words[k] as u32)
            })),
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

    /// The number of words that [`States::packed`] returns.
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

    /// States of the same generators from the words of [`States::packed`].
    pub fn unpacked(&self, words: &[u32]) -> Result<Self, Error> {
        Ok(match self {
            Self::Lcg(states) => {
                let lcg = |[state]: [u32; 1]| Ok(Lcg::from_state(state));
                Self::Lcg(unpacked(words, states, "lcg", lcg)?)
            }
            Self::Ran2(states) => {
                let ran2 = |state: [u32; 35]| state.map(u32::cast_signed).to_vec().try_into();
                Self::Ran2(unpacked(words, states, "ran2", ran2)?)
            }
            Self::HybridTaus(states) => {
                Self::HybridTaus(unpacked(words, states, "hybrid-taus", HybridTaus::from_state)?)
            }
            Self::Xorwow(states) => {
                Self::Xorwow(unpacked(words, states, "xorwow", Xorwow::from_state)?)
            }
            Self::Saru(states) => {
                let saru = |state| Ok(Saru::from_state(state));
                Self::Saru(unpacked(words, states, "saru", saru)?)
            }
            Self::LaggedFibonacci(state) => {
                let impossible = Error::impossible_state("lagged-fibonacci");
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

    #[test]
    fn states_are_what_was_packed() {
        let has_states = |generator: &Generator| {
            generator.schemes().iter().any(|scheme| generator.state_bytes(*scheme, 20) > 0)
        };
        for generator in Generator::ALL.into_iter().filter(has_states) {
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
