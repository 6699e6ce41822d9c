//! What came out of a run: unfolding forces, averages, plots.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beadwork_analysis::parallel;
use beadwork_analysis::report::{
    GroupSummary, MemberData, group_summaries, pulling_figures, pulling_summary,
};
use beadwork_analysis::unfolding::{Criteria, Curve, analyse};
use beadwork_input::{Point, Request};
use beadwork_io::table::quoted;
use beadwork_io::{RunFolder, atomic, create_folder};
use beadwork_model::drives::{Drive, Spring};
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, PICOSECONDS_PER_NANOSECOND};
use beadwork_model::{Model, System};
use beadwork_model::{Stage, StageKind};

use beadwork_session::Error;
use beadwork_session::members_list::{self, Listed};
use beadwork_session::part::View;
use beadwork_session::session::Session;
use beadwork_session::tables::{self, Place};

use crate::averages::Averages;
use crate::notes;
use crate::oscillations::Oscillations;
use crate::replica_exchange::{self, ReplicaExchange};
use crate::rows::{LeftOut, Rows};
use crate::{averages, oscillations};

/// Å: the window of the averaged force is the time in which a spring's base travels this far,
/// unless the input names one. P4's 500 points at its speed are 2.5 Å.
const WINDOW_TRAVEL: f64 = 2.5;
/// Fraction of the contour between the two ends beyond which a chain counts as taut.
const TAUT_FRACTION: f64 = 0.9;
const TIME: &str = "time_ns";
const EXTENSION: &str = "extension_nm";
const FORCE: &str = "force_pN";
const MEAN_FORCE: &str = "mean_force_pN";
const CONTACTS: &str = "native_contacts";
const TEMPERATURE: &str = "temperature_K";
/// Columns that curves are made of.
const CURVE: [&str; 6] = [TIME, EXTENSION, FORCE, MEAN_FORCE, CONTACTS, TEMPERATURE];
/// Bytes of tables that are read side by side: in memory they take a few times as many.
const READ_TOGETHER: u64 = 64 << 20;

/// What a person may choose instead of what the input says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// ps: the window of the averaged force.
    pub window: Option<f64>,
    /// pN: the least fall that counts.
    pub prominence: Option<f64>,
}

/// The analysis of one run or, side by side, of several.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    members: Vec<MemberData>,
    averages: Averages,
    oscillations: Oscillations,
    replica_exchange: ReplicaExchange,
    notes: Vec<String>,
    /// Temperatures that tables are expected to have, in words.
    temperatures: BTreeSet<String>,
    pulling: Pulling,
}

/// How runs pull: what can be drawn and said of them. Of several runs, the most that holds for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pulling {
    /// Not at all.
    #[default]
    None,
    /// With a constant force, which no plot need show.
    Force,
    /// With a force that grows: there is a force–extension curve, but no peak.
    Ramp,
    /// With a spring: there is an unfolding force.
    Spring,
}

