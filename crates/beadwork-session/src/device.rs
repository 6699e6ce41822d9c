//! The devices that step a run: what `--device` says, and what `auto` chooses.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{
    Compiler, Device, Ensemble, Job, LadderBatch, SweepSchedule, obstacle, steps_on_host,
};
use beadwork_engine::{Devices, GpuAssignment, MemberPlan, Plan};
use beadwork_model::StageKind;
use beadwork_simulation::{MemberState, SamplePoint};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Fewer members than the second number, if they have fewer beads than the first, are stepped on the CPU: a GPU takes
/// 0.75 µs for a step of any small system (H200, 34 beads); a core takes 0.7 to 1.4 µs and compiles no kernels.
const SMALL: (usize, usize) = (40, 8);

/// With at least so many chains for each thread a GPU samples faster than the CPU. It makes four million moves of each chain
/// in a second (H200, 13 or 55 monomers); a core with full vectors makes ten times as many of all its chains together.
const CHAINS_A_THREAD: usize = 10;

/// A kind of device. Trajectories of different backends differ in their last bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Processors.
    Cpu,
    /// NVIDIA GPUs.
    Cuda,
}

impl Backend {
    /// The backend of devices.
    pub fn of(devices: &Devices) -> Backend {
        match devices {
            Devices::Cpu => Backend::Cpu,
            Devices::Cuda(_) => Backend::Cuda,
        }
    }

    /// `cpu`, `cuda`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Cuda => "cuda",
        }
    }
}

/// The devices that the user asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// GPUs if they can be used and are faster, otherwise the CPU; a run that continues stays on its kind of device.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// GPUs by number; without numbers all that can be used.
    Cuda(Vec<usize>),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        let fault = || {
            format!(
                "\"{text}\" is no device: write auto, cpu, cuda, or cuda with numbers of GPUs, such as cuda:0 or cuda:0,2"
            )
        };
        match text.split_once(':') {
            None if text == "auto" => Ok(Choice::Auto),
            None if text == "cpu" => Ok(Choice::Cpu),
            None if text == "cuda" => Ok(Choice::Cuda(Vec::new())),
            Some(("cuda", list)) => {
                let mut numbers = Vec::new();
                for word in list.split(',') {
                    let number = word.parse().map_err(|_| fault())?;
                    if numbers.contains(&number) {
                        return Err(format!("the GPU {number} is there twice in \"{text}\""));
                    }
                    numbers.push(number);
                }
                Ok(Choice::Cuda(numbers))
            }
            _ => Err(fault()),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Auto => formatter.write_str("auto"),
            Choice::Cpu => formatter.write_str("cpu"),
            Choice::Cuda(numbers) if numbers.is_empty() => formatter.write_str("cuda"),
            Choice::Cuda(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(formatter, "cuda:{}", numbers.join(","))
            }
        }
    }
}

/// The chosen devices.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The devices.
    pub devices: Devices,
    /// A sentence that says why no GPU was chosen, if there is one.
    pub notice: Option<String>,
}

/// Why GPUs cannot step a plan.
enum Hindrance {
    Plan(String),
    Machine(beadwork_cuda::Error),
}

