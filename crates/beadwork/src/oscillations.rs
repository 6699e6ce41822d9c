//! What came out of runs of oscillators: position and correlations beside the law of their scheme.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beadwork_analysis::oscillators::{Averaged, Decay, joint_bound, sums_of_products};
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_analysis::table::{Table, read_csv};
use beadwork_input::{Point, Request, TrajectoryKind};
use beadwork_io::{RunFolder, TrajectoryFormat, frames};
use beadwork_model::force_fields::oscillators::{Law, Oscillators};
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICOSECONDS_PER_NANOSECOND};

use crate::Error;
use crate::session::quoted;

/// Time origins begin after so many relaxation times, when R₀² e⁻²⁰ is left of the start (P1).
const RELAXATIONS_BEFORE: f64 = 10.0;
/// Correlations are followed over so many relaxation times.
const RELAXATIONS_FOLLOWED: f64 = 3.0;
const LAGS: usize = 24;
/// Fewer time origins say nothing.
const FEWEST_ORIGINS: usize = 8;
/// Numbers of frames that are held at once, 4 bytes each.
const MOST_NUMBERS: usize = 200_000_000;
const SQUARE_ANGSTROMS: f64 = ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE;

/// All groups, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oscillations(Vec<OfGroup>);

#[derive(Clone, Debug)]
struct OfGroup {
    group: String,
    particles: Oscillators,
    law: Law,
    timestep: f64,
    replicas: usize,
    /// By step: replicas with this row, Σ mean, nm, Σ mean square, nm².
    rows: BTreeMap<u64, (usize, f64, f64)>,
    correlations: Option<Correlations>,
}

/// Σ x(t) x(t + l), nm², by lag.
#[derive(Clone, Debug)]
struct Correlations {
    /// Steps between samples.
    interval: u64,
    decay: Decay,
    lags: Vec<usize>,
    /// Origins of each series, by lag; the same for all series.
    origins: Vec<usize>,
    series: usize,
    /// Σ over origins and series.
    sums: Vec<f64>,
    of: &'static str,
}

/// Successive samples of coordinates that count, in nm.
struct Samples {
    interval: u64,
    /// By sample, then by coordinate.
    numbers: Vec<Vec<f32>>,
    of: &'static str,
}

/// Points of a curve beside its law.
struct Compared {
    what: &'static str,
    /// Abscissa, value, law, standard error of the law.
    points: Vec<[f64; 4]>,
}

impl Compared {
    /// The largest deviation in standard errors.
    fn worst(&self) -> f64 {
        let deviation = |[_, value, law, error]: &[f64; 4]| (value - law).abs() / error;
        self.points.iter().map(deviation).fold(0.0, f64::max)
    }

    fn agrees(&self) -> bool {
        self.worst() <= joint_bound(self.points.len())
    }
}

impl Oscillations {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts those of another run behind these.
    pub fn extend(&mut self, other: Oscillations) {
        self.0.extend(other.0);
    }

    /// Adds a member, the `place`-th of a folder, by its table and its frames, if it has such.
    pub fn add(
        &mut self,
        group: &str,
        (point, particles): (&Point, &Oscillators),
        (folder, place): (&RunFolder, usize),
        (request, table): (&Request, &Table),
    ) -> Result<(), Error> {
        let of_group = match self.0.iter_mut().position(|one| one.group == group) {
            Some(number) => &mut self.0[number],
            None => {
                let dynamics = &point.protocol.dynamics;
                self.0.push(OfGroup {
                    group: group.to_string(),
                    particles: *particles,
                    law: particles.law(dynamics),
                    timestep: dynamics.timestep,
                    replicas: 0,
                    rows: BTreeMap::new(),
                    correlations: None,
                });
                let last = self.0.len() - 1;
                &mut self.0[last]
            }
        };
        of_group.replicas += 1;
        let column = |name: &str| table.column(name).unwrap_or_default();
        let steps: Vec<u64> = column("step").iter().map(|step| *step as u64).collect();
        let (means, squares) = (column("mean_nm"), column("mean_square_nm2"));
        for ((step, mean), square) in steps.iter().zip(means).zip(squares) {
            let row = of_group.rows.entry(*step).or_default();
            *row = (row.0 + 1, row.1 + mean, row.2 + square);
        }
        let samples = match request.output.trajectory {
            Some((every, kind)) => of_frames((folder, place), every, kind, particles)?,
            None => {
                // √M times the mean of M independent coordinates has the correlations of one.
                let scale = (particles.coordinates() as f64).sqrt();
                let every = request.output.table_every;
                let rows = steps.iter().zip(means).filter(|(step, _)| *step % every == 0);
                let numbers = rows.map(|(_, mean)| vec![(scale * mean) as f32]).collect();
                Samples { interval: every, numbers, of: "the mean position" }
            }
        };
        of_group.correlate(&samples);
        Ok(())
    }

