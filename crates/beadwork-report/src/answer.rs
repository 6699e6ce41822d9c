//! The answer of a run: unfolding forces, indentation, averages, replica exchange, oscillators.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_input::{Point, Request};
use beadwork_io::{RunFolder, atomic};
use beadwork_model::Model;
use beadwork_session::Error;
use beadwork_session::members_list::{self, Listed};
use beadwork_session::part::View;
use beadwork_session::session::Session;
use beadwork_session::tables::begun_and_ended;
use rayon::prelude::*;

use crate::bead_models;
pub use crate::choices::{Choices, PictureChoice};
use crate::data::{self, Code, FORMAT, Finding, Summary, Table};
use crate::earlier;
use crate::first_checks::of_first_checks;
use crate::indentation::{self, IndentedGroup};
use crate::molecules::MoleculeGroup;
use crate::notes;
use crate::oscillations::{self, Oscillations};
use crate::pulling::lifetimes::{self, Lifetimes};
use crate::pulling::{self, GroupSummary, PulledGroup, Pulling, loading_rates};
use crate::replica_exchange::{self, Ladders};
use crate::rows::{BegunMember, PointMembers, settings_of};
use crate::unmet_rules::of_unmet_rules;
use crate::words::{group_name, head};

mod figures;
mod noise;
mod plots;

use noise::{NoiseOf, same_noise};

/// The analysis of one run, or of several to be compared: a group for each point of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    molecules: Vec<MoleculeGroup>,
    indented: Vec<IndentedGroup>,
    oscillations: Vec<Oscillations>,
    bead_models: Vec<bead_models::BeadModelGroup>,
    ladders: Vec<Ladders>,
    /// What is known of a point beside its values, by run, kind and place among the groups of the kind.
    of_points: BTreeMap<(GroupKind, usize), Vec<Finding>>,
    /// What concerns whole runs.
    findings: Vec<Finding>,
    noise: Vec<NoiseOf>,
    section: Option<[f64; 3]>,
    asked_pictures: bead_models::AskedPictures,
}

/// What kind of groups a point belongs to. Groups stand in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKind {
    Molecules,
    Indented,
    Oscillators,
    Beads,
    Ladders,
}

impl Answer {
    /// The answer of a run in whose folder this process works; see [`Answer::read`].
    pub fn of_session(session: &Session, choices: &Choices) -> Result<Answer, Error> {
        Answer::read(std::slice::from_ref(session.folder()), session.request(), "", choices)
    }

    /// The answer of a run so far, with findings if replicas have steps left, or files that could not be compared with what was
    /// written.
    pub fn of_view(view: &View, prefix: &str, choices: &Choices) -> Result<Answer, Error> {
        let mut answer = Answer::read(&view.folders, &view.request, prefix, choices)?;
        let findings = |code: Code, notes: Vec<String>| {
            notes.into_iter().map(move |note| Finding::new(code, note))
        };
        answer.findings.extend(findings(Code::Unfinished, view.unfinished()?));
        answer.findings.extend(findings(Code::NotCompared, view.not_compared()?));
        Ok(answer)
    }