impl Choice {
    /// Devices for a new run with this many threads.
    ///
    /// # Errors
    /// GPUs that the user asks for and that cannot be used, or cannot step this plan.
    pub fn for_plan(&self, plan: &Plan, threads: usize) -> Result<Chosen, Error> {
        let is_auto = *self == Choice::Auto;
        if *self == Choice::Cpu || (is_auto && is_small(plan, threads)) {
            return Ok(Chosen::default());
        }
        let tried = self.cards().map_err(Hindrance::Machine);
        let tried = tried.and_then(|cards| try_plan(&cards, plan, threads).map(|()| cards));
        let reason = match tried {
            Ok(cards) => return Ok(Chosen { devices: Devices::Cuda(cards), notice: None }),
            Err(Hindrance::Plan(reason)) if !is_auto => {
                let reason = format!("{reason}: leave --device out, or write --device cpu");
                return Err(Error::Device(reason));
            }
            Err(Hindrance::Machine(error)) if !is_auto => return Err(error.into()),
            // Most machines have no GPU, which needs no notice.
            Err(Hindrance::Machine(beadwork_cuda::Error::NoDriver { .. })) => {
                return Ok(Chosen::default());
            }
            Err(Hindrance::Plan(reason)) => reason,
            Err(Hindrance::Machine(error)) => error.to_string(),
        };
        let reason: Vec<&str> = reason.split_whitespace().collect();
        let notice = format!("the CPU is used and not the GPU, since: {}", reason.join(" "));
        Ok(Chosen { devices: Devices::Cpu, notice: Some(notice) })
    }

    /// The chosen GPUs: none with `cpu`, all that can be used with `auto`.
    ///
    /// # Errors
    /// A GPU that cannot be used; with `auto`, if no GPU can be used.
    pub fn cards(&self) -> Result<Vec<Device>, beadwork_cuda::Error> {
        match self {
            Choice::Cpu => Ok(Vec::new()),
            Choice::Auto => open(&[]),
            Choice::Cuda(numbers) => open(numbers),
        }
    }
}

/// Opens GPUs by number; without numbers all that can be used, at least one.
fn open(numbers: &[usize]) -> Result<Vec<Device>, beadwork_cuda::Error> {
    if !numbers.is_empty() {
        return numbers.iter().map(|&number| Device::open(number)).collect();
    }
    let mut cards = Vec::new();
    let mut fault = None;
    for number in 0..beadwork_cuda::devices()?.len() {
        match Device::open(number) {
            Ok(card) => cards.push(card),
            Err(error) => {
                fault.get_or_insert(error);
            }
        }
    }
    match fault {
        Some(error) if cards.is_empty() => Err(error),
        _ => Ok(cards),
    }
}

fn is_small(plan: &Plan, threads: usize) -> bool {
    if plan.members.iter().all(|member| member.system.is_sampled()) {
        return plan.members.len() < CHAINS_A_THREAD * threads;
    }
    let (beads, members) = SMALL;
    plan.members.len() < members && plan.members.iter().all(|member| member.system.beads() < beads)
}

/// One member of each kind that needs its own kernels or buffers: kinds differ in system, numbers or externals.
fn kinds(plan: &Plan) -> Vec<&MemberPlan> {
    let mut known = HashSet::new();
    let is_new = |member: &&MemberPlan| {
        let protocol = &member.protocol;
        let externals: Vec<usize> =
            protocol.stages.iter().map(|stage| stage.externals.len()).collect();
        known.insert((
            Arc::as_ptr(&member.system),
            protocol.dynamics.precision.name(),
            protocol.dynamics.integrator.name(),
            protocol.randomness,
            externals,
        ))
    };
    plan.members.iter().filter(is_new).collect()
}

/// Has GPUs make the first steps of each kind of member.
fn try_plan(cards: &[Device], plan: &Plan, threads: usize) -> Result<(), Hindrance> {
    let kinds = kinds(plan);
    let reason = kinds.iter().find_map(|kind| obstacle(&kind.member()));
    if let Some(reason) = reason {
        return Err(Hindrance::Plan(reason));
    }
    let Err(missing) = Compiler::find() else { return Ok(()) };
    // Without a compiler, cached kernels are enough. Which kernels are needed depends on the members of a thread.
    let assignment = GpuAssignment::new(cards, plan, plan.members.len(), threads);
    let tried = cards.iter().take(assignment.cards.len()).try_for_each(|card| {
        if assignment.are_sampled() {
            let together = |kind| plan.like(kind).min(assignment.together);
            return kinds.iter().try_for_each(|kind| try_chain(card, kind, together(kind)));
        }
        let mut ensemble =
            Ensemble::new(card)?.with_members_on_device(assignment.members_on_card());
        kinds.iter().try_for_each(|kind| try_stages(&mut ensemble, kind, assignment.together))
    });
    tried.map_err(|error| match error {
        beadwork_cuda::Error::NoCompiler { .. } => Hindrance::Machine(missing),
        error => Hindrance::Machine(error),
    })
}

