//! The fluid of dissipative particle dynamics of Groot and Warren (J. Chem. Phys. 107, 4423, 1997): its kinetic temperature at
//! several time steps and without steps, its pressure, its equation of state, the ideal gas that is left without repulsion, and
//! its momentum over many steps.
//!
//! `dpd_fluid [--device cpu|cuda] [--keep FOLDER] [RUNS [TIME [STEPS]]]`: runs for each fluid and time step, 8 by default and 32
//! on a GPU; the time of each, 100; the steps over which the momentum is watched, 1,000,000.

use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_model::{Generator, System};
use beadwork_testing::{ks_statistic_of_counts, ks_threshold, mean_and_standard_error, normal_cdf};
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::{Backend, Options};
use beadwork_validation::dpd::{APART, Fluid, Means, RELAXATION, STANDARD, Sums, member};
use beadwork_validation::extrapolation::at_zero;
use beadwork_validation::report::{Report, Table};
use beadwork_validation::sampling::Sampling;
use clap::Parser;

/// Time steps, and the kinetic temperatures of velocity Verlet with the drag of the half step, by long runs of several
/// programs.
const TEMPERATURES: [(f64, f64); 6] =
    [(0.01, 1.005), (0.02, 1.010), (0.03, 1.020), (0.04, 1.028), (0.05, 1.042), (0.06, 1.060)];
/// A temperature agrees within 0.002, a pressure within 0.02: four of these errors.
const TEMPERATURE_ERROR: f64 = 0.0005;
const PRESSURE_ERROR: f64 = 0.005;
/// The time step at which the pressure is compared, the pressure there, and that without steps, where kT is 1.
const PRESSURE: (f64, f64) = (0.04, 23.73);
const PRESSURE_AT_ONE: f64 = 23.64;
/// Steps from which values without steps are extrapolated by a parabola: short ones, for the kinetic temperature is not linear
/// in the step.
const SHORT: [f64; 5] = [0.005, 0.01, 0.02, 0.03, 0.04];
/// Densities, and (p − ρ kT)/(a ρ²) there by long runs at kT 1; each is rounded to the last digit.
const EQUATION: [(f64, f64); 5] =
    [(3.0, 0.0918), (4.0, 0.0958), (5.0, 0.0980), (6.0, 0.0994), (8.0, 0.1010)];
const EQUATION_ERROR: f64 = 0.5e-4;
const EQUATION_STEP: f64 = 0.01;
/// What Groot and Warren give for dense fluids, and its error.
const DENSE: (f64, f64) = (0.101, 0.001);
/// The ideal gas: no repulsion. Velocities are independent after this many samples.
const IDEAL_STEPS: [f64; 3] = [0.01, 0.02, 0.04];
const INDEPENDENT: usize = 25;
/// Bins of the histogram of velocities, from −8 to 8.
const BINS: usize = 4096;
/// The significance of the distribution's test.
const SIGNIFICANCE: f64 = 1e-4;
/// The time step and the runs of the momentum.
const MOMENTUM_STEP: f64 = 0.04;
const MOMENTUM_RUNS: usize = 4;

/// A fluid and its time step.
struct Case {
    fluid: Fluid,
    system: Arc<System>,
    timestep: f64,
}

impl Case {
    fn new(fluid: Fluid, timestep: f64) -> Case {
        Case { fluid, system: Arc::new(fluid.system()), timestep }
    }
}

/// What the samples of a run have shown.
#[derive(Default)]
struct Found {
    sums: Sums,
    samples: usize,
    /// Counts of velocities, and sums of their second and fourth powers, of independent samples.
    histogram: Vec<u64>,
    powers: [f64; 2],
    velocities: f64,
}