    /// Reads the tables of a run, or of its parts in the order of their members. `prefix` names the run if several are
    /// compared. A table that is shorter than at its checkpoint is an error.
    pub fn read(
        folders: &[RunFolder],
        request: &Request,
        prefix: &str,
        choices: &Choices,
    ) -> Result<Answer, Error> {
        let mut answer = Answer {
            section: choices.section,
            asked_pictures: bead_models::AskedPictures::new(choices.picture),
            ..Answer::default()
        };
        let failed = failed(folders)?;
        let begun = begun_and_ended(folders, request)?.into_iter();
        let begun = begun.map(|((folder, place, number), has_ended)| {
            let failed = failed.contains(&number);
            BegunMember { folder, place, number, failed, has_ended }
        });
        let begun: Vec<BegunMember<'_>> = begun.collect();
        let mut waiting = Vec::new();
        for (first, point) in (0..).step_by(request.replicas as usize).zip(&request.points) {
            let numbers = first..first + request.replicas;
            let members = begun.iter().filter(|member| numbers.contains(&member.number));
            let members: Vec<BegunMember<'_>> = members.copied().collect();
            let asked = asked_stages(request, point, prefix, choices)?;
            let held = held(folders, &numbers);
            if members.is_empty() {
                if !held.is_empty() {
                    waiting.push(group_name("", &settings_of(point), None));
                }
                continue;
            }
            let (run, protocol) = (prefix.to_string(), Arc::clone(&point.protocol));
            let replicas: u64 = held.iter().map(|range| range.end - range.start).sum();
            let not_begun = (replicas as usize).saturating_sub(members.len());
            answer.noise.push(NoiseOf { run, protocol, numbers: held });
            let names_stages = asked.len() > 1;
            for asked in asked {
                let of_stage = asked.filter(|_| names_stages);
                let of_stage = of_stage.map(|stage| point.protocol.stages[stage].name.as_str());
                let name = group_name(prefix, &settings_of(point), of_stage);
                let members = members.clone();
                let run = prefix.to_string();
                let of_point =
                    PointMembers { name, run, request, point, asked, first, members, not_begun };
                answer.add_point(&of_point, folders, choices)?;
            }
        }
        if !failed.is_empty() {
            let count = match answer.oscillations.is_empty() {
                true => {
                    ", and what they wrote until then counts, though rows just before a failure may be artefacts of it"
                }
                false => " and are left out of the comparison",
            };
            let text = format!(
                "{}{} replica(s) failed on the way{count}; members.csv says why",
                head(prefix),
                failed.len()
            );
            answer.findings.push(Finding::new(Code::Failed, text));
        }
        // Where none has begun, the note on an unfinished run says so.
        let waiting = notes::of_waiting(prefix, &waiting).filter(|_| !begun.is_empty());
        answer.findings.extend(waiting.map(|note| Finding::new(Code::Unfinished, note)));
        let missing = notes::of_missing(prefix, folders, request);
        answer.findings.extend(missing.map(|note| Finding::new(Code::Missing, note)));
        Ok(answer)
    }

    /// Reads a point into a group of its kind.
    fn add_point(
        &mut self,
        of_point: &PointMembers<'_>,
        folders: &[RunFolder],
        choices: &Choices,
    ) -> Result<(), Error> {
        let point = of_point.point;
        let criteria = pulling::criteria(of_point, choices, "");
        let has_tip = indentation::tip_stages(point, of_point.asked).is_some();
        // Those of a tip need its tables.
        let mut findings = match has_tip {
            true => Vec::new(),
            false => notes::of_point(of_point, &criteria),
        };
        let has_averages_alone = match &point.system.model {
            Model::Beads => true,
            Model::Residues(_) => pulling::pulling_stage(point).0 == Pulling::None,
            _ => false,
        };
        let place = match &point.system.model {
            Model::Oscillators(particles) => {
                self.oscillations.push(Oscillations::read(of_point, particles)?);
                (GroupKind::Oscillators, self.oscillations.len() - 1)
            }
            _ if point.exchange.is_some() || point.system.is_sampled() => {
                self.ladders.push(Ladders::read(of_point, folders)?);
                (GroupKind::Ladders, self.ladders.len() - 1)
            }
            _ if has_tip => {
                let has_room = indentation::have_room(&self.indented);
                self.indented.extend(IndentedGroup::read(of_point, choices, has_room)?);
                (GroupKind::Indented, self.indented.len() - 1)
            }
            _ if has_averages_alone => {
                let before = &self.bead_models;
                let read = bead_models::BeadModelGroup::read(of_point, choices, before)?;
                if point.system.model == Model::Beads && !choices.without_pictures {
                    self.asked_pictures.add(of_point, &read)?;
                }
                self.bead_models.push(read);
                (GroupKind::Beads, self.bead_models.len() - 1)
            }
            _ => {
                self.molecules.push(MoleculeGroup::read(of_point, choices, &mut findings)?);
                (GroupKind::Molecules, self.molecules.len() - 1)
            }
        };
        findings.extend(of_first_checks(of_point)?);
        findings.extend(of_unmet_rules(of_point)?);
        self.of_points.insert(place, findings);
        Ok(())
    }