/// Makes, with `together` copies of a member, the first step of each stage that a GPU makes, and the first one after a push-off.
fn try_stages(
    ensemble: &mut Ensemble,
    plan: &MemberPlan,
    together: usize,
) -> Result<(), beadwork_cuda::Error> {
    let mut member = plan.member();
    let points = [SamplePoint { steps: 1, row: false }];
    for (number, stage) in plan.protocol.stages.iter().enumerate() {
        member.begin_stage(number);
        // The first step of a push-off is the host's.
        let steps = match stage.kind {
            StageKind::Minimise { push_off: 1, .. } => vec![1],
            StageKind::Minimise { push_off: push_off @ 2.., .. } => vec![1, push_off],
            _ => vec![0],
        };
        for stage_step in steps.into_iter().filter(|&step| step < stage.steps()) {
            let state = MemberState { stage_step, ..member.state() };
            let (system, protocol) = (plan.system.clone(), plan.protocol.clone());
            let mut at_step = Member::restore(system, protocol, plan.replica, state);
            at_step.prepare();
            if steps_on_host(&at_step) == 0 {
                ensemble.advance(&vec![Job { member: &at_step, points: &points }; together])?;
            }
        }
    }
    Ok(())
}

fn try_chain(
    card: &Device,
    plan: &MemberPlan,
    together: usize,
) -> Result<(), beadwork_cuda::Error> {
    let Member::MonteCarlo(chain) = plan.member() else { return Ok(()) };
    let schedule = SweepSchedule { sweeps: 1, ..SweepSchedule::default() };
    LadderBatch::of_copies(&chain, together).sample(card, chain.precision(), schedule).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_written() {
        for (text, choice) in [
            ("auto", Choice::Auto),
            ("cpu", Choice::Cpu),
            ("cuda", Choice::Cuda(vec![])),
            ("cuda:0", Choice::Cuda(vec![0])),
            ("cuda:2,0,11", Choice::Cuda(vec![2, 0, 11])),
        ] {
            assert_eq!(text.parse(), Ok(choice.clone()));
            assert_eq!(choice.to_string(), text);
        }
        for text in ["", "gpu", "CUDA", "cuda:", "cuda:a", "cuda:0,", "cuda:-1", "cpu:0", "auto:1"]
        {
            let message = Choice::from_str(text).unwrap_err();
            assert!(message.contains("write auto, cpu, cuda"), "{text}: {message}");
        }
        assert!(Choice::from_str("cuda:1,2,1").unwrap_err().contains("GPU 1 is there twice"));
    }

    #[test]
    fn few_chains_are_left_to_the_processor() {
        let text = "[system]\nmodel = \"elastic-polymer\"\nmonomers = 55\n[exchange]\ntemperatures = { from = 0.2, to = 2.0, count = 40 }\nevery_sweeps = 10\n[[stage]]\nsweeps = 10\n";
        let request = beadwork_input::parse(text, "input.toml", ".".as_ref(), &[]).unwrap();
        let plan = crate::plan::plan(&request, &crate::part::Part::whole(&request));
        assert_eq!(
            [1, 4, 5, 16].map(|threads| is_small(&plan, threads)),
            [false, false, true, true]
        );
    }

    #[test]
    fn backends_are_named_in_records_as_on_the_command_line() {
        for backend in [Backend::Cpu, Backend::Cuda] {
            let text = serde_json::to_string(&backend).unwrap();
            assert_eq!(text, format!("\"{}\"", backend.name()));
            assert_eq!(serde_json::from_str::<Backend>(&text).unwrap(), backend);
        }
    }
}
