//! What came out of a run: unfolding forces, averages, plots.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beadwork_analysis::report::{
    GroupSummary, MemberData, group_summaries, pulling_figures, pulling_summary,
};
use beadwork_analysis::statistics::{mean, standard_error};
use beadwork_analysis::table::{Table, read_csv};
use beadwork_analysis::unfolding::{Criteria, Curve, analyse};
use beadwork_input::{Point, Request};
use beadwork_io::{RunFolder, atomic};
use beadwork_model::System;
use beadwork_model::drives::Drive;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, PICOSECONDS_PER_NANOSECOND};

use crate::Error;
use crate::session::quoted;

/// Å: the window of the averaged force is the time in which a spring's base travels this far,
/// unless the input names one. P4's 500 points at its speed are 2.5 Å.
const WINDOW_TRAVEL: f64 = 2.5;
/// Fraction of the contour between the two ends beyond which a chain counts as taut.
const TAUT_FRACTION: f64 = 0.9;

/// What a person may choose instead of what the input says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// ps: the window of the averaged force.
    pub window: Option<f64>,
    /// pN: the least fall that counts.
    pub prominence: Option<f64>,
}

/// The analysis of one run or, side by side, of several.
#[derive(Clone, Debug)]
pub struct Answer {
    members: Vec<MemberData>,
    averages: Vec<Averages>,
    criteria: Criteria,
    pulled: bool,
}

/// Averages of one group over the second half of the last stage.
#[derive(Clone, Debug)]
struct Averages {
    group: String,
    lines: Vec<(&'static str, Vec<f64>)>,
}

/// Columns that are averaged where nothing is pulled, with their names in words.
const AVERAGED: [(&str, &str); 4] = [
    ("total_energy_kcal_per_mol", "total energy / (kcal/mol)"),
    ("native_contacts", "native contacts"),
    ("radius_of_gyration_nm", "radius of gyration / nm"),
    ("temperature_K", "temperature / K"),
];

impl Answer {
    /// Reads the tables of a run. `prefix` names the run where several are compared.
    ///
    /// # Errors
    /// A table that is damaged. Members that have not begun are left out.
    pub fn read(
        folder: &RunFolder,
        request: &Request,
        prefix: &str,
        choices: &Choices,
    ) -> Result<Answer, Error> {
        let criteria = criteria(request, choices);
        let mut answer =
            Answer { members: Vec::new(), averages: Vec::new(), criteria, pulled: false };
        for number in 0..request.members() {
            let (point, replica) = request.member(number);
            let path = folder.table(number as usize);
            if !path.exists() {
                continue;
            }
            let table = read_csv(&path)?;
            let group = group_name(prefix, point);
            answer.add_averages(&group, point, &table);
            let stage = pulling_stage(point);
            answer.pulled |= stage.is_some();
            let curve = curve(&table, stage);
            let times = numbers(&table, "time_ns", None);
            let temperatures = numbers(&table, "temperature_K", None);
            let (temperature_time_ns, temperature_k) =
                times.into_iter().zip(temperatures).filter(|(_, t)| t.is_finite()).unzip();
            answer.members.push(MemberData {
                label: format!("replica {replica}"),
                group,
                unfolding: analyse(
                    &curve,
                    &Criteria { taut_extension_nm: taut_extension(point), ..criteria },
                ),
                curve,
                temperature_k,
                temperature_time_ns,
            });
        }
        Ok(answer)
    }

    /// Puts another run beside this one.
    pub fn extend(&mut self, other: Answer) {
        self.members.extend(other.members);
        self.averages.extend(other.averages);
        self.pulled |= other.pulled;
    }

    /// Unfolding forces by group.
    pub fn unfolding(&self) -> Vec<GroupSummary> {
        group_summaries(&self.members, &self.criteria)
    }

    /// The answer in words.
    pub fn summary(&self) -> String {
        if self.pulled {
            return pulling_summary(&self.members, &self.criteria);
        }
        let mut text = String::new();
        for averages in &self.averages {
            if !averages.group.is_empty() {
                let _ = writeln!(text, "{}:", averages.group);
            }
            for (name, values) in &averages.lines {
                let Some(value) = mean(values) else { continue };
                let _ = write!(text, "{name}: {value:.5}");
                if let Some(error) = standard_error(values) {
                    let _ = write!(text, " ± {error:.2} (standard error of {})", values.len());
                }
                let _ = writeln!(text, ", second half of the last stage");
            }
        }
        text
    }

    /// Writes the figures into `plots`, each as SVG and PNG, and returns their paths.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut written = Vec::new();
        for (stem, figure) in pulling_figures(&self.members, &self.criteria) {
            let needs_pulling = ["force-extension", "force-time", "unfolding-forces"];
            if self.pulled || !needs_pulling.contains(&stem.as_str()) {
                written.extend(figure.write(plots.join(stem))?);
            }
        }
        Ok(written)
    }

