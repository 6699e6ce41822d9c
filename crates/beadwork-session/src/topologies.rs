//! The topologies of a run, which viewers read: PSF and PDB files, with a table of shortened names.

use std::path::{Path, PathBuf};

use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic, pdb, psf};
use beadwork_model::System;

use crate::Error;
use crate::held_files::{self, hold};
use crate::record::Record;
use crate::topology_names::ShortNames;
use crate::viewer_positions::{centred_if_far, topology_beads, within_range};

/// The topologies for viewers (system, PSF file, PDB file), one for all points with the beads, bonds and box of the first.
pub(crate) fn topologies<'a>(
    folder: &RunFolder,
    request: &'a Request,
) -> Vec<(&'a System, PathBuf, PathBuf)> {
    let first = &*request.points[0].system;
    let mut topologies = vec![(first, folder.topology_psf(), folder.topology_pdb())];
    for (number, point) in request.points.iter().enumerate() {
        let system = &*point.system;
        let same = system.particles.labels == first.particles.labels;
        if !same || system.boundary != first.boundary || system.bonds() != first.bonds() {
            let path = |extension: &str| {
                folder.root().join(format!("topology-point-{number:04}.{extension}"))
            };
            topologies.push((system, path("psf"), path("pdb")));
        }
    }
    topologies
}

/// The table of the names that a topology has shortened: `topology-names.csv`.
pub(crate) fn names_of(psf: &Path) -> PathBuf {
    let stem = psf.file_stem().unwrap_or_default().to_string_lossy();
    psf.with_file_name(format!("{stem}-names.csv"))
}

/// Writes the topologies of a system for viewers, and the table of the names that they shorten, if there are some. Returns the
/// paths of what was written.
pub(crate) fn write_topology(
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
    let positions = centred_if_far(&system.particles.positions);
    let positions: Vec<[f64; 3]> = positions.into_iter().map(within_range).collect();
    pdb::write(pdb_path, &beads, &positions, &bonds, system.boundary.sides(), title)?;
    Ok(written)
}

/// Makes the topologies of a run anew that are gone or were changed. Viewers alone read them.
pub(crate) fn restore_topologies(
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
