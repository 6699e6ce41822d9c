//! Ensembles of members that a GPU steps between sample points.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::externals::ExternalProblem;
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::PairFormula;
use beadwork_model::{Boundary, ForceUnit, Pairs, StageKind, System};
use beadwork_simulation::{Failure, SamplePoint, StepError};

use crate::batch::records::{EXTERNAL, EXTERNAL_BEADS, NOT_FINITE, Number, in_a_box};
use crate::batch::{BatchMember, End, Samples};
use crate::compile::program::Rounding;
use crate::plans::resident::Resident;
use crate::plans::{
    Context, LaunchOverrides, Launched, Plan, alike, obstacle, plan_of, steps_on_host,
};
use crate::{Device, Error};

/// A member with the sample points at which its state is needed, all within its present stage. A member that minimises
/// has one sample point, at most `Member::steps_alike` steps ahead, and is prepared (`Member::prepare`).
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The member in its present state.
    pub member: &'a Member,
    /// The sample points in ascending order.
    pub points: &'a [SamplePoint],
}

/// The result of a [`Job`].
#[derive(Debug)]
pub struct BatchResult {
    samples: Samples,
    /// The failure, if the member failed, with its last sound state if that is beyond the last sample.
    failure: Option<(Option<Samples>, Failure)>,
}

impl BatchResult {
    /// The number of sample points that the member reached in a sound state.
    pub fn samples(&self) -> usize {
        self.samples.len()
    }

    /// Moves the member from sample `number` − 1, or from its start, to sample `number`; returns the steps made.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the data from the card are no valid state.
    pub fn bring(&self, number: usize, member: &mut Member) -> Result<u64, Error> {
        self.samples.bring(number, member)
    }

    /// Moves a member from its last sample to its last sound state; returns its failure, if it failed.
    ///
    /// # Errors
    /// As [`BatchResult::bring`].
    pub fn fail(&self, member: &mut Member) -> Result<Option<Failure>, Error> {
        let Some((sample, failure)) = &self.failure else { return Ok(None) };
        if let Some(sample) = sample {
            sample.bring(0, member)?;
        }
        Ok(Some(*failure))
    }
}

/// Members on a GPU, through one stream; several ensembles share a card.
#[derive(Debug)]
pub struct Ensemble {
    context: Context,
    plan: Option<Plan>,
    resident: (Resident<f32>, Resident<f64>),
}

impl Ensemble {
    /// An ensemble without members.
    ///
    /// # Errors
    /// If the device cannot make a stream.
    pub fn new(device: &Device) -> Result<Ensemble, Error> {
        let context = Context {
            stream: device.stream()?,
            device: device.clone(),
            rounding: Rounding::Fused,
            overrides: LaunchOverrides::default(),
            form: None,
            members_on_device: 0,
        };
        Ok(Ensemble { context, plan: None, resident: (Resident::default(), Resident::default()) })
    }

    /// The same with a plan: [`Plan::Block`] applies to members that are not independent, [`Plan::Grid`] to those that
    /// do not fit into a block. Without a plan, each member has the first of [`Plan::ALL`] that suits it, but fluids in boxes
    /// of more than 128 beads, and a few large members in open space, have [`Plan::Grid`] where it is faster. Members that minimise have
    /// [`Plan::Grid`] in any case.
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Ensemble {
        Ensemble { plan: Some(plan), ..self }
    }

    /// The same with another rounding.
    #[must_use]
    pub fn with_rounding(self, rounding: Rounding) -> Ensemble {
        Ensemble { context: Context { rounding, ..self.context }, ..self }
    }

    /// An ensemble that steps members of one plan, unless they minimise, in a form of blocks.
    #[must_use]
    pub fn with_form(self, plan: Plan, form: LaunchOverrides) -> Ensemble {
        Ensemble { context: Context { form: Some((plan, form)), ..self.context }, ..self }
    }

    /// An ensemble with a form of blocks in all plans.
    #[must_use]
    pub fn with_overrides(self, overrides: LaunchOverrides) -> Ensemble {
        Ensemble { context: Context { overrides, ..self.context }, ..self }
    }

    /// An ensemble that knows the number of members on the card at a time, in all of the card's ensembles. The plan and the form of
    /// blocks depend on it.
    #[must_use]
    pub fn with_members_on_device(self, members_on_device: usize) -> Ensemble {
        Ensemble { context: Context { members_on_device, ..self.context }, ..self }
    }

