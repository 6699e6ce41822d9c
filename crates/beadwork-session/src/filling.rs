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
    refuse_unreadable(folder, request)?;
    for path in &written {
        hold(folder, path, &mut record.files)?;
    }
    record.write(folder)
}

/// Refuses a run of which nothing could be read later. Paths of a sweep are read again in the resolved form, which spells out
/// what the input has in shorter words.
fn refuse_unreadable(folder: &RunFolder, request: &Request) -> Result<(), Error> {
    if request.points.len() < 2 {
        return Ok(());
    }
    let problem = match beadwork_input::reads_again(&folder.resolved(), request) {
        Ok(true) => return Ok(()),
        Ok(false) => "it would be another run".to_string(),
        Err(error) => error.to_string(),
    };
    Err(Error::Unreadable(problem))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use beadwork_engine::Devices;

    use crate::session::Session;

    /// The files of a run that could not be read again do not stay.
    #[test]
    fn a_sweep_that_cannot_be_read_again_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let stages =
            "[[stage]]\nname = \"go\"\nsteps = 5\n[ensemble.sweep]\n\"go.steps\" = [5, 6]\n";
        let text = format!(
            "[system]\nmodel = \"oscillators\"\nparticles = 7\n[dynamics]\ntemperature = \"300 K\"\ntimestep = \"1 ps\"\nfriction = \"1e4 pN ps/nm\"\n{stages}"
        );
        let read = || beadwork_input::parse(&text, "in.toml", Path::new("."), &[]).unwrap();
        let made = |name: &str, from: &str, to: &str| {
            let mut request = read();
            request.resolved = request.resolved.replace(from, to);
            let folder = home.path().join(name);
            let made = Session::create(&folder, request, &Devices::Cpu);
            (
                made.map(drop).map_err(|error| error.to_string()),
                folder.join("resolved.toml").exists(),
            )
        };
        let sweep = "\"go.steps\"";
        assert_eq!(made("a", sweep, sweep), (Ok(()), true));
        for to in ["\"gone.steps\"", "\"dynamics.friction\""] {
            let (made, is_there) = made("b", sweep, to);
            let problem = made.unwrap_err();
            assert!(problem.contains("nothing was run") && problem.contains("report"), "{problem}");
            assert!(!is_there);
        }
    }
}