    /// A paragraph for each group.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        for group in &self.0 {
            group.describe(&mut text);
        }
        text
    }

    /// Writes the figures into `plots`, each as SVG and PNG, and returns their paths.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut written = Vec::new();
        let axis = |label: &str| Axis::new(label);
        for (stem, title, x, y, of) in [
            (
                "position-time",
                "Mean position",
                "time / ns",
                "mean position / nm",
                OfGroup::positions as fn(&OfGroup) -> Option<Compared>,
            ),
            (
                "mean-square-time",
                "Mean square",
                "time / ns",
                "mean square / nm²",
                OfGroup::mean_squares,
            ),
            (
                "correlation",
                "Correlation over time origins",
                "time between / ns",
                "C / nm²",
                OfGroup::correlation,
            ),
        ] {
            let mut series = Vec::new();
            for (number, group) in self.0.iter().enumerate() {
                let Some(compared) = of(group) else { continue };
                let colour = Colour::Palette(number);
                let line = |of: &dyn Fn(&[f64; 4]) -> f64| {
                    compared.points.iter().map(|point| (point[0], of(point))).collect::<Vec<_>>()
                };
                let name = if group.group.is_empty() { "run" } else { &group.group };
                let style = if stem == "correlation" { Style::Points } else { Style::Line };
                series.push(Series { style, colour, ..Series::line(name, line(&|p| p[1])) });
                let law = if number == 0 { "law and ±4 standard errors" } else { "" };
                let grey = |label: &str, points, emphasis| Series {
                    colour: Colour::Grey,
                    emphasis,
                    ..Series::line(label, points)
                };
                series.push(grey(law, line(&|p| p[2]), Emphasis::Normal));
                series.push(grey("", line(&|p| p[2] + 4.0 * p[3]), Emphasis::Faint));
                series.push(grey("", line(&|p| p[2] - 4.0 * p[3]), Emphasis::Faint));
            }
            if !series.is_empty() {
                let (x, y, title) = (axis(x), axis(y), title.to_string());
                let figure = Figure { title, x, y, series, ..Figure::default() };
                written.extend(figure.write(plots.join(stem))?);
            }
        }
        Ok(written)
    }

    /// `correlation.csv`: a line a lag; nothing where no run was long enough.
    pub fn correlation_csv(&self) -> Option<String> {
        let mut text = String::from(
            "group,time_ns,correlation_nm2,law_nm2,standard_error_nm2,origins,series\n",
        );
        let head = text.len();
        for group in &self.0 {
            let Some((compared, found)) = group.correlation().zip(group.correlations.as_ref())
            else {
                continue;
            };
            let name = quoted(&group.group);
            for ([time, value, law, error], origins) in compared.points.iter().zip(&found.origins) {
                let _ = writeln!(
                    text,
                    "{name},{time},{value},{law},{error},{origins},{}",
                    found.series
                );
            }
        }
        (text.len() > head).then_some(text)
    }
}

