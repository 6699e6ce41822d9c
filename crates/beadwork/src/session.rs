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
    /// A folder that exists, and whatever cannot be written; the folder is empty again then.
    pub fn create(folder: &Path, input: &Path, request: Request) -> Result<Session, Error> {
        let folder = RunFolder::create(folder)?.with_members(request.members() as usize);
        let lock = folder.lock()?;
        atomic::write(&folder.root().join(UNFINISHED), b"")?;
        let plan = plan(&request);
        if let Err(error) = fill(&folder, input, &request, &plan) {
            drop(lock);
            // The first error is the one to tell.
            let _ = empty(folder.root());
            return Err(error);
        }
        remove_mark(folder.root())?;
        Ok(Session { folder, request, plan, _lock: lock })
    }

    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join("run.json").exists() && folder.join("resolved.toml").exists()
    }

    /// Empties a folder whose run was killed while [`Session::create`] still filled it.
    ///
    /// # Errors
    /// A folder that another process fills right now, and what cannot be removed. Any other folder
    /// is left as it is, and so is one with a checkpoint.
    pub fn clear_unfinished(folder: &Path) -> Result<(), Error> {
        let checkpoints = folder.join("checkpoints").read_dir();
        let begun = checkpoints.is_ok_and(|mut files| files.next().is_some());
        if !folder.join(UNFINISHED).exists() || Session::exists(folder) || begun {
            return Ok(());
        }
        let busy = File::open(folder.join("lock"))
            .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if busy {
            return Err(beadwork_io::Error::FolderBusy { path: folder.to_path_buf() }.into());
        }
        empty(folder)
    }

    /// Takes up the run in a folder.
    ///
    /// # Errors
    /// A folder that is none of a run, an input in it that cannot be read, another process in it.
    pub fn open(folder: &Path) -> Result<Session, Error> {
        let folder = RunFolder::open(folder)?;
        let lock = folder.lock()?;
        remove_half_drawn(&folder)?;
        // Killed between the last file and the mark's removal: the folder is whole.
        remove_mark(folder.root())?;
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

/// Writes everything that a new run's folder holds, `run.json` last.
fn fill(folder: &RunFolder, input: &Path, request: &Request, plan: &Plan) -> Result<(), Error> {
    let written = std::fs::read(input).unwrap_or_else(|_| request.resolved.clone().into_bytes());
    atomic::write(&folder.input(), &written)?;
    for file in &request.files {
        atomic::write(&folder.root().join(&file.name), &file.contents)?;
    }
    atomic::write(&folder.resolved(), request.resolved.as_bytes())?;
    write_topologies(folder, request)?;
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
    Ok(atomic::write(&folder.run_json(), text.as_bytes())?)
}

/// Removes everything in a folder, the mark last: what is left by a kill is still marked.
fn empty(folder: &Path) -> Result<(), Error> {
    let cannot = |path: &Path| {
        let path = path.to_path_buf();
        move |source| beadwork_io::Error::Write { path, source }
    };
    let mark = folder.join(UNFINISHED);
    for entry in std::fs::read_dir(folder).map_err(cannot(folder))? {
        let entry = entry.map_err(cannot(folder))?;
        let path = entry.path();
        let removed = match entry.file_type() {
            _ if path == mark => Ok(()),
            Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(&path),
            _ => std::fs::remove_file(&path),
        };
        removed.map_err(cannot(&path))?;
    }
    remove_mark(folder)
}

fn remove_mark(folder: &Path) -> Result<(), Error> {
    let mark = folder.join(UNFINISHED);
    match std::fs::remove_file(&mark) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(beadwork_io::Error::Write { path: mark, source }.into())
        }
        _ => Ok(()),
    }
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
    let segments = segment_names(system);
    let beads: Vec<TopologyBead> = system
        .beads
        .iter()
        .zip(segments)
        .map(|(bead, segment)| TopologyBead {
            name: bead.name.clone(),
            residue_name: bead.residue_name.clone(),
            residue_number: bead.residue_number,
            insertion: bead.insertion,
            chain: bead.chain.clone(),
            segment,
            // Overdamped beads have no mass; viewers want one.
            mass: 110.0,
            charge: 0.0,
            occupancy: 1.0,
            beta: 0.0,
        })
        .collect();
    let bonds = system.bonded_pairs();
    psf::write(psf_path, &beads, &bonds, "beadwork")?;
    Ok(pdb::write(pdb_path, &beads, &centred_if_far(&system.positions), &bonds, "beadwork")?)
}

/// The segment of each bead, made different for chains that share id and segment: viewers would
/// take them for one.
fn segment_names(system: &System) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(system.beads.len());
    let mut taken: Vec<String> = Vec::new();
    for (bead, identity) in system.beads.iter().enumerate() {
        if bead > 0 && !system.chain_starts.contains(&bead) {
            let name = names[bead - 1].clone();
            names.push(name);
            continue;
        }
        let own = if identity.segment.is_empty() { &identity.chain } else { &identity.segment };
        let mut name = identity.segment.clone();
        let mut number = 2;
        while taken.contains(if name.is_empty() { own } else { &name }) {
            name = format!("{own}{number}");
            number += 1;
        }
        taken.push(if name.is_empty() { own.clone() } else { name.clone() });
        names.push(name);
    }
    names
}

/// A PDB file has room for coordinates from -999.999 to 9999.999 Å; a structure beyond is moved to
/// its centre, since the file serves viewers only.
fn centred_if_far(positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
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
    use beadwork_structure::Identity;

    fn chain(id: &str, segment: &str) -> Identity {
        Identity {
            name: "CA".into(),
            residue_name: "GLY".into(),
            residue_number: 1,
            insertion: None,
            chain: id.into(),
            segment: segment.into(),
        }
    }

    #[test]
    fn chains_of_one_name_get_segments_of_their_own() {
        let system = System {
            beads: vec![
                chain("A", ""),
                chain("A", ""),
                chain("A", ""),
                chain("B", "X"),
                chain("B", "X"),
            ],
            chain_starts: vec![0, 1, 3, 4],
            ..System::default()
        };
        assert_eq!(segment_names(&system), ["", "A2", "A2", "X", "X2"]);
    }

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
