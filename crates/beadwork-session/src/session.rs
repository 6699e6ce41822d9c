//! A run of a request: its folder, its plan and its devices.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_engine::{
    Control, Devices, Ending, Lost, MemberPlan, MemberStatus, Outcome, Plan, Progress,
    VALUE_VERSION, check_trajectory,
};
use beadwork_input::{InputFile, OnFailure, Point, Request, TrajectoryKind};
use beadwork_io::{
    FrameFormat, RunFolder, RunLock, TopologyBead, TrajectoryFormat, atomic, pdb, psf,
};
use beadwork_model::System;
use sha2::{Digest, Sha256};

use crate::device::{Backend, Choice};
use crate::held_files::{self, Digests};
use crate::part::Part;
use crate::record::{Ended, Record};
use crate::segments::segment_names;
use crate::topology_names::ShortNames;
use crate::{Error, exchanges, extension, final_coordinates, lowest, members_list, tables};

/// So many replicas are named whose checkpoints are gone.
const LISTED: usize = 10;

/// A run folder that this process works in.
#[derive(Debug)]
pub struct Session {
    folder: RunFolder,
    request: Request,
    part: Part,
    plan: Plan,
    record: Record,
    /// Whether this process made the folder.
    is_new: bool,
    _lock: RunLock,
}

impl Session {
    /// Makes the folder of a new run, with copies of all input files, the resolved input and topologies. The run will be
    /// stepped on `devices`, or others of their kind.
    ///
    /// # Errors
    /// A folder that exists, or a file that cannot be written; then everything that was written is removed.
    pub fn create(folder: &Path, request: Request, devices: &Devices) -> Result<Session, Error> {
        refuse_what_is_not_built_in(&request)?;
        refuse_what_files_cannot_hold(&request)?;
        let part = Part::whole(&request);
        Session::fill(RunFolder::create(folder)?, request, part, devices)
    }

