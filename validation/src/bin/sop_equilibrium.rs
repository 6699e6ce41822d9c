//! Equilibrium averages of the WW domain and of titin I27 against those of SOP-GPU 2.0.
//!
//! The reference was measured with SOP-GPU on an H200 with the parameters below, 100 runs each from
//! the native structure: for WW the second half of 10⁶ steps, for titin steps 190,000 to 370,000.
//! Its temperature was given without an error; it averages as many displacements as ours, so that
//! our standard error for 100 runs is taken for it, beside half a unit of its last digit.
//!
//! `sop_equilibrium [--device cpu|cuda] [--keep FOLDER] [ww|titin] [runs]`

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use beadwork_cpu::Member;
use beadwork_cpu::reference::Forces;
use beadwork_model::force_fields::sop::{Beads, ContactRule, Parameters, build};
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{
    Dynamics, Generator, Integrator, Precision, Protocol, Stage, StageKind, System,
};
use beadwork_structure::{ReadOptions, read};
use beadwork_testing::{mean_and_standard_error, shared_data};
use beadwork_validation::agreement::{
    Comparison, joint_probability, joint_probability_of_correlated,
};
use beadwork_validation::place::{Options, Steps};
use beadwork_validation::report::{Report, Table};

/// kcal/mol.
const TEMPERATURE: f64 = 0.6;
/// kcal ps/(mol Å²), and ps: h/ζ = 0.08/50 in SOP-GPU's units.
const FRICTION: f64 = 12_500.0;
const TIMESTEP: f64 = 20.0;
/// Steps between samples.
const EVERY: u64 = 1_000;
/// Runs behind SOP-GPU's averages.
const REFERENCE_RUNS: usize = 100;

/// A molecule and what SOP-GPU found for it.
struct Case {
    word: &'static str,
    title: &'static str,
    file: &'static str,
    side_chain_cutoff: Option<f64>,
    contacts: usize,
    /// Steps of the first and the last sample.
    window: (u64, u64),
    /// Mean and standard error; kcal/mol, contacts are a number.
    bond: (f64, f64),
    native: (f64, f64),
    repulsive: (f64, f64),
    held: (f64, f64),
    temperature: f64,
}

const CASES: [Case; 2] = [
    Case {
        word: "ww",
        title: "WW domain, 75 contacts",
        file: "proteins/ww.pdb",
        side_chain_cutoff: Some(5.2),
        contacts: 75,
        window: (500_000, 1_000_000),
        bond: (10.065, 0.031),
        native: (-87.546, 0.067),
        repulsive: (3.993, 0.019),
        held: (70.12, 0.05),
        temperature: 0.60828,
    },
    Case {
        word: "titin",
        title: "titin I27, 255 contacts",
        file: "proteins/1TIT.pdb",
        side_chain_cutoff: None,
        contacts: 255,
        window: (190_000, 370_000),
        bond: (26.447, 0.104),
        native: (-309.395, 0.196),
        repulsive: (9.669, 0.036),
        held: (246.395, 0.105),
        temperature: 0.60902,
    },
];

/// Averages of one run over its window.
#[derive(Clone, Copy, Default)]
struct Averages {
    bond: f64,
    native: f64,
    repulsive: f64,
    held: f64,
    temperature: f64,
    /// Mean of F·F over beads, (kcal/(mol Å))².
    square_force: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { place, keep, words } = Options::read(std::env::args().skip(1))?;
    let wanted = |case: &&Case| match words.first() {
        Some(word) => word == case.word,
        None => true,
    };
    let runs = words.get(1).map_or(Ok(REFERENCE_RUNS), |word| word.parse())?;
    let began = Instant::now();
    let mut tables = Vec::new();
    for case in CASES.iter().filter(wanted) {
        let Some(file) = shared_data(case.file) else {
            return Err("the structures are not here; BEADWORK_DATA names their folder".into());
        };
        let system = Arc::new(system(case, file)?);
        for (precision, generator) in [
            (Precision::Single, Generator::Philox4x32x10),
            (Precision::Double, Generator::HybridTaus),
        ] {
            let protocol = Arc::new(protocol(case, precision, generator));
            let averages = place
                .map(runs, |numbers, steps| averages(case, &system, &protocol, numbers, steps))?;
            tables.extend(compare(case, &protocol, &averages));
        }
    }
    let question = "Does the SOP model have the equilibrium averages that SOP-GPU 2.0 finds?";
    Report::new(&place, "sop_equilibrium", question, began.elapsed().as_secs_f64(), tables)
        .finish(keep.as_deref(), !words.is_empty())
}

fn system(case: &Case, file: PathBuf) -> Result<System, Box<dyn Error>> {
    let structure = read(&file, &ReadOptions::default())?;
    let parameters = Parameters {
        contacts: ContactRule::Distance {
            cutoff: 8.0,
            side_chain_cutoff: case.side_chain_cutoff,
            side_chain_hydrogens: true,
        },
        ..Parameters::default()
    };
    let (system, warnings) = build(&structure, Beads::from_structure(&structure), &parameters)?;
    if system.counts.native_contacts != case.contacts || !warnings.is_empty() {
        return Err(format!("{}: not the molecule expected: {warnings:?}", case.file).into());
    }
    Ok(system)
}

