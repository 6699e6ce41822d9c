//! The replicas of a point: what their tables and frames hold, and the averages of it.

use beadwork_analysis::average::Average;
use beadwork_analysis::conformations::{InternalDistances, LEAST_SEPARATION};
use beadwork_analysis::drift::drift;
use beadwork_analysis::picture::Scene;
use beadwork_input::Point;
use beadwork_model::observables::{MeasuredColumn, Observable};
use beadwork_model::{Boundary, Model, Units};
use beadwork_session::Error;

use super::conformations::{self, Conformations};
use super::drawing::beginning;
use super::{motion, pair_distributions, pictures, sizes, structure_factors};
use crate::averages::few_values;
use crate::choices::Choices;
use crate::data::{self, Code, Value};
use crate::rows::{MemberRows, PointMembers};
use crate::words::{drive_in_words, symbol};

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
pub(super) const MOST_TRACES: usize = 16;
const MOST_POINTS: usize = 4_000;
/// A drift that chance alone would show less often than this is reported.
const RARE: f64 = 1e-3;

/// Replaces each configurational temperature T with curvature L by ⟨TL⟩/⟨L⟩ + (T − ⟨TL⟩/⟨L⟩) L/⟨L⟩. The mean of these is
/// ⟨Σ F²⟩/⟨Σ ∇²V⟩, and their errors are its errors to first order; the mean of the ratios would be wrong where few beads meet.
fn weigh_by_curvature(columns: &mut [Column]) {
    let place = |wanted: Observable| {
        columns.iter().position(|column| column.measured == MeasuredColumn::Whole(wanted))
    };
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
pub(crate) struct BeadModelGroup {
    pub(super) name: String,
    pub(super) about: data::Group,
    /// The rows that are averaged, in words, and their stage in sentences.
    pub(super) basis: String,
    pub(super) stage: String,
    pub(super) model: Model,
    pub(super) units: Units,
    /// The temperature of the bath as tables have it; `None` where nothing holds the temperature.
    pub(super) bath: Option<f64>,
    /// Those that the tables have.
    pub(super) columns: Vec<Column>,
    /// The time of the last row before the stage, where curves are of the whole run and have other stages before it.
    pub(super) began: Option<f64>,
    pub(super) conformations: Option<Conformations>,
    /// ν and R₀ of a chain with their errors.
    pub(super) scaling: Option<[Average; 2]>,
    /// g(r) of each pair of types, in a box.
    pub(super) pair_distributions: Vec<pair_distributions::PairDistributionCurve>,
    /// S(q) of each pair of types, in a box.
    pub(super) structure: Option<structure_factors::Structure>,
    /// Displacements of each type and kind of molecule.
    pub(super) motion: Vec<motion::Motion>,
    /// Sizes of each kind of molecule.
    pub(super) sizes: Vec<sizes::Sizes>,
    /// The last frame.
    pub(super) picture: Option<Scene>,
    /// What is missing, and why.
    pub(super) missing: Vec<String>,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) measured: MeasuredColumn,
    /// The values of each replica in the stage.
    pub(super) series: Vec<Vec<f64>>,
    /// Time and value of each replica that is drawn, over the whole run or in the stage that a person asked for.
    pub(super) traces: Vec<Trace>,
}

/// Times and values.
pub(super) type Trace = Vec<(f64, f64)>;

impl Column {
    fn new(measured: impl Into<MeasuredColumn>) -> Column {
        Column { measured: measured.into(), series: Vec::new(), traces: Vec::new() }
    }

    /// The name without the unit.
    fn name(&self) -> String {
        self.measured.quantity().in_words(Units::Reduced)
    }

    fn average(&self) -> Option<Average> {
        Average::of(&self.series)
    }

    /// Whether the second half of the series differs from the first by more than chance explains.
    fn drifts(&self) -> bool {
        let series: Vec<&[f64]> = self.series.iter().map(Vec::as_slice).collect();
        drift(&series, None).is_some_and(|drift| drift.probability() < RARE)
    }
}

