//! The unfolding force of a pulled protein.
//!
//! A spring pulls one end of the chain. Its force rises until the protein unfolds, falls while the chain uncoils, and
//! rises without limit once the chain is taut. The **unfolding force** f* is therefore not the largest force: it is the
//! highest value before the largest fall of the force, averaged over a window, while the chain is not yet taut.

use serde::{Deserialize, Serialize};

use crate::interruption;
use crate::statistics::{running_average, slope};

/// Boltzmann's constant in pN nm/K (exact in the SI of 2019).
const BOLTZMANN_PN_NM_PER_K: f64 = 0.013_806_49;

/// What one replica's spring recorded at equally spaced times. A sample is left out if one of the first three arrays
/// lacks it or its value there is not finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Time of each sample, ns.
    pub time_ns: Vec<f64>,
    /// Extension of the chain, nm.
    pub extension_nm: Vec<f64>,
    /// Force of the spring along the pulling direction, pN.
    pub force_pn: Vec<f64>,
    /// Number of native contacts held; may be empty.
    pub contacts: Vec<f64>,
}

impl Curve {
    /// The samples of which time, extension and force are known.
    fn complete(&self) -> impl Iterator<Item = usize> {
        let length = self.time_ns.len().min(self.extension_nm.len()).min(self.force_pn.len());
        (0..length).filter(|&sample| {
            let all = [&self.time_ns, &self.extension_nm, &self.force_pn];
            all.iter().all(|values| values[sample].is_finite())
        })
    }

    /// The number of samples that [`analyse`] leaves out, since time, extension or force is not known.
    pub fn incomplete(&self) -> usize {
        self.time_ns.len() - self.complete().count()
    }
}

/// What counts as a peak of the force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Criteria {
    /// Number of samples in the running average ([`running_average`]); 0 counts as 1.
    pub window_points: usize,
    /// The least fall of the averaged force that counts, pN; see [`noise_fall`].
    pub prominence_pn: f64,
    /// The averaged extension, nm, at which the chain is taut. Samples from the first that reaches it on are left out.
    pub taut_extension_nm: Option<f64>,
}

/// A peak of the averaged force. `contacts` is NaN if the curve has none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Averaged force at the peak, pN.
    pub force_pn: f64,
    /// Averaged extension at the peak, nm.
    pub extension_nm: f64,
    /// Time of the peak, the middle of its window, ns.
    pub time_ns: f64,
    /// Averaged number of native contacts at the peak.
    pub contacts: f64,
    /// Height above the lowest averaged force before the next higher value or the end, pN.
    pub fall_pn: f64,
    /// Sample of the curve in the middle of the window.
    pub index: usize,
}

/// The peaks of one curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unfolding {
    /// The peak before the largest fall (the first of equals); `None`: not unfolded.
    pub rupture: Option<Peak>,
    /// Every peak with a fall of at least the prominence, in time order. Between two of them the
    /// force falls and climbs by at least the prominence.
    pub peaks: Vec<Peak>,
    /// pN/ns: the slope in time of the averaged force from where it last was below half of the unfolding force up to that;
    /// `None` for fewer than three averages.
    pub loading_rate: Option<f64>,
}

