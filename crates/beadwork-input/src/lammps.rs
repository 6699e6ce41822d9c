//! LAMMPS data files as inputs: <https://docs.lammps.org/read_data.html>.
//!
//! A data file has beads, bonds, angles and often coefficients; everything else of a LAMMPS run stands in its script. The input
//! that is written says what is to be filled in from there.

mod coefficients;
mod listed;
mod pairs;

use std::fmt::Write as _;
use std::path::{Component, Path};

use beadwork_structure::{Configuration, parse_configuration_bytes, visible, with_line_feeds};

use crate::beads::{MOST_TYPES, TypeKeys};
use crate::document::{Value, inline};
use crate::error::{Error, LAMMPS};
use crate::input_text::unreadable;
use crate::sop_gpu::Imported;
use coefficients::Coefficients;

/// How quantities are written.
struct Style {
    units: &'static str,
    length: &'static str,
    per_length: &'static str,
    energy: &'static str,
    stiffness: &'static str,
    dynamics: &'static str,
}

const LJ: Style = Style {
    units: "reduced",
    length: "",
    per_length: "",
    energy: "",
    stiffness: "",
    dynamics: "temperature = 1.0            # fill in from the script\ncollision_rate = 1.0         # fill in from the script: 1/damp of fix langevin\ntimestep = 0.005             # fill in from the script; LAMMPS' default\n",
};
const REAL: Style = Style {
    units: "real",
    length: "A",
    per_length: "/A",
    energy: "kcal/mol",
    stiffness: "kcal/(mol A^2)",
    dynamics: "temperature = \"300 K\"        # fill in from the script\ncollision_rate = \"0.01 /fs\"  # fill in from the script: 1/damp of fix langevin\ntimestep = \"1 fs\"            # fill in from the script; LAMMPS' default\n",
};

/// Reads a LAMMPS data file into an input that starts from it. `output` is the file that the input is written to; the input names
/// the data file from there. Without it the input is for the folder of the data file.
///
/// # Errors
/// A file that cannot be read as one, or has units other than `lj` and `real`.
pub fn import_lammps(path: &Path, output: Option<&Path>) -> Result<Imported, Error> {
    let name = path.display().to_string();
    let bytes = beadwork_files::read_unpacked(path, beadwork_files::LARGEST_STRUCTURE)
        .map_err(|error| unreadable(path, &error))?;
    let beads = parse_configuration_bytes(&bytes, &name, 0)?;
    let mut notes = beads.warnings.clone();
    let style = match beads.unit_style.as_deref() {
        Some("lj") => LJ,
        Some("real") => REAL,
        None | Some("") => {
            notes.push(format!(
                "{name} does not say in its first line which units it has: they are taken as lj"
            ));
            LJ
        }
        Some(other) => {
            let problem = format!(
                "{name} has units {other}: beadwork imports lj and real ones; convert the file, for example by reading and writing it in LAMMPS"
            );
            return Err(Error::new(LAMMPS, problem));
        }
    };
    if beads.type_names.len() > MOST_TYPES {
        let problem = format!(
            "{name} has {} types of atoms, and a system has at most {MOST_TYPES}: leave out those that no atom has",
            beads.type_names.len()
        );
        return Err(Error::new(LAMMPS, problem));
    }
    // Labels and names of styles come into the input and into messages.
    let text = String::from_utf8_lossy(&bytes);
    let text = visible(&with_line_feeds(&text)).into_owned();
    let coefficients = Coefficients::read(text.as_bytes(), &name)?;
    let beside = path.file_name().map_or(name.clone(), |file| file.to_string_lossy().into_owned());
    let file = output.and_then(|output| seen_from(path, output)).unwrap_or_else(|| beside.clone());
    let place = match file == beside {
        true => ", which must lie beside this input",
        false => "",
    };
    let mut writer = Writer { beads: &beads, style, coefficients, notes };
    let toml = writer.write(&file, place);
    Ok(Imported { toml, notes: writer.notes })
}

