//! The accuracy study of Zhmurov, Dima, Kholodov and Barsegov (2010), §IV.C, in full: 10⁹ steps of 1, 25 and 50 ps.
//!
//! A particle in a well of 40 pN/nm under a force ramp of 10 pN/nm · 1 µm/s, with D = 1.5×10⁻¹¹ cm²/s at 300 K (τ = 69
//! µs). First, the paper's recursions of the mean (equations 4 and 5, the latter also with the term r_f h²/2ξ that the
//! paper omits) are compared with equation 3. Then both integrators run with noise, in f32 and f64, 5 nm from the
//! origin, where beads of a protein are: the mean over M particles and over time must follow equation 3, the variance
//! the discrete law.
//!
//! `accuracy_study [steps of the recursions] [particles] [steps of the stochastic runs]`

use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_model::externals::{Ends, External, ForceRamp};
use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork_model::made_systems::one_stage;
use beadwork_model::potentials::HarmonicTrap;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, Dimension, parse};
use beadwork_model::{Dynamics, Generator, Integrator, Model, Precision, Single, System};
use beadwork_validation::Failure;
use beadwork_validation::agreement::Comparison;
use beadwork_validation::backend::Backend;
use beadwork_validation::report::{Report, Table};
use rayon::prelude::*;

const TIMESTEPS: [f64; 3] = [1.0, 25.0, 50.0];
/// Position of the well, Å.
const CENTRE: f64 = 50.0;

/// Parameters in internal units: Å, kcal/mol, ps.
struct Study {
    stiffness: f64,
    rate: f64,
    friction: f64,
    temperature: f64,
    tau: f64,
}

