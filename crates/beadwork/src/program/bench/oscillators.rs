//! `beadwork bench oscillators`: P1's application, its Figs. 5 and 6: what a step of independent particles costs, and
//! which part of it are the random numbers.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use beadwork::cpu::{CpuPath, Member};
use beadwork::cuda::{self, Device, Ensemble, Origin, Plan, Words};
use beadwork::device::Choice;
use beadwork::model::force_fields::oscillators::{Dimensions, Law, Oscillators};
use beadwork::model::units::{self, BOLTZMANN, Dimension};
use beadwork::model::{Dynamics, Generator, Integrator, Precision, Protocol, System};
use beadwork::random::{Owner, Scheme, Streams};
use beadwork::simulation::SamplePoint;
use clap::Args;
use serde::Serialize;

use super::checks::{Check, Estimate, Spread};
use super::machine::Machine;
use super::measure::stage;
use super::report::{rounded, table, words};
use super::{command, deliver, generator_of, heading, largest, machine_with, named_cards};
use crate::program::Failure;
use crate::program::output::{grouped, remark, significant};

/// P1's four and the default.
const GENERATORS: [Generator; 5] = [
    Generator::Lcg,
    Generator::Ran2,
    Generator::HybridTaus,
    Generator::LaggedFibonacci,
    Generator::Philox4x32x10,
];
/// K.
const TEMPERATURE: f64 = 300.0;
/// ps.
const TIMESTEP: f64 = 1.0;
/// Words of a particle and step: those of Box and Muller's method in single precision.
const WORDS: usize = 4;
/// Bytes of words that are drawn at once on a GPU, so that they stay in its cache.
const DRAWN_BYTES: usize = 32 << 20;
/// Steps that words are drawn of at once there at most.
const DRAWN_STEPS: usize = 1024;
/// Steps of a repeat at most, a quarter of what a launch takes.
const MOST_STEPS: u32 = 1 << 28;

#[derive(Debug, Args)]
pub struct Particles {
    /// Where steps are computed: cpu, or cuda, or cuda with the number of a GPU such as cuda:1.
    #[arg(long, default_value_t = Choice::Cpu, value_name = "cpu|cuda[:i]")]
    device: Choice,
    /// Particles, a row of each generator for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000], value_parser = clap::value_parser!(u32).range(100..=50_000_000))]
    particles: Vec<u32>,
    /// No wells: free particles.
    #[arg(long)]
    free: bool,
    /// Generators; by default lcg, ran2, hybrid-taus, lagged-fibonacci and philox4x32-10.
    #[arg(long, value_delimiter = ',', value_parser = generator_of)]
    generator: Vec<Generator>,
    /// Threads that step the particles on the CPU.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Seconds of a repeat, about; more where the row at its end takes more than a tenth of them.
    #[arg(long, default_value_t = 0.5, value_parser = super::positive)]
    seconds: f64,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

/// Wall times of something.
#[derive(Debug, Serialize)]
struct Times {
    /// A step, us; as many ms are 10³ steps.
    microseconds: Spread,
    /// Steps of a repeat.
    steps: u32,
    /// What a repeat of one step takes, s: the row at its end, and on a GPU the way there and back. It is part of each.
    fixed_seconds: f64,
}

/// A generator and a number of particles.
#[derive(Debug, Serialize)]
struct Row {
    generator: &'static str,
    scheme: &'static str,
    particles: u32,
    /// How particles are stepped: the plan on a GPU, `vectors` on a CPU.
    plan: &'static str,
    /// Bytes of the generator's states, of all particles together.
    state_bytes: usize,
    /// Full Langevin steps.
    langevin: Times,
    /// At T = 0.
    without_numbers: Times,
    /// The words of a step alone.
    numbers: Times,
    /// Langevin steps/s, at the median.
    steps_per_second: f64,
    /// The same times particles.
    particle_steps_per_second: f64,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Report {
    name: &'static str,
    machine: Machine,
    device: &'static str,
    command: String,
    /// Whether particles have no wells.
    free: bool,
    /// Those of the CPU's steps.
    threads: u16,
    rows: Vec<Row>,
    holds: bool,
}

impl Particles {
    pub fn run(self) -> Result<u8, Failure> {
        let cards = named_cards(&self.device)?;
        let cards = &cards[..cards.len().min(1)];
        let machine = machine_with(cards);
        let generators =
            if self.generator.is_empty() { GENERATORS.to_vec() } else { self.generator.clone() };
        let mut rows = Vec::new();
        for &particles in &self.particles {
            let work = Work::new(particles, self.free)?;
            for &generator in &generators {
                remark(&format!("{particles} particles, {} …", generator.name()));
                rows.push(self.row(cards.first(), &work, generator)?);
            }
        }
        let holds = rows.iter().all(|row| row.checks.iter().all(|check| check.holds));
        let report = Report {
            name: "oscillators",
            machine,
            device: if cards.is_empty() { "cpu" } else { "cuda" },
            command: command(),
            free: self.free,
            threads: self.threads,
            rows,
            holds,
        };
        deliver(&report, &report.markdown(), self.save.as_deref(), self.json)?;
        Ok(if holds { 0 } else { 4 })
    }

