//! LAMMPS data files as inputs: <https://docs.lammps.org/read_data.html>.
//!
//! A data file has beads, bonds, angles and often coefficients; everything else of a LAMMPS run stands in its script. The input
//! that is written says what is to be filled in from there.

mod coefficients;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use beadwork_structure::{Configuration, parse_configuration_bytes};

use crate::error::{Error, LAMMPS};
use crate::request::unreadable;
use crate::sop_gpu::Imported;
use coefficients::Coefficients;

/// How quantities are written.
struct Style {
    units: &'static str,
    length: &'static str,
    energy: &'static str,
    stiffness: &'static str,
    dynamics: &'static str,
}

const LJ: Style = Style {
    units: "reduced",
    length: "",
    energy: "",
    stiffness: "",
    dynamics: "temperature = 1.0            # fill in from the script\ncollision_rate = 1.0         # 1/damp of fix langevin\ntimestep = 0.005             # the default of LAMMPS\n",
};
const REAL: Style = Style {
    units: "real",
    length: "A",
    energy: "kcal/mol",
    stiffness: "kcal/(mol A^2)",
    dynamics: "temperature = \"300 K\"        # fill in from the script\ncollision_rate = \"0.01 /fs\"  # 1/damp of fix langevin\ntimestep = \"1 fs\"            # the default of LAMMPS\n",
};

/// Reads a LAMMPS data file into an input that starts from it.
///
/// # Errors
/// A file that cannot be read as one, or has units other than `lj` and `real`.
pub fn import_lammps(path: &Path) -> Result<Imported, Error> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
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
    let coefficients = Coefficients::read(&String::from_utf8_lossy(&bytes), &beads, &name)?;
    let file = path.file_name().map_or(name.clone(), |file| file.to_string_lossy().into_owned());
    let mut writer = Writer { beads: &beads, style, coefficients, notes };
    let toml = writer.write(&file);
    Ok(Imported { toml, notes: writer.notes })
}

struct Writer<'a> {
    beads: &'a Configuration,
    style: Style,
    coefficients: Coefficients,
    notes: Vec<String>,
}

