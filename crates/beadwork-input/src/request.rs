//! A whole request: sections, overrides, points of a sweep, and the resolved form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use beadwork_model::{Exchange, Model, Protocol, StageKind, System};

use crate::averaged;
use crate::document::{self, Node, Table};
use crate::ensemble::{self, Ensemble};
use crate::error::{CONFLICT, Error, MISSING_KEY, SWEEP, SYNTAX, UNREADABLE_FILE};
use crate::files::{Files, InputFile};
use crate::kinds_of_files;
use crate::noise;
use crate::paths;
use crate::point::{PointRead, Reader, section_node};
use crate::residues;
use crate::section::{Section, quoted};
use crate::settings::{Analysis, Output, RunSettings};
use crate::structure_source::AssemblyUsed;
use crate::system::{BuiltSystems, StartFile};

/// The sections of a document, in the order of the resolved form.
pub(crate) const SECTIONS: [&str; 10] = [
    "system", "dynamics", "sampling", "exchange", "stage", "ensemble", "random", "output",
    "analysis", "run",
];

/// A selection: its role, its text and the beads that it matches (ascending, from 0).
pub type SelectedBeads = (String, String, Vec<usize>);

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
        let is_pulled =
            || stages.iter().flat_map(|stage| &stage.drives).any(|drive| drive.ends().is_some());
        let is_averaged = match self.system.model {
            Model::Beads => true,
            Model::Residues(_) => !is_pulled(),
            _ => self.system.is_sampled() || self.exchange.is_some(),
        };
        is_averaged && averaged::is_from_start(until, self.starts.is_some() || self.start.is_some())
    }
}

fn in_words(settings: &[(String, String)]) -> String {
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

/// Reads the request in a file; relative file names are relative to its folder.
///
/// Each override is a dotted path and a TOML value; a text needs no quotes.
///
/// # Errors
/// Any mistake in the request or its files; see [`crate::ERROR_CODES`].
pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<Request, Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.display().to_string();
    let bytes = beadwork_files::read(path, beadwork_files::LARGEST_TEXT)
        .map_err(|error| unreadable(path, &error))?;
    kinds_of_files::refuse_utf16(&bytes, &name)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let problem = format!("the input {name} cannot be read: it is not UTF-8 text");
        let error = Error::new(UNREADABLE_FILE, problem);
        return Err(kinds_of_files::no_input(&bytes, &name).unwrap_or(error));
    };
    parse(text, &name, folder, overrides).map_err(|error| match error.code() {
        // Judged only where it is not TOML: an input may have any name.
        SYNTAX => kinds_of_files::no_input(&bytes, &name).unwrap_or(error),
        _ => error,
    })
}

pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    beadwork_files::read_text(path, beadwork_files::LARGEST_TEXT)
        .map_err(|error| unreadable(path, &error))
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let problem = format!("the input {} cannot be read ({error}): check its name", path.display());
    Error::new(UNREADABLE_FILE, problem)
}

/// Reads a request from its text. Messages call it `name`; the default output folder is `name` without folder and
/// extension. Relative file names are relative to `base`.
///
/// # Errors
/// Those of [`load`].
pub fn parse(
    text: &str,
    name: &str,
    base: &Path,
    overrides: &[(String, String)],
) -> Result<Request, Error> {
    let mut root = document::parse(text, name)?;
    for (path, value) in overrides {
        let (at, node) = document::parse_assignment(path, value)?;
        paths::set(&mut root, path, &at, node)?;
    }
    Section::open(&root, "the input", &SECTIONS)?;
    let mut files = Files::new(base);
    let names = names_of_all(&root, &mut files)?;
    let mut ensemble = ensemble::read(&section_node(&root, "ensemble"), names)?;
    for (path, _) in overrides {
        if let Some(swept) = ensemble.hides(path) {
            let problem = format!(
                "--set {path} changes nothing: each point of the sweep sets \"{swept}\"; replace its list instead, by --set ensemble.sweep.{swept}=\"[…]\""
            );
            return Err(Error::new(CONFLICT, problem));
        }
    }
    let stem = Path::new(name).file_stem().map_or("run".into(), |stem| stem.to_string_lossy());
    let mut reader = Reader {
        files,
        built: BuiltSystems::default(),
        ensemble: &ensemble,
        default_folder: format!("runs/{stem}"),
    };
    let choices = ensemble.points()?;
    // The lists of a sweep are as long as it has points: a copy of the input for each point must not hold them.
    let shared = without_ensemble(root);
    let mut read: Vec<PointRead> = Vec::with_capacity(choices.len());
    for indices in &choices {
        let mut tree = shared.clone();
        for (axis, index) in ensemble.axes.iter().zip(indices) {
            paths::set(&mut tree, &axis.path, &axis.place, axis.values[*index].clone())?;
        }
        let mut point = reader.point(&tree)?;
        if !read.is_empty() {
            // The resolved form is that of the first point.
            point.resolved.clear();
        }
        read.push(point);
    }
    let files = reader.files;
    let notes = noise::settle(&mut read, &mut ensemble, &files)?.into_iter().collect();
    for axis in &mut ensemble.axes {
        let key = axis.path.rsplit('.').next().unwrap_or_default().to_string();
        for value in &mut axis.values {
            files.rename(&key, value);
        }
    }
    let request = finish(read, &choices, &ensemble, files.read)?;
    Ok(Request { written: text.to_string(), notes, ..request })
}

