//! `bench oscillators`: the cost of a step of independent particles, and the share of the random numbers in it; Figs. 5
//! and 6 of \[C\] in the book's list of sources.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use beadwork_analysis::numbers::{grouped, significant};
use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Origin, Plan};
use beadwork_model::force_fields::oscillators::{Dimensions, Law, Oscillators};
use beadwork_model::made_systems::one_stage;
use beadwork_model::units::{self, BOLTZMANN, Dimension};
use beadwork_model::{Dynamics, Generator, Integrator, Precision, System};
use beadwork_random::{Owner, Scheme, Streams};
use clap::Args;

use crate::members::unphysical;
use crate::options::{OneDevice, Options, generator_of, positive};
use crate::random_numbers::DrawnWords;
use crate::report::{Head, Row, remark, rounded, table_of};
use crate::statistics::{Check, Estimate, largest};
use crate::timing::{Aim, Calibration, Measurement, Timed};
use crate::{Error, Outcome, SEED, Stepper};

/// Temperature, K.
const TEMPERATURE: f64 = 300.0;
/// Time step, ps.
const TIMESTEP: f64 = 1.0;
/// Words of a particle and step: those of Box and Muller's method in single precision.
const WORDS: usize = 4;
/// Bytes of words that a GPU draws at once, so that they stay in its cache.
const DRAWN_BYTES: usize = 32 << 20;
/// The most steps whose words a GPU draws at once.
const DRAWN_STEPS: usize = 1024;
/// The most steps of a repeat: a quarter of the largest launch.
const MOST_STEPS: u64 = 1 << 28;

#[derive(Debug, Args)]
pub struct Particles {
    #[command(flatten)]
    device: OneDevice,
    /// Particles, a row of each generator for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000], value_parser = clap::value_parser!(u32).range(100..=50_000_000))]
    particles: Vec<u32>,
    /// No wells: free particles.
    #[arg(long)]
    free: bool,
    /// Generators; by default the paper's four and that of simulations.
    #[arg(long, value_delimiter = ',', value_parser = generator_of, default_values = ["lcg", "ran2", "hybrid-taus", "lagged-fibonacci", "philox4x32-10"])]
    generator: Vec<Generator>,
    /// Threads that step the particles on the CPU.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Seconds of a repeat, about; longer if its final row takes more than a tenth of them.
    #[arg(long, default_value_t = 0.5, value_parser = positive)]
    seconds: f64,
    #[command(flatten)]
    options: Options,
}

impl Particles {
    pub fn run(&self) -> Result<Outcome, Error> {
        let card = self.device.card()?;
        let head = Head::new("oscillators", card.as_slice());
        let mut rows = Vec::new();
        for &particles in &self.particles {
            let work = Work::new(particles, self.free)?;
            for &generator in &self.generator {
                remark(&format!("{particles} particles, {} …", generator.name()));
                rows.push(self.row(card.as_ref(), &work, generator)?);
            }
        }
        let kind = match self.free {
            true => "Free particles in space",
            false => "Oscillators in space, k = 0.01 pN/nm",
        };
        let text = format!(
            "{kind}, Brownian dynamics, D = 0.25 nm^2/ns, steps of 1 ps, single precision.\n\n\
             ## Time of a step, speed and memory\n\nus a step are ms in 10^3 steps.\n\n{}",
            table_of(&rows)
        );
        let conditions = Row::default().value("free", self.free).value("threads", self.threads);
        head.finish(&self.options, &conditions, &rows, &text)
    }

