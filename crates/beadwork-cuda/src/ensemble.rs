//! Members that a GPU steps, from one look to the next.

use beadwork_cpu::{Failure, Member, Standing, Trouble};
use beadwork_model::potentials::FeneBond;
use beadwork_model::{Precision, Protocol, Randomness, StageKind, System};
use beadwork_random::Scheme;

use crate::flight::{End, Flight, Hands, Hangar};
use crate::launches::Launches;
use crate::layout::{self, MOST_DRIVES, NOT_FINITE, Number};
use crate::population::walk_obstacle;
use crate::program::{IN_BLOCKS, Rounding, draws_for_all};
use crate::samples::{Samples, Taken};
use crate::shape::{Wishes, most_beads};
use crate::{Device, Error};

/// Steps up to a point at which a member is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Steps since the look before, at least 1.
    pub steps: u32,
    /// Whether a row of the table is written there, which begins new averages.
    pub row: bool,
}

/// A member and the looks that are to be taken of it, all within its present stage of dynamics.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// As it stands.
    pub member: &'a Member,
    /// One after another.
    pub looks: &'a [Look],
}

/// What became of a [`Job`].
#[derive(Debug)]
pub struct Harvest {
    samples: Samples,
    /// Where the member failed, if it did: its last sound state, if that is beyond the last look, and why.
    failure: Option<(Option<Samples>, Failure)>,
}

impl Harvest {
    /// Looks that were reached in a sound state.
    pub fn looks(&self) -> usize {
        self.samples.len()
    }

    /// Brings the member from look `number` − 1, or from where it stood, to look `number`; returns the steps between.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where what came back cannot be a member's state.
    pub fn bring(&self, number: usize, member: &mut Member) -> Result<u64, Error> {
        self.samples.bring(number, member)
    }

    /// Brings a member that stands at the last look to its last sound state; returns how it failed, if it did.
    ///
    /// # Errors
    /// As [`Harvest::bring`].
    pub fn fail(&self, member: &mut Member) -> Result<Option<Failure>, Error> {
        let Some((sample, failure)) = &self.failure else { return Ok(None) };
        if let Some(sample) = sample {
            sample.bring(0, member)?;
        }
        Ok(Some(*failure))
    }
}

/// How the work of a step is laid out on a card. All plans give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plan {
    /// A thread has a bead on its own for thousands of steps: where nothing acts between beads.
    Beads,
    /// A block has members in its shared memory for thousands of steps.
    Block,
    /// A kernel for each force term, in which each partial sum of a bead has a thread; every pair is computed twice.
    LaunchesByParticle,
    /// A kernel for each force term, in which each pair has a thread, and one that adds up the halves for each bead.
    LaunchesByPair,
}

impl Plan {
    /// All of them.
    pub const ALL: [Plan; 4] =
        [Plan::Beads, Plan::Block, Plan::LaunchesByParticle, Plan::LaunchesByPair];

    /// `beads`, `block`, `launches-by-particle` or `launches-by-pair`.
    pub fn name(self) -> &'static str {
        match self {
            Plan::Beads => "beads",
            Plan::Block => "block",
            Plan::LaunchesByParticle => "launches-by-particle",
            Plan::LaunchesByPair => "launches-by-pair",
        }
    }
}

/// Members on a GPU, through one stream; several ensembles share a card.
#[derive(Debug)]
pub struct Ensemble {
    hands: Hands,
    plan: Option<Plan>,
    blocks: (Hangar<f32>, Hangar<f64>),
    launches: (Launches<f32>, Launches<f64>),
}

impl Ensemble {
    /// An ensemble without members.
    ///
    /// # Errors
    /// When the device gives no stream.
    pub fn new(device: &Device) -> Result<Ensemble, Error> {
        let hands = Hands {
            stream: device.stream()?,
            device: device.clone(),
            rounding: Rounding::Fused,
            wishes: Wishes::default(),
            company: 0,
        };
        Ok(Ensemble {
            hands,
            plan: None,
            blocks: (Hangar::default(), Hangar::default()),
            launches: (Launches::default(), Launches::default()),
        })
    }

