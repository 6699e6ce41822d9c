//! The files from which a segment starts, with as many digits as tell each number from all others.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use beadwork_io::extended_xyz;
use beadwork_model::{Model, System};

use crate::Error;
use crate::final_coordinates::xyz_beads;

/// The start of a member.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub replica: u64,
    /// Steps of the segment before.
    pub step: u64,
    pub positions: Vec<[f64; 3]>,
    pub velocities: Option<Vec<[f64; 3]>>,
}

/// The name of the files of all members: extended XYZ for beads whose interactions the input lists, mmCIF for others.
pub(super) fn name(system: &System) -> &'static str {
    match system.model {
        Model::Beads => "inputs/start-{replica}.xyz",
        _ => "inputs/start-{replica}.cif",
    }
}

/// Writes the files of all members into a folder. Returns whether they have velocities.
pub(super) fn write(home: &Path, system: &System, starts: &[Start]) -> Result<bool, Error> {
    let mut with_velocities = false;
    let inputs = home.join("inputs");
    fs::create_dir_all(&inputs).map_err(beadwork_io::Error::write(&inputs))?;
    for start in starts {
        let path = home.join(name(system).replace("{replica}", &start.replica.to_string()));
        let text = match system.model {
            Model::Beads => {
                with_velocities = start.velocities.is_some();
                of_beads(system, start)
            }
            _ => of_molecules(system, start),
        };
        super::write(&path, text.as_bytes())?;
    }
    Ok(with_velocities)
}

fn title(start: &Start) -> String {
    format!("replica {} after {} steps or sweeps", start.replica, start.step)
}

fn of_beads(system: &System, start: &Start) -> String {
    let beads = xyz_beads(system, &start.positions, start.velocities.as_deref());
    extended_xyz::text(&beads, system.boundary.sides(), None, &title(start))
}

/// A table of atoms named CA, one for each bead, by which starts of proteins and chains are read. PDB files would round.
fn of_molecules(system: &System, start: &Start) -> String {
    let columns = [
        "group_PDB",
        "id",
        "label_atom_id",
        "label_comp_id",
        "auth_asym_id",
        "auth_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
    ];
    let mut text = format!("data_start\n# {}\nloop_\n", title(start));
    for column in columns {
        // Writing into a String does not fail.
        let _ = writeln!(text, "_atom_site.{column}");
    }
    let particles = &system.particles;
    let mut places = vec![0_usize; start.positions.len()];
    for (bead, [x, y, z]) in start.positions.iter().enumerate() {
        let molecule = particles.molecules[bead];
        let place = &mut places[molecule as usize];
        *place += 1;
        let residue = particles.labels[bead].residue_name.as_str();
        let is_plain = !residue.is_empty() && residue.chars().all(char::is_alphanumeric);
        let residue = if is_plain { residue } else { "UNK" };
        let _ =
            writeln!(text, "ATOM {} CA {residue} {} {place} {x} {y} {z}", bead + 1, molecule + 1);
    }
    text
}