    fn row(&self, card: Option<&Device>, work: &Work, generator: Generator) -> Result<Row, Error> {
        let particles = work.particles.particles as u32;
        let scheme = generator.schemes()[0];
        let plan = Plan::Independent;
        let mut stepper = match card {
            Some(card) => Stepper::Card(Ensemble::new(card)?.with_plan(plan).into()),
            None => Stepper::Cpu,
        };
        let mut checks = vec![work.first_step(generator, &mut stepper, card.is_some())?];
        let (langevin, member) =
            self.steps(&mut stepper, work.member(generator, work.dynamics.temperature))?;
        checks.extend(work.moments(generator, &member));
        let (without_numbers, member) = self.steps(&mut stepper, work.member(generator, 0.0))?;
        checks.push(work.decay(&member));
        let owner = Owner { seed: SEED, replica: 0 };
        let streams = Streams::new(generator, scheme, owner, particles, WORDS)?;
        let (numbers, wrong) = self.numbers(card, streams)?;
        if card.is_some() {
            checks.push(Check::of_equality("words of the first step against the host's", wrong));
        }
        let plan = if card.is_some() { plan.name() } else { "vectors" };
        let all = particles as usize;
        let states = if scheme == Scheme::OneForAllThreads { 1 } else { all };
        let bytes = states * generator.state_bytes(scheme, WORDS * all);
        let rate = 1e6 / langevin.microseconds().median;
        let of_all = rate * f64::from(particles);
        let calibration = langevin.calibration;
        let row = Row::default()
            .text("generator", "generator", generator.name())
            .count("particles", "particles", particles.into())
            .labelled()
            .value("scheme", scheme.name())
            .text("plan", "stepped by", plan);
        let timed = [
            ("langevin", "Langevin, us", &langevin),
            ("without_numbers", "without numbers, us", &without_numbers),
            ("numbers", "numbers alone, us", &numbers),
        ];
        let row = timed.into_iter().fold(row, |row, (key, head, timed)| {
            let Calibration { fixed, rounds } = timed.calibration;
            let spread = timed.microseconds();
            let times = Row::default()
                .spread("microseconds", head, Some(&spread), significant)
                .value("steps", rounds)
                .value("fixed_seconds", fixed);
            row.beside(key, times)
        });
        let row = row
            .number("steps_per_second", "steps/s", rate, rounded)
            .number("particle_steps_per_second", "particle-steps/s", of_all, rounded)
            .shown("steps of a repeat", grouped(calibration.rounds))
            .shown("s of it fixed", significant(calibration.fixed))
            .count("state_bytes", "bytes of states", bytes as u64);
        Ok(row.checked(checks))
    }

    /// Measures the time of a step; `time` returns the seconds of a number of steps.
    fn times(&self, time: impl FnMut(u64) -> Result<f64, Error>) -> Result<Timed, Error> {
        let aim = Aim { seconds: self.seconds, fixed_part: 0.1, first: 4, most: MOST_STEPS };
        Measurement::calibrated(1.0, aim, time)?.repeat(self.options.repeats)
    }

    /// Measures steps of a member with a row at the end of each repeat; returns the member too.
    fn steps(&self, stepper: &mut Stepper, mut member: Member) -> Result<(Timed, Member), Error> {
        member.set_threads(self.threads.into());
        let mut members = [member];
        let times = self.times(|steps| {
            let began = Instant::now();
            stepper.advance(&mut members, steps)?;
            let row = members[0].measure();
            let seconds = began.elapsed().as_secs_f64();
            row.map(|_| seconds).map_err(unphysical)
        })?;
        let [member] = members;
        Ok((times, member))
    }

    /// Measures random words alone; on a GPU, also compares them with the host's.
    fn numbers(
        &self,
        card: Option<&Device>,
        mut streams: Streams,
    ) -> Result<(Timed, Option<String>), Error> {
        let each = streams.words_a_step();
        let Some(card) = card else {
            let mut words = vec![0; each];
            let mut step = 0;
            let draw = |steps| {
                let began = Instant::now();
                for _ in 0..steps {
                    streams.draw(step, |_| true, &mut words);
                    black_box(&words);
                    step += 1;
                }
                Ok(began.elapsed().as_secs_f64())
            };
            return Ok((self.times(draw)?, None));
        };
        let together = (DRAWN_BYTES / (4 * each)).clamp(1, DRAWN_STEPS);
        let mut drawn = DrawnWords::new(card, streams, Origin::Card, together)?;
        let wrong = drawn.first_difference()?;
        Ok((self.times(|steps| drawn.seconds(steps as usize))?, wrong))
    }
}

/// Particles, and how they move.
struct Work {
    particles: Oscillators,
    system: Arc<System>,
    dynamics: Dynamics,
}

/// The particles of \[C\] in the book's list of sources and how they move: k = 0.01 pN/nm, D = 0.25 nm²/ns, 300 K, steps of
/// 1 ps, from 10 nm; free ones from 0.
///
/// # Errors
/// None: all quantities are valid constants.
pub fn published_oscillators(
    particles: usize,
    free: bool,
) -> Result<(Oscillators, Dynamics), Error> {
    let value = |text: &str, dimension| {
        let read = units::parse(text, dimension);
        read.map(|read| read.value).map_err(|error| Error::Machine(error.to_string()))
    };
    let (stiffness, start) = if free { ("0 pN/nm", "0 nm") } else { ("0.01 pN/nm", "10 nm") };
    let particles = Oscillators {
        particles,
        dimensions: Dimensions::Three,
        stiffness: value(stiffness, Dimension::Stiffness)?,
        start: value(start, Dimension::Length)?,
    };
    let temperature = TEMPERATURE * BOLTZMANN;
    let dynamics = Dynamics {
        integrator: Integrator::Brownian,
        temperature,
        friction: temperature / value("0.25 nm^2/ns", Dimension::Diffusion)?,
        timestep: TIMESTEP,
        precision: Precision::Single,
        skin: 0.0,
    };
    Ok((particles, dynamics))
}

