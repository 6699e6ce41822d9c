//! Configurations of a run as files that other programs start from or show: LAMMPS data, GSD and extended XYZ.
//!
//! Lengths, velocities, masses and charges are those of the system, in Å, Å/ps, Da and elementary charges with real units;
//! LAMMPS data files have the unit style `real`, whose velocities are in Å/fs, or `lj`. None of the formats can hold all
//! interactions: [`Exported::notes`] says which are left out.

mod choice;
mod lammps;
mod snapshots;
mod special_bonds;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use beadwork_engine::gsd_beads;
use beadwork_io::{GsdWriter, atomic};
use beadwork_model::{System, Units};

pub use choice::Frames;

use crate::Error;
use crate::final_coordinates::{text_of_beads, when};
use crate::part::View;
use snapshots::{Snapshot, Source};

/// The file formats of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A data file of LAMMPS, of the atom style `full`: one configuration.
    Lammps,
    /// The format of HOOMD-blue: any number of frames.
    Gsd,
    /// Extended XYZ: any number of frames.
    Xyz,
}

impl Format {
    /// The ending of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Lammps => "data",
            Format::Gsd => "gsd",
            Format::Xyz => "xyz",
        }
    }

    /// The format whose files end so, in small letters or capitals.
    pub fn of_extension(extension: &str) -> Option<Format> {
        match extension.to_ascii_lowercase().as_str() {
            "data" | "lmp" | "lammps" => Some(Format::Lammps),
            "gsd" => Some(Format::Gsd),
            "xyz" | "extxyz" => Some(Format::Xyz),
            _ => None,
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The number of configurations.
    pub frames: usize,
    /// The number of beads.
    pub beads: usize,
    /// What the file does not say, a sentence each.
    pub notes: Vec<String>,
}

/// Writes configurations of a member of a run into a file, in one piece.
///
/// # Errors
/// A member that is not in these folders or has not begun, and frames that are not there. A trajectory that is not what was
/// written, or has numbers that are not finite. Coordinates that the format cannot hold, and a file that cannot be written.
pub fn export(
    view: &View,
    member: u64,
    frames: &Frames,
    format: Format,
    path: &Path,
) -> Result<Exported, Error> {
    let source = Source::new(view, member)?;
    let system = source.system();
    let mut exported = Exported { beads: system.beads(), ..Exported::default() };
    exported.notes.extend(source.compare(frames)?);
    match format {
        Format::Lammps => {
            let mut last = None;
            source.read(frames, |snapshot| {
                exported.frames += 1;
                last = Some(snapshot);
                Ok(())
            })?;
            let (Some(snapshot), 1) = (last, exported.frames) else {
                return Err(Error::Export(format!(
                    "a data file of LAMMPS holds one configuration, and {} were asked for: name one frame, or write GSD or XYZ",
                    exported.frames
                )));
            };
            let (mut file, unsaid) = lammps::data(system, &snapshot, &title(&source, &snapshot));
            file.remarks.extend(source.of_masses().map(String::from));
            atomic::write(path, file.text().as_bytes())?;
            exported.notes.extend(unsaid);
        }
        Format::Gsd => {
            exported.frames =
                atomic::write_at(path, |partial| append_gsd(&source, frames, partial))?;
            exported.notes.push(PARAMETERS.to_string());
        }
        Format::Xyz => {
            exported.frames = write_xyz(&source, frames, path)?;
            exported.notes.push(PARAMETERS.to_string());
        }
    }
    exported.notes.extend(source.of_masses().map(String::from));
    Ok(exported)
}

const PARAMETERS: &str = "the file has no parameters of interactions: resolved.toml has them";

/// What a program that starts from XYZ is told about bonds, which the format cannot hold.
const FILE_WITH_BONDS: &str = "a GSD or LAMMPS file of `beadwork export`";

fn title(source: &Source<'_>, snapshot: &Snapshot) -> String {
    let system = source.system();
    let when = when(system, snapshot.step, snapshot.time);
    format!("beadwork: replica {} after {when}", source.member())
}

fn write_xyz(source: &Source<'_>, frames: &Frames, path: &Path) -> Result<usize, Error> {
    let system = source.system();
    let mut count = 0;
    atomic::write_with(path, |file: &mut File| {
        let mut file = BufWriter::new(file);
        source.read(frames, |snapshot| {
            let units = units_in_words(system, snapshot.velocities.is_some());
            let title = format!("{}{units}", title(source, &snapshot));
            let velocities = snapshot.velocities.as_deref();
            let text =
                text_of_beads(FILE_WITH_BONDS, system, &snapshot.positions, velocities, &title);
            count += 1;
            Ok(file.write_all(text.as_bytes()).map_err(beadwork_io::Error::write(path))?)
        })?;
        Ok::<(), Error>(file.flush().map_err(beadwork_io::Error::write(path))?)
    })?;
    Ok(count)
}

/// The units behind the title of an XYZ frame.
fn units_in_words(system: &System, has_velocities: bool) -> &'static str {
    match (system.units, has_velocities) {
        (Units::Reduced, _) => "",
        (Units::Real, false) => "; lengths in A, masses in Da, charges in e",
        (Units::Real, true) => "; lengths in A, velocities in A/ps, masses in Da, charges in e",
    }
}

fn append_gsd(source: &Source<'_>, frames: &Frames, path: &Path) -> Result<usize, Error> {
    let system = source.system();
    let mut writer: Option<GsdWriter> = None;
    let mut count = 0;
    source.read(frames, |snapshot| {
        let velocities = snapshot.velocities.as_deref();
        let writer = match &mut writer {
            Some(writer) => writer,
            None => {
                let beads = gsd_beads(system, velocities.is_some());
                writer.insert(GsdWriter::create(path, beads)?)
            }
        };
        count += 1;
        Ok(writer.write_frame(
            snapshot.step,
            &snapshot.positions,
            velocities.unwrap_or_default(),
        )?)
    })?;
    if let Some(mut writer) = writer {
        writer.sync()?;
    }
    Ok(count)
}
