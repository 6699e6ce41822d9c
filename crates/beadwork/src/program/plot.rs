//! `beadwork plot`: draws runs again, with other options or side by side.

mod writing;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use beadwork::answer::{Answer, Choices, PictureChoice};
use beadwork::io::RunFolder;
use beadwork::model::units::{Dimension, parse};
use beadwork::model::{Model, Units};
use beadwork::page;
use beadwork::part::{View, jobs_of};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::drawing::DrawingOptions;
use super::failure::Failure;
use super::output::{refuse_place, remark, say, say_json};
use super::progress;
use super::reporting::Reporting;
use super::signals::{leave_no_half_files, say_interrupted};
use super::threads::{threads_or_cores, use_threads};
use writing::{write_elsewhere, write_own};

const EXAMPLES: &str = "\
Examples:
  beadwork plot runs/protein --window \"10 us\" --prominence \"40 pN\"
  beadwork plot runs/protein --stage pull,refold
  beadwork plot runs/shell --slope \"0 nm, 3 nm\"
  beadwork plot runs/melt --section z
  beadwork plot runs/melt --figures picture --member 3 --frame 0 --no-box
  beadwork plot runs/slow runs/fast --output comparison
  beadwork plot runs/protein --output paper --format pdf --size 85mm --no-title --no-caption
  beadwork plot runs/protein --figures force-extension --limits force-extension.x=0,30
  beadwork plot runs/part-1 runs/part-2 --output runs/whole";

/// Draw the plots of runs again, or compare runs in one set of plots.
///
/// Folders with different replicas of one input (`beadwork run --replicas`) count as one run; no replica may be in two
/// of them. Runs that still go on can be drawn too. The report in the folder of a run is written anew with its plots.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Plot {
    /// Run folders; with several, each is a colour in the same plots.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Answer for this stage, also for several: --stage pull,refold. By default what the input says;
    /// "automatic" is the first stage with a tip, else the first that pulls a protein, else the last.
    #[arg(long = "stage", value_name = "NAME", value_delimiter = ',')]
    stages: Vec<String>,
    /// Time over which the force is averaged, such as "10 us"; by default what the input says, or
    /// the time in which the base of a spring or a tip moves 0.25 nm. In reduced units this and
    /// the next three options are plain numbers, and the way is 0.25.
    #[arg(long, allow_hyphen_values = true)]
    window: Option<String>,
    /// Least fall of the averaged force that counts as a peak, such as "40 pN". By default what the input says: in reduced units
    /// that is four times the force at which the tip is in contact.
    #[arg(long, allow_hyphen_values = true)]
    prominence: Option<String>,
    /// Of runs with a tip: the deformations between which a slope is found, such as "0 nm, 3 nm".
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    slope: Option<String>,
    /// Of runs with a tip: the deformations between which Hertz's law is fitted.
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    hertz: Option<String>,
    /// Cut the picture of a bead model open across this axis of the box, and look along it.
    #[arg(long, value_name = "AXIS")]
    section: Option<BoxAxis>,
    /// The replica that is in the picture of a bead model, by its number in members.csv. By default the first that has the frame.
    #[arg(long, value_name = "NUMBER")]
    member: Option<u64>,
    /// The frame that is in the picture of a bead model, from 0. By default the last one.
    #[arg(long, value_name = "NUMBER")]
    frame: Option<usize>,
    /// Leave the box out of the picture of a bead model, which then fits the beads.
    #[arg(long)]
    no_box: bool,
    /// Refuse folders that are not parts of one run, such as parts of which one was lengthened, instead of comparing them.
    #[arg(long)]
    one_run: bool,
    /// Where to write the plots. By default plots/ in the folder of a run; of several folders together/ if they are parts of one
    /// run, and comparison/ if not.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Threads; by default as many as the machine has cores. Results do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    drawing: DrawingOptions,
    #[command(flatten)]
    pub reporting: Reporting,
}

/// An axis of the box.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BoxAxis {
    X,
    Y,
    Z,
}