    fn row(
        &self,
        card: Option<&Device>,
        work: &Work,
        generator: Generator,
    ) -> Result<Row, Failure> {
        let particles = work.particles.particles as u32;
        let scheme = generator.schemes()[0];
        let plan = match scheme {
            Scheme::OneForAllThreads => Plan::Graph,
            _ => Plan::Independent,
        };
        let mut stepper = Stepper { ensemble: None };
        if let Some(card) = card {
            stepper.ensemble = Some(Ensemble::new(card)?.with_plan(plan));
        }
        let mut checks = vec![work.first_step(generator, &mut stepper, card.is_some())?];

        let mut member = work.member(generator, work.dynamics.temperature);
        member.set_threads(self.threads.into());
        let langevin = self.times(|steps| stepper.seconds(&mut member, steps))?;
        checks.extend(work.moments(generator, &member));

        let mut member = work.member(generator, 0.0);
        member.set_threads(self.threads.into());
        let without_numbers = self.times(|steps| stepper.seconds(&mut member, steps))?;
        checks.push(work.decay(&member));

        let owner = Owner { seed: super::SEED, replica: 0 };
        let streams = Streams::new(generator, scheme, owner, particles, WORDS)
            .map_err(|error| Failure::machine(error.to_string()))?;
        let numbers = match card {
            None => self.numbers_here(streams)?,
            Some(card) => {
                let (numbers, check) = self.numbers_on(card, streams)?;
                checks.push(check);
                numbers
            }
        };
        let steps_per_second = 1e6 / langevin.microseconds.median;
        let all = particles as usize;
        let states = if scheme == Scheme::OneForAllThreads { 1 } else { all };
        Ok(Row {
            generator: generator.name(),
            scheme: scheme.name(),
            particles,
            plan: if card.is_some() { plan.name() } else { "vectors" },
            state_bytes: states * generator.state_bytes(scheme, WORDS * all),
            langevin,
            without_numbers,
            numbers,
            steps_per_second,
            particle_steps_per_second: steps_per_second * f64::from(particles),
            checks,
        })
    }

    /// Times of repeats of about the seconds asked for: `time` takes how many steps.
    fn times(&self, mut time: impl FnMut(u32) -> Result<f64, Failure>) -> Result<Times, Failure> {
        // The first compiles and warms up.
        time(1)?;
        let fixed_seconds = time(1)?;
        // So long that what is fixed weighs little in it.
        let aim = self.seconds.max(10.0 * fixed_seconds);
        let mut steps = 4;
        let mut seconds = time(steps)?;
        while seconds - fixed_seconds < 0.2 * aim && steps < MOST_STEPS {
            steps *= 4;
            seconds = time(steps)?;
        }
        let wanted = f64::from(steps) * aim / (seconds - fixed_seconds).max(1e-9);
        let steps = (wanted.ceil() as u32).clamp(1, MOST_STEPS);
        let repeat = |_| Ok(1e6 * time(steps)? / f64::from(steps));
        let times = (0..self.repeats).map(repeat).collect::<Result<Vec<f64>, Failure>>()?;
        Ok(Times { microseconds: Spread::of(times), steps, fixed_seconds })
    }

