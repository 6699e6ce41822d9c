//! The integrated autocorrelation time of a series.

/// The sum over correlations ends at the first lag that is this many autocorrelation times long. It then lacks e⁻⁶ of an
/// exponential decay; longer sums only add noise.
pub const WINDOW: f64 = 6.0;

/// The integrated autocorrelation time of a series, all times in intervals between its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutocorrelationTime {
    /// τ = ½ + Σ ρ(t), t from 1 to the window; ½ of independent values.
    pub time: f64,
    /// Standard error of τ.
    pub error: f64,
    /// The last lag of the sum.
    pub window: usize,
    /// Number of values.
    pub samples: usize,
    /// Whether there are at least a hundred τ of values, and a window; otherwise τ is a lower bound.
    pub long_enough: bool,
}

impl AutocorrelationTime {
    /// How many values count as one, 2τ; at least 1, so that values which alternate about their mean
    /// never count more than their number.
    pub fn inefficiency(&self) -> f64 {
        (2.0 * self.time).max(1.0)
    }
}

/// The integrated autocorrelation time of one or more independent chains of one quantity; `None` when
/// all their values are equal, one is not finite, or there are fewer than two.
///
/// Deviations are taken from the mean of all chains, so that chains which disagree count as
/// correlated. The window is the first M ≥ [`WINDOW`] τ(M) (Madras and Sokal, J. Stat. Phys. 50, 109, 1988,
/// appendix C), the error 2τ √((M + ½ − τ)/n), and the bias by the measured mean is taken off to first
/// order in 1/n (Wolff, Comput. Phys. Commun. 156, 143, 2004, eqs. 42 and 49). Takes n M operations.
pub fn integrated_time(chains: &[impl AsRef<[f64]>]) -> Option<AutocorrelationTime> {
    let chains: Vec<&[f64]> = chains.iter().map(AsRef::as_ref).collect();
    let samples: usize = chains.iter().map(|chain| chain.len()).sum();
    let first = *chains.iter().find_map(|chain| chain.first())?;
    let sum: f64 = chains.iter().flat_map(|chain| chain.iter()).map(|value| value - first).sum();
    let mean = first + sum / samples as f64;
    let centred: Vec<Vec<f64>> =
        chains.iter().map(|chain| chain.iter().map(|value| value - mean).collect()).collect();
    let covariance = |lag: usize| {
        let (mut sum, mut pairs) = (0.0, 0);
        for chain in centred.iter().filter(|chain| chain.len() > lag) {
            sum += product(&chain[lag..], &chain[..chain.len() - lag]);
            pairs += chain.len() - lag;
        }
        sum / pairs as f64
    };
    let variance = covariance(0);
    // Equal values differ from their mean by rounding alone.
    let rounding = (4.0 * f64::EPSILON * mean.abs()).powi(2);
    if samples < 2 || !variance.is_finite() || variance <= rounding {
        return None;
    }
    let longest = chains.iter().map(|chain| chain.len()).max()?;
    let (mut time, mut window) = (0.5_f64, 0);
    // Not below ½: sums over alternating signs pass zero long before they converge.
    while (window as f64) < WINDOW * time.max(0.5) && window < longest / 2 {
        window += 1;
        time += covariance(window) / variance;
    }
    let found = window as f64 >= WINDOW * time.max(0.5);
    let n = samples as f64;
    let window_and_half = window as f64 + 0.5;
    time *= 1.0 + 2.0 * window_and_half / n;
    Some(AutocorrelationTime {
        time,
        error: 2.0 * time.abs() * ((window_and_half - time) / n).max(0.0).sqrt(),
        window,
        samples,
        long_enough: found && n >= 100.0 * time,
    })
}

/// Σ x y, by eight sums that a processor can keep side by side.
fn product(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (x, y) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = x.remainder().iter().zip(y.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in x.zip(y) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::noise::Noise;

    /// x' = φ x + √(1 − φ²) n: unit variance, ρ(t) = φᵗ, τ = (1 + φ)/(2 (1 − φ)).
    pub(crate) fn autoregression(noise: &mut Noise, factor: f64, length: usize) -> Vec<f64> {
        let mut value = noise.normal();
        let strength = (1.0 - factor * factor).sqrt();
        let step = |_| {
            value = factor * value + strength * noise.normal();
            value
        };
        (0..length).map(step).collect()
    }

    #[test]
    fn times_of_autoregressions() {
        let mut noise = Noise(3);
        for factor in [0.0, 0.5, 0.9, 0.98] {
            let series = autoregression(&mut noise, factor, 1 << 18);
            let found = integrated_time(&[&series]).unwrap();
            let exact = 0.5 * (1.0 + factor) / (1.0 - factor);
            assert!((found.time - exact).abs() < 4.0 * found.error, "{factor}: {found:?} {exact}");
            assert!(found.error < 0.1 * exact && found.long_enough, "{found:?}");
            assert!((found.inefficiency() / (2.0 * exact) - 1.0).abs() < 0.3);
        }
        let alternating = autoregression(&mut noise, -0.6, 1 << 16);
        let found = integrated_time(&[&alternating]).unwrap();
        // Σ (−0.6)ᵗ up to lag 3 leaves (0.6)⁴/1.6 = 0.081 of 0.125.
        assert!((found.time - 0.125).abs() < 0.081 + 4.0 * found.error, "{found:?}");
        assert_eq!(found.inefficiency(), 1.0);
    }

    /// The scatter of the times of 256 series is the error that each of them states, their mean unbiased.
    #[test]
    fn errors_are_the_scatter() {
        let mut noise = Noise(8);
        let found: Vec<AutocorrelationTime> = (0..256)
            .map(|_| integrated_time(&[&autoregression(&mut noise, 0.8, 1 << 12)]).unwrap())
            .collect();
        let times: Vec<f64> = found.iter().map(|found| found.time).collect();
        let scatter = crate::statistics::standard_deviation(&times).unwrap();
        let stated = found.iter().map(|found| found.error).sum::<f64>() / 256.0;
        // A scatter of 256 is known to 1/√510; four of these.
        assert!((scatter / stated - 1.0).abs() < 4.0 / 510f64.sqrt(), "{scatter} {stated}");
        let mean = times.iter().sum::<f64>() / 256.0;
        assert!((mean - 4.5).abs() < 4.0 * scatter / 16.0 + 4.5 * (-6f64).exp(), "{mean}");
    }

    #[test]
    fn chains_count_together_and_disagreement_is_correlation() {
        let mut noise = Noise(4);
        let chains: Vec<Vec<f64>> =
            (0..16).map(|_| autoregression(&mut noise, 0.7, 4096)).collect();
        let found = integrated_time(&chains).unwrap();
        assert_eq!(found.samples, 65_536);
        assert!((found.time - 1.7 / 0.6).abs() < 4.0 * found.error, "{found:?}");
        let apart: Vec<f64> = chains[0].iter().map(|value| value + 3.0).collect();
        assert!(!integrated_time(&[&apart, &chains[1]]).unwrap().long_enough);
    }

    #[test]
    fn short_series_say_so() {
        let series = autoregression(&mut Noise(2), 0.99, 300);
        assert!(!integrated_time(&[&series]).unwrap().long_enough);
        let drift: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(!integrated_time(&[&drift]).unwrap().long_enough);
        assert_eq!(integrated_time(&[[]]), None);
        assert_eq!(integrated_time(&[&[1.0]]), None);
        assert_eq!(integrated_time(&[&[0.1; 100]]), None);
        assert_eq!(integrated_time(&[&[1.0, f64::NAN, 2.0]]), None);
    }
}