fn protocol(case: &Case, precision: Precision, generator: Generator) -> Protocol {
    Protocol {
        dynamics: Dynamics {
            integrator: Integrator::Brownian,
            temperature: TEMPERATURE,
            friction: FRICTION,
            timestep: TIMESTEP,
            precision,
            skin: 4.0,
        },
        stages: vec![Stage {
            name: "equilibrium".into(),
            kind: StageKind::Dynamics { steps: case.window.1 },
            fixed: vec![],
            drives: vec![],
            stops: vec![],
        }],
        ends: (vec![0], vec![1]),
        seed: 20_101,
        randomness: generator.into(),
    }
}

/// Averages of the runs of these numbers, stepped together.
fn averages(
    case: &Case,
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    numbers: Range<u64>,
    steps: &mut Steps,
) -> Result<Vec<Averages>, String> {
    let mut members: Vec<Member> = numbers
        .map(|number| {
            Member::new(system.clone(), protocol.clone(), number, &system.particles.positions)
        })
        .collect();
    let mut sums: Vec<_> = members.iter().map(|_| Sum::new(system)).collect();
    steps.advance(&mut members, case.window.0)?;
    for member in &mut members {
        // Begins new averages.
        member.measure().map_err(|failure| format!("{failure:?}"))?;
    }
    while members.iter().any(|member| member.remaining() > 0) {
        steps.advance(&mut members, EVERY)?;
        for (member, sum) in members.iter_mut().zip(&mut sums) {
            sum.add(member)?;
        }
    }
    Ok(sums.iter().map(Sum::mean).collect())
}

/// What is summed up over the samples of a run.
struct Sum {
    all: Averages,
    samples: f64,
    interactions: Forces<f64>,
    forces: Vec<[f64; 3]>,
}

impl Sum {
    fn new(system: &Arc<System>) -> Sum {
        Sum {
            all: Averages::default(),
            samples: 0.0,
            interactions: Forces::new(system, 4.0),
            forces: vec![[0.0; 3]; system.beads()],
        }
    }

    fn add(&mut self, member: &mut Member) -> Result<(), String> {
        let row = member.measure().map_err(|failure| format!("{failure:?}"))?;
        let value = |observable| row.get(observable).ok_or("a column is empty");
        self.all.bond += value(Observable::BondEnergy)?;
        self.all.native += value(Observable::ContactEnergy)?;
        self.all.repulsive += value(Observable::RepulsionEnergy)?;
        self.all.held += value(Observable::NativeContacts)?;
        self.all.temperature += value(Observable::Temperature)? * BOLTZMANN;
        self.interactions
            .evaluate(&member.positions(), &mut self.forces)
            .map_err(|error| format!("{error:?}"))?;
        let square: f64 = self.forces.iter().flatten().map(|component| component * component).sum();
        self.all.square_force += square / self.forces.len() as f64;
        self.samples += 1.0;
        Ok(())
    }

    fn mean(&self) -> Averages {
        let Sum { all, samples, .. } = self;
        Averages {
            bond: all.bond / samples,
            native: all.native / samples,
            repulsive: all.repulsive / samples,
            held: all.held / samples,
            temperature: all.temperature / samples,
            square_force: all.square_force / samples,
        }
    }
}

fn compare(case: &Case, protocol: &Protocol, averages: &[Averages]) -> [Table; 2] {
    let column = |pick: fn(&Averages) -> f64| -> Vec<f64> { averages.iter().map(pick).collect() };
    let samples = vec![
        column(|run| run.bond),
        column(|run| run.native),
        column(|run| run.repulsive),
        column(|run| run.held),
        column(|run| run.temperature),
    ];
    let digit = 0.5e-5 / 3.0_f64.sqrt();
    let as_many = (averages.len() as f64 / REFERENCE_RUNS as f64).sqrt();
    let temperature_error = (mean_and_standard_error(&samples[4]).1 * as_many).hypot(digit);
    let references = [
        ("bond energy, kcal/mol", case.bond),
        ("native energy, kcal/mol", case.native),
        ("repulsive energy, kcal/mol", case.repulsive),
        ("native contacts", case.held),
        ("T from displacements, kcal/mol", (case.temperature, temperature_error)),
    ];
    let comparisons: Vec<Comparison> = references
        .iter()
        .zip(&samples)
        .map(|((name, reference), samples)| {
            Comparison::new(name, samples, reference.0, reference.1)
        })
        .collect();
    let Dynamics { precision, .. } = protocol.dynamics;
    let variant = format!("{} precision, {}", precision.name(), protocol.randomness.name());
    let conditions = format!(
        "T 0.6 kcal/mol, friction 12500 kcal ps/(mol A^2), steps of 20 ps, repulsion cut at 20 A; from the native structure, steps {} to {}, {variant}.",
        case.window.0, case.window.1
    );
    let with_sop_gpu = Table {
        title: format!("{}, against SOP-GPU ({variant})", case.title),
        conditions: conditions.clone(),
        runs: averages.len(),
        joint_probability: joint_probability_of_correlated(&comparisons, &samples),
        comparisons,
        statements: vec![],
    };
    let corrected: Vec<f64> = averages
        .iter()
        .map(|run| run.temperature - TIMESTEP * run.square_force / (6.0 * FRICTION))
        .collect();
    let law = vec![Comparison::new("T − h⟨F·F⟩/6ζ, kcal/mol", &corrected, TEMPERATURE, 0.0)];
    let with_law = Table {
        title: format!("{}, drift in the estimate of T ({variant})", case.title),
        conditions,
        runs: averages.len(),
        joint_probability: joint_probability(&law),
        comparisons: law,
        statements: vec![],
    };
    [with_sop_gpu, with_law]
}