    /// The same by this plan, where it can be: [`Plan::Block`] steps what is not apart, [`Plan::LaunchesByParticle`] what
    /// does not fit into a block. Without a wish it is the first of [`Plan::ALL`] that can be.
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Ensemble {
        Ensemble { plan: Some(plan), ..self }
    }

    /// The same, rounding otherwise.
    #[must_use]
    pub fn with_rounding(self, rounding: Rounding) -> Ensemble {
        Ensemble { hands: Hands { rounding, ..self.hands }, ..self }
    }

    /// The same, with blocks as wished.
    #[must_use]
    pub fn with_wishes(self, wishes: Wishes) -> Ensemble {
        Ensemble { hands: Hands { wishes, ..self.hands }, ..self }
    }

    /// The same, told how many members are stepped on the card at a time, in all of its ensembles: the form of blocks is
    /// chosen by that.
    #[must_use]
    pub fn with_company(self, company: usize) -> Ensemble {
        Ensemble { hands: Hands { company, ..self.hands }, ..self }
    }

    /// Steps members to each of their looks.
    ///
    /// # Errors
    /// [`Error::Other`] for a member with an [`obstacle`] or looks beyond its stage; else what the device, the compiler or
    /// memory did; the members are as they were.
    pub fn advance(&mut self, jobs: &[Job<'_>]) -> Result<Vec<Harvest>, Error> {
        jobs.iter().try_for_each(check)?;
        let flights = self.fly(jobs)?;
        let mut harvests = Vec::with_capacity(jobs.len());
        let mut ends = Vec::with_capacity(jobs.len());
        for (samples, end) in flights {
            harvests.push(Harvest { samples, failure: None });
            ends.push(end);
        }
        // Those that met trouble are stepped again, all together, to the last state that was sound.
        let mut again = Vec::new();
        for (place, end) in ends.iter().enumerate() {
            let End::Trouble { what, length, step, predicted } = *end else { continue };
            let job = &jobs[place];
            let trouble = describe(system_of(job.member), what, length);
            harvests[place].failure = Some((None, Failure { trouble, step }));
            let member = last_look(job, &harvests[place].samples)?;
            let sound = if predicted { step } else { step.saturating_sub(1) };
            let beyond = sound.saturating_sub(member.step_number());
            if beyond > 0 {
                again.push((place, member, [Look { steps: beyond as u32, row: false }]));
            }
        }
        let jobs: Vec<Job<'_>> =
            again.iter().map(|(_, member, looks)| Job { member, looks }).collect();
        for ((place, ..), (samples, end)) in again.iter().zip(self.fly(&jobs)?) {
            let End::Reached = end else {
                return Err(Error::Corrupt { what: "a member that fails in two ways".into() });
            };
            if samples.len() != 1 {
                return Err(Error::Corrupt {
                    what: "a member that did not come to its last sound step".into(),
                });
            }
            if let Some((sample, _)) = &mut harvests[*place].failure {
                *sample = Some(samples);
            }
        }
        Ok(harvests)
    }

    fn fly(&mut self, jobs: &[Job<'_>]) -> Result<Vec<(Samples, End)>, Error> {
        let mut singles = Flights::default();
        let mut doubles = Flights::default();
        for (place, job) in jobs.iter().enumerate() {
            let looks = job.looks;
            match job.member {
                Member::Single(stepper) => {
                    let standing = stepper.standing();
                    let plan = plan_of(&self.hands.device, self.plan, &standing);
                    singles.of(plan).push(Flight { place, standing, looks });
                }
                Member::Double(stepper) => {
                    let standing = stepper.standing();
                    let plan = plan_of(&self.hands.device, self.plan, &standing);
                    doubles.of(plan).push(Flight { place, standing, looks });
                }
                Member::Walk(_) => unreachable!("{SAMPLED}"),
            }
        }
        let Ensemble { hands, blocks, launches, .. } = self;
        let mut landed: Vec<Option<(Samples, End)>> = (0..jobs.len()).map(|_| None).collect();
        for (place, samples, end) in singles.fly(hands, &mut blocks.0, &mut launches.0)? {
            landed[place] = Some((Samples::Single(samples), end));
        }
        for (place, samples, end) in doubles.fly(hands, &mut blocks.1, &mut launches.1)? {
            landed[place] = Some((Samples::Double(samples), end));
        }
        let missing = || Error::Corrupt { what: "a member without an outcome".into() };
        landed.into_iter().map(|outcome| outcome.ok_or_else(missing)).collect()
    }
}

fn plan_of<T: Number>(device: &Device, wish: Option<Plan>, standing: &Standing<'_, T>) -> Plan {
    match wish {
        Some(Plan::LaunchesByPair) => Plan::LaunchesByPair,
        None | Some(Plan::Beads) if are_apart(standing) => Plan::Beads,
        None | Some(Plan::Beads | Plan::Block) if fits(device, standing) => Plan::Block,
        None | Some(_) => Plan::LaunchesByParticle,
    }
}

/// Chains that are sampled have kernels of their own.
const SAMPLED: &str = "no chain that is sampled is stepped";

/// The plan by which a member is stepped in its present stage, where there is no wish; none of chains that are sampled.
pub fn usual_plan(device: &Device, member: &Member) -> Option<Plan> {
    match member {
        Member::Single(stepper) => Some(plan_of(device, None, &stepper.standing())),
        Member::Double(stepper) => Some(plan_of(device, None, &stepper.standing())),
        Member::Walk(_) => None,
    }
}

/// Whether a member is small enough for [`Plan::Block`], and its generator one of that plan's.
pub fn fits_a_block(device: &Device, member: &Member) -> bool {
    match member {
        Member::Single(stepper) => fits(device, &stepper.standing()),
        Member::Double(stepper) => fits(device, &stepper.standing()),
        Member::Walk(_) => false,
    }
}

/// Whether nothing acts between a member's beads, nor pulls them, and each has random words of its own.
fn are_apart<T: Number>(standing: &Standing<'_, T>) -> bool {
    let generator = standing.protocol.randomness.generator();
    let interacts = standing.system.interactions.act_between_beads();
    !interacts && standing.drives.is_empty() && !draws_for_all(generator)
}

fn fits<T: Number>(device: &Device, standing: &Standing<'_, T>) -> bool {
    standing.system.beads() <= most_beads(device.properties(), T::PRECISION)
        && IN_BLOCKS.contains(&standing.protocol.randomness.generator())
}

/// Members of one precision that are to fly, by their plans.
struct Flights<'a, T> {
    apart: Vec<Flight<'a, T>>,
    blocks: Vec<Flight<'a, T>>,
    by_particle: Vec<Flight<'a, T>>,
    by_pair: Vec<Flight<'a, T>>,
}

impl<T> Default for Flights<'_, T> {
    fn default() -> Self {
        Flights {
            apart: Vec::new(),
            blocks: Vec::new(),
            by_particle: Vec::new(),
            by_pair: Vec::new(),
        }
    }
}

