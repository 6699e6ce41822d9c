//! Converts inputs of the SOP-GPU program to TOML.
//!
//! Meanings and defaults of its keys are those of SOP-GPU 2.0 and its examples.

mod coarse_graining;
mod keys;

use std::fmt::Write as _;
use std::path::Path;
use std::str::FromStr;

use beadwork_structure::visible;

use crate::document::{Value, inline};
use crate::error::{Error, Location, SOP_GPU};
use crate::files::REPLICA;
use crate::request::unreadable;
use crate::steps::rounded;
use keys::{REASONS, reason};

/// ps in the program's unit of time: it calls h = 0.08 "20 ps" (τ_H of its manual).
const PICOSECONDS: f64 = 250.0;
/// Steps between moves of the cantilever where neither `pullFreq` nor `nav` is given.
const DEFAULT_NAV: u64 = 1000;

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
    let bytes = beadwork_files::read(path, beadwork_files::LARGEST_TEXT)
        .map_err(|error| unreadable(path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
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
    config.note_the_rest();
    Ok(Imported { toml, notes: config.notes })
}

/// Whether a text has one of the keys that every configuration has.
pub(crate) fn is_configuration(text: &str) -> bool {
    text.lines().any(|line| {
        let content = line.split('#').next().unwrap_or_default();
        matches!(content.split_whitespace().next(), Some("structure" | "coordinates"))
    })
}

/// Keys and values of a configuration, and notes for the user.
struct Config {
    name: String,
    whole: Location,
    entries: Vec<Setting>,
    notes: Vec<String>,
}

struct Setting {
    key: String,
    value: String,
    line: usize,
    place: Location,
    /// Whether the import has read it.
    is_used: bool,
}

impl Config {
    fn read(text: &str, name: &str) -> Config {
        let whole = Location::whole(name, text);
        let mut entries: Vec<Setting> = Vec::new();
        let mut notes = Vec::new();
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            let place = whole.with_span(start..start + line.trim_end().len());
            start += line.len();
            let (key, value) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
            if key.is_empty() {
                continue;
            }
            if let Some(before) = entries.iter().find(|entry| entry.key == key) {
                notes.push(format!(
                    "`{key}` is there twice; line {} was taken and line {} left out.",
                    before.line,
                    index + 1
                ));
                continue;
            }
            let (key, value) = (key.to_string(), value.trim().to_string());
            entries.push(Setting { key, value, line: index + 1, place, is_used: false });
        }
        Config { name: name.to_string(), whole, entries, notes }
    }

    fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    fn fault(&self, key: &str, problem: &str) -> Error {
        let name = &self.name;
        let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else {
            let start = self.whole.with_span(0..0);
            return start.error(SOP_GPU, format!("{name}: `{key}` {problem}"));
        };
        entry.place.error(SOP_GPU, format!("{name}, line {}: `{key}`: {problem}", entry.line))
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn take(&mut self, key: &str) -> Option<String> {
        let entry = self.entries.iter_mut().find(|entry| entry.key == key)?;
        entry.is_used = true;
        Some(entry.value.clone())
    }

    fn required(&mut self, key: &str) -> Result<String, Error> {
        self.take(key).ok_or_else(|| self.fault(key, "is missing, and a run needs it"))
    }

    fn parsed<T: FromStr>(&self, key: &str, text: &str, what: &str) -> Result<T, Error> {
        text.parse().map_err(|_| self.fault(key, &format!("\"{text}\" is not {what}")))
    }

    fn number(&mut self, key: &str) -> Result<Option<f64>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let number: f64 = self.parsed(key, &text, "a number")?;
        if !number.is_finite() {
            return Err(self.fault(key, "is not a finite number"));
        }
        Ok(Some(number))
    }

    /// The number as it was written, followed by a unit.
    fn with_unit(&mut self, key: &str, default: &str, unit: &str) -> Result<String, Error> {
        self.number(key)?;
        let text = self.take(key).unwrap_or_else(|| default.to_string());
        Ok(quote(&format!("{text} {unit}")))
    }

    fn count(&mut self, key: &str) -> Result<Option<u64>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        self.parsed(key, &text, "a whole number").map(Some)
    }

    /// A number of steps between two events, which cannot be 0.
    fn interval(&mut self, key: &str) -> Result<Option<u64>, Error> {
        match self.count(key)? {
            Some(0) => Err(self.fault(key, "is 0, but counts the steps between two events")),
            interval => Ok(interval),
        }
    }

    fn switch(&mut self, key: &str) -> Result<bool, Error> {
        let Some(text) = self.take(key) else { return Ok(false) };
        match text.to_lowercase().as_str() {
            "on" | "yes" | "true" | "1" => Ok(true),
            "off" | "no" | "false" | "0" => Ok(false),
            _ => Err(self.fault(key, &format!("\"{text}\" is neither on nor off"))),
        }
    }

    fn list<T: FromStr>(&self, key: &str, text: &str, what: &str) -> Result<Vec<T>, Error> {
        text.split_whitespace().map(|word| self.parsed(key, word, what)).collect()
    }

    /// Bead numbers, as a selection.
    fn beads(&mut self, key: &str) -> Result<Option<(String, Vec<usize>)>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let beads: Vec<usize> = self.list(key, &text, "the number of a bead")?;
        if beads.is_empty() {
            return Ok(None);
        }
        let words: Vec<String> = beads.iter().map(usize::to_string).collect();
        Ok(Some((format!("index {}", words.join(" ")), beads)))
    }

    /// A file name with `<name>` and other keys replaced, `<run>` excepted.
    fn file(&mut self, key: &str) -> Result<String, Error> {
        let mut text = self.required(key)?;
        let keys: Vec<String> = self.entries.iter().map(|entry| entry.key.clone()).collect();
        for other in keys.iter().filter(|other| *other != "run" && *other != key) {
            let placeholder = format!("<{other}>");
            if text.contains(&placeholder) {
                let value = self.take(other).unwrap_or_default();
                text = text.replace(&placeholder, &value);
            }
        }
        Ok(text)
    }

    /// Notes the keys that were dropped: one note for each group, and one for each other key.
    fn note_the_rest(&mut self) {
        for because in REASONS {
            let is_left = |entry: &&Setting| !entry.is_used && reason(&entry.key) == Some(because);
            let keys = self.entries.iter().filter(is_left);
            let keys: Vec<String> = keys.map(|entry| format!("`{}`", entry.key)).collect();
            if !keys.is_empty() {
                self.notes.push(format!("Left out: {}; {because}.", keys.join(", ")));
            }
        }
        let ignored = ["name", "author", "stage", "mode"];
        for Setting { key, value, line, is_used, .. } in &self.entries {
            if !(*is_used || reason(key).is_some() || ignored.contains(&key.as_str())) {
                self.notes.push(format!(
                    "`{key}` (line {line}: {value}) has no counterpart and was left out."
                ));
            }
        }
    }
}