impl Found {
    fn add(&mut self, member: &Member) -> Result<(), Failure> {
        self.sums.add(member)?;
        self.samples += 1;
        if !self.samples.is_multiple_of(INDEPENDENT) {
            return Ok(());
        }
        self.histogram.resize(BINS, 0);
        for v in member.velocities().iter().flatten().flatten() {
            let bin = (v + 8.0) / 16.0 * BINS as f64;
            self.histogram[(bin as usize).min(BINS - 1)] += 1;
            self.powers[0] += v * v;
            self.powers[1] += v.powi(4);
            self.velocities += 1.0;
        }
        Ok(())
    }
}

/// All runs of a case.
struct Runs<'a> {
    case: &'a Case,
    found: &'a [Found],
}

impl Runs<'_> {
    fn of(&self, value: impl Fn(&Means) -> f64) -> Vec<f64> {
        let Fluid { density, .. } = self.case.fluid;
        let beads = self.case.fluid.beads();
        self.found.iter().map(|found| value(&found.sums.means(density, beads))).collect()
    }

    /// The time step, and the mean with its standard error.
    fn point(&self, value: impl Fn(&Means) -> f64) -> (f64, f64, f64) {
        let (mean, error) = mean_and_standard_error(&self.of(value));
        (self.case.timestep, mean, error)
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let runs = options.number(0, options.backend.runs(8, 32))?;
    let (time, steps) = (options.number(1, 100.0)?, options.number(2, 1_000_000_u32)?);
    let part = !options.words.is_empty();
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let with_steps = SHORT[..1].iter().copied().chain(TEMPERATURES.map(|(step, _)| step));
    let standard: Vec<Case> = with_steps.map(|step| Case::new(STANDARD, step)).collect();
    let denser = EQUATION[1..].iter().map(|&(density, _)| Fluid { density, side: 8.0, ..STANDARD });
    let denser: Vec<Case> = denser.map(|fluid| Case::new(fluid, EQUATION_STEP)).collect();
    let ideal = Fluid { repulsion: 0.0, ..STANDARD };
    let ideal: Vec<Case> = IDEAL_STEPS.iter().map(|&step| Case::new(ideal, step)).collect();
    let cases: Vec<&Case> = standard.iter().chain(&denser).chain(&ideal).collect();
    let sampling = Sampling::over(time, RELAXATION, APART);
    let found = backend.sample(
        cases.len() * runs,
        sampling,
        |number| {
            let case = cases[number as usize / runs];
            let run = number % runs as u64;
            Ok(member(&case.system, Generator::Philox4x32x10, case.timestep, run))
        },
        |found: &mut Found, member| found.add(member),
    )?;
    let all: Vec<Runs<'_>> =
        cases.iter().zip(found.chunks(runs)).map(|(case, found)| Runs { case, found }).collect();
    let (standard, rest) = all.split_at(standard.len());
    let (denser, ideal) = rest.split_at(denser.len());
    let conditions = format!("Philox; time {time} after {RELAXATION}.");
    let mut tables = Vec::from(of_steps(standard, &conditions, runs));
    tables.push(equation_of_state(standard, denser, &conditions, runs));
    tables.extend(ideal_gas(ideal, &conditions, runs));
    tables.push(momentum(&backend, steps)?);
    let question = "Has the fluid of dissipative particle dynamics the known temperature and pressure, does it become an ideal gas without repulsion, and does its momentum stay?";
    Report::new(&backend, "dpd_fluid", question, began, tables).finish(keep.as_deref(), part)
}

