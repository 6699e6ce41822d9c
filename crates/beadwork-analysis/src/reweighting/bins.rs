//! Sums of samples over bins of their energy, and averages at any temperature from these sums.

use std::collections::HashMap;

use super::solver::Equations;
use super::states::{Binning, MOST_BINS, State};
use crate::{Error, interruption, statistics};

/// Sums over bins, group by group. Only bins that hold samples exist.
pub(super) struct Bins {
    inverse_temperatures: Vec<f64>,
    /// The energies that the sums of the bins are counted from, in rising order.
    centres: Vec<f64>,
    observables: usize,
    /// ⟨E⟩ at each temperature, with equal weights for all samples.
    mean_energies: Vec<f64>,
    groups: Vec<GroupSums>,
}

#[derive(Clone, Debug)]
struct GroupSums {
    /// Nₖ/gₖ.
    counts: Vec<f64>,
    /// For each bin Σ w, Σ w e, Σ w e², and for each observable Σ w a, Σ w a e, with w = 1/gₖ and e the energy less the
    /// centre of the bin.
    sums: Vec<f64>,
}

impl Bins {
    /// The bins of all samples, and their width; the width is 0 for [`Binning::Exact`].
    pub fn new(states: &[State], groups: usize, binning: Binning) -> (Self, f64) {
        let mut width = match binning {
            Binning::Automatic => automatic_width(states),
            Binning::Width(width) => width,
            Binning::Exact => 0.0,
        };
        let origin = energies(states).fold(f64::INFINITY, f64::min);
        // 0.0 and −0.0 are the same energy.
        let key = |energy: f64, width: f64| match width > 0.0 {
            true => ((energy - origin) / width).floor().to_bits(),
            false => (energy + 0.0).to_bits(),
        };
        let mut places: HashMap<u64, usize> = HashMap::new();
        loop {
            places.clear();
            let full = energies(states).any(|energy| {
                places.insert(key(energy, width), 0);
                places.len() > MOST_BINS && binning == Binning::Automatic
            });
            if !full {
                break;
            }
            width *= 2.0;
        }
        let mut keys: Vec<f64> = places.keys().map(|&bits| f64::from_bits(bits)).collect();
        keys.sort_by(f64::total_cmp);
        for (place, key) in keys.iter().enumerate() {
            places.insert(key.to_bits(), place);
        }
        let centre = |key: &f64| if width > 0.0 { origin + (key + 0.5) * width } else { *key };
        let centres: Vec<f64> = keys.iter().map(centre).collect();
        let first = states.first().and_then(|state| state.groups.first());
        let observables = first.map_or(0, |group| group.observables.len());
        let stride = 3 + 2 * observables;
        let fill = |which: usize| {
            let mut group = GroupSums {
                counts: vec![0.0; states.len()],
                sums: vec![0.0; centres.len() * stride],
            };
            for (count, state) in group.counts.iter_mut().zip(states) {
                if interruption::is_wished() {
                    break;
                }
                let samples = &state.groups[which];
                let weight = state.inefficiency.recip();
                *count = weight * samples.energies.len() as f64;
                for (index, &energy) in samples.energies.iter().enumerate() {
                    let bin = places[&key(energy, width)];
                    let sums = &mut group.sums[bin * stride..(bin + 1) * stride];
                    let from_centre = energy - centres[bin];
                    sums[0] += weight;
                    sums[1] += weight * from_centre;
                    sums[2] += weight * from_centre * from_centre;
                    for (pair, values) in sums[3..].chunks_exact_mut(2).zip(&samples.observables) {
                        pair[0] += weight * values[index];
                        pair[1] += weight * values[index] * from_centre;
                    }
                }
            }
            group
        };
        let of_state = |state| energies(std::slice::from_ref(state)).collect::<Vec<f64>>();
        let groups = (0..groups).map(fill).collect();
        let bins = Self {
            inverse_temperatures: states.iter().map(|state| state.temperature.recip()).collect(),
            observables,
            mean_energies: states.iter().filter_map(|s| statistics::mean(&of_state(s))).collect(),
            groups,
            centres,
        };
        (bins, width)
    }

