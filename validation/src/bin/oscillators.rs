//! The application test of random numbers of Zhmurov, Rybnikov, Kholodov and Barsegov (arXiv:1003.1123), Fig. 4: 10⁴
//! oscillators in space, k = 0.01 pN/nm, D = 0.25 nm²/ns, 300 K, from 10 nm.
//!
//! Compares the mean position, and the correlations over time origins after 10 relaxation times, with the law of the
//! scheme, whose standard errors are known. Then repeats the runs with generators advanced by 2²⁹ and 2³⁰ steps of four
//! words: the correlation r of the mean positions of both runs shows whether noise repeats. Two independent series that
//! are correlated as ρ^|d| have r = 0 with the variance Σ (K − |d|) ρ^(2|d|)/K², about τ/T of K samples over a time T;
//! three axes divide it by three.
//!
//! `oscillators [--device cpu|cuda] [--keep FOLDER] [steps] [timestep in ps] [particles] [generator …]`

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use beadwork_analysis::oscillators::{Averaged, Decay, joint_bound, sums_of_products};
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series};
use beadwork_benchmarks::{Stepper, generator_of, published_oscillators};
use beadwork_cpu::Member;
use beadwork_model::force_fields::oscillators::{Law, Oscillators};
use beadwork_model::made_systems::one_stage;
use beadwork_model::{Dynamics, Generator, Protocol, System};
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Options;
use beadwork_validation::figures::{Points, figure, logarithmic};
use beadwork_validation::jumps::ahead;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use indicatif::ProgressBar;

const STEPS: f64 = 1e8;
/// Time step, ps.
const TIMESTEP: f64 = 1.0;
const PARTICLES: usize = 10_000;
/// The four generators of the paper, then those compared with them.
const GENERATORS: [Generator; 7] = [
    Generator::Lcg,
    Generator::Ran2,
    Generator::HybridTaus,
    Generator::LaggedFibonacci,
    Generator::Philox4x32x10,
    Generator::Xorwow,
    Generator::SaruTea,
];
const SAMPLES: f64 = 50.0;
/// Relaxation times until a coordinate is independent of its start, and for which correlations are computed.
const FORGOTTEN: f64 = 10.0;
const FOLLOWED: f64 = 4.0;
const LAGS: usize = 40;
/// Largest count of coordinates whose correlations are computed, so that the samples of a run fit into memory.
const MOST_NUMBERS: usize = 100_000_000;
/// Words of a particle and step: those of Box and Muller's method in single precision.
const WORDS: u64 = 4;
const SQUARE_ANGSTROMS: f64 = 100.0;

struct Test {
    system: Arc<System>,
    protocol: Arc<Protocol>,
    particles: Oscillators,
    law: Law,
    /// Steps between samples, and their number after the start.
    interval: u64,
    samples: usize,
    /// The first sample that is independent of the start.
    first: usize,
}

/// The recorded samples of a run, Å.
struct Trajectory {
    /// Means of the axes at each sample.
    means: Vec<[f64; 3]>,
    /// Some coordinates at the samples from [`Test::first`] on.
    coordinates: Vec<Vec<f32>>,
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let (steps, timestep) = (options.number(0, STEPS)?, options.number(1, TIMESTEP)?);
    let particles = options.number(2, PARTICLES)?;
    let Options { backend, keep, words } = options;
    let chosen = words.iter().skip(3).map(|word| generator_of(word));
    let chosen: Vec<Generator> = chosen.collect::<Result<_, _>>()?;
    let generators = if chosen.is_empty() { GENERATORS.to_vec() } else { chosen };
    let began = Instant::now();
    // Each generator has one run, and two runs with later noise.
    let progress = ProgressBar::new(3 * generators.len() as u64 * steps as u64);
    let found = backend.map_each(generators.len(), |number, stepper| {
        let generator = generators[number as usize];
        one(&Test::new(generator, steps, timestep, particles)?, generator, stepper, &progress)
    })?;
    let mut figures = figures();
    let mut tables = Vec::new();
    for (number, (table, curves)) in found.into_iter().enumerate() {
        tables.push(table);
        let [law, measured] = curves;
        for (figure, (law, points)) in figures.iter_mut().zip(law.into_iter().zip(measured)) {
            let name = generators[number].name();
            let colour = Colour::Palette(number);
            figure.1.series.push(Series { colour, ..Series::line(name, points) });
            if number == 0 && !law.is_empty() {
                let (colour, emphasis) = (Colour::Grey, Emphasis::Strong);
                figure.1.series.push(Series { colour, emphasis, ..Series::line("law", law) });
            }
        }
    }
    let question = "Do oscillators follow their law with the generators of Zhmurov and others, and which noise repeats?";
    let name = backend.result("oscillators");
    let report = Report::new(&backend, "oscillators", question, began, tables);
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("oscillators/results");
    let whole = words.is_empty().then_some(results);
    let folder = keep.or(whole);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
        for (stem, figure) in figures {
            std::fs::write(folder.join(format!("{name}-{stem}.svg")), figure.to_svg())?;
        }
    }
    report.finish(folder.as_deref(), true)
}

