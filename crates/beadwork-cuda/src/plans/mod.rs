//! Members that a GPU steps, from one sample point to the next, by one of several plans.

mod bricks;
mod cases;
mod cover;
mod ensemble;
pub mod forms;
mod grid;
mod independent;
mod key;
mod layout;
mod resident;
mod shape;
mod shared_memory;
mod steps;

use std::ops::RangeInclusive;

use beadwork_cpu::{Member, MemberView};
use beadwork_model::{
    Boundary, Integrator, Precision, Protocol, Randomness, Stage, StageKind, System,
};
use beadwork_random::{Normal, Scheme};

pub use cases::{Case, cases};
pub use cover::cover;
pub use ensemble::{BatchResult, Ensemble, Job};
pub(crate) use key::CLUSTERS_FROM;
pub use shape::LaunchOverrides;
pub(crate) use steps::Search;

use crate::batch::records::{self, MOST_EXTERNALS, Number};
use crate::batch::{End, MemberSamples};
use crate::compile::program::Rounding;
use crate::monte_carlo::chain_obstacle;
use crate::observables::observed_bytes;
use crate::plans::shape::most_beads;
use crate::plans::steps::{FIRST_THAT_PRESSES, Noise, Steps};
use crate::random::generators::{draws_for_all, is_filled, names_in_steps};
use crate::tables::{SystemTables, TermNames};
use crate::{Device, Stream};

/// The plan of a step's work on a card. All plans give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plan {
    /// A thread steps one bead for thousands of steps, if no force acts between beads.
    Independent,
    /// A block, a cluster of blocks, or a lane steps a member for thousands of steps.
    Block,
    /// Blocks that fill the card step one member, or up to one for each multiprocessor, for thousands of steps. All
    /// minimisations have it.
    Grid,
}

impl Plan {
    /// All of them.
    pub const ALL: [Plan; 3] = [Plan::Independent, Plan::Block, Plan::Grid];

    /// `independent`, `block` or `grid`.
    pub fn name(self) -> &'static str {
        match self {
            Plan::Independent => "independent",
            Plan::Block => "block",
            Plan::Grid => "grid",
        }
    }
}

/// Settings with which members are stepped.
#[derive(Debug)]
pub(crate) struct Context {
    pub device: Device,
    pub stream: Stream,
    pub rounding: Rounding,
    pub overrides: LaunchOverrides,
    /// A form for members of a plan, in place of these.
    pub form: Option<(Plan, LaunchOverrides)>,
    /// Members on the card, those of other streams included.
    pub members_on_device: usize,
}

impl Context {
    /// What is fixed of the form of blocks.
    fn overrides_of(&self, plan: Plan, minimises: bool) -> LaunchOverrides {
        match self.form {
            Some((of, form)) if of == plan && !minimises => form,
            _ => self.overrides,
        }
    }

    /// What the steps of a member compute.
    fn steps<T: Number>(
        &self,
        tables: &SystemTables<T>,
        view: &MemberView<'_, T>,
        plan: Plan,
    ) -> Steps {
        let steps = Steps {
            rounding: self.rounding,
            boxed: view.system.boundary != Boundary::Open,
            search: tables.search,
            pulled: !view.externals.is_empty(),
            pressed: view.protocol.stages[view.stage]
                .externals
                .iter()
                .any(|external| external.number() >= FIRST_THAT_PRESSES),
            ..Steps::brownian(tables.terms.clone(), T::PRECISION)
        };
        if view.descent.is_some() {
            let terms = TermNames { thermostat: None, ..steps.terms };
            return Steps { terms, minimises: true, ..steps };
        }
        Steps {
            noise: Noise::of(view.protocol.randomness.generator(), plan),
            integrator: view.protocol.dynamics.integrator,
            ..steps
        }
    }
}

/// The result of a plan for a member.
#[derive(Debug)]
pub(crate) struct Launched<T> {
    /// Its number among the jobs.
    pub job: usize,
    pub samples: MemberSamples<T>,
    pub end: End,
}

/// The outcome of a launch.
pub(crate) enum LaunchOutcome<T> {
    All(Vec<Launched<T>>),
    /// Lists were too short: the indices of their tables, and the entries that they need, or what else bricks demand
    /// (`TableCache::grow_lists`). Nothing is lost, since the host has the members' states.
    ListsTooShort(Vec<(usize, usize)>),
}