fn quantity(number: f64, unit: &str) -> String {
    quote(&format!("{} {unit}", rounded(number)))
}

fn quote(text: &str) -> String {
    inline(&Value::Text(text.to_string()))
}

/// The depth of contacts: a number, or a column of the structure file.
fn contact_energy(config: &mut Config) -> Result<String, Error> {
    let text = config.required("eh")?;
    match text.as_str() {
        "O" => Ok(quote("occupancy")),
        "B" => Ok(quote("beta")),
        number => {
            let _: f64 = config.parsed("eh", number, "a number of kcal/mol, O or B")?;
            Ok(quote(&format!("{number} kcal/mol")))
        }
    }
}

/// Converts a configuration of `sop-top`: the structure and its contacts, with a first stage that the user can replace.
fn write_topology_maker(config: &mut Config, has_bead_model: bool) -> Result<String, Error> {
    let structure = config.file("structure")?;
    let cutoff = config.with_unit("R_limit_bond", "8", "A")?;
    let side_chain = config.number("SC_limit_bond")?.filter(|cutoff| *cutoff > 0.0);
    let energy = contact_energy(config)?;
    let mut contacts = format!("cutoff = {cutoff}");
    if has_bead_model {
        // The beads of the model stand for their CA alone.
        config.take("SC_limit_bond");
    } else if side_chain.is_some() {
        let text = config.with_unit("SC_limit_bond", "5.2", "A")?;
        let _ = write!(contacts, ", side_chain_cutoff = {text}");
    }
    let _ = write!(contacts, ", energy = {energy}");
    let repulsion = write_repulsion(config)?;
    for key in ["topology", "coordinates"] {
        config.take(key);
    }
    let bonds = match config.has("Ks") {
        true => format!(
            "bonds = {{ stiffness = {} }}\n",
            config.with_unit("Ks", "20.0", "kcal/(mol A^2)")?
        ),
        false => String::new(),
    };
    if config.has("use_chains") && !config.switch("use_chains")? {
        config.note("`use_chains` was left out: beadwork tells chains by their identifiers, SOP-GPU without it by their segments.");
    }
    config.note("sop-top only makes a topology; a first stage of 20 us was added, which you will want to change.");
    Ok(format!(
        "[system]\nmodel = \"sop\"\nstructure = {}\ncontacts = {{ {contacts} }}\n{bonds}{repulsion}\n\n[[stage]]\nname = \"equilibrate\"\nduration = \"20 us\"\n",
        quote(&structure)
    ))
}

