//! Diffusion and viscosity of fluids of dissipative particle dynamics: against LAMMPS, against kinetic theory in the limit of weak
//! friction, and a published diffusion coefficient.
//!
//! `dpd_transport [--device cpu|cuda] [--keep FOLDER] [RUNS [TIME]]`: runs of each fluid, 8 by default and 32 on a GPU, and the
//! time of each, 250, on a GPU 1,000, at least 82; a fluid of weak friction runs four times as long.

use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

use beadwork_model::Generator;
use beadwork_model::potentials::PairNoise;
use beadwork_testing::mean_and_standard_error;
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::{Backend, Options};
use beadwork_validation::dpd::{APART, Fluid, Means, RELAXATION, STANDARD, Sums, member};
use beadwork_validation::extrapolation::at_zero;
use beadwork_validation::report::{Report, Table};
use beadwork_validation::sampling::Sampling;
use beadwork_validation::transport::{Estimators, Transport, waves};
use clap::Parser;
use serde::Deserialize;

/// Fluids of weak friction without repulsion; displacements are measured after 20 over the friction, the time in which a bead
/// forgets its velocity eight times.
const WEAK: [f64; 4] = [0.125, 0.25, 0.5, 1.0];
const WEAK_APART: f64 = 2.0;
const WEAK_SIDE: f64 = 8.0;
const WEAK_STEP: f64 = 0.04;
/// The shortest time of a run. Four times this has a sample at twice the longest of these lags after the first, and it is longer
/// than correlations of currents are integrated.
const SHORTEST: f64 = 10.0 / WEAK[0] + WEAK_APART;
/// A DPD bead of water: repulsion 78, friction 4.5; D = 0.1707 (Groot and Rabone, Biophys. J. 81, 725, 2001, as the manual of
/// DL_POLY quotes it). Their step and box are not quoted; theirs is another integrator.
const WATER: Fluid = Fluid { side: 8.0, repulsion: 78.0, ..STANDARD };
const WATER_DIFFUSION: f64 = 0.1707;
/// A short step, and one of the length that was usual.
const WATER_STEPS: [f64; 2] = [0.02, 0.06];
/// The fluid whose viscosity is extrapolated to long waves.
const LARGE_SIDE: f64 = 12.0;
const SQUARES: [i32; 4] = [1, 2, 3, 4];
const LARGE_STEP: f64 = 0.02;
/// Momentum that stays in the box takes a part 1/N of D, and waves of the box a similar one: 0.1 %.
const KINETIC_ERROR: f64 = 1e-3;
/// Kinetic theory neglects repulsion; with it the viscosity is that near.
const KINETIC_TOLERANCE: f64 = 0.15;

/// What `fluids/lammps` recorded.
#[derive(Deserialize)]
struct ByLammps {
    program: String,
    density: f64,
    beads: usize,
    repulsion: f64,
    friction: f64,
    timestep: f64,
    time: f64,
    between: f64,
    lag: f64,
    longest: f64,
    runs: Vec<RunOfLammps>,
}

/// The means of a run.
#[derive(Deserialize)]
struct RunOfLammps {
    temperature: f64,
    energy: f64,
    diffusion: f64,
    relaxation: f64,
}

/// What the samples of a run have shown.
#[derive(Default)]
struct Found {
    sums: Sums,
    transport: Transport,
}

/// The runs of a fluid.
struct Measured {
    fluid: Fluid,
    estimators: Estimators,
    found: Vec<Found>,
}

impl Measured {
    /// Runs `runs` members of a fluid for a time.
    fn new(
        backend: &Backend,
        runs: usize,
        fluid: Fluid,
        timestep: f64,
        time: f64,
        estimators: Estimators,
    ) -> Result<Measured, Failure> {
        let system = Arc::new(fluid.system());
        let found = backend.sample(
            runs,
            Sampling::over(time, RELAXATION, estimators.apart),
            |run| Ok(member(&system, Generator::Philox4x32x10, timestep, run)),
            |found: &mut Found, member| {
                found.sums.add(member)?;
                found.transport.add(member, &estimators)
            },
        )?;
        Ok(Measured { fluid, estimators, found })
    }

    fn means(&self, value: impl Fn(&Means) -> f64) -> Vec<f64> {
        let (density, beads) = (self.fluid.density, self.fluid.beads());
        self.found.iter().map(|found| value(&found.sums.means(density, beads))).collect()
    }

    fn diffusion(&self) -> Vec<f64> {
        self.found.iter().map(|found| found.transport.diffusion(&self.estimators)).collect()
    }