impl Test {
    fn new(
        generator: Generator,
        steps: f64,
        timestep: f64,
        particles: usize,
    ) -> Result<Test, Failure> {
        let (particles, published) = published_oscillators(particles, false)?;
        let dynamics = Dynamics { timestep, ..published };
        let law = particles.law(&dynamics);
        let relaxation = law.relaxation().ok_or("the time step is too large")?;
        let interval = (relaxation / SAMPLES).ceil();
        let samples = (steps / interval).floor() as usize;
        let first = (FORGOTTEN * relaxation / interval).ceil() as usize;
        if samples < 2 * first {
            let least = 2.0 * first as f64 * interval;
            let problem = format!("at least {least:.3e} steps are needed, 20 relaxation times");
            return Err(problem.into());
        }
        let system = Arc::new(particles.build());
        let beads = system.particles.positions.len();
        let protocol = Arc::new(one_stage(dynamics, generator, 20_101, u64::MAX >> 17, beads));
        let interval = interval as u64;
        Ok(Test { system, protocol, particles, law, interval, samples, first })
    }

    /// A run with the noise of `after` steps later; `None` if the generator cannot skip that far.
    fn trajectory(
        &self,
        after: u64,
        stepper: &mut Stepper,
        progress: &ProgressBar,
    ) -> Result<Option<Trajectory>, Failure> {
        let (system, protocol) = (self.system.clone(), self.protocol.clone());
        let member =
            Member::new(system.clone(), protocol.clone(), 0, &self.system.particles.positions);
        let mut state = member.state();
        if after > 0 {
            // Keyed noise depends on the step, other noise on its states.
            state.step = after;
            if let Some(states) = &state.noise {
                let Some(states) = ahead(states, WORDS * after) else { return Ok(None) };
                state.noise = Some(states);
            }
        }
        let mut members = [Member::restore(system, protocol, 0, state)];
        let held = (MOST_NUMBERS / self.samples).clamp(1, self.particles.coordinates());
        let (mut means, mut coordinates) = (Vec::new(), Vec::new());
        for sample in 1..=self.samples {
            stepper.advance(&mut members, self.interval)?;
            let positions = members[0].positions();
            means.push(self.particles.moments(&positions).0);
            if sample >= self.first && after == 0 {
                let coordinates_held = positions.iter().flatten().take(held);
                coordinates.push(coordinates_held.map(|x| *x as f32).collect());
            }
            progress.inc(self.interval);
        }
        Ok(Some(Trajectory { means, coordinates }))
    }

    fn decay(&self) -> Decay {
        Decay {
            variance: self.law.stationary().unwrap_or(f64::NAN),
            factor: self.law.power(self.interval as f64),
        }
    }

    /// The time of a number of samples, ns.
    fn nanoseconds(&self, samples: f64) -> f64 {
        samples * self.interval as f64 * self.protocol.dynamics.timestep / 1000.0
    }
}

/// The curves of the law and of the measurement in each of the three figures.
type Curves = [Vec<Points>; 2];

