//! Reads a request: overrides, the points of a sweep, and the resolved form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::base_values;
use crate::built::BuiltSystems;
use crate::derived_seed::settle;
use crate::document::{self, Node, Table, Value};
use crate::ensemble::{self, Ensemble};
use crate::equal_points;
use crate::error::{CONFLICT, Error, MISSING_KEY, SWEEP, SYNTAX, UNREADABLE_FILE};
use crate::files::{Files, InputFile};
use crate::input_text::unreadable;
use crate::kinds_of_files;
use crate::motion::Reader;
use crate::paths;
use crate::point::PointRead;
use crate::request::{Point, Request, in_words};
use crate::residues;
use crate::section::Section;
use crate::sections::{SECTIONS, section_node};
use crate::shared_form::SharedForm;

/// Reads the request in a file; relative file names are relative to its folder.
///
/// Each override is a dotted path and a TOML value; a text needs no quotes.
///
/// # Errors
/// Any mistake in the request or its files; see [`crate::ERROR_CODES`].
pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<Request, Error> {
    load_as(path, overrides, false)
}

/// Reads the resolved input of a run that has begun, as [`load`] reads a new one. What earlier versions allowed stays allowed there,
/// although new inputs are refused for it: values of a sweep that mean the same, keys that set the same thing, starts too far from
/// the origin for single precision, cutoffs of native contacts over whole proteins, boxes too crowded for free memory, and ranges of
/// deformations that end before contact.
///
/// # Errors
/// Those of [`load`] but for these.
pub fn load_begun(path: &Path, overrides: &[(String, String)]) -> Result<Request, Error> {
    load_as(path, overrides, true)
}

fn load_as(path: &Path, overrides: &[(String, String)], is_begun: bool) -> Result<Request, Error> {
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
    let read = read_request(text, &name, Files::new(folder), overrides, is_begun);
    read.map_err(|error| match error.code() {
        // Judged only where it is not TOML: an input may have any name.
        SYNTAX => kinds_of_files::no_input(&bytes, &name).unwrap_or(error),
        _ => error,
    })
}

/// Whether the resolved form of a sweep gives the last point again, without a look at the disk. Its paths are read there where the
/// form spells out what the input has in shorter words.
///
/// # Errors
/// What is wrong with the resolved form.
pub fn reads_again(request: &Request) -> Result<bool, Error> {
    const NAME: &str = "resolved.toml";
    let mut root = document::parse(&request.resolved, NAME)?;
    let sweep = root.table_mut().and_then(|root| root.get_mut("ensemble"));
    let sweep = sweep.and_then(|ensemble| ensemble.table_mut()?.get_mut("sweep")?.table_mut());
    for entry in sweep.into_iter().flat_map(|sweep| &mut sweep.entries) {
        if let Value::List(values) = &mut entry.node.value {
            values.drain(..values.len().saturating_sub(1));
        }
    }
    let text = root.table().map(document::write).unwrap_or_default();
    // As a command that goes on with the run reads it.
    let again = read_request(&text, NAME, Files::held(&request.files), &[], true)?;
    let [found, last] = [&again, request].map(|request| request.points.last());
    Ok(found.zip(last).is_some_and(|(found, last)| {
        found.settings == last.settings
            && found.system == last.system
            && found.protocol == last.protocol
    }))
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
    read_request(text, name, Files::new(base), overrides, false)
}

/// Reads the text of the resolved input of a run that has begun: [`load_begun`] of a text.
///
/// # Errors
/// Those of [`load_begun`].
pub fn parse_begun(
    text: &str,
    name: &str,
    base: &Path,
    overrides: &[(String, String)],
) -> Result<Request, Error> {
    read_request(text, name, Files::new(base), overrides, true)
}