    /// D kT of the bath over kT of the beads, which are warmer by a time step's effect.
    fn diffusion_at_one(&self) -> Vec<f64> {
        let temperatures = self.means(|means| means.temperature);
        self.diffusion().iter().zip(temperatures).map(|(d, kt)| d / kt).collect()
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let runs = options.number(0, options.backend.runs(8, 32))?;
    let time = options.number(1, options.backend.runs(250, 1_000) as f64)?;
    if time.is_nan() || time < SHORTEST {
        return Err(format!("{time}: a run takes a time of at least {SHORTEST}").into());
    }
    let part = !options.words.is_empty();
    let Options { backend, keep, .. } = options;
    let began = Instant::now();
    let tables = vec![
        with_lammps(&backend, runs, time)?,
        viscosity(&backend, runs, time)?,
        kinetic_theory(&backend, runs, 4.0 * time)?,
        water(&backend, runs, time)?,
    ];
    let question = "Have fluids of dissipative particle dynamics the diffusion and viscosity of LAMMPS, of kinetic theory and of print?";
    Report::new(&backend, "dpd_transport", question, began, tables).finish(keep.as_deref(), part)
}

/// The same fluid, steps and estimators in LAMMPS.
fn with_lammps(backend: &Backend, runs: usize, time: f64) -> Result<Table, Failure> {
    let peer: ByLammps = serde_json::from_str(include_str!("../../fluids/dpd-by-lammps.json"))?;
    let side = (peer.beads as f64 / peer.density).cbrt();
    let ByLammps { density, repulsion, friction, .. } = peer;
    // At this step the energy with uniform noise is larger, by some 2 parts in 10,000.
    let noise = PairNoise::Normal;
    let estimators = Estimators {
        side,
        apart: peer.between,
        lag: peer.lag,
        longest: peer.longest,
        waves: waves(1),
    };
    let fluid = Fluid { side, density, repulsion, friction, noise };
    let ours = Measured::new(backend, runs, fluid, peer.timestep, time, estimators)?;
    let relaxation =
        ours.found.iter().map(|run| run.transport.relaxation_time(1, &ours.estimators)).collect();
    let row = |name: &str, ours: Vec<f64>, theirs: fn(&RunOfLammps) -> f64| {
        let theirs: Vec<f64> = peer.runs.iter().map(theirs).collect();
        let theirs = mean_and_standard_error(&theirs);
        Comparison::of_mean(name, mean_and_standard_error(&ours), theirs)
    };
    let rows = vec![
        row("kinetic temperature", ours.means(|means| means.temperature), |run| run.temperature),
        row("conservative energy of a bead", ours.means(|means| means.energy), |run| run.energy),
        row("diffusion coefficient", ours.diffusion(), |run| run.diffusion),
        row("relaxation time of the longest transverse waves", relaxation, |run| run.relaxation),
    ];
    let conditions = format!(
        "{}, h = {}; time {time} after {RELAXATION}. {}: {} runs of time {}.",
        fluid.words(),
        peer.timestep,
        peer.program,
        peer.runs.len(),
        peer.time
    );
    Ok(Table::of_rows("Against LAMMPS", conditions, runs, rows))
}

/// The viscosity of long waves.
fn viscosity(backend: &Backend, runs: usize, time: f64) -> Result<Table, Failure> {
    let fluid = Fluid { side: LARGE_SIDE, ..STANDARD };
    let estimators = Estimators {
        side: LARGE_SIDE,
        apart: APART,
        lag: 4.0,
        // Five times the relaxation time of the longest wave.
        longest: 60.0,
        waves: SQUARES.into_iter().flat_map(waves).collect(),
    };
    let ours = Measured::new(backend, runs, fluid, LARGE_STEP, time, estimators)?;
    let of = |square: i32| -> (f64, f64) {
        let runs = ours.found.iter();
        let all: Vec<f64> =
            runs.map(|run| run.transport.viscosity(square, &ours.estimators)).collect();
        mean_and_standard_error(&all)
    };
    let points: Vec<(f64, f64, f64)> = SQUARES
        .iter()
        .map(|&square| {
            let (mean, error) = of(square);
            (f64::from(square), mean, error)
        })
        .collect();
    let (kinematic, error) = at_zero(&points, 1);
    let density = STANDARD.density;
    let kinetic = density * kinetic_viscosity(density, STANDARD.friction);
    let each = points
        .iter()
        .map(|(square, mean, error)| format!("{mean:.4}({error:.4}) at k^2 = {square} (2 pi/L)^2"));
    let (diffusion, its_error) = mean_and_standard_error(&ours.diffusion());
    let statements = vec![(
        format!(
            "Kinematic viscosity 1/(k^2 tau): {}; {kinematic:.4}({error:.4}) by a line in k^2 to long waves. The viscosity is {:.3}({:.3}), within {:.0} % of {kinetic:.3} by kinetic theory without repulsion (Groot and Warren); D = {diffusion:.4}({its_error:.4}), Schmidt number {:.2}.",
            each.collect::<Vec<_>>().join(", "),
            density * kinematic,
            density * error,
            100.0 * KINETIC_TOLERANCE,
            kinematic / diffusion
        ),
        (density * kinematic / kinetic - 1.0).abs() < KINETIC_TOLERANCE,
    )];
    let conditions = format!("{}, h = {LARGE_STEP}; {runs} runs of time {time}.", fluid.words());
    Ok(Table::of_statements("Viscosity", conditions, statements))
}

/// D of kinetic theory, 45 kT/(2π γ ρ r_c³) (Groot and Warren, 1997; Marsh, Backx and Ernst, Phys. Rev. E 56, 1676, 1997).
fn kinetic_diffusion(density: f64, friction: f64) -> f64 {
    45.0 / (2.0 * PI * friction * density)
}

/// The kinematic viscosity of kinetic theory, D/2 + 2π γ ρ r_c⁵/1575 (the same).
fn kinetic_viscosity(density: f64, friction: f64) -> f64 {
    0.5 * kinetic_diffusion(density, friction) + 2.0 * PI * friction * density / 1575.0
}

/// The diffusion of the ideal gas. Kinetic theory takes the partners of a bead for new ones at each moment, which is exact where
/// a bead flies far beyond the cutoff before its velocity is lost; so γ D is extrapolated to γ = 0.
fn kinetic_theory(backend: &Backend, runs: usize, time: f64) -> Result<Table, Failure> {
    let mut points = Vec::new();
    let mut statements = Vec::new();
    for friction in WEAK {
        let fluid = Fluid { side: WEAK_SIDE, repulsion: 0.0, friction, ..STANDARD };
        let estimators = Estimators {
            side: WEAK_SIDE,
            apart: WEAK_APART,
            lag: 20.0 / friction,
            longest: 0.0,
            waves: Vec::new(),
        };
        let ours = Measured::new(backend, runs, fluid, WEAK_STEP, time, estimators)?;
        let (mean, error) = mean_and_standard_error(&ours.diffusion_at_one());
        points.push((friction, friction * mean, friction * error));
        let kinetic = kinetic_diffusion(fluid.density, friction);
        let near = (mean / kinetic - 1.0).abs() < 0.1;
        statements.push((
            format!("At friction {friction} D = {mean:.4}({error:.4}), within 10 % of {kinetic:.4} by kinetic theory."),
            near,
        ));
    }
    let limit = at_zero(&points, 2);
    let expected = kinetic_diffusion(STANDARD.density, 1.0);
    let name = "friction times D without friction";
    let rows = vec![Comparison::of_mean(name, limit, (expected, KINETIC_ERROR * expected))];
    let conditions = format!(
        "Density 3, box of {WEAK_SIDE}, no repulsion, h = {WEAK_STEP}, frictions {WEAK:?}; time {time}; D over the kinetic temperature; by a parabola in the friction."
    );
    let title = "Diffusion of the ideal gas against kinetic theory";
    let table = Table::of_rows(title, conditions, runs, rows);
    Ok(Table { statements, ..table })
}

/// A DPD bead of water. A long step warms the fluid, so the published value of an unknown step must lie between that of a short
/// step and that of a long one.
fn water(backend: &Backend, runs: usize, time: f64) -> Result<Table, Failure> {
    let mut found = Vec::new();
    for timestep in WATER_STEPS {
        let estimators = Estimators {
            side: WATER.side,
            apart: APART,
            lag: 4.0,
            longest: 0.0,
            waves: Vec::new(),
        };
        let ours = Measured::new(backend, runs, WATER, timestep, time, estimators)?;
        let temperature = mean_and_standard_error(&ours.means(|means| means.temperature)).0;
        let (mean, error) = mean_and_standard_error(&ours.diffusion());
        let words =
            format!("{mean:.4}({error:.4}) with h = {timestep}, where kT = {temperature:.3}");
        found.push((mean, error, words));
    }
    let [(low, low_error, short), (high, high_error, long)] = &found[..] else {
        return Err("two steps".into());
    };
    let range = low - 4.0 * low_error..=high + 4.0 * high_error;
    let statement = format!("D = {short}, {long}; the published {WATER_DIFFUSION} lies between.");
    let conditions = format!("{}; {runs} runs of time {time}.", WATER.words());
    let statements = vec![(statement, range.contains(&WATER_DIFFUSION))];
    Ok(Table::of_statements("A bead of water (Groot and Rabone)", conditions, statements))
}
