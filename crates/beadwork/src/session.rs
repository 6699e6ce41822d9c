//! A request on its way: its folder, its plan, its run.

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use beadwork_engine::{Control, MemberPlan, Outcome, Plan, Progress, VALUE_VERSION};
use beadwork_input::{OnFailure, Request, TrajectoryKind};
use beadwork_io::{RunFolder, RunLock, TopologyBead, TrajectoryFormat, atomic, pdb, psf};
use beadwork_model::System;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Error;
use crate::answer::{Answer, Choices};

/// Marks a folder that is still being filled: it was empty before, so that all in it is ours.
const UNFINISHED: &str = ".beadwork-unfinished";

/// A run folder that this process works in.
#[derive(Debug)]
pub struct Session {
    folder: RunFolder,
    request: Request,
    plan: Plan,
    _lock: RunLock,
}

/// What `run.json` says.
#[derive(Debug, Serialize)]
struct RunRecord<'a> {
    beadwork: &'a str,
    value_version: u32,
    device: &'a str,
    fingerprint: &'a str,
    members: u64,
    seed: u64,
    precision: &'a str,
    integrator: &'a str,
    generator: &'a str,
}

impl Session {
    /// Makes the folder of a new run: copies of everything it needs, the resolved input, topologies.
    ///
    /// `input` is the file that the request came from, copied as it is.
    ///
    /// # Errors
    /// A folder that exists, and whatever cannot be written.
    pub fn create(folder: &Path, input: &Path, request: Request) -> Result<Session, Error> {
        let folder = RunFolder::create(folder)?.with_members(request.members() as usize);
        let lock = folder.lock()?;
        let unfinished = folder.root().join(UNFINISHED);
        atomic::write(&unfinished, b"")?;
        let written =
            std::fs::read(input).unwrap_or_else(|_| request.resolved.clone().into_bytes());
        atomic::write(&folder.input(), &written)?;
        for file in &request.files {
            atomic::write(&folder.root().join(&file.name), &file.contents)?;
        }
        atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
        write_topologies(&folder, &request)?;
        let plan = plan(&request);
        let protocol = &request.points[0].protocol;
        let record = RunRecord {
            beadwork: env!("CARGO_PKG_VERSION"),
            value_version: VALUE_VERSION,
            device: "cpu",
            fingerprint: &plan.fingerprint,
            members: request.members(),
            seed: protocol.seed,
            precision: protocol.dynamics.precision.name(),
            integrator: protocol.dynamics.integrator.name(),
            generator: protocol.generator.name(),
        };
        let mut text = serde_json::to_string_pretty(&record).unwrap_or_default();
        text.push('\n');
        atomic::write(&folder.run_json(), text.as_bytes())?;
        std::fs::remove_file(&unfinished)
            .map_err(|source| beadwork_io::Error::Write { path: unfinished, source })?;
        Ok(Session { folder, request, plan, _lock: lock })
    }

    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join("run.json").exists() && !folder.join(UNFINISHED).exists()
    }

    /// Empties a folder whose run was killed while [`Session::create`] still filled it.
    ///
    /// # Errors
    /// A folder that another process fills right now, and what cannot be removed. Any other folder
    /// is left as it is.
    pub fn clear_unfinished(folder: &Path) -> Result<(), Error> {
        let mark = folder.join(UNFINISHED);
        if !mark.exists() {
            return Ok(());
        }
        let busy = File::open(folder.join("lock"))
            .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if busy {
            return Err(beadwork_io::Error::FolderBusy { path: folder.to_path_buf() }.into());
        }
        let cannot = |path: &Path| {
            let path = path.to_path_buf();
            move |source| beadwork_io::Error::Write { path, source }
        };
        for entry in std::fs::read_dir(folder).map_err(cannot(folder))? {
            let entry = entry.map_err(cannot(folder))?;
            let path = entry.path();
            let removed = match entry.file_type() {
                // The mark goes last: a folder without it passes for a whole one.
                _ if path == mark => Ok(()),
                Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(&path),
                _ => std::fs::remove_file(&path),
            };
            removed.map_err(cannot(&path))?;
        }
        Ok(std::fs::remove_file(&mark).map_err(cannot(&mark))?)
    }

    /// Takes up the run in a folder.
    ///
    /// # Errors
    /// A folder that is none of a run, an input in it that cannot be read, another process in it.
    pub fn open(folder: &Path) -> Result<Session, Error> {
        let folder = RunFolder::open(folder)?;
        let lock = folder.lock()?;
        remove_half_drawn(&folder)?;
        let request = beadwork_input::load(&folder.resolved(), &[])?;
        let folder = folder.with_members(request.members() as usize);
        let plan = plan(&request);
        Ok(Session { folder, request, plan, _lock: lock })
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

    /// Whether a request is the one of this folder, but for the folder itself.
    pub fn is_of(&self, request: &Request) -> bool {
        fingerprint(request) == self.plan.fingerprint
    }

    /// Steps of all members together.
    pub fn steps(&self) -> u64 {
        self.plan.members.iter().map(|member| member.protocol.steps()).sum()
    }

    /// Runs what is left of the run, and writes `members.csv`.
    ///
    /// # Errors
    /// What stops the run as a whole; members that fail are in the outcome.
    pub fn run(&self, control: &Control<'_>, progress: &Progress) -> Result<Outcome, Error> {
        let outcome = beadwork_engine::run(&self.folder, &self.plan, control, progress)?;
        self.write_members(&outcome)?;
        Ok(outcome)
    }

    /// What came out.
    ///
    /// # Errors
    /// A table that cannot be read.
    pub fn answer(&self, choices: &Choices) -> Result<Answer, Error> {
        Answer::read(&self.folder, &self.request, "", choices)
    }

    /// One line a member: what distinguishes it and how it ended.
    fn write_members(&self, outcome: &Outcome) -> Result<(), Error> {
        use beadwork_engine::MemberStatus;
        let mut text = String::from("member,point,replica_of_point");
        for (path, _) in &self.request.points[0].settings {
            let _ = write!(text, ",{}", quoted(path));
        }
        text.push_str(",status,message\n");
        for (number, status) in outcome.statuses.iter().enumerate() {
            let (point, replica) = self.request.member(number as u64);
            let place = number as u64 / self.request.replicas.max(1);
            let _ = write!(text, "{number},{place},{replica}");
            for (_, value) in &point.settings {
                let _ = write!(text, ",{}", quoted(value));
            }
            let (word, message) = match status {
                None => ("not begun", ""),
                Some(MemberStatus::Running) => ("running", ""),
                Some(MemberStatus::Finished) => ("finished", ""),
                Some(MemberStatus::Failed { message, .. }) => ("failed", message.as_str()),
            };
            let _ = writeln!(text, ",{word},{}", quoted(message));
        }
        Ok(atomic::write(&self.folder.members_csv(), text.as_bytes())?)
    }
}