    /// The same in a folder that was just created, for some members of the ensemble.
    ///
    /// # Errors
    /// A file that cannot be written; then everything that was written is removed.
    pub fn fill(
        (folder, lock): (RunFolder, RunLock),
        request: Request,
        part: Part,
        devices: &Devices,
    ) -> Result<Session, Error> {
        let folder = part.folder(folder, &request);
        let plan = plan(&request, &part);
        let mut record = Record::new(&request, &part, &plan.fingerprint, devices);
        if let Err(error) = write_files(&folder, &request, &mut record) {
            // The first error is reported; one of cleaning up is not.
            let _ = folder.undo_filling();
            return Err(error);
        }
        folder.finish_filling()?;
        Ok(Session { folder, request, part, plan, record, is_new: true, _lock: lock })
    }

    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join("run.json").exists() && folder.join("resolved.toml").exists()
    }

    /// Opens the run in a folder, and completes an extension that was interrupted.
    ///
    /// # Errors
    /// A folder that holds no run, whose input cannot be read or was changed, in which another process works, or whose
    /// members would begin anew because their checkpoints are gone.
    pub fn open(folder: &Path) -> Result<Session, Error> {
        let session = Session::open_from_start(folder)?;
        session.refuse_lost()?;
        Ok(session)
    }

    /// Opens the run in a folder like [`Session::open`]. Members whose checkpoints are gone will begin anew, and what they had
    /// written will be dropped.
    ///
    /// # Errors
    /// Those of [`Session::open`], but for missing checkpoints.
    pub fn open_from_start(folder: &Path) -> Result<Session, Error> {
        let lock = RunFolder::open(folder)?.lock()?;
        // While this process waited for the lock, its holder may have removed a folder that it could not complete.
        let folder = RunFolder::open(folder)?;
        remove_half_drawn(&folder)?;
        // A killed process that left the list of files had written all of them, because the list is removed last.
        folder.finish_filling()?;
        extension::finish_interrupted(&folder)?;
        Session::take_up(folder, lock)
    }

    /// Reads the run of a folder that is locked and complete.
    pub(crate) fn take_up(folder: RunFolder, lock: RunLock) -> Result<Session, Error> {
        let mut record = Record::read(&folder)?;
        record.refuse_changed(&folder, None)?;
        if record.value_version != VALUE_VERSION {
            return Err(Error::Engine(beadwork_engine::Error::OtherValueVersion {
                path: folder.run_json(),
                found: record.value_version,
                expected: VALUE_VERSION,
            }));
        }
        let request = beadwork_input::load(&folder.resolved(), &[])?;
        refuse_what_is_not_built_in(&request)?;
        record.refuse_other(&folder, &request)?;
        let part = record.part(&request)?;
        let folder = part.folder(folder, &request);
        restore_topologies(&folder, &request, &mut record)?;
        let plan = plan(&request, &part);
        Ok(Session { folder, request, part, plan, record, is_new: false, _lock: lock })
    }

    /// Refuses to go on if members would begin anew whose checkpoints are gone, and says what would be lost.
    pub(crate) fn refuse_lost(&self) -> Result<(), Error> {
        let lost = beadwork_engine::lost(&self.folder, &self.plan);
        if lost.is_empty() {
            return Ok(());
        }
        let replica = |lost: &Lost| {
            let number = self.plan.members[lost.number].replica;
            let path = self.folder.checkpoint(self.plan.first_of_group(lost.number));
            let name = path.strip_prefix(self.folder.root()).unwrap_or(&path).display();
            format!("replica {number} ({} rows, {} frames, {name})", lost.rows, lost.frames)
        };
        let mut names: Vec<String> = lost.iter().take(LISTED).map(replica).collect();
        if let Some(more) = lost.len().checked_sub(LISTED + 1) {
            names.push(format!("and {} more", more + 1));
        }
        let rows: u64 = lost.iter().map(|lost| lost.rows).sum();
        let frames: u64 = lost.iter().map(|lost| lost.frames).sum();
        let folder = self.folder.root().display();
        Err(Error::Lost(format!(
            "in {folder} the checkpoints of {} replica(s) are gone; to go on would start them from the beginning and drop {rows} rows and {frames} frames: {}. Put the checkpoints back, or start these replicas anew with: beadwork resume {folder} --from-start",
            lost.len(),
            names.join(", ")
        )))
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The plan of the members in this folder.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The members of the ensemble that are in this folder.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The devices on which the run continues, of the kind that it began on. A run that has finished opens no GPU.
    ///
    /// # Errors
    /// A choice of the other kind; a GPU or a checkpoint that cannot be used.
    pub fn devices(&self, choice: &Choice) -> Result<Devices, Error> {
        let asked = match choice {
            Choice::Auto => self.record.device,
            Choice::Cpu => Backend::Cpu,
            Choice::Cuda(_) => Backend::Cuda,
        };
        self.refuse_other(asked)?;
        let folder = || self.folder.root().to_path_buf();
        Ok(match asked {
            Backend::Cpu => Devices::Cpu,
            Backend::Cuda if self.is_over()? => Devices::Cuda(Vec::new()),
            Backend::Cuda => Devices::Cuda(
                choice.cards().map_err(|source| Error::NoGpu { folder: folder(), source })?,
            ),
        })
    }

    fn is_over(&self) -> Result<bool, Error> {
        let statuses = beadwork_engine::statuses(&self.folder, &self.plan)?;
        Ok(statuses.iter().all(|status| {
            matches!(status, Some(MemberStatus::Finished | MemberStatus::Failed { .. }))
        }))
    }

    fn refuse_other(&self, asked: Backend) -> Result<(), Error> {
        if asked == self.record.device {
            return Ok(());
        }
        let on = match self.record.gpus.as_slice() {
            [] => self.record.device.name().to_string(),
            gpus => format!("{} ({})", self.record.device.name(), gpus.join(", ")),
        };
        Err(Error::Device(format!(
            "the run in {} began on {on}, and {} would not continue it with the same bits: leave --device out, or start a new run in another folder",
            self.folder.root().display(),
            asked.name()
        )))
    }

    /// Whether a request is that of this run, now or before an extension. The output folder may differ.
    pub fn is_of(&self, request: &Request) -> bool {
        self.record.was_of(&fingerprint(request))
    }

    /// The sum of all members' steps.
    pub fn steps(&self) -> u64 {
        self.plan.members.iter().map(|member| member.protocol.steps()).sum()
    }

    /// Makes the steps that are left, notes in `run.json` how that ended, and writes `members.csv`, the final coordinates, `exchange.csv` and the lowest
    /// configurations.
    ///
    /// # Errors
    /// An error that stops the whole run (members that fail are in the outcome), or devices of another kind than the run began
    /// on.
    pub fn run(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        self.refuse_other(Backend::of(&control.devices))?;
        let mut record = Record::read(&self.folder)?;
        // A finished run is only analysed again, and its record stays.
        let (before, was_finished) = (record.clone(), record.ending == Some(Ended::Finished));
        if !self.is_new && !was_finished {
            record.begin();
            record.write(&self.folder)?;
        }
        let outcome = self.step(control, progress);
        if outcome.is_err() && progress.computed.get() == 0 && !self.is_new {
            // The folder was refused, and stays as it was.
            let _ = before.write(&self.folder);
        } else if !was_finished || progress.computed.get() > 0 {
            let (ending, failed) = match &outcome {
                Ok(outcome) => (outcome.ending.into(), outcome.failures().count() as u64),
                Err(_) => (Ended::Error, record.failed_members),
            };
            record.end(ending, failed);
            let written = record.write(&self.folder);
            // The first error is the one to report.
            if outcome.is_ok() {
                written?;
            }
        }
        outcome
    }

    /// [`Session::run`] without `run.json`.
    fn step(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        let mut outcome = beadwork_engine::run(&self.folder, &self.plan, control, progress)?;
        self.folder.sync_checkpoints()?;
        let (folder, request, part) = (&self.folder, &self.request, &self.part);
        members_list::write(folder, request, part, &self.plan, &outcome.statuses)?;
        let notes = final_coordinates::write(&self.folder, &self.plan, &outcome.statuses)?;
        outcome.notes.extend(notes);
        exchanges::write(&self.folder, &self.plan)?;
        // An interrupted run returns at once.
        if outcome.ending == Ending::Finished {
            lowest::write(&self.folder, &self.plan, self.request.replicas)?;
        }
        Ok(outcome)
    }

    /// Writes `tables.parquet` if the input asks for it.
    pub fn write_parquet(&self) -> Result<(), Error> {
        if !self.request.output.parquet {
            return Ok(());
        }
        let folders = std::slice::from_ref(&self.folder);
        tables::write_parquet(folders, &self.request, &self.folder.tables_parquet())
    }
}