    /// Adds another run to be compared with this one.
    pub fn extend(&mut self, other: Answer) {
        let lengths = [
            (GroupKind::Molecules, self.molecules.len()),
            (GroupKind::Indented, self.indented.len()),
            (GroupKind::Oscillators, self.oscillations.len()),
            (GroupKind::Beads, self.bead_models.len()),
            (GroupKind::Ladders, self.ladders.len()),
        ];
        let before =
            |kind| lengths.iter().find(|(one, _)| *one == kind).map_or(0, |(_, length)| *length);
        let of_points = other.of_points.into_iter();
        self.of_points
            .extend(of_points.map(|((kind, place), of)| ((kind, before(kind) + place), of)));
        self.molecules.extend(other.molecules);
        self.indented.extend(other.indented);
        self.oscillations.extend(other.oscillations);
        self.bead_models.extend(other.bead_models);
        self.ladders.extend(other.ladders);
        self.findings.extend(same_noise(&self.noise, &other.noise));
        self.noise.extend(other.noise);
        self.findings.extend(other.findings);
        self.section = self.section.or(other.section);
        self.asked_pictures.extend(other.asked_pictures);
    }

    /// The unfolding forces of each group but those of drives that push.
    pub fn unfolding(&self) -> Vec<GroupSummary> {
        let pulled = self.pulled().into_iter().filter(|(_, group)| !group.pushes);
        pulled.map(|(_, group)| group.summary()).collect()
    }

    /// The answer as data: the values of each group with their errors, and what they rest on.
    pub fn summary(&self) -> Summary {
        let mut groups = Vec::new();
        let mut add = |kind: GroupKind, of_kind: Vec<data::Group>| {
            for (place, mut group) in of_kind.into_iter().enumerate() {
                let findings = self.of_points.get(&(kind, place)).cloned();
                group.findings.extend(findings.unwrap_or_default());
                groups.push(group);
            }
        };
        add(GroupKind::Molecules, self.molecules.iter().map(MoleculeGroup::answer).collect());
        add(GroupKind::Indented, self.indented.iter().map(IndentedGroup::answer).collect());
        add(GroupKind::Oscillators, self.oscillations.iter().map(Oscillations::answer).collect());
        add(GroupKind::Beads, bead_models::answers(&self.bead_models).collect());
        add(GroupKind::Ladders, replica_exchange::answers(&self.ladders).collect());
        // Fits over several points follow all points, so that rows of tables count these alone.
        groups.extend(loading_rates::answers(&self.pulled()));
        let findings = self.findings.clone();
        let mut summary = Summary { format: FORMAT, groups, findings, ..Summary::default() };
        summary.describe(&self.tables(&summary));
        summary
    }

    /// All that pulls, each with the place of its point among the groups of molecules.
    fn pulled(&self) -> Vec<(usize, &PulledGroup)> {
        let points = self.molecules.iter().enumerate();
        points.flat_map(|(place, point)| point.pulled.iter().map(move |one| (place, one))).collect()
    }

    fn lifetimes(&self) -> Vec<Option<&Lifetimes>> {
        self.molecules.iter().map(|group| group.lifetimes.as_ref()).collect()
    }

    /// `answers.csv`; for springs `unfolding.csv` and `peaks.csv`, in sweeps over the loading rate `loading-rates.csv`; for clamps
    /// `clamps.csv`, with stop rules `lifetimes.csv` and `survival.csv`; for tips `indentation.csv` and
    /// `force-deformation.csv`; for oscillators `correlation.csv`; for bead models
    /// `distances.csv` of single chains, and tables of structure, motion and sizes; for ladders `thermodynamics.csv`,
    /// `curves.csv` and `neighbours.csv`.
    fn tables(&self, summary: &Summary) -> Vec<Table> {
        let mut tables = vec![summary.answers()];
        // Rows of a kind count its groups; those of other kinds stand before them.
        let mut add = |before: usize, of_kind: Vec<Table>| {
            tables.extend(of_kind.into_iter().map(|table| table.after(before)));
        };
        if self.pulled().iter().any(|(_, group)| group.has_unfolding_forces()) {
            add(0, pulling::tables(&self.pulled()).into());
        }
        add(0, loading_rates::table(&self.pulled()).into_iter().collect());
        add(0, pulling::clamp_table(&self.pulled()).into_iter().collect());
        add(0, lifetimes::tables(&self.lifetimes()));
        let mut before = self.molecules.len();
        add(before, indentation::tables(&self.indented));
        before += self.indented.len();
        add(before, oscillations::table(&self.oscillations).into_iter().collect());
        before += self.oscillations.len();
        add(before, bead_models::tables(&self.bead_models));
        before += self.bead_models.len();
        add(before, replica_exchange::tables(&self.ladders));
        tables
    }

