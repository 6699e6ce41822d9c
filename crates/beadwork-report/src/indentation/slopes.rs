//! Slopes of two forces that differ, ranges that are short, and ranges that end beyond the data.

use beadwork_analysis::indentation::{Pressed, Slope};
use beadwork_analysis::numbers::rounded;
use beadwork_analysis::statistics::{mean, standard_error};

use super::quantities::QuantityUnit;
use super::replicas::IndentedGroup;
use super::summary::cycle_name;

/// Two slopes differ if one is more than so many times the other, and both are so many standard errors apart.
const LARGEST_RATIO: f64 = 1.5;
const ERRORS_APART: f64 = 3.0;
/// Averages end half a window before the data does, so a range may end beyond them by this share of its length.
const SMALL_REST: f64 = 0.1;

/// The mean of a slope over replicas, and its error if there are several.
struct MeanSlope {
    slope: f64,
    error: Option<f64>,
}

impl MeanSlope {
    fn of(slopes: &[Slope], slope: fn(&Slope) -> f64) -> Option<MeanSlope> {
        let all: Vec<f64> = slopes.iter().map(slope).collect();
        Some(MeanSlope { slope: mean(&all)?, error: standard_error(&all) })
    }

    /// Whether two slopes differ by much, and beyond chance as far as errors are known.
    fn differs(&self, other: &MeanSlope) -> bool {
        let apart = (self.slope - other.slope).abs();
        let smaller = self.slope.abs().min(other.slope.abs());
        let error = self.error.unwrap_or(0.0).hypot(other.error.unwrap_or(0.0));
        apart > (LARGEST_RATIO - 1.0) * smaller && apart > ERRORS_APART * error
    }
}

impl IndentedGroup {
    /// Where slopes of the cantilever's force are not those of the force on the tip, a sentence that says what the drag of the tip
    /// has to do with it.
    pub(super) fn slopes_apart(&self) -> Vec<String> {
        // Other drives have a part in the cantilever's force. One replica does not tell the drag of a tip from its noise.
        if self.setup.added > 0 || (self.setup.is_shaken && self.members.len() < 2) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for cycle in 0..self.cycles() {
            found.extend(self.slope_apart(cycle, "initial slope", |of| of.initial));
            found.extend(self.slope_apart(cycle, "slope", |of| of.slope));
        }
        found
    }

    fn slope_apart(
        &self,
        cycle: usize,
        name: &str,
        slope: fn(&Pressed) -> Option<Slope>,
    ) -> Option<String> {
        let all: Vec<Slope> = self.cycle(cycle).filter_map(|one| slope(&one.pressed)).collect();
        let cantilever = MeanSlope::of(&all, |of| of.cantilever.slope)?;
        let tip = MeanSlope::of(&all, |of| of.tip.slope)?;
        let drag = MeanSlope::of(&all, |of| of.drag)?;
        let rest = MeanSlope::of(&all, |of| of.cantilever.slope - of.drag)?;
        if !cantilever.differs(&tip) && !cantilever.differs(&rest) {
            return None;
        }
        let of =
            if self.cycles() > 1 { format!(" of {}", cycle_name(cycle)) } else { String::new() };
        let whose = match rest.differs(&tip) {
            false => "so that of the force on the tip is the molecule's".to_string(),
            true => format!(
                "so the molecule's is {}, and that of the force on the tip is of single moments, which scatter: add replicas or rows",
                self.slope_in_words(&rest)
            ),
        };
        Some(format!(
            "the {name}{of} of the cantilever's force is {} and that of the force on the tip {} over the same depths. The tip's own drag, its friction times its speed between rows, makes {} of the first, {whose}",
            self.slope_in_words(&cantilever),
            self.slope_in_words(&tip),
            self.slope_in_words(&drag)
        ))
    }

    fn slope_in_words(&self, slope: &MeanSlope) -> String {
        let with_unit = |number: f64| self.with_unit(number, QuantityUnit::Stiffness);
        match slope.error {
            Some(error) => format!("{} ± {}", rounded(slope.slope, 3), with_unit(error)),
            None => with_unit(slope.slope),
        }
    }

    /// For the initial slope and that of a range, if their averages share rows from end to end, a sentence.
    pub(super) fn short_ranges(&self) -> Vec<String> {
        let initial: fn(&Pressed) -> Option<Slope> = |of| of.initial;
        let asked: fn(&Pressed) -> Option<Slope> = |of| of.slope;
        let names = [("initial slope", initial), ("slope", asked)];
        names.into_iter().filter_map(|(name, slope)| self.short_range(name, slope)).collect()
    }

    fn short_range(&self, name: &str, slope: fn(&Pressed) -> Option<Slope>) -> Option<String> {
        let window = self.setup.criteria.window_points;
        let points: Vec<usize> =
            self.pressed().filter_map(slope).map(|slope| slope.cantilever.points).collect();
        let short = points.iter().filter(|points| **points < window);
        let least = short.clone().min()?;
        Some(format!(
            "the {name} of {} rests on averages at as few as {least} rows, fewer than a window has ({}), so it changes with the window: take a shorter one, or a slope over a longer range",
            self.of_approaches(short.count(), points.len()),
            self.setup.window_in_words()
        ))
    }

    /// For each range that was asked for and ends beyond averaged forces, a sentence.
    pub(super) fn ranges_beyond(&self) -> Vec<String> {
        let criteria = &self.setup.criteria;
        let asked = [("slope", criteria.slope), ("hertz", criteria.hertz)];
        asked.into_iter().filter_map(|(key, range)| self.range_beyond(key, range?)).collect()
    }

    fn range_beyond(&self, key: &str, (from, to): (f64, f64)) -> Option<String> {
        if from < 0.0 && self.pressed().next().is_some() {
            return Some(format!(
                "`{key}` asks for {}, and what is fitted begins at contact, where the deformation is 0",
                self.range_in_words(from, to)
            ));
        }
        let ends: Vec<f64> = self.pressed().filter_map(|pressed| pressed.deepest).collect();
        let is_short = |end: &f64| *end < to - SMALL_REST * (to - from);
        let short: Vec<f64> = ends.iter().copied().filter(is_short).collect();
        let least = short.iter().copied().reduce(f64::min)?;
        let most = short.iter().copied().reduce(f64::max)?;
        let reached = match rounded(least, 3) == rounded(most, 3) {
            true => self.length(least),
            false => self.range_in_words(least, most),
        };
        Some(format!(
            "`{key}` asks for {}, but the averaged forces of {} end at {reached}, and what is fitted to them ends there",
            self.range_in_words(from, to),
            self.of_approaches(short.len(), ends.len())
        ))
    }
}
