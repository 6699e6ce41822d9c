//! The unfolding force of a pulled protein.
//!
//! A spring pulls one end of the chain. Its force climbs until the fold gives way, falls while the
//! chain uncoils, and climbs again without end once the chain is taut. The **unfolding force** f* is
//! therefore not the largest force: it is the highest value before the largest fall of the force,
//! averaged over a window, while the chain is not yet taut.

use serde::{Deserialize, Serialize};

use crate::statistics::running_average;

/// Boltzmann's constant in pN nm/K (exact in the SI of 2019).
const BOLTZMANN_PN_NM_PER_K: f64 = 0.013_806_49;

/// What one replica's spring recorded, sample by sample, equally spaced in time.
///
/// Samples beyond the shortest of the first three arrays, and samples that are not finite in one of
/// them, are left out.
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
    /// The extension (averaged over the window), nm, at which the chain is taut; everything from
    /// the first sample that reaches it is left out.
    pub taut_extension_nm: Option<f64>,
}

/// A peak of the averaged force.
///
/// All fields are finite, except that `contacts` is NaN where the curve has none.
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
    /// Height above the lowest averaged force between the peak and the next higher value (or the
    /// end), pN.
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
}

/// Finds the peaks of the averaged force before the chain is taut, and the unfolding force.
///
/// The unfolding force starts the maximum drawdown: over all samples i < j, the largest
/// f(i) − f(j) for which no value in between exceeds f(i). Averages are over whole windows, so that the
/// averaged curve is shorter than the curve by a window less one sample. A drawdown below the
/// prominence, or fewer than three averages, is no unfolding.
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

    // A window belongs to its middle.
    let sample_of = |place: usize| samples[place + criteria.window_points / 2];
    let peaks: Vec<Peak> = turning_points(&force, criteria.prominence_pn)
        .into_iter()
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
    Unfolding { rupture, peaks }
}

/// Places of the maxima from which the values fall by at least `prominence` before they exceed them,
/// where two neighbouring maxima are parted by a fall and a climb of at least `prominence`.
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

/// The first value less the lowest one before a higher one.
fn fall(values: &[f64]) -> f64 {
    let Some(&first) = values.first() else { return 0.0 };
    let lowest = values.iter().copied().take_while(|&value| value <= first).fold(first, f64::min);
    first - lowest
}

/// Standard deviation, in pN, of the force of a spring in equilibrium averaged over a window:
/// √(κ kT / `window_points`), with the stiffness κ in pN/nm and the temperature in K.
///
/// This holds for independent samples. Samples closer in time than the spring relaxes average out
/// less, so the true value lies between this one and the one for a window of 1.
pub fn noise_floor(stiffness_pn_per_nm: f64, temperature_k: f64, window_points: usize) -> f64 {
    let variance = stiffness_pn_per_nm * BOLTZMANN_PN_NM_PER_K * temperature_k;
    (variance / window_points.max(1) as f64).sqrt()
}