/// The plan for a member; `alike` as in [`usual_plan`].
fn plan_of(device: &Device, asked: Option<Plan>, member: &Member, alike: Option<usize>) -> Plan {
    if minimises(member) {
        return Plan::Grid;
    }
    match asked.unwrap_or(Plan::Independent) {
        Plan::Independent if are_independent(member) => Plan::Independent,
        Plan::Independent if bricks::beat_blocks(member) => Plan::Grid,
        Plan::Independent if is_pushed(member) && member.system().beads() > MOST_PUSHED => {
            Plan::Grid
        }
        Plan::Independent if is_large(member, alike) => Plan::Grid,
        Plan::Independent | Plan::Block if fits_a_block(device, member) => Plan::Block,
        _ => Plan::Grid,
    }
}

/// The default plan for a member in its present stage; `None` for sampled chains. [`alike`] returns what it has to know of the other
/// members.
pub fn usual_plan(device: &Device, member: &Member, alike: Option<usize>) -> Option<Plan> {
    (!member.system().is_sampled()).then(|| plan_of(device, None, member, alike))
}

/// The members on a card, for [`usual_plan`]: `on_card`, if all members have as many beads.
pub fn alike(mut beads: impl Iterator<Item = usize>, on_card: usize) -> Option<usize> {
    let first = beads.next();
    beads.all(|beads| Some(beads) == first).then_some(on_card)
}

/// Members on a card, and the fewest beads of each from which on the whole card steps them faster than clusters of blocks
/// (H200; `benchmarks/README.md` has the times). More members were not timed, nor other cards.
const LARGE: [(RangeInclusive<usize>, usize); 5] =
    [(0..=2, 850), (3..=7, 1_500), (8..=15, 1_100), (16..=31, 600), (32..=32, 400)];

/// Whether a few members in open space have [`Plan::Grid`] though they fit into clusters. Launches of several systems would fill the
/// card one after another, while clusters of all of them are there together.
fn is_large(member: &Member, alike: Option<usize>) -> bool {
    let (system, alike) = (member.system(), alike.unwrap_or(usize::MAX));
    let of_number = LARGE.iter().find(|(members, _)| members.contains(&alike));
    let is_open = system.boundary == Boundary::Open;
    let has_pairs = !system.interactions.pairs.is_empty() && !is_heated(system);
    is_open && has_pairs && of_number.is_some_and(|&(_, fewest)| system.beads() >= fewest)
}

/// Whether a member is small enough for [`Plan::Block`]. False for Monte Carlo chains.
pub fn fits_a_block(device: &Device, member: &Member) -> bool {
    let system = member.system();
    !system.is_sampled()
        && system.beads() <= most_beads(device.properties(), member.precision(), is_heated(system))
}

/// Whether no forces or externals act on a member's beads except fields.
fn are_independent(member: &Member) -> bool {
    are_independent_in(member.stage(), member.system(), member.protocol())
}

/// Whether no forces or externals act on beads in a stage except fields.
fn are_independent_in(stage: &Stage, system: &System, protocol: &Protocol) -> bool {
    let interacts = system.interactions.act_between_beads() || is_heated(system);
    let moves_freely = !protocol.dynamics.integrator.has_velocities();
    let is_open = system.boundary == Boundary::Open;
    moves_freely && !interacts && is_open && stage.externals.is_empty()
}

/// Bytes of random words that a step of a member needs in the card's memory, where they are filled before the steps of a stage; 0
/// if it draws its own.
fn filled_bytes_a_step(stage: &Stage, system: &System, protocol: &Protocol) -> usize {
    let generator = protocol.randomness.generator();
    let is_filled = match are_independent_in(stage, system, protocol) {
        true => draws_for_all(generator),
        false => is_filled(generator),
    };
    if !is_filled || system.is_sampled() || matches!(stage.kind, StageKind::Minimise { .. }) {
        return 0;
    }
    let words = match protocol.dynamics.precision {
        Precision::Single => <f32 as Normal>::WORDS,
        Precision::Double => <f64 as Normal>::WORDS,
    };
    size_of::<u32>() * words * system.beads()
}

/// Bytes of the card's memory for the random words of a launch, where they are filled before its steps. Its members take more if
/// their [`fewest_filled_bytes`] are more in sum.
pub const FILLED_BYTES: usize = 1 << 28;

/// The fewest steps of a launch whose words may need more memory.
const FEWEST_FILLED: usize = 32;

