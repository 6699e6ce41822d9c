//! The integrated autocorrelation time of a series.

use crate::interruption;

/// The sum over correlations ends at the first lag that is this many autocorrelation times long. It then lacks e⁻⁶ of an
/// exponential decay; longer sums only add noise.
pub const WINDOW: f64 = 6.0;
/// Blocks grow while there are so many of them at least, and so many for a window.
const LEAST_BLOCKS: [usize; 2] = [8, 16];
/// Longer blocks count if the time that they show exceeds the one found so far by this many of its standard errors. Half of one
/// finds slow parts of a fiftieth of the variance, and makes errors of series without any a tenth too large at most
/// (`tests/parts/quoted_errors.rs` has both).
const EXCESS: f64 = 0.5;

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
    /// Whether the series is at least 100 τ long, and 50 values, and the sum reached its window; otherwise τ is a lower bound.
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
    let deviations = Deviations::of(chains)?;
    Some(deviations.time(&deviations.chains, 1))
}

/// The autocorrelation time that the error of a mean needs, of the same chains as [`integrated_time`] takes.
///
/// Fast vibrations that anti-correlate close the window of an autocorrelation time after a few values, before a slow part has begun
/// to count. In means of blocks they average out: the variance of blocks of b values times b/2 over the variance of the values
/// grows with b to τ (Flyvbjerg and Petersen, J. Chem. Phys. 91, 461, 1989). So the time is that of the means of the shortest
/// blocks, of 1, 2, 4, 8 … values, that no longer ones exceed by half a standard error, or of shorter ones if that is longer.
pub fn time_of_mean(chains: &[impl AsRef<[f64]>]) -> Option<AutocorrelationTime> {
    let deviations = Deviations::of(chains)?;
    let [least, least_for_window] = LEAST_BLOCKS;
    let count = |blocks: &Vec<Vec<f64>>| blocks.iter().map(Vec::len).sum::<usize>();
    let mut levels = vec![deviations.chains.clone()];
    while let Some(longer) =
        levels.last().map(|blocks| halved(blocks)).filter(|longer| count(longer) >= least)
    {
        levels.push(longer);
    }
    // The least time that each level allows.
    let least = |(blocks, level): (&Vec<Vec<f64>>, u32)| {
        let [count, length] = [count(blocks) as f64, f64::from(1 << level)];
        let time =
            0.5 * length * covariance(blocks, 0) / deviations.variance * count / (count - 1.0);
        time * (1.0 - EXCESS * (2.0 / (count - 1.0)).sqrt())
    };
    let least: Vec<f64> = levels.iter().zip(0..).map(least).collect();
    let mut found = deviations.time(&levels[0], 1);
    for (level, blocks) in levels.iter().enumerate().skip(1) {
        let exceeds = least[level..].iter().any(|least| *least > found.time);
        if !exceeds || count(blocks) < least_for_window {
            break;
        }
        // Sums over few blocks are noisy, and slow parts only add.
        let longer = deviations.time(blocks, 1 << level);
        if longer.time > found.time {
            found = longer;
        }
    }
    // Of many chains, blocks that are whole chains are among the levels, so that short windows hide nothing.
    let has_whole = deviations.chains.len() >= least_for_window;
    let is_long = is_long(found.samples, found.time);
    Some(AutocorrelationTime { long_enough: found.long_enough || (has_whole && is_long), ..found })
}

/// Deviations of the values of chains from the mean of all.
struct Deviations {
    chains: Vec<Vec<f64>>,
    variance: f64,
    samples: usize,
}

impl Deviations {
    /// `None` for fewer than two values, values that are not finite, and equal ones.
    fn of(chains: &[impl AsRef<[f64]>]) -> Option<Deviations> {
        let chains: Vec<&[f64]> = chains.iter().map(AsRef::as_ref).collect();
        let samples: usize = chains.iter().map(|chain| chain.len()).sum();
        let first = *chains.iter().find_map(|chain| chain.first())?;
        let all = chains.iter().flat_map(|chain| chain.iter());
        let mean = first + all.map(|value| value - first).sum::<f64>() / samples as f64;
        let from_mean = |chain: &&[f64]| chain.iter().map(|value| value - mean).collect();
        let chains: Vec<Vec<f64>> = chains.iter().map(from_mean).collect();
        let variance = covariance(&chains, 0);
        // Equal values differ from their mean by rounding alone.
        let rounding = (4.0 * f64::EPSILON * mean.abs()).powi(2);
        let is_known = samples > 1 && variance.is_finite() && variance > rounding;
        is_known.then_some(Deviations { chains, variance, samples })
    }

    /// The autocorrelation time, in values, of the means of blocks of `length` values.
    fn time(&self, blocks: &[Vec<f64>], length: usize) -> AutocorrelationTime {
        let variance = covariance(blocks, 0);
        let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
        let (mut time, mut window) = (0.5_f64, 0);
        // The window uses at least τ = ½: sums over alternating signs pass zero long before they converge.
        while (window as f64) < WINDOW * time.max(0.5) && window < longest / 2 {
            if interruption::is_wished() {
                break;
            }
            window += 1;
            time += covariance(blocks, window) / variance;
        }
        // Chains that are a block each are independent of each other.
        let found = window as f64 >= WINDOW * time.max(0.5) || (length > 1 && longest == 1);
        let n = blocks.iter().map(Vec::len).sum::<usize>() as f64;
        let window_and_half = window as f64 + 0.5;
        time *= 1.0 + 2.0 * window_and_half / n;
        if length > 1 {
            // What alternates quickly is averaged out within blocks: correlations below 0 between them are noise.
            time = time.max(0.5);
        }
        let error = 2.0 * time.abs() * ((window_and_half - time) / n).max(0.0).sqrt();
        let unit = length as f64 * variance / self.variance;
        AutocorrelationTime {
            time: unit * time,
            error: unit * error,
            window: length * window,
            samples: self.samples,
            long_enough: found && is_long(self.samples, unit * time),
        }
    }
}

/// Whether so many values are 100 τ. Values that alternate show a τ below ½ and tell no more than independent ones.
fn is_long(samples: usize, time: f64) -> bool {
    samples as f64 >= 100.0 * time.max(0.5)
}

/// The mean product of deviations that are `lag` apart.
fn covariance(chains: &[Vec<f64>], lag: usize) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0);
    for chain in chains.iter().filter(|chain| chain.len() > lag) {
        sum += product(&chain[lag..], &chain[..chain.len() - lag]);
        pairs += chain.len() - lag;
    }
    sum / pairs as f64
}

/// The means of two successive values each.
fn halved(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let pairs =
        |chain: &Vec<f64>| chain.as_chunks::<2>().0.iter().map(|[a, b]| 0.5 * (a + b)).collect();
    chains.iter().map(pairs).filter(|chain: &Vec<f64>| !chain.is_empty()).collect()
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
