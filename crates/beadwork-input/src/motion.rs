//! Reads what the later sections of a point rest on: its model, `[dynamics]` or `[sampling]`, `[exchange]`, `[random]` and `[system]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use beadwork_model::{Dynamics, Randomness, Units};

use crate::built::{Built, BuiltSystems};
use crate::document::{Node, Table, Value};
use crate::ensemble::Ensemble;
use crate::error::{CONFLICT, Error, Location, MISSING_KEY, WRONG_TYPE};
use crate::exchange::{self, Ladders};
use crate::far_starts;
use crate::files::Files;
use crate::models::{ELASTIC_POLYMER, MODELS, OSCILLATORS, check_model, model, units};
use crate::noise::Noise;
use crate::point_checks::refuse_unstable;
use crate::sampling;
use crate::section::Section;
use crate::sections::section_node;
use crate::settings::{self, DynamicsRead, RandomRead, TypesWithFriction};
use crate::steps::Clock;
use crate::system;

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

/// What moves, and how.
pub(crate) struct Motion {
    /// Set for models that move in time; chains that are sampled have no time step.
    pub moved: Option<DynamicsRead>,
    pub dynamics: Dynamics,
    /// The largest component of the first displacements of chains; 0 for what moves in time.
    pub displacement: f64,
    pub ladders: Option<Ladders>,
    pub replicas: u64,
    pub seed: u64,
    pub randomness: Randomness,
    /// Which noise the run gets, and where the input says so.
    pub noise: (Noise, Location),
    pub built: Arc<Built>,
    /// The warning about starts that are far from the origin.
    pub far: Option<String>,
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
pub(crate) struct Kind<'a> {
    pub system: &'a Node,
    pub model: &'a str,
    pub units: Units,
    /// At least one, and the place of the first.
    pub stages: (&'a [Node], &'a Location),
}

/// The kind of an input, which may have no section of another kind.
pub(crate) fn kind(root: &Node) -> Result<Kind<'_>, Error> {
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

/// What the lengths of stages and intervals count.
pub(crate) fn clock(moved: Option<&DynamicsRead>) -> Clock<'_> {
    moved.map_or(Clock::Sweeps, |read| Clock::Steps(&read.timestep))
}

impl Reader<'_> {
    /// Reads what moves, and how, in the document of a point. The resolved forms of its sections go to `resolved`.
    pub fn motion(
        &mut self,
        root: &Node,
        kind: &Kind<'_>,
        resolved: &mut Resolved,
    ) -> Result<Motion, Error> {
        let section = |key| section_node(root, key);
        let Kind { system, model, units, .. } = *kind;
        let mut keep = |key, table| resolved.insert(key, Value::Table(table));
        let exchanges = root.get("exchange").is_some();
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
        let (mut ladders, mut replicas) = (None, self.ensemble.replicas);
        if let Some((read, table)) = self.ladders(root, clock(moved.as_ref()))? {
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
        Ok(Motion {
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
        })
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

/// Where `[system]` says how its beads begin.
pub(crate) fn start_place(system: &Node) -> &Location {
    let start = ["start", "build", "structure"].into_iter().find_map(|key| system.get(key));
    start.map_or(&system.place, |start| &start.place)
}