/// The name of a file relative to the folder of another one, or its absolute name where nothing leads from one to the other.
/// `None` if a folder is not there.
fn seen_from(path: &Path, other: &Path) -> Option<String> {
    let name = path.file_name()?;
    let folder = |file: &Path| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or_else(|| Path::new(".")).canonicalize().ok()
    };
    let (to, from) = (folder(path)?, folder(other)?);
    let parts: Vec<Component<'_>> = to.components().collect();
    let others: Vec<Component<'_>> = from.components().collect();
    let shared = parts.iter().zip(&others).take_while(|(one, other)| one == other).count();
    if shared == 0 {
        return Some(to.join(name).display().to_string());
    }
    let mut steps = vec!["..".to_string(); others.len() - shared];
    let down = parts[shared..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    steps.extend(down);
    steps.push(name.to_string_lossy().into_owned());
    Some(steps.join("/"))
}

struct Writer<'a> {
    beads: &'a Configuration,
    style: Style,
    coefficients: Coefficients,
    notes: Vec<String>,
}

impl Writer<'_> {
    fn write(&mut self, file: &str, place: &str) -> String {
        let Style { units, dynamics, .. } = self.style;
        let mut text = format!(
            "# From the LAMMPS data file {file}{place}.\n# Lines with \"fill in\" need what stands in the script of LAMMPS alone.\n\n[system]\nmodel = \"beads\"\nunits = \"{units}\"\nstart = {{ file = {} }}\n",
            quote(file)
        );
        text += match self.beads.bounds {
            Some(_) => {
                "box = \"file\"                 # \"open\" for boundaries that are not periodic\n"
            }
            None => "box = \"open\"\n",
        };
        self.write_types(&mut text);
        self.write_listed(&mut text, "bonds");
        self.write_listed(&mut text, "angles");
        self.write_pairs(&mut text);
        if !self.beads.bonds.is_empty() {
            text += &self.exclusions();
        }
        for (count, what) in
            [(self.beads.dihedrals, "dihedrals"), (self.beads.impropers, "improper dihedrals")]
        {
            if count > 0 {
                self.notes
                    .push(format!("the {count} {what} are left out: no term acts on four beads"));
            }
        }
        if self.beads.charges.iter().flatten().any(|&charge| charge != 0.0) {
            self.notes.push("atoms have charges, and no coefficient says how they act: if pair_style of the script has coul in its name, add an entry of the kind \"debye-huckel\" to `pairs`".to_string());
        }
        let is_dpd = matches!(self.coefficients.pair_style.as_str(), "dpd" | "dpd/tstat");
        let integrator = match is_dpd {
            true => "integrator = \"velocity-verlet\"     # pair_style dpd with fix nve",
            false => "integrator = \"langevin\"       # fix langevin with fix nve",
        };
        // The pair thermostat is the only one.
        let dynamics =
            dynamics.lines().filter(|line| !(is_dpd && line.starts_with("collision_rate")));
        let dynamics = dynamics.collect::<Vec<_>>().join("\n");
        // From a frame of GSD another run can start with all that it needs.
        let format = match self.beads.bounds {
            Some(_) => ", format = \"gsd\"",
            None => "",
        };
        let _ = write!(
            text,
            "\n[dynamics]\n{integrator}\n{dynamics}\n\n[[stage]]\nname = \"run\"\nsteps = 10_000               # fill in from the script\n\n[output]\ntable = {{ every_steps = 100 }}\ntrajectory = {{ every_steps = 1_000{format} }}\n"
        );
        text
    }

    fn write_types(&self, text: &mut String) {
        *text += "types = [\n";
        for (name, mass) in self.beads.type_names.iter().zip(&self.beads.masses) {
            let _ = match mass {
                Some(mass) => writeln!(text, "    {{ name = {}, mass = {mass:?} }},", quote(name)),
                None => writeln!(
                    text,
                    "    {{ name = {}, mass = 1.0 }},       # fill in: the file has no mass",
                    quote(name)
                ),
            };
        }
        *text += "]\n";
    }
}

/// A text as TOML has it.
fn quote(text: &str) -> String {
    inline(&Value::Text(text.to_string()))
}

fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "" => format!("{value:?}"),
        unit => format!("\"{value:?} {unit}\""),
    }
}
