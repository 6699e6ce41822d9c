//! A point of a request: its sections, by the model that they are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use beadwork_model::drives::Drive;
use beadwork_model::{Exchange, Protocol, Stage};
use beadwork_structure::Label;

use crate::averaged::{self, Answer};
use crate::document::{Node, Place, Table, Value};
use crate::ensemble::Ensemble;
use crate::error::{CONFLICT, Error, MISSING_KEY, WRONG_TYPE};
use crate::exchange::{self, Asked, Ladders};
use crate::files::Files;
use crate::oscillators::{self, OSCILLATORS};
use crate::polymers::{self, ELASTIC_POLYMER};
use crate::request::SelectedBeads;
use crate::section::Section;
use crate::settings::{self, Analysis, EndsChoice, OutputRead, RunSettings};
use crate::stages::{self, Context, StagesRead};
use crate::steps::Clock;
use crate::system::{self, Built, BuiltSystems, MODELS, select};

/// What points have in common while they are read.
pub(crate) struct Reader<'a> {
    pub files: Files,
    pub built: BuiltSystems,
    pub ensemble: &'a Ensemble,
    pub default_folder: String,
}

/// Sections in resolved form.
type Resolved = BTreeMap<&'static str, Value>;

/// A point as it was read.
pub(crate) struct PointRead {
    pub built: Arc<Built>,
    pub protocol: Protocol,
    pub exchange: Option<Arc<Exchange>>,
    pub replicas: u64,
    pub selections: Vec<SelectedBeads>,
    pub output: OutputRead,
    pub analysis: Analysis,
    pub run: RunSettings,
    /// What looks odd beside what the model's advice is about.
    pub warnings: Vec<String>,
    /// By section, `[ensemble]` excepted.
    pub resolved: Resolved,
}

/// A section, empty where it is absent.
pub(crate) fn section_node(root: &Node, key: &str) -> Node {
    root.table().and_then(|table| table.get(key)).cloned().unwrap_or_else(|| Node {
        value: Value::Table(Table::default()),
        place: root.place.clone(),
    })
}

/// Refuses sections that other models have, each with what to do instead.
fn refuse_sections(root: &Node, model: &str, sections: &[(&str, &str)]) -> Result<(), Error> {
    for entry in root.table().into_iter().flat_map(|table| &table.entries) {
        if let Some((key, instead)) = sections.iter().find(|(key, _)| *key == entry.key) {
            let problem = format!("[{key}] has no place in a run of \"{model}\": {instead}");
            return Err(Error::new(CONFLICT, problem).at(entry.place.location()));
        }
    }
    Ok(())
}

/// The stages of a document, at least one, and the place of the first.
fn stage_nodes(root: &Node, example: &str) -> Result<(Vec<Node>, Place), Error> {
    let stage = section_node(root, "stage");
    if root.table().is_some_and(|table| table.get("stage").is_none()) {
        let problem =
            format!("there is no stage; write for example [[stage]] and {example} below it");
        return Err(Error::new(MISSING_KEY, problem).at(root.place.location()));
    }
    match stage.list() {
        Some(list) if !list.is_empty() => Ok((list.to_vec(), stage.place)),
        _ => {
            let problem =
                "stages are written [[stage]], in double brackets, since there may be several";
            Err(Error::new(WRONG_TYPE, problem).at(stage.place.location()))
        }
    }
}

/// Stages in resolved form.
fn stage_list(tables: Vec<Table>, place: &Place) -> Value {
    let node = |table| Node { value: Value::Table(table), place: place.clone() };
    Value::List(tables.into_iter().map(node).collect())
}