fn read_request(
    text: &str,
    name: &str,
    mut files: Files,
    overrides: &[(String, String)],
    is_begun: bool,
) -> Result<Request, Error> {
    let mut root = document::parse(text, name)?;
    for (path, value) in overrides {
        let (at, node) = document::parse_assignment(path, value)?;
        paths::set(&mut root, path, &at, node)?;
    }
    Section::open(&root, "the input", &SECTIONS)?;
    let names = names_of_all(&root, &mut files)?;
    files.is_begun = is_begun;
    let mut ensemble = ensemble::read(&root, names, is_begun)?;
    for (path, _) in overrides {
        if let Some(swept) = ensemble.hides(&paths::by_number(&root, path)) {
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
    let mut form: Option<SharedForm<'_>> = None;
    for indices in &choices {
        let tree = tree_of(&shared, &ensemble, indices)?;
        let mut point = match reader.point(&tree) {
            Ok(point) => point,
            Err(error) => {
                let rest = choices.last().filter(|_| read.is_empty() && choices.len() > 1);
                return Err(of_point(error, &mut reader, &shared, (indices, rest)));
            }
        };
        // The resolved form is that of the first point.
        if let Some(form) = &mut form {
            form.add(std::mem::take(&mut point.resolved), (&shared, &reader.files));
        } else if choices.len() > 1 {
            form = Some(SharedForm::of(&point.resolved, &ensemble.axes, &shared.place));
        }
        read.push(point);
    }
    if let (Some(form), Some(first)) = (form, read.first_mut()) {
        first.resolved = form.into_resolved();
    }
    if !is_begun {
        base_values::check(&shared, &ensemble.axes)?;
    }
    let files = reader.files;
    let notes = settle(&mut read, &mut ensemble, &files)?.into_iter().collect();
    for axis in &mut ensemble.axes {
        let key = axis.path.rsplit('.').next().unwrap_or_default().to_string();
        for value in &mut axis.values {
            files.rename(&key, value);
        }
    }
    let request = finish(read, &choices, &ensemble, files.read)?;
    Ok(Request { written: text.to_string(), notes, ..request })
}

/// The document of a point: that of all points with the values of one.
fn tree_of(shared: &Node, ensemble: &Ensemble, indices: &[usize]) -> Result<Node, Error> {
    let mut tree = shared.clone();
    for (axis, index) in ensemble.axes.iter().zip(indices) {
        paths::set(&mut tree, &axis.path, &axis.place, axis.values[*index].clone())?;
    }
    Ok(tree)
}

/// The error of a point with its values, unless it points at one of them or at what they are values of, or the point `rest`, which
/// has other values, has it too.
fn of_point(
    error: Error,
    reader: &mut Reader<'_>,
    shared: &Node,
    (indices, rest): (&[usize], Option<&Vec<usize>>),
) -> Error {
    let ensemble = reader.ensemble;
    let chosen = ensemble.axes.iter().zip(indices);
    let mut places = chosen.flat_map(|(axis, index)| [&axis.place, &axis.values[*index].place]);
    if error.location().is_some_and(|at| places.any(|place| at.lies_within(place))) {
        return error;
    }
    if let Some(rest) = rest {
        let read = tree_of(shared, ensemble, rest).and_then(|tree| reader.point(&tree));
        if read.is_err_and(|other| other.to_string() == error.to_string()) {
            return error;
        }
    }
    match in_words(&settings_of(ensemble, indices)).as_str() {
        "" => error,
        words => error.of(words),
    }
}

/// Path and value of each setting of a point.
fn settings_of(ensemble: &Ensemble, indices: &[usize]) -> Vec<(String, String)> {
    let axes = ensemble.axes.iter().zip(indices);
    axes.map(|(axis, index)| (axis.path.clone(), axis.values[*index].plain())).collect()
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
    let settings: Vec<Vec<(String, String)>> =
        choices.iter().map(|indices| settings_of(ensemble, indices)).collect();
    let (output, analysis, run) = (first.output.output.clone(), first.analysis.clone(), first.run);
    let mut warnings = gather_warnings(&read, &settings);
    warnings.extend(equal_points::warning(&read, choices, &settings, ensemble));
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
