//! The end of an axis where the beginning of a run is far from all that follows: a push-off of beads that overlap, a straight chain.

use crate::words::with_power;

/// An axis is limited where settled values would take less than this part of it.
const LEAST_PART: f64 = 1.0 / 12.0;
/// The space around settled values, in their own range.
const AROUND: f64 = 1.0;
/// The space beyond the last value, in the same unit.
const MARGIN: f64 = 0.1;

/// The ends of an axis that shows settled values, and what it leaves out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settled {
    /// The lower and the upper end.
    pub range: (f64, f64),
    /// Values beyond, and how many there are in all.
    beyond: usize,
    all: usize,
    /// The farthest value that is left out.
    farthest: f64,
}

/// The second half of a series, in which what came before matters least.
pub(super) fn last_half(series: &[f64]) -> &[f64] {
    &series[series.len() / 2..]
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

impl Settled {
    /// `None` where the settled values are well seen among all drawn ones.
    pub fn of<'a>(
        settled: impl Iterator<Item = &'a f64>,
        drawn: impl Iterator<Item = f64> + Clone,
    ) -> Option<Settled> {
        let (low, high) = ends(settled.copied().filter(|value| value.is_finite()));
        let drawn = drawn.filter(|value| value.is_finite());
        let (least, most) = ends(drawn.clone());
        let range = high - low;
        if range.is_nan() || range <= 0.0 || range > LEAST_PART * (most - least) {
            return None;
        }
        // Never far beyond what is drawn.
        let beyond = MARGIN * range;
        let range = (
            (low - AROUND * range).max(least - beyond),
            (high + AROUND * range).min(most + beyond),
        );
        let is_beyond = |value: &f64| *value < range.0 || *value > range.1;
        let far = |value: f64| (range.0 - value).max(value - range.1);
        let farthest =
            drawn.clone().reduce(|one, next| if far(next) > far(one) { next } else { one })?;
        let beyond = drawn.clone().filter(is_beyond).count();
        (beyond > 0).then(|| Settled { range, beyond, all: drawn.count(), farthest })
    }

    /// What is left out.
    pub fn note(&self, stage: &str) -> String {
        let Settled { beyond, all, farthest, .. } = self;
        format!(
            "The axis is that of the second half of {stage}. Beyond it: {beyond} of {all} values, as far as {}.",
            with_power(*farthest)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_off_does_not_hide_what_follows() {
        let mut drawn = vec![3e12, 5e6, 40.0];
        drawn.extend((0..97).map(|step| 10.0 + f64::from(step % 5)));
        let settled = Settled::of(drawn[50..].iter(), drawn.iter().copied()).unwrap();
        assert_eq!(settled.range, (9.6, 18.0));
        assert_eq!((settled.beyond, settled.all, settled.farthest), (3, 100, 3e12));
        let note = settled.note("the last stage");
        assert!(note.contains("3 of 100 values") && note.contains("3×10¹²"), "{note}");
    }

    #[test]
    fn what_is_well_seen_has_the_whole_axis() {
        let drawn: Vec<f64> = (0..100)
            .map(|step| 10.0 * (-0.1 * f64::from(step)).exp() + f64::from(step % 3))
            .collect();
        assert_eq!(Settled::of(drawn[50..].iter(), drawn.iter().copied()), None);
        assert_eq!(Settled::of([].iter(), [1.0, f64::NAN].into_iter()), None);
        // Constant values have no range of their own.
        assert_eq!(Settled::of([2.0, 2.0].iter(), [900.0, 2.0].into_iter()), None);
    }
}
