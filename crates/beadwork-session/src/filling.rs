//! The files that a run folder begins with.

use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic};

use crate::Error;
use crate::held_files::hold;
use crate::record::Record;
use crate::topologies::{names_of, topologies, write_topology};

/// Writes the files of a new run's folder, `run.json` last.
pub(crate) fn write_files(
    folder: &RunFolder,
    request: &Request,
    record: &mut Record,
) -> Result<(), Error> {
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
