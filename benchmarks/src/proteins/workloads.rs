//! Proteins: built in, of the folder of data, made by rule, and of a user's own input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_input::UBIQUITIN;
use beadwork_model::force_fields::sop::{Beads, Parameters, build_from_topology};
use beadwork_model::made_systems::{globule, helix, sop_gpu_dynamics, sop_system};
use beadwork_model::{Integrator, System};
use beadwork_structure::{ReadOptions, Structure, parse, read, read_sop_gpu_topology};

use crate::Error;
use crate::runs::Workload;

/// Names of the proteins, with descriptions.
const NAMES: [(&str, &str); 5] = [
    ("helix", "ideal helix"),
    ("ubiquitin", "ubiquitin"),
    ("ww", "WW domain, 75 contacts"),
    ("titin", "titin I27, 255 contacts"),
    ("pf8", "microtubule protofilament PF8"),
];

impl Workload {
    /// The workload with a name of the list.
    ///
    /// Time steps are those of SOP-GPU's own examples: 0.08 of its units of time (20 ps), for the protofilament 0.16.
    ///
    /// # Errors
    /// An unknown name; a file of the folder of data that is missing or cannot be read.
    pub fn named(name: &str) -> Result<Workload, Error> {
        let Some((name, title)) = NAMES.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(Error::Arguments(format!(
                "--workload {name} is not known: choose among {}, or give an input of your own by --input",
                known.join(", ")
            )));
        };
        let (system, timestep) = match *name {
            "helix" => (helix().map_err(Error::unusable)?, 20.0),
            "ubiquitin" => (sop_of(&ubiquitin()?, None)?, 20.0),
            "ww" => (sop_of(&shared("proteins/ww.pdb")?, Some(5.2))?, 20.0),
            "titin" => (sop_of(&shared("proteins/1TIT.pdb")?, None)?, 20.0),
            _ => (protofilament()?, 40.0),
        };
        let (name, title) = (name.to_string(), title.to_string());
        let dynamics = sop_gpu_dynamics(timestep);
        let (system, systems, relaxation) = (Arc::new(system), Vec::new(), 0);
        Ok(Workload { name, title, system, systems, dynamics, relaxation })
    }

    pub(super) fn globule(beads: usize) -> Result<Workload, Error> {
        Ok(Workload {
            name: format!("globule-{beads}"),
            title: format!("globule of {beads} beads"),
            system: Arc::new(globule(beads).map_err(Error::unusable)?),
            systems: Vec::new(),
            dynamics: sop_gpu_dynamics(20.0),
            relaxation: 0,
        })
    }

    /// System and dynamics of the first point of an input; its drives and stages are left out.
    pub(super) fn of_input(path: &Path, overrides: &[(String, String)]) -> Result<Workload, Error> {
        let request = beadwork_input::load(path, overrides)?;
        let Some(point) = request.points.first() else {
            return Err(Error::Arguments(format!("{} has no system to step", path.display())));
        };
        let dynamics = point.protocol.dynamics.clone();
        if dynamics.integrator == Integrator::BrownianSecondOrder {
            return Err(Error::Arguments(format!(
                "{} asks for the integrator {}, which is not measured: write {} or leave the key out",
                path.display(),
                dynamics.integrator.name(),
                Integrator::Brownian.name()
            )));
        }
        let name = path.file_stem().map_or("input".into(), |stem| stem.to_string_lossy());
        let name = name.into_owned();
        let (title, system) = (name.clone(), point.system.clone());
        let (systems, relaxation) = (Vec::new(), 0);
        Ok(Workload { title, name, system, systems, dynamics, relaxation })
    }
}

fn sop_of(structure: &Structure, side_chain_cutoff: Option<f64>) -> Result<System, Error> {
    sop_system(structure, side_chain_cutoff).map_err(Error::unusable)
}

fn ubiquitin() -> Result<Structure, Error> {
    parse(UBIQUITIN, "ubiquitin.pdb", &ReadOptions::default()).map_err(Error::unusable)
}

fn shared(relative: &str) -> Result<Structure, Error> {
    read(&data_file(relative)?, &ReadOptions::default()).map_err(Error::unusable)
}

fn protofilament() -> Result<System, Error> {
    let structure = shared("proteins/PF8_sop.pdb")?;
    let topology = read_sop_gpu_topology(&data_file("sop-gpu/protofilament/PF8.top")?);
    let positions = Beads::from_structure(&structure).positions;
    build_from_topology(&topology.map_err(Error::unusable)?, positions, &Parameters::default())
        .map_err(Error::unusable)
}

/// A file of the folder of data: `$BEADWORK_DATA`, or `../shared/data` as tests have it.
fn data_file(relative: &str) -> Result<PathBuf, Error> {
    let folder = std::env::var_os("BEADWORK_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join(relative);
    if path.exists() {
        return Ok(path);
    }
    Err(Error::Arguments(format!(
        "this workload needs {relative}, which is not in {}: set BEADWORK_DATA to the folder that holds it (benchmarks/README.md says what it is), or choose --workload ubiquitin",
        folder.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_files_are_named_with_their_folder() {
        // The file is missing whether or not there is a folder of data.
        let message = data_file("proteins/none.pdb").unwrap_err().to_string();
        assert!(message.contains("proteins/none.pdb") && message.contains("BEADWORK_DATA"));
    }
}