impl Answer {
    /// What came out of a run whose folder this process works in.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn of_session(session: &Session, choices: &Choices) -> Result<Answer, Error> {
        Answer::read(std::slice::from_ref(session.folder()), session.request(), "", choices)
    }

    /// What came of a run so far, with a note where replicas are still on their way.
    ///
    /// # Errors
    /// Those of [`Answer::read`]; a damaged `members.csv`.
    pub fn of_view(view: &View, prefix: &str, choices: &Choices) -> Result<Answer, Error> {
        let mut answer = Answer::read(&view.folders, &view.request, prefix, choices)?;
        answer.notes.extend(view.notes()?);
        Ok(answer)
    }

    /// Reads the tables of a run, or of the parts of one in the order of their members. `prefix`
    /// names the run where several are compared.
    ///
    /// # Errors
    /// A table that is damaged, gone, or shorter than at its checkpoint. Members that have not begun are left out.
    pub fn read(
        folders: &[RunFolder],
        request: &Request,
        prefix: &str,
        choices: &Choices,
    ) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        let of_points: Vec<Criteria> =
            request.points.iter().map(|point| criteria(request, point, choices)).collect();
        let here = |place: usize| {
            let replicas = request.replicas as usize;
            let of_point = place * replicas..(place + 1) * replicas;
            folders
                .iter()
                .map(RunFolder::members)
                .any(|members| members.start < of_point.end && of_point.start < members.end)
        };
        for (place, (point, criteria)) in request.points.iter().zip(&of_points).enumerate() {
            if !here(place) {
                continue;
            }
            let rows = point.protocol.steps() / request.output.table_every;
            let group = group_name(prefix, point);
            answer.notes.extend(notes::of_noise(&group, point, criteria, rows));
            answer.notes.extend(notes::of_other_stages(&group, point));
            answer.notes.extend(notes::of_start(&group, point));
            answer.temperatures.extend(notes::of_temperature(point));
        }
        let mut failed = BTreeSet::new();
        for folder in folders {
            let statuses = members_list::read(folder)?;
            let statuses = folder.members().zip(statuses);
            let failed_here = statuses.filter(|(_, status)| *status == Listed::Failed);
            failed.extend(failed_here.map(|(number, _)| number as u64));
        }
        let mut too_short = 0;
        let mut left_out = LeftOut::default();
        let mut begun = tables::begun(folders, request)?.into_iter();
        let mut read = VecDeque::new();
        loop {
            if read.is_empty() {
                read.extend(read_some(&mut begun, request));
            }
            let Some(((folder, place, number), rows)) = read.pop_front() else { break };
            let rows = rows?;
            let (point, _) = request.member(number);
            let group = group_name(prefix, point);
            if let Model::Oscillators(particles) = &point.system.model {
                let at = (folder, place, failed.contains(&number));
                let of = (point, particles);
                answer.oscillations.add(&group, of, at, (request, &rows))?;
                continue;
            }
            let sampled = matches!(point.system.model, Model::ElasticPolymer(_));
            if sampled || point.exchange.is_some() {
                let failed = failed.contains(&number);
                answer.replica_exchange.add(&group, request, (number, failed), &rows)?;
                continue;
            }
            answer.averages.add(&group, point, &rows, failed.contains(&number))?;
            let (pulling, stage) = pulling_stage(point);
            answer.pulling = answer.pulling.max(pulling);
            let curve = curve(&rows, point, stage)?;
            if pulling > Pulling::None {
                left_out.add(curve.incomplete());
            }
            let criteria = of_points[(number / request.replicas.max(1)) as usize];
            let temperatures = rows.numbers(TEMPERATURE, stage)?;
            let times = curve.time_ns.iter().copied();
            let (temperature_time_ns, temperature_k) =
                times.zip(temperatures).filter(|(_, t)| t.is_finite()).unzip();
            // Fewer than three averages.
            if criteria.window_points + 2 > curve.time_ns.len()
                && !curve.time_ns.is_empty()
                && pulling == Pulling::Spring
            {
                too_short += 1;
            }
            answer.members.push(MemberData {
                label: format!("replica {number}"),
                group,
                unfolding: analyse(&curve, &criteria),
                criteria,
                curve,
                temperature_k,
                temperature_time_ns,
            });
        }
        for (place, point) in request.points.iter().enumerate() {
            let first = place as u64 * request.replicas;
            for folder in folders {
                let members = first..first + request.replicas;
                answer.replica_exchange.add_exchanges(
                    &group_name(prefix, point),
                    folder,
                    members,
                )?;
            }
        }
        let of = if prefix.is_empty() { String::new() } else { format!("{prefix}: ") };
        if too_short > 0 {
            answer.notes.push(format!(
                "{of}the pulling of {too_short} replica(s) has fewer than three whole windows, so that no peak can be seen in it: take a shorter window"
            ));
        }
        answer
            .notes
            .extend(left_out.note("time, extension or force").map(|note| format!("{of}{note}")));
        if !failed.is_empty() {
            let count = if answer.oscillations.is_empty() {
                "count up to there"
            } else {
                "are left out of the comparison"
            };
            answer.notes.push(format!(
                "{of}{} replica(s) failed on the way and {count}; members.csv says why",
                failed.len()
            ));
        }
        answer.notes.extend(notes::of_missing(prefix, folders, request));
        Ok(answer)
    }

    /// Puts another run beside this one.
    pub fn extend(&mut self, other: Answer) {
        self.members.extend(other.members);
        self.averages.extend(other.averages);
        self.oscillations.extend(other.oscillations);
        self.replica_exchange.extend(other.replica_exchange);
        self.notes.extend(other.notes);
        self.temperatures.extend(other.temperatures);
        self.pulling = self.pulling.max(other.pulling);
    }

    /// Unfolding forces by group.
    pub fn unfolding(&self) -> Vec<GroupSummary> {
        group_summaries(&self.members)
    }

    /// The answer in words.
    pub fn summary(&self) -> String {
        let mut text = if self.pulling == Pulling::Spring {
            let mut text = pulling_summary(&self.members);
            for (group, members) in self.averages.failed_groups() {
                let of = if group.is_empty() { String::new() } else { format!("{group}: ") };
                let _ = writeln!(text, "note: {of}all {members} replica(s) failed");
            }
            text
        } else {
            self.averages.in_words()
        };
        text.push_str(&self.oscillations.in_words());
        text.push_str(&self.replica_exchange.in_words());
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    /// Writes the figures into `plots`, each as SVG and PNG, and returns their paths. The folder is made where it is
    /// missing.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        create_folder(plots)?;
        let mut written = self.oscillations.draw(plots)?;
        written.extend(self.replica_exchange.draw(plots)?);
        let others = !self.oscillations.is_empty() || !self.replica_exchange.is_empty();
        if self.members.is_empty() && others {
            return Ok(written);
        }
        for (stem, mut figure) in pulling_figures(&self.members) {
            let needs = match stem.as_str() {
                "unfolding-forces" => Pulling::Spring,
                "force-extension" | "force-time" => Pulling::Ramp,
                _ => Pulling::None,
            };
            if self.pulling > Pulling::None && stem.ends_with("-time") {
                figure
                    .notes
                    .push("Time counts from the beginning of the pulling stage.".to_string());
            }
            if stem == "temperature-time" && !self.temperatures.is_empty() {
                let expected: Vec<&str> = self.temperatures.iter().map(String::as_str).collect();
                figure.notes.push(format!(
                    "The estimate counts the drift of each step; expected: about {}.",
                    expected.join(", ")
                ));
            }
            if self.pulling >= needs {
                written.extend(figure.write(plots.join(stem))?);
            }
        }
        Ok(written)
    }

    /// Writes `summary.txt`; of springs `unfolding.csv` (a line a replica) and `peaks.csv` (a line a peak), of
    /// oscillators `correlation.csv` (a line a time).
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        atomic::write(&folder.join("summary.txt"), self.summary().as_bytes())?;
        if let Some(text) = self.oscillations.correlation_csv() {
            atomic::write(&folder.join("correlation.csv"), text.as_bytes())?;
        }
        self.replica_exchange.write(folder)?;
        if self.pulling < Pulling::Spring {
            return Ok(());
        }
        let mut unfolding = String::from(
            "group,replica,unfolding_force_pN,extension_nm,time_ns,native_contacts,fall_pN\n",
        );
        let mut peaks =
            String::from("group,replica,force_pN,extension_nm,time_ns,native_contacts,fall_pN\n");
        for member in &self.members {
            let replica = member.label.trim_start_matches("replica ");
            let head = format!("{},{replica}", quoted(&member.group));
            let cells = |peak: &beadwork_analysis::unfolding::Peak| {
                let contacts = if peak.contacts.is_finite() {
                    peak.contacts.to_string()
                } else {
                    String::new()
                };
                format!(
                    "{},{},{},{contacts},{}",
                    peak.force_pn, peak.extension_nm, peak.time_ns, peak.fall_pn
                )
            };
            let rupture = member.unfolding.rupture.as_ref().map_or(",,,,".to_string(), &cells);
            let _ = writeln!(unfolding, "{head},{rupture}");
            for peak in &member.unfolding.peaks {
                let _ = writeln!(peaks, "{head},{}", cells(peak));
            }
        }
        atomic::write(&folder.join("unfolding.csv"), unfolding.as_bytes())?;
        Ok(atomic::write(&folder.join("peaks.csv"), peaks.as_bytes())?)
    }
}

