//! The replicas of a point: their means, displacements and correlations.

use std::collections::BTreeMap;

use beadwork_analysis::oscillators::{Decay, sums_of_products};
use beadwork_model::Dynamics;
use beadwork_model::force_fields::oscillators::{Law, Oscillators};
use beadwork_model::observables::Observable;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, PICOSECONDS_PER_NANOSECOND};
use beadwork_session::Error;

use super::samples::{self, Samples};
use crate::data;
use crate::rows::{BegunMember, LeftOut, MemberRows, PointMembers};

/// Time origins begin after this many relaxation times; R₀² e⁻²⁰ of the start remains then \[C\].
pub(super) const RELAXATIONS_BEFORE: f64 = 10.0;
const RELAXATIONS_FOLLOWED: f64 = 3.0;
const LAGS: usize = 24;
pub(super) const FEWEST_ORIGINS: usize = 8;
pub(super) const SQUARE_ANGSTROMS: f64 = ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE;

const COLUMNS: [&str; 3] = ["step", Observable::Mean.column(), Observable::MeanSquare.column()];

/// Replicas of one point of a run.
#[derive(Clone, Debug)]
pub(crate) struct Oscillations {
    pub(super) group: String,
    pub(super) about: data::Group,
    pub(super) particles: Oscillators,
    pub(super) law: Law,
    pub(super) dynamics: Dynamics,
    pub(super) replicas: usize,
    /// Replicas that failed, which are not compared.
    pub(super) failed: usize,
    /// For each step, the replicas with a row, Σ mean, nm, and Σ mean square, nm².
    pub(super) rows: BTreeMap<u64, (usize, f64, f64)>,
    pub(super) correlations: Option<Correlations>,
    pub(super) displacements: Displacements,
    pub(super) left_out: LeftOut,
    /// Replicas too short for correlations, and replicas of which only the beginning is used.
    pub(super) too_short: usize,
    pub(super) cut: usize,
    /// Coordinates of a replica without correlations, because memory is limited.
    pub(super) not_held: usize,
}

/// Σ (x(t + n) − x(t))² of free particles, nm².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Displacements {
    /// Steps of each displacement.
    pub(super) steps: u64,
    pub(super) count: usize,
    pub(super) sum: f64,
    pub(super) of: &'static str,
}

/// Σ x(t) x(t + l), nm², for each lag l.
#[derive(Clone, Debug)]
pub(super) struct Correlations {
    pub(super) interval: u64,
    pub(super) decay: Decay,
    pub(super) lags: Vec<usize>,
    /// The origins of a series for each lag; the same for all series.
    pub(super) origins: Vec<usize>,
    pub(super) series: usize,
    /// Σ over origins and series.
    pub(super) sums: Vec<f64>,
    pub(super) of: &'static str,
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
        let columns = |_: &BegunMember<'_>, rows: MemberRows| {
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

    pub(super) fn time_ns(&self, steps: f64) -> f64 {
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
}
