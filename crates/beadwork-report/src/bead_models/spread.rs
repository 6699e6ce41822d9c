//! Columns of many replicas in time: the median over them, and the range in which most of them are.

use beadwork_analysis::statistics::quantile;

/// The most parts of the steps of a replica. Each part has a point of the median.
const PARTS: u64 = 200;
/// The shares of replicas below the ends of the range.
const ENDS: [f64; 2] = [0.1, 0.9];

/// What a replica has at the end of each of equal parts of its steps, which begin with its first row.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts<T> {
    /// The steps of a part: a power of two, so that parts of one replica are joined to those of another one.
    width: u64,
    last: Vec<Option<T>>,
}

impl Parts<usize> {
    /// The last one of some rows in each part of the steps that they reach.
    pub fn of_rows(rows: &[usize], steps: &[u64]) -> Parts<usize> {
        let Some(&first) = rows.first() else { return Parts::default() };
        let from_first = |row: usize| steps[row].saturating_sub(steps[first]);
        // A table that was put together from others may fall back.
        let reached = rows.iter().map(|&row| from_first(row)).max().unwrap_or(0);
        let width = (reached / PARTS + 1).next_power_of_two();
        let mut parts = Parts { width, last: vec![None; (reached / width + 1) as usize] };
        for &row in rows {
            parts.last[(from_first(row) / width) as usize] = Some(row);
        }
        parts
    }
}

impl<T: Copy> Parts<T> {
    /// Parts of equally many steps, each with what `make` makes of the content.
    pub fn map<U>(&self, make: impl Fn(T) -> U) -> Parts<U> {
        Parts { width: self.width, last: self.last.iter().map(|one| one.map(&make)).collect() }
    }
}

/// Times and values of replicas in parts of their steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    replicas: Vec<Parts<(f64, f64)>>,
}

/// The median and the ends of the range at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AtTime {
    pub time: f64,
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    /// Adds the next replica: its times and values; none if it has no such column.
    pub fn add(&mut self, replica: Parts<(f64, f64)>) {
        self.replicas.push(replica);
    }

    /// The parts in which at least half of the replicas have a value, in their order. Parts are those of the replica that came
    /// furthest: a run that has done little of its steps, or that rules end early, has as many as a whole one.
    pub fn at_times(&self) -> Vec<AtTime> {
        let width = self.replicas.iter().map(|replica| replica.width).max().unwrap_or_default();
        let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new(); PARTS as usize];
        for replica in &self.replicas {
            let joined = (width / replica.width.max(1)).max(1) as usize;
            for (part, last) in parts.iter_mut().zip(replica.last.chunks(joined)) {
                let last = last.iter().rev().find_map(Option::as_ref);
                part.extend(last.filter(|(_, value)| value.is_finite()));
            }
        }
        let has_most = |part: &&Vec<(f64, f64)>| 2 * part.len() >= self.replicas.len();
        parts.iter().filter(has_most).filter_map(|part| at_time(part)).collect()
    }
}

/// The median and the range of some times and values; `None` without any.
fn at_time(points: &[(f64, f64)]) -> Option<AtTime> {
    let mut values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    let times: f64 = points.iter().map(|(time, _)| time).sum();
    Some(AtTime {
        time: times / points.len() as f64,
        low: quantile(&values, ENDS[0])?,
        median: quantile(&values, 0.5)?,
        high: quantile(&values, ENDS[1])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last one of rows every `between` steps in each part, from the first of these rows on.
    fn rows(from: u64, between: u64, count: usize) -> (Parts<usize>, Vec<u64>) {
        let steps: Vec<u64> = (0..count as u64).map(|row| from + between * row).collect();
        let rows: Vec<usize> = (0..count).collect();
        (Parts::of_rows(&rows, &steps), steps)
    }

    #[test]
    fn the_range_leaves_out_a_tenth_on_either_side() {
        let mut spread = Spread::default();
        for number in 0..21 {
            let value = f64::from(number);
            // Few come as far as the last part, and one has no value in the first.
            let first = Some((1.0, if number == 20 { f64::NAN } else { value }));
            let last = (number < 10).then_some((3.0, value));
            spread.add(Parts { width: 1, last: vec![first, Some((2.0, value)), None, last] });
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
        // 4 000 steps are 126 parts of 32; the first has the rows of steps 0 to 30.
        let (parts, _) = rows(0, 10, 401);
        assert_eq!((parts.width, parts.last.len()), (32, 126));
        assert_eq!((parts.last[0], parts.last[1], parts.last[125]), (Some(3), Some(6), Some(400)));
        // Of a stage that begins later, and of rows that are further apart than parts.
        assert_eq!(rows(7_000, 10, 401).0.last, parts.last);
        let (few, _) = rows(0, 1_000, 5);
        assert_eq!(few.last.iter().flatten().count(), 5);
        for reached in [0, 1, 199, 200, 25_599, 25_600, (1 << 48) - 1] {
            let (parts, _) = rows(0, reached, 2);
            assert!(parts.last.len() as u64 <= PARTS, "{reached}: {}", parts.last.len());
        }
    }

    /// However little replicas have done of their steps, the one that came furthest divides them; shorter ones join parts.
    #[test]
    fn short_runs_have_as_many_points_as_long_ones() {
        let spread_of = |counts: &[usize]| {
            let mut spread = Spread::default();
            for &count in counts {
                let (parts, steps) = rows(0, 10, count);
                spread.add(parts.map(|row| (steps[row] as f64, steps[row] as f64)));
            }
            spread.at_times()
        };
        for rows in [200, 401, 4_001] {
            assert!((100..=200).contains(&spread_of(&[rows; 20]).len()), "{rows}");
        }
        // Half of them end at a tenth of the way, in parts of 4 steps that are joined to those of 32.
        let found = spread_of(&[[41; 10], [401; 10]].concat());
        assert_eq!(found.len(), 126);
        assert_eq!(found[0], AtTime { time: 30.0, low: 30.0, median: 30.0, high: 30.0 });
        assert_eq!((found[12].median, found[13].median), (405.0, 440.0));
    }
}
