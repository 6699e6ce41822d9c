//! A request: the points of its sweep, and what is done with them.

use std::sync::Arc;

use beadwork_model::{Exchange, Model, Protocol, StageKind, System};

use crate::averaged;
use crate::built::StartFile;
use crate::files::InputFile;
use crate::selection::SelectedBeads;
use crate::settings::{Analysis, Output, RunSettings};
use crate::structure_source::{AssemblyUsed, Turned};
use crate::words::quoted;

/// Everything that a person asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The points of the sweep, at least one.
    pub points: Vec<Point>,
    /// Replicas of each point. Replica r of a point is member `point * replicas + r`, and that number keys its noise.
    /// With K exchanged temperatures it begins on rung r mod K of ladder r div K.
    pub replicas: u64,
    /// The output settings.
    pub output: Output,
    /// How the answer is found.
    pub analysis: Analysis,
    /// How the run is executed.
    pub run: RunSettings,
    /// The input as it was written, without overrides.
    pub written: String,
    /// The request as TOML: every default spelled out, overrides applied, quantities as they were written, files named
    /// as in [`Request::files`]. Reading it gives this request.
    pub resolved: String,
    /// Every file that was read.
    pub files: Vec<InputFile>,
    /// Warnings as sentences, without repeats.
    pub warnings: Vec<String>,
    /// What was decided for the run and a person should know, as sentences.
    pub notes: Vec<String>,
}

/// One point of the sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// Path and value of each setting; empty without a sweep.
    pub settings: Vec<(String, String)>,
    /// What is simulated.
    pub system: Arc<System>,
    /// The assembly from which it was built, if it was.
    pub assembly: Option<AssemblyUsed>,
    /// How its structure was turned, if it was.
    pub turned: Option<Turned>,
    /// The identifier in the file of each chain of a protein, in the order of molecules; copies of a chain share one.
    pub chains: Vec<String>,
    /// The name of the file that lists the contacts of a protein, if one does.
    pub contact_list: Option<String>,
    /// The identifiers of two chains whose contacts have an energy of their own, in their order.
    pub chain_pairs: Vec<[String; 2]>,
    /// The file from which beads start, if they do.
    pub start: Option<StartFile>,
    /// Its stages and settings. If temperatures are exchanged, the temperature here is the lowest.
    pub protocol: Arc<Protocol>,
    /// The temperatures that its replicas exchange, if they do.
    pub exchange: Option<Arc<Exchange>>,
    /// The beads that each selection matched.
    pub selections: Vec<SelectedBeads>,
    /// Start coordinates, Å or reduced: one set for each replica, or one for all. If `None`, the system's own.
    pub starts: Option<Vec<Vec<[f64; 3]>>>,
    /// Start velocities, Å/ps or reduced: one set for each replica, or one for all. If `None`, they are drawn.
    pub velocities: Option<Vec<Arc<Vec<[f64; 3]>>>>,
}

impl Point {
    /// `pull.speed = 5 um/s, dynamics.temperature = 300 K`; empty without a sweep.
    pub fn settings_in_words(&self) -> String {
        in_words(&self.settings)
    }

    /// The velocities with which one of the point's replicas begins; `None` if they are drawn.
    pub fn velocities_of(&self, replica: u64) -> Option<Arc<Vec<[f64; 3]>>> {
        let velocities = self.velocities.as_ref()?;
        velocities.get(replica as usize).or(velocities.last()).cloned()
    }

    /// The number of the stage of this name, if an answer can be of its rows alone.
    ///
    /// # Errors
    /// A sentence that says why it cannot.
    pub fn analysed_stage(&self, name: &str) -> Result<usize, String> {
        if let Model::Oscillators(_) = self.system.model {
            return Err("no stage has an answer of its own, since answers of oscillators compare the rows of all stages with the law of their scheme".to_string());
        }
        let stages = &self.protocol.stages;
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        let Some(number) = names.iter().position(|one| *one == name) else {
            return Err(format!("there is no stage \"{name}\": the stages are {}", quoted(&names)));
        };
        if let StageKind::Minimise { .. } = stages[number].kind {
            return Err(format!(
                "stage \"{name}\" minimises the energy, and its rows are no samples: take a stage in which time passes"
            ));
        }
        let tunings = self.exchange.iter().flat_map(|exchange| &exchange.tunings);
        if tunings.into_iter().any(|tuning| tuning.stage == number) {
            return Err(format!(
                "stage \"{name}\" places temperatures anew, so the rows of a rung are at several temperatures: take a stage after it"
            ));
        }
        Ok(number)
    }

    /// Whether averages over a stage, the last if none is asked for, include rows from the start of the run, before equilibrium.
    pub fn averages_from_start(&self, asked: Option<usize>) -> bool {
        let stages = &self.protocol.stages;
        let until = asked.map_or(stages.as_slice(), |stage| &stages[..=stage]);
        // Proteins that are pulled are averaged over the second half of a stage.
        let is_pulled = || {
            stages
                .iter()
                .flat_map(|stage| &stage.externals)
                .any(|external| external.ends().is_some())
        };
        let is_averaged = match self.system.model {
            Model::Beads => true,
            Model::Residues(_) => !is_pulled(),
            _ => self.system.is_sampled() || self.exchange.is_some(),
        };
        is_averaged && averaged::is_from_start(until, self.starts.is_some() || self.start.is_some())
    }
}

/// Paths with their values: `pull.speed = 5 um/s`.
pub(crate) fn in_words(settings: &[(String, String)]) -> String {
    let words: Vec<String> =
        settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    words.join(", ")
}

impl Request {
    /// Members of the ensemble: points times replicas.
    pub fn members(&self) -> u64 {
        self.points.len() as u64 * self.replicas
    }

    /// The point of a member, and which of the point's replicas it is.
    ///
    /// # Panics
    /// When `member` is not below [`Request::members`].
    pub fn member(&self, member: u64) -> (&Point, u64) {
        (&self.points[(member / self.replicas) as usize], member % self.replicas)
    }
}