impl Work {
    fn new(particles: u32, free: bool) -> Result<Work, Error> {
        let (particles, dynamics) = published_oscillators(particles as usize, free)?;
        Ok(Work { particles, system: Arc::new(particles.build()), dynamics })
    }

    fn law(&self) -> Law {
        self.particles.law(&self.dynamics)
    }

    fn member(&self, generator: Generator, temperature: f64) -> Member {
        let dynamics = Dynamics { temperature, ..self.dynamics.clone() };
        let start = &self.system.particles.positions;
        let protocol = one_stage(dynamics, generator, SEED, u64::MAX >> 17, start.len());
        Member::new(self.system.clone(), Arc::new(protocol), 0, start)
    }

    /// Compares positions after one step with the reference path.
    ///
    /// On a CPU they must agree to the bit. On a GPU, where products are fused, a position is rounded once from two
    /// nearly equal numbers. These differ by the kick, at most 5.8 amplitudes, whose functions and products are right
    /// to some units in the last place: eight are allowed.
    fn first_step(
        &self,
        generator: Generator,
        stepper: &mut Stepper,
        on_card: bool,
    ) -> Result<Check, Error> {
        let mut found = [self.member(generator, self.dynamics.temperature)];
        let mut expected = found.clone().map(|member| member.with_path(CpuPath::Reference));
        stepper.advance(&mut found, 1)?;
        Stepper::Cpu.advance(&mut expected, 1)?;
        let (found, expected) = (found[0].positions(), expected[0].positions());
        let pairs = found.iter().flatten().zip(expected.iter().flatten());
        let worst = largest(pairs.map(|(found, expected)| found - expected));
        let size = self.particles.start + 8.0 * 5.8 * self.law().kick.sqrt();
        let allowed = if on_card { f64::from(f32::EPSILON) * size } else { 0.0 };
        let quantity = "largest difference from the reference path after the first step, A";
        Ok(Check::of_difference(quantity, worst, allowed))
    }

    /// Compares mean and mean square of X − ⟨X⟩ of all coordinates with the scheme's law and its standard errors.
    ///
    /// LCG's streams are pieces of one cycle of 2³⁰ steps, and the whole cycle holds only 2³⁰/n independent
    /// trajectories of n steps. This adds V n/2³⁰ to the variance of a mean and, for windows at all places, V²
    /// 4n/(3·2³⁰) to that of a mean square.
    fn moments(&self, generator: Generator, member: &Member) -> [Check; 2] {
        let steps = member.step_number() as f64;
        let (mean, variance) = (self.law().mean(steps), self.law().variance(steps));
        let count = self.particles.coordinates() as f64;
        let ([x, y, z], squares) = self.particles.moments(&member.positions());
        let found = (x + y + z) / 3.0;
        let repeated = if generator == Generator::Lcg { steps / 2_f64.powi(30) } else { 0.0 };
        let estimate = |mean, square: f64| Estimate { mean, error: square.sqrt(), values: None };
        let of_mean = estimate(found - mean, variance * (1.0 / count + repeated));
        let of_square = estimate(
            squares - 2.0 * mean * found + mean * mean,
            variance * variance * (2.0 / count + 4.0 / 3.0 * repeated),
        );
        [
            Check::of_means("<X> less its law, A", of_mean, Estimate::exact(0.0)),
            Check::of_means("<(X - <X>)^2>, A^2", of_square, Estimate::exact(variance)),
        ]
    }

    /// Without noise all particles are at R₀ cⁿ, within rounding.
    fn decay(&self, member: &Member) -> Check {
        let steps = member.step_number() as f64;
        let (law, positions) = (self.law().mean(steps), member.positions());
        let worst = largest(positions.iter().flatten().map(|x| x - law));
        let allowed = self.particles.rounding(&self.dynamics, steps);
        Check::of_difference("largest difference from the law at T = 0, A", worst, allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks find noise at 0 K, a bath a tenth too hot (by the mean square), and wells (by the mean).
    #[test]
    fn other_physics_fails_the_checks() {
        let work = Work::new(10_000, false).unwrap();
        let after = |temperature: f64| {
            let mut member = work.member(Generator::Philox4x32x10, temperature);
            member.advance(100).unwrap();
            member
        };
        assert!(work.decay(&after(0.0)).holds);
        let warm = after(work.dynamics.temperature);
        assert!(!work.decay(&warm).holds);
        assert!(work.moments(Generator::Philox4x32x10, &warm).iter().all(|check| check.holds));
        let hot = after(1.1 * work.dynamics.temperature);
        assert!(!work.moments(Generator::Philox4x32x10, &hot)[1].holds);
        let free = Work::new(10_000, true).unwrap();
        let [mean, _] = free.moments(Generator::Philox4x32x10, &warm);
        assert!(!mean.holds, "{mean:?}");
    }
}
