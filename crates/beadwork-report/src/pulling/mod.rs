//! Runs that pull: unfolding forces, curves, and what is said and drawn of them.

mod figures;
mod setup;
mod summary;

use beadwork_analysis::plot::thin;
use beadwork_analysis::statistics::running_average;
use beadwork_analysis::unfolding::{Criteria, Curve, Unfolding, analyse};

pub use figures::figures;
pub(crate) use setup::{COLUMNS, criteria, curve, pulling_of, pulling_stage, stiffest_spring};
pub use summary::{GroupSummary, in_words, peaks_csv, unfolding_csv};

use crate::words::time_in_words;

/// A line keeps this many points, so that a thousand replicas fit into memory.
const MOST_POINTS: usize = 2_000;

/// Points of a line, times in ns.
pub(crate) type Points = Vec<(f64, f64)>;

/// How a run pulls: what can be drawn and said of it. Of several runs, the most that holds for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pulling {
    /// Not at all.
    #[default]
    None,
    /// With a constant force, which no plot need show.
    Force,
    /// With a force that grows: there is a force–extension curve, but no peak.
    Ramp,
    /// With a spring: there is an unfolding force.
    Spring,
}

/// The lines that are drawn of each replica, averaged over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    ForceExtension,
    ForceTime,
    ExtensionTime,
    TemperatureTime,
    ContactsTime,
}

/// The lines of which the mean over the replicas is drawn as well.
const MEANS: [Line; 3] = [Line::ExtensionTime, Line::TemperatureTime, Line::ContactsTime];

/// The replicas of one point of a run, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Group {
    /// Names the point of a sweep, and the run where several are compared; may be empty.
    pub name: String,
    pulling: Pulling,
    criteria: Criteria,
    /// ns from row to row.
    interval_ns: f64,
    longest_ns: f64,
    members: Vec<Member>,
    /// Of [`MEANS`].
    means: [MeanLine; 3],
    /// The temperature that tables are expected to have, in words.
    temperature: Option<String>,
}

/// What is kept of a replica.
#[derive(Clone, Debug)]
struct Member {
    number: u64,
    unfolding: Unfolding,
    /// By [`Line`], thinned out.
    lines: [Points; 5],
}

/// What [`Group::analyse`] makes of a replica.
#[derive(Debug)]
pub struct Analysed {
    member: Member,
    longest_ns: f64,
    /// Of [`MEANS`], with all points.
    whole: [Points; 3],
    /// Whether the curve has fewer averages than a peak needs.
    pub(crate) is_short: bool,
}

impl Group {
    /// A group without replicas, whose rows are `interval_ns` apart.
    pub fn new(name: String, pulling: Pulling, criteria: Criteria, interval_ns: f64) -> Group {
        Group {
            name,
            pulling,
            criteria,
            interval_ns,
            longest_ns: 0.0,
            members: Vec::new(),
            means: [const { MeanLine::new() }; 3],
            temperature: None,
        }
    }

    /// The same with the temperature that its tables are expected to have, in words.
    pub fn expecting(self, temperature: Option<String>) -> Group {
        Group { temperature, ..self }
    }

    /// Analyses a replica: its curve and the temperature, K, of the same rows.
    pub fn analyse(&self, number: u64, curve: &Curve, temperature_k: &[f64]) -> Analysed {
        let window = self.criteria.window_points;
        let average = |values: &[f64]| running_average(values, window);
        let times = || curve.time_ns.iter().skip(window / 2).copied();
        let of_time = |values: Vec<f64>| -> Points { times().zip(values).collect() };
        let extension = average(&curve.extension_nm);
        let (mut force_extension, mut force_time) = (Points::new(), Points::new());
        if self.pulling >= Pulling::Ramp {
            let force = average(&curve.force_pn);
            force_extension = extension.iter().copied().zip(force.iter().copied()).collect();
            force_time = of_time(force);
        }
        let whole = [
            of_time(extension),
            of_time(average(temperature_k)),
            of_time(average(&curve.contacts)),
        ];
        let [extension, temperature, contacts] = &whole;
        let lines = [&force_extension, &force_time, extension, temperature, contacts];
        let unfolding = analyse(curve, &self.criteria);
        let member = Member { number, unfolding, lines: lines.map(|line| thin(line, MOST_POINTS)) };
        let samples = curve.time_ns.len();
        Analysed {
            member,
            longest_ns: curve.time_ns.iter().copied().fold(0.0, f64::max),
            whole,
            is_short: self.pulling == Pulling::Spring && samples > 0 && window + 2 > samples,
        }
    }

    /// Adds the next replica.
    pub fn add(&mut self, analysed: Analysed) {
        for (mean, line) in self.means.iter_mut().zip(&analysed.whole) {
            mean.add(line);
        }
        self.longest_ns = self.longest_ns.max(analysed.longest_ns);
        self.members.push(analysed.member);
    }

    /// The unfolding forces of the replicas.
    pub fn unfolding(&self) -> impl Iterator<Item = &Unfolding> {
        self.members.iter().map(|member| &member.unfolding)
    }

    /// The running average in words: `window 500 points = 10 µs`.
    fn window_in_words(&self) -> String {
        let points = self.criteria.window_points.max(1);
        let plural = if points == 1 { "point" } else { "points" };
        let time = time_in_words(self.interval_ns * points as f64);
        format!("window {points} {plural} = {time}")
    }
}

/// The mean of lines sampled at the same x, as far as at least half of the lines go.
#[derive(Clone, Debug)]
struct MeanLine {
    lines: usize,
    x: Vec<f64>,
    sums: Vec<(f64, usize)>,
}

impl MeanLine {
    const fn new() -> MeanLine {
        MeanLine { lines: 0, x: Vec::new(), sums: Vec::new() }
    }

    fn add(&mut self, line: &[(f64, f64)]) {
        self.lines += 1;
        self.x.extend(line.iter().skip(self.x.len()).map(|point| point.0));
        self.sums.resize(self.x.len(), (0.0, 0));
        for (sum, (_, value)) in self.sums.iter_mut().zip(line) {
            if value.is_finite() {
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
    }

    fn points(&self) -> Points {
        self.x
            .iter()
            .zip(&self.sums)
            .take_while(|(_, (_, count))| *count > 0 && 2 * count >= self.lines)
            .map(|(&x, &(sum, count))| (x, sum / count as f64))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_line(lines: &[Points]) -> Points {
        let mut mean = MeanLine::new();
        lines.iter().for_each(|line| mean.add(line));
        mean.points()
    }

    #[test]
    fn the_mean_goes_on_while_half_of_the_lines_do() {
        let lines = [
            vec![(0.0, 1.0), (1.0, 3.0)],
            vec![(0.0, 3.0), (1.0, 5.0), (2.0, 5.0)],
            vec![(0.0, f64::NAN), (1.0, 4.0), (2.0, 7.0)],
            vec![(0.0, 5.0)],
        ];
        assert_eq!(mean_line(&lines), [(0.0, 3.0), (1.0, 4.0), (2.0, 6.0)]);
        assert_eq!(mean_line(&lines[2..]), [(0.0, 5.0), (1.0, 4.0), (2.0, 7.0)]);
        assert_eq!(
            mean_line(&[vec![(0.0, 1.0)], lines[3].clone(), lines[1].clone()]),
            [(0.0, 3.0)]
        );
        assert!(mean_line(&[]).is_empty());
    }
}
