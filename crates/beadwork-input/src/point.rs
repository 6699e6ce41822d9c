//! Reads a point of a request section by section, as its model requires.

use std::collections::BTreeMap;
use std::sync::Arc;

use beadwork_model::externals::External;
use beadwork_model::observables::Observable;
use beadwork_model::{
    Boundary, Dynamics, Exchange, Integrator, Interactions, Protocol, Stage, System, advice,
};
use beadwork_structure::Label;

use crate::averaged::{self, Answer};
use crate::beads;
use crate::built::{Built, BuiltSystems};
use crate::contact_rules;
use crate::document::{Node, Table, Value};
use crate::ensemble::Ensemble;
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, MISSING_KEY, WRONG_TYPE};
use crate::exchange::{self, Ladders};
use crate::files::Files;
use crate::models::{ELASTIC_POLYMER, MODELS, OSCILLATORS, check_model, model, units};
use crate::noise::Noise;
use crate::oscillators;
use crate::plausible;
use crate::request::Point;
use crate::sampling;
use crate::section::{Read, Section};
use crate::sections::section_node;
use crate::selection::{SelectedBeads, select};
use crate::settings::{
    self, Analysis, DynamicsRead, EndsChoice, OutputRead, RandomRead, RunSettings,
    TypesWithFriction,
};
use crate::stages::{self, StageContext, StagesRead};
use crate::steps::Clock;
use crate::system;
use crate::without_effect;

const STAGE_EXAMPLE: &str = "duration = \"20 us\"";
const NO_EXCHANGE: (&str, &str) = (
    "exchange",
    "its particles do not interact, so exchange does not help; leave it out, or sweep dynamics.temperature",
);
const NO_SAMPLING: (&str, &str) =
    ("sampling", "only elastic polymers are sampled; write [dynamics]");

/// Data that the points share while they are read.
pub(crate) struct Reader<'a> {
    pub files: Files,
    pub built: BuiltSystems,
    pub ensemble: &'a Ensemble,
    pub default_folder: String,
}

/// Sections in resolved form.
pub(crate) type Resolved = BTreeMap<&'static str, Value>;

pub(crate) struct PointRead {
    /// The point; its settings are added later.
    pub point: Point,
    pub replicas: u64,
    pub output: OutputRead,
    pub analysis: Analysis,
    pub run: RunSettings,
    /// Which noise the run gets, and where the input says so.
    pub noise: (Noise, Location),
    pub warnings: Vec<String>,
    /// The resolved form of each section except `[ensemble]`.
    pub resolved: Resolved,
}

/// The stages of a document, at least one, and the place of the first.
fn stage_nodes<'a>(root: &'a Node, example: &str) -> Result<(&'a [Node], &'a Location), Error> {
    let stage = root.get("stage").ok_or_else(|| {
        let problem =
            format!("there is no stage; write for example [[stage]] and {example} below it");
        root.place.error(MISSING_KEY, problem)
    })?;
    let list = stage.list().filter(|list| !list.is_empty()).ok_or_else(|| {
        let problem =
            "stages are written [[stage]], in double brackets, since there may be several";
        stage.place.error(WRONG_TYPE, problem)
    })?;
    Ok((list, &stage.place))
}