impl BoxAxis {
    fn direction(self) -> [f64; 3] {
        match self {
            BoxAxis::X => [1.0, 0.0, 0.0],
            BoxAxis::Y => [0.0, 1.0, 0.0],
            BoxAxis::Z => [0.0, 0.0, 1.0],
        }
    }
}

impl Plot {
    pub fn run(self) -> Result<u8, Failure> {
        use_threads(threads_or_cores(self.threads))?;
        let last_word = leave_no_half_files(say_interrupted)?;
        let drawing = self.drawing.drawing()?;
        let views = self.views()?;
        let choices = self.choices(&views)?;
        let output = self.output(&views);
        let own = self.own(&views);
        let draws_all = drawing.figures.is_empty();
        match own {
            // Figures by name leave it as it is.
            Some((folder, _)) if draws_all => page::refuse_foreign(&folder.join(page::FILE))?,
            Some(_) => {}
            None => refuse_runs(&output)?,
        }
        views.iter().try_for_each(View::refuse_damaged)?;
        // Figures by name leave what else the folder has, and need no files that are made from checkpoints.
        if let Some((_, view)) = own.filter(|_| draws_all) {
            view.write_derived()?;
        }
        let doing = progress::doing(false, "reading tables and frames");
        let mut all: Option<Answer> = None;
        for view in &views {
            let prefix = if views.len() == 1 { String::new() } else { name(view, &self.folders) };
            let answer = Answer::of_view(view, &prefix, &choices)?;
            match &mut all {
                Some(all) => all.extend(answer),
                None => all = Some(answer),
            }
        }
        let Some(answer) = all else { return Ok(0) };
        doing.set_message("drawing plots");
        let (summary, written) = match own {
            _ if !draws_all => {
                let folder = own.map_or(output.as_path(), |(folder, _)| folder);
                (answer.summary(), answer.draw_beside(folder, &output, &drawing)?)
            }
            Some((folder, view)) => write_own(&answer, folder, view, &output, &drawing)?,
            None => write_elsewhere(&answer, &views, &output, &drawing)?,
        };
        drop(doing);
        for text in answer.outside_limits(&drawing)? {
            remark(&format!("note: {text}"));
        }
        last_word.take();
        let code = self.reporting.exit_code(&summary);
        if self.reporting.json {
            let folders = &self.folders;
            say_json(
                &json!({ "folders": folders, "exit": code, "summary": summary, "plots": written }),
            )?;
            return Ok(code);
        }
        // Who asks for figures by name has the answer.
        let mut text = if draws_all { summary.in_words() } else { String::new() };
        text.extend(written.iter().map(|path| format!("{}\n", path.display())));
        say(&text)?;
        Ok(code)
    }

    /// The folder of the plots.
    fn output(&self, views: &[View]) -> PathBuf {
        self.output.clone().unwrap_or_else(|| match (self.folders.as_slice(), views.len()) {
            ([folder], _) => folder.join("plots"),
            (_, 1) => PathBuf::from("together"),
            _ => PathBuf::from("comparison"),
        })
    }

