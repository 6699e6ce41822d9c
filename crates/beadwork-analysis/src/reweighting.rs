//! Averages at any temperature from samples at several: MBAR, on energies binned so finely that the bias is negligible.
//!
//! A sample of energy E has at temperature 1/β the weight e^{−βE}/Σₖ Nₖ e^{fₖ − βₖE}, with the f that make
//! the weights at each βₖ sum to e^{−fₖ} (Shirts and Chodera, J. Chem. Phys. 129, 124105, 2008; on bins,
//! WHAM: Kumar et al., J. Comput. Chem. 13, 1011, 1992). Correlated samples count 1/gₖ each (Chodera et
//! al., J. Chem. Theory Comput. 3, 26, 2007). kB = 1.
//!
//! ```
//! use beadwork_analysis::Samples;
//! use beadwork_analysis::reweighting::{Binning, Reweighting, State};
//!
//! // Two levels, 0 and 1, at T = 1: 731 and 269 samples are the Boltzmann weights 1 and e⁻¹.
//! let energies: Vec<f64> = (0..1000).map(|sample| f64::from(u8::from(sample >= 731))).collect();
//! let groups = vec![Samples { energies: &energies, observables: vec![] }];
//! let state = State { temperature: 1.0, inefficiency: 1.0, groups };
//! let levels = Reweighting::new(&[state], Binning::Automatic)?;
//! let energy = levels.at(2.0, 1).energy.value;
//! assert!((energy - 1.0 / (1.0 + 0.5_f64.exp())).abs() < 1e-3);
//! # Ok::<(), beadwork_analysis::Error>(())
//! ```

mod bins;
mod peak;
mod solver;
mod states;

use crate::jackknife::LEAST_BLOCKS;
use crate::{Error, Estimate, samples};
use bins::Bins;
pub use peak::{Peak, parabola_top};
use rayon::prelude::*;
pub use states::{Binning, MOST_BINS, State};

/// Samples at several temperatures with their free energies, ready for any temperature.
#[derive(Clone, Debug)]
pub struct Reweighting {
    width: f64,
    full: bins::Fit,
    left_out: Vec<bins::Fit>,
}

/// Averages at one temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// T, in the unit of the energies.
    pub temperature: f64,
    /// ⟨E⟩ of the whole system.
    pub energy: Estimate,
    /// C/N = β²/N (⟨E²⟩ − ⟨E⟩²), a number.
    pub heat_capacity_per_bead: Estimate,
    /// Each of the observables, in the order given.
    pub observables: Vec<Reweighted>,
    /// The effective number of samples (Σ w)²/Σ w² (Kish, *Survey Sampling*, 1965). If it is small, the samples do not
    /// reach this temperature.
    pub effective_samples: f64,
}

/// An observable at one temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reweighted {
    /// ⟨A⟩.
    pub mean: Estimate,
    /// d⟨A⟩/dT = β² (⟨E A⟩ − ⟨E⟩⟨A⟩).
    pub temperature_derivative: Estimate,
}