    /// Writes `unfolding.csv` (a line a member), `peaks.csv` (a line a peak) and `summary.txt`.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        atomic::write(&folder.join("summary.txt"), self.summary().as_bytes())?;
        if !self.pulled {
            return Ok(());
        }
        let mut unfolding = String::from(
            "group,member,unfolding_force_pN,extension_nm,time_ns,native_contacts,fall_pN\n",
        );
        let mut peaks =
            String::from("group,member,force_pN,extension_nm,time_ns,native_contacts,fall_pN\n");
        for member in &self.members {
            let head = format!("{},{}", quoted(&member.group), quoted(&member.label));
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

    fn add_averages(&mut self, group: &str, point: &Point, table: &Table) {
        let Some(stage) = point.protocol.stages.last() else { return };
        let place = match self.averages.iter().position(|averages| averages.group == group) {
            Some(place) => place,
            None => {
                let lines = AVERAGED.map(|(_, words)| (words, Vec::new())).to_vec();
                self.averages.push(Averages { group: group.to_string(), lines });
                self.averages.len() - 1
            }
        };
        for ((column, _), (_, means)) in AVERAGED.iter().zip(&mut self.averages[place].lines) {
            let values = numbers(table, column, Some(&stage.name));
            let half: Vec<f64> =
                values[values.len() / 2..].iter().copied().filter(|v| v.is_finite()).collect();
            means.extend(mean(&half));
        }
    }
}

/// The folder's name and the point's settings: what a legend says.
fn group_name(prefix: &str, point: &Point) -> String {
    let settings: Vec<String> =
        point.settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    let settings = settings.join(", ");
    match (prefix.is_empty(), settings.is_empty()) {
        (true, _) => settings,
        (false, true) => prefix.to_string(),
        (false, false) => format!("{prefix}: {settings}"),
    }
}

/// The first stage in which a spring pulls.
fn pulling_stage(point: &Point) -> Option<&str> {
    let pulls = |drive: &Drive| matches!(drive, Drive::Spring(_));
    let stage = point.protocol.stages.iter().find(|stage| stage.drives.iter().any(pulls))?;
    Some(&stage.name)
}

fn criteria(request: &Request, choices: &Choices) -> Criteria {
    let protocol = &request.points[0].protocol;
    let between_rows = request.output.table_every as f64 * protocol.dynamics.timestep;
    let travel_time = || {
        let speeds =
            protocol.stages.iter().flat_map(|stage| &stage.drives).filter_map(
                |drive| match drive {
                    Drive::Spring(spring) if spring.speed != 0.0 => Some(spring.speed.abs()),
                    _ => None,
                },
            );
        speeds.reduce(f64::max).map(|speed| WINDOW_TRAVEL / speed)
    };
    let window = choices.window.or(request.analysis.window).or_else(travel_time);
    Criteria {
        window_points: window.map_or(1, |window| (window / between_rows).round().max(1.0) as usize),
        prominence_pn: choices.prominence.unwrap_or(request.analysis.prominence),
        taut_extension_nm: None,
    }
}

/// A fraction of the shortest way along bonds between the ends, nm.
fn taut_extension(point: &Point) -> Option<f64> {
    let (from, to) = &point.protocol.ends;
    contour(&point.system, *from.first()?, *to.last()?)
        .map(|contour| TAUT_FRACTION * contour / ANGSTROMS_PER_NANOMETRE)
}

/// The shortest way along bonds between two beads, Å (Dijkstra's algorithm, plainly).
fn contour(system: &System, from: usize, to: usize) -> Option<f64> {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); system.beads.len()];
    for bond in &system.interactions.fene_bonds {
        neighbours[bond.i].push((bond.j, bond.potential.length));
        neighbours[bond.j].push((bond.i, bond.potential.length));
    }
    let mut distances = vec![f64::INFINITY; system.beads.len()];
    let mut done = vec![false; system.beads.len()];
    distances[from] = 0.0;
    loop {
        let open = (0..distances.len()).filter(|&bead| !done[bead] && distances[bead].is_finite());
        let nearest = open.min_by(|&a, &b| distances[a].total_cmp(&distances[b]))?;
        if nearest == to {
            return Some(distances[to]);
        }
        done[nearest] = true;
        for &(next, length) in &neighbours[nearest] {
            distances[next] = distances[next].min(distances[nearest] + length);
        }
    }
}

/// A column, for the rows of one stage only if one is named; NaN where a cell is empty.
fn numbers(table: &Table, column: &str, stage: Option<&str>) -> Vec<f64> {
    let Some(values) = table.column(column) else { return Vec::new() };
    match (stage, table.text_column("stage")) {
        (Some(stage), Some(stages)) => {
            values.iter().zip(stages).filter(|(_, s)| *s == stage).map(|(v, _)| *v).collect()
        }
        _ => values.to_vec(),
    }
}

/// Force, extension and contacts of the pulling stage, or of all stages where nothing pulls.
fn curve(table: &Table, stage: Option<&str>) -> Curve {
    let time_ns = numbers(table, "time_ns", stage);
    let mut force_pn = numbers(table, "mean_force_pN", stage);
    let instantaneous = numbers(table, "force_pN", stage);
    for (mean, force) in force_pn.iter_mut().zip(instantaneous) {
        if !mean.is_finite() {
            *mean = force;
        }
    }
    let began = time_ns.first().copied().unwrap_or(0.0);
    let shift = if stage.is_some() { began } else { 0.0 };
    Curve {
        time_ns: time_ns.iter().map(|time| time - shift).collect(),
        extension_nm: numbers(table, "extension_nm", stage),
        force_pn,
        contacts: numbers(table, "native_contacts", stage),
    }
}

/// ns from a time in ps.
pub fn nanoseconds(picoseconds: f64) -> f64 {
    picoseconds / PICOSECONDS_PER_NANOSECOND
}
