//! Where a run is stepped: what `--device` says, and what `auto` makes of it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{
    Compiler, Device, Ensemble, Job, LadderBatch, SweepSchedule, is_on_gpu, obstacle,
};
use beadwork_engine::{Devices, GpuAssignment, MemberPlan, Plan};
use beadwork_simulation::SamplePoint;
use serde::{Deserialize, Serialize};

use crate::Error;

/// A trajectory of fewer beads than these gains nothing by a GPU, which takes 0.75 µs for a step however small the system
/// is (H200, 34 beads; a core takes 0.7 to 1.4 µs, and needs no kernels compiled). From so many trajectories at once on it
/// does.
const SMALL: (usize, usize) = (40, 8);

/// Chains for each thread from which on a card samples sooner than the processor: it makes four million moves of a chain in a
/// second (H200, 13 or 55 monomers), a core that has many in its lanes ten times as many of all of them.
const CHAINS_A_THREAD: usize = 10;

/// A backend: its trajectories are its own to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Processors.
    Cpu,
    /// GPUs of NVIDIA.
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

/// Which devices a person wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// GPUs where that can be done and pays, else the processor; of a run that goes on, what it began with.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// GPUs by their numbers; without numbers all that can be used.
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

/// Devices, and what is worth saying of how they were chosen.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The devices.
    pub devices: Devices,
    /// Why it is not a GPU, where one might think so: a sentence.
    pub notice: Option<String>,
}

/// What keeps a plan from GPUs.
enum Hindrance {
    /// Something in the plan.
    Plan(String),
    /// Something in the machine.
    Machine(beadwork_cuda::Error),
}

impl Choice {
    /// Devices for a new run with so many threads.
    ///
    /// # Errors
    /// GPUs that were asked for and cannot be used, or cannot step this plan.
    pub fn for_plan(&self, plan: &Plan, threads: usize) -> Result<Chosen, Error> {
        match self {
            Choice::Cpu => Ok(Chosen::default()),
            Choice::Cuda(numbers) => {
                let cards = open(numbers)?;
                match hindrance(&cards, plan, threads) {
                    None => Ok(Chosen { devices: Devices::Cuda(cards), notice: None }),
                    Some(Hindrance::Plan(reason)) => Err(Error::Device(format!(
                        "{reason}: leave --device out, or write --device cpu"
                    ))),
                    Some(Hindrance::Machine(error)) => Err(error.into()),
                }
            }
            Choice::Auto if is_small(plan, threads) => Ok(Chosen::default()),
            Choice::Auto => {
                let reason = match open(&[]) {
                    Ok(cards) => match hindrance(&cards, plan, threads) {
                        None => return Ok(Chosen { devices: Devices::Cuda(cards), notice: None }),
                        Some(Hindrance::Plan(reason)) => reason,
                        Some(Hindrance::Machine(error)) => error.to_string(),
                    },
                    // Most machines have no GPU, which is nothing to talk of.
                    Err(beadwork_cuda::Error::NoDriver { .. }) => return Ok(Chosen::default()),
                    Err(error) => error.to_string(),
                };
                let reason: Vec<&str> = reason.split_whitespace().collect();
                let notice =
                    format!("the CPU is used and not the GPU, since: {}", reason.join(" "));
                Ok(Chosen { devices: Devices::Cpu, notice: Some(notice) })
            }
        }
    }

    /// The GPUs that are meant, whatever is done with them: none for the processor, with `auto` all that can be used.
    ///
    /// # Errors
    /// GPUs that cannot be used; with `auto`, if there is none that can.
    pub fn cards(&self) -> Result<Vec<Device>, beadwork_cuda::Error> {
        match self {
            Choice::Cpu => Ok(Vec::new()),
            Choice::Auto => open(&[]),
            Choice::Cuda(numbers) => open(numbers),
        }
    }
}

/// Opens GPUs by their numbers; without numbers all that can be used, at least one.
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

/// A member of each kind that a GPU tells apart: by system, numbers and kernels.
fn kinds(plan: &Plan) -> Vec<&MemberPlan> {
    let mut known = HashSet::new();
    let is_new = |member: &&MemberPlan| {
        let protocol = &member.protocol;
        let drives: Vec<usize> = protocol.stages.iter().map(|stage| stage.drives.len()).collect();
        known.insert((
            Arc::as_ptr(&member.system),
            protocol.dynamics.precision.name(),
            protocol.dynamics.integrator.name(),
            protocol.randomness,
            drives,
        ))
    };
    plan.members.iter().filter(is_new).collect()
}

fn hindrance(cards: &[Device], plan: &Plan, threads: usize) -> Option<Hindrance> {
    let kinds = kinds(plan);
    for kind in &kinds {
        let member = new_member(kind);
        if let Some(reason) = obstacle(&member) {
            return Some(Hindrance::Plan(reason));
        }
    }
    let missing = Compiler::find().err()?;
    // Kernels that were compiled before will do. Which they are depends on how many members a thread has.
    let gpu_assignment = GpuAssignment::new(cards, plan, plan.members.len(), threads);
    let tried = cards.iter().take(gpu_assignment.cards.len()).try_for_each(|card| {
        if gpu_assignment.are_sampled() {
            let together = |kind| plan.like(kind).min(gpu_assignment.together);
            return kinds.iter().try_for_each(|kind| try_chain(card, kind, together(kind)));
        }
        let mut ensemble =
            Ensemble::new(card)?.with_members_on_device(gpu_assignment.members_on_card());
        kinds.iter().try_for_each(|kind| try_stages(&mut ensemble, kind, gpu_assignment.together))
    });
    match tried {
        Ok(()) => None,
        Err(beadwork_cuda::Error::NoCompiler { .. }) => Some(Hindrance::Machine(missing)),
        Err(error) => Some(Hindrance::Machine(error)),
    }
}

fn new_member(plan: &MemberPlan) -> Member {
    Member::new(plan.system.clone(), plan.protocol.clone(), plan.replica, &plan.start)
}

/// Has a member make the first step of each stage of dynamics on a GPU, together with `company`.
fn try_stages(
    ensemble: &mut Ensemble,
    plan: &MemberPlan,
    company: usize,
) -> Result<(), beadwork_cuda::Error> {
    let mut member = new_member(plan);
    for (number, stage) in plan.protocol.stages.iter().enumerate() {
        if is_on_gpu(&stage.kind) && stage.steps() > 0 {
            member.begin_stage(number);
            let points = [SamplePoint { steps: 1, row: false }];
            ensemble.advance(&vec![Job { member: &member, points: &points }; company])?;
        }
    }
    Ok(())
}

/// Has a GPU sample a sweep of a chain, together with `company`.
fn try_chain(card: &Device, plan: &MemberPlan, company: usize) -> Result<(), beadwork_cuda::Error> {
    let Member::MonteCarlo(walk) = new_member(plan) else { return Ok(()) };
    let schedule = SweepSchedule { sweeps: 1, ..SweepSchedule::default() };
    LadderBatch::of_copies(&walk, company).sample(card, walk.precision(), schedule).map(drop)
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
        let plan = crate::session::plan(&request, &crate::part::Part::whole(&request));
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
