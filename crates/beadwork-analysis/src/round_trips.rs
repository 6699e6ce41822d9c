//! How replicas travel between the ends of a ladder.

use crate::jackknife::LEAST_BLOCKS;
use crate::{Error, Estimate, statistics};

/// The travels of all replicas; times are in intervals of the record.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTrips {
    /// How long each trip bottom → top → bottom took, replica by replica. A replica's first begins when
    /// it is first at the bottom, each other where the one before ended.
    pub durations: Vec<usize>,
    /// Their mean, with an error from eight trips on that takes them as independent, which those of a
    /// walk without memory are; `None` without a trip.
    ///
    /// Trips that the record's end cuts off are missing, long ones more often: it is low unless the
    /// record is much longer.
    pub mean_duration: Option<Estimate>,
    /// Of the replicas on each rung that have been at an end before, the part that was at the bottom
    /// last: 1 at the bottom, 0 at the top, the same steps between rungs when nothing holds replicas
    /// up (Katzgraber, Trebst, Huse and Troyer, J. Stat. Mech. P03018, 2006). NaN on a rung where no
    /// such replica was.
    pub flow: Vec<f64>,
}

/// Round trips, bottom → top → bottom, of all replicas together that a ladder makes in so many attempts, by the part of the
/// attempts between each two neighbours that succeeds: attempts/(2 + 2 Σ r/(1 − r)), r the part rejected.
///
/// For attempts that pair rungs (0, 1), (2, 3) … and (1, 2), (3, 4) … in turn, and energies that have forgotten by the next
/// attempt what they were (Syed, Bouchard-Côté, Deligiannidis and Doucet, J. R. Stat. Soc. B 84, 321, 2022). Fewer are made
/// where replicas remember, as at a transition.
pub fn expected(attempts: f64, acceptance: &[f64]) -> f64 {
    let resistance: f64 = acceptance.iter().map(|accepted| (1.0 - accepted) / accepted).sum();
    attempts / (2.0 + 2.0 * resistance)
}

/// Follows replicas on a ladder of `rungs`; `records[replica][time]` is a replica's rung, 0 at the
/// bottom, after each attempt to swap.
///
/// # Errors
/// [`Error::Samples`] when a record names a rung that is not there, or there are fewer than two rungs.
pub fn round_trips(records: &[&[u16]], rungs: usize) -> Result<RoundTrips, Error> {
    let refused = |reason: String| Err(Error::Samples { reason });
    if rungs < 2 {
        return refused(format!("a ladder of {rungs} rungs has no trips: give two or more"));
    }
    let mut durations = Vec::new();
    let (mut from_bottom, mut from_top) = (vec![0_u64; rungs], vec![0_u64; rungs]);
    for record in records {
        let (mut begin, mut last_end) = (None, None);
        for (time, &rung) in record.iter().enumerate() {
            let rung = usize::from(rung);
            if rung >= rungs {
                return refused(format!(
                    "a record names rung {rung} of a ladder whose last is {}: check how they are counted",
                    rungs - 1
                ));
            }
            if rung == 0 {
                match (begin, last_end) {
                    (Some(start), Some(End::Top)) => {
                        durations.push(time - start);
                        begin = Some(time);
                    }
                    (None, _) => begin = Some(time),
                    _ => {}
                }
                last_end = Some(End::Bottom);
            } else if rung == rungs - 1 {
                last_end = Some(End::Top);
            }
            match last_end {
                Some(End::Bottom) => from_bottom[rung] += 1,
                Some(End::Top) => from_top[rung] += 1,
                None => {}
            }
        }
    }
    let times: Vec<f64> = durations.iter().map(|duration| *duration as f64).collect();
    let mean_duration = statistics::mean(&times).map(|value| Estimate {
        value,
        error: statistics::standard_error(&times).filter(|_| times.len() >= LEAST_BLOCKS),
    });
    let part = |(bottom, top): (&u64, &u64)| *bottom as f64 / (bottom + top) as f64;
    let flow = from_bottom.iter().zip(&from_top).map(part).collect();
    Ok(RoundTrips { durations, mean_duration, flow })
}