impl Reader<'_> {
    /// Reads the document of a point, in which the sweep's values are already set.
    pub fn point(&mut self, root: &Node) -> Result<PointRead, Error> {
        let section = |key| section_node(root, key);
        let system = root.get("system").ok_or_else(|| {
            let problem = "the section [system] is missing; write for example [system] and structure = \"1TIT.pdb\" below it";
            root.place.error(MISSING_KEY, problem)
        })?;
        check_model(system)?;
        let model = model(system).unwrap_or(MODELS[0]);
        let units = units(system);
        let (example, refused): (_, &[(&str, &str)]) = match model {
            ELASTIC_POLYMER => ("sweeps = 1_000_000", &sampling::SECTIONS_OF_OTHERS),
            OSCILLATORS => (STAGE_EXAMPLE, &[NO_EXCHANGE, NO_SAMPLING]),
            _ => (STAGE_EXAMPLE, &[NO_SAMPLING]),
        };
        Section::refuse(root, "", model, refused)?;
        let (stage_nodes, stage_place) = stage_nodes(root, example)?;

        let mut resolved = Resolved::new();
        let mut keep = |key, table| resolved.insert(key, Value::Table(table));
        let exchanges = root.get("exchange").is_some();
        // Set for models that move in time; chains that are sampled have no time step.
        let mut moved = None;
        if model != ELASTIC_POLYMER {
            let (read, table) = settings::read_dynamics(
                &section("dynamics"),
                model,
                units,
                exchanges,
                types_have_friction(system),
            )?;
            keep("dynamics", table);
            moved = Some(read);
        }
        let clock = moved.as_ref().map_or(Clock::Sweeps, |read| Clock::Steps(&read.timestep));
        let (mut ladders, mut replicas) = (None, self.ensemble.replicas);
        if let Some((read, table)) = self.ladders(root, clock)? {
            keep("exchange", table);
            replicas = read.replicas();
            ladders = Some(read);
        }
        // Before the system, whose beads may be placed at random.
        let RandomRead { seed, randomness, noise, resolved: table } = match &moved {
            Some(read) => settings::read_random(&section("random"), read.dynamics.integrator)?,
            None => sampling::read_random(&section("random"))?,
        };
        keep("random", table);
        let (table, built) =
            system::read(system, &mut self.files, replicas, &mut self.built, moved.as_ref(), seed)?;
        keep("system", table);
        if exchanges && built.velocities.is_some() {
            let problem = "[system]: `start` has velocities = \"file\", and [exchange] begins each replica at the temperature of its rung: write velocities = \"draw\"";
            return Err(system.place.error(CONFLICT, problem));
        }
        let (mut dynamics, displacement) = match &moved {
            Some(read) => (read.dynamics.clone(), 0.0),
            None => {
                let node = section("sampling");
                let (dynamics, displacement, table) =
                    sampling::read_sampling(&node, &built.system, exchanges)?;
                keep("sampling", table);
                (dynamics, displacement)
            }
        };
        if let Some(read) = &moved {
            refuse_unstable(&built.system, &dynamics, read)?;
        }
        if let Some(ladders) = &ladders {
            dynamics.temperature = ladders.exchange.temperatures[0];
        }
        let (output, table) =
            settings::read_output(&section("output"), &self.default_folder, model, clock)?;
        keep("output", table);
        let (analysis, table) = settings::read_analysis(&section("analysis"), clock, units)?;
        // Chains have no other key there, and their resolved form keeps that of runs which ask for nothing.
        if matches!(clock, Clock::Steps(_)) || !analysis.stages.is_empty() {
            keep("analysis", table);
        }
        let (run, table) = settings::read_run(&section("run"))?;
        keep("run", table);

        let beads = &built.system.particles.labels;
        let observables: Vec<Observable> = built.system.observables(&dynamics).collect();
        let mut selections = Vec::new();
        let StagesRead { stages, placements, resolved: tables } = match clock {
            Clock::Steps(timestep) => {
                let mut context = StageContext {
                    beads,
                    observables: &observables,
                    timestep,
                    temperature: dynamics.temperature,
                    exchanges,
                    before: None,
                    selections,
                };
                let read = stages::read(stage_nodes, &mut context)?;
                selections = context.selections;
                read
            }
            Clock::Sweeps => {
                let every = ladders.as_ref().map(|ladders| ladders.exchange.every);
                sampling::read_stages(stage_nodes, displacement, every)?
            }
        };
        beads::refuse_overlap(start_place(system), &built.system, &stages)?;
        let starts = built.starts.as_deref();
        stages::refuse_inside(stage_nodes, &stages, &built.system, &dynamics, starts)?;
        oscillators::leave_alone(&built.system, &stages, stage_place)?;
        stages::refuse_short_lines(stage_nodes, &stages, &built.system, starts)?;
        if exchanges {
            exchange::leave_unpulled(&stages, stage_nodes)?;
        }
        let tables = tables.into_iter().map(|table| Node::new(Value::Table(table), stage_place));
        resolved.insert("stage", Value::List(tables.collect()));
        let ends = ends(&output.ends, &stages, beads, &mut selections)?;
        let exchange = match ladders {
            None => None,
            Some(Ladders { mut exchange, .. }) => {
                exchange.tunings = exchange::tunings(&exchange, &stages, &placements)?;
                Some(Arc::new(exchange))
            }
        };
        refuse_columns(&output.columns, &built.system, &dynamics, &stages)?;
        let columns = output.columns.value.clone();
        let protocol = Protocol { dynamics, stages, ends, columns, seed, randomness };
        if let Some(problem) = built.system.problem_with(&protocol) {
            let (place, advice) = place_of_conflict(root, system, &built.system, &protocol);
            return Err(place.error(CONFLICT, format!("[system]: {problem}{advice}")));
        }
        let mut warnings =
            warnings(&built, &protocol, exchange.as_deref(), replicas, &output, clock);
        warnings.extend(plausible::warnings(&resolved, model, units));
        let of_none = without_effect::warnings(stage_nodes, &built.system, &protocol, &analysis);
        warnings.extend(of_none);
        let point = Point {
            settings: Vec::new(),
            system: built.system.clone(),
            assembly: built.assembly.clone(),
            turned: built.turned.clone(),
            chains: built.chains.clone(),
            start: built.start.clone(),
            protocol: Arc::new(protocol),
            exchange,
            selections,
            starts: built.starts.clone(),
            velocities: built.velocities.clone(),
        };
        check_analysed(&section("analysis"), &analysis, &point)?;
        Ok(PointRead { point, replicas, output, analysis, run, noise, warnings, resolved })
    }

    /// The ladders of `[exchange]`, if there are any, and their resolved form.
    fn ladders(&self, root: &Node, clock: Clock<'_>) -> Result<Option<(Ladders, Table)>, Error> {
        let Some(node) = root.get("exchange") else { return Ok(None) };
        if let Some(place) = &self.ensemble.replicas_place {
            let problem = "[ensemble]: `replicas` has no place beside [exchange], which has a replica for each temperature: leave it out, and write `ladders` in [exchange] for independent repetitions";
            return Err(place.error(CONFLICT, problem));
        }
        let (read, table) = exchange::read(node, clock)?;
        self.ensemble.check_members(read.replicas(), "[exchange]", &read.place)?;
        Ok(Some((read, table)))
    }
}