impl BeadModelGroup {
    /// Reads the tables of a point, and its frames if it has some.
    pub fn read(of_point: &PointMembers<'_>, choices: &Choices) -> Result<BeadModelGroup, Error> {
        let point = of_point.point;
        let units = point.system.units;
        let all = point.protocol.measured_columns(&point.system).into_iter();
        let measured: Vec<MeasuredColumn> = match point.system.model {
            Model::Residues(_) => {
                let measured: Vec<MeasuredColumn> = all.collect();
                let of_residues = OF_RESIDUES.map(MeasuredColumn::Whole).into_iter();
                of_residues.filter(|one| measured.contains(one)).collect()
            }
            _ => all.collect(),
        };
        let mut found = BeadModelGroup {
            name: of_point.name.clone(),
            about: of_point.about(),
            basis: of_point.basis(),
            stage: of_point.stage_in_words(),
            model: point.system.model,
            units,
            bath: bath(point),
            columns: measured.iter().cloned().map(Column::new).collect(),
            began: None,
            conformations: None,
            scaling: None,
            pair_distributions: Vec::new(),
            structure: None,
            motion: Vec::new(),
            sizes: Vec::new(),
            picture: None,
            missing: Vec::new(),
        };
        let headers: Vec<String> = measured.iter().map(|one| one.column_in(units)).collect();
        let columns: Vec<&str> = headers.iter().map(String::as_str).collect();
        let names = [columns.as_slice(), &["step", units.time_column()]].concat();
        let stage = of_point.averaged_stage();
        let of_member = |_: &crate::rows::BegunMember<'_>, rows: MemberRows| {
            let steps = rows.table.counts("step")?;
            let sampled: Vec<usize> =
                rows.of_stage(Some(stage)).filter(|&row| steps[row] > 0).collect();
            let times = rows.table.numbers(units.time_column())?;
            let began = beginning(stage, sampled.first().copied(), &times);
            let drawn: Vec<usize> = rows.of_stage(of_point.asked).collect();
            let every = drawn.len().div_ceil(MOST_POINTS).max(1);
            let values = |column: &&str| -> Result<(Vec<f64>, Trace), Error> {
                if !rows.table.has(column) {
                    return Ok((Vec::new(), Vec::new()));
                }
                let numbers = rows.table.numbers(column)?;
                let of_rows = sampled.iter().map(|&row| numbers[row]);
                let trace = drawn.iter().step_by(every).map(|&row| (times[row], numbers[row]));
                Ok((of_rows.filter(|value| value.is_finite()).collect(), trace.collect()))
            };
            let columns: Result<Vec<_>, Error> = columns.iter().map(values).collect();
            Ok((columns?, began))
        };
        of_point.read(&names, of_member, |_, (columns, began)| {
            found.began = found.began.or(began.filter(|_| of_point.asked.is_none()));
            for (all, (values, trace)) in found.columns.iter_mut().zip(columns) {
                all.series.extend(Some(values).filter(|values| !values.is_empty()));
                if all.traces.len() < MOST_TRACES {
                    all.traces.push(trace);
                }
            }
            Ok(())
        })?;
        weigh_by_curvature(&mut found.columns);
        // Columns of forces without externals are empty, and those of energies without terms are zero.
        let says = |series: &Vec<f64>| series.iter().any(|&value| value != 0.0);
        found.columns.retain(|column| column.series.iter().any(says));
        if let Model::Residues(_) = point.system.model {
            (found.conformations, found.missing) = conformations::read(of_point, stage)?;
            found.scaling = found.conformations.as_ref().and_then(Conformations::scaling);
        } else {
            found.pair_distributions = pair_distributions::read(of_point, stage)?;
            found.structure = structure_factors::read(of_point, stage)?;
            match motion::read(of_point, stage)? {
                Ok(motion) => found.motion = motion,
                Err(reason) => found.missing.push(reason),
            }
            found.sizes = sizes::read(of_point, stage)?;
            if !choices.without_pictures {
                found.picture = pictures::read(of_point)?;
            }
            found.missing.extend(found.without_structure(point));
        }
        Ok(found)
    }

    /// A note if the mean temperature of the velocities is far from that of the bath.
    fn far_from_bath(&self) -> Option<String> {
        let temperature = MeasuredColumn::Whole(Observable::Temperature);
        let is_temperature = |column: &&Column| column.measured == temperature;
        let mean = self.columns.iter().find(is_temperature)?.average()?.mean;
        let bath = self.bath.filter(|bath| (mean - bath).abs() > FAR_FROM_BATH * bath)?;
        Some(format!(
            "the mean temperature is {mean:.4} and that of the bath {bath:.4}: begin with a minimisation or a longer relaxation, or take a shorter time step"
        ))
    }

    pub(super) fn replicas(&self) -> usize {
        self.about.replicas
    }

    /// Why there is no structure of a box.
    fn without_structure(&self, point: &Point) -> Option<String> {
        let is_box = matches!(point.system.boundary, Boundary::Periodic { .. });
        (is_box && self.structure.is_none()).then(|| {
            format!(
                "no pair distributions and structure factors, since no replica has frames of {}: write trajectory = {{ every_steps = … }} in [output], or make the stage longer",
                self.stage
            )
        })
    }

    /// The averages as data.
    pub(super) fn answer(&self) -> data::Group {
        let mut group = self.about.clone();
        if self.columns.iter().all(|column| column.series.is_empty()) {
            let why = match group.failed == group.replicas {
                true => format!(
                    "all {} replica(s) failed before {} had rows",
                    group.replicas, self.stage
                ),
                false => {
                    format!("none of {} replica(s) has rows of {}", group.replicas, self.stage)
                }
            };
            group.find(Code::NoValues, format!("no averages, since {why}"));
            return group;
        }
        let mut short = Vec::new();
        let mut keep = |group: &mut data::Group, value: Value, is_known: bool| {
            if !is_known {
                let of =
                    if value.of.is_empty() { String::new() } else { format!(" of {}", value.of) };
                short.push(format!("{}{of}", value.words));
            }
            group.values.push(value);
        };
        for column in &self.columns {
            let Some(average) = column.average() else { continue };
            let unit = symbol(column.measured.unit_in(self.units));
            let word = column.measured.quantity().word();
            let value = Value::new(word, column.name(), unit, average.mean);
            let value = value.of(column.measured.pull().map_or_else(String::new, drive_in_words));
            keep(
                &mut group,
                value.with_average(&average).from(self.basis.as_str()),
                average.is_known,
            );
        }
        if let Some([exponent, prefactor]) = &self.scaling {
            let basis = format!(
                "root mean square distances of residues at least {LEAST_SEPARATION} bonds apart"
            );
            let of = [
                (Value::new("scaling_exponent", "scaling exponent", "", exponent.mean), exponent),
                (
                    Value::new(
                        "scaling_prefactor",
                        "prefactor of the scaling",
                        "nm",
                        prefactor.mean,
                    ),
                    prefactor,
                ),
            ];
            for (value, average) in of {
                let value = value.with_average(average).from(basis.as_str());
                keep(&mut group, value, average.is_known);
            }
        }
        for (value, is_known) in sizes::values(&self.sizes, self.units) {
            keep(&mut group, value, is_known);
        }
        let structure = self.structure.iter().flat_map(|structure| structure.values(self.units));
        group.values.extend(structure);
        group.values.extend(motion::values(&self.motion, self.units));
        if !short.is_empty() {
            group.find(Code::FewValues, few_values(&short, &self.basis));
        }
        self.doubts(&mut group);
        group
    }

    /// Drifts, a wrong temperature, and what is missing.
    fn doubts(&self, group: &mut data::Group) {
        if let Some(note) = motion::not_diffusive(&self.motion) {
            group.find(Code::NotDiffusive, note);
        }
        let drifting = self.columns.iter().filter(|column| column.drifts());
        let drifting: Vec<String> =
            drifting.map(|column| column.measured.in_words(Units::Reduced)).collect();
        if !drifting.is_empty() {
            let text = format!(
                "the second half of {} differs from the first by more than chance explains in {}: put a longer stage before it",
                self.stage,
                drifting.join(", ")
            );
            group.find(Code::Drift, text);
        }
        if let Some(note) = self.far_from_bath() {
            group.find(Code::FarFromBath, note);
        }
        for note in &self.missing {
            group.find(Code::NotMeasured, note.as_str());
        }
    }
}