impl Writer<'_> {
    fn write(&mut self, file: &str) -> String {
        let Style { units, dynamics, .. } = self.style;
        let mut text = format!(
            "# From the LAMMPS data file {file}, which must lie beside this input.\n# Lines with \"fill in\" need what stands in the script of LAMMPS alone.\n\n[system]\nmodel = \"beads\"\nunits = \"{units}\"\nstart = {{ file = {file:?} }}\n"
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
        let is_dpd = self.coefficients.pairs.style == "dpd";
        let integrator = match is_dpd {
            true => "integrator = \"velocity-verlet\"     # pair_style dpd with fix nve",
            false => "integrator = \"langevin\"       # fix langevin with fix nve",
        };
        // The pair thermostat is the only one.
        let dynamics =
            dynamics.lines().filter(|line| !(is_dpd && line.starts_with("collision_rate")));
        let dynamics = dynamics.collect::<Vec<_>>().join("\n");
        let _ = write!(
            text,
            "\n[dynamics]\n{integrator}\n{dynamics}\n\n[[stage]]\nname = \"run\"\nsteps = 10_000               # fill in from the script\n\n[output]\ntable = {{ every_steps = 100 }}\ntrajectory = {{ every_steps = 1_000 }}\n"
        );
        text
    }

    fn write_types(&self, text: &mut String) {
        *text += "types = [\n";
        for (name, mass) in self.beads.type_names.iter().zip(&self.beads.masses) {
            let _ = match mass {
                Some(mass) => writeln!(text, "    {{ name = {name:?}, mass = {mass:?} }},"),
                None => writeln!(
                    text,
                    "    {{ name = {name:?}, mass = 1.0 }},       # fill in: the file has no mass"
                ),
            };
        }
        *text += "]\n";
    }

    /// Writes the bonds or angles of the file, an entry for each of their types.
    fn write_listed(&mut self, text: &mut String, what: &str) {
        let (kinds, coefficients): (BTreeSet<u32>, _) = match what {
            "bonds" => {
                let kinds = self.beads.bonds.iter().map(|(_, kind)| *kind).collect();
                (kinds, &self.coefficients.bonds)
            }
            _ => {
                let kinds = self.beads.angles.iter().map(|(_, kind)| *kind).collect();
                (kinds, &self.coefficients.angles)
            }
        };
        if kinds.is_empty() {
            return;
        }
        let _ = writeln!(text, "{what} = [");
        for kind in kinds {
            let found = coefficients.values.get(&kind);
            let entry = found.and_then(|values| self.entry(what, &coefficients.style, values));
            let between = format!("between = \"file\", number = {kind}");
            match entry {
                Some((word, rest)) => {
                    let _ = writeln!(text, "    {{ kind = \"{word}\", {between}, {rest} }},");
                }
                None => {
                    let example = if what == "bonds" {
                        "kind = \"harmonic\", stiffness = …, length = …"
                    } else {
                        "kind = \"cosine\", stiffness = …"
                    };
                    let _ = writeln!(text, "    # fill in: {{ {example}, {between} }},");
                    let style = match coefficients.style.as_str() {
                        "" => "their style stands in the script",
                        style => style,
                    };
                    self.notes.push(format!(
                        "{what} of type {kind} have no coefficients that can be carried over ({style}): fill them in"
                    ));
                }
            }
        }
        *text += "]\n";
    }

    /// The kind and the parameters of a type of bonds or angles. K of LAMMPS is half of a stiffness.
    fn entry(&self, what: &str, style: &str, values: &[f64]) -> Option<(&'static str, String)> {
        let Style { length, energy, stiffness, .. } = self.style;
        Some(match (what, style, values) {
            ("bonds", "harmonic", &[k, rest]) => (
                "harmonic",
                format!(
                    "stiffness = {}, length = {}",
                    quantity(2.0 * k, stiffness),
                    quantity(rest, length)
                ),
            ),
            ("bonds", "fene", &[k, limit, ..]) => (
                "fene",
                format!(
                    "stiffness = {}, limit = {}",
                    quantity(k, stiffness),
                    quantity(limit, length)
                ),
            ),
            ("angles", "harmonic", &[k, angle]) => (
                "harmonic",
                format!("stiffness = {}, angle = {angle:?}", quantity(2.0 * k, energy)),
            ),
            ("angles", "cosine", &[k]) => {
                ("cosine", format!("stiffness = {}", quantity(k, energy)))
            }
            ("angles", "cosine/squared", &[k, angle]) => (
                "cosine-squared",
                format!("stiffness = {}, angle = {angle:?}", quantity(2.0 * k, energy)),
            ),
            _ => return None,
        })
    }

    fn write_pairs(&mut self, text: &mut String) {
        let style = self.coefficients.pairs.style.clone();
        let types = self.beads.type_names.len();
        let written = match style.as_str() {
            "lj/cut" => self.lennard_jones(types),
            "dpd" if self.style.units == LJ.units => self.dpd(types),
            _ => None,
        };
        match written {
            Some(term) => {
                let _ = writeln!(text, "pairs = [\n    {term},\n]");
            }
            None => {
                *text += "# fill in: pairs = [ { kind = \"lennard-jones\", depth = …, diameter = …, cutoff = …, shift = \"none\" } ]\n";
                let style = match style.as_str() {
                    "" => "no style in its section Pair Coeffs, or no such section".to_string(),
                    style => {
                        format!("the style {style}, with coefficients that cannot be carried over")
                    }
                };
                self.notes.push(format!("the file has {style}: fill in `pairs`, without which beads pass through each other"));
            }
        }
    }

    fn lennard_jones(&mut self, types: usize) -> Option<String> {
        let depth = self.by_pairs(types, 0)?;
        let diameter = self.by_pairs(types, 1)?;
        let Style { length, energy, .. } = self.style;
        let cutoff = self.by_pairs(types, 2).unwrap_or_else(|| {
            self.notes.push(
                "cutoffs stand in pair_style of the script: 2.5 diameters are written, check them"
                    .to_string(),
            );
            diameter.iter().map(|(pair, diameter)| (pair.clone(), 2.5 * diameter)).collect()
        });
        let [depth, diameter, cutoff] = [(depth, energy), (diameter, length), (cutoff, length)]
            .map(|(values, unit)| table(&values, unit));
        Some(format!(
            "{{ kind = \"lennard-jones\", depth = {depth}, diameter = {diameter}, cutoff = {cutoff}, shift = \"none\" }}"
        ))
    }

    /// a, γ and the cutoff.
    fn dpd(&mut self, types: usize) -> Option<String> {
        let [repulsion, friction] = [self.by_pairs(types, 0)?, self.by_pairs(types, 1)?];
        let cutoff = match self.by_pairs(types, 2) {
            Some(cutoff) => table(&cutoff, ""),
            None => {
                self.notes.push(
                    "the cutoff stands in pair_style of the script: 1 is written, check it"
                        .to_string(),
                );
                "1.0".to_string()
            }
        };
        let [repulsion, friction] = [repulsion, friction].map(|values| table(&values, ""));
        Some(format!(
            "{{ kind = \"dpd\", repulsion = {repulsion}, friction = {friction}, cutoff = {cutoff} }}"
        ))
    }

    /// The coefficient at a place for each two types. Those of unlike types that the file does not have are the geometric means
    /// of the like ones, as `pair_modify mix geometric` of LAMMPS has it.
    fn by_pairs(&self, types: usize, place: usize) -> Option<Vec<(String, f64)>> {
        let pairs = &self.coefficients.pairs.values;
        let value = |a: usize, b: usize| -> Option<f64> {
            let given = pairs.get(&(a, b)).or(pairs.get(&(b, a)));
            if let Some(values) = given {
                return values.get(place).copied();
            }
            let [like, other] = [(a, a), (b, b)].map(|pair| pairs.get(&pair)?.get(place).copied());
            Some((like? * other?).sqrt())
        };
        let names = &self.beads.type_names;
        let mut all = Vec::new();
        for a in 0..types {
            for b in a..types {
                all.push((format!("{}-{}", names[a], names[b]), value(a, b)?));
            }
        }
        Some(all)
    }

    fn exclusions(&mut self) -> String {
        if self.coefficients.bonds.style == "fene" {
            self.notes.push("bonds of the style fene repel by a Lennard-Jones term of their own: exclude = 0 is written, with which the pair term acts between bonded beads; it differs where its cutoff is beyond 2^(1/6) diameters".to_string());
            return "exclude = 0                  # special_bonds fene\n".to_string();
        }
        self.notes.push("special_bonds stands in the script: exclude = 3 is written, which is LAMMPS' default (0 0 0)".to_string());
        "exclude = 3                  # special_bonds of the script: 0 0 0 is 3, 0 1 1 is 1, 1 1 1 is 0\n".to_string()
    }
}

/// A table with a value for each two types, or the only value.
fn table(values: &[(String, f64)], unit: &str) -> String {
    match values {
        [first, rest @ ..] if rest.iter().all(|(_, value)| *value == first.1) => {
            quantity(first.1, unit)
        }
        _ => {
            let entries =
                values.iter().map(|(pair, value)| format!("{pair:?} = {}", quantity(*value, unit)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "" => format!("{value:?}"),
        unit => format!("\"{value:?} {unit}\""),
    }
}