/// A recursion of the mean: its name, the relative error that the paper states, and whether it has the terms of second
/// order in the slope and in the rate of the force.
type Recursion = (&'static str, f64, bool, bool);
const RECURSIONS: [Recursion; 3] = [
    ("equation 4", 2e-5, false, false),
    ("equation 5 as printed", 1e-5, true, false),
    ("equation 5 with r_f h²/2ξ", 1e-5, true, true),
];

impl Study {
    fn new() -> Result<Study, Failure> {
        let stiffness = parse("40 pN/nm", Dimension::Stiffness)?.value;
        let cantilever = parse("10 pN/nm", Dimension::Stiffness)?.value;
        let rate = cantilever * parse("1 um/s", Dimension::Speed)?.value;
        let temperature = parse("300 K", Dimension::Temperature)?.value;
        // 1 cm²/s is 10⁴ Å²/ps.
        let friction = temperature / (1.5e-11 * 1e4);
        Ok(Study { stiffness, rate, friction, temperature, tau: friction / stiffness })
    }

    /// The mean position by equation 3.
    fn theory(&self, time: f64) -> f64 {
        self.rate / self.stiffness * (time + self.tau * (-time / self.tau).exp_m1())
    }

    fn recursion(&self, (_, _, in_slope, in_rate): Recursion, timestep: f64, steps: u64) -> f64 {
        let Study { rate, friction, tau, .. } = *self;
        let second = timestep * timestep / (2.0 * tau);
        let missing = rate * timestep * timestep / (2.0 * friction);
        let mut x = 0.0;
        for step in 0..steps {
            let time = step as f64 * timestep;
            let slope = rate * time / friction - x / tau;
            x += slope * timestep;
            if in_slope {
                x -= slope * second;
            }
            if in_rate {
                x += missing;
            }
        }
        x
    }
}

fn main() -> Result<(), Failure> {
    let numbers: Vec<u64> =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let steps = numbers.first().copied().unwrap_or(1_000_000_000);
    let particles = numbers.get(1).copied().unwrap_or(64) as usize;
    let stochastic_steps = numbers.get(2).copied().unwrap_or(20_000_000);
    let study = Study::new()?;
    let began = Instant::now();
    let mut tables = vec![recursions(&study, steps)];
    for integrator in Integrator::ALL {
        for precision in Precision::ALL {
            tables.push(stochastic(&study, (integrator, precision), particles, stochastic_steps)?);
        }
    }
    let question = "Do integrators follow a slow force ramp over 10⁹ steps, and does single precision suffice?";
    Report::new(&Backend::Cpu, "accuracy_study", question, began, tables)
        .finish(None, !numbers.is_empty())
}

/// The error of a row is the bound that the paper states: a deviation beyond one such unit violates it.
fn recursions(study: &Study, steps: u64) -> Table {
    let all: Vec<(Recursion, f64)> = RECURSIONS
        .into_iter()
        .flat_map(|which| TIMESTEPS.map(|timestep| (which, timestep)))
        .collect();
    let statement = |&(which, timestep): &(Recursion, f64)| {
        let (name, quoted, ..) = which;
        let x = study.recursion(which, timestep, steps);
        let expected = study.theory(steps as f64 * timestep);
        let error = x / expected - 1.0;
        let sentence = format!(
            "{name}, h = {timestep} ps: {:.6} nm, by equation 3 {:.6} nm, relative error {error:.1e} (quoted: below {quoted:.0e}).",
            x / ANGSTROMS_PER_NANOMETRE,
            expected / ANGSTROMS_PER_NANOMETRE,
        );
        (sentence, error.abs() < quoted)
    };
    let statements = all.par_iter().map(statement).collect();
    let conditions = format!("{steps} steps; no noise.");
    Table::of_statements("Recursions of the mean, f64", conditions, statements)
}

/// Two particles, each in a well of its own around [`CENTRE`].
fn system(study: &Study) -> Arc<System> {
    let (dimensions, start) = (Dimensions::Three, 0.0);
    let wells = Oscillators { particles: 2, dimensions, stiffness: study.stiffness, start };
    let mut system = wells.build();
    // The model of oscillators has its wells around the origin; these are elsewhere.
    system.model = Model::default();
    let centre = [CENTRE, 0.0, 0.0];
    system.particles.positions.fill(centre);
    let potential = HarmonicTrap { stiffness: study.stiffness, centre };
    let traps: Vec<_> = (0..2).map(|bead| Single { bead, potential }).collect();
    system.interactions.singles = vec![traps.into()];
    Arc::new(system)
}

/// Averages over the path of one particle from 5 τ on.
#[derive(Clone, Copy)]
struct Path {
    /// Mean of X − equation 3, Å.
    residual: f64,
    /// Means of (X − equation 3)², y² and z², Å².
    square: f64,
    /// X − equation 3 at the end, Å.
    last: f64,
}

fn stochastic(
    study: &Study,
    (integrator, precision): (Integrator, Precision),
    particles: usize,
    steps: u64,
) -> Result<Table, Failure> {
    let timestep = 50.0;
    let least = 5.0 * study.tau / timestep;
    if steps as f64 <= least {
        return Err(format!("stochastic runs need more than {least:.2e} steps, 5 τ").into());
    }
    let system = system(study);
    let runs = particles.div_ceil(2);
    let paths = (0..runs).into_par_iter().map(|run| {
        let ends = Ends {
            fixed: vec![],
            pulled: vec![0, 1],
            direction: Some([1.0, 0.0, 0.0]),
            ..Ends::default()
        };
        let ramp = ForceRamp { ends, rate: 2.0 * study.rate };
        let dynamics = Dynamics {
            integrator,
            temperature: study.temperature,
            friction: study.friction,
            timestep,
            precision,
            skin: 1.0,
        };
        let mut protocol = one_stage(dynamics, Generator::Philox4x32x10, 40_404, steps, 2);
        protocol.stages[0].externals = vec![External::ForceRamp(ramp)];
        let mut member = Member::new(
            system.clone(),
            Arc::new(protocol),
            run as u64,
            &system.particles.positions,
        );
        follow(study, &mut member, timestep)
    });
    let paths: Vec<[Path; 2]> = paths.collect::<Result<_, String>>()?;
    let paths: Vec<Path> = paths.into_iter().flatten().collect();
    let column = |pick: fn(&Path) -> f64| -> Vec<f64> { paths.iter().map(pick).collect() };
    let a = timestep / study.tau;
    let factor = match integrator {
        Integrator::Brownian => 1.0 / (1.0 - a / 2.0),
        _ => (1.0 - a / 2.0) / (1.0 - a / 2.0 + a * a / 4.0),
    };
    let variance = factor * study.temperature / study.stiffness;
    let end = study.theory(steps as f64 * timestep);
    let lasts = column(|path| path.last);
    let last = lasts.iter().sum::<f64>() / lasts.len() as f64;
    // The error at a single time is known: √(kT/k) = 0.322 nm, divided by √M.
    let known = (variance / lasts.len() as f64).sqrt();
    let comparisons = vec![
        Comparison::of_mean("X at the end, A", (end + last, known), (end, 0.0)),
        Comparison::new("X − equation 3, mean over time, A", &column(|p| p.residual), 0.0, 0.0),
        Comparison::new("variance, A²", &column(|path| path.square), variance, 0.0),
    ];
    let conditions = format!(
        "{steps} steps of {timestep} ps ({:.1} τ), means over time from 5 τ on.",
        steps as f64 * timestep / study.tau
    );
    let title = format!("{}, {} precision", integrator.name(), precision.name());
    Ok(Table::of_rows(title, conditions, paths.len(), comparisons))
}

fn follow(study: &Study, member: &mut Member, timestep: f64) -> Result<[Path; 2], String> {
    // Samples are a twentieth of a relaxation time apart.
    let every = (0.05 * study.tau / timestep) as u64;
    let failed = |failure| format!("{failure:?}");
    member.advance((5.0 * study.tau / timestep) as u64).map_err(failed)?;
    let mut paths = [Path { residual: 0.0, square: 0.0, last: 0.0 }; 2];
    let mut samples = 0.0;
    while member.remaining() > 0 {
        member.advance(every).map_err(failed)?;
        let expected = CENTRE + study.theory(member.time());
        for (path, [x, y, z]) in paths.iter_mut().zip(member.positions()) {
            path.last = x - expected;
            path.residual += path.last;
            path.square += (path.last * path.last + y * y + z * z) / 3.0;
        }
        samples += 1.0;
    }
    for path in &mut paths {
        path.residual /= samples;
        path.square /= samples;
    }
    Ok(paths)
}