fn write_repulsion(config: &mut Config) -> Result<String, Error> {
    let strength = config.with_unit("el", "1.0", "kcal/mol")?;
    let diameter = config.with_unit("a", "3.8", "A")?;
    let cutoff = config.with_unit("pairs_cutoff", "20.0", "A")?;
    Ok(format!("repulsion = {{ strength = {strength}, diameter = {diameter}, cutoff = {cutoff} }}"))
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

    let pulling = config.switch("pulling")?;
    let name = if pulling { "pull" } else { "equilibrate" };
    let steps = config.required("numsteps")?;
    let steps: u64 = config.parsed("numsteps", &steps, "a whole number")?;
    let _ = write!(text, "\n[[stage]]\nname = \"{name}\"\nsteps = {steps}\n");
    let mut ends = None;
    if pulling {
        let (drive, chosen) = write_drive(config, picoseconds)?;
        let _ = writeln!(text, "drives = [\n    {drive},\n]");
        ends = chosen;
    }

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
    let _ = writeln!(text, "table = {{ every_steps = {table} }}");
    let frames = config.interval("dcdfreq")?.unwrap_or(10_000);
    let _ = writeln!(text, "trajectory = {{ every_steps = {frames}, format = \"dcd\" }}");
    if let Some((from, to)) = ends {
        let _ = writeln!(text, "ends = [{}, {}]", quote(&from), quote(&to));
    }
    Ok(text)
}

/// The number of runs, and the text that replaces `<run>` in the first of them.
fn runs(config: &mut Config) -> Result<(u64, String), Error> {
    let number = config.count("runnum")?;
    let first = config.take("firstrun").unwrap_or_else(|| "0".to_string());
    if let Some(run) = config.take("run") {
        config.note(format!("Run {run} alone is carried over, as one replica."));
        return Ok((1, run));
    }
    Ok((number.unwrap_or(1), first))
}

fn write_system(config: &mut Config, text: &mut String, first: &str) -> Result<(), Error> {
    let topology = config.file("topology")?.replace("<run>", first);
    let coordinates = config.file("coordinates")?;
    let structure = coordinates.replace("<run>", first);
    let stiffness = config.with_unit("kspring_cov", "20.0", "kcal/(mol A^2)")?;
    let limit = config.with_unit("R_limit", "2.0", "A")?;
    let repulsion = write_repulsion(config)?;
    let _ = write!(
        text,
        "[system]\nmodel = \"sop\"\nstructure = {}\ntopology = {}\nbonds = {{ stiffness = {stiffness}, limit = {limit} }}\n{repulsion}\n",
        quote(&structure),
        quote(&topology),
    );
    if coordinates.contains("<run>") && !config.has("run") {
        let _: u64 = config.parsed("firstrun", first, "a whole number")?;
        let pattern = coordinates.replace("<run>", REPLICA);
        let _ = writeln!(text, "start = {{ file = {}, first = {first} }}", quote(&pattern));
    }
    config.note("Pairs repel up to `pairs_cutoff` in every step; SOP-GPU renews its list of pairs from time to time and misses some in between.");
    Ok(())
}

