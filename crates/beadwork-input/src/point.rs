//! Reads a point of a request section by section, as its model requires.

use std::collections::BTreeMap;
use std::sync::Arc;

use beadwork_model::observables::Observable;
use beadwork_model::potentials::NativeContact;
use beadwork_model::{Dynamics, Exchange, Protocol, Stage, System, Units, advice};
use beadwork_structure::{Label, Selection};

use crate::averaged::{self, Answer};
use crate::beads;
use crate::built::{Built, BuiltSystems};
use crate::contact_rules;
use crate::document::{Node, Table, Value};
use crate::ensemble::Ensemble;
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, MISSING_KEY, WRONG_TYPE};
use crate::exchange::{self, Ladders};
use crate::far_starts;
use crate::files::Files;
use crate::impossible_rules;
use crate::models::{ELASTIC_POLYMER, MODELS, OSCILLATORS, check_model, model, units};
use crate::noise::Noise;
use crate::oscillators;
use crate::plausible;
use crate::point_checks::{check_analysed, place_of_conflict, refuse_columns, refuse_unstable};
use crate::request::Point;
use crate::sampling;
use crate::section::Section;
use crate::sections::section_node;
use crate::selection::{SelectedBeads, select, warning_of_parts};
use crate::settings::{
    self, Analysis, EndsChoice, OutputRead, RandomRead, RunSettings, TypesWithFriction,
};
use crate::stages::{self, StageContext, StagesRead};
use crate::steps::{Clock, TimeStep};
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

/// What decides how the sections of an input are read.
struct Kind<'a> {
    system: &'a Node,
    model: &'a str,
    units: Units,
    /// At least one, and the place of the first.
    stages: (&'a [Node], &'a Location),
}

/// The kind of an input, which may have no section of another kind.
fn kind(root: &Node) -> Result<Kind<'_>, Error> {
    let system = root.get("system").ok_or_else(|| {
        let problem = "the section [system] is missing; write for example [system] and structure = \"1TIT.pdb\" below it";
        root.place.error(MISSING_KEY, problem)
    })?;
    check_model(system)?;
    let model = model(system).unwrap_or(MODELS[0]);
    let (example, refused): (_, &[(&str, &str)]) = match model {
        ELASTIC_POLYMER => ("sweeps = 1_000_000", &sampling::SECTIONS_OF_OTHERS),
        OSCILLATORS => (STAGE_EXAMPLE, &[NO_EXCHANGE, NO_SAMPLING]),
        _ => (STAGE_EXAMPLE, &[NO_SAMPLING]),
    };
    Section::refuse(root, "", model, refused)?;
    Ok(Kind { system, model, units: units(system), stages: stage_nodes(root, example)? })
}

