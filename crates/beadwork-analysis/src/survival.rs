//! Lifetimes, some of which are only known to be longer than they were observed.

use crate::jackknife::Estimate;
use crate::statistics::{mean, standard_error};

/// A lifetime in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lifetime {
    /// How long it was observed.
    pub time: f64,
    /// Whether it ended then; otherwise it is *censored*: longer than its time.
    pub has_ended: bool,
}

/// A point of a survival curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survival {
    /// When some lifetimes ended.
    pub time: f64,
    /// How many were observed until then.
    pub at_risk: usize,
    /// The share that is longer.
    pub share: f64,
    /// The standard error of the share.
    pub error: f64,
}

/// The survival curve of Kaplan and Meier (J. Am. Stat. Assoc. 53, 457, 1958), a point for each time at which lifetimes ended, with
/// Greenwood's standard error. A lifetime censored at such a time counts as longer.
///
/// ```
/// use beadwork_analysis::survival::{Lifetime, survival};
/// let all = [(1.0, true), (2.0, false), (3.0, true)];
/// let all = all.map(|(time, has_ended)| Lifetime { time, has_ended });
/// let curve = survival(&all);
/// assert_eq!(curve.iter().map(|point| point.at_risk).collect::<Vec<_>>(), [3, 1]);
/// assert!((curve[0].share - 2.0 / 3.0).abs() < 1e-15 && curve[1].share == 0.0);
/// ```
pub fn survival(lifetimes: &[Lifetime]) -> Vec<Survival> {
    let mut sorted = lifetimes.to_vec();
    sorted.sort_by(|one, other| one.time.total_cmp(&other.time));
    let (mut share, mut variance, mut curve) = (1.0, 0.0, Vec::new());
    let mut before = 0;
    for same in sorted.chunk_by(|one, other| one.time == other.time) {
        let at_risk = sorted.len() - before;
        let ended = same.iter().filter(|one| one.has_ended).count();
        before += same.len();
        if ended == 0 {
            continue;
        }
        let (n, d) = (at_risk as f64, ended as f64);
        share *= 1.0 - d / n;
        variance += d / (n * (n - d));
        // Where none is left the formula has no limit; the share is then known to be zero at that time.
        let error = if ended == at_risk { 0.0 } else { share * f64::sqrt(variance) };
        curve.push(Survival { time: same[0].time, at_risk, share, error });
    }
    curve
}

/// The mean lifetime. If all have ended it is their mean with its standard error. Otherwise ends are taken to come at a constant
/// rate: the mean is the whole time over the number of ends, with the error of maximum likelihood, mean/√ends. `None` if none
/// has ended.
pub fn mean_lifetime(lifetimes: &[Lifetime]) -> Option<Estimate> {
    let ended = lifetimes.iter().filter(|one| one.has_ended).count();
    let times: Vec<f64> = lifetimes.iter().map(|one| one.time).collect();
    if ended == 0 {
        return None;
    }
    if ended == lifetimes.len() {
        let (value, error) = (mean(&times)?, standard_error(&times));
        return Some(Estimate { value, error, freedom: (ended - 1) as f64 });
    }
    let value = times.iter().sum::<f64>() / ended as f64;
    let error = Some(value / (ended as f64).sqrt());
    Some(Estimate { value, error, freedom: f64::INFINITY })
}

/// The time at which half of the lifetimes have ended; `None` if fewer have.
pub fn median_lifetime(curve: &[Survival]) -> Option<f64> {
    curve.iter().find(|point| point.share <= 0.5).map(|point| point.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Remissions of 21 patients in weeks (Freireich et al., Blood 21, 699, 1963), whose curve stands in textbooks.
    #[test]
    fn a_published_curve() {
        let ended = [6, 6, 6, 7, 10, 13, 16, 22, 23];
        let censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
        let of = |has_ended: bool| move |time: &i32| Lifetime { time: f64::from(*time), has_ended };
        let all: Vec<Lifetime> =
            ended.iter().map(of(true)).chain(censored.iter().map(of(false))).collect();
        let curve = survival(&all);
        let expected = [
            (6.0, 21, 0.857, 0.0764),
            (7.0, 17, 0.807, 0.0869),
            (10.0, 15, 0.753, 0.0963),
            (13.0, 12, 0.690, 0.1068),
            (16.0, 11, 0.627, 0.1141),
            (22.0, 7, 0.538, 0.1282),
            (23.0, 6, 0.448, 0.1346),
        ];
        assert_eq!(curve.len(), expected.len());
        for (found, (time, at_risk, share, error)) in curve.iter().zip(expected) {
            assert_eq!((found.time, found.at_risk), (time, at_risk));
            assert!((found.share - share).abs() < 6e-4, "{found:?}");
            assert!((found.error - error).abs() < 6e-5, "{found:?}");
        }
        assert_eq!(median_lifetime(&curve), Some(23.0));
        // 359 weeks and nine ends.
        let mean = mean_lifetime(&all).unwrap();
        assert!((mean.value - 359.0 / 9.0).abs() < 1e-12);
        assert!((mean.error.unwrap() - 359.0 / 27.0).abs() < 1e-12);
    }

    #[test]
    fn without_ends_there_is_no_lifetime() {
        let all = [Lifetime { time: 5.0, has_ended: false }; 4];
        assert!(survival(&all).is_empty() && mean_lifetime(&all).is_none());
        assert_eq!(median_lifetime(&[]), None);
    }

    /// Three lifetimes that all ended: their mean, and the standard error of independent values.
    #[test]
    fn ended_lifetimes_have_their_mean() {
        let all = [1.0, 2.0, 6.0].map(|time| Lifetime { time, has_ended: true });
        let mean = mean_lifetime(&all).unwrap();
        assert_eq!(mean.value, 3.0);
        assert!((mean.error.unwrap() - (7.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
