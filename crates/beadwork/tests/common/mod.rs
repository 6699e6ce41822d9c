//! A folder with a structure and an input, in which tests run the program.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "each test uses a part; clippy.toml excuses tests but not the functions they call"
)]

#[cfg(unix)]
pub mod gpu;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// An ideal helix of 16 residues.
pub const HELIX: &str = include_str!("../../../beadwork-model/src/made_systems/helix.pdb");

/// Three ladders of a chain of six.
pub const LADDERS: &str = r#"
[system]
model = "elastic-polymer"
monomers = 6

[sampling]
displacement = 0.2

[exchange]
temperatures = { from = 0.4, to = 1.6, count = 4 }
every_sweeps = 10
ladders = 3

[[stage]]
name = "equilibrate"
sweeps = 200
tune = true

[[stage]]
name = "sample"
sweeps = 2000

[output]
table = { every_sweeps = 10 }
trajectory = { every_sweeps = 500, format = "dcd" }
"#;

/// A minimisation, an equilibration and a pull that a stop rule ends before its last step.
pub const PULL: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "minimise"
minimise = { tolerance = "0.0001 kcal/(mol A)", steps = 5000 }

[[stage]]
name = "equilibrate"
steps = 10_000

[[stage]]
name = "pull"
steps = 80_000
stop = "extension > 3.5 nm"
stop_every = 200
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "100 pN/nm", speed = "2000 um/s" },
]

[ensemble]
replicas = 3

[output]
table = { every_steps = 200 }
trajectory = { every_steps = 1000, format = "xtc" }
checkpoint = "0.01 s"
"#;

/// A tip with noise of its own that presses a helix on a surface, rests, withdraws, and comes again. The tip moves for a last time
/// in the middle of its interval.
pub const PRESS: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "settle"
steps = 10_000
drives = [
    { kind = "surface", below = "all", gap = "1 nm", sigma = "1 nm", depth = "0.5 kcal/mol" },
]

[[stage]]
name = "press"
steps = 60_000
drives = [
    { kind = "surface", continue = true },
    { kind = "tip", above = "all", radius = "2 nm", gap = "0.4 nm", sigma = "2 A", stiffness = "100 pN/nm", speed = "4_000 um/s", friction = "8.7e6 pN ps/nm", thermal = true, moves_every = 7, turn_after_steps = 12_000, rest_steps = 3_000, cycles = 2, contact_force = "5 pN" },
]

[ensemble]
replicas = 3

[output]
table = { every_steps = 200 }
trajectory = { every_steps = 1000, format = "xtc" }
checkpoint = "0.01 s"
"#;