    /// Steps members to each of their sample points. Where words of noise are filled before the steps, a launch should have no more
    /// of them than [`most_steps_together`](crate::most_steps_together).
    ///
    /// # Errors
    /// [`Error::Other`] if a member has an [`obstacle`], or sample points beyond the end of its stage; errors of the
    /// device, the compiler and memory. After an error all members are as before.
    pub fn advance(&mut self, jobs: &[Job<'_>]) -> Result<Vec<BatchResult>, Error> {
        jobs.iter().try_for_each(check)?;
        let mut results = Vec::with_capacity(jobs.len());
        let mut ends = Vec::with_capacity(jobs.len());
        for (samples, end) in self.launch(jobs)? {
            results.push(BatchResult { samples, failure: None });
            ends.push(end);
        }
        // Members that failed are stepped again, all together, to their last sound states.
        let mut again = Vec::new();
        for (number, end) in ends.iter().enumerate() {
            let End::Failed { what, length, step, ahead } = *end else { continue };
            let job = &jobs[number];
            let error = describe(&stepped_system(job.member), what, length);
            results[number].failure = Some((None, Failure { error, step }));
            let member = at_last_sample(job, &results[number].samples)?;
            let sound = if ahead { step } else { step.saturating_sub(1) };
            let beyond = sound.saturating_sub(member.step_number());
            if beyond > 0 {
                again.push((number, member, [SamplePoint { steps: beyond as u32, row: false }]));
            }
        }
        let jobs: Vec<Job<'_>> =
            again.iter().map(|(_, member, points)| Job { member, points }).collect();
        for ((number, ..), (samples, end)) in again.iter().zip(self.launch(&jobs)?) {
            let End::Reached = end else {
                return Err(Error::Corrupt { what: "a member that failed in two ways".into() });
            };
            if samples.len() != 1 {
                return Err(Error::Corrupt {
                    what: "a member that did not reach its last sound step".into(),
                });
            }
            if let Some((sample, _)) = &mut results[*number].failure {
                *sample = Some(samples);
            }
        }
        Ok(results)
    }

    fn launch(&mut self, jobs: &[Job<'_>]) -> Result<Vec<(Samples, End)>, Error> {
        let (mut singles, mut doubles) = (ByPlan::default(), ByPlan::default());
        let Ensemble { context, plan, resident } = self;
        let together = jobs.len().max(context.members_on_device);
        let alike = alike(jobs.iter().map(|job| job.member.system().beads()), together);
        for (job, &Job { member, points }) in jobs.iter().enumerate() {
            let plan = plan_of(&context.device, *plan, member, alike) as usize;
            match member {
                Member::Single(stepper) => {
                    singles[plan].push(BatchMember { job, view: stepper.view(), points });
                }
                Member::Double(stepper) => {
                    doubles[plan].push(BatchMember { job, view: stepper.view(), points });
                }
                Member::MonteCarlo(_) => unreachable!("no chain that is sampled is stepped"),
            }
        }
        let mut results: Vec<Option<(Samples, End)>> = (0..jobs.len()).map(|_| None).collect();
        for one in launch(&singles, context, &mut resident.0)? {
            results[one.job] = Some((Samples::Single(one.samples), one.end));
        }
        for one in launch(&doubles, context, &mut resident.1)? {
            results[one.job] = Some((Samples::Double(one.samples), one.end));
        }
        let missing = || Error::Corrupt { what: "a member without an outcome".into() };
        results.into_iter().map(|outcome| outcome.ok_or_else(missing)).collect()
    }
}

/// Members of one precision, by the index of their [`Plan`].
type ByPlan<'a, T> = [Vec<BatchMember<'a, T>>; Plan::ALL.len()];

fn launch<T: Number>(
    [independent, blocks, grids]: &ByPlan<'_, T>,
    context: &Context,
    resident: &mut Resident<T>,
) -> Result<Vec<Launched<T>>, Error> {
    let mut all = resident.launch(context, Plan::Block, blocks)?;
    all.extend(resident.launch(context, Plan::Grid, grids)?);
    all.extend(resident.launch(context, Plan::Independent, independent)?);
    Ok(all)
}

/// The system with the potentials of a member's next step.
fn stepped_system(member: &Member) -> Arc<System> {
    match member {
        Member::Single(stepper) => stepper.view().system.clone(),
        Member::Double(stepper) => stepper.view().system.clone(),
        Member::MonteCarlo(_) => unreachable!("no chain that is sampled is stepped"),
    }
}

/// The most steps of a launch: kernels count twice the steps in 32 bits.
const MOST_STEPS: u64 = 1 << 30;

/// Checks that a member can be stepped, and that its points ascend and lie within the stage.
fn check(job: &Job<'_>) -> Result<(), Error> {
    if let Some(reason) = obstacle(job.member) {
        let reason = format!("It cannot be: {reason}.");
        return Err(Error::Other { action: "step a member on a GPU".into(), reason });
    }
    let refuse = |reason: &str| {
        Err(Error::Other { action: "minimise a member on a GPU".into(), reason: reason.into() })
    };
    if steps_on_host(job.member) > 0 {
        return refuse("The CPU has to make its next steps first: see `steps_on_host`.");
    }
    let minimises = matches!(job.member.stage().kind, StageKind::Minimise { .. });
    if minimises && (job.points.len() > 1 || !job.member.is_prepared()) {
        return refuse("Give it one sample point for a launch, and call `Member::prepare` before.");
    }
    let steps: u64 = job.points.iter().map(|point| u64::from(point.steps)).sum();
    let most = job.member.steps_alike().min(MOST_STEPS);
    if steps > most || job.points.iter().any(|point| point.steps == 0) {
        return Err(Error::Other {
            action: format!("step a member by {steps} steps"),
            reason: format!(
                "Sample points must be at least one step apart and {most} steps in all at most."
            ),
        });
    }
    Ok(())
}

/// The member in the state of its last sample.
fn at_last_sample(job: &Job<'_>, samples: &Samples) -> Result<Member, Error> {
    let mut member = job.member.clone();
    for number in 0..samples.len() {
        samples.bring(number, &mut member)?;
        if job.points[number].row {
            // Begins new averages at a row; the caller has read its values.
            let _ = member.measure();
        }
    }
    Ok(member)
}

/// The error that a kernel reports. `what` is `NOT_FINITE` and a bead, `EXTERNAL` with an external, or the number of a broken
/// bond of this length; in a box it begins with what the error is.
fn describe(system: &System, what: u32, length: f32) -> StepError {
    if system.boundary != Boundary::Open {
        let number = what & !in_a_box::KIND;
        let bead = number as usize;
        return match what & in_a_box::KIND {
            in_a_box::BROKEN => broken_bond(system, number, length),
            in_a_box::TOO_LARGE => {
                StepError::ForceTooLarge { bead, limit: ForceUnit::of(system).limit }
            }
            _ => StepError::MovedTooFar { bead },
        };
    }
    if what & NOT_FINITE != 0 {
        return StepError::NotFinite { bead: (what & !NOT_FINITE) as usize };
    }
    if what & EXTERNAL != 0 {
        let (number, bead) = ((what & !EXTERNAL) / EXTERNAL_BEADS, what % EXTERNAL_BEADS);
        let problem = match bead {
            0 => ExternalProblem::Jumped { distance: f64::from(length) },
            bead => ExternalProblem::TooNear { bead: bead as usize - 1 },
        };
        return StepError::External { number: number as usize, problem };
    }
    broken_bond(system, what, length)
}

/// The error of a bond by its number among breakable ones.
fn broken_bond(system: &System, number: u32, length: f32) -> StepError {
    let mut number = number as usize;
    let mut bonded = system.interactions.bonded.iter();
    let found = bonded.find_map(|term| term.visit(FindBroken { number: &mut number, length }));
    found.unwrap_or(StepError::NotFinite { bead: 0 })
}

/// Finds a pair by its number among breakable ones.
struct FindBroken<'a> {
    number: &'a mut usize,
    length: f32,
}

impl BondedVisitor for FindBroken<'_> {
    type Output = Option<StepError>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Option<StepError> {
        if !F::BREAKS {
            return None;
        }
        let Some(pair) = term.get(*self.number) else {
            *self.number -= term.len();
            return None;
        };
        Some(StepError::BrokenBond {
            i: pair.i,
            j: pair.j,
            distance: f64::from(self.length),
            rest_length: pair.potential.rest_length(),
            limit: pair.potential.limit(),
        })
    }
}
