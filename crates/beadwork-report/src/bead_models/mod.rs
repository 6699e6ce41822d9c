//! Runs of bead models: averages with errors; for single chains of residues the scaling exponent and contacts; for other beads
//! structure in boxes, motion and the sizes of molecules.

mod conformations;
mod drawing;
mod motion;
mod pair_distributions;
mod pictures;
mod sizes;
mod species;
mod structure_factors;

use std::fmt::Write as _;

use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::conformations::{InternalDistances, LEAST_SEPARATION};
use beadwork_analysis::drift::drift;
use beadwork_analysis::jackknife::Estimate;
use beadwork_analysis::picture::Scene;
use beadwork_analysis::statistics::{mean, standard_deviation};
use beadwork_input::Point;
use beadwork_io::table::quoted;
use beadwork_model::observables::Observable;
use beadwork_model::{Model, Units};
use beadwork_session::Error;

use crate::rows::{PointMembers, Rows};
use crate::words::{decimals, head};
use conformations::Conformations;
pub(crate) use drawing::figures;
pub(crate) use pictures::pictures;

/// The columns of residues that are averaged.
const OF_RESIDUES: [Observable; 17] = [
    Observable::RadiusOfGyrationByMass,
    Observable::RadiusOfGyration,
    Observable::EndToEnd,
    Observable::PotentialEnergy,
    Observable::TotalEnergy,
    Observable::Temperature,
    Observable::PressureXx,
    Observable::PressureYy,
    Observable::PressureZz,
    Observable::PressureXy,
    Observable::PressureXz,
    Observable::PressureYz,
    Observable::ConfigurationalTemperature,
    Observable::Curvature,
    Observable::MomentumX,
    Observable::MomentumY,
    Observable::MomentumZ,
];
/// A mean temperature that differs from that of the bath by more than this part of it is reported.
const FAR_FROM_BATH: f64 = 0.2;
/// The most replicas of a point whose values are drawn in time, and the most rows of each.
const MOST_TRACES: usize = 16;
const MOST_POINTS: usize = 4_000;
/// A drift that chance alone would show less often than this is reported.
const RARE: f64 = 1e-3;

/// Replaces each configurational temperature T with curvature L by ⟨TL⟩/⟨L⟩ + (T − ⟨TL⟩/⟨L⟩) L/⟨L⟩. The mean of these is
/// ⟨Σ F²⟩/⟨Σ ∇²V⟩, and their errors are its errors to first order; the mean of the ratios would be wrong where few beads meet.
fn weigh_by_curvature(columns: &mut [Column]) {
    let place = |wanted| columns.iter().position(|column| column.observable == wanted);
    let temperature = place(Observable::ConfigurationalTemperature);
    let Some((temperature, curvature)) = temperature.zip(place(Observable::Curvature)) else {
        return;
    };
    let weights = columns[curvature].series.clone();
    let all = weights.iter().flatten();
    let (sum, count) = all.fold((0.0, 0.0), |(sum, count), weight| (sum + weight, count + 1.0));
    let values = &mut columns[temperature].series;
    let is_aligned = values.len() == weights.len()
        && values.iter().zip(&weights).all(|(values, weights)| values.len() == weights.len());
    if !is_aligned || sum == 0.0 {
        return;
    }
    let products = values.iter().flatten().zip(weights.iter().flatten());
    let mean = products.map(|(value, weight)| value * weight).sum::<f64>() / sum;
    for (value, weight) in values.iter_mut().flatten().zip(weights.iter().flatten()) {
        *value = mean + (*value - mean) * weight * count / sum;
    }
}

/// The replicas of a point.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    name: String,
    replicas: usize,
    failed: usize,
    model: Model,
    units: Units,
    /// The temperature of the bath as tables have it; `None` where nothing holds the temperature.
    bath: Option<f64>,
    /// Those that the tables have.
    columns: Vec<Column>,
    /// The time at which the last stage began, as its rows show.
    began: Option<f64>,
    conformations: Option<Conformations>,
    /// ν and R₀ of a chain with their errors.
    scaling: Option<(Estimate, Estimate)>,
    /// g(r) of each pair of types, in a box.
    pair_distributions: Vec<pair_distributions::Curve>,
    /// S(q) of each pair of types, in a box.
    structure: Option<structure_factors::Structure>,
    /// Displacements of each type and kind of molecule.
    motion: Vec<motion::Motion>,
    /// Sizes of each kind of molecule.
    sizes: Vec<sizes::Sizes>,
    /// The last frame.
    picture: Option<Scene>,
    notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug)]