/// Reads the tables of the next members side by side, as many as hold [`READ_TOGETHER`] bytes but at least one.
fn read_some<'a>(
    members: &mut impl Iterator<Item = Place<'a>>,
    request: &Request,
) -> Vec<(Place<'a>, Result<Rows, Error>)> {
    let mut bytes = 0;
    let mut chosen: Vec<Place<'a>> = Vec::new();
    while bytes < READ_TOGETHER
        && let Some((folder, place, number)) = members.next()
    {
        bytes += std::fs::metadata(folder.table(place)).map_or(0, |table| table.len());
        chosen.push((folder, place, number));
    }
    let tables = parallel::map(chosen.len(), |member| {
        let (folder, place, number) = chosen[member];
        let (point, _) = request.member(number);
        Rows::read(&folder.table(place), &point.protocol, &columns(point))
    });
    chosen.iter().copied().zip(tables).collect()
}

/// The columns of a point's tables that an answer is made from.
fn columns(point: &Point) -> Vec<&'static str> {
    match point.system.model {
        Model::Oscillators(_) => oscillations::COLUMNS.to_vec(),
        Model::ElasticPolymer(_) => replica_exchange::columns(true),
        Model::Sop if point.exchange.is_some() => replica_exchange::columns(false),
        Model::Sop => [&CURVE[..], &averages::columns()].concat(),
    }
}