/// The engine's plan for a part of a request.
pub fn plan(request: &Request, part: &Part) -> Plan {
    // Points with equal systems share one, so that their members can be stepped together.
    let mut shared: Vec<Arc<System>> = Vec::new();
    for point in &request.points {
        let equal = shared.iter().find(|system| **system == point.system);
        shared.push(equal.unwrap_or(&point.system).clone());
    }
    // The replicas of a point share one start, unless the input gives one for each.
    let start = |point: &Point| Arc::new(point.system.particles.positions.clone());
    let starts: Vec<_> = request.points.iter().map(start).collect();
    let member = |number: u64| {
        let (point, replica) = request.member(number);
        let place = (number / request.replicas.max(1)) as usize;
        let own = point
            .starts
            .as_ref()
            .and_then(|starts| starts.get((replica as usize).min(starts.len().saturating_sub(1))));
        MemberPlan {
            system: shared[place].clone(),
            protocol: point.protocol.clone(),
            replica: number,
            start: own.map_or_else(|| starts[place].clone(), |start| Arc::new(start.clone())),
            velocities: point.velocities_of(replica),
            exchange: point.exchange.clone(),
        }
    };
    Plan {
        members: part.range().map(member).collect(),
        table_every: request.output.table_every,
        trajectory: request.output.trajectory.map(|(every, kind)| (every, frame_format(kind))),
        checkpoint_seconds: request.output.checkpoint_seconds,
        stop_on_failure: request.run.on_failure == OnFailure::Stop,
        fingerprint: fingerprint(request),
    }
}

/// The format of the files of a kind of trajectory.
pub fn frame_format(kind: TrajectoryKind) -> FrameFormat {
    match kind {
        TrajectoryKind::Xtc => TrajectoryFormat::Xtc.into(),
        TrajectoryKind::Dcd => TrajectoryFormat::Dcd.into(),
        TrajectoryKind::Gsd => FrameFormat::Gsd,
    }
}

/// Refuses an input that asks for Parquet in a program without it.
///
/// # Errors
/// [`beadwork_io::Error::NoParquet`].
pub fn refuse_what_is_not_built_in(request: &Request) -> Result<(), Error> {
    if request.output.parquet && !tables::PARQUET {
        return Err(beadwork_io::Error::NoParquet.into());
    }
    Ok(())
}

/// A hash of everything that checkpoints depend on: the resolved input except its folder, and the files that it names.
pub(crate) fn fingerprint(request: &Request) -> String {
    fingerprint_of(&request.resolved, &request.files)
}

