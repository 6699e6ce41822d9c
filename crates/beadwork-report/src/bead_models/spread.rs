//! Columns of many replicas in time: the median over them, and the range in which most of them are.

use beadwork_analysis::statistics::quantile;

/// Equal parts of the steps; each has a point of the median.
const PARTS: usize = 200;
/// The shares of replicas below the ends of the range.
const ENDS: [f64; 2] = [0.1, 0.9];

/// The values of replicas in parts of the steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    parts: Vec<Part>,
    replicas: usize,
}

#[derive(Clone, Debug, Default)]
struct Part {
    /// The sum of the times of the values.
    times: f64,
    values: Vec<f64>,
}

/// The median and the ends of the range at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AtTime {
    pub time: f64,
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// The last one of some rows in each part of `all_steps`, counted from the first of these rows.
pub(super) fn last_rows(rows: &[usize], steps: &[u64], all_steps: u64) -> Vec<Option<usize>> {
    let mut last = vec![None; PARTS];
    let first = rows.first().map_or(0, |&row| steps[row]);
    for &row in rows {
        let share = steps[row].saturating_sub(first) as f64 / all_steps.max(1) as f64;
        last[((share * PARTS as f64) as usize).min(PARTS - 1)] = Some(row);
    }
    last
}

impl Spread {
    /// Adds the next replica: its time and value in each part, if it has one.
    pub fn add(&mut self, replica: &[Option<(f64, f64)>]) {
        self.replicas += 1;
        if self.parts.len() < replica.len() {
            self.parts.resize(replica.len(), Part::default());
        }
        for (part, at) in self.parts.iter_mut().zip(replica) {
            if let Some((time, value)) = at.filter(|(_, value)| value.is_finite()) {
                part.times += time;
                part.values.push(value);
            }
        }
    }

    /// The parts in which at least half of the replicas have a value, in their order.
    pub fn at_times(&self) -> Vec<AtTime> {
        let of_part = |part: &Part| {
            let mut values = part.values.clone();
            values.sort_by(f64::total_cmp);
            Some(AtTime {
                time: part.times / values.len() as f64,
                low: quantile(&values, ENDS[0])?,
                median: quantile(&values, 0.5)?,
                high: quantile(&values, ENDS[1])?,
            })
        };
        let has_most = |part: &&Part| 2 * part.values.len() >= self.replicas;
        self.parts.iter().filter(has_most).filter_map(of_part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_leaves_out_a_tenth_on_either_side() {
        let mut spread = Spread::default();
        for number in 0..21 {
            let value = f64::from(number);
            // Few come as far as the last part, and one has no value in the first.
            let first = Some((1.0, if number == 20 { f64::NAN } else { value }));
            let last = (number < 10).then_some((3.0, value));
            spread.add(&[first, Some((2.0, value)), None, last]);
        }
        let found = spread.at_times();
        let times: Vec<f64> = found.iter().map(|at| at.time).collect();
        assert_eq!(times, [1.0, 2.0]);
        assert_eq!(found[0].median, 9.5);
        assert_eq!(found[1], AtTime { time: 2.0, low: 2.0, median: 10.0, high: 18.0 });
        assert!(Spread::default().at_times().is_empty());
    }

    #[test]
    fn parts_have_their_last_rows() {
        let steps: Vec<u64> = (0..=400).map(|row| 10 * row).collect();
        let rows: Vec<usize> = (0..steps.len()).collect();
        let last = last_rows(&rows, &steps, 4_000);
        assert_eq!((last[0], last[1], last[PARTS - 1]), (Some(1), Some(3), Some(400)));
        // Of a run that has come half way, or of a stage that begins there.
        let half = last_rows(&rows[200..], &steps, 4_000);
        assert_eq!((half[0], half[100], half[101]), (Some(201), Some(400), None));
    }
}