/// Kinetic temperature and pressure at each step, and without steps.
fn of_steps(standard: &[Runs<'_>], conditions: &str, runs: usize) -> [Table; 3] {
    let conditions = format!("{}; {conditions}", STANDARD.words());
    let at = |step: f64| standard.iter().find(|runs| runs.case.timestep == step);
    let row = |step: f64, value: fn(&Means) -> f64, expected, error| {
        at(step)
            .map(|runs| Comparison::new(&format!("h = {step}"), &runs.of(value), expected, error))
    };
    let temperatures = TEMPERATURES
        .iter()
        .filter_map(|&(step, kt)| row(step, |means| means.temperature, kt, TEMPERATURE_ERROR));
    let pressure = row(PRESSURE.0, |means| means.pressure, PRESSURE.1, PRESSURE_ERROR);
    let short = |value: fn(&Means) -> f64| -> Vec<_> {
        SHORT.iter().filter_map(|&step| at(step)).map(|runs| runs.point(value)).collect()
    };
    let without_steps = [
        ("kT", short(|means| means.temperature), (1.0, 0.0)),
        ("pressure", short(|means| means.pressure), (PRESSURE_AT_ONE, PRESSURE_ERROR)),
    ];
    let without_steps = without_steps
        .into_iter()
        .map(|(name, points, expected)| Comparison::of_mean(name, at_zero(&points, 2), expected));
    let extrapolated = format!("{conditions} A parabola through the means at h = {SHORT:?}.");
    [
        Table::of_rows("Kinetic temperature, kT", &conditions, runs, temperatures.collect()),
        Table::of_rows("Pressure", &conditions, runs, pressure.into_iter().collect()),
        Table::of_rows("Without steps", extrapolated, runs, without_steps.collect()),
    ]
}

/// (p − ρ kT)/(a ρ²) at each density.
fn equation_of_state(
    standard: &[Runs<'_>],
    denser: &[Runs<'_>],
    conditions: &str,
    runs: usize,
) -> Table {
    let first = standard.iter().filter(|runs| runs.case.timestep == EQUATION_STEP);
    let all: Vec<&Runs<'_>> = first.chain(denser).collect();
    let alpha = |runs: &Runs<'_>| {
        let Fluid { density, repulsion, .. } = runs.case.fluid;
        runs.of(|means| means.excess_pressure / (repulsion * density * density))
    };
    let rows: Vec<Comparison> = all
        .iter()
        .zip(EQUATION)
        .map(|(runs, (density, expected))| {
            Comparison::new(&format!("density {density}"), &alpha(runs), expected, EQUATION_ERROR)
        })
        .collect();
    let means: Vec<f64> = rows.iter().map(|row| row.mean).collect();
    let dense = means.last().copied().unwrap_or_default();
    // Without correlations between beads the integral of r f(r) gives π/30 (r_c = 1): 2π/3 ∫ r³ (1 − r) dr from 0 to 1.
    let rises = means.is_sorted() && dense < PI / 30.0;
    let statements = vec![
        (
            format!(
                "It rises with the density and stays below {:.5}, its value without correlations between beads.",
                PI / 30.0
            ),
            rises,
        ),
        (
            format!(
                "At density {} it is within {} of {}, which Groot and Warren give for dense fluids.",
                EQUATION[4].0, DENSE.1, DENSE.0
            ),
            (dense - DENSE.0).abs() <= DENSE.1,
        ),
    ];
    let conditions = format!(
        "Repulsion a = 25, friction 4.5, h = {EQUATION_STEP}, box of 10 at density 3 and of 8 at others; {conditions}"
    );
    let title = "(p − ρ kT)/(a ρ²)";
    Table { statements, ..Table::of_rows(title, conditions, runs, rows) }
}

/// Temperature, pressure and velocities without repulsion.
fn ideal_gas(ideal: &[Runs<'_>], conditions: &str, runs: usize) -> Option<Table> {
    let points: Vec<_> = ideal.iter().map(|runs| runs.point(|means| means.temperature)).collect();
    let pressures: Vec<_> = ideal.iter().map(|runs| runs.point(|means| means.pressure)).collect();
    let first = ideal.first()?;
    let kurtosis: Vec<f64> = first
        .found
        .iter()
        .map(|found| found.velocities * found.powers[1] / (3.0 * found.powers[0].powi(2)))
        .collect();
    let mut rows = vec![
        Comparison::of_mean("kT without steps", at_zero(&points, 2), (1.0, 0.0)),
        Comparison::of_mean("pressure without steps", at_zero(&pressures, 2), (3.0, 0.0)),
    ];
    if kurtosis.iter().all(|value| value.is_finite()) {
        let name = format!("<v^4>/3<v^2>^2 at h = {}", IDEAL_STEPS[0]);
        rows.push(Comparison::new(&name, &kurtosis, 1.0, 0.0));
    }
    let (statistic, count) = distance_from_normal(first.found);
    let threshold = ks_threshold(count as usize, SIGNIFICANCE);
    let statements = vec![(
        format!(
            "{count} velocities at h = {} are normal with their own variance: their distribution differs by {statistic:.2e}, allowed are {threshold:.2e} (Kolmogorov and Smirnov, p = {SIGNIFICANCE:e}).",
            IDEAL_STEPS[0]
        ),
        count > 0 && statistic <= threshold,
    )];
    // The pressure is the temperature times the density, so one of the rows stands for both.
    let joint: Vec<Comparison> = [&rows[..1], &rows[2..]].concat();
    let conditions = format!(
        "{}; {conditions} Values without steps: by a parabola through h = {IDEAL_STEPS:?}.",
        first.case.fluid.words()
    );
    let joint = Table::of_rows("Ideal gas", conditions, runs, joint);
    Some(Table { comparisons: rows, statements, ..joint })
}

/// The Kolmogorov–Smirnov distance of the velocities of all runs from normal ones with the same variance, and their number.
fn distance_from_normal(found: &[Found]) -> (f64, u64) {
    let total = |value: fn(&Found) -> f64| found.iter().map(value).sum::<f64>();
    let width = (total(|found| found.powers[0]) / total(|found| found.velocities)).sqrt();
    let count_of =
        |bin: usize| -> u64 { found.iter().filter_map(|found| found.histogram.get(bin)).sum() };
    let counts: Vec<u64> = (0..BINS).map(count_of).collect();
    let edge = |bin: usize| (bin as f64 / BINS as f64 * 16.0 - 8.0) / width;
    (ks_statistic_of_counts(&counts, |bin| normal_cdf(edge(bin))), counts.iter().sum())
}

/// The momentum that a fluid has gained after many steps: the rounding of velocities alone.
fn momentum(backend: &Backend, steps: u32) -> Result<Table, Failure> {
    let case = Case::new(Fluid { side: 6.0, ..STANDARD }, MOMENTUM_STEP);
    let time = f64::from(steps) * MOMENTUM_STEP;
    let of = |member: &Member| -> Result<[f64; 3], Failure> {
        let velocities = member.velocities().ok_or("no velocities")?;
        Ok([0, 1, 2].map(|axis| velocities.iter().map(|v| v[axis]).sum()))
    };
    let start = |run| Ok(member(&case.system, Generator::Philox4x32x10, MOMENTUM_STEP, run));
    // The first sample is after one step, the last after all of them.
    let sampling = Sampling { relaxation: MOMENTUM_STEP, apart: time - MOMENTUM_STEP, count: 1 };
    let last = backend.sample(MOMENTUM_RUNS, sampling, start, |found: &mut [f64; 3], member| {
        *found = of(member)?;
        Ok(())
    })?;
    let mut statements = Vec::new();
    // A step adds to a velocity twice. The unit of f32 next to 1 is 2⁻²³, so ε_v = 2⁻²⁴ is the largest error of an addition
    // there; N beads walk by up to ε_v √(2 N steps), and five times that is never reached by rounding alone.
    let bound =
        5.0 * 2.0_f64.powi(-24) * (2.0 * case.fluid.beads() as f64 * f64::from(steps)).sqrt();
    for (run, momentum) in last.iter().enumerate() {
        let before = of(&start(run as u64)?)?;
        let gained = [0, 1, 2].map(|axis| (momentum[axis] - before[axis]).powi(2));
        let gained = gained.iter().sum::<f64>().sqrt();
        statements.push((
            format!("Run {run}: the momentum changes by {gained:.2e}, allowed are {bound:.2e}."),
            gained <= bound,
        ));
    }
    let conditions = format!("{}, h = {MOMENTUM_STEP}; {steps} steps.", case.fluid.words());
    Ok(Table::of_statements("Momentum", conditions, statements))
}
