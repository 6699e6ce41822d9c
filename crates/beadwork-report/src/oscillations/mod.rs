//! Runs of oscillators: positions and correlations, compared with the law of their scheme.

mod compared;
mod drawing;
mod samples;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use beadwork_analysis::oscillators::{Decay, sums_of_products};
use beadwork_io::table::quoted;
use beadwork_model::Dynamics;
use beadwork_model::force_fields::oscillators::{Law, Oscillators};
use beadwork_model::observables::Observable;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICOSECONDS_PER_NANOSECOND};
use beadwork_session::Error;

use crate::rows::{LeftOut, Member, PointMembers, Rows};
use crate::words::{decimals, head, time_in_words};
use compared::{Compared, Comparison};
pub(crate) use drawing::figures;
use samples::Samples;

/// Time origins begin after this many relaxation times; R₀² e⁻²⁰ of the start remains then \[C\].
const RELAXATIONS_BEFORE: f64 = 10.0;
const RELAXATIONS_FOLLOWED: f64 = 3.0;
const LAGS: usize = 24;
const FEWEST_ORIGINS: usize = 8;
const SQUARE_ANGSTROMS: f64 = ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE;

pub(crate) const COLUMNS: [&str; 3] =
    ["step", Observable::Mean.column(), Observable::MeanSquare.column()];

/// Replicas of one point of a run.
#[derive(Clone, Debug)]
pub(crate) struct Oscillations {
    group: String,
    particles: Oscillators,
    law: Law,
    dynamics: Dynamics,
    replicas: usize,
    /// Replicas that failed, which are not compared.
    failed: usize,
    /// For each step, the replicas with a row, Σ mean, nm, and Σ mean square, nm².
    rows: BTreeMap<u64, (usize, f64, f64)>,
    correlations: Option<Correlations>,
    displacements: Displacements,
    left_out: LeftOut,
    /// Replicas too short for correlations, and replicas of which only the beginning is used.
    too_short: usize,
    cut: usize,
    /// Coordinates of a replica without correlations, because memory is limited.
    not_held: usize,
}

/// Σ (x(t + n) − x(t))² of free particles, nm².
#[derive(Clone, Copy, Debug, Default)]
struct Displacements {
    /// Steps of each displacement.
    steps: u64,
    count: usize,
    sum: f64,
    of: &'static str,
}

/// Σ x(t) x(t + l), nm², for each lag l.
#[derive(Clone, Debug)]
struct Correlations {
    interval: u64,
    decay: Decay,
    lags: Vec<usize>,
    /// The origins of a series for each lag; the same for all series.
    origins: Vec<usize>,
    series: usize,
    /// Σ over origins and series.
    sums: Vec<f64>,
    of: &'static str,
}