impl Reweighting {
    /// Finds the free energies of all states, and again without each group.
    ///
    /// Newton's method minimises their convex function, starting from ∫⟨E⟩dβ, until a step of the self-consistent
    /// iteration would change no f by more than 10⁻¹⁰. Fails with `analysis/free-energies` if temperatures share no
    /// energies, with all groups or without one of them.
    pub fn new(states: &[State], binning: Binning) -> Result<Self, Error> {
        let groups = check(states)?;
        if let Binning::Width(width) = binning
            && !(width > 0.0 && width.is_finite())
        {
            let reason = format!("{width} is not a width of bins: give a positive number");
            return Err(Error::samples(reason));
        }
        let (bins, width) = Bins::new(states, groups, binning);
        let full = bins.fit(None, None)?;
        // Fewer groups give no error.
        let groups = if groups < LEAST_BLOCKS { 0 } else { groups };
        let left_out = (0..groups).into_par_iter().map(|group| bins.fit(Some(group), Some(&full)));
        let left_out: Vec<Result<bins::Fit, Error>> = left_out.collect();
        // Errors are collected one after another, so that the first failing group always decides the message.
        let left_out = left_out.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { width, full, left_out })
    }

    /// The width of the bins, in the unit of the energies; 0 if only equal energies share a bin.
    pub fn bin_width(&self) -> f64 {
        self.width
    }

    /// fₖ = βₖFₖ = −ln Zₖ of each state relative to the first, in the order given; a number.
    pub fn free_energies(&self) -> Vec<Estimate> {
        (0..self.full.free_energies.len())
            .map(|state| self.estimate(|fit| fit.free_energies[state] - fit.free_energies[0]))
            .collect()
    }

    /// Averages at a temperature, in the unit of the energies, for `beads` beads. They are reliable between the lowest
    /// and highest temperature sampled; beyond, [`Point::effective_samples`] shows how far samples reach.
    pub fn at(&self, temperature: f64, beads: usize) -> Point {
        let beta = temperature.recip();
        let all = self.full.averages(beta);
        let without: Vec<_> = self.left_out.iter().map(|fit| fit.averages(beta)).collect();
        let estimate = |pick: &dyn Fn(&bins::Averages) -> f64| {
            Estimate::jackknife(pick(&all), &without.iter().map(pick).collect::<Vec<f64>>())
        };
        let scale = beta * beta / beads as f64;
        let observable = |which: usize| Reweighted {
            mean: estimate(&|averages| averages.observables[which].0),
            temperature_derivative: estimate(&|averages| {
                beta * beta * averages.observables[which].1
            }),
        };
        Point {
            temperature,
            energy: estimate(&|averages| averages.energy),
            heat_capacity_per_bead: estimate(&|averages| scale * averages.energy_variance),
            observables: (0..all.observables.len()).map(observable).collect(),
            effective_samples: all.effective_samples,
        }
    }

    /// The highest maximum of C(T)/N between two temperatures; `None` if the highest value is at an end. The error
    /// comes from the maxima found without each group.
    pub fn heat_capacity_peak(&self, from: f64, to: f64, beads: usize) -> Option<Peak> {
        self.peak(from, to, |temperature, averages| {
            averages.energy_variance / (temperature * temperature * beads as f64)
        })
    }

    /// The highest maximum of d⟨A⟩/dT of an observable A: the temperature at which A grows fastest.
    pub fn growth_peak(&self, from: f64, to: f64, observable: usize) -> Option<Peak> {
        self.peak(from, to, |temperature, averages| {
            averages.observables[observable].1 / (temperature * temperature)
        })
    }

    fn peak(
        &self,
        from: f64,
        to: f64,
        of: impl Fn(f64, &bins::Averages) -> f64 + Sync,
    ) -> Option<Peak> {
        let top = |fit: &bins::Fit| {
            let at = |temperature: f64| of(temperature, &fit.averages(temperature.recip()));
            peak::maximum(at, from, to)
        };
        let (temperature, height) = top(&self.full)?;
        // If the peak vanishes without one of the groups, the peak has no error.
        let without = self.left_out.par_iter().map(|fit| top(fit).unwrap_or((f64::NAN, f64::NAN)));
        let (places, heights): (Vec<f64>, Vec<f64>) = without.unzip();
        Some(Peak {
            temperature: Estimate::jackknife(temperature, &places),
            height: Estimate::jackknife(height, &heights),
        })
    }

    fn estimate(&self, pick: impl Fn(&bins::Fit) -> f64) -> Estimate {
        let without: Vec<f64> = self.left_out.iter().map(&pick).collect();
        Estimate::jackknife(pick(&self.full), &without)
    }
}

/// Checks that the numbers and lengths of the arrays agree; returns the number of groups.
fn check(states: &[State]) -> Result<usize, Error> {
    let refused = |reason: &str| Err(Error::samples(reason));
    let Some(first) = states.first() else { return refused("there are none: give some") };
    let groups = first.groups.len();
    let observables = first.groups.first().map_or(0, |group| group.observables.len());
    for state in states {
        samples::check(state.temperature, &state.groups, observables)?;
        if state.groups.len() != groups {
            return refused(
                "the temperatures have different numbers of groups: give the same groups everywhere, empty ones too",
            );
        }
        if !(state.inefficiency >= 1.0 && state.inefficiency.is_finite()) {
            return refused(
                "an inefficiency is below 1 or not finite: give 1 for independent samples",
            );
        }
        if state.groups.iter().all(|group| group.energies.is_empty()) {
            return refused("a temperature has no samples: leave it out");
        }
    }
    Ok(groups)
}
