//! Converts inputs of the SOP-GPU program to TOML.
//!
//! Meanings and defaults of its keys are those of SOP-GPU 2.0 and its examples.

mod bounds;
mod coarse_graining;
pub(crate) mod config;
mod drive;
mod indentation;
mod keys;
mod system;

use std::fmt::Write as _;
use std::path::Path;

use beadwork_structure::{visible, with_line_feeds};

use crate::ensemble::MAXIMUM_MEMBERS;
use crate::error::{Error, SOP_GPU};
use crate::input_text::unreadable;
use config::{Config, is_configuration, quantity, quote};
use drive::{Pulling, write_pulling};
use indentation::write_indentation;
use system::{write_system, write_topology_maker};

/// ps in the program's unit of time: it calls h = 0.08 "20 ps" (τ_H of its manual).
const PICOSECONDS: f64 = 250.0;
/// An input of another program as TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The text of an input, for the folder of the other program's input.
    pub toml: String,
    /// What was dropped or changed, each a sentence.
    pub notes: Vec<String>,
}

/// Reads a configuration of `sop-gpu` (a simulation) or `sop-top` (making a topology).
///
/// # Errors
/// A file that cannot be read, lacks what a run needs, or asks for something that beadwork does not have, which the
/// message names.
pub fn import_sop_gpu(path: &Path) -> Result<Imported, Error> {
    let name = path.display().to_string();
    let bytes = beadwork_files::read_unpacked(path, beadwork_files::LARGEST_TEXT)
        .map_err(|error| unreadable(path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = with_line_feeds(&text);
    let text = visible(&text);
    let stem = path.file_stem().map_or("run".into(), |stem| stem.to_string_lossy());
    if !is_configuration(&text) {
        let problem = format!(
            "{name} is neither a configuration of SOP-GPU, which has `coordinates` (of a simulation) or `structure` (of sop-top), nor a LAMMPS data file, which has a header with the number of atoms and a section Atoms: import reads these two, and no scripts or dumps of LAMMPS"
        );
        // Without a place: the whole file would be shown.
        return Err(Error::new(SOP_GPU, problem));
    }
    let mut config = Config::read(&text, &name);
    keys::refuse(&mut config)?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let has_bead_model = coarse_graining::read(&mut config, folder)?;
    let toml = if config.has("structure") {
        write_topology_maker(&mut config, has_bead_model)?
    } else {
        write_simulation(&mut config, &stem)?
    };
    keys::note_the_rest(&mut config);
    Ok(Imported { toml, notes: config.notes })
}

fn write_simulation(config: &mut Config, stem: &str) -> Result<String, Error> {
    let mut text = String::new();
    let (replicas, first) = runs(config)?;
    write_system(config, &mut text, &first)?;

    config.required("timestep")?;
    let timestep = config.number("timestep")?.unwrap_or_default();
    let zeta = config.number("zeta")?.unwrap_or(50.0);
    let temperature = config.with_unit("temperature", "0.6", "kcal/mol")?;
    let picoseconds = timestep * PICOSECONDS;
    let _ = write!(
        text,
        "\n[dynamics]\nintegrator = \"brownian\"\ntemperature = {temperature}\nfriction = {}\ntimestep = {}\n",
        quantity(zeta * PICOSECONDS, "kcal ps/(mol A^2)"),
        quantity(picoseconds, "ps"),
    );

    let ends = write_stage(config, &mut text, picoseconds)?;
    let _ = write!(text, "\n[ensemble]\nreplicas = {replicas}\n\n[random]\n");
    if let Some(seed) = config.count("seed")? {
        let _ = writeln!(text, "seed = {seed}");
    } else {
        let note = "SOP-GPU without `seed` takes the time of day; beadwork's default seed is used.";
        config.note(note);
    }
    config.note("Noise comes from beadwork's own generator: trajectories agree with SOP-GPU's in their statistics, not step by step.");

    let _ = write!(text, "\n[output]\nfolder = {}\n", quote(&format!("runs/{stem}")));
    let table = config.interval("outputtiming")?.unwrap_or(10_000);
    let table = match config.interval("indentationOutputFreq")? {
        Some(of_tip) if of_tip != table => {
            let every = table.min(of_tip);
            config.note(format!("There is one table, with a row every {every} steps: the smaller of `outputtiming` and `indentationOutputFreq`."));
            every
        }
        _ => table,
    };
    let _ = writeln!(text, "table = {{ every_steps = {table} }}");
    let frames = config.interval("dcdfreq")?.unwrap_or(10_000);
    let _ = writeln!(text, "trajectory = {{ every_steps = {frames}, format = \"dcd\" }}");
    if let Some((from, to)) = ends {
        let _ = writeln!(text, "ends = [{}, {}]", quote(&from), quote(&to));
    }
    Ok(text)
}

/// Writes the stage; returns selections of two ends if the configuration names them.
fn write_stage(
    config: &mut Config,
    text: &mut String,
    picoseconds: f64,
) -> Result<Option<(String, String)>, Error> {
    let (pulls, indents) = (config.switch("pulling")?, config.switch("indentation")?);
    config.required("numsteps")?;
    let steps = config.count("numsteps")?.unwrap_or_default();
    let name = match (indents, pulls) {
        (true, _) => "indent",
        (false, true) => "pull",
        (false, false) => "equilibrate",
    };
    let _ = write!(text, "\n[[stage]]\nname = \"{name}\"\nsteps = {steps}\n");
    let pulling = match pulls {
        true => write_pulling(config, picoseconds)?,
        false => Pulling::default(),
    };
    if let Some(fixed) = &pulling.fixed {
        let _ = writeln!(text, "fixed = {}", quote(fixed));
    }
    if indents && pulling.drive.is_some() {
        config.note("Beside the tip, `pulling` is on: SOP-GPU pulls the beads of `pulled` too, and so does the first drive, which adds to the forces and the work of the tables; if only the beads of `fixed` are to be held, remove this drive and write them as `fixed` of the stage.");
    }
    let mut drives: Vec<String> = pulling.drive.into_iter().collect();
    if indents {
        drives.extend(write_indentation(config, picoseconds, steps)?);
    }
    if !drives.is_empty() {
        let _ = writeln!(text, "drives = [\n    {},\n]", drives.join(",\n    "));
    }
    Ok(pulling.ends)
}

/// The number of runs, and the text that replaces `<run>` in the first of them.
fn runs(config: &mut Config) -> Result<(u64, String), Error> {
    let number = config.count("runnum")?;
    let first = config.take("firstrun").unwrap_or_else(|| "0".to_string());
    if let Some(run) = config.take("run") {
        let _: u64 = config.parsed("run", &run, "a whole number")?;
        config.note(format!("Run {run} alone is carried over, as one replica."));
        return Ok((1, run));
    }
    if let Some(number) = number.filter(|number| *number > MAXIMUM_MEMBERS) {
        let problem = format!(
            "is {number}: each run becomes a replica, and an input has at most {MAXIMUM_MEMBERS}; write fewer"
        );
        return Err(config.fault("runnum", &problem));
    }
    Ok((number.unwrap_or(1), first))
}
