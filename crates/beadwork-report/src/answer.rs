//! The answer of a run: unfolding forces, averages, replica exchange, oscillators.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use beadwork_analysis::plot::{self, Figure};
use beadwork_input::{Point, Request};
use beadwork_io::{RunFolder, atomic, create_folder};
use beadwork_model::Model;
use beadwork_model::units::PICOSECONDS_PER_NANOSECOND;
use beadwork_session::Error;
use beadwork_session::members_list::{self, Listed};
use beadwork_session::part::View;
use beadwork_session::session::Session;
use beadwork_session::tables::begun;
use rayon::prelude::*;

use crate::averages::{self, Averages};
use crate::bead_models;
use crate::notes;
use crate::oscillations::{self, Oscillations};
use crate::pulling::{self, GroupSummary, Pulling};
use crate::replica_exchange::{self, Ladders};
use crate::rows::{LeftOut, Member, PointMembers};
use crate::words::head;

/// Choices that replace those of the input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// The window of the averaged force, ps.
    pub window: Option<f64>,
    /// The least fall of the averaged force that counts as a peak, pN.
    pub prominence: Option<f64>,
    /// The direction of a cross-section through bead models. `None` takes that of an ordered structure, if there is one.
    pub section: Option<[f64; 3]>,
}

/// The analysis of one run, or of several to be compared: a group for each point of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pulled: Vec<pulling::Group>,
    averages: Vec<Averages>,
    oscillations: Vec<Oscillations>,
    bead_models: Vec<bead_models::Group>,
    ladders: Vec<Ladders>,
    notes: Vec<String>,
    pulling: Pulling,
    section: Option<[f64; 3]>,
}

impl Answer {
    /// The answer of a run in whose folder this process works; see [`Answer::read`].
    pub fn of_session(session: &Session, choices: &Choices) -> Result<Answer, Error> {
        Answer::read(std::slice::from_ref(session.folder()), session.request(), "", choices)
    }

    /// The answer of a run so far, with a note if replicas have steps left.
    pub fn of_view(view: &View, prefix: &str, choices: &Choices) -> Result<Answer, Error> {
        let mut answer = Answer::read(&view.folders, &view.request, prefix, choices)?;
        answer.notes.extend(view.notes()?);
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
        let mut answer = Answer { section: choices.section, ..Answer::default() };
        let failed = failed(folders)?;
        let begun = begun(folders, request)?.into_iter().map(|(folder, place, number)| Member {
            folder,
            place,
            number,
            failed: failed.contains(&number),
        });
        let begun: Vec<Member<'_>> = begun.collect();
        let mut found = Vec::new();
        for (first, point) in (0..).step_by(request.replicas as usize).zip(&request.points) {
            let name = group_name(prefix, point);
            let numbers = first..first + request.replicas;
            let is_here = |folder: &RunFolder| {
                let members = folder.members();
                (members.start as u64) < numbers.end && numbers.start < members.end as u64
            };
            let between_rows = request.output.table_every as f64 * point.protocol.dynamics.timestep;
            let criteria = pulling::criteria(request, point, choices, between_rows);
            if folders.iter().any(is_here) {
                let rows = point.protocol.steps() / request.output.table_every;
                answer.notes.extend(notes::of_point(&name, point, &criteria, rows));
            }
            let members = begun.iter().filter(|member| numbers.contains(&member.number));
            let members: Vec<Member<'_>> = members.copied().collect();
            if members.is_empty() {
                continue;
            }
            let of_point = PointMembers { name: name.clone(), request, point, first, members };
            match &point.system.model {
                Model::Oscillators(particles) => {
                    answer.oscillations.push(Oscillations::read(&of_point, particles)?);
                }
                Model::Beads if point.exchange.is_none() => {
                    answer.bead_models.push(bead_models::Group::read(&of_point)?);
                }
                Model::Residues(_)
                    if point.exchange.is_none()
                        && pulling::pulling_stage(point).0 == Pulling::None =>
                {
                    answer.bead_models.push(bead_models::Group::read(&of_point)?);
                }
                Model::Sop | Model::Residues(_) if point.exchange.is_none() => {
                    let interval_ns = between_rows / PICOSECONDS_PER_NANOSECOND;
                    let group = pulling::Group::new(
                        name,
                        pulling::pulling_stage(point).0,
                        criteria,
                        interval_ns,
                    )
                    .expecting(notes::of_temperature(point));
                    found.extend(answer.add_molecules(group, &of_point)?);
                }
                _ => answer.ladders.push(Ladders::read(&of_point, folders)?),
            }
        }
        answer.notes.append(&mut found);
        if !failed.is_empty() {
            let count = match answer.oscillations.is_empty() {
                true => ", and what they wrote until then counts",
                false => " and are left out of the comparison",
            };
            answer.notes.push(format!(
                "{}{} replica(s) failed on the way{count}; members.csv says why",
                head(prefix),
                failed.len()
            ));
        }
        answer.notes.extend(notes::of_missing(prefix, folders, request));
        Ok(answer)
    }