/// The coordinates in a member's trajectory.
fn of_frames(
    (folder, place): (&RunFolder, usize),
    every: u64,
    kind: TrajectoryKind,
    particles: &Oscillators,
) -> Result<Samples, Error> {
    let format = match kind {
        TrajectoryKind::Xtc => TrajectoryFormat::Xtc,
        TrajectoryKind::Dcd => TrajectoryFormat::Dcd,
    };
    let of = "the frames of the trajectory";
    let mut samples = Samples { interval: every, numbers: Vec::new(), of };
    let list = folder.frames(place);
    if !list.exists() {
        return Ok(samples);
    }
    let steps = read_csv(&list)?.column("step").unwrap_or_default().to_vec();
    let held = (MOST_NUMBERS / steps.len().max(1)).clamp(1, particles.coordinates());
    let mut number = 0;
    frames::read(&folder.trajectory(place, format), format, |frame| {
        // A frame at the end of a stage need not be on the beat.
        if steps.get(number).is_some_and(|step| (*step as u64).is_multiple_of(every)) {
            let in_nanometres = |x: &f32| x / ANGSTROMS_PER_NANOMETRE as f32;
            samples.numbers.push(frame.iter().take(held).map(in_nanometres).collect());
        }
        number += 1;
    })?;
    Ok(samples)
}

impl OfGroup {
    fn time_ns(&self, steps: f64) -> f64 {
        steps * self.timestep / PICOSECONDS_PER_NANOSECOND
    }

    /// Adds the correlations of one replica, where it is long enough.
    fn correlate(&mut self, samples: &Samples) {
        let (Some(variance), Some(relaxation)) = (self.law.stationary(), self.law.relaxation())
        else {
            return;
        };
        let interval = samples.interval as f64;
        let first = (RELAXATIONS_BEFORE * relaxation / interval).ceil() as usize;
        let Some(numbers) = samples.numbers.get(first..) else { return };
        let Some(series) = numbers.first().map(Vec::len) else { return };
        if numbers.len() < 2 * FEWEST_ORIGINS {
            return;
        }
        if self.correlations.is_none() {
            let longest = (RELAXATIONS_FOLLOWED * relaxation / interval).ceil() as usize;
            let longest = longest.min(numbers.len() / 2);
            let mut lags: Vec<usize> = (0..=LAGS).map(|n| n * longest / LAGS).collect();
            lags.dedup();
            self.correlations = Some(Correlations {
                interval: samples.interval,
                decay: Decay {
                    variance: variance / SQUARE_ANGSTROMS,
                    factor: self.law.power(interval),
                },
                origins: lags.iter().map(|lag| numbers.len() - lag).collect(),
                series: 0,
                sums: vec![0.0; lags.len()],
                lags,
                of: samples.of,
            });
        }
        if let Some(found) = &mut self.correlations {
            // A replica that was stopped earlier than the first one is left out.
            let Some(numbers) = numbers.get(..found.origins[0]) else { return };
            found.series += series;
            for (sum, more) in found.sums.iter_mut().zip(sums_of_products(numbers, &found.lags)) {
                *sum += more;
            }
        }
    }

    /// ⟨X⟩ over particles and replicas, nm.
    fn positions(&self) -> Option<Compared> {
        let of = |law: &Law, steps: f64| {
            let nanometre = ANGSTROMS_PER_NANOMETRE;
            (law.mean(steps) / nanometre, law.variance(steps) / SQUARE_ANGSTROMS)
        };
        self.compared("mean position", |row| row.1, of)
    }

    /// ⟨X²⟩ over particles and replicas, nm².
    fn mean_squares(&self) -> Option<Compared> {
        let of = |law: &Law, steps: f64| {
            let (mean, variance) = (law.mean(steps), law.variance(steps));
            // Of a normal number, Var x² = 2 σ⁴ + 4 μ² σ²; uniform noise has less of it.
            let spread = 2.0 * variance * variance + 4.0 * mean * mean * variance;
            let square = mean * mean + variance;
            (square / SQUARE_ANGSTROMS, spread / (SQUARE_ANGSTROMS * SQUARE_ANGSTROMS))
        };
        self.compared("mean square", |row| row.2, of)
    }