/// A cell of a table, quoted where it must be.
pub(crate) fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// What a request asks of the engine.
pub fn plan(request: &Request) -> Plan {
    let mut members = Vec::new();
    for (number, point) in request.points.iter().enumerate() {
        let own = Arc::new(point.system.positions.clone());
        for replica in 0..request.replicas {
            let start = match &point.starts {
                None => own.clone(),
                Some(starts) => {
                    let index = (replica as usize).min(starts.len().saturating_sub(1));
                    starts.get(index).map_or_else(|| own.clone(), |start| Arc::new(start.clone()))
                }
            };
            members.push(MemberPlan {
                system: point.system.clone(),
                protocol: point.protocol.clone(),
                replica: number as u64 * request.replicas + replica,
                start,
            });
        }
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

/// Hash of all that checkpoints depend on: the resolved input, wherever its folder is, and the
/// files it names.
fn fingerprint(request: &Request) -> String {
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

/// Topologies for viewers: one for all points that have the same beads.
fn write_topologies(folder: &RunFolder, request: &Request) -> Result<(), Error> {
    let first = &request.points[0].system;
    write_topology(first, &folder.topology_psf(), &folder.topology_pdb())?;
    for (number, point) in request.points.iter().enumerate() {
        if point.system.beads != first.beads || point.system.bonded_pairs() != first.bonded_pairs()
        {
            let name = |extension: &str| {
                folder.root().join(format!("topology-point-{number:04}.{extension}"))
            };
            write_topology(&point.system, &name("psf"), &name("pdb"))?;
        }
    }
    Ok(())
}

fn write_topology(system: &System, psf_path: &Path, pdb_path: &Path) -> Result<(), Error> {
    let beads: Vec<TopologyBead> = system
        .beads
        .iter()
        .map(|bead| TopologyBead {
            name: bead.name.clone(),
            residue_name: bead.residue_name.clone(),
            residue_number: bead.residue_number,
            insertion: bead.insertion,
            chain: bead.chain.clone(),
            segment: bead.segment.clone(),
            // Overdamped beads have no mass; viewers want one.
            mass: 110.0,
            charge: 0.0,
            occupancy: 1.0,
            beta: 0.0,
        })
        .collect();
    let bonds = system.bonded_pairs();
    psf::write(psf_path, &beads, &bonds, "beadwork")?;
    Ok(pdb::write(pdb_path, &beads, &system.positions, &bonds, "beadwork")?)
}