/// The stage of all groups in sentences: `the last stage`, `stage "run"`.
pub(super) fn stage_of<'a>(groups: impl IntoIterator<Item = &'a BeadModelGroup>) -> &'a str {
    let mut stages = groups.into_iter().map(|group| group.stage.as_str());
    let first = stages.next().unwrap_or_default();
    if stages.all(|stage| stage == first) { first } else { "each group's stage" }
}

/// The name of a group in legends.
pub(super) fn named(group: &BeadModelGroup) -> &str {
    if group.name.is_empty() { "run" } else { &group.name }
}

/// The temperature of the bath as tables have it, if beads have velocities and friction.
fn bath(point: &Point) -> Option<f64> {
    let (system, dynamics) = (&point.system, &point.protocol.dynamics);
    (dynamics.integrator.has_velocities() && system.holds_temperature(dynamics))
        .then(|| dynamics.temperature / system.temperature_unit())
}

impl BeadModelGroup {
    /// Separations along the chain and root mean square distances, nm; empty without frames.
    pub(super) fn distances(&self) -> Vec<(f64, f64)> {
        let all = self.conformations.as_ref().and_then(Conformations::distances);
        all.map_or_else(Vec::new, |all: InternalDistances| all.root_mean_squares())
    }
}

/// The answers of the groups.
pub(crate) fn answers(groups: &[BeadModelGroup]) -> impl Iterator<Item = data::Group> + use<'_> {
    groups.iter().map(BeadModelGroup::answer)
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