struct Column {
    observable: Observable,
    /// The values of each replica in the last stage.
    series: Vec<Vec<f64>>,
    /// Time and value of each replica that is drawn, over the whole run.
    traces: Vec<Trace>,
}

/// Times and values.
type Trace = Vec<(f64, f64)>;

/// The mean of correlated values.
#[derive(Clone, Copy, Debug)]
struct Average {
    mean: f64,
    error: Option<f64>,
    /// As many independent values would have the same error.
    independent: f64,
    /// Whether the series are long enough for their autocorrelation time; otherwise the error is a lower bound.
    is_known: bool,
}

impl Column {
    fn new(observable: Observable) -> Column {
        Column { observable, series: Vec::new(), traces: Vec::new() }
    }

    /// The name without the unit.
    fn name(&self) -> String {
        self.observable.in_words(Units::Reduced)
    }

    /// The mean with its standard error from the autocorrelation time of all series (Madras and Sokal, J. Stat. Phys. 50,
    /// 109, 1988).
    fn average(&self) -> Option<Average> {
        let all: Vec<f64> = self.series.concat();
        let centre = mean(&all)?;
        let count = all.len() as f64;
        let time = integrated_time(&self.series);
        let independent = time.map_or(count, |time| count / time.inefficiency());
        let spread = standard_deviation(&all);
        Some(Average {
            mean: centre,
            error: spread.filter(|_| time.is_some()).map(|spread| spread / independent.sqrt()),
            independent,
            is_known: time.is_none_or(|time| time.long_enough),
        })
    }

    /// Whether the second half of the series differs from the first by more than chance explains.
    fn drifts(&self) -> bool {
        let series: Vec<&[f64]> = self.series.iter().map(Vec::as_slice).collect();
        drift(&series, None).is_some_and(|drift| drift.probability() < RARE)
    }
}

