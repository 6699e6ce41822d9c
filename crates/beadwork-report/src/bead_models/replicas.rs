//! The replicas of a point: what their tables and frames hold, and the averages of it.

use beadwork_analysis::average::Average;
use beadwork_analysis::conformations::{InternalDistances, LEAST_SEPARATION};
use beadwork_analysis::picture::Scene;
use beadwork_input::Point;
use beadwork_model::observables::MeasuredColumn;
use beadwork_model::{Model, Units};
use beadwork_session::Error;

use super::columns::Column;
use super::conformations::{self, Conformations};
use super::frame_figures::MOST_MAPS;
use super::temperatures::SetTemperature;
use super::{columns, motion, pair_distributions, pictures, sizes, species, structure_factors};
use crate::choices::Choices;
use crate::data::{self, Code, Value};
use crate::lower_bounds::LowerBounds;
use crate::rows::PointMembers;
use crate::words::{drive_in_words, symbol};

/// The replicas of a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct BeadModelGroup {
    pub(super) name: String,
    pub(super) about: data::Group,
    /// The rows that are averaged, in words, and their stage in sentences.
    pub(super) basis: String,
    pub(super) stage: String,
    pub(super) model: Model,
    pub(super) units: Units,
    /// The temperature that was set, which measured ones should agree with.
    pub(super) set_temperature: SetTemperature,
    /// The number of kinds of molecules of more than one bead.
    pub(super) kinds_of_molecules: usize,
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
    /// Of the last frame, or the one that is asked for.
    pub(super) picture: Option<Scene>,
    /// Whether there is a frame, of which there is no picture because points before have enough of them.
    pub(super) lacks_picture: bool,
    /// What is missing, and why.
    pub(super) missing: Vec<String>,
}

impl BeadModelGroup {
    /// Reads the tables of a point, and its frames if it has some. What is drawn of few points is left out if those `before` have it.
    pub fn read(
        of_point: &PointMembers<'_>,
        choices: &Choices,
        before: &[BeadModelGroup],
    ) -> Result<BeadModelGroup, Error> {
        let (point, stage) = (of_point.point, of_point.averaged_stage());
        let (columns, began) = columns::read(of_point, stage)?;
        let mut found = BeadModelGroup {
            name: of_point.name.clone(),
            about: of_point.about(),
            basis: of_point.basis(),
            stage: of_point.stage_in_words(),
            model: point.system.model,
            units: point.system.units,
            set_temperature: SetTemperature::of(&point.system, &point.protocol, stage),
            kinds_of_molecules: species::of_system(&point.system).len(),
            columns,
            began,
            ..BeadModelGroup::default()
        };
        if let Model::Residues(_) = point.system.model {
            let has_room = have_room(before, |one| one.conformations.is_some());
            (found.conformations, found.missing) = conformations::read(of_point, stage, has_room)?;
            found.scaling = found.conformations.as_ref().and_then(Conformations::scaling);
        } else {
            let alone = species::alone(of_point)?;
            if alone.is_none() {
                found.pair_distributions = pair_distributions::read(of_point, stage)?;
                found.structure = structure_factors::read(of_point, stage)?;
            }
            match motion::read(of_point, stage)? {
                Ok(motion) => found.motion = motion,
                Err(reason) => found.missing.push(reason),
            }
            found.sizes = sizes::read(of_point, stage)?;
            if !choices.without_pictures {
                match have_room(before, |one| one.picture.is_some()) {
                    true => found.picture = pictures::read(of_point, choices.picture)?,
                    false => found.lacks_picture = pictures::has_frame(of_point, choices.picture)?,
                }
            }
            found.missing.extend(found.without_structure(point, alone));
        }
        Ok(found)
    }

    pub(super) fn replicas(&self) -> usize {
        self.about.replicas
    }

    /// Why there is no structure of a box.
    fn without_structure(&self, point: &Point, alone: Option<&str>) -> Option<String> {
        let is_box = point.system.boundary.sides().is_some();
        (is_box && self.structure.is_none()).then(|| match alone {
            Some(alone) => format!(
                "no pair distributions and structure factors, which compare with beads that are even in the box, since there is {alone}; beadwork.analysis in Python computes them of frames"
            ),
            None => format!(
                "no pair distributions and structure factors, since no replica has frames of {}: write trajectory = {{ every_steps = … }} in [output], or make the stage longer",
                self.stage
            ),
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
        let mut short = LowerBounds::default();
        let mut keep = |group: &mut data::Group, value: Value, average: &Average| {
            let of = if value.of.is_empty() { String::new() } else { format!(" of {}", value.of) };
            short.add(average, format!("{}{of}", value.words));
            group.values.push(value);
        };
        for column in &self.columns {
            let Some(average) = column.average() else { continue };
            let unit = symbol(column.measured.unit_in(self.units));
            let word = column.measured.quantity().word();
            let value = Value::new(word, column.name(), unit, average.mean);
            let value = value.of(column.measured.pull().map_or_else(String::new, drive_in_words));
            let basis = self.basis_of(&column.measured);
            keep(&mut group, value.with_average(&average).from(basis), &average);
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
                keep(&mut group, value, average);
            }
        }
        for (value, average) in sizes::values(&self.sizes, self.units) {
            let basis = format!("frames of {}", self.basis);
            keep(&mut group, value.from(basis), &average);
        }
        let structure = self.structure.iter().flat_map(|structure| structure.values(self.units));
        group.values.extend(structure);
        group.values.extend(motion::values(&self.motion, self.units));
        group.findings.extend(short.findings(&self.basis));
        self.doubts(&mut group);
        group
    }

    /// The rows on which the mean of a column rests. Those of sizes say if these are of several kinds of molecules.
    fn basis_of(&self, measured: &MeasuredColumn) -> String {
        let word = measured.word();
        let is_size = sizes::SIZES.iter().any(|(_, column)| word.starts_with(column));
        match is_size && self.kinds_of_molecules > 1 {
            true => format!("{}; all kinds of molecules", self.basis),
            false => self.basis.clone(),
        }
    }

    /// Drifts, a wrong temperature, and what is missing.
    fn doubts(&self, group: &mut data::Group) {
        if let Some(note) = motion::not_diffusive(&self.motion) {
            group.find(Code::NotDiffusive, note);
        }
        if let Some(note) = motion::few_times(&self.motion) {
            group.find(Code::FewTimes, note);
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
        group.findings.extend(self.set_temperature.findings(&self.columns, self.units));
        for note in &self.missing {
            group.find(Code::NotMeasured, note.as_str());
        }
    }
}

/// Whether points that `have` what is drawn of few leave room for one more.
pub(super) fn have_room(before: &[BeadModelGroup], have: fn(&BeadModelGroup) -> bool) -> bool {
    before.iter().filter(|one| have(one)).count() < MOST_MAPS
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