fn one(
    test: &Test,
    generator: Generator,
    stepper: &mut Stepper,
    progress: &ProgressBar,
) -> Result<(Table, Curves), Failure> {
    let trajectory = test.trajectory(0, stepper, progress)?.ok_or("no run")?;
    let decay = test.decay();
    let mut comparisons = Vec::new();
    let mut statements = Vec::new();

    // Compares the mean of each axis with R₀ cⁿ.
    let particles = test.particles.particles as f64;
    let mut worst: f64 = 0.0;
    for (sample, means) in trajectory.means.iter().enumerate() {
        let steps = (sample + 1) as f64 * test.interval as f64;
        let (law, error) = (test.law.mean(steps), (test.law.variance(steps) / particles).sqrt());
        worst = means.iter().fold(worst, |worst, mean| worst.max((mean - law).abs() / error));
    }
    let count = 3 * trajectory.means.len();
    let bound = joint_bound(count);
    let sentence = format!(
        "⟨X(t)⟩, ⟨Y(t)⟩ and ⟨Z(t)⟩ at {count} points are at most {worst:.2} standard errors from their law (one run in a thousand goes beyond {bound:.2})."
    );
    statements.push((sentence, worst <= bound));

    // Compares the correlation C(t).
    let origins = trajectory.coordinates.len();
    let relaxation = test.law.relaxation().unwrap_or(1.0) / test.interval as f64;
    let longest = ((FOLLOWED * relaxation) as usize).min(origins / 2);
    let lags: Vec<usize> = (0..=LAGS).map(|number| number * longest / LAGS).collect();
    let series = trajectory.coordinates.first().map_or(1, Vec::len);
    let mut correlation = Vec::new();
    let mut worst: f64 = 0.0;
    for (&lag, sum) in lags.iter().zip(sums_of_products(&trajectory.coordinates, &lags)) {
        let averaged = Averaged { lag, origins: origins - lag, series };
        let value = sum / ((origins - lag) * series) as f64;
        let (law, error) = (decay.at(lag), decay.error(averaged));
        worst = worst.max((value - law).abs() / error);
        if correlation.is_empty() {
            let of = |x: f64| x / SQUARE_ANGSTROMS;
            let measured = (of(value), of(error));
            comparisons.push(Comparison::of_mean("C(0) / nm²", measured, (of(law), 0.0)));
        }
        correlation.push((test.nanoseconds(lag as f64), value / SQUARE_ANGSTROMS));
    }
    let bound = joint_bound(lags.len());
    let sentence = format!(
        "C(t) at {} times up to {FOLLOWED} relaxation times is at most {worst:.2} standard errors from its law (one run in a thousand goes beyond {bound:.2}); {origins} time origins, {series} coordinates.",
        lags.len()
    );
    statements.push((sentence, worst <= bound));

    // Tests whether noise repeats.
    let known_bad = generator == Generator::Lcg;
    for (power, expected) in [(29, -0.70), (30, 1.0)] {
        let Some(later) = test.trajectory(1 << power, stepper, progress)? else { continue };
        let (r, error) =
            repetition(&trajectory.means[test.first..], &later.means[test.first..], decay.factor);
        let what = format!("r of ⟨X(t)⟩ and ⟨X(t + 2^{power} steps)⟩");
        if !known_bad {
            comparisons.push(Comparison::of_mean(&what, (r, error), (0.0, 0.0)));
        } else if power == 30 {
            statements.push((format!("{what} is {r:.6}, above 0.99."), r > 0.99));
        } else {
            // The standard error of a correlation that is not zero.
            let error = error * (1.0 - r * r);
            comparisons.push(Comparison::of_mean(&what, (r, error), (expected, 0.05)));
        }
    }
    let dynamics = &test.protocol.dynamics;
    let conditions = format!(
        "{} particles, {:.3e} steps of {} ps, single precision; a relaxation time has {:.4e} steps; {:.0} s after the beginning of the program.",
        test.particles.particles,
        test.samples as f64 * test.interval as f64,
        dynamics.timestep,
        test.law.relaxation().unwrap_or(0.0),
        progress.elapsed().as_secs_f64()
    );
    let table =
        Table { statements, ..Table::of_rows(generator.name(), conditions, 1, comparisons) };
    Ok((table, curves(test, &trajectory, correlation, &lags)))
}