/// Which types of `[system]` have a friction of their own; `None` if none has.
fn types_have_friction(system: &Node) -> Option<TypesWithFriction> {
    let types = system.get("types").and_then(Node::list).unwrap_or_default();
    let with = types.iter().filter(|kind| kind.get("friction").is_some()).count();
    match with {
        0 => None,
        all if all == types.len() => Some(TypesWithFriction::All),
        _ => Some(TypesWithFriction::Some),
    }
}

/// The line to change where a system and its dynamics or drives exclude each other, and how if the problem does not say it.
fn place_of_conflict<'a>(
    root: &'a Node,
    system: &'a Node,
    built: &System,
    protocol: &Protocol,
) -> (&'a Location, &'static str) {
    let integrator = protocol.dynamics.integrator;
    if built.interactions.thermostat.is_some() && integrator != Integrator::VelocityVerlet {
        // Where no integrator is written, the section that lacks it.
        let dynamics = root.get("dynamics");
        let written = dynamics.and_then(|section| section.get("integrator")).or(dynamics);
        let advice = ": write integrator = \"velocity-verlet\" in [dynamics]";
        return (written.map_or(&system.place, |node| &node.place), advice);
    }
    let stages = root.get("stage").and_then(Node::list).unwrap_or_default();
    let driven = stages.iter().zip(&protocol.stages).find(|(_, stage)| !stage.externals.is_empty());
    let externals = driven.and_then(|(node, _)| node.get("drives"));
    (externals.map_or(&system.place, |node| &node.place), "")
}

/// Whether potentials act on beads that interact; oscillators have a column of their own, of all their dimensions.
fn has_forces(system: &System) -> bool {
    let Interactions { bonded, pairs, angles, singles, .. } = &system.interactions;
    let is_empty = bonded.is_empty() && pairs.is_empty() && angles.is_empty() && singles.is_empty();
    !is_empty && system.independent_particles().is_none()
}

/// Refuses columns on request that a system does not have.
fn refuse_columns(
    columns: &Read<Vec<Observable>>,
    system: &System,
    dynamics: &Dynamics,
    stages: &[Stage],
) -> Result<(), Error> {
    let has = |column| columns.value.contains(&column);
    let problem = if has(Observable::PressureXx) && system.boundary == Boundary::Open {
        "\"pressure_tensor\" needs a periodic box"
    } else if has(Observable::MomentumX) && !dynamics.integrator.has_velocities() {
        "\"momentum\" needs an integrator with velocities"
    } else if has(Observable::ConfigurationalTemperature)
        && stages.iter().any(|stage| !stage.externals.is_empty())
    {
        "\"configurational_temperature\" does not work in a run with drives"
    } else if has(Observable::ConfigurationalTemperature) && !has_forces(system) {
        "\"configurational_temperature\" needs potentials of beads"
    } else {
        return Ok(());
    };
    let problem = format!("`columns` in `table` of [output]: {problem}; remove it from the list");
    Err(columns.place.error(CONFLICT, problem))
}

/// Where `[system]` says how its beads begin.
fn start_place(system: &Node) -> &Location {
    let start = ["start", "build"].into_iter().find_map(|key| system.get(key));
    start.map_or(&system.place, |start| &start.place)
}