    fn numbers_here(&self, mut streams: Streams) -> Result<Times, Failure> {
        let mut words = vec![0; streams.words_a_step()];
        let mut step = 0;
        self.times(|steps| {
            let began = Instant::now();
            for _ in 0..steps {
                streams.draw(step, |_| true, &mut words);
                black_box(&words);
                step += 1;
            }
            Ok(began.elapsed().as_secs_f64())
        })
    }

    /// Also how many words of the first step are not the host's.
    fn numbers_on(&self, card: &Device, streams: Streams) -> Result<(Times, Check), Failure> {
        let each = streams.words_a_step();
        let together = (DRAWN_BYTES / (4 * each)).clamp(1, DRAWN_STEPS);
        let stream = card.stream()?;
        let mut host = streams.clone();
        let mut words = Words::new(card, &stream, streams, Origin::Card, together)?;
        words.draw(&stream, 0, 1)?;
        let found = words.download(&stream, 1)?;
        let mut expected = vec![0; each];
        host.draw(0, |_| true, &mut expected);
        let others = found.iter().zip(&expected).filter(|(found, host)| found != host).count();
        let quantity = "words of the first step that are not the host's";
        let check = Check::of_numbers(quantity, others as f64, 0.0, 1.0, 0.0);
        let mut step = 1;
        let times = self.times(|steps| {
            let began = Instant::now();
            let mut left = steps as usize;
            while left > 0 {
                let now = left.min(together);
                words.draw(&stream, step, now)?;
                step += now as u64;
                left -= now;
            }
            stream.wait()?;
            Ok(began.elapsed().as_secs_f64())
        })?;
        Ok((times, check))
    }
}

/// What brings a member forward: an ensemble on a GPU, or else the member itself.
struct Stepper {
    ensemble: Option<Ensemble>,
}

impl Stepper {
    /// Brings it so many steps forward.
    fn advance(&mut self, member: &mut Member, steps: u32) -> Result<(), Failure> {
        let lost = |failure: &dyn std::fmt::Debug| Failure::unphysical(format!("{failure:?}"));
        let Some(ensemble) = &mut self.ensemble else {
            return member.advance(steps.into()).map(drop).map_err(|failure| lost(&failure));
        };
        let points = [SamplePoint { steps, row: true }];
        let results = ensemble.advance(&[cuda::Job { member, points: &points }])?;
        match results.first() {
            Some(result) if result.samples() == 1 => {
                result.bring(0, member).map(drop).map_err(Failure::from)
            }
            Some(result) => Err(lost(&result.fail(member)?)),
            None => Err(Failure::machine("a member did not come back from the GPU".to_string())),
        }
    }

