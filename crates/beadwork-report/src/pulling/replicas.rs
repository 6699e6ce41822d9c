//! The replicas of a point that pulls, with their curves.

use beadwork_analysis::numbers::rounded;
use beadwork_analysis::plot::thin;
use beadwork_analysis::statistics::running_average;
use beadwork_analysis::unfolding::{Criteria, Curve, Unfolding, analyse};
use beadwork_model::externals::Pulling;

use super::clamps::ClampMetrics;
use super::loading_rates::Loading;
use super::mean_line::MeanLine;
use crate::words::{drive_in_words, time_in_words};

/// The most points of a line, so that a thousand replicas fit into memory.
pub(super) const MOST_POINTS: usize = 2_000;

/// Points of a line, times in ns.
pub(crate) type Points = Vec<(f64, f64)>;

/// The lines of each replica, averaged over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    ForceExtension,
    ForceTime,
    ExtensionTime,
    TemperatureTime,
    ContactsTime,
    /// Of clamps.
    WorkTime,
    /// Of clamps.
    TemperatureSlopeTime,
}

/// The lines that are also drawn as a mean over the replicas.
pub(super) const MEANS: [Line; 5] = [
    Line::ExtensionTime,
    Line::TemperatureTime,
    Line::ContactsTime,
    Line::WorkTime,
    Line::TemperatureSlopeTime,
];

/// The replicas of one point of a run, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct PulledGroup {
    /// The point of a sweep, and the run if several are compared; may be empty.
    pub name: String,
    /// The name without the drive.
    point: String,
    /// The drive that this is of; empty for all together.
    pub(super) drive: String,
    /// How fast its spring is loaded.
    pub(super) loading: Option<Loading>,
    pub(super) pulling: Pulling,
    /// Whether it has the force of a drive that pushes: one that moves, or grows, against its direction.
    pub(crate) pushes: bool,
    pub(super) criteria: Criteria,
    pub(super) interval_ns: f64,
    pub(super) longest_ns: f64,
    pub(super) members: Vec<PulledMember>,
    /// One for each of [`MEANS`].
    pub(super) means: [MeanLine; 5],
    /// The temperature that tables should read, in words.
    pub(super) temperature: Option<String>,
    /// Whether the curves are of one stage, and times count from its beginning.
    pub(super) is_of_stage: bool,
    /// The number of replicas that have not begun.
    pub(super) not_begun: usize,
}

/// The results of a replica.
#[derive(Clone, Debug)]
pub(super) struct PulledMember {
    pub(super) number: u64,
    pub(super) unfolding: Unfolding,
    /// One for each [`Line`], with fewer points.
    pub(super) lines: [Points; 7],
    /// Of a clamp.
    pub(super) clamp: Option<ClampMetrics>,
    /// Whether it may get more rows, and may unfold in them.
    pub(super) is_running: bool,
}

/// A replica that was analysed and is not in its group yet.
#[derive(Debug)]
pub struct Analysed {
    pub(super) member: PulledMember,
    pub(super) longest_ns: f64,
    /// One for each of [`MEANS`], with all points.
    pub(super) whole: [Points; 5],
    pub(super) has_stopped: bool,
    /// Whether the curve has fewer averages than a peak needs.
    pub(crate) is_short: bool,
}

impl Analysed {
    /// Sets whether the replica still runs: whether it may get more rows, and may unfold in them.
    pub(crate) fn running(mut self, is_running: bool) -> Analysed {
        self.member.is_running = is_running;
        self
    }
}

impl PulledGroup {
    /// A group without replicas, whose rows are `interval_ns` apart.
    pub fn new(
        name: String,
        pulling: Pulling,
        criteria: Criteria,
        interval_ns: f64,
    ) -> PulledGroup {
        PulledGroup {
            point: name.clone(),
            name,
            drive: String::new(),
            loading: None,
            pulling,
            pushes: false,
            criteria,
            interval_ns,
            longest_ns: 0.0,
            members: Vec::new(),
            means: [const { MeanLine::new() }; 5],
            temperature: None,
            is_of_stage: pulling > Pulling::None,
            not_begun: 0,
        }
    }

    /// Of the drive of this name alone; of all together if it is empty.
    pub(crate) fn of_drive(self, drive: &str) -> PulledGroup {
        let name = match (self.name.as_str(), drive) {
            (_, "") => self.name,
            ("", drive) => format!("drive {drive}"),
            (name, drive) => format!("{name}, drive {drive}"),
        };
        PulledGroup { name, drive: drive.to_string(), ..self }
    }

