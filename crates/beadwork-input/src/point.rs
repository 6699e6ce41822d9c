//! Reads a point of a request section by section, as its model requires.

use std::sync::Arc;

use beadwork_model::observables::Observable;
use beadwork_model::potentials::NativeContact;
use beadwork_model::{Dynamics, Exchange, Protocol, Stage, System, advice};
use beadwork_structure::{Label, Selection};

use crate::averaged::{self, Answer};
use crate::beads;
use crate::built::Built;
use crate::contact_rules;
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location};
use crate::exchange::{self, Ladders};
use crate::impossible_rules;
use crate::motion::{self, Kind, Motion, Reader, Resolved, start_place};
use crate::noise::Noise;
use crate::oscillators;
use crate::plausible;
use crate::point_checks::{check_analysed, place_of_conflict, refuse_columns};
use crate::request::Point;
use crate::sampling;
use crate::sections::section_node;
use crate::selection::{SelectedBeads, select, warning_of_parts};
use crate::settings::{self, Analysis, EndsChoice, OutputRead, RunSettings};
use crate::stages::{self, StageContext, StagesRead};
use crate::steps::{Clock, TimeStep};
use crate::without_effect;

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

impl Reader<'_> {
    /// Reads the document of a point, in which the sweep's values are already set.
    pub fn point(&mut self, root: &Node) -> Result<PointRead, Error> {
        let section = |key| section_node(root, key);
        let kind = motion::kind(root)?;
        let mut resolved = Resolved::new();
        let Motion {
            moved,
            dynamics,
            displacement,
            ladders,
            replicas,
            seed,
            randomness,
            noise,
            built,
            far,
        } = self.motion(root, &kind, &mut resolved)?;
        let Kind { system, model, units, stages: (stage_nodes, stage_place) } = kind;
        let clock = motion::clock(moved.as_ref());

        let mut keep = |key, table| resolved.insert(key, Value::Table(table));
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
                timed_stages(stage_nodes, &built.system, &dynamics, timestep, ladders.is_some())?
            }
            Clock::Sweeps => {
                let every = ladders.as_ref().map(|ladders| ladders.exchange.every);
                (sampling::read_stages(stage_nodes, displacement, every)?, Vec::new())
            }
        };
        refuse_stages(&kind, &stages, &built, &dynamics)?;
        if ladders.is_some() {
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
        let point = point_of(&built, protocol, exchange, selections);
        check_analysed(&section("analysis"), &analysis, &point)?;
        Ok(PointRead { point, replicas, output, analysis, run, noise, warnings, resolved })
    }
}

/// The point of what was read; its settings are added later.
fn point_of(
    built: &Built,
    protocol: Protocol,
    exchange: Option<Arc<Exchange>>,
    selections: Vec<SelectedBeads>,
) -> Point {
    Point {
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
    }
}

/// Refuses stages that cannot be run with their system.
fn refuse_stages(
    kind: &Kind<'_>,
    stages: &[Stage],
    built: &Built,
    dynamics: &Dynamics,
) -> Result<(), Error> {
    let (nodes, place) = kind.stages;
    let (system, starts) = (&built.system, built.starts.as_deref());
    beads::refuse_overlap(start_place(kind.system), system, stages)?;
    stages::refuse_inside(nodes, stages, system, dynamics, starts)?;
    oscillators::leave_alone(system, stages, place)?;
    stages::refuse_short_lines(nodes, stages, system, starts)
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