impl Reader<'_> {
    /// Reads the document of a point, into which its values of the sweep are put.
    pub fn point(&mut self, root: &Node) -> Result<PointRead, Error> {
        let system = section_node(root, "system");
        if root.table().is_some_and(|table| table.get("system").is_none()) {
            let problem = "the section [system] is missing; write for example [system] and structure = \"1TIT.pdb\" below it";
            return Err(Error::new(MISSING_KEY, problem).at(root.place.location()));
        }
        system::check_model(&system)?;
        match system::model(&system) {
            Some(ELASTIC_POLYMER) => self.sampled(root),
            Some(OSCILLATORS) => {
                let instead = "its particles do not interact, so that no temperature helps another; leave it out, or sweep dynamics.temperature";
                refuse_sections(root, OSCILLATORS, &[("exchange", instead)])?;
                self.moved(root)
            }
            _ => self.moved(root),
        }
    }

    /// `[exchange]`, if it is there, and the number of replicas.
    fn exchange(
        &self,
        root: &Node,
        clock: Clock<'_>,
        resolved: &mut Resolved,
    ) -> Result<(Option<Ladders>, u64), Error> {
        let Some(node) = root.table().and_then(|table| table.get("exchange")) else {
            return Ok((None, self.ensemble.replicas));
        };
        exchange::refuse_replicas(self.ensemble.replicas_place.as_ref())?;
        let (ladders, table) = exchange::read(node, clock)?;
        resolved.insert("exchange", Value::Table(table));
        let replicas = ladders.replicas();
        self.ensemble.check_members(replicas, "[exchange]", &ladders.place)?;
        Ok((Some(ladders), replicas))
    }

    /// A point whose beads move in time.
    fn moved(&mut self, root: &Node) -> Result<PointRead, Error> {
        let section = |key| section_node(root, key);
        let (stage_nodes, place) = stage_nodes(root, "duration = \"20 us\"")?;
        let model = system::model(&section("system")).unwrap_or(MODELS[0]).to_string();
        let instead = "only elastic polymers are sampled; write [dynamics]";
        refuse_sections(root, &model, &[("sampling", instead)])?;

        let mut resolved = Resolved::new();
        let exchanges = root.table().is_some_and(|table| table.get("exchange").is_some());
        let (mut dynamics, timestep, table) =
            settings::read_dynamics(&section("dynamics"), exchanges)?;
        resolved.insert("dynamics", Value::Table(table));
        let clock = Clock::Steps(&timestep);
        let (ladders, replicas) = self.exchange(root, clock, &mut resolved)?;
        if let Some(ladders) = &ladders {
            dynamics.temperature = ladders.exchange.temperatures[0];
        }
        let (table, built) =
            system::read(&section("system"), &mut self.files, replicas, &mut self.built)?;
        resolved.insert("system", Value::Table(table));
        let (seed, randomness, table) =
            settings::read_random(&section("random"), dynamics.integrator)?;
        resolved.insert("random", Value::Table(table));
        let (output, table) =
            settings::read_output(&section("output"), &self.default_folder, clock)?;
        resolved.insert("output", Value::Table(table));
        let (analysis, table) = settings::read_analysis(&section("analysis"))?;
        resolved.insert("analysis", Value::Table(table));
        let (run, table) = settings::read_run(&section("run"))?;
        resolved.insert("run", Value::Table(table));

        let beads = &built.system.particles.labels;
        let mut selections = Vec::new();
        let context = Context { beads, timestep: &timestep, exchanges };
        let StagesRead { stages, placements, resolved: tables } =
            stages::read(&stage_nodes, &context, &mut selections)?;
        oscillators::leave_alone(&built.system, &stages, &place)?;
        if ladders.is_some() {
            exchange::leave_unpulled(&stages, &stage_nodes)?;
        }
        resolved.insert("stage", stage_list(tables, &place));
        let ends = ends(&output.ends, &stages, beads, &mut selections)?;
        let protocol = Protocol { dynamics, stages, ends, seed, randomness };
        let exchange = tuned(ladders, &protocol.stages, &placements)?;
        let unused =
            exchange.iter().filter_map(|each| exchange::warning(each, &protocol.stages, "steps"));
        let held =
            exchange.iter().filter_map(|_| exchange::warning_of_held_beads(&protocol.stages));
        let odd =
            odd_rows(&built, &protocol.stages, exchange.as_deref(), (replicas, &output, clock));
        let warnings = unused.chain(held).chain(odd).collect();
        Ok(PointRead {
            built,
            protocol,
            exchange,
            replicas,
            selections,
            output,
            analysis,
            run,
            warnings,
            resolved,
        })
    }

    /// A point whose chains are sampled.
    fn sampled(&mut self, root: &Node) -> Result<PointRead, Error> {
        let section = |key| section_node(root, key);
        let (stage_nodes, place) = stage_nodes(root, "sweeps = 1_000_000")?;
        refuse_sections(root, ELASTIC_POLYMER, &polymers::SECTIONS_OF_OTHERS)?;

        let mut resolved = Resolved::new();
        let (ladders, replicas) = self.exchange(root, Clock::Sweeps, &mut resolved)?;
        let (table, built) =
            system::read(&section("system"), &mut self.files, replicas, &mut self.built)?;
        resolved.insert("system", Value::Table(table));
        let (mut dynamics, displacement, table) =
            polymers::read_sampling(&section("sampling"), &built.system, ladders.is_some())?;
        resolved.insert("sampling", Value::Table(table));
        let every = ladders.as_ref().map(|ladders| ladders.exchange.every);
        if let Some(ladders) = &ladders {
            dynamics.temperature = ladders.exchange.temperatures[0];
        }
        let (seed, randomness, table) = polymers::read_random(&section("random"))?;
        resolved.insert("random", Value::Table(table));
        let output = section("output");
        Section::refuse(&output, "[output]", ELASTIC_POLYMER, &polymers::OUTPUT_OF_OTHERS)?;
        let (output, table) = settings::read_output(&output, &self.default_folder, Clock::Sweeps)?;
        resolved.insert("output", Value::Table(table));
        let (analysis, _) = settings::read_analysis(&section("analysis"))?;
        let (run, table) = settings::read_run(&section("run"))?;
        resolved.insert("run", Value::Table(table));
        let StagesRead { stages, placements, resolved: tables } =
            polymers::read_stages(&stage_nodes, displacement, every)?;
        resolved.insert("stage", stage_list(tables, &place));

        let ends = (vec![0], vec![built.system.beads() - 1]);
        let protocol = Protocol { dynamics, stages, ends, seed, randomness };
        let exchange = tuned(ladders, &protocol.stages, &placements)?;
        let unused = exchange
            .as_ref()
            .and_then(|exchange| exchange::warning(exchange, &protocol.stages, "sweeps"));
        let odd = odd_rows(
            &built,
            &protocol.stages,
            exchange.as_deref(),
            (replicas, &output, Clock::Sweeps),
        );
        let tuned = polymers::warning(&protocol.stages);
        let fits = polymers::warning_of_fits(&protocol.stages);
        let temperatures = match &exchange {
            Some(exchange) => exchange.temperatures.as_slice(),
            None => &[protocol.dynamics.temperature],
        };
        let hot = polymers::warning_of_heat(&built.system, temperatures);
        let warnings = unused.into_iter().chain(fits).chain(tuned).chain(hot).chain(odd).collect();
        let selections = Vec::new();
        Ok(PointRead {
            built,
            protocol,
            exchange,
            replicas,
            selections,
            output,
            analysis,
            run,
            warnings,
            resolved,
        })
    }
}