    /// Writes `summary.json`, `summary.txt` and the tables; `plots` are the files that [`Answer::draw`] has written, and `others` those
    /// that are written beside them. Files of an earlier answer that this one does not have are removed, and so is a report, which
    /// holds the earlier answer. Returns what `summary.json` holds.
    pub fn write(
        &self,
        folder: &Path,
        plots: &[PathBuf],
        others: &[&str],
    ) -> Result<Summary, Error> {
        earlier::remove_report(folder)?;
        self.write_before_report(folder, plots, others)
    }

    /// Writes tables and `summary.json` of an answer whose report follows; an earlier report stays until the new one is in its place.
    ///
    /// # Errors
    /// A file that cannot be written or removed.
    pub fn write_before_report(
        &self,
        folder: &Path,
        plots: &[PathBuf],
        others: &[&str],
    ) -> Result<Summary, Error> {
        let others = others.iter().map(|name| (*name).to_string()).collect();
        let mut summary = Summary { others, ..self.summary() };
        let inside = plots.iter().filter_map(|plot| plot.strip_prefix(folder).ok());
        summary.plots = inside.map(|plot| plot.to_string_lossy().into_owned()).collect();
        earlier::remove_others(folder, &summary)?;
        let write =
            |(name, text): &(String, String)| atomic::write(&folder.join(name), text.as_bytes());
        // A later answer removes the tables that are listed here, so it comes before them.
        write(&(earlier::SUMMARY.to_string(), summary.to_json()))?;
        let tables = self.tables(&summary).into_iter();
        let tables = tables.map(|table| (table.file.clone(), table.to_csv(&summary.groups)));
        let words = [(earlier::WORDS.to_string(), summary.in_words())];
        let files: Vec<(String, String)> = words.into_iter().chain(tables).collect();
        // Each waits for the disk.
        let written: Vec<_> = files.par_iter().map(write).collect();
        written.into_iter().collect::<Result<(), _>>()?;
        Ok(summary)
    }
}

/// The ranges within `numbers` whose replicas the folders hold: a part of an ensemble does not have all.
fn held(folders: &[RunFolder], numbers: &Range<u64>) -> Vec<Range<u64>> {
    let here = folders.iter().map(|folder| {
        let members = folder.members();
        numbers.start.max(members.start as u64)..numbers.end.min(members.end as u64)
    });
    here.filter(|range| !range.is_empty()).collect()
}

fn failed(folders: &[RunFolder]) -> Result<BTreeSet<u64>, Error> {
    let mut failed = BTreeSet::new();
    for folder in folders {
        let listed = folder.members().zip(members_list::read(folder)?);
        let failed_here = listed.filter(|(_, listed)| *listed == Listed::Failed);
        failed.extend(failed_here.map(|(number, _)| number as u64));
    }
    Ok(failed)
}

/// The stages that are answered for: those of the choices, those of the input, or `None` for the run's own. Of those in which
/// one tip goes on, which have one answer, the first that is asked for.
fn asked_stages(
    request: &Request,
    point: &Point,
    prefix: &str,
    choices: &Choices,
) -> Result<Vec<Option<usize>>, Error> {
    let named = choices.stages.as_ref().unwrap_or(&request.analysis.stages);
    if named.is_empty() {
        return Ok(vec![None]);
    }
    let number = |name: &String| {
        let number = point.analysed_stage(name);
        number.map(Some).map_err(|problem| Error::Stage(format!("{}{problem}", head(prefix))))
    };
    let mut asked = named.iter().map(number).collect::<Result<Vec<_>, Error>>()?;
    // Ladders have answers of stages, with a tip too.
    if point.exchange.is_none() {
        let mut of_tips = Vec::new();
        asked.retain(|asked| {
            let stages = indentation::tip_stages(point, *asked).map(|(stages, _)| stages);
            let is_new = stages.is_none() || !of_tips.contains(&stages);
            of_tips.push(stages);
            is_new
        });
    }
    Ok(asked)
}