impl Group {
    /// Reads the tables of a point, and its frames if it has some.
    pub fn read(of_point: &PointMembers<'_>) -> Result<Group, Error> {
        let point = of_point.point;
        let units = point.system.units;
        let measured = |one: &Observable| point.protocol.measures(*one, &point.system);
        let all: &[Observable] = match point.system.model {
            Model::Residues(_) => &OF_RESIDUES,
            _ => &Observable::ALL,
        };
        let observables: Vec<Observable> = all.iter().copied().filter(measured).collect();
        let mut found = Group {
            name: of_point.name.clone(),
            replicas: 0,
            failed: 0,
            model: point.system.model,
            units,
            bath: bath(point),
            columns: observables.iter().copied().map(Column::new).collect(),
            began: None,
            conformations: None,
            scaling: None,
            pair_distributions: Vec::new(),
            structure: None,
            motion: Vec::new(),
            sizes: Vec::new(),
            picture: None,
            notes: Vec::new(),
        };
        let columns: Vec<&str> = observables.iter().map(|one| one.column_in(units)).collect();
        let names = [columns.as_slice(), &["step", units.time_column()]].concat();
        let last = point.protocol.stages.len().saturating_sub(1);
        let of_member = |_: &crate::rows::Member<'_>, rows: Rows| {
            let steps = rows.table.counts("step")?;
            let sampled: Vec<usize> =
                rows.of_stage(Some(last)).filter(|&row| steps[row] > 0).collect();
            let times = rows.table.numbers(units.time_column())?;
            let began = sampled.first().map(|&row| times[row]);
            let every = times.len().div_ceil(MOST_POINTS).max(1);
            let values = |column: &&str| -> Result<(Vec<f64>, Trace), Error> {
                if !rows.table.has(column) {
                    return Ok((Vec::new(), Vec::new()));
                }
                let numbers = rows.table.numbers(column)?;
                let of_rows = sampled.iter().map(|&row| numbers[row]);
                let trace = times.iter().copied().zip(numbers.iter().copied()).step_by(every);
                Ok((of_rows.filter(|value| value.is_finite()).collect(), trace.collect()))
            };
            let columns: Result<Vec<_>, Error> = columns.iter().map(values).collect();
            Ok((columns?, began))
        };
        of_point.read(&names, of_member, |member, (columns, began)| {
            found.replicas += 1;
            found.failed += usize::from(member.failed);
            found.began = found.began.or(began);
            for (all, (values, trace)) in found.columns.iter_mut().zip(columns) {
                all.series.extend(Some(values).filter(|values| !values.is_empty()));
                if all.traces.len() < MOST_TRACES {
                    all.traces.push(trace);
                }
            }
            Ok(())
        })?;
        weigh_by_curvature(&mut found.columns);
        // Columns of forces without drives are empty, and those of energies without terms are zero.
        let says = |series: &Vec<f64>| series.iter().any(|&value| value != 0.0);
        found.columns.retain(|column| column.series.iter().any(says));
        if let Model::Residues(_) = point.system.model {
            (found.conformations, found.notes) = conformations::read(of_point, last)?;
            found.scaling = found.conformations.as_ref().and_then(Conformations::scaling);
        } else {
            found.pair_distributions = pair_distributions::read(of_point, last)?;
            found.structure = structure_factors::read(of_point, last)?;
            found.motion = motion::read(of_point, last)?;
            found.sizes = sizes::read(of_point, last)?;
            found.picture = pictures::read(of_point)?;
            let has_frames = !found.motion.is_empty() || found.structure.is_some();
            if of_point.request.output.trajectory.is_some() && !has_frames {
                let note = "the replicas have too few frames of the last stage to say anything of structure and motion: write them more often, or make it longer";
                found.notes.push(note.to_string());
            }
        }
        Ok(found)
    }

    /// A note if the mean temperature of the velocities is far from that of the bath.
    fn far_from_bath(&self) -> Option<String> {
        let is_temperature = |column: &&Column| column.observable == Observable::Temperature;
        let mean = self.columns.iter().find(is_temperature)?.average()?.mean;
        let bath = self.bath.filter(|bath| (mean - bath).abs() > FAR_FROM_BATH * bath)?;
        Some(format!(
            "the mean temperature is {mean:.4} and that of the bath {bath:.4}: begin with a minimisation or a longer relaxation, or take a shorter time step"
        ))
    }

    /// A paragraph.
    fn in_words(&self) -> String {
        let head = head(&self.name);
        if self.columns.iter().all(|column| column.series.is_empty()) {
            let why = match self.failed == self.replicas {
                true => format!(
                    "all {} replica(s) failed before the last stage had rows",
                    self.replicas
                ),
                false => format!("none of {} replica(s) has rows of the last stage", self.replicas),
            };
            return format!("{head}no averages, since {why}\n");
        }
        let mut text =
            if self.name.is_empty() { String::new() } else { format!("{}:\n", self.name) };
        let mut short = Vec::new();
        for column in &self.columns {
            let Some(average) = column.average() else { continue };
            let name = column.observable.in_words(self.units);
            let Average { mean, error, independent, is_known } = average;
            let _ = match error {
                Some(error) => {
                    let decimals = decimals(error);
                    writeln!(
                        text,
                        "{name}: {mean:.decimals$} ± {error:.decimals$} (standard error of about {independent:.0} independent values)"
                    )
                }
                None => writeln!(text, "{name}: {mean:.4}"),
            };
            if !is_known {
                short.push(column.name());
            }
        }
        if let Some((exponent, prefactor)) = self.scaling {
            let number = |estimate: Estimate| match estimate.error {
                Some(error) => {
                    let decimals = decimals(error);
                    format!("{:.decimals$} ± {error:.decimals$}", estimate.value)
                }
                None => format!("{:.3}", estimate.value),
            };
            let _ = writeln!(
                text,
                "scaling exponent: {}, prefactor {} nm (root mean square distances of residues at least {LEAST_SEPARATION} bonds apart)",
                number(exponent),
                number(prefactor)
            );
        }
        text.push_str(&self.sizes_in_words());
        if let Some(structure) = &self.structure {
            text.push_str(&structure.in_words(self.units));
        }
        text.push_str(&self.motion_in_words());
        if !short.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}the last stage is shorter than 100 autocorrelation times of {}: errors may be larger; make it longer, or add replicas",
                short.join(", ")
            );
        }
        let drifting = self.columns.iter().filter(|column| column.drifts());
        let drifting: Vec<String> = drifting.map(Column::name).collect();
        if !drifting.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}the second half of the last stage differs from the first by more than chance explains in {}: make the stages before it longer",
                drifting.join(", ")
            );
        }
        if let Some(note) = self.far_from_bath() {
            let _ = writeln!(text, "note: {head}{note}");
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {head}{note}");
        }
        text
    }
}