/// The end of the ladder that a replica was at last.
#[derive(Clone, Copy)]
enum End {
    Bottom,
    Top,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    #[test]
    fn trips_of_a_short_record() {
        // At the bottom at 1; top at 3, back at 6; no trip for another touch of the bottom; top, back at 11.
        let one = [1, 0, 1, 2, 1, 1, 0, 1, 0, 1, 2, 0];
        // From the top to the bottom is half a trip.
        let other = [2, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1];
        let found = round_trips(&[&one, &other], 3).unwrap();
        assert_eq!(found.durations, [5, 5]);
        assert_eq!(found.mean_duration, Some(Estimate { value: 5.0, error: None }));
        // On the middle rung after the bottom: 3 and 8 times; after the top: 2 and 1.
        assert_eq!(found.flow, [1.0, 11.0 / 14.0, 0.0]);
    }

    /// Two replicas that always swap are each on the other's rung after every second attempt.
    #[test]
    fn swaps_that_never_fail_make_as_many_trips_as_can_be() {
        assert_eq!(expected(400.0, &[1.0]), 200.0);
        assert_eq!(expected(400.0, &[0.5, 0.5]), 400.0 / 6.0);
        assert_eq!(expected(400.0, &[0.5, 0.0]), 0.0);
    }

    /// Replicas whose energies are forgotten swap with probabilities that they do not know of.
    #[test]
    fn trips_of_replicas_that_forget_are_as_many_as_expected() {
        let acceptance = [0.7, 0.3, 0.9, 0.5];
        let attempts = 100_000;
        let mut noise = Noise(43);
        // By rung.
        let mut replicas = [0, 1, 2, 3, 4];
        let mut records = vec![Vec::with_capacity(attempts); 5];
        for attempt in 0..attempts {
            for lower in (attempt % 2..4).step_by(2) {
                if noise.uniform() < acceptance[lower] {
                    replicas.swap(lower, lower + 1);
                }
            }
            for (rung, &replica) in replicas.iter().enumerate() {
                records[replica].push(rung as u16);
            }
        }
        let records: Vec<&[u16]> = records.iter().map(Vec::as_slice).collect();
        let found = round_trips(&records, 5).unwrap();
        let trips = found.durations.len() as f64;
        let wanted = expected(attempts as f64, &acceptance);
        // No more irregular than counts of what happens at random moments.
        assert!((trips - wanted).abs() < 4.0 * wanted.sqrt() + 5.0, "{trips} {wanted}");
    }

    /// A walk that crosses from rung i to i + 1, and back, with probability pᵢ an interval: a round trip
    /// takes (number of rungs) Σ 1/pᵢ, and f falls by 1/pᵢ of Σ 1/p.
    #[test]
    fn a_walk_with_a_bottleneck() {
        let crossings = [0.5, 0.3, 0.05, 0.5, 0.4];
        let resistance: f64 = crossings.iter().map(|p| 1.0 / p).sum();
        let mut noise = Noise(41);
        let walks: Vec<Vec<u16>> = (0..32)
            .map(|walker| {
                let mut rung: usize = walker % 6;
                let mut step = |_| {
                    let up = crossings.get(rung).copied().unwrap_or(0.0);
                    let down = if rung > 0 { crossings[rung - 1] } else { 0.0 };
                    let number = noise.uniform();
                    if number < up {
                        rung += 1;
                    } else if number < up + down {
                        rung -= 1;
                    }
                    rung as u16
                };
                (0..50_000).map(&mut step).collect()
            })
            .collect();
        let records: Vec<&[u16]> = walks.iter().map(Vec::as_slice).collect();
        let found = round_trips(&records, 6).unwrap();
        let mean = found.mean_duration.unwrap();
        let expected = 6.0 * resistance;
        // The record is 200 trips long: those cut off make the mean low by half a per cent.
        let low = 0.005 * expected;
        assert!((mean.value - expected).abs() < 4.0 * mean.error.unwrap() + low, "{mean:?}");
        assert!(mean.error.unwrap() < 0.02 * expected);
        let mut fraction = 1.0;
        for (rung, crossing) in crossings.iter().enumerate() {
            fraction -= 1.0 / crossing / resistance;
            assert!((found.flow[rung + 1] - fraction).abs() < 0.02, "{:?} {fraction}", found.flow);
        }
    }

    #[test]
    fn records_without_a_trip_and_wrong_rungs() {
        let found = round_trips(&[&[1, 1, 0]], 4).unwrap();
        assert_eq!(found.mean_duration, None);
        assert_eq!(found.flow[0], 1.0);
        assert!(found.flow[1..].iter().all(|part| part.is_nan()));
        assert_eq!(round_trips(&[&[4]], 4).unwrap_err().code(), "analysis/samples");
        assert_eq!(round_trips(&[], 1).unwrap_err().code(), "analysis/samples");
    }
}