/// The fingerprint of a resolved input and its files.
pub(crate) fn fingerprint_of(resolved: &str, files: &[InputFile]) -> String {
    let mut hash = Sha256::new();
    for line in resolved.lines().filter(|line| !line.starts_with("folder = ")) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    for file in files {
        hash.update(file.name.as_bytes());
        hash.update((file.contents.len() as u64).to_le_bytes());
        hash.update(&file.contents);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Removes figures that a killed process had begun. A figure gets its final name when it is complete.
fn remove_half_drawn(folder: &RunFolder) -> Result<(), Error> {
    // Users may remove the folder of plots.
    let Ok(entries) = std::fs::read_dir(folder.plots()) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "partial") {
            std::fs::remove_file(&path)
                .map_err(|source| beadwork_io::Error::Write { path, source })?;
        }
    }
    Ok(())
}

/// Makes the topologies of a run anew that are gone or were changed. Viewers alone read them.
fn restore_topologies(
    folder: &RunFolder,
    request: &Request,
    record: &mut Record,
) -> Result<(), Error> {
    let is_changed = |path: &Path| {
        let name = path.strip_prefix(folder.root()).unwrap_or(path).to_string_lossy();
        let known = record.files.get(&*name);
        known.is_some_and(|known| held_files::changed(folder, &name, known).is_some())
    };
    let topologies = topologies(folder, request);
    let (mut is_restored, mut files) = (false, record.files.clone());
    for (system, psf, pdb) in topologies {
        if [&psf, &pdb, &names_of(&psf)].into_iter().any(|path| is_changed(path)) {
            for path in write_topology(system, &psf, &pdb)? {
                hold(folder, &path, &mut files)?;
            }
            is_restored = true;
        }
    }
    // Another version may write them in another way.
    if is_restored && files != record.files {
        record.files = files;
        record.write(folder)?;
    }
    Ok(())
}

/// Enters the digest of a file that was written.
fn hold(folder: &RunFolder, path: &Path, files: &mut Digests) -> Result<(), Error> {
    let name = path.strip_prefix(folder.root()).unwrap_or(path).to_string_lossy().into_owned();
    files.insert(name, held_files::digest_of(path)?);
    Ok(())
}

/// Writes the files of a new run's folder, `run.json` last.
fn write_files(folder: &RunFolder, request: &Request, record: &mut Record) -> Result<(), Error> {
    let topologies = topologies(folder, request);
    let mut files = vec![folder.input(), folder.resolved()];
    files.extend(request.files.iter().map(|file| folder.root().join(&file.name)));
    files.extend(
        topologies.iter().flat_map(|(_, psf, pdb)| [psf.clone(), pdb.clone(), names_of(psf)]),
    );
    files.push(folder.run_json());
    folder.begin_filling(&files)?;
    let input = match request.written.is_empty() {
        true => &request.resolved,
        false => &request.written,
    };
    atomic::write(&folder.input(), input.as_bytes())?;
    for file in &request.files {
        atomic::write(&folder.root().join(&file.name), &file.contents)?;
    }
    atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
    let mut written = vec![folder.input(), folder.resolved()];
    written.extend(request.files.iter().map(|file| folder.root().join(&file.name)));
    for (system, psf, pdb) in topologies {
        written.extend(write_topology(system, &psf, &pdb)?);
    }
    for path in &written {
        hold(folder, path, &mut record.files)?;
    }
    record.write(folder)
}

/// The topologies for viewers (system, PSF file, PDB file), one for all points with the beads and bonds of the first.
fn topologies<'a>(folder: &RunFolder, request: &'a Request) -> Vec<(&'a System, PathBuf, PathBuf)> {
    let first = &*request.points[0].system;
    let mut topologies = vec![(first, folder.topology_psf(), folder.topology_pdb())];
    for (number, point) in request.points.iter().enumerate() {
        let system = &*point.system;
        let same = system.particles.labels == first.particles.labels;
        if !same || system.bonds() != first.bonds() {
            let path = |extension: &str| {
                folder.root().join(format!("topology-point-{number:04}.{extension}"))
            };
            topologies.push((system, path("psf"), path("pdb")));
        }
    }
    topologies
}

/// The table of the names that a topology has shortened: `topology-names.csv`.
fn names_of(psf: &Path) -> PathBuf {
    let stem = psf.file_stem().unwrap_or_default().to_string_lossy();
    psf.with_file_name(format!("{stem}-names.csv"))
}

