//! A request on its way: its folder, its plan, its run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_engine::{
    Control, Devices, Ending, MemberPlan, MemberStatus, Outcome, Plan, Progress,
};
use beadwork_input::{OnFailure, Request, TrajectoryKind};
use beadwork_io::{RunFolder, RunLock, TopologyBead, TrajectoryFormat, atomic, columns, pdb, psf};
use beadwork_model::System;
use sha2::{Digest, Sha256};

use crate::device::{Backend, Choice};
use crate::part::Part;
use crate::record::Record;
use crate::segments::segment_names;
use crate::{Error, exchanges, extension, final_coordinates, lowest, members_list, tables};

/// A run folder that this process works in.
#[derive(Debug)]
pub struct Session {
    folder: RunFolder,
    request: Request,
    part: Part,
    plan: Plan,
    record: Record,
    _lock: RunLock,
}

impl Session {
    /// Makes the folder of a new run: copies of everything it needs, the resolved input, topologies.
    ///
    /// `input` is the file that the request came from, copied as it is. The run is to be stepped on
    /// `devices`, or others of their kind.
    ///
    /// # Errors
    /// A folder that exists, and whatever cannot be written; what was written is removed then.
    pub fn create(
        folder: &Path,
        input: &Path,
        request: Request,
        devices: &Devices,
    ) -> Result<Session, Error> {
        refuse_what_is_not_built_in(&request)?;
        let part = Part::whole(&request);
        Session::fill(RunFolder::create(folder)?, input, request, part, devices)
    }

    /// The same in a folder that was just created, for some members of the ensemble: their files are
    /// those of the whole run.
    ///
    /// # Errors
    /// What cannot be written; what was written is removed then.
    pub fn fill(
        (folder, lock): (RunFolder, RunLock),
        input: &Path,
        request: Request,
        part: Part,
        devices: &Devices,
    ) -> Result<Session, Error> {
        let folder = part.folder(folder, &request);
        let plan = plan(&request, &part);
        let record = Record::new(&request, &part, &plan.fingerprint, devices);
        if let Err(error) = write_files(&folder, input, &request, &record) {
            // The first error is the one to tell.
            let _ = folder.undo_filling();
            return Err(error);
        }
        folder.finish_filling()?;
        Ok(Session { folder, request, part, plan, record, _lock: lock })
    }

    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join("run.json").exists() && folder.join("resolved.toml").exists()
    }

    /// Takes up the run in a folder. An extension that was interrupted is brought to its end.
    ///
    /// # Errors
    /// A folder that is none of a run, an input in it that cannot be read, another process in it.
    pub fn open(folder: &Path) -> Result<Session, Error> {
        let lock = RunFolder::open(folder)?.lock()?;
        // The process that had the lock until now may have removed what it could not finish.
        let folder = RunFolder::open(folder)?;
        remove_half_drawn(&folder)?;
        // Killed between the last file and the removal of the list: the folder is whole.
        folder.finish_filling()?;
        extension::finish_interrupted(&folder)?;
        Session::take_up(folder, lock)
    }

    /// Reads the run of a folder that is locked and whole.
    pub(crate) fn take_up(folder: RunFolder, lock: RunLock) -> Result<Session, Error> {
        let request = beadwork_input::load(&folder.resolved(), &[])?;
        refuse_what_is_not_built_in(&request)?;
        let record = Record::read(&folder)?;
        let part = record.part(&request)?;
        let folder = part.folder(folder, &request);
        let plan = plan(&request, &part);
        Ok(Session { folder, request, part, plan, record, _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// What is done.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Which members of the ensemble are in this folder.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// Where the run goes on: on devices of the kind that it began on. A run that is over needs no GPU, and has none
    /// opened.
    ///
    /// # Errors
    /// A choice of the other kind; GPUs that cannot be used; a checkpoint that cannot.
    pub fn devices(&self, choice: &Choice) -> Result<Devices, Error> {
        let asked = match choice {
            Choice::Auto => self.record.device,
            Choice::Cpu => Backend::Cpu,
            Choice::Cuda(_) => Backend::Cuda,
        };
        self.refuse_other(asked)?;
        match asked {
            Backend::Cpu => Ok(Devices::Cpu),
            Backend::Cuda if self.is_over()? => Ok(Devices::Cuda(Vec::new())),
            Backend::Cuda => match choice.cards() {
                Ok(cards) => Ok(Devices::Cuda(cards)),
                Err(source) => {
                    Err(Error::NoGpu { folder: self.folder.root().to_path_buf(), source })
                }
            },
        }
    }

    /// Whether no member has steps left.
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
            "the run in {} was begun on {on}, and {} would not go on with it to the bit: leave --device out, or start a new run in another folder",
            self.folder.root().display(),
            asked.name()
        )))
    }

    /// Whether a request is the one of this folder, but for the folder itself: as it is now, or as
    /// it was before the run was extended.
    pub fn is_of(&self, request: &Request) -> bool {
        self.record.was_of(&fingerprint(request))
    }

    /// Steps of all members together.
    pub fn steps(&self) -> u64 {
        self.plan.members.iter().map(|member| member.protocol.steps()).sum()
    }

    /// Runs what is left of the run, and writes `members.csv` and the final coordinates.
    ///
    /// # Errors
    /// What stops the run as a whole; members that fail are in the outcome. Devices of another kind
    /// than the run began on.
    pub fn run(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        self.refuse_other(Backend::of(&control.devices))?;
        let mut outcome = beadwork_engine::run(&self.folder, &self.plan, control, progress)?;
        self.write_members(&outcome.statuses)?;
        let notes = final_coordinates::write(&self.folder, &self.plan, &outcome.statuses)?;
        outcome.notes.extend(notes);
        exchanges::write(&self.folder, &self.plan)?;
        // Whoever was stopped wants to be let go.
        if outcome.ending == Ending::Finished {
            lowest::write(&self.folder, &self.plan, self.request.replicas)?;
        }
        Ok(outcome)
    }

    /// Writes `tables.parquet` where the input asks for it.
    ///
    /// # Errors
    /// A table that cannot be read, a file that cannot be written.
    pub fn write_parquet(&self) -> Result<(), Error> {
        if !self.request.output.parquet {
            return Ok(());
        }
        let folders = std::slice::from_ref(&self.folder);
        tables::write_parquet(folders, &self.request, &self.folder.tables_parquet())
    }

    pub(crate) fn write_members(&self, statuses: &[Option<MemberStatus>]) -> Result<(), Error> {
        members_list::write(&self.folder, &self.request, &self.part, statuses)
    }
}