impl Reader<'_> {
    /// Reads the document of a point, in which the sweep's values are already set.
    pub fn point(&mut self, root: &Node) -> Result<PointRead, Error> {
        let section = |key| section_node(root, key);
        let Kind { system, model, units, stages: (stage_nodes, stage_place) } = kind(root)?;
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
        let starts = built.starts.as_deref();
        let far = far_starts::warning(start_place(system), &built.system, &dynamics, starts);
        let far = match far {
            Err(error) if self.files.is_begun => Some(error.to_string()),
            far => far?,
        };
        if let Some(ladders) = &ladders {
            dynamics.temperature = ladders.exchange.temperatures[0];
        }
        let (output, table) =
            settings::read_output(&section("output"), &self.default_folder, model, clock)?;
        keep("output", table);
        let (analysis, table) =
            settings::read_analysis(&section("analysis"), clock, units, self.files.is_begun)?;
        // Chains have no other key there, and their resolved form keeps that of runs which ask for nothing.
        if matches!(clock, Clock::Steps(_)) || !analysis.stages.is_empty() {
            keep("analysis", table);
        }
        let (run, table) = settings::read_run(&section("run"))?;
        keep("run", table);

        let (StagesRead { stages, placements, resolved: tables }, mut selections) = match clock {
            Clock::Steps(timestep) => {
                timed_stages(stage_nodes, &built.system, &dynamics, timestep, exchanges)?
            }
            Clock::Sweeps => {
                let every = ladders.as_ref().map(|ladders| ladders.exchange.every);
                (sampling::read_stages(stage_nodes, displacement, every)?, Vec::new())
            }
        };
        beads::refuse_overlap(start_place(system), &built.system, &stages)?;
        stages::refuse_inside(stage_nodes, &stages, &built.system, &dynamics, starts)?;
        oscillators::leave_alone(&built.system, &stages, stage_place)?;
        stages::refuse_short_lines(stage_nodes, &stages, &built.system, starts)?;
        if exchanges {
            exchange::leave_unpulled(&stages, stage_nodes)?;
        }
        let tables = tables.into_iter().map(|table| Node::new(Value::Table(table), stage_place));
        resolved.insert("stage", Value::List(tables.collect()));
        let beads = &built.system.particles.labels;
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
        warnings.extend(selections.iter().filter_map(|(role, text, _)| {
            warning_of_parts(role, &Selection::parse(text).ok()?, beads)
        }));
        warnings.extend(far);
        warnings.extend(plausible::warnings(&resolved, model, units));
        let of_none = without_effect::warnings(stage_nodes, &built.system, &protocol, &analysis);
        warnings.extend(of_none);
        let point = Point {
            settings: Vec::new(),
            system: built.system.clone(),
            assembly: built.assembly.clone(),
            turned: built.turned.clone(),
            chains: built.chains.clone(),
            contact_list: built.contact_list.clone(),
            chain_pairs: built.chain_pairs.clone(),
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

/// The stages of a run whose steps take time, and the beads that their selections have matched.
fn timed_stages(
    nodes: &[Node],
    system: &System,
    dynamics: &Dynamics,
    timestep: &TimeStep,
    exchanges: bool,
) -> Result<(StagesRead, Vec<SelectedBeads>), Error> {
    let observables: Vec<Observable> = system.observables(dynamics).collect();
    let mut context = StageContext {
        beads: &system.particles.labels,
        observables: &observables,
        timestep,
        temperature: dynamics.temperature,
        exchanges,
        before: None,
        selections: Vec::new(),
    };
    let read = stages::read(nodes, &mut context)?;
    Ok((read, context.selections))
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

/// Where `[system]` says how its beads begin.
fn start_place(system: &Node) -> &Location {
    let start = ["start", "build", "structure"].into_iter().find_map(|key| system.get(key));
    start.map_or(&system.place, |start| &start.place)
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
    let frames_every = output.output.trajectory.map(|(every, _)| every);
    let is_started = built.starts.is_some();
    let rows = averaged::warnings(stages, every, frames_every, clock, answer, is_started);
    let start = beads::warning_of_velocities(built, &protocol.dynamics);
    let off = warning_of_contacts(&built.system);
    let odd = [unused, held, fits, tuned, hot, start, off].into_iter().flatten().chain(rows);
    let advice = advice::warnings(&built.system, protocol);
    let contacts = contact_rules::warnings(&built.system, protocol, built.starts.as_deref());
    let impossible = impossible_rules::warnings(stages, built.system.units);
    let of_rules = contacts.into_iter().chain(impossible);
    built.warnings.iter().cloned().chain(odd).chain(advice).chain(of_rules).collect()
}

/// Warns of native contacts of which none has an energy.
fn warning_of_contacts(system: &System) -> Option<String> {
    let contacts = system.interactions.bonded_by::<NativeContact>();
    let are_off = contacts.iter().all(|contact| contact.potential.depth == 0.0);
    (are_off && !contacts.is_empty()).then(|| {
        "the energies of all native contacts are 0: native contacts hold nothing together; go on if it is meant".to_string()
    })
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