/// Writes the drive, and selections of its two ends if the configuration names them.
fn write_drive(
    config: &mut Config,
    picoseconds: f64,
) -> Result<(String, Option<(String, String)>), Error> {
    let (fixed, fixed_beads) = config
        .beads("fixed")?
        .ok_or_else(|| config.fault("fixed", "is missing: pulling needs beads to hold"))?;
    let (pulled, pulled_beads) = config
        .beads("pulled")?
        .ok_or_else(|| config.fault("pulled", "is missing: pulling needs beads to pull"))?;
    let ends = config.beads("fixedEnd")?.zip(config.beads("pulledEnd")?);
    let (direction, length) = direction(config)?;
    if direction.is_empty()
        && let Some(((_, from), (_, to))) = &ends
        && (*from != fixed_beads || *to != pulled_beads)
    {
        config.note("The direction runs from the centre of the fixed to that of the pulled beads as the stage begins; SOP-GPU takes the line from `fixedEnd` to `pulledEnd`.");
    }
    let (pulls, averages) = (config.interval("pullFreq")?, config.interval("nav"));
    let every = match pulls {
        Some(every) => every,
        None => averages?.unwrap_or(DEFAULT_NAV),
    };
    let common = format!("fixed = {}, pulled = {}{direction}", quote(&fixed), quote(&pulled));
    let deltax = config.number("deltax")?.unwrap_or(0.0);
    let force = config.number("fconst")?.unwrap_or(0.0);
    let ends = ends.map(|((from, _), (to, _))| (from, to));
    let count = pulled_beads.len();
    if deltax != 0.0 {
        let stiffness = config.with_unit("k_trans", "0.05", "kcal/(mol A^2)")?;
        // 1 Å/ps is 10⁸ µm/s.
        let speed = deltax * length / (every as f64 * picoseconds) * 1e8;
        if every > 1 {
            config.note(format!(
                "The spring's force is renewed every {every} steps and held between, as in SOP-GPU; remove `update_every` to move the spring's base at every step."
            ));
        }
        if count > 1 {
            config.note(format!(
                "The spring's force is shared by the {count} pulled beads and follows their centre; SOP-GPU follows `pulledEnd` and gives each bead the whole force."
            ));
        }
        if force != 0.0 {
            config.note("`fconst` was left out, because `deltax` makes it a spring.");
        }
        let drive = format!(
            "{{ kind = \"spring\", {common}, stiffness = {stiffness}, speed = {}, update_every = {every} }}",
            quantity(speed, "um/s")
        );
        return Ok((drive, ends));
    }
    config.take("k_trans");
    if force == 0.0 {
        let problem =
            "is on, but neither `deltax` (a spring) nor `fconst` (a constant force) is given";
        return Err(config.fault("pulling", problem));
    }
    if count > 1 {
        config.note(format!(
            "`fconst` acts on each of the {count} pulled beads in SOP-GPU; beadwork shares a force among them, so that it was multiplied by {count}."
        ));
    }
    let force = quantity(force * length * count as f64, "kcal/(mol A)");
    Ok((format!("{{ kind = \"force\", {common}, force = {force} }}"), ends))
}

/// The direction as TOML, and the length of the vector, by which SOP-GPU multiplies forces and speeds.
fn direction(config: &mut Config) -> Result<(String, f64), Error> {
    let kind = config.take("pullDirection").unwrap_or_else(|| "endToEnd".to_string());
    let vector = config.take("pullVector");
    match kind.as_str() {
        "endToEnd" => Ok((String::new(), 1.0)),
        "vector" => {
            let text = vector.ok_or_else(|| {
                config.fault("pullVector", "is missing beside `pullDirection vector`")
            })?;
            let numbers: Vec<f64> = config.list("pullVector", &text, "a number")?;
            let [x, y, z] = numbers.as_slice() else {
                return Err(config.fault("pullVector", "must have three numbers"));
            };
            let length = (x * x + y * y + z * z).sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return Err(config.fault("pullVector", "must have a length"));
            }
            if length != 1.0 {
                config.note(format!(
                    "`pullVector` has the length {}, by which SOP-GPU multiplies; the strength of the drive was multiplied by it.",
                    rounded(length)
                ));
            }
            let [x, y, z] = [x, y, z].map(|component| inline(&Value::Float(*component)));
            Ok((format!(", direction = [{x}, {y}, {z}]"), length))
        }
        other => {
            let problem = format!("\"{other}\" is neither endToEnd nor vector");
            Err(config.fault("pullDirection", &problem))
        }
    }
}