/// Finds the peaks of the averaged force before the chain is taut, and the unfolding force.
///
/// The unfolding force starts the maximum drawdown: over all samples i < j, the largest f(i) − f(j) for which no value
/// in between exceeds f(i). Averages are over whole windows, so the averaged curve is shorter than the curve by one
/// sample less than a window. A drawdown below the prominence, or fewer than three averages, does not count as
/// unfolding.
pub fn analyse(curve: &Curve, criteria: &Criteria) -> Unfolding {
    let samples: Vec<usize> = curve.complete().collect();
    let average = |values: &[f64]| {
        let kept: Vec<f64> =
            samples.iter().map(|&sample| values.get(sample).copied().unwrap_or(f64::NAN)).collect();
        running_average(&kept, criteria.window_points)
    };
    let extension = average(&curve.extension_nm);
    let taut = criteria
        .taut_extension_nm
        .and_then(|limit| extension.iter().position(|&value| value >= limit))
        .unwrap_or(extension.len());
    if taut < 3 {
        return Unfolding::default();
    }
    let mut force = average(&curve.force_pn);
    force.truncate(taut);
    let contacts = average(&curve.contacts);

    // A window is assigned to the sample in its middle.
    let sample_of = |place: usize| samples[place + criteria.window_points / 2];
    let peaks: Vec<Peak> = turning_points(&force, criteria.prominence_pn)
        .into_iter()
        .take_while(|_| !interruption::is_wished())
        .map(|place| Peak {
            force_pn: force[place],
            extension_nm: extension[place],
            time_ns: curve.time_ns[sample_of(place)],
            contacts: if contacts[place].is_finite() { contacts[place] } else { f64::NAN },
            fall_pn: fall(&force[place..]),
            index: sample_of(place),
        })
        .collect();
    let rupture = peaks
        .iter()
        .copied()
        .reduce(|largest, peak| if peak.fall_pn > largest.fall_pn { peak } else { largest });
    let loading_rate = rupture.and_then(|rupture| {
        let end = force.iter().position(|force| *force == rupture.force_pn)?;
        let low = force[..end].iter().rposition(|force| *force < 0.5 * rupture.force_pn);
        let rise: Vec<(f64, f64)> = (low.map_or(0, |low| low + 1)..=end)
            .map(|place| (curve.time_ns[sample_of(place)], force[place]))
            .collect();
        if rise.len() > 2 { slope(&rise) } else { None }
    });
    Unfolding { rupture, peaks, loading_rate }
}

/// Indices of the maxima from which the values fall by at least `prominence` before they exceed them. Between two
/// neighbouring maxima, the values fall and rise by at least `prominence`.
///
/// The start of the maximum drawdown is always among them: it exceeds every earlier value, so the
/// climb to it from any earlier confirmed minimum is at least `prominence`.
fn turning_points(values: &[f64], prominence: f64) -> Vec<usize> {
    let mut maxima = Vec::new();
    let (mut highest, mut lowest) = (0, 0);
    let mut climbing = true;
    for (place, &value) in values.iter().enumerate() {
        if climbing {
            if value > values[highest] {
                highest = place;
            }
            let fall = values[highest] - value;
            if fall > 0.0 && fall >= prominence {
                maxima.push(highest);
                lowest = place;
                climbing = false;
            }
        } else {
            if value < values[lowest] {
                lowest = place;
            }
            let climb = value - values[lowest];
            if climb > 0.0 && climb >= prominence {
                highest = place;
                climbing = true;
            }
        }
    }
    maxima
}

/// The first value less the lowest value before the first one is exceeded.
fn fall(values: &[f64]) -> f64 {
    let Some(&first) = values.first() else { return 0.0 };
    let lowest = values.iter().copied().take_while(|&value| value <= first).fold(first, f64::min);
    first - lowest
}

/// Standard deviation, in pN, of the force of a spring in equilibrium averaged over a window: √(κ kT /
/// `window_points`). Samples closer in time than the relaxation time of the spring average out less; the true value
/// lies between this one and the one for a window of 1.
pub fn noise_floor(stiffness_pn_per_nm: f64, temperature_k: f64, window_points: usize) -> f64 {
    let variance = stiffness_pn_per_nm * BOLTZMANN_PN_NM_PER_K * temperature_k;
    (variance / window_points.max(1) as f64).sqrt()
}

/// The fall, in pN, that normal noise alone exceeds in fewer than one of a thousand curves of `samples` samples.
///
/// A normal number exceeds x standard deviations in magnitude with a probability below exp(−x²/2), so with probability
/// 0.999 none of n exceeds x = √(2 ln(1000 n)). A fall is the difference of two such numbers.
pub fn noise_fall(noise_floor_pn: f64, samples: usize) -> f64 {
    let samples = samples.max(1) as f64;
    2.0 * noise_floor_pn * (2.0 * (1000.0 * samples).ln()).sqrt()
}