/// What the program said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Fails the test unless the exit code is this one.
    pub fn expect(self, code: i32) -> Said {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails the test unless standard error has each part, ignoring the line breaks of its frame.
    pub fn complains(&self, parts: &[&str]) {
        let said = unframed(&self.stderr);
        for part in parts {
            assert!(said.contains(part), "no \"{part}\" in:\n{}\nas read: {said}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// A message without the bars and line breaks that fit it to a terminal's width.
pub fn unframed(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['│', '|', '×', '╭', '╰', '─', '·']));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// A folder that is removed when the test ends.
#[derive(Debug)]
pub struct Place {
    folder: tempfile::TempDir,
    /// Drawing takes most of the time of a small run, so plots are drawn only where a test looks at them.
    has_plots: bool,
}

impl Place {
    /// With `helix.pdb` in it.
    pub fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap(), has_plots: false };
        place.write("helix.pdb", HELIX);
        place
    }

    /// With `helix.pdb` and this input as `input.toml`.
    pub fn with_input(input: &str) -> Place {
        let place = Place::new();
        place.write("input.toml", input);
        place
    }

    /// The folder, in which runs draw plots from now on.
    pub fn with_plots(self) -> Place {
        Place { has_plots: true, ..self }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these arguments, which are separated by spaces.
    pub fn command(&self, arguments: &str) -> Command {
        self.command_of(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub fn command_of(&self, arguments: &[&str]) -> Command {
        let mut command = self.command_with_gpus(arguments);
        // No GPU: tests compare with known results of the processor.
        command.env("CUDA_VISIBLE_DEVICES", "");
        command
    }

    /// Runs a command that may use the GPUs of the machine.
    pub fn command_with_gpus(&self, arguments: &[&str]) -> Command {
        // The variable names the program if the test was built elsewhere.
        let program = std::env::var_os("BEADWORK_PROGRAM")
            .unwrap_or_else(|| env!("CARGO_BIN_EXE_beadwork").into());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env("NO_COLOR", "1");
        command.stdin(Stdio::null());
        if !self.has_plots {
            command.env("BEADWORK_NO_PLOTS", "1");
        }
        command
    }

    pub fn beadwork(&self, arguments: &str) -> Said {
        said(&mut self.command(arguments))
    }

    /// For arguments that contain spaces.
    pub fn beadwork_of(&self, arguments: &[&str]) -> Said {
        said(&mut self.command_of(arguments))
    }

    /// Runs the program with the GPUs of the machine.
    pub fn beadwork_with_gpus(&self, arguments: &str) -> Said {
        said(&mut self.command_with_gpus(&arguments.split_whitespace().collect::<Vec<_>>()))
    }

    /// Starts the program and does not wait.
    pub fn start(&self, arguments: &str) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Begins a run of `input.toml` and interrupts it once it has a checkpoint and before it ends.
    pub fn interrupt(&self, run: &str, arguments: &str) {
        let checkpoint = self.path(&format!("{run}/checkpoints/member-0000.ckpt"));
        // A run may end before the signal comes.
        for _ in 0..100 {
            let mut child = self.start(&format!("run input.toml -o {run} {arguments}"));
            wait_until("a checkpoint", || {
                has_checkpoint(&checkpoint) || child.try_wait().unwrap().is_some()
            });
            if child.try_wait().unwrap().is_none() {
                signal(&child, "INT");
            }
            if child.wait().unwrap().code() == Some(130) {
                return;
            }
            fs::remove_dir_all(self.path(run)).unwrap();
        }
        panic!("100 runs, and none was interrupted on its way");
    }

    /// The results of a run.
    pub fn results(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        results(&self.path(run))
    }

    pub fn table(&self, run: &str, member: usize) -> Table {
        Table::parse(&self.read(&format!("{run}/tables/member-{member:04}.csv")))
    }
}

/// The time of some work on this machine, from which tests draw moments to interrupt it.
pub fn time_of(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

pub fn json_of(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

pub fn said(command: &mut Command) -> Said {
    said_in(&command.output().unwrap())
}

/// Waits for a process that was started.
#[cfg(unix)]
pub fn ended(child: Child) -> Said {
    said_in(&child.wait_with_output().unwrap())
}

fn said_in(output: &Output) -> Said {
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// `run.json` without what it says of the processes that stepped the run.
pub fn lasting(bytes: &[u8]) -> Vec<u8> {
    let Ok(serde_json::Value::Object(mut record)) = serde_json::from_slice(bytes) else {
        return bytes.to_vec();
    };
    for key in [
        "host",
        "processor",
        "threads",
        "seconds",
        "commit",
        "gpu_form",
        "sessions",
        "started",
        "ended",
        "ending",
        "failed_members",
        "checksum",
    ] {
        record.remove(key);
    }
    // Written in another way, an input may still be the same.
    if let Some(serde_json::Value::Object(files)) = record.get_mut("files") {
        files.remove("input.toml");
    }
    serde_json::to_vec_pretty(&record).unwrap()
}

/// `run.json` of a version before there were digests, with some texts replaced: without them nobody notices a change.
pub fn earlier_record(record: &str, changes: &[(&str, &str)]) -> String {
    let mut record: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(record).unwrap();
    record.remove("files");
    record.remove("checksum");
    let mut text = serde_json::to_string_pretty(&record).unwrap();
    for (old, new) in changes {
        assert!(text.contains(old), "{text}");
        text = text.replace(old, new);
    }
    text
}

/// Whether a checkpoint was written, and not only awaited.
pub fn has_checkpoint(path: &Path) -> bool {
    // The kind of the contents stands behind the version and its own length.
    fs::read(path).is_ok_and(|bytes| bytes.len() > 27 && &bytes[20..27] != b"awaited")
}

/// Every file of a run folder with its bytes, except `log.txt` and `report.html` (which have dates) and `lock`; of `run.json` what
/// lasts.
pub fn results(run: &Path) -> BTreeMap<String, Vec<u8>> {
    fn gather(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, root, files);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == "run.json" {
                files.insert(name, lasting(&fs::read(&path).unwrap()));
            } else if !["log.txt", "report.html", "lock"].contains(&name.as_str()) {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    gather(run, run, &mut files);
    files
}

/// Asserts that two runs left the same files with the same bytes.
pub fn assert_same(expected: &BTreeMap<String, Vec<u8>>, found: &BTreeMap<String, Vec<u8>>) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(expected), names(found));
    for (name, bytes) in expected {
        let other = &found[name];
        if bytes != other {
            let at = bytes.iter().zip(other).take_while(|(a, b)| a == b).count();
            panic!("{name} differs from byte {at} on ({} and {} bytes)", bytes.len(), other.len());
        }
    }
}

/// The files whose names begin with one of these texts.
pub fn only(files: &BTreeMap<String, Vec<u8>>, beginnings: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let wanted = |name: &&String| beginnings.iter().any(|beginning| name.starts_with(beginning));
    let chosen: BTreeMap<_, _> =
        files.keys().filter(wanted).map(|name| (name.clone(), files[name].clone())).collect();
    assert!(!chosen.is_empty());
    chosen
}

/// A table as texts.
#[derive(Debug)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a table without quoted cells.
    pub fn parse(text: &str) -> Table {
        let mut lines =
            text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
        Table { columns: lines.next().unwrap(), rows: lines.collect() }
    }

    pub fn column(&self, name: &str) -> Vec<&str> {
        let place = self.columns.iter().position(|column| column == name);
        let place = place.unwrap_or_else(|| panic!("no column {name} in {:?}", self.columns));
        self.rows.iter().map(|row| row[place].as_str()).collect()
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.column(name).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): seeded randomness for moments, not for physics.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random time below this one.
    pub fn below(&mut self, longest: Duration) -> Duration {
        Duration::from_nanos(self.next() % longest.as_nanos() as u64)
    }
}

/// Kills a process; false if it had ended before.
#[cfg(unix)]
pub fn kill(mut child: Child) -> bool {
    use std::os::unix::process::ExitStatusExt;

    let alive = child.try_wait().unwrap().is_none();
    // An error only means that the child has ended.
    let _ = child.kill();
    let status = child.wait().unwrap();
    // SIGKILL.
    if status.signal() == Some(9) {
        return alive;
    }
    assert_eq!(status.code(), Some(0));
    false
}

/// Sends a signal by name: INT, TERM.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until a condition holds, at most a minute.
pub fn wait_until(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