/// The folder's name and the point's settings: what a legend says.
fn group_name(prefix: &str, point: &Point) -> String {
    // The last word of a path, where no other path ends in it: legends are narrow.
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_string();
    let name = |path: &str| {
        let short = last(path);
        let alone = point.settings.iter().filter(|(other, _)| last(other) == short).count() == 1;
        if alone { short } else { path.to_string() }
    };
    let settings: Vec<String> =
        point.settings.iter().map(|(path, value)| format!("{} = {value}", name(path))).collect();
    let settings = settings.join(", ");
    match (prefix.is_empty(), settings.is_empty()) {
        (true, _) => settings,
        (false, true) => prefix.to_string(),
        (false, false) => format!("{prefix}: {settings}"),
    }
}

/// How a point pulls, and the first stage in which it does so most tellingly.
pub(crate) fn pulling_stage(point: &Point) -> (Pulling, Option<usize>) {
    let stages = point.protocol.stages.iter().map(pulling_of).enumerate();
    stages.fold((Pulling::None, None), |best, (number, pulling)| match pulling > best.0 {
        true => (pulling, Some(number)),
        false => best,
    })
}

/// How a stage pulls.
pub(crate) fn pulling_of(stage: &Stage) -> Pulling {
    let drives = stage.drives.iter().map(|drive| match drive {
        Drive::Spring(_) => Pulling::Spring,
        Drive::ForceRamp(_) => Pulling::Ramp,
        Drive::Force(_) => Pulling::Force,
        Drive::Restrain(_) => Pulling::None,
    });
    drives.max().unwrap_or_default()
}

/// The springs of a point.
pub(crate) fn springs(point: &Point) -> impl Iterator<Item = &Spring> {
    let drives = point.protocol.stages.iter().flat_map(|stage| &stage.drives);
    drives.filter_map(|drive| match drive {
        Drive::Spring(spring) => Some(spring),
        _ => None,
    })
}

