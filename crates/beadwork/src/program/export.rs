//! `beadwork export`: configurations of a run as files of other programs.

use std::path::{Path, PathBuf};

use beadwork::export::{self, Format, Frames};
use beadwork::io::words::folder_name;
use beadwork::part::View;
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::output::{grouped, refuse_existing, refuse_place, remark, say};
use super::signals::{leave_no_half_files, say_interrupted};

const EXAMPLES: &str = "\
Examples:
  beadwork export runs/melt --format lammps
  beadwork export runs/melt --output melt.gsd --member 3
  beadwork export runs/protein --output last.xyz --frames last
  beadwork export runs/melt --output melt.data --frames state";

/// Write frames of a run as LAMMPS data, GSD or XYZ.
///
/// Lengths are in Å, masses in Da, charges in elementary charges, and velocities in Å/ps, in LAMMPS data in Å/fs (units real);
/// or all in the reduced units of the input (units lj). Frames of XTC and DCD trajectories have no velocities: `--frames state`
/// takes the last checkpoint, which has them. None of the formats holds all interactions; remarks name what is left out.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// The folder of a run, or those of its parts.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// lammps, a data file with atoms, bonds, angles, types and the box; gsd, frames as HOOMD-blue has them; xyz, frames in
    /// extended XYZ. By default what the ending of --output says.
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,
    /// The number of the replica, counted over the whole ensemble; by default the first one.
    #[arg(long, value_name = "NUMBER")]
    member: Option<u64>,
    /// all, last, a number from 0 (or from -1 backwards), a range such as 10..20, or state, the last checkpoint. By default
    /// last for lammps and all for the others.
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    frames: Option<String>,
    /// The file to write; by default named after the folder and the replica.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Lammps,
    Gsd,
    #[value(alias = "extxyz")]
    Xyz,
}

impl Export {
    pub fn run(self) -> Result<u8, Failure> {
        let last_word = leave_no_half_files(say_interrupted)?;
        let format = self.format()?;
        let frames = match (&self.frames, format) {
            (Some(text), _) => Frames::parse(text)?,
            (None, Format::Lammps) => Frames::One(-1),
            (None, Format::Gsd | Format::Xyz) => Frames::All,
        };
        let view = self.view()?;
        let members = view.folders[0].members();
        let member = self.member.unwrap_or(members.start as u64);
        if self.member.is_none() && view.request.members() > 1 {
            remark(&format!("note: replica {member} is written; --member chooses another one"));
        }
        let output = match &self.output {
            Some(output) => output.clone(),
            None => default_output(view.folders[0].root(), member, format),
        };
        refuse_place(&output)?;
        refuse_existing(&output)?;
        let exported = export::export(&view, member, &frames, format, &output)?;
        last_word.take();
        for note in &exported.notes {
            remark(&format!("note: {note}"));
        }
        say(&format!(
            "{}: {} frame(s) of {} beads\n",
            output.display(),
            grouped(exported.frames as u64),
            grouped(exported.beads as u64)
        ))?;
        Ok(0)
    }

    fn format(&self) -> Result<Format, Failure> {
        let ending = self.output.as_deref().and_then(Path::extension);
        let by_ending = ending.and_then(|ending| Format::of_extension(&ending.to_string_lossy()));
        let asked = self.format.map(|name| match name {
            FormatName::Lammps => Format::Lammps,
            FormatName::Gsd => Format::Gsd,
            FormatName::Xyz => Format::Xyz,
        });
        match (asked, by_ending, &self.output) {
            (Some(asked), Some(other), Some(output)) if asked != other => {
                Err(Failure::input(format!(
                    "--format and the ending of {} disagree: change one of them",
                    output.display()
                )))
            }
            _ => asked.or(by_ending).ok_or_else(|| {
                Failure::input("say what to write: --format lammps, gsd or xyz, or an --output that ends in .data, .gsd or .xyz".to_string())
            }),
        }
    }

    /// The run in the folders, or the parts of one.
    fn view(&self) -> Result<View, Failure> {
        let views: Vec<View> =
            self.folders.iter().map(|path| View::open(path)).collect::<Result<_, _>>()?;
        let mut views = View::join(views)?;
        match (views.pop(), views.is_empty()) {
            (Some(view), true) => Ok(view),
            _ => Err(Failure::input(
                "the folders hold different runs: export each by itself".to_string(),
            )),
        }
    }
}

/// `melt-replica-3.gsd`.
fn default_output(folder: &Path, member: u64, format: Format) -> PathBuf {
    let name = folder_name(folder);
    PathBuf::from(format!("{name}-replica-{member}.{}", format.extension()))
}