    /// The folder of the run, and the run, if its own plots are drawn.
    fn own<'a>(&'a self, views: &'a [View]) -> Option<(&'a Path, &'a View)> {
        match (self.folders.as_slice(), views, &self.output) {
            ([folder], [view], None) => Some((folder, view)),
            _ => None,
        }
    }

    fn choices(&self, views: &[View]) -> Result<Choices, Failure> {
        // Runs of chains have no forces, so these options have no effect.
        let has_forces = !views.iter().all(|view| kind(view) == CHAINS);
        let units = views.first().map_or(Units::Real, |view| view.request.points[0].system.units);
        let given = |text: &Option<String>| text.clone().filter(|_| has_forces);
        let quantity = |option: &str, text: &Option<String>, dimension: Dimension| {
            given(text).map(|text| above_zero(option, &text, dimension, units)).transpose()
        };
        let deformations = |option: &str, text: &Option<String>| {
            given(text).map(|text| range(option, &text, units)).transpose()
        };
        Ok(Choices {
            stages: self.asked_stages()?,
            window: quantity("--window", &self.window, Dimension::Time)?,
            prominence: quantity("--prominence", &self.prominence, Dimension::Force)?,
            slope: deformations("--slope", &self.slope)?,
            hertz: deformations("--hertz", &self.hertz)?,
            section: self.section.map(BoxAxis::direction),
            picture: PictureChoice {
                member: self.member,
                frame: self.frame,
                without_box: self.no_box,
            },
            without_pictures: false,
        })
    }

    /// The stages that are answered for; `None` leaves the choice to the input.
    fn asked_stages(&self) -> Result<Option<Vec<String>>, Failure> {
        let twice = |(place, name): &(usize, &String)| self.stages[..*place].contains(name);
        if let Some((_, name)) = self.stages.iter().enumerate().find(twice) {
            return Err(Failure::input(format!(
                "--stage {name} is there twice: name each stage once"
            )));
        }
        Ok(match self.stages.as_slice() {
            [] => None,
            [automatic] if automatic == "automatic" => Some(Vec::new()),
            stages => Some(stages.to_vec()),
        })
    }

    /// The runs in the folders, all of one kind.
    fn views(&self) -> Result<Vec<View>, Failure> {
        let views = joined_views(&self.folders)?;
        if let ([one, other, ..], true) = (views.as_slice(), self.one_run) {
            let [one, other] = [one, other].map(|view| view.folders[0].root().display());
            return Err(Failure::input(format!(
                "{one} and {other} are not parts of one run: make their resolved.toml equal by `beadwork extend`, or leave --one-run out to compare them"
            )));
        }
        if let Some(other) = views.iter().find(|view| kind(view) != kind(&views[0])) {
            let [one, other] = [&views[0], other]
                .map(|view| format!("{} is of {}", view.folders[0].root().display(), kind(view)));
            return Err(Failure::input(format!(
                "{one} and {other}, and plots of both would have no axis in common: draw them apart"
            )));
        }
        let given = [("--window", &self.window), ("--prominence", &self.prominence)];
        for (option, _) in given.into_iter().filter(|(_, text)| text.is_some()) {
            if views.iter().all(|view| kind(view) == CHAINS) {
                let note = "has no effect: runs of chains have no forces";
                remark(&format!("note: {option} {note}"));
            }
        }
        let given = [("--slope", &self.slope), ("--hertz", &self.hertz)];
        for (option, _) in given.into_iter().filter(|(_, text)| text.is_some()) {
            if !views.iter().any(has_tip) {
                remark(&format!("note: {option} has no effect: no stage has a tip"));
            }
        }
        let given = [
            ("--section", self.section.is_some()),
            ("--member", self.member.is_some()),
            ("--frame", self.frame.is_some()),
            ("--no-box", self.no_box),
        ];
        let has_beads = views.iter().any(|view| kind(view).starts_with(BEADS));
        for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given && !has_beads) {
            remark(&format!("note: {option} has no effect: it is for pictures of bead models"));
        }
        Ok(views)
    }
}

/// The runs in folders; parts of one run are joined.
pub fn joined_views(folders: &[PathBuf]) -> Result<Vec<View>, Failure> {
    refuse_twice(folders)?;
    let views: Vec<View> = folders.iter().map(|path| View::open(path)).collect::<Result<_, _>>()?;
    Ok(View::join(views)?)
}

/// Refuses a folder that is named twice.
pub fn refuse_twice(folders: &[PathBuf]) -> Result<(), Failure> {
    let mut places = BTreeSet::new();
    for path in folders {
        if !places.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            let problem = format!("{} is there twice: name each folder once", path.display());
            return Err(Failure::input(problem));
        }
    }
    Ok(())
}

/// What a quantity is written as in a run: in reduced units it is a plain number.
fn written_as(dimension: Dimension, units: Units) -> Dimension {
    match units {
        Units::Real => dimension,
        Units::Reduced => Dimension::Number,
    }
}