/// What a part of a request asks of the engine.
pub fn plan(request: &Request, part: &Part) -> Plan {
    let mut members = Vec::new();
    let mut own = None;
    // Points that differ only in what is done with the system share it, so that their members can
    // be stepped together.
    let mut systems: Vec<&Arc<System>> = Vec::new();
    let shared: Vec<Arc<System>> = request
        .points
        .iter()
        .map(|point| match systems.iter().find(|system| ***system == point.system) {
            Some(system) => Arc::clone(system),
            None => {
                systems.push(&point.system);
                Arc::clone(&point.system)
            }
        })
        .collect();
    for number in part.range() {
        let (point, replica) = request.member(number);
        let place = number / request.replicas.max(1);
        // Replicas of a point that start in the same place share it.
        let same = match &own {
            Some((other, positions)) if *other == place => Arc::clone(positions),
            _ => Arc::new(point.system.particles.positions.clone()),
        };
        own = Some((place, same.clone()));
        let start = match &point.starts {
            None => same,
            Some(starts) => {
                let index = (replica as usize).min(starts.len().saturating_sub(1));
                starts.get(index).map_or(same, |start| Arc::new(start.clone()))
            }
        };
        members.push(MemberPlan {
            system: shared[place as usize].clone(),
            protocol: point.protocol.clone(),
            replica: number,
            start,
            exchange: point.exchange.clone(),
        });
    }
    Plan {
        members,
        table_every: request.output.table_every,
        trajectory: request.output.trajectory.map(|(every, kind)| {
            let format = match kind {
                TrajectoryKind::Xtc => TrajectoryFormat::Xtc,
                TrajectoryKind::Dcd => TrajectoryFormat::Dcd,
            };
            (every, format)
        }),
        checkpoint_seconds: request.output.checkpoint_seconds,
        stop_on_failure: request.run.on_failure == OnFailure::Stop,
        fingerprint: fingerprint(request),
    }
}