/// The document that the points of a sweep change.
fn without_ensemble(mut root: Node) -> Node {
    if let Some(table) = root.table_mut() {
        table.remove("ensemble");
    }
    root
}

/// The names that `"system.sequence.name" = "all"` of a sweep stands for: those of all sequences of the file.
fn names_of_all(root: &Node, files: &mut Files) -> Result<Option<Vec<String>>, Error> {
    let sweep = root.get("ensemble").and_then(|ensemble| ensemble.get("sweep"));
    let quoted = sweep.and_then(|sweep| sweep.get(ensemble::ALL_OF));
    let mut dotted = sweep;
    for key in ensemble::ALL_OF.split('.') {
        dotted = dotted.and_then(|node| node.get(key));
    }
    if quoted.or(dotted).and_then(Node::text) != Some(ensemble::ALL) {
        return Ok(None);
    }
    residues::names_of_records(&section_node(root, "system"), files).map(Some)
}

fn finish(
    read: Vec<PointRead>,
    choices: &[Vec<usize>],
    ensemble: &Ensemble,
    files: Vec<InputFile>,
) -> Result<Request, Error> {
    let Some(first) = read.first() else {
        return Err(Error::new(
            MISSING_KEY,
            "[ensemble.sweep] has an empty list: give every list at least one value",
        ));
    };
    for point in &read[1..] {
        let [ours, theirs] = [first, point].map(|point| &point.output.output);
        let (table, trajectory) = (&first.output.table_place, &first.output.trajectory_place);
        for (what, differs, place) in [
            ("table", ours.table_every != theirs.table_every, table),
            ("trajectory", ours.trajectory != theirs.trajectory, trajectory),
        ] {
            if differs {
                let problem = format!(
                    "[output]: because the time step varies in the sweep, the {what} would be written at different steps of its points: write every_steps instead of every"
                );
                return Err(place.error(CONFLICT, problem));
            }
        }
    }
    if read.iter().any(|point| point.run != first.run) {
        let problem = "[ensemble.sweep]: [run] cannot be swept: all points of a run share it";
        return Err(ensemble.place.error(SWEEP, problem));
    }
    let replicas = first.replicas;
    if let Some(other) = read.iter().find(|point| point.replicas != replicas) {
        let problem = format!(
            "[ensemble.sweep]: its points have {replicas} and {} replicas, and all points of a run have as many: give each as many temperatures and as many `ladders`",
            other.replicas
        );
        return Err(ensemble.place.error(SWEEP, problem));
    }
    let mut resolved = Table::default();
    for key in SECTIONS {
        let value = match key {
            "ensemble" => ensemble.resolved(first.point.exchange.is_some()),
            _ => first.resolved.get(key).cloned(),
        };
        if let Some(value) = value {
            let place = &first.output.table_place;
            resolved.set(key, place, Node::new(value, place));
        }
    }
    let settings_of = |indices: &Vec<usize>| {
        let axes = ensemble.axes.iter().zip(indices);
        axes.map(|(axis, index)| (axis.path.clone(), axis.values[*index].plain())).collect()
    };
    let settings: Vec<Vec<(String, String)>> = choices.iter().map(settings_of).collect();
    let (output, analysis, run) = (first.output.output.clone(), first.analysis.clone(), first.run);
    let warnings = gather_warnings(&read, &settings);
    let with_settings = |(read, settings): (PointRead, _)| Point { settings, ..read.point };
    let points = read.into_iter().zip(settings).map(with_settings).collect();
    let resolved = document::write(&resolved);
    let (written, notes) = (String::new(), Vec::new());
    Ok(Request {
        points,
        replicas,
        output,
        analysis,
        run,
        written,
        resolved,
        files,
        warnings,
        notes,
    })
}

/// Each warning once. A warning that only some points share names the first point that has it.
fn gather_warnings(read: &[PointRead], settings: &[Vec<(String, String)>]) -> Vec<String> {
    // The warnings in order, and the points that have each.
    let mut order: Vec<&str> = Vec::new();
    let mut points_with: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (number, point) in read.iter().enumerate() {
        for warning in &point.warnings {
            let points = points_with.entry(warning).or_insert_with(|| {
                order.push(warning);
                BTreeSet::new()
            });
            points.insert(number);
        }
    }
    let named = |warning: &str| {
        let points = &points_with[warning];
        let first = points.first().map_or_else(String::new, |first| in_words(&settings[*first]));
        match points.len() {
            all if all == read.len() => warning.to_string(),
            1 => format!("{first}: {warning}"),
            count => format!("{first} and {} more point(s): {warning}", count - 1),
        }
    };
    order.into_iter().map(named).collect()
}
