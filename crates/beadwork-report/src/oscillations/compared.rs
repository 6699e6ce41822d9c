//! Curves compared with their law, and whether chance or rounding explains the difference.

use beadwork_analysis::deviates;
use beadwork_analysis::oscillators::{Averaged, joint_bound};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;

use super::replicas::{Displacements, Oscillations, SQUARE_ANGSTROMS};
use crate::data::Value;

/// Smallest number resolved in single precision, nm or nm².
const LEAST: f64 = 1e-37;

/// Why points may differ from the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Noise; by chance, one run in a thousand exceeds the bound.
    Chance,
    /// The rounding errors of the steps, at T = 0.
    Rounding,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// ns.
    pub time: f64,
    pub value: f64,
    pub law: f64,
    /// The standard error of the law, or the bound of rounding.
    pub error: f64,
    /// The difference from the law: the equally rare deviate of a normal distribution, in standard errors, or a
    /// fraction of the bound of rounding.
    pub off: f64,
}

/// Points of a curve.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub what: &'static str,
    pub scale: Scale,
    pub points: Vec<Compared>,
}

impl Comparison {
    /// The largest difference; infinite if one is NaN.
    fn worst(&self) -> f64 {
        let off =
            |point: &Compared| if point.off.is_nan() { f64::INFINITY } else { point.off.abs() };
        self.points.iter().map(off).fold(0.0, f64::max)
    }

    fn bound(&self) -> f64 {
        match self.scale {
            Scale::Chance => joint_bound(self.points.len()),
            Scale::Rounding => 1.0,
        }
    }

    pub fn agrees(&self) -> bool {
        self.worst() <= self.bound()
    }

    /// The largest difference, with the bound that chance or rounding allows.
    pub fn value(&self) -> Value {
        let unit = match self.scale {
            Scale::Chance => "normal standard errors",
            Scale::Rounding => "of what rounding explains",
        };
        let value =
            Value::new("deviation_from_law", "largest deviation from the law", unit, self.worst());
        Value { bound: Some(self.bound()), ..value.of(self.what) }
            .from(format!("{} time(s)", self.points.len()))
    }
}

impl Oscillations {
    /// Displacements between frames. If the last row averages more displacements from the start, those instead.
    fn displacements(&self) -> Option<Displacements> {
        let mut found = self.displacements;
        let last = self.rows.last_key_value().filter(|_| self.law.factor == 1.0);
        let last = last.map(|(steps, row)| (steps, row, row.0 * self.particles.coordinates()));
        if let Some((steps, row, count)) = last.filter(|(.., count)| *count > found.count) {
            let start = self.particles.start / ANGSTROMS_PER_NANOMETRE;
            // ⟨(x − R₀)²⟩
            let square = (row.2 - 2.0 * start * row.1) / row.0 as f64 + start * start;
            let of = "the last row of the table";
            found = Displacements { steps: *steps, count, sum: square * count as f64, of };
        }
        (found.count > 0 && found.steps > 0).then_some(found)
    }

    /// D of free particles, nm²/ns: half of the mean square displacement over its time.
    pub(super) fn diffusion(&self) -> Option<(Comparison, Displacements)> {
        let found = self.displacements()?;
        let time = self.time_ns(found.steps as f64);
        let of_law = self.law.kick / SQUARE_ANGSTROMS / (2.0 * self.time_ns(1.0));
        if of_law == 0.0 {
            return None;
        }
        let count = found.count as f64;
        let value = found.sum / count / (2.0 * time);
        let point = Compared {
            time,
            value,
            law: of_law,
            error: of_law * (2.0 / count).sqrt(),
            off: deviates::of_sum_of_squares(count * value / of_law, count, 0.0),
        };
        Some((Comparison { what: "diffusion", scale: Scale::Chance, points: vec![point] }, found))
    }

    /// ⟨X⟩ over particles and replicas, nm.
    pub(super) fn positions(&self) -> Option<Comparison> {
        let of = |mean: f64, variance: f64, coordinates: f64, value: f64| {
            let error = (variance / coordinates).sqrt() / ANGSTROMS_PER_NANOMETRE;
            let mean = mean / ANGSTROMS_PER_NANOMETRE;
            (mean, error, (value - mean) / error)
        };
        self.compared("mean position", |row| row.1, of)
    }

    /// ⟨X²⟩ over particles and replicas, nm².
    pub(super) fn mean_squares(&self) -> Option<Comparison> {
        let of = |mean: f64, variance: f64, coordinates: f64, value: f64| {
            // For normal x, Var x² = 2 σ⁴ + 4 μ² σ²; uniform noise has a smaller variance.
            let spread = 2.0 * variance * variance + 4.0 * mean * mean * variance;
            let error = (spread / coordinates).sqrt() / SQUARE_ANGSTROMS;
            let sum = coordinates * value * SQUARE_ANGSTROMS / variance;
            let shift = coordinates * mean * mean / variance;
            let off = deviates::of_sum_of_squares(sum, coordinates, shift);
            ((mean * mean + variance) / SQUARE_ANGSTROMS, error, off)
        };
        self.compared("mean square", |row| row.2, of)
    }

    /// Compares a column with its law; `of` returns law, standard error and deviate from the law's mean and variance, the
    /// number of coordinates and the value. At T = 0 the law is R₀ cⁿ or its square, up to rounding. The start has no error
    /// and is left out.
    fn compared(
        &self,
        what: &'static str,
        column: impl Fn(&(usize, f64, f64)) -> f64,
        of: impl Fn(f64, f64, f64, f64) -> (f64, f64, f64),
    ) -> Option<Comparison> {
        let scale = if self.law.kick > 0.0 { Scale::Chance } else { Scale::Rounding };
        let rows = self.rows.iter().filter(|(step, _)| **step > 0);
        let points: Vec<Compared> = rows
            .map(|(step, row)| {
                let (steps, replicas) = (*step as f64, row.0 as f64);
                let coordinates = replicas * self.particles.coordinates() as f64;
                let (time, value) = (self.time_ns(steps), column(row) / replicas);
                let mean = self.law.mean(steps);
                let (law, error, off) = of(mean, self.law.variance(steps), coordinates, value);
                if let Scale::Chance = scale {
                    return Compared { time, value, law, error, off };
                }
                // Summing many numbers in double precision adds a rounding error.
                let summed = coordinates * f64::EPSILON * mean.abs();
                let rounding = self.particles.rounding(&self.dynamics, steps) + summed;
                let error = if what == "mean square" {
                    rounding * (2.0 * mean.abs() + rounding) / SQUARE_ANGSTROMS
                } else {
                    rounding / ANGSTROMS_PER_NANOMETRE
                };
                Compared { time, value, law, error, off: (value - law) / (error + LEAST) }
            })
            .collect();
        (!points.is_empty()).then_some(Comparison { what, scale, points })
    }

    /// C(t) over time origins.
    pub(super) fn correlation(&self) -> Option<Comparison> {
        let found = self.correlations.as_ref()?;
        let points = found.lags.iter().zip(&found.origins).zip(&found.sums);
        let points = points
            .map(|((&lag, &origins), sum)| {
                let averaged = Averaged { lag, origins, series: found.series };
                let value = sum / (origins * found.series) as f64;
                Compared {
                    time: self.time_ns((lag as u64 * found.interval) as f64),
                    value,
                    law: found.decay.at(lag),
                    error: found.decay.error(averaged),
                    off: deviates::of_correlation(&found.decay, averaged, value),
                }
            })
            .collect();
        Some(Comparison { what: "correlation", scale: Scale::Chance, points })
    }
}
