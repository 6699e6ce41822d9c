//! Energies at one temperature, and the observables sampled with them.

use crate::Error;

/// Successive samples at one temperature, from one ladder or from a block of its time.
#[derive(Clone, Debug, Default)]
pub struct Samples<'a> {
    /// Total energies, in the unit of kT.
    pub energies: &'a [f64],
    /// Values of each observable, as many as there are energies, in any unit.
    pub observables: Vec<&'a [f64]>,
}

impl<'a> Samples<'a> {
    /// Cuts the samples into successive blocks, whose lengths differ by at most one.
    pub fn blocks(&self, count: usize) -> Vec<Self> {
        let edge = |block: usize| block * self.energies.len() / count.max(1);
        let cut = |values: &'a [f64], block: usize| {
            values.get(edge(block)..edge(block + 1)).unwrap_or_default()
        };
        let block = |block: usize| Self {
            energies: cut(self.energies, block),
            observables: self.observables.iter().map(|values| cut(values, block)).collect(),
        };
        (0..count).map(block).collect()
    }
}

/// Checks a temperature and its samples: T positive, values finite, and `observables` observables with one value for
/// each energy.
pub(crate) fn check<'a>(
    temperature: f64,
    samples: impl IntoIterator<Item = &'a Samples<'a>>,
    observables: usize,
) -> Result<(), Error> {
    let refused = |reason: String| Err(Error::samples(reason));
    if !(temperature > 0.0 && temperature.is_finite()) {
        return refused(format!(
            "{temperature} is not a temperature: give a positive number, in the unit of the energies"
        ));
    }
    for part in samples {
        let energies = part.energies.len();
        if part.observables.len() != observables {
            return refused(format!(
                "there are {observables} observables in some samples and {} in others: give the same everywhere",
                part.observables.len()
            ));
        }
        if let Some(values) = part.observables.iter().find(|values| values.len() != energies) {
            return refused(format!(
                "an observable at temperature {temperature} has {} values beside {energies} energies: give one for each",
                values.len()
            ));
        }
        let all = std::iter::once(&part.energies).chain(&part.observables);
        if let Some(value) = all.copied().flatten().find(|value| !value.is_finite()) {
            return refused(format!(
                "there is a {value} at temperature {temperature}: leave out what could not be measured"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_each_sample_once() {
        let energies: Vec<f64> = (0..10).map(f64::from).collect();
        let samples = Samples { energies: &energies, observables: vec![&energies] };
        let blocks = samples.blocks(3);
        let lengths: Vec<usize> = blocks.iter().map(|block| block.energies.len()).collect();
        assert_eq!(lengths, [3, 3, 4]);
        let joined: Vec<f64> =
            blocks.iter().flat_map(|block| block.observables[0]).copied().collect();
        assert_eq!(joined, energies);
        assert!(samples.blocks(0).is_empty());
    }

    #[test]
    fn what_cannot_be_averaged_is_refused() {
        let (two, three) = ([1.0, 2.0], [1.0, 2.0, 3.0]);
        let reason = |temperature, energies, observable: &[f64], observables| {
            let samples = Samples { energies, observables: vec![observable] };
            check(temperature, [&samples], observables).unwrap_err().to_string()
        };
        assert!(reason(0.0, &two, &two, 1).contains("0 is not a temperature"));
        assert!(reason(1.0, &two, &three, 1).contains("has 3 values beside 2 energies"));
        assert!(reason(1.0, &two, &[1.0, f64::NAN], 1).contains("there is a NaN at temperature 1"));
        assert!(reason(1.0, &two, &two, 2).contains("2 observables in some samples and 1"));
    }
}