/// The correlation r of the mean positions of two runs, and its standard error for independent runs.
fn repetition(one: &[[f64; 3]], other: &[[f64; 3]], factor: f64) -> (f64, f64) {
    let (mut both, mut squares) = (0.0, [0.0, 0.0]);
    for (x, y) in one.iter().flatten().zip(other.iter().flatten()) {
        both += x * y;
        squares = [squares[0] + x * x, squares[1] + y * y];
    }
    let samples = one.len();
    let of_a_distance = |distance: usize| {
        let weight = if distance == 0 { 1.0 } else { 2.0 } * (samples - distance) as f64;
        weight * factor.powf(2.0 * distance as f64)
    };
    let sum: f64 = (0..samples).map(of_a_distance).sum();
    let error = (sum / (samples * samples) as f64 / 3.0).sqrt();
    (both / (squares[0] * squares[1]).sqrt(), error)
}

fn figures() -> [(&'static str, Figure); 3] {
    let over_time = |title, y| figure(title, [Axis::new("t / µs"), y], Vec::new());
    [
        ("a", over_time("⟨X(t)⟩ from 10 nm", logarithmic("⟨X⟩ / nm"))),
        ("b", over_time("Fluctuations of ⟨X(t)⟩", Axis::new("⟨X⟩ / nm"))),
        ("c", over_time("Correlation over time origins", logarithmic("C / nm²"))),
    ]
}

fn curves(test: &Test, trajectory: &Trajectory, correlation: Points, lags: &[usize]) -> Curves {
    let time = |sample: f64| test.nanoseconds(sample) / 1000.0;
    let position = |range: Range<usize>| -> Points {
        let at = |sample: usize| (time(sample as f64 + 1.0), trajectory.means[sample][0] / 10.0);
        range.map(at).collect()
    };
    // Beyond about four relaxation times, noise exceeds the mean.
    let early = test.first / 2;
    let law = (0..early)
        .map(|sample| (sample as f64 + 1.0) * test.interval as f64)
        .map(|steps| (steps * test.protocol.dynamics.timestep / 1e6, test.law.mean(steps) / 10.0));
    let decay = test.decay();
    let law_of_correlation =
        lags.iter().map(|&lag| (time(lag as f64), decay.at(lag) / SQUARE_ANGSTROMS));
    let late = test.first..trajectory.means.len().min(3 * test.first);
    let micro = correlation.into_iter().map(|(time, value)| (time / 1000.0, value));
    [
        vec![law.collect(), Vec::new(), law_of_correlation.collect()],
        vec![position(0..early), position(late), micro.collect()],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_r_is_that_of_independent_samples_without_memory() {
        let series = |sign: f64| -> Vec<[f64; 3]> {
            (0..50).map(|n| if n % 2 == 0 { [1.0; 3] } else { [sign; 3] }).collect()
        };
        let (r, error) = repetition(&series(-1.0), &series(1.0), 0.0);
        assert_eq!(r, 0.0);
        assert!((error - (1.0 / 150.0_f64).sqrt()).abs() < 1e-12);
        assert_eq!(repetition(&series(-1.0), &series(-1.0), 0.0).0, 1.0);
    }

    #[test]
    fn the_relaxation_time_is_that_of_the_paper() {
        let test = Test::new(Generator::Lcg, 1e8, 1.0, 3).unwrap();
        // ξ/k = 4.1419 pN nm/0.25 nm²/ns/0.01 pN/nm = 1656.8 ns; kT/k = 414.19 nm².
        assert!((test.law.relaxation().unwrap() / 1_656_779.0 - 1.0).abs() < 1e-5);
        assert!((test.decay().variance / SQUARE_ANGSTROMS / 414.195 - 1.0).abs() < 1e-5);
    }
}