    /// A column beside its law and the variance of one coordinate's share in it; the start has no error and is left out.
    fn compared(
        &self,
        what: &'static str,
        column: impl Fn(&(usize, f64, f64)) -> f64,
        of: impl Fn(&Law, f64) -> (f64, f64),
    ) -> Option<Compared> {
        let rows = self.rows.iter().filter(|(step, _)| **step > 0);
        let points: Vec<[f64; 4]> = rows
            .map(|(step, row)| {
                let (steps, replicas) = (*step as f64, row.0 as f64);
                let (law, variance) = of(&self.law, steps);
                let coordinates = replicas * self.particles.coordinates() as f64;
                let error = (variance / coordinates).sqrt();
                [self.time_ns(steps), column(row) / replicas, law, error]
            })
            .collect();
        // At T = 0 nothing is uncertain, and nothing to be compared with uncertainty.
        let uncertain = points.iter().all(|point| point[3] > 0.0);
        (!points.is_empty() && uncertain).then_some(Compared { what, points })
    }

    /// C(t) over time origins.
    fn correlation(&self) -> Option<Compared> {
        let found = self.correlations.as_ref()?;
        let points = found.lags.iter().zip(&found.origins).zip(&found.sums);
        let points = points
            .map(|((&lag, &origins), sum)| {
                let averaged = Averaged { lag, origins, series: found.series };
                let value = sum / (origins * found.series) as f64;
                let time = self.time_ns((lag as u64 * found.interval) as f64);
                [time, value, found.decay.at(lag), found.decay.error(averaged)]
            })
            .collect();
        Some(Compared { what: "correlation", points })
    }

    fn describe(&self, text: &mut String) {
        let head = if self.group.is_empty() { String::new() } else { format!("{}: ", self.group) };
        let compared: Vec<Compared> = [self.positions(), self.mean_squares(), self.correlation()]
            .into_iter()
            .flatten()
            .collect();
        let mut off = Vec::new();
        for one in &compared {
            let (count, worst) = (one.points.len(), one.worst());
            let bound = joint_bound(count);
            let _ = writeln!(
                text,
                "{head}{}: at most {worst:.2} standard errors from the law at {count} time(s); one in a thousand would be beyond {bound:.2}",
                one.what
            );
            if !one.agrees() {
                off.push(one.what);
            }
        }
        let temperature =
            |variance: f64| variance * SQUARE_ANGSTROMS * self.particles.stiffness / BOLTZMANN;
        match (self.correlation(), &self.correlations) {
            (Some(correlation), Some(found)) => {
                if let Some([_, value, law, error]) = correlation.points.first() {
                    let _ = writeln!(
                        text,
                        "{head}variance {value:.4} ± {error:.4} nm^2, law {law:.4}; spread temperature {:.2} ± {:.2} K, law {:.2} ({} after {RELAXATIONS_BEFORE} relaxation times, {} series)",
                        temperature(*value),
                        temperature(*error),
                        temperature(*law),
                        found.of,
                        found.series
                    );
                }
            }
            _ => {
                let why = match self.law.relaxation() {
                    Some(relaxation) => format!(
                        "time origins begin after {RELAXATIONS_BEFORE} relaxation times, {:.4} ns, and {} of them are needed",
                        self.time_ns(RELAXATIONS_BEFORE * relaxation),
                        2 * FEWEST_ORIGINS
                    ),
                    None => "these particles do not relax".to_string(),
                };
                let _ = writeln!(text, "{head}no correlations: {why}");
            }
        }
        let _ = match (compared.is_empty(), off.as_slice()) {
            (true, _) => writeln!(text, "{head}no rows after the start: nothing can be said"),
            (_, []) => writeln!(text, "{head}The run agrees with the law of its scheme."),
            (_, off) => writeln!(
                text,
                "{head}The run DISAGREES with the law of its scheme: {}.",
                off.join(", ")
            ),
        };
    }
}