impl<'a, T: Number> Flights<'a, T> {
    fn of(&mut self, plan: Plan) -> &mut Vec<Flight<'a, T>> {
        match plan {
            Plan::Beads => &mut self.apart,
            Plan::Block => &mut self.blocks,
            Plan::LaunchesByParticle => &mut self.by_particle,
            Plan::LaunchesByPair => &mut self.by_pair,
        }
    }

    fn fly(
        &self,
        hands: &Hands,
        blocks: &mut Hangar<T>,
        launches: &mut Launches<T>,
    ) -> Result<Vec<(usize, Taken<T>, End)>, Error> {
        let mut landed = blocks.fly(hands, false, &self.blocks)?;
        landed.extend(blocks.fly(hands, true, &self.apart)?);
        for (by_pair, flights) in [(false, &self.by_particle), (true, &self.by_pair)] {
            if !flights.is_empty() {
                landed.extend(launches.fly(hands, by_pair, flights)?);
            }
        }
        Ok(landed)
    }
}

/// Steps of a launch at most: they are counted twice over in 32 bits.
const MOST_STEPS: u64 = 1 << 30;

/// Whether a member can be stepped, to looks that lie ahead of each other, within the stage.
fn check(job: &Job<'_>) -> Result<(), Error> {
    if let Some(reason) = obstacle(job.member) {
        let reason = format!("It cannot be: {reason}.");
        return Err(Error::Other { action: "step a member on a GPU".into(), reason });
    }
    let steps: u64 = job.looks.iter().map(|look| u64::from(look.steps)).sum();
    let most = job.member.remaining().min(MOST_STEPS);
    if steps > most || job.looks.iter().any(|look| look.steps == 0) {
        return Err(Error::Other {
            action: format!("step a member by {steps} steps"),
            reason: format!(
                "Looks are to be at least one step apart and {most} steps in all at most."
            ),
        });
    }
    Ok(())
}