fn criteria(request: &Request, point: &Point, choices: &Choices) -> Criteria {
    let between_rows = request.output.table_every as f64 * point.protocol.dynamics.timestep;
    let speed = springs(point).map(|spring| spring.speed.abs()).fold(0.0, f64::max);
    let travel_time = (speed > 0.0).then(|| WINDOW_TRAVEL / speed);
    let window = choices.window.or(request.analysis.window).or(travel_time);
    Criteria {
        window_points: window.map_or(1, |window| (window / between_rows).round().max(1.0) as usize),
        prominence_pn: choices.prominence.unwrap_or(request.analysis.prominence),
        taut_extension_nm: taut_extension(point),
    }
}

/// A fraction of the shortest way along bonds between the ends, nm.
fn taut_extension(point: &Point) -> Option<f64> {
    let (from, to) = &point.protocol.ends;
    contour(&point.system, *from.first()?, *to.last()?)
        .map(|contour| TAUT_FRACTION * contour / ANGSTROMS_PER_NANOMETRE)
}

/// The shortest way along bonds between two beads, Å (Dijkstra's algorithm).
fn contour(system: &System, from: usize, to: usize) -> Option<f64> {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); system.beads()];
    for (i, j, length) in system.bonds_at_rest() {
        neighbours[i].push((j, length));
        neighbours[j].push((i, length));
    }
    let mut distances = vec![f64::INFINITY; system.beads()];
    distances[from] = 0.0;
    // Numbers that are not negative sort as their bits do.
    let mut open = BinaryHeap::from([Reverse((0.0_f64.to_bits(), from))]);
    while let Some(Reverse((bits, bead))) = open.pop() {
        if bead == to {
            return Some(distances[to]);
        }
        if f64::from_bits(bits) > distances[bead] {
            continue;
        }
        for &(next, length) in &neighbours[bead] {
            let distance = distances[bead] + length;
            if distance < distances[next] {
                distances[next] = distance;
                open.push(Reverse((distance.to_bits(), next)));
            }
        }
    }
    None
}

/// When a stage began, ns: the steps of the stages before, where these always run to their end;
/// else the last row before, which is at most an interval of the table early.
fn began(rows: &Rows, point: &Point, stage: usize) -> Result<f64, Error> {
    let before = &point.protocol.stages[..stage];
    if before.iter().all(|stage| stage.stops.is_empty()) {
        let steps: u64 = before
            .iter()
            .filter(|stage| matches!(stage.kind, StageKind::Dynamics { .. }))
            .map(Stage::steps)
            .sum();
        let time = steps as f64 * point.protocol.dynamics.timestep;
        return Ok(time / PICOSECONDS_PER_NANOSECOND);
    }
    let first = rows.of_stage(Some(stage)).next();
    let times = rows.numbers(TIME, None)?;
    Ok(first.and_then(|row| times.get(row.checked_sub(1)?)).copied().unwrap_or(0.0))
}

/// Force, extension and contacts of the pulling stage, or of all stages where nothing pulls.
fn curve(rows: &Rows, point: &Point, stage: Option<usize>) -> Result<Curve, Error> {
    let time_ns = rows.numbers(TIME, stage)?;
    let mut force_pn = rows.numbers(MEAN_FORCE, stage)?;
    let instantaneous = rows.numbers(FORCE, stage)?;
    for (mean, force) in force_pn.iter_mut().zip(instantaneous) {
        if !mean.is_finite() {
            *mean = force;
        }
    }
    let shift = stage.map_or(Ok(0.0), |stage| began(rows, point, stage))?;
    Ok(Curve {
        time_ns: time_ns.iter().map(|time| time - shift).collect(),
        extension_nm: rows.numbers(EXTENSION, stage)?,
        force_pn,
        contacts: rows.numbers(CONTACTS, stage)?,
    })
}