impl Oscillations {
    /// Reads the tables of a point, and its frames if it has some.
    pub fn read(
        of_point: &PointMembers<'_>,
        particles: &Oscillators,
    ) -> Result<Oscillations, Error> {
        let dynamics = &of_point.point.protocol.dynamics;
        let mut found = Oscillations {
            group: of_point.name.clone(),
            particles: *particles,
            law: particles.law(dynamics),
            dynamics: dynamics.clone(),
            replicas: 0,
            failed: 0,
            rows: BTreeMap::new(),
            correlations: None,
            displacements: Displacements::default(),
            left_out: LeftOut::default(),
            too_short: 0,
            cut: 0,
            not_held: 0,
        };
        let [step, mean, square] = COLUMNS;
        let columns = |_: &Member<'_>, rows: Rows| {
            let table = rows.table;
            Ok((table.counts(step)?, table.numbers(mean)?, table.numbers(square)?))
        };
        of_point.read(&COLUMNS, columns, |member, (steps, means, squares)| {
            found.replicas += 1;
            if member.failed {
                found.failed += 1;
                return Ok(());
            }
            found.add_rows(&steps, &means, &squares);
            let samples = match of_point.request.output.trajectory {
                Some((every, kind)) => samples::of_frames(member, every, kind, particles)?,
                None => {
                    // √M times the mean of M independent coordinates has the correlations of one.
                    let scale = (particles.coordinates() as f64).sqrt();
                    let every = of_point.request.output.table_every;
                    let rows = steps.iter().zip(&means).filter(|(step, _)| *step % every == 0);
                    let numbers = rows.map(|(_, mean)| vec![(scale * mean) as f32]).collect();
                    Samples { interval: every, numbers, not_held: 0, of: "the mean position" }
                }
            };
            found.not_held = found.not_held.max(samples.not_held);
            found.too_short += usize::from(!found.correlate(&samples));
            found.displace(&samples);
            Ok(())
        })?;
        Ok(found)
    }

    fn add_rows(&mut self, steps: &[u64], means: &[f64], squares: &[f64]) {
        let mut incomplete = 0;
        for ((step, mean), square) in steps.iter().zip(means).zip(squares) {
            if !(mean + square).is_finite() {
                incomplete += 1;
                continue;
            }
            let row = self.rows.entry(*step).or_default();
            *row = (row.0 + 1, row.1 + mean, row.2 + square);
        }
        self.left_out.add(incomplete);
    }

    fn time_ns(&self, steps: f64) -> f64 {
        steps * self.dynamics.timestep / PICOSECONDS_PER_NANOSECOND
    }

    /// Adds the correlations of one replica; false if it is too short for them.
    fn correlate(&mut self, samples: &Samples) -> bool {
        let (Some(variance), Some(relaxation)) = (self.law.stationary(), self.law.relaxation())
        else {
            return true;
        };
        if variance == 0.0 {
            return true;
        }
        let interval = samples.interval as f64;
        let first = (RELAXATIONS_BEFORE * relaxation / interval).ceil().max(1.0) as usize;
        let numbers = samples.numbers.get(first..).unwrap_or_default();
        let series = numbers.first().map_or(0, Vec::len);
        if numbers.len() < 2 * FEWEST_ORIGINS {
            return false;
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
            // Longer replicas are cut to the length of the first, so that all have the same time origins.
            self.cut += usize::from(numbers.len() > found.origins[0]);
            let Some(numbers) = numbers.get(..found.origins[0]) else { return false };
            found.series += series;
            for (sum, more) in found.sums.iter_mut().zip(sums_of_products(numbers, &found.lags)) {
                *sum += more;
            }
        }
        true
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::from_iter(self.left_out.note("mean or mean square"));
        if self.correlations.is_some() {
            let short = "replica(s) are too short for correlations and are left out of them";
            let long = "replica(s) are longer than the first; correlations leave out their rest";
            let many = "coordinate(s) of each replica are left out of correlations, since memory is limited";
            let counts = [(self.too_short, short), (self.cut, long), (self.not_held, many)];
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            notes.extend(counts.map(|(count, why)| format!("{count} {why}")));
        }
        notes
    }

    /// Adds the displacements of one replica of free particles.
    fn displace(&mut self, samples: &Samples) {
        if self.law.factor != 1.0 {
            return;
        }
        let found = &mut self.displacements;
        (found.steps, found.of) = (samples.interval, samples.of);
        for (before, after) in samples.numbers.iter().zip(samples.numbers.iter().skip(1)) {
            found.count += before.len();
            let squares =
                before.iter().zip(after).map(|(x, y)| (f64::from(*y) - f64::from(*x)).powi(2));
            found.sum += squares.sum::<f64>();
        }
    }

    pub fn in_words(&self) -> String {
        let head = head(&self.group);
        if self.failed == self.replicas {
            return format!(
                "{head}all {} replica(s) failed: there is nothing to compare with the law\n",
                self.replicas
            );
        }
        let mut text = String::new();
        let diffusion = self.diffusion();
        let compared: Vec<Comparison> = [
            self.positions(),
            self.mean_squares(),
            self.correlation(),
            diffusion.as_ref().map(|(comparison, _)| comparison.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        for one in &compared {
            let _ = writeln!(text, "{head}{}", one.in_words());
        }
        let off: Vec<&str> =
            compared.iter().filter(|one| !one.agrees()).map(|one| one.what).collect();
        if let Some((comparison, found)) = &diffusion
            && let [point] = comparison.points.as_slice()
        {
            let error = point.value * (2.0 / found.count as f64).sqrt();
            let decimals = decimals(error);
            let _ = writeln!(
                text,
                "{head}diffusion {:.decimals$} ± {error:.decimals$} nm^2/ns, law {:.decimals$} ({}, {} displacements)",
                point.value, point.law, found.of, found.count
            );
        }
        match (self.correlation(), &self.correlations) {
            (Some(correlation), Some(found)) => {
                if let Some(Compared { value, law, error, .. }) = correlation.points.first() {
                    let [kelvin, kelvin_error, law_kelvin] = [value, error, law].map(|variance| {
                        variance * SQUARE_ANGSTROMS * self.particles.stiffness / BOLTZMANN
                    });
                    let _ = writeln!(
                        text,
                        "{head}variance {value:.4} ± {error:.4} nm^2, law {law:.4}; spread temperature {kelvin:.2} ± {kelvin_error:.2} K, law {law_kelvin:.2} ({} after {RELAXATIONS_BEFORE} relaxation times, {} series)",
                        found.of, found.series
                    );
                }
            }
            _ => {
                let why = match self.law.relaxation() {
                    _ if self.law.kick == 0.0 => "at temperature 0 nothing fluctuates".to_string(),
                    Some(relaxation) => format!(
                        "time origins begin after {RELAXATIONS_BEFORE} relaxation times of {}, and {} of them are needed",
                        time_in_words(self.time_ns(relaxation)),
                        2 * FEWEST_ORIGINS
                    ),
                    None => "these particles do not relax".to_string(),
                };
                let _ = writeln!(text, "{head}no correlations: {why}");
            }
        }
        let _ = match (compared.is_empty(), off.as_slice()) {
            (true, _) => writeln!(text, "{head}no rows after the start: no results"),
            (_, []) => writeln!(text, "{head}The run agrees with the law of its scheme."),
            (_, off) => writeln!(
                text,
                "{head}The run DISAGREES with the law of its scheme: {}.",
                off.join(", ")
            ),
        };
        for note in self.notes() {
            let _ = writeln!(text, "note: {head}{note}");
        }
        text
    }
}

/// `correlation.csv`: a line for each lag; `None` if no run was long enough.
pub(crate) fn correlation_csv(groups: &[Oscillations]) -> Option<String> {
    let mut text =
        String::from("group,time_ns,correlation_nm2,law_nm2,standard_error_nm2,origins,series\n");
    let head = text.len();
    for group in groups {
        let found = group.correlation().zip(group.correlations.as_ref());
        let Some((compared, found)) = found else { continue };
        let name = quoted(&group.group);
        for (point, origins) in compared.points.iter().zip(&found.origins) {
            let Compared { time, value, law, error, .. } = point;
            let _ =
                writeln!(text, "{name},{time},{value},{law},{error},{origins},{}", found.series);
        }
    }
    (text.len() > head).then_some(text)
}