/// The member as it stands at its last look.
fn last_look(job: &Job<'_>, samples: &Samples) -> Result<Member, Error> {
    let mut member = job.member.clone();
    for look in 0..samples.len() {
        samples.bring(look, &mut member)?;
        if job.looks[look].row {
            // A row begins new averages; what it says is read by the caller.
            let _ = member.measure();
        }
    }
    Ok(member)
}

fn system_of(member: &Member) -> &System {
    match member {
        Member::Single(stepper) => stepper.standing().system,
        Member::Double(stepper) => stepper.standing().system,
        Member::Walk(_) => unreachable!("{SAMPLED}"),
    }
}

/// What a kernel found: the number of a bond with its length, or of a bead.
fn describe(system: &System, what: u32, length: f32) -> Trouble {
    if what & NOT_FINITE != 0 {
        return Trouble::NotFinite { bead: (what & !NOT_FINITE) as usize };
    }
    let bond = system.interactions.bonded_by::<FeneBond>()[what as usize];
    let distance = f64::from(length);
    Trouble::BrokenBond {
        i: bond.i,
        j: bond.j,
        distance,
        rest_length: bond.potential.length,
        limit: bond.potential.limit,
    }
}

/// Why a member cannot be stepped on a card by any plan; `None` where it can.
pub fn obstacle(member: &Member) -> Option<String> {
    let protocol = match member {
        Member::Single(stepper) => stepper.standing().protocol,
        Member::Double(stepper) => stepper.standing().protocol,
        Member::Walk(walk) => return walk_obstacle(walk),
    };
    let Protocol { stages, randomness, .. } = &**protocol;
    let generator = randomness.generator();
    let usual = Randomness::from(generator);
    if randomness.scheme() != usual.scheme() {
        return Some(format!(
            "the generator {} has no program on a GPU in the scheme {}, only in {}",
            generator.name(),
            randomness.scheme().name(),
            usual.scheme().name()
        ));
    }
    if randomness.distribution() != usual.distribution() {
        return Some(format!(
            "the distribution {} has no program on a GPU, where there is {}",
            randomness.distribution().name(),
            usual.distribution().name()
        ));
    }
    let stage = stages.iter().find(|stage| stage.drives.len() > MOST_DRIVES)?;
    let (name, drives) = (&stage.name, stage.drives.len());
    Some(format!("stage \"{name}\" has {drives} drives, a GPU takes {MOST_DRIVES}"))
}

/// Bytes that a look at a member takes on its way back.
pub fn sample_bytes(system: &System, protocol: &Protocol) -> usize {
    let number = match protocol.dynamics.precision {
        Precision::Single => size_of::<f32>(),
        Precision::Double => size_of::<f64>(),
    };
    let (beads, scheme) = (system.beads(), protocol.randomness.scheme());
    // Four words of a bead in single precision, eight in double.
    let state = protocol.randomness.generator().state_bytes(scheme, beads * number);
    let noise = if scheme == Scheme::OneForAllThreads { state } else { beads * state };
    let drives = protocol.stages.iter().map(|stage| stage.drives.len()).max().unwrap_or(0);
    beads * 3 * number + noise + drives * size_of::<layout::Drive>() + size_of::<layout::Sums>()
}

/// Whether a stage is stepped on a GPU: minimisations, which are short, are not.
pub fn is_flown(kind: &StageKind) -> bool {
    matches!(kind, StageKind::Dynamics { .. })
}
