//! Runs of oscillators: positions and correlations, compared with the law of their scheme.

mod compared;
mod drawing;
mod samples;

use std::collections::BTreeMap;

use beadwork_analysis::oscillators::{Decay, sums_of_products};
use beadwork_model::Dynamics;
use beadwork_model::force_fields::oscillators::{Law, Oscillators};
use beadwork_model::observables::Observable;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICOSECONDS_PER_NANOSECOND};
use beadwork_session::Error;

use crate::data::{self, Cell, Code, Table, Value};
use crate::rows::{LeftOut, Member, PointMembers, Rows};
use crate::words::time_in_words;
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
    about: data::Group,
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
            about: of_point.about(),
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

    fn notes(&self, group: &mut data::Group) {
        if let Some(note) = self.left_out.note("mean or mean square") {
            group.find(Code::LeftOut, note);
        }
        if self.correlations.is_some() {
            let short = "replica(s) are too short for correlations and are left out of them";
            let long = "replica(s) are longer than the first; correlations leave out their rest";
            let many = "coordinate(s) of each replica are left out of correlations, since memory is limited";
            let counts = [(self.too_short, short), (self.cut, long), (self.not_held, many)];
            for (count, why) in counts.into_iter().filter(|(count, _)| *count > 0) {
                group.find(Code::LeftOut, format!("{count} {why}"));
            }
        }
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

    /// The comparison with the law as data.
    pub fn answer(&self) -> data::Group {
        let mut group = self.about.clone();
        if self.failed == self.replicas {
            let all = self.replicas;
            let text =
                format!("all {all} replica(s) failed: there is nothing to compare with the law");
            group.find(Code::NoValues, text);
            return group;
        }
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
        group.values.extend(compared.iter().map(Comparison::value));
        if let Some((comparison, found)) = &diffusion
            && let [point] = comparison.points.as_slice()
        {
            let basis = format!("{}, {} displacements", found.of, found.count);
            let value = Value::new("diffusion_coefficient", "diffusion", "nm²/ns", point.value);
            let error = point.value * (2.0 / found.count as f64).sqrt();
            let value = Value { law: Some(point.law), ..value.with_error(Some(error)).from(basis) };
            group.values.push(value);
        }
        group.values.extend(self.variances());
        if self.correlation().is_none() {
            group.find(Code::NotMeasured, self.no_correlations());
        }
        let off: Vec<&str> =
            compared.iter().filter(|one| !one.agrees()).map(|one| one.what).collect();
        match (compared.is_empty(), off.as_slice()) {
            (true, _) => group.find(Code::NoValues, "no rows after the start: no results"),
            (_, []) => group.find(Code::Agreement, "The run agrees with the law of its scheme."),
            (_, off) => group.find(
                Code::Disagreement,
                format!("The run DISAGREES with the law of its scheme: {}.", off.join(", ")),
            ),
        }
        self.notes(&mut group);
        group
    }

    /// The variance of positions in nm², and as the temperature that it implies.
    fn variances(&self) -> Vec<Value> {
        let found = self.correlation().zip(self.correlations.as_ref());
        let point =
            found.and_then(|(correlation, found)| Some((*correlation.points.first()?, found)));
        let Some((Compared { value, law, error, .. }, found)) = point else { return Vec::new() };
        let basis = format!(
            "{} after {RELAXATIONS_BEFORE} relaxation times, {} series",
            found.of, found.series
        );
        let kelvin =
            |variance: f64| variance * SQUARE_ANGSTROMS * self.particles.stiffness / BOLTZMANN;
        let of = |value: Value, error: f64, law: f64| Value {
            law: Some(law),
            ..value.with_error(Some(error)).from(basis.as_str())
        };
        let temperature =
            Value::new("spread_temperature", "spread temperature", "K", kelvin(value));
        vec![
            of(Value::new("variance", "variance", "nm²", value), error, law),
            of(temperature, kelvin(error), kelvin(law)),
        ]
    }

    /// Why there are no correlations.
    fn no_correlations(&self) -> String {
        let why = match self.law.relaxation() {
            _ if self.law.kick == 0.0 => "at temperature 0 nothing fluctuates".to_string(),
            Some(relaxation) => format!(
                "time origins begin after {RELAXATIONS_BEFORE} relaxation times of {}, and {} of them are needed",
                time_in_words(self.time_ns(relaxation)),
                2 * FEWEST_ORIGINS
            ),
            None => "these particles do not relax".to_string(),
        };
        format!("no correlations: {why}")
    }
}

/// `correlation.csv`: a line for each lag; `None` if no run was long enough.
pub(crate) fn table(groups: &[Oscillations]) -> Option<Table> {
    let columns =
        ["time_ns", "correlation_nm2", "law_nm2", "standard_error_nm2", "origins", "series"];
    let mut table = Table::new("correlation.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        let found = group.correlation().zip(group.correlations.as_ref());
        let Some((compared, found)) = found else { continue };
        for (point, origins) in compared.points.iter().zip(&found.origins) {
            let Compared { time, value, law, error, .. } = *point;
            let cells = [time, value, law, error].map(Cell::from).into_iter();
            table.push(place, cells.chain([*origins, found.series].map(Cell::from)));
        }
    }
    (!table.is_empty()).then_some(table)
}