    /// Computes the free energies from all groups but one, starting from those of `known`. A temperature at which no
    /// other group has samples is left out; its free energy is NaN.
    pub fn fit(&self, without: Option<usize>, known: Option<&Fit>) -> Result<Fit, Error> {
        let stride = 3 + 2 * self.observables;
        let mut counts = vec![0.0; self.inverse_temperatures.len()];
        let mut sums = vec![0.0; self.centres.len() * stride];
        for (place, group) in self.groups.iter().enumerate() {
            if Some(place) != without {
                counts.iter_mut().zip(&group.counts).for_each(|(count, more)| *count += more);
                sums.iter_mut().zip(&group.sums).for_each(|(sum, more)| *sum += more);
            }
        }
        let present: Vec<usize> = (0..counts.len()).filter(|&state| counts[state] > 0.0).collect();
        if present.is_empty() {
            return Err(Error::free_energies("all samples are in one of the groups"));
        }
        let of_present =
            |values: &[f64]| -> Vec<f64> { present.iter().map(|&state| values[state]).collect() };
        let inverse_temperatures = of_present(&self.inverse_temperatures);
        let reference = self.centres[self.centres.len() / 2];
        let mut fit = Fit { observables: self.observables, ..Fit::default() };
        for (bin, centre) in sums.chunks_exact(stride).zip(&self.centres) {
            let (weight, first, second) = (bin[0], bin[1], bin[2]);
            if weight > 0.0 {
                // Sums about the mean energy of the bin cancel the dependence on the bin width to first order.
                let shift = first / weight;
                fit.energies.push(centre + shift - reference);
                fit.weights.push(weight);
                fit.squares.push((second - shift * first).max(0.0));
                fit.products.extend(
                    bin[3..].chunks_exact(2).map(|pair| (pair[0], pair[1] - shift * pair[0])),
                );
            }
        }
        let equations = Equations {
            inverse_temperatures: &inverse_temperatures,
            counts: &of_present(&counts),
            energies: &fit.energies,
            weights: &fit.weights,
        };
        let start = known.map_or_else(
            || self.first_guess(reference),
            |known| {
                let known = known.free_energies.iter().zip(&self.inverse_temperatures);
                known.map(|(f, beta)| f - beta * reference).collect()
            },
        );
        let free_energies = equations.solve(of_present(&start))?;
        fit.log_denominators = equations.log_denominators(&free_energies);
        fit.free_energies = vec![f64::NAN; counts.len()];
        for (&state, f) in present.iter().zip(free_energies) {
            fit.free_energies[state] = f + self.inverse_temperatures[state] * reference;
        }
        fit.reference = reference;
        Ok(fit)
    }

    /// Initial values f = ∫⟨E⟩dβ by the trapezoidal rule, with energies counted from the reference.
    fn first_guess(&self, reference: f64) -> Vec<f64> {
        let beta = &self.inverse_temperatures;
        let mut order: Vec<usize> = (0..beta.len()).collect();
        order.sort_by(|&one, &other| beta[one].total_cmp(&beta[other]));
        let mut guess = vec![0.0; order.len()];
        for pair in order.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let mean = 0.5 * (self.mean_energies[from] + self.mean_energies[to]) - reference;
            guess[to] = guess[from] + (beta[to] - beta[from]) * mean;
        }
        guess
    }
}

/// Bins with the free energies computed from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Fit {
    /// fₖ up to a common constant.
    pub free_energies: Vec<f64>,
    observables: usize,
    /// The energy that `energies` are counted from.
    reference: f64,
    energies: Vec<f64>,
    /// Σ w of each bin.
    weights: Vec<f64>,
    /// Σ w e² of each bin, with e the energy less the mean energy of the bin.
    squares: Vec<f64>,
    /// Σ w a, Σ w a e of each observable, bin by bin.
    products: Vec<(f64, f64)>,
    /// ln Σₖ Nₖ e^{fₖ − βₖE} of each bin.
    log_denominators: Vec<f64>,
}

pub(super) struct Averages {
    pub energy: f64,
    /// ⟨E²⟩ − ⟨E⟩².
    pub energy_variance: f64,
    /// ⟨A⟩ and ⟨E A⟩ − ⟨E⟩⟨A⟩ of each observable.
    pub observables: Vec<(f64, f64)>,
    pub effective_samples: f64,
}

impl Fit {
    pub fn averages(&self, beta: f64) -> Averages {
        let exponents: Vec<f64> = self
            .energies
            .iter()
            .zip(&self.log_denominators)
            .map(|(energy, denominator)| -beta * energy - denominator)
            .collect();
        let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The weight of one sample in each bin, relative to the largest.
        let each: Vec<f64> = exponents.iter().map(|exponent| (exponent - largest).exp()).collect();
        let sum = |term: &dyn Fn(usize) -> f64| -> f64 {
            each.iter().enumerate().map(|(bin, weight)| weight * term(bin)).sum()
        };
        let total = sum(&|bin| self.weights[bin]);
        let energy = sum(&|bin| self.weights[bin] * self.energies[bin]) / total;
        let from_mean = |bin: usize| self.energies[bin] - energy;
        let square = |bin: usize| self.squares[bin] + self.weights[bin] * from_mean(bin).powi(2);
        let observable = |which: usize| {
            let pair = |bin: usize| self.products[bin * self.observables + which];
            let mean = sum(&|bin| pair(bin).0) / total;
            let covariance = sum(&|bin| {
                let (first, product) = pair(bin);
                product + from_mean(bin) * (first - mean * self.weights[bin])
            });
            (mean, covariance / total)
        };
        Averages {
            energy: self.reference + energy,
            energy_variance: sum(&square) / total,
            observables: (0..self.observables).map(observable).collect(),
            effective_samples: total * total / sum(&|bin| self.weights[bin] * each[bin]),
        }
    }
}

fn energies<'a>(states: &'a [State]) -> impl Iterator<Item = f64> + 'a {
    states.iter().flat_map(|state| state.groups.iter().flat_map(|group| group.energies)).copied()
}

/// The width of [`Binning::Automatic`] before any doubling; 0 if all energies are equal.
fn automatic_width(states: &[State]) -> f64 {
    let deviations = states.iter().filter_map(|state| {
        let energies: Vec<f64> = energies(std::slice::from_ref(state)).collect();
        statistics::standard_deviation(&energies).filter(|deviation| *deviation > 0.0)
    });
    let least = deviations.fold(f64::INFINITY, f64::min);
    let mut beta: Vec<f64> = states.iter().map(|state| state.temperature.recip()).collect();
    beta.sort_by(f64::total_cmp);
    let widest = beta.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let width = 0.1 * least.min(widest.recip());
    if width.is_finite() { width } else { 0.0 }
}