/// A quantity above zero.
fn above_zero(
    option: &str,
    text: &str,
    dimension: Dimension,
    units: Units,
) -> Result<f64, Failure> {
    match (parse(text, written_as(dimension, units)), units) {
        (Ok(quantity), _) if quantity.value > 0.0 => Ok(quantity.value),
        (Ok(_), _) => Err(Failure::input(format!("{option} {text} must be above zero"))),
        (Err(error), Units::Real) => Err(Failure::input(format!("{option}: {error}"))),
        (Err(error), Units::Reduced) => {
            Err(Failure::input(format!("{option}: {error}, since the run is in reduced units")))
        }
    }
}

/// Two deformations with a comma between them, the smaller one first and not both before contact; also as a list of inputs has them: `["0 nm", "3 nm"]`.
fn range(option: &str, text: &str, units: Units) -> Result<(f64, f64), Failure> {
    let bare = text.trim();
    let bare = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare);
    let expected = match units {
        Units::Real => {
            "two lengths with a comma between them, the smaller one first, such as \"0 nm, 3 nm\""
        }
        Units::Reduced => {
            "two numbers without units with a comma between them, the smaller one first, such as \"0, 3\", since the run is in reduced units"
        }
    };
    let refusal =
        |why: &str| Failure::input(format!("{option} \"{text}\" must be {expected}{why}"));
    let length = |text: &str| {
        let bare = text.trim().trim_matches('"');
        let length = parse(bare, written_as(Dimension::Length, units));
        length.map(|length| length.value).map_err(|error| refusal(&format!(": {error}")))
    };
    let Some((from, to)) = bare.split_once(',') else { return Err(refusal("")) };
    let ends = (length(from)?, length(to)?);
    if ends.0 >= ends.1 {
        return Err(refusal(""));
    }
    if ends.1 <= 0.0 {
        return Err(Failure::input(format!(
            "{option} \"{text}\" ends before contact, where nothing is deformed yet: deformations count from contact, so write an end above 0"
        )));
    }
    Ok(ends)
}

fn has_tip(view: &View) -> bool {
    let stages = view.request.points.iter().flat_map(|point| &point.protocol.stages);
    let mut externals = stages.flat_map(|stage| &stage.externals);
    externals.any(|external| external.cantilever().is_some())
}

const CHAINS: &str = "chains in reduced units";
const BEADS: &str = "beads";

/// What a run simulates, which decides the kinds of its plots.
pub fn kind(view: &View) -> &'static str {
    let system = &view.request.points[0].system;
    match system.model {
        Model::Beads if system.units == Units::Reduced => "beads in reduced units",
        Model::Beads => BEADS,
        Model::ElasticPolymer(_) => CHAINS,
        Model::Oscillators(_) => "oscillators",
        Model::Sop => "a protein",
        Model::Residues(_) => "proteins of residues",
    }
}

/// Refuses a folder of a run, which has an answer of its own, and one of its sub-folders.
fn refuse_runs(output: &Path) -> Result<(), Failure> {
    refuse_place(output)?;
    match RunFolder::open(output) {
        Ok(_) => Err(Failure::input(format!(
            "{} is the folder of a run, which has an answer of its own: give --output another folder",
            output.display()
        ))),
        Err(_) => Ok(()),
    }
}

/// The name of a run among several: that of its folder, of joined parts that of the folder of their jobs; or the path if another
/// folder has the same name.
pub fn name(view: &View, folders: &[PathBuf]) -> String {
    let last =
        |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let path = view.folders[0].root();
    let jobs = path.parent().filter(|_| view.folders.len() > 1 && jobs_of(path).is_some());
    // A folder that is named without its parents has an empty one.
    let path = jobs.filter(|jobs| jobs.file_name().is_some()).unwrap_or(path);
    let places = |folder: &PathBuf| [Some(folder.clone()), folder.parent().map(Path::to_path_buf)];
    let mut others = folders.iter().flat_map(places).flatten();
    if others.any(|other| other != path && last(&other) == last(path)) {
        return path.display().to_string();
    }
    last(path)
}