/// Refuses a run whose files cannot hold its beads or its start, before anything is written.
///
/// # Errors
/// The error that the first file would return.
pub fn refuse_what_files_cannot_hold(request: &Request) -> Result<(), Error> {
    let folder = Part::whole(request).folder(RunFolder::at_path(&request.output.folder), request);
    let plan = plan(request, &Part::whole(request));
    let mut last: Option<&Arc<System>> = None;
    for (number, member) in plan.members.iter().enumerate() {
        // Members of one point share their system, and their start unless each has a file of its own.
        let is_known = last.is_some_and(|last| Arc::ptr_eq(last, &member.system));
        let point = request.member(member.replica).0;
        if is_known && point.starts.is_none() {
            continue;
        }
        last = Some(&member.system);
        psf::check_count(&folder.topology_psf(), member.system.beads())?;
        pdb::check_count(&folder.topology_pdb(), member.system.beads())?;
        if let Some(output) = plan.trajectory {
            check_trajectory(&folder.trajectory(number, output.1), member, output)?;
        }
    }
    Ok(())
}

/// Writes the topologies of a system for viewers, and the table of the names that they shorten, if there are some. Returns the
/// paths of what was written.
fn write_topology(
    system: &System,
    psf_path: &Path,
    pdb_path: &Path,
) -> Result<Vec<PathBuf>, Error> {
    let mut written = vec![psf_path.to_path_buf(), pdb_path.to_path_buf()];
    if let Some(names) = ShortNames::of(system).table() {
        written.push(names_of(psf_path));
        atomic::write(&names_of(psf_path), names.as_bytes())?;
    }
    let (beads, bonds, title) = (topology_beads(system), system.bonds(), "beadwork");
    psf::write(psf_path, &beads, &bonds, title)?;
    // Trajectories bring the positions that count, so that beads far from all others may stand at the edge of what a PDB file can hold.
    let within = |position: [f64; 3]| position.map(|at| at.clamp(LEAST_IN_PDB, MOST_IN_PDB));
    let positions = centred_if_far(&system.particles.positions);
    let positions: Vec<[f64; 3]> = positions.into_iter().map(within).collect();
    pdb::write(pdb_path, &beads, &positions, &bonds, title)?;
    Ok(written)
}

/// Writes positions for viewers, moved to their centre if they are beyond the range of a PDB file.
pub(crate) fn write_pdb(
    path: &Path,
    system: &System,
    positions: &[[f64; 3]],
    title: &str,
) -> Result<(), beadwork_io::Error> {
    atomic::write(path, pdb_text(path, system, positions, title)?.as_bytes())
}

/// The text of [`write_pdb`]; `path` is the name in messages.
pub(crate) fn pdb_text(
    path: &Path,
    system: &System,
    positions: &[[f64; 3]],
    title: &str,
) -> Result<String, beadwork_io::Error> {
    let (beads, positions) = (topology_beads(system), centred_if_far(positions));
    pdb::text(path, &beads, &positions, &system.bonds(), title)
}

/// The beads with their names in files for viewers.
fn topology_beads(system: &System) -> Vec<TopologyBead> {
    let particles = &system.particles;
    let names = ShortNames::of(system);
    let bead = |(bead, segment): (usize, String)| {
        let label = &particles.labels[bead];
        let kind = usize::from(particles.types[bead]);
        TopologyBead {
            name: names.name(&label.name).into(),
            residue_name: names.name(&label.residue_name).into(),
            residue_number: label.residue_number,
            insertion: label.insertion,
            chain: label.chain.as_str().into(),
            segment: segment.into(),
            mass: system.types.get(kind).map_or(0.0, |kind| kind.mass),
            charge: particles.charge(bead).into(),
            occupancy: 1.0,
            beta: 0.0,
        }
    };
    segment_names(system).into_iter().enumerate().map(bead).collect()
}

/// Coordinates that a PDB file can hold, Å.
const LEAST_IN_PDB: f64 = -999.0;
const MOST_IN_PDB: f64 = 9999.0;

/// Moves a structure to its centre if it is beyond the range of a PDB file, -999.999 to 9999.999 Å. The file serves viewers
/// only.
fn centred_if_far(positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let fits = |component: &f64| (LEAST_IN_PDB..MOST_IN_PDB).contains(component);
    if positions.iter().flatten().all(fits) {
        return positions.to_vec();
    }
    let mut centre = [0.0; 3];
    for position in positions {
        for axis in 0..3 {
            centre[axis] += position[axis] / positions.len() as f64;
        }
    }
    positions.iter().map(|position| [0, 1, 2].map(|axis| position[axis] - centre[axis])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_structures_are_centred_and_near_ones_left() {
        let near = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(centred_if_far(&near), near);
        assert_eq!(
            centred_if_far(&[[-2000.0, 0.0, 0.0], [-2002.0, 0.0, 4.0]]),
            [[1.0, 0.0, -2.0], [-1.0, 0.0, 2.0]]
        );
    }
}