    /// Adds the replicas of a point to their group; returns notes on them.
    fn add_molecules(
        &mut self,
        mut group: pulling::Group,
        of_point: &PointMembers<'_>,
    ) -> Result<Vec<String>, Error> {
        let point = of_point.point;
        let (pulling, stage) = pulling::pulling_stage(point);
        let mut averages = Averages::default();
        let (mut too_short, mut left_out) = (0, LeftOut::default());
        let empty = group.clone();
        of_point.read(
            &pulling::COLUMNS.into_iter().chain(averages::columns()).collect::<Vec<_>>(),
            |member, rows| {
                let (curve, temperature) = pulling::curve(&rows, point, stage)?;
                let incomplete = if pulling > Pulling::None { curve.incomplete() } else { 0 };
                let analysed = empty.analyse(member.number, &curve, &temperature);
                Ok((analysed, incomplete, averages::of_member(&rows, &point.protocol)?))
            },
            |member, (analysed, incomplete, means)| {
                too_short += usize::from(analysed.is_short);
                left_out.add(incomplete);
                averages.add(means, member.failed);
                group.add(analysed);
                Ok(())
            },
        )?;
        let head = head(&group.name);
        let too_short = (too_short > 0).then(|| {
            format!(
                "the pulling of {too_short} replica(s) has fewer than three whole windows, so that no peak can be seen in it: take a shorter window"
            )
        });
        let notes = too_short.into_iter().chain(left_out.note("time, extension or force"));
        self.pulling = self.pulling.max(pulling);
        self.pulled.push(group);
        self.averages.push(averages);
        Ok(notes.map(|note| format!("{head}{note}")).collect())
    }

    /// Adds another run to be compared with this one.
    pub fn extend(&mut self, other: Answer) {
        self.pulled.extend(other.pulled);
        self.averages.extend(other.averages);
        self.oscillations.extend(other.oscillations);
        self.bead_models.extend(other.bead_models);
        self.ladders.extend(other.ladders);
        self.notes.extend(other.notes);
        self.pulling = self.pulling.max(other.pulling);
        self.section = self.section.or(other.section);
    }

    /// The unfolding forces of each group.
    pub fn unfolding(&self) -> Vec<GroupSummary> {
        self.pulled.iter().map(pulling::Group::summary).collect()
    }

    /// The answer in words.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let molecules = || self.pulled.iter().zip(&self.averages);
        if self.pulling == Pulling::Spring {
            text.push_str(&pulling::in_words(&self.pulled));
            for (group, averages) in molecules() {
                if let Some(all) = averages.all_failed() {
                    let head = head(&group.name);
                    text.push_str(&format!("note: {head}all {all} replica(s) failed\n"));
                }
            }
        } else {
            let of_each = molecules().map(|(group, averages)| averages.in_words(&group.name));
            text.extend(of_each);
        }
        text.extend(self.oscillations.iter().map(Oscillations::in_words));
        text.push_str(&bead_models::in_words(&self.bead_models));
        text.push_str(&replica_exchange::in_words(&self.ladders));
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        text
    }

    /// Draws the figures into the folder `plots`, which is made if it is missing, as SVG and PNG, and pictures of beads as PNG.
    /// Returns their paths.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        create_folder(plots)?;
        let mut named = oscillations::figures(&self.oscillations);
        named.extend(replica_exchange::figures(&self.ladders));
        let others = [self.oscillations.len(), self.bead_models.len(), self.ladders.len()];
        if !self.pulled.is_empty() || others == [0; 3] {
            named.extend(pulling::figures(&self.pulled));
        }
        let mut figures = bead_models::figures(&self.bead_models);
        figures.extend(named.into_iter().map(|(stem, figure)| (stem.to_string(), figure)));
        let write = |(stem, figure): &(String, Figure)| -> Result<[PathBuf; 2], Error> {
            let paths = ["svg", "png"].map(|ending| plots.join(format!("{stem}.{ending}")));
            let svg = figure.to_svg();
            let png = plot::png(&svg, &figure.title)?;
            atomic::write(&paths[0], svg.as_bytes())?;
            atomic::write(&paths[1], &png)?;
            Ok(paths)
        };
        let written: Vec<_> = figures.par_iter().map(write).collect();
        let mut written = written.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        // One after another, since each is drawn by all threads.
        for (stem, scene) in bead_models::pictures(&self.bead_models, self.section) {
            let path = plots.join(format!("{stem}.png"));
            atomic::write(&path, &scene.to_png()?)?;
            written.push(path);
        }
        Ok(written)
    }

    /// Writes `summary.txt`; for springs `unfolding.csv` and `peaks.csv`; for oscillators `correlation.csv`; for bead models
    /// `averages.csv`, `distances.csv` of single chains, and tables of structure, motion and sizes; for ladders `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let mut files = vec![("summary.txt", self.summary())];
        let correlation = oscillations::correlation_csv(&self.oscillations);
        files.extend(correlation.map(|text| ("correlation.csv", text)));
        files.extend(bead_models::tables(&self.bead_models));
        files.extend(replica_exchange::tables(&self.ladders));
        if self.pulling == Pulling::Spring {
            files.push(("unfolding.csv", pulling::unfolding_csv(&self.pulled)));
            files.push(("peaks.csv", pulling::peaks_csv(&self.pulled)));
        }
        for (name, text) in files {
            atomic::write(&folder.join(name), text.as_bytes())?;
        }
        Ok(())
    }
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

/// The name in legends: the run, and the settings of the point.
fn group_name(prefix: &str, point: &Point) -> String {
    // Legends are narrow: they show the last word of a path if no other path ends in it.
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