    /// Seconds of so many steps with a row at their end.
    fn seconds(&mut self, member: &mut Member, steps: u32) -> Result<f64, Failure> {
        let began = Instant::now();
        self.advance(member, steps)?;
        let row = member.measure();
        let seconds = began.elapsed().as_secs_f64();
        row.map(|_| seconds).map_err(|failure| Failure::unphysical(format!("{failure:?}")))
    }
}

/// So many particles, and how they move.
struct Work {
    particles: Oscillators,
    system: Arc<System>,
    dynamics: Dynamics,
}

impl Work {
    /// P1's: k = 0.01 pN/nm, D = 0.25 nm²/ns, 300 K, 1 ps, from 10 nm; free ones from 0.
    fn new(particles: u32, free: bool) -> Result<Work, Failure> {
        let value = |text: &str, dimension| {
            let read = units::parse(text, dimension);
            read.map(|read| read.value).map_err(|error| Failure::machine(error.to_string()))
        };
        let (stiffness, start) = if free { ("0 pN/nm", "0 nm") } else { ("0.01 pN/nm", "10 nm") };
        let particles = Oscillators {
            particles: particles as usize,
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
        Ok(Work { particles, system: Arc::new(particles.build()), dynamics })
    }

    fn law(&self) -> Law {
        self.particles.law(&self.dynamics)
    }

    fn member(&self, generator: Generator, temperature: f64) -> Member {
        let protocol = Arc::new(Protocol {
            dynamics: Dynamics { temperature, ..self.dynamics.clone() },
            stages: vec![stage(u64::MAX >> 17)],
            ends: (vec![0], vec![0]),
            seed: super::SEED,
            randomness: generator.into(),
        });
        Member::new(self.system.clone(), protocol, 0, &self.system.particles.positions)
    }

    /// Whether particles are after a step where the reference path has them.
    ///
    /// On a CPU to the bit. On a GPU, where products are fused, a position is rounded once from two nearly equal numbers;
    /// these differ by the kick, at most 5.8 amplitudes, whose functions and products are right to some units of the last
    /// place: eight are allowed.
    fn first_step(
        &self,
        generator: Generator,
        stepper: &mut Stepper,
        on_card: bool,
    ) -> Result<Check, Failure> {
        let mut found = self.member(generator, self.dynamics.temperature);
        let mut plain = found.clone().with_path(CpuPath::Reference);
        stepper.advance(&mut found, 1)?;
        Stepper { ensemble: None }.advance(&mut plain, 1)?;
        let (found, plain) = (found.positions(), plain.positions());
        let pairs = found.iter().flatten().zip(plain.iter().flatten());
        let worst = pairs.map(|(found, plain)| found - plain).fold(0.0, largest);
        let size = self.particles.start + 8.0 * 5.8 * self.law().kick.sqrt();
        let allowed = if on_card { f64::from(f32::EPSILON) * size } else { 0.0 };
        let quantity = "largest difference from the reference path after the first step, A";
        Ok(Check::of_numbers(quantity, worst, 0.0, 1.0, allowed))
    }

    /// Mean and mean square of X − ⟨X⟩ of all coordinates against the law of the scheme, whose standard errors are known.
    ///
    /// LCG's streams are pieces of one cycle of 2³⁰ steps: what all of it has for trajectories of n steps is itself an
    /// average over n/2³⁰ fewer independent ones, with the variance V n/2³⁰ of a mean and, of windows at all places,
    /// V² 4n/(3·2³⁰) of a mean square.
    fn moments(&self, generator: Generator, member: &Member) -> [Check; 2] {
        let steps = member.step_number() as f64;
        let law = self.law();
        let (mean, variance) = (law.mean(steps), law.variance(steps));
        let count = self.particles.coordinates() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for x in member.positions().iter().flatten() {
            sum += x - mean;
            squares += (x - mean) * (x - mean);
        }
        let repeated = if generator == Generator::Lcg { steps / 2_f64.powi(30) } else { 0.0 };
        let estimate = |mean, square: f64| Estimate { mean, error: square.sqrt(), values: None };
        [
            Check::of_means(
                "<X> less its law, A",
                estimate(sum / count, variance * (1.0 / count + repeated)),
                Estimate::exact(0.0),
            ),
            Check::of_means(
                "<(X - <X>)^2>, A^2",
                estimate(
                    squares / count,
                    variance * variance * (2.0 / count + 4.0 / 3.0 * repeated),
                ),
                Estimate::exact(variance),
            ),
        ]
    }

    /// Without noise all particles are at R₀ cⁿ, but for half a unit of the last place in each step, which falls off as
    /// they do.
    fn decay(&self, member: &Member) -> Check {
        let steps = member.step_number() as f64;
        let law = self.law();
        let positions = member.positions();
        let differences = positions.iter().flatten().map(|x| x - law.mean(steps));
        let worst = differences.fold(0.0, largest);
        let left = 1.0 - law.factor;
        let roundings = if left > 0.0 { (1.0 - law.power(steps)) / left } else { 0.0 };
        // The step's own factor is rounded too.
        let allowed = f64::from(f32::EPSILON) * law.start * (0.5 * roundings + 4.0);
        let quantity = "largest difference from the law at T = 0, A";
        Check::of_numbers(quantity, worst, 0.0, 1.0, allowed)
    }
}

impl Report {
    fn markdown(&self) -> String {
        let mut text = heading(self.name, self.device, &self.machine, &self.command);
        text.push_str(if self.free {
            "Free particles in space, Brownian dynamics, D = 0.25 nm^2/ns, steps of 1 ps, single precision.\n"
        } else {
            "Oscillators in space, Brownian dynamics, k = 0.01 pN/nm, D = 0.25 nm^2/ns, steps of 1 ps, single precision.\n"
        });
        text.push_str("\n## Time of a step\n\nus a step, which are ms in 10^3 steps.\n\n");
        let mut rows = vec![words([
            "generator",
            "particles",
            "stepped by",
            "Langevin",
            "lowest to highest",
            "without numbers",
            "lowest to highest",
            "numbers alone",
            "lowest to highest",
        ])];
        for row in &self.rows {
            let mut cells =
                vec![row.generator.to_string(), grouped(row.particles.into()), row.plan.into()];
            for times in [&row.langevin, &row.without_numbers, &row.numbers] {
                let Spread { median, lowest, highest, .. } = &times.microseconds;
                cells.push(significant(*median));
                cells.push(format!("{} to {}", significant(*lowest), significant(*highest)));
            }
            rows.push(cells);
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Speed and memory\n\n");
        let mut rows = vec![words([
            "generator",
            "particles",
            "steps/s",
            "particle-steps/s",
            "steps of a repeat",
            "s of it fixed",
            "bytes of states",
        ])];
        for row in &self.rows {
            rows.push(vec![
                row.generator.to_string(),
                grouped(row.particles.into()),
                rounded(row.steps_per_second),
                rounded(row.particle_steps_per_second),
                grouped(row.langevin.steps.into()),
                significant(row.langevin.fixed_seconds),
                grouped(row.state_bytes as u64),
            ]);
        }
        text.push_str(&table(&rows));
        text.push_str("\n## Checks\n\n");
        let mut rows =
            vec![words(["generator", "particles", "quantity", "found", "expected", "apart", ""])];
        for row in &self.rows {
            for check in &row.checks {
                let unit = if check.found_error.is_some() { " s.e." } else { "" };
                rows.push(vec![
                    row.generator.to_string(),
                    grouped(row.particles.into()),
                    check.quantity.clone(),
                    significant(check.found),
                    significant(check.expected),
                    format!(
                        "{}{unit} of {}",
                        significant(check.deviation),
                        significant(check.allowed)
                    ),
                    if check.holds { "holds" } else { "FAILS" }.to_string(),
                ]);
            }
        }
        text.push_str(&table(&rows));
        text.push_str(if self.holds {
            "\nAll checks hold.\n"
        } else {
            "\nA CHECK FAILS: the times above are not those of this physics.\n"
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise is seen where there is to be none, a bath a tenth too hot in the mean square, wells in the mean.
    #[test]
    fn other_physics_fails_the_checks() {
        let work = Work::new(10_000, false).unwrap();
        let mut alone = Stepper { ensemble: None };
        let mut cold = work.member(Generator::Philox4x32x10, 0.0);
        alone.advance(&mut cold, 100).unwrap();
        assert!(work.decay(&cold).holds);
        let mut warm = work.member(Generator::Philox4x32x10, work.dynamics.temperature);
        alone.advance(&mut warm, 100).unwrap();
        assert!(!work.decay(&warm).holds);
        assert!(work.moments(Generator::Philox4x32x10, &warm).iter().all(|check| check.holds));
        let mut hot = work.member(Generator::Philox4x32x10, 1.1 * work.dynamics.temperature);
        alone.advance(&mut hot, 100).unwrap();
        assert!(!work.moments(Generator::Philox4x32x10, &hot)[1].holds);
        let free = Work::new(10_000, true).unwrap();
        let [mean, _] = free.moments(Generator::Philox4x32x10, &warm);
        assert!(!mean.holds, "{mean:?}");
    }
}