/// What looks odd in the rows of so many replicas.
fn odd_rows(
    built: &Built,
    stages: &[Stage],
    exchange: Option<&Exchange>,
    (replicas, output, clock): (u64, &OutputRead, Clock<'_>),
) -> Vec<String> {
    let answer = Answer::of(&built.system, stages, replicas, exchange);
    let every = output.output.table_every;
    averaged::warnings(stages, every, clock, answer, built.starts.is_some())
}

/// The exchanges of a point, with those of its stages that place temperatures anew.
fn tuned(
    ladders: Option<Ladders>,
    stages: &[Stage],
    placements: &[Asked],
) -> Result<Option<Arc<Exchange>>, Error> {
    let Some(Ladders { mut exchange, .. }) = ladders else { return Ok(None) };
    exchange.tunings = exchange::tunings(&exchange, stages, placements)?;
    Ok(Some(Arc::new(exchange)))
}

fn ends(
    choice: &EndsChoice,
    stages: &[Stage],
    beads: &[Label],
    selections: &mut Vec<SelectedBeads>,
) -> Result<(Vec<usize>, Vec<usize>), Error> {
    match choice {
        EndsChoice::Selections([from, to]) => {
            let mut chosen = |text, role: &str| -> Result<Vec<usize>, Error> {
                let beads = select(beads, text, role)?;
                selections.push((role.to_string(), text.value.clone(), beads.clone()));
                Ok(beads)
            };
            Ok((chosen(from, "[output], first end")?, chosen(to, "[output], second end")?))
        }
        EndsChoice::Drive => {
            let pulling = stages
                .iter()
                .flat_map(|stage| &stage.drives)
                .filter_map(Drive::ends)
                .find(|ends| !ends.fixed.is_empty());
            Ok(match pulling {
                Some(ends) => (ends.fixed.clone(), ends.pulled.clone()),
                None => (vec![0], vec![beads.len().saturating_sub(1)]),
            })
        }
    }
}