/// Bytes of the random words of a member in the shortest launch that is bounded by their memory; 0 if steps draw their own in all
/// stages.
pub fn fewest_filled_bytes(system: &System, protocol: &Protocol) -> usize {
    let of_stage = |stage: &Stage| filled_bytes_a_step(stage, system, protocol);
    FEWEST_FILLED * protocol.stages.iter().map(of_stage).max().unwrap_or(0)
}

/// The most steps that members should make in a launch. Words of generators with a state, such as `lagged-fibonacci`, are filled
/// before the steps of a launch, and take some bytes of the card's memory for each bead and step; others have no limit.
pub fn most_steps_together<'a>(members: impl Iterator<Item = &'a Member>) -> u64 {
    let bytes: usize = members
        .map(|member| filled_bytes_a_step(member.stage(), member.system(), member.protocol()))
        .sum();
    FILLED_BYTES.checked_div(bytes).map_or(u64::MAX, |steps| steps.max(FEWEST_FILLED) as u64)
}

/// The most beads of a member with a tip that has a block by default: clusters, which larger ones would need, have no tips.
const MOST_PUSHED: usize = 512;

/// Whether beads push an external in a member's stage.
fn is_pushed(member: &Member) -> bool {
    member.stage().externals.iter().any(|external| external.moves_every().is_some())
}

/// Whether a system has a pair thermostat.
fn is_heated(system: &System) -> bool {
    system.interactions.thermostat.is_some()
}

/// The reason why no plan can step a member on a card; `None` if one can.
pub fn obstacle(member: &Member) -> Option<String> {
    if let Member::MonteCarlo(chain) = member {
        return chain_obstacle(chain);
    }
    let system = member.system();
    if let Some(reason) = TermNames::of(system).obstacle() {
        return Some(reason);
    }
    let Protocol { stages, randomness, .. } = member.protocol();
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
    if is_heated(system) && is_filled(generator) {
        return Some(format!(
            "a pair thermostat has no program on a GPU with the generator {}; take {}, or run on CPUs",
            generator.name(),
            names_in_steps()
        ));
    }
    let mut externals = stages.iter().flat_map(|stage| &stage.externals);
    let integrator = member.protocol().dynamics.integrator;
    if let Some(external) = externals.find(|external| external.moves_every().is_some())
        && integrator != Integrator::Brownian
    {
        return Some(format!(
            "the drive \"{}\" has a program on a GPU only with the integrator \"{}\"",
            external.kind(),
            Integrator::Brownian.name(),
        ));
    }
    let stage = stages.iter().find(|stage| stage.externals.len() > MOST_EXTERNALS)?;
    let (name, externals) = (&stage.name, stage.externals.len());
    Some(format!("stage \"{name}\" has {externals} drives, a GPU takes {MOST_EXTERNALS}"))
}

/// Bytes of a member's sample.
pub fn sample_bytes(system: &System, protocol: &Protocol) -> usize {
    let number = match protocol.dynamics.precision {
        Precision::Single => size_of::<f32>(),
        Precision::Double => size_of::<f64>(),
    };
    let (beads, scheme) = (system.beads(), protocol.randomness.scheme());
    // A bead needs four words in single precision, eight in double.
    let state = protocol.randomness.generator().state_bytes(scheme, beads * number);
    let noise = if scheme == Scheme::OneForAllThreads { state } else { beads * state };
    let externals = protocol.stages.iter().map(|stage| stage.externals.len()).max().unwrap_or(0);
    let crossings = if system.boundary == Boundary::Open { 0 } else { 4 };
    // Positions; velocities and the forces that belong to them, which minimisations have too.
    let moves = |stage: &Stage| matches!(stage.kind, StageKind::Minimise { .. });
    let has_velocities =
        protocol.dynamics.integrator.has_velocities() || protocol.stages.iter().any(moves);
    let vectors = if has_velocities { 3 } else { 1 };
    beads * 3 * (number * vectors + crossings)
        + observed_bytes(system)
        + noise
        + externals * size_of::<records::External>()
        + size_of::<records::Sums>()
}

fn minimises(member: &Member) -> bool {
    matches!(member.stage().kind, StageKind::Minimise { .. })
}

/// How many of the next steps of a member the host makes before a GPU can: all of a minimisation with externals, and the first one
/// of a push-off, which separates beads at the same position.
pub fn steps_on_host(member: &Member) -> u64 {
    let stage = member.stage();
    match stage.kind {
        StageKind::Minimise { .. } if !stage.externals.is_empty() => member.remaining(),
        StageKind::Minimise { push_off: 1.., .. } if member.stage_step() == 0 => 1,
        _ => 0,
    }
}