/// The fall, in pN, that normal noise alone exceeds in fewer than one of a thousand curves of
/// `samples` samples: a safe least prominence for noise of standard deviation `noise_floor_pn`.
///
/// A normal number exceeds x standard deviations in size with a probability below exp(−x²/2), so
/// none of n does with probability 0.999 for x = √(2 ln(1000 n)). A fall is the difference of two
/// of them.
pub fn noise_fall(noise_floor_pn: f64, samples: usize) -> f64 {
    let samples = samples.max(1) as f64;
    2.0 * noise_floor_pn * (2.0 * (1000.0 * samples).ln()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    /// A curve with these forces, one sample per ns, extension growing by 0.1 nm per sample.
    fn curve(force_pn: Vec<f64>) -> Curve {
        let count = force_pn.len();
        Curve {
            time_ns: (0..count).map(|sample| sample as f64).collect(),
            extension_nm: (0..count).map(|sample| 0.1 * sample as f64).collect(),
            contacts: (0..count).map(|sample| (count - sample) as f64).collect(),
            force_pn,
        }
    }

    /// The force at `count` samples on the straight lines between the corners (sample, force).
    fn polygon(corners: &[(usize, f64)]) -> Vec<f64> {
        corners
            .windows(2)
            .flat_map(|pair| {
                let ((start, from), (end, to)) = (pair[0], pair[1]);
                (start..end).map(move |sample| {
                    from + (to - from) * (sample - start) as f64 / (end - start) as f64
                })
            })
            .chain(corners.last().map(|corner| corner.1))
            .collect()
    }

    fn raw(prominence_pn: f64) -> Criteria {
        Criteria { window_points: 1, prominence_pn, taut_extension_nm: None }
    }

    #[test]
    fn two_peaks_and_a_taut_chain() {
        let corners = [
            (0, 0.0),
            (100, 30.0),
            (120, 10.0),
            (300, 120.0),
            (340, 20.0),
            (500, 400.0),
            (520, 200.0),
        ];
        let curve = curve(polygon(&corners));
        let criteria = Criteria { taut_extension_nm: Some(45.0), ..raw(8.0) };
        let unfolding = analyse(&curve, &criteria);
        let rupture = unfolding.rupture.unwrap();
        assert_eq!(rupture, unfolding.peaks[1]);
        assert_eq!(unfolding.peaks.len(), 2);
        assert_eq!((rupture.index, rupture.force_pn, rupture.fall_pn), (300, 120.0, 100.0));
        assert_eq!((rupture.time_ns, rupture.contacts), (300.0, 221.0));
        assert!((rupture.extension_nm - 30.0).abs() < 1e-12);
        let first = unfolding.peaks[0];
        assert_eq!((first.index, first.force_pn, first.fall_pn), (100, 30.0, 20.0));
        // Without the limit the taut chain's own fall, 200 pN, wins.
        assert_eq!(analyse(&curve, &raw(8.0)).rupture.unwrap().force_pn, 400.0);
    }

    #[test]
    fn a_plain_maximum_is_not_the_unfolding_force() {
        let corners = [(0, 0.0), (50, 100.0), (60, 15.0), (200, 300.0)];
        let rupture = analyse(&curve(polygon(&corners)), &raw(8.0)).rupture.unwrap();
        assert_eq!((rupture.force_pn, rupture.fall_pn), (100.0, 85.0));
    }

    #[test]
    fn the_largest_fall_may_pass_over_lower_peaks() {
        // From 100 down to 10 by way of 60: the fall is 90, and 60 is a peak with a fall of 50.
        let corners = [(0, 0.0), (10, 100.0), (20, 30.0), (30, 60.0), (40, 10.0)];
        let unfolding = analyse(&curve(polygon(&corners)), &raw(8.0));
        assert_eq!(unfolding.rupture.unwrap().fall_pn, 90.0);
        let falls: Vec<f64> = unfolding.peaks.iter().map(|peak| peak.fall_pn).collect();
        assert_eq!(falls, [90.0, 50.0]);
    }

    #[test]
    fn a_rise_without_a_fall_is_not_unfolded() {
        let unfolding = analyse(&curve(polygon(&[(0, 0.0), (500, 300.0)])), &raw(0.0));
        assert_eq!(unfolding, Unfolding::default());
    }

    #[test]
    fn a_fall_below_the_prominence_does_not_count() {
        let corners = [(0, 0.0), (50, 50.0), (60, 41.0), (100, 100.0)];
        let curve = curve(polygon(&corners));
        assert_eq!(analyse(&curve, &raw(9.1)).rupture, None);
        assert_eq!(analyse(&curve, &raw(8.9)).rupture.unwrap().force_pn, 50.0);
    }

    #[test]
    fn a_peak_at_the_very_end_counts_once_it_has_fallen() {
        let corners = [(0, 0.0), (98, 98.0), (100, 78.0)];
        let curve = curve(polygon(&corners));
        assert_eq!(analyse(&curve, &raw(20.0)).rupture.unwrap().index, 98);
        assert_eq!(analyse(&curve, &raw(20.1)).rupture, None);
    }

    #[test]
    fn averages_are_taken_before_the_search() {
        // One sample of 1000 pN weighs 1000/10 in a window of ten.
        let mut force = vec![0.0; 100];
        force[50] = 1000.0;
        let criteria = Criteria { window_points: 10, ..raw(1.0) };
        let rupture = analyse(&curve(force), &criteria).rupture.unwrap();
        assert!((rupture.force_pn - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_window_longer_than_the_data_sees_nothing() {
        let corners = [(0, 0.0), (50, 100.0), (60, 15.0)];
        let criteria = Criteria { window_points: 1_000, ..raw(1.0) };
        assert_eq!(analyse(&curve(polygon(&corners)), &criteria), Unfolding::default());
    }

    /// A sample at an end weighs no more than any other, where half a window would double it.
    #[test]
    fn the_ends_of_a_curve_make_no_peak_of_their_own() {
        for end in [0, 199] {
            let mut force =
                polygon(&[(0, 0.0), (90, 0.0), (91, 20.0), (110, 20.0), (111, 0.0), (199, 0.0)]);
            force[end] = 150.0;
            let criteria = Criteria { window_points: 10, ..raw(16.0) };
            let unfolding = analyse(&curve(force), &criteria);
            assert_eq!(unfolding.peaks.len(), 1, "{unfolding:?}");
            let rupture = unfolding.rupture.unwrap();
            // The first of the windows from 91 to 110; whole windows begin and end with the curve.
            assert_eq!((rupture.index, rupture.time_ns), (96, 96.0));
            assert!(
                (rupture.force_pn - 20.0).abs() < 1e-9
                    && (rupture.extension_nm - 9.55).abs() < 1e-9
            );
        }
    }

    #[test]
    fn fewer_than_three_samples_are_not_unfolded() {
        for force in [vec![], vec![5.0], vec![50.0, 0.0]] {
            assert_eq!(analyse(&curve(force), &raw(1.0)), Unfolding::default());
        }
    }

    #[test]
    fn samples_that_are_not_finite_are_left_out() {
        let mut curve = curve(polygon(&[(0, 0.0), (50, 100.0), (60, 15.0), (200, 300.0)]));
        curve.force_pn[10] = f64::NAN;
        curve.extension_nm[55] = f64::INFINITY;
        curve.time_ns[70] = f64::NEG_INFINITY;
        curve.contacts.clear();
        let rupture = analyse(&curve, &Criteria { window_points: 5, ..raw(8.0) }).rupture.unwrap();
        // Samples 46 to 50 average to 96; one later the fall to 91.5 at sample 51 weighs in.
        assert_eq!(rupture.index, 48);
        assert!((rupture.force_pn - 96.0).abs() < 1e-9);
        assert!(rupture.contacts.is_nan());
        for value in [rupture.force_pn, rupture.extension_nm, rupture.time_ns, rupture.fall_pn] {
            assert!(value.is_finite());
        }
        let nothing = Curve { force_pn: vec![f64::NAN; 201], ..curve };
        assert_eq!(analyse(&nothing, &raw(8.0)), Unfolding::default());
    }

    #[test]
    fn noise_alone_is_not_unfolded() {
        // κ = 35 pN/nm at 300 K: kT = 4.142 pN nm, √(κ kT) = 12.04 pN.
        let (samples, window_points) = (20_000, 100);
        assert!((noise_floor(35.0, 300.0, 1) - 12.04).abs() < 0.005);
        let floor = noise_floor(35.0, 300.0, window_points);
        let mut noise = Noise(3);
        for _ in 0..20 {
            let force = (0..samples).map(|_| 12.04 * noise.normal()).collect();
            let curve = curve(force);
            let prominence_pn = noise_fall(floor, samples);
            let criteria = Criteria { window_points, prominence_pn, taut_extension_nm: None };
            assert_eq!(analyse(&curve, &criteria).rupture, None);
            // Two of the 200 independent windows do differ by three standard deviations.
            let criteria = Criteria { prominence_pn: 3.0 * floor, ..criteria };
            assert!(analyse(&curve, &criteria).rupture.is_some());
        }
    }

    #[test]
    fn the_rupture_starts_the_maximum_drawdown() {
        let mut noise = Noise(8);
        for _ in 0..50 {
            let mut force = 0.0;
            let walk: Vec<f64> = (0..300)
                .map(|_| {
                    force += noise.normal();
                    force
                })
                .collect();
            let mut drawdown = (0.0, 0);
            for start in 0..walk.len() {
                let fall = walk[start..]
                    .iter()
                    .take_while(|value| **value <= walk[start])
                    .map(|value| walk[start] - value)
                    .fold(0.0, f64::max);
                if fall > drawdown.0 {
                    drawdown = (fall, start);
                }
            }
            let rupture = analyse(&curve(walk), &raw(2.0)).rupture.unwrap();
            assert_eq!((rupture.fall_pn, rupture.index), drawdown);
        }
    }
}