/// The name of a group in legends.
fn named(group: &Group) -> &str {
    if group.name.is_empty() { "run" } else { &group.name }
}

/// The temperature of the bath as tables have it, if beads have velocities and friction.
fn bath(point: &Point) -> Option<f64> {
    let (system, dynamics) = (&point.system, &point.protocol.dynamics);
    (dynamics.integrator.has_velocities() && system.holds_temperature(dynamics))
        .then(|| dynamics.temperature / system.temperature_unit())
}

/// The answer in words.
pub(crate) fn in_words(groups: &[Group]) -> String {
    groups.iter().map(Group::in_words).collect()
}

/// `averages.csv`, a line for each group and quantity; `distances.csv`, a line for each separation along the chain; tables of
/// structure, motion and sizes where there are frames.
pub(crate) fn tables(groups: &[Group]) -> Vec<(&'static str, String)> {
    if groups.is_empty() {
        return Vec::new();
    }
    let mut averages = String::from("group,quantity,mean,standard_error,independent_values\n");
    let mut distances = String::from("group,separation,distance_nm\n");
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for group in groups {
        let name = quoted(&group.name);
        for column in &group.columns {
            let Some(average) = column.average() else { continue };
            let Average { mean, error, independent, .. } = average;
            let column = column.observable.column_in(group.units);
            let _ = writeln!(averages, "{name},{column},{mean},{},{independent}", number(error));
        }
        if let Some((exponent, prefactor)) = group.scaling {
            for (what, estimate) in
                [("scaling_exponent", exponent), ("scaling_prefactor_nm", prefactor)]
            {
                let Estimate { value, error, .. } = estimate;
                let _ = writeln!(averages, "{name},{what},{value},{},", number(error));
            }
        }
        let rows = [group.sizes_in_averages(), group.motion_in_averages()];
        for (what, value, error) in rows.into_iter().flatten() {
            let _ = writeln!(averages, "{name},{},{value},{},", quoted(&what), number(error));
        }
        for (separation, distance) in group.distances() {
            let _ = writeln!(distances, "{name},{separation},{distance}");
        }
    }
    let of_residues = |group: &Group| matches!(group.model, Model::Residues(_));
    let mut files = vec![("averages.csv", averages)];
    if groups.iter().any(of_residues) {
        files.push(("distances.csv", distances));
    }
    if groups.iter().any(|group| !group.pair_distributions.is_empty()) {
        files.push(("pair-distributions.csv", pair_distributions::table(groups)));
    }
    files.extend(structure_factors::tables(groups));
    files.extend(motion::table(groups));
    files.extend(sizes::table(groups));
    files
}

impl Group {
    /// Separations along the chain and root mean square distances, nm; empty without frames.
    fn distances(&self) -> Vec<(f64, f64)> {
        let blocks = self.conformations.iter().flat_map(|found| &found.blocks);
        conformations::merged(blocks)
            .map_or_else(Vec::new, |all: InternalDistances| all.root_mean_squares())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ F² of 1, 9 and 8 with curvatures of 1, 3 and 4 in two replicas: 18/8, where the mean of the ratios is 2.
    #[test]
    fn configurational_temperatures_are_weighed_by_the_curvature() {
        let mut columns =
            [Observable::ConfigurationalTemperature, Observable::Curvature].map(Column::new);
        columns[0].series = vec![vec![1.0, 3.0], vec![2.0]];
        columns[1].series = vec![vec![1.0, 3.0], vec![4.0]];
        weigh_by_curvature(&mut columns);
        let mean = columns[0].series.iter().flatten().sum::<f64>() / 3.0;
        assert!((mean - 2.25).abs() < 1e-12, "{mean}");
        assert_eq!(columns[1].series, [vec![1.0, 3.0], vec![4.0]]);
    }
}