/// Refuses a time step at which no integrator with velocities is stable.
fn refuse_unstable(system: &System, dynamics: &Dynamics, read: &DynamicsRead) -> Result<(), Error> {
    let phase = advice::bond_phase(system, dynamics);
    if !dynamics.integrator.has_velocities() || phase < advice::STABLE_BOND_PHASE {
        return Ok(());
    }
    let problem = format!(
        "[dynamics]: `timestep` is too long for the stiffest bond: 2 h sqrt(k/m) is {phase:.2}, and from {} on bonds gain energy until the run explodes; {}",
        advice::STABLE_BOND_PHASE,
        advice::advised_timestep(system, dynamics)
    );
    Err(read.timestep_place.error(BAD_VALUE, problem))
}

/// The warnings about a point with this many replicas.
fn warnings(
    built: &Built,
    protocol: &Protocol,
    exchange: Option<&Exchange>,
    replicas: u64,
    output: &OutputRead,
    clock: Clock<'_>,
) -> Vec<String> {
    let stages = &protocol.stages;
    let unused = exchange.and_then(|exchange| exchange::warning(exchange, stages, clock));
    let held = exchange.and_then(|_| exchange::warning_of_held_beads(stages));
    let fits = sampling::warning_of_fits(stages);
    let tuned = sampling::warning(stages);
    let temperature = [protocol.dynamics.temperature];
    let temperatures = exchange.map_or(&temperature[..], |exchange| &exchange.temperatures);
    let hot = sampling::warning_of_heat(&built.system, temperatures);
    let answer = Answer::of(&built.system, stages, replicas, exchange);
    let every = output.output.table_every;
    let rows = averaged::warnings(stages, every, clock, answer, built.starts.is_some());
    let start = beads::warning_of_velocities(built, &protocol.dynamics);
    let odd = [unused, held, fits, tuned, hot, start].into_iter().flatten().chain(rows);
    let advice = advice::warnings(&built.system, protocol);
    let contacts = contact_rules::warnings(&built.system, protocol, built.starts.as_deref());
    built.warnings.iter().cloned().chain(odd).chain(advice).chain(contacts).collect()
}

fn ends(
    choice: &EndsChoice,
    stages: &[Stage],
    beads: &[Label],
    selections: &mut Vec<SelectedBeads>,
) -> Result<(Vec<usize>, Vec<usize>), Error> {
    match choice {
        EndsChoice::Selections((from, to)) => {
            let mut chosen = |text, role: &str| -> Result<Vec<usize>, Error> {
                let beads = select(beads, text, role)?;
                selections.push((role.to_string(), text.value.clone(), beads.clone()));
                Ok(beads)
            };
            let ends = (chosen(from, "[output], first end")?, chosen(to, "[output], second end")?);
            if ends.0 == ends.1 {
                let which = match ends.0.as_slice() {
                    [_] => "the same bead".to_string(),
                    all => format!("the same {} beads", all.len()),
                };
                let problem = format!(
                    "[output]: `ends`: \"{}\" and \"{}\" select {which}, so that the extension would be 0 in all rows: choose another end",
                    from.value, to.value
                );
                return Err(to.place.error(BAD_VALUE, problem));
            }
            Ok(ends)
        }
        EndsChoice::External => {
            let pulling = stages
                .iter()
                .flat_map(|stage| &stage.externals)
                .filter_map(|external| external.ends())
                .find(|ends| !ends.fixed.is_empty());
            Ok(match pulling {
                Some(ends) => (ends.fixed.clone(), ends.pulled.clone()),
                None => (vec![0], vec![beads.len().saturating_sub(1)]),
            })
        }
    }
}

/// Refuses stages and deformations of `[analysis]` that a point cannot answer for.
fn check_analysed(node: &Node, analysis: &Analysis, point: &Point) -> Result<(), Error> {
    for name in &analysis.stages {
        point.analysed_stage(name).map_err(|problem| {
            let place = node.get("stages").map_or(&node.place, |node| &node.place);
            place.error(BAD_VALUE, format!("[analysis]: `stages`: {problem}"))
        })?;
    }
    let mut externals = point.protocol.stages.iter().flat_map(|stage| &stage.externals);
    let has_tip = externals.any(|external| matches!(external, External::Tip(_)));
    let ranges = [("slope", analysis.slope), ("hertz", analysis.hertz)];
    match ranges.into_iter().find(|(_, range)| range.is_some() && !has_tip) {
        None => Ok(()),
        Some((key, _)) => {
            let place = node.get(key).map_or(&node.place, |node| &node.place);
            let problem = format!("[analysis]: `{key}`: no stage has a tip, which would deform");
            Err(place.error(BAD_VALUE, problem))
        }
    }
}