/// A program without Parquet cannot keep what the input asks of it.
///
/// # Errors
/// [`beadwork_io::Error::NoParquet`].
pub fn refuse_what_is_not_built_in(request: &Request) -> Result<(), Error> {
    if request.output.parquet && !columns::AVAILABLE {
        return Err(beadwork_io::Error::NoParquet.into());
    }
    Ok(())
}

/// Hash of all that checkpoints depend on: the resolved input, wherever its folder is, and the
/// files it names.
pub(crate) fn fingerprint(request: &Request) -> String {
    let mut hash = Sha256::new();
    for line in request.resolved.lines().filter(|line| !line.starts_with("folder = ")) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    for file in &request.files {
        hash.update(file.name.as_bytes());
        hash.update((file.contents.len() as u64).to_le_bytes());
        hash.update(&file.contents);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Removes what a process left that was killed while it drew: figures go by another name than
/// their own until they are whole.
fn remove_half_drawn(folder: &RunFolder) -> Result<(), Error> {
    // A person may have removed the folder of plots.
    let Ok(entries) = std::fs::read_dir(folder.plots()) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "partial") {
            std::fs::remove_file(&path)
                .map_err(|source| beadwork_io::Error::Write { path, source })?;
        }
    }
    Ok(())
}

/// Writes everything that a new run's folder holds, `run.json` last.
fn write_files(
    folder: &RunFolder,
    input: &Path,
    request: &Request,
    record: &Record,
) -> Result<(), Error> {
    let topologies = topologies(folder, request);
    let mut files = vec![folder.input(), folder.resolved()];
    files.extend(request.files.iter().map(|file| folder.root().join(&file.name)));
    files.extend(topologies.iter().flat_map(|(_, psf, pdb)| [psf.clone(), pdb.clone()]));
    files.push(folder.run_json());
    folder.begin_filling(&files)?;
    let written = std::fs::read(input).unwrap_or_else(|_| request.resolved.clone().into_bytes());
    atomic::write(&folder.input(), &written)?;
    for file in &request.files {
        atomic::write(&folder.root().join(&file.name), &file.contents)?;
    }
    atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
    for (system, psf, pdb) in topologies {
        write_topology(system, &psf, &pdb)?;
    }
    record.write(folder)
}

/// The topologies for viewers, one for all points that have the same beads: system, PSF, PDB.
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

fn write_topology(system: &System, psf_path: &Path, pdb_path: &Path) -> Result<(), Error> {
    let beads = topology_beads(system);
    let bonds = system.bonds();
    psf::write(psf_path, &beads, &bonds, "beadwork")?;
    Ok(pdb::write(
        pdb_path,
        &beads,
        &centred_if_far(&system.particles.positions),
        &bonds,
        "beadwork",
    )?)
}

/// The beads as files for viewers call them.
pub(crate) fn topology_beads(system: &System) -> Vec<TopologyBead> {
    let particles = &system.particles;
    let bead = |(bead, segment): (usize, String)| {
        let label = &particles.labels[bead];
        let kind = usize::from(particles.types[bead]);
        TopologyBead {
            name: label.name.to_string(),
            residue_name: label.residue_name.to_string(),
            residue_number: label.residue_number,
            insertion: label.insertion,
            chain: label.chain.to_string(),
            segment,
            mass: system.types.get(kind).map_or(0.0, |kind| kind.mass),
            charge: particles.charge(bead).into(),
            occupancy: 1.0,
            beta: 0.0,
        }
    };
    segment_names(system).into_iter().enumerate().map(bead).collect()
}

/// A PDB file has room for coordinates from -999.999 to 9999.999 Å; a structure beyond is moved to
/// its centre, since the file serves viewers only.
pub(crate) fn centred_if_far(positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let fits = |component: &f64| (-999.0..9999.0).contains(component);
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