    /// Sets how fast its spring is loaded.
    pub(crate) fn loaded(self, loading: Option<Loading>) -> PulledGroup {
        PulledGroup { loading, ..self }
    }

    /// Sets whether its drive pushes.
    pub(crate) fn pushing(self, pushes: bool) -> PulledGroup {
        PulledGroup { pushes, ..self }
    }

    /// Whether it is not another drive of the same point.
    pub(super) fn is_of_other_point(&self, other: &PulledGroup) -> bool {
        self.drive.is_empty() || self.point != other.point
    }

    /// What the values of an answer are of: empty for all drives together.
    pub(super) fn of(&self) -> String {
        drive_in_words(&self.drive)
    }

    /// Sets whether the curves are of one stage, as those of stages that pull are.
    pub fn of_stage(self, is_of_stage: bool) -> PulledGroup {
        PulledGroup { is_of_stage, ..self }
    }

    /// Sets the number of replicas that have not begun.
    pub(crate) fn with_not_begun(self, not_begun: usize) -> PulledGroup {
        PulledGroup { not_begun, ..self }
    }

    /// Sets the temperature that tables should read, in words.
    pub fn expecting(self, temperature: Option<String>) -> PulledGroup {
        PulledGroup { temperature, ..self }
    }

    /// Whether a spring acts, so that the answer is its force.
    pub(crate) fn is_of_spring(&self) -> bool {
        self.pulling == Pulling::Spring
    }

    /// Whether the answer is an unfolding force, or that none was reached. The force along the direction of a spring that pushes
    /// falls below zero as its base moves on, which no criterion tells from an unfolding.
    pub(crate) fn has_unfolding_forces(&self) -> bool {
        self.is_of_spring() && !self.pushes
    }

    /// Analyses a replica: its curve, and the temperature of the same rows, K. A replica that has not stopped may get more rows.
    pub fn analyse(
        &self,
        number: u64,
        curve: &Curve,
        temperature_k: &[f64],
        has_stopped: bool,
    ) -> Analysed {
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
            Points::new(),
            Points::new(),
        ];
        let [extension, temperature, contacts, work, slope] = &whole;
        let lines = [&force_extension, &force_time, extension, temperature, contacts, work, slope];
        let lines = lines.map(|line| thin(line, MOST_POINTS));
        let unfolding = match self.pushes {
            true => Unfolding::default(),
            false => analyse(curve, &self.criteria),
        };
        let member = PulledMember { number, unfolding, lines, clamp: None, is_running: false };
        let samples = curve.time_ns.len();
        Analysed {
            member,
            longest_ns: curve.time_ns.iter().copied().fold(0.0, f64::max),
            whole,
            has_stopped,
            is_short: self.has_unfolding_forces() && samples > 0 && window + 2 > samples,
        }
    }

    /// Adds the next replica.
    pub fn add(&mut self, analysed: Analysed) {
        for (mean, line) in self.means.iter_mut().zip(&analysed.whole) {
            mean.add(line, analysed.has_stopped);
        }
        self.longest_ns = self.longest_ns.max(analysed.longest_ns);
        self.members.push(analysed.member);
    }

    /// The unfolding forces of the replicas.
    pub fn unfolding(&self) -> impl Iterator<Item = &Unfolding> {
        self.members.iter().map(|member| &member.unfolding)
    }

    /// A sentence if means over time are of fewer and fewer replicas: those that have not stopped may differ from the others.
    pub(crate) fn survivors(&self) -> Option<String> {
        let end = self.means[0].first_end()?;
        let (time, count) = (time_in_words(end), self.members.len());
        Some(format!(
            "means over time are of the replicas still running, which may differ from those that have stopped: the first of {count} stops at {time}, and curves end where half have stopped"
        ))
    }

    /// The running average in words: `window 500 points = 10 µs`.
    pub(super) fn window_in_words(&self) -> String {
        let points = self.criteria.window_points.max(1);
        let plural = if points == 1 { "point" } else { "points" };
        format!("window {points} {plural} = {}", time_in_words(self.window_ns()))
    }

    /// What counts as unfolded: `unfolded: the averaged force falls by 40 pN or more before 25.3 nm`.
    pub(super) fn criterion_in_words(&self) -> String {
        let fall = rounded(self.criteria.prominence_pn, 3);
        let taut = self.criteria.taut_extension_nm;
        let before =
            taut.map_or_else(String::new, |taut| format!(" before {} nm", rounded(taut, 3)));
        format!("unfolded: the averaged force falls by {fall} pN or more{before}")
    }

    /// The time of the running average, ns.
    pub(super) fn window_ns(&self) -> f64 {
        self.interval_ns * self.criteria.window_points.max(1) as f64
    }
}
