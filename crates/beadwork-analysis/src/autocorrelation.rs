//! The integrated autocorrelation time of a series.

/// The sum over correlations ends at the first lag that is this many autocorrelation times long. It then lacks e⁻⁶ of an
/// exponential decay; longer sums only add noise.
pub const WINDOW: f64 = 6.0;

/// The integrated autocorrelation time of a series, all times in intervals between its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutocorrelationTime {
    /// τ = ½ + Σ ρ(t) over the lags t from 1 to the window; independent values have τ = ½.
    pub time: f64,
    /// Standard error of τ.
    pub error: f64,
    /// The last lag of the sum.
    pub window: usize,
    /// Number of values.
    pub samples: usize,
    /// Whether the series is at least 100 τ long and the sum reached its window; otherwise τ is a lower bound.
    pub long_enough: bool,
}

impl AutocorrelationTime {
    /// The statistical inefficiency 2τ: so many values carry the information of one independent value. It is at least
    /// 1: values that alternate about their mean never count for more than their number.
    pub fn inefficiency(&self) -> f64 {
        (2.0 * self.time).max(1.0)
    }
}

/// The integrated autocorrelation time of one or more independent chains of one quantity; `None` when
/// all their values are equal, one is not finite, or there are fewer than two.
///
/// Deviations are from the mean of all chains: chains that disagree count as correlated. The window is the first M ≥
/// [`WINDOW`] τ(M) (Madras and Sokal, J. Stat. Phys. 50, 109, 1988, appendix C), the error is 2τ √((M + ½ − τ)/n). The
/// bias of the measured mean is subtracted to first order in 1/n (Wolff, Comput. Phys. Commun. 156, 143, 2004, eqs. 42
/// and 49). Takes n M operations.
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
    // The window uses at least τ = ½: sums over alternating signs pass zero long before they converge.
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

/// Σ x y in eight partial sums, which a processor computes side by side.
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
