//! Members that a GPU steps, from one sample point to the next, by one of several plans.

mod cases;
mod cover;
mod ensemble;
mod graph;
mod independent;
mod key;
mod resident;
mod shape;

use beadwork_cpu::{Member, MemberView};
use beadwork_model::{Precision, Protocol, Randomness, StageKind, System};
use beadwork_random::Scheme;

pub use cases::{Case, cases};
pub use cover::cover;
pub use ensemble::{BatchResult, Ensemble, Job};
pub(crate) use key::{CLUSTERS_FROM, Search};
pub use shape::LaunchOverrides;

use crate::batch::layout::{self, MOST_DRIVES, Number};
use crate::batch::{End, MemberSamples};
use crate::compile::program::Rounding;
use crate::monte_carlo::chain_obstacle;
use crate::plans::key::{IN_BLOCKS, Key, draws_for_all};
use crate::plans::shape::most_beads;
use crate::tables::{SystemTables, TermNames};
use crate::{Device, Stream};

/// How the work of a step is laid out on a card. All plans give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plan {
    /// A thread has a bead on its own for thousands of steps: where nothing acts between beads.
    Independent,
    /// A block, a cluster of blocks, or a lane has a member for thousands of steps.
    Block,
    /// Kernels of a graph make each step: what no block holds, and every generator.
    Graph,
}

impl Plan {
    /// All of them.
    pub const ALL: [Plan; 3] = [Plan::Independent, Plan::Block, Plan::Graph];

    /// `independent`, `block` or `graph`.
    pub fn name(self) -> &'static str {
        match self {
            Plan::Independent => "independent",
            Plan::Block => "block",
            Plan::Graph => "graph",
        }
    }
}

/// With what members are stepped.
#[derive(Debug)]
pub(crate) struct Context {
    pub device: Device,
    pub stream: Stream,
    pub rounding: Rounding,
    pub overrides: LaunchOverrides,
    /// Members that are on the card, those of other streams included.
    pub members_on_device: usize,
}

impl Context {
    /// What a kernel for a member is specialised on, without a form of blocks.
    fn key<T: Number>(&self, tables: &SystemTables<T>, view: &MemberView<'_, T>) -> Key {
        Key {
            rounding: self.rounding,
            search: tables.search,
            pulled: !view.drives.is_empty(),
            generator: view.protocol.randomness.generator(),
            integrator: view.protocol.dynamics.integrator,
            ..Key::unshaped(tables.terms.clone(), T::PRECISION)
        }
    }
}

/// What a plan gives back of a member.
#[derive(Debug)]
pub(crate) struct Launched<T> {
    /// Its number among the jobs.
    pub job: usize,
    pub samples: MemberSamples<T>,
    pub end: End,
}

/// What came of a launch.
pub(crate) enum LaunchOutcome<T> {
    All(Vec<Launched<T>>),
    /// Lists that were too short, by tables, and the entries that they need. Nothing was lost: the host has the
    /// members' states.
    ListsTooShort(Vec<(usize, usize)>),
}

fn plan_of(device: &Device, asked: Option<Plan>, member: &Member) -> Plan {
    match asked {
        None | Some(Plan::Independent) if are_independent(member) => Plan::Independent,
        None | Some(Plan::Independent | Plan::Block) if fits_a_block(device, member) => Plan::Block,
        None | Some(_) => Plan::Graph,
    }
}

/// The plan by which a member is stepped in its present stage, where none is asked for; none of chains that are sampled.
pub fn usual_plan(device: &Device, member: &Member) -> Option<Plan> {
    (!member.system().is_sampled()).then(|| plan_of(device, None, member))
}

/// Whether a member is small enough for [`Plan::Block`], and its generator one of that plan's.
pub fn fits_a_block(device: &Device, member: &Member) -> bool {
    let system = member.system();
    !system.is_sampled()
        && system.beads() <= most_beads(device.properties(), member.precision())
        && IN_BLOCKS.contains(&member.protocol().randomness.generator())
}

/// Whether nothing acts between a member's beads, nor pulls them, and each has random words of its own.
fn are_independent(member: &Member) -> bool {
    let generator = member.protocol().randomness.generator();
    let interacts = member.system().interactions.act_between_beads();
    !interacts && member.stage().drives.is_empty() && !draws_for_all(generator)
}

/// Why a member cannot be stepped on a card by any plan; `None` where it can.
pub fn obstacle(member: &Member) -> Option<String> {
    if let Member::MonteCarlo(chain) = member {
        return chain_obstacle(chain);
    }
    if let Some(reason) = TermNames::of(member.system()).obstacle() {
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
    let stage = stages.iter().find(|stage| stage.drives.len() > MOST_DRIVES)?;
    let (name, drives) = (&stage.name, stage.drives.len());
    Some(format!("stage \"{name}\" has {drives} drives, a GPU takes {MOST_DRIVES}"))
}

/// Bytes of a member's sample.
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
pub fn is_on_gpu(kind: &StageKind) -> bool {
    matches!(kind, StageKind::Dynamics { .. })
}
