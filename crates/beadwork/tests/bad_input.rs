//! Bad input: each message with its exit code, which is 2 if the user can mend the input.
#![cfg(unix)]

use std::fs;
use std::process::Stdio;

use crate::common::{HELIX, PULL, Place, assert_same, has_checkpoint, json_of, said, wait_until};
use beadwork::analysis::table::read_csv;

/// Asserts that both commands that read inputs refuse it with these messages.
fn refused(place: &Place, parts: &[&str]) {
    place.beadwork("check input.toml").expect(2).complains(parts);
    place.beadwork("run input.toml -o run").expect(2).complains(parts);
    assert!(!place.path("run").exists(), "a refused run leaves no folder");
}

/// Asserts that the input in which `new` replaces `old` is refused with these messages.
fn refused_with(old: &str, new: &str, parts: &[&str]) {
    assert!(PULL.contains(old), "{old}");
    refused(&Place::with_input(&PULL.replace(old, new)), parts);
}

/// Line and column of a text in a file, counted from 1, as messages name them.
fn place_of(input: &str, text: &str) -> String {
    let at = input.find(text).unwrap();
    let line = input[..at].matches('\n').count() + 1;
    let column = at - input[..at].rfind('\n').map_or(0, |newline| newline + 1) + 1;
    format!("[input.toml:{line}:{column}]")
}

#[test]
fn refuses_missing_files() {
    let place = Place::new();
    let parts = ["the input input.toml cannot be read", "No such file", "check its name"];
    refused(&place, &parts);

    let place = Place::with_input(PULL);
    fs::remove_file(place.path("helix.pdb")).unwrap();
    let at = place_of(PULL, "\"helix.pdb\"");
    refused(&place, &["helix.pdb", "cannot be read", "No such file", &at, "structure = "]);
}

#[test]
fn refuses_files_without_a_structure() {
    let at = place_of(PULL, "\"helix.pdb\"");
    let with = |structure: &str| {
        let place = Place::with_input(PULL);
        place.write("helix.pdb", structure);
        place
    };
    let text = with("To be, or not to be\nthat is the question\n");
    refused(&text, &["helix.pdb: this is not a structure file", "ATOM", "_atom_site", &at]);
    refused(&with(""), &["the file is empty"]);
    let damaged = HELIX.replace("      -2.161  -0.787   3.000", "      -2.161  -0.7x7   3.000");
    assert_ne!(damaged, HELIX);
    refused(
        &with(&damaged),
        &[
            "helix.pdb, line 3: the y coordinate",
            "-0.7x7\", which is not a plain decimal number",
            &at,
        ],
    );
    let no_alpha = HELIX.replace(" CA  ALA", " CB  ALA");
    refused(&with(&no_alpha), &["no residue has an alpha carbon", "16 atoms"]);
    let one: String = HELIX.lines().take(1).map(|line| format!("{line}\n")).collect();
    refused(&with(&one), &["helix.pdb gives 1 bead(s); a chain needs at least 2", &at]);
}

#[test]
fn refuses_empty_and_wrong_selections() {
    let pulled = "pulled = \"last\"";
    let input = PULL.replace(pulled, "pulled = \"residue 99\"");
    let at = place_of(&input, "\"residue 99\"");
    let parts = ["stage \"pull\", drive 1, pulled", "residue 99", "matches no bead", &at];
    refused_with(pulled, "pulled = \"residue 99\"", &parts);
    refused_with(
        pulled,
        "pulled = \"resid 9\"",
        &["at column 1, \"resid\" stands where", "perhaps residue was meant"],
    );
    refused_with(
        pulled,
        "pulled = \"first\"",
        &["is both fixed and pulled", "chain A, residue 1 ALA"],
    );
}

#[test]
fn refuses_wrong_keys_units_and_times() {
    let input = PULL.replace("timestep =", "timestp =");
    let at = place_of(&input, "timestp");
    refused_with("timestep =", "timestp =", &["timestp", "did you mean `timestep`?", &at]);
    refused_with("[dynamics]", "[dynamic]", &["dynamic", "did you mean `dynamics`?"]);
    let input = PULL.replace("2000 um/s", "2000 pN");
    let at = place_of(&input, "\"2000 pN\"");
    refused_with("2000 um/s", "2000 pN", &["`speed`", "is a force; expected a speed", &at]);
    refused_with("2000 um/s", "2000", &["has no unit"]);
    refused_with("2000 um/s", "2000 parsec/s", &["parsec"]);
    let duration = "duration = \"50 ps\"";
    let input = PULL.replace("steps = 10_000", duration);
    let at = place_of(&input, "\"50 ps\"");
    let whole = "which is 2.5 steps of 20 ps: write \"40 ps\" (2 steps) or \"60 ps\" (3 steps)";
    refused_with("steps = 10_000", duration, &["stage \"equilibrate\"", whole, &at]);
    refused_with("timestep = \"20 ps\"", "timestep = 20", &["found the number 20"]);
    refused_with("[dynamics]", "[dynamics", &["[input.toml:5:"]);
    let generator = "[random]\ngenerator = \"hybrid-taus\"\n[output]";
    refused_with("[output]", generator, &["hybrid-taus", "accept_flaws = true"]);
}

#[test]
fn refuses_wrong_settings_of_the_command_line() {
    let place = Place::with_input(PULL);
    let refused = |setting: &str, parts: &[&str]| {
        for command in ["check", "run"] {
            let said = place.beadwork_of(&[command, "input.toml", "--set", setting]);
            said.expect(2).complains(parts);
        }
    };
    refused("nonsense", &["--set nonsense has no \"=\"", "write --set PATH=VALUE"]);
    refused(
        "pull.sped=\"1 um/s\"",
        &["neither stage \"pull\" nor one of its drives has a key `sped`; did you mean `speed`?"],
    );
    refused(
        "pull.fixed=last",
        &[
            "input/path",
            "write pull.drives.1.fixed for a drive's, or pull.stage.fixed for the stage's own",
        ],
    );
    refused("dynamics.timestep=7 furlongs", &["furlongs", "--set"]);
    refused("dynamics.timestep=", &["dynamics.timestep"]);
    refused("=3", &["--set"]);
    place.beadwork("run input.toml --threads 0").expect(2).complains(&["--threads", "0"]);
    for time in ["soon", "-1s", "90"] {
        let said = place.beadwork(&format!("run input.toml --max-time {time}")).expect(2);
        said.complains(&["--max-time", time, "write a time with its unit, such as 90s, 45m"]);
    }
    place.beadwork("fly input.toml").expect(2).complains(&["fly"]);
    assert!(!place.path("runs").exists());
}

#[test]
fn refuses_folders_that_do_not_fit() {
    let place = Place::with_input(PULL);
    fs::create_dir(place.path("full")).unwrap();
    place.write("full/thesis.tex", "three years of work");
    for arguments in ["run input.toml -o full", "run input.toml -o full --continue"] {
        let said = place.beadwork(arguments).expect(2);
        said.complains(&["The folder full exists and is not empty", "--output", "beadwork resume"]);
    }
    assert_eq!(fs::read_dir(place.path("full")).unwrap().count(), 1);
    let parts = ["full is not the folder of a run: it has no resolved.toml"];
    place.beadwork("resume full").expect(2).complains(&parts);
    place.beadwork("plot full").expect(2).complains(&parts);
    place.beadwork("resume nowhere").expect(2).complains(&["There is no nowhere. Name the folder"]);
    assert!(!place.path("nowhere").exists());
    // A file has the name of the folder.
    let file = "cannot be made a folder, since it or what it lies in is a file";
    for folder in ["helix.pdb", "helix.pdb/run"] {
        let said = place.beadwork(&format!("run input.toml -o {folder}")).expect(2);
        said.complains(&["io/not-a-folder", &format!("{folder} {file}")]);
    }
    let said = place.beadwork("check input.toml --set output.folder=helix.pdb/run").expect(2);
    said.complains(&["io/not-a-folder", &format!("helix.pdb/run {file}")]);
    let said = place.beadwork("check input.toml --set output.folder=.").expect(2);
    said.complains(&["The folder . exists and is not empty"]);
    // What `run` refuses `check` warns of, since `run` may be given another folder.
    let taken = "the folder full is not empty and holds no run, so `run` refuses it";
    let said = place.beadwork("check input.toml --set output.folder=full").expect(0);
    assert!(said.stdout.contains(taken), "{said:?}");
    let long = "f".repeat(300);
    for command in [
        format!("check input.toml --set output.folder={long}"),
        format!("run input.toml -o {long}"),
        format!("run input.toml -o new/{long}/run --continue"),
        format!("run input.toml -o {}", "new/folder/".repeat(400)),
    ] {
        let said = place.beadwork(&command).expect(2);
        said.complains(&["io/long-name", "bytes, and at most", "shorter one with --output"]);
        assert!(said.stderr.len() < 2_500, "{said:?}");
    }
    assert!(!place.path("new").exists());
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    let said = place.beadwork("check input.toml --set output.folder=run").expect(0);
    assert!(!said.stdout.contains("holds no run"), "{said:?}");
    place.beadwork("plot run -o helix.pdb").expect(2).complains(&["io/not-a-folder", file]);
    assert_eq!(place.read("helix.pdb"), HELIX);
}

/// Arguments are not those of a shell here, so that `~` is as it is in quotes and in an input.
#[test]
fn home_folders_are_written_in_full() {
    let place = Place::with_input(PULL);
    let refused = |arguments: &str| {
        place.beadwork(arguments).expect(2).complains(&["io/tilde", "begins with ~", "whole path"]);
        assert!(!place.path("~").exists() && !place.path("~user").exists(), "{arguments}");
    };
    refused("check input.toml --set output.folder=~/x");
    refused("random certify ~/x --battery small-crush");
    refused("run input.toml --set output.folder=~user/x");
    refused("run input.toml --set output.folder=~/x --continue");
    refused("submit input.toml --jobs 2 --set output.folder=~");
    refused("run input.toml --output ~/x");
    refused("run input.toml --output=~");
    refused("submit input.toml --jobs 2 --output=~/x");
    refused("new sop ~/x.toml");
    let run = "--quiet --set output.folder=~/x --set pull.steps=400";
    place.beadwork(&format!("run input.toml -o run {run}")).expect(0);
    place.beadwork("resume run --quiet").expect(0);
    refused("plot run -o ~/x");
    refused("export run -o ~/x.gsd");
    // A folder with that name, as earlier versions made it.
    place.beadwork(&format!("run input.toml -o ./~/x {run}")).expect(0);
    place.beadwork("resume ~/x --quiet").expect(0);
    place.beadwork(&format!("run input.toml --continue {run}")).expect(0);
}

#[test]
fn every_refusal_has_a_code() {
    let place = Place::with_input(PULL);
    place.beadwork("plot f f").expect(2).complains(&["program/arguments", "f is there twice"]);
    place
        .beadwork("check input.toml --set pull")
        .expect(2)
        .complains(&["program/arguments", "--set pull has no"]);
    let mut command = place.command("check input.toml");
    let said = crate::common::said(command.env("BEADWORK_INSTRUCTIONS", "sse9"));
    said.expect(2).complains(&["program/environment", "sse9"]);
}

#[test]
fn refuses_a_folder_in_which_another_process_works() {
    let place =
        Place::with_input(&PULL.replace("2000 um/s", "20 um/s").replace("80_000", "9_000_000"));
    let mut child = place.start("run input.toml -o run --threads 1");
    let checkpoint = place.path("run/checkpoints/member-0000.ckpt");
    wait_until("a checkpoint", || has_checkpoint(&checkpoint));
    let parts = ["Another beadwork process is working in run"];
    place.beadwork("resume run").expect(2).complains(&parts);
    place.beadwork("run input.toml -o run --continue").expect(2).complains(&parts);
    // `plot` may read a run that another process steps.
    place.beadwork("plot run").expect(0);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn refuses_checkpoints_that_do_not_fit() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    place.beadwork("run input.toml -o other --quiet --set random.seed=1").expect(0);
    let results = place.results("run");
    let checkpoint = "run/checkpoints/member-0001.ckpt";
    let good = fs::read(place.path(checkpoint)).unwrap();
    let refused = |parts: &[&str]| {
        place.beadwork("resume run").expect(2).complains(parts);
    };
    // Checkpoints of another run, and of another member of this run.
    fs::copy(place.path("other/checkpoints/member-0001.ckpt"), place.path(checkpoint)).unwrap();
    refused(&["member-0001.ckpt belongs to another input", "fingerprint", "engine/other-input"]);
    fs::copy(place.path("run/checkpoints/member-0000.ckpt"), place.path(checkpoint)).unwrap();
    refused(&["does not fit this run: it is of replica 0, not 1"]);
    // Checkpoints that are cut short, changed in one bit, or no checkpoints. The engine's tests change each byte.
    fs::write(place.path(checkpoint), &good[..good.len() - 5]).unwrap();
    refused(&["is truncated", &format!("{} bytes are there of {}", good.len() - 5, good.len())]);
    // A change of the lengths before byte 34 would look like a missing end.
    for byte in [34, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[byte] ^= 4;
        fs::write(place.path(checkpoint), &bad).unwrap();
        refused(&["member-0001.ckpt is damaged: its checksum does not match"]);
    }
    // What the message says loses nothing.
    refused(&[
        "or remove it and start what it belongs to anew",
        "beadwork resume run --from-start",
    ]);
    fs::remove_file(place.path(checkpoint)).unwrap();
    place.beadwork("resume run --from-start --quiet").expect(0);
    crate::common::assert_same(&results, &place.results("run"));
    place.write(checkpoint, "ATOM      1  CA  ALA A   1");
    refused(&["is not a checkpoint of beadwork"]);
    fs::write(place.path(checkpoint), &good).unwrap();
    // The input in the folder was changed.
    let resolved = place.read("run/resolved.toml");
    place.write("run/resolved.toml", &resolved.replace("20 ps", "21 ps"));
    refused(&["resolved.toml is not the file that the run began with", "run/changed-file"]);
    place.write("run/resolved.toml", &resolved);
    place.write("run/inputs/helix.pdb", &HELIX.replace("2.300", "2.301"));
    refused(&["helix.pdb is not the file that the run began with", "run/changed-file"]);
    place.write("run/inputs/helix.pdb", HELIX);
    place.beadwork("resume run --quiet").expect(0);
    crate::common::assert_same(&results, &place.results("run"));
}

#[test]
fn time_steps_too_long_for_the_stiffest_bond_are_reported() {
    // 4 k h/ξ with k = 20 kcal/(mol Å²) and ξ = 8.685e6 pN ps/nm, where 1 kcal/(mol Å) is 69.477 pN:
    // 4 · 20 · 69.477 · 10 · 400 / 8.685e6 = 2.56.
    let input = PULL.replace("\"20 ps\"", "\"400 ps\"");
    let place = Place::with_input(&input);
    let warning =
        "the time step of 400 ps is too large for the stiffest bond: 4 k h/friction is 2.56";
    let words = place.beadwork("check input.toml").expect(0);
    assert!(words.stdout.contains(warning), "{}", words.stdout);
    assert!(words.stdout.contains("use at most 93 ps"), "{}", words.stdout);
    let json = place.beadwork("check input.toml --json").expect(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["warnings"][0].as_str().unwrap().contains(warning));
    assert!((json["bond_step"].as_f64().unwrap() - 2.56).abs() < 0.005);

    let said = place.beadwork("run input.toml -o run --quiet").expect(3);
    said.complains(&[warning]);
    let members = read_csv(place.path("run/members.csv")).unwrap();
    assert_eq!(members.texts("status").unwrap(), ["failed"; 3]);
    // The minimisation ended, the equilibration did not.
    assert_eq!(members.texts("equilibrate_ended").unwrap(), [""; 3]);
    for (replica, message) in members.texts("message").unwrap().into_iter().enumerate() {
        assert!(message.starts_with(&format!("replica {replica}, step ")), "{message}");
        assert!(
            message.contains("stage \"equilibrate\": the FENE bond between bead "),
            "{message}"
        );
        assert!(message.contains(" of chain A) broke: "), "{message}");
        assert!(said.stderr.contains(&format!("failed: {message}")), "{}", said.stderr);
        assert!(place.read("run/log.txt").contains(message));
    }
    let summary = place.read("run/summary.txt");
    assert!(summary.contains("note: 3 replica(s) failed on the way"), "{summary}");
    // Failed members do not continue: `resume` reports the failure again.
    let again = place.beadwork("resume run --quiet").expect(3);
    assert_eq!(again.stdout.matches("steps/s").count(), 0);
    assert!(again.stderr.contains("replica 2, step "));
}

/// A sweep in which the first point breaks bonds and the second is sound.
fn half_sound(on_failure: &str) -> String {
    PULL.replace(
        "[ensemble]\nreplicas = 3",
        "[ensemble]\nreplicas = 2\nsweep = { \"dynamics.timestep\" = [\"400 ps\", \"20 ps\"] }",
    ) + &format!("\n[run]\non_failure = \"{on_failure}\"\n")
}

#[test]
fn other_members_continue_or_stop_after_a_failure() {
    let place = Place::with_input(&half_sound("continue"));
    let said = place.beadwork("run input.toml -o run --quiet").expect(3);
    said.complains(&["dynamics.timestep = 400 ps: the time step of 400 ps is too large"]);
    assert_eq!(said.stderr.matches("failed: ").count(), 2);
    let members = place.read("run/members.csv");
    let status =
        |number: usize| members.lines().nth(number + 1).unwrap().split(',').nth(4).unwrap();
    assert_eq!([0, 1, 2, 3].map(status), ["failed", "failed", "finished", "finished"]);
    // The sound members finish, and the answer is computed from them.
    assert!(place.path("run/unfolding.csv").exists());
    let summary = place.read("run/summary.txt");
    assert!(summary.contains("note: timestep = 400 ps: all 2 replica(s) failed\n"), "{summary}");
    assert_eq!(summary.matches(" replica(s) failed\n").count(), 1, "{summary}");

    let whole = place;
    let place = Place::with_input(&half_sound("stop"));
    let said = place.beadwork("run input.toml -o run --quiet --threads 1").expect(3);
    said.complains(&["stopped at the first failure, as [run] on_failure says"]);
    // The progress of the other members depends on the machine: those of a thread may run side by side.
    let members = place.read("run/members.csv");
    let status =
        |number: usize| members.lines().nth(number + 1).unwrap().split(',').nth(4).unwrap();
    let statuses = [0, 1, 2, 3].map(status);
    assert!(statuses[..2].contains(&"failed"), "{statuses:?}");
    assert!(statuses.iter().any(|word| ["stopped", "not begun"].contains(word)), "{statuses:?}");
    // A continued run may stop at the other failure; a further one then finishes the sound members.
    let mut starts = 0;
    loop {
        starts += 1;
        let said = place.beadwork("resume run --quiet --threads 1").expect(3);
        if !said.stderr.contains("stopped at the first failure") {
            break;
        }
        assert!(starts < 3, "{}", said.stderr);
    }
    let outputs = ["tables", "trajectories", "members.csv"];
    let [stopped, whole] =
        [&place, &whole].map(|place| crate::common::only(&place.results("run"), &outputs));
    crate::common::assert_same(&whole, &stopped);
}

#[test]
fn the_answer_names_points_without_averages() {
    let input =
        half_sound("continue").replace("stop = \"extension > 3.5 nm\"\nstop_every = 200\n", "");
    let (before, after) = input.split_once("drives = [").unwrap();
    let (_, after) = after.split_once("]\n").unwrap();
    let place = Place::with_input(&format!("{before}{after}").replace("80_000", "8_000"));
    let said = place.beadwork("run input.toml -o run --quiet").expect(3);
    let line = "timestep = 400 ps: no averages, since all 2 replica(s) failed before the last stage had rows\n";
    // The failure comes first.
    let mut lines = said.stdout.split_inclusive('\n');
    let first = lines.next().unwrap();
    assert!(first.starts_with("note: 2 replica(s) failed on the way"), "{}", said.stdout);
    assert_eq!(lines.next(), Some(line), "{}", said.stdout);
    assert!(!said.stdout.contains("400 ps:\n"), "{}", said.stdout);
    assert!(said.stdout.contains("\ntimestep = 20 ps:\nextension: "), "{}", said.stdout);
    assert!(place.read("run/summary.txt").starts_with(&format!("{first}{line}")));
}

#[test]
fn the_misprinted_friction_is_recognised() {
    // This friction is 12.4 times smaller than that of the published program: 4 k h/ξ = 1.59.
    let friction = "timestep = \"20 ps\"\nfriction = \"7.0e5 pN ps/nm\"";
    let place = Place::with_input(&PULL.replace("timestep = \"20 ps\"", friction));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    for part in [
        "4 k h/friction is 1.59",
        "7.0e5 pN ps/nm is the friction printed in the SOP-GPU paper of 2010",
        "8.685e6 pN ps/nm",
    ] {
        assert!(words.contains(part), "{words}");
    }
    // The friction of the published program raises no warning.
    let words = Place::with_input(PULL).beadwork("check input.toml").expect(0).stdout;
    assert!(!words.contains("time step of"), "{words}");
}

/// A file system in memory, unmounted when the test ends.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(place: &Place, size: &str) -> Option<SmallDisk> {
        let path = place.path("disk");
        fs::create_dir(&path).unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&path);
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(SmallDisk(path));
        }
        println!("skipped: cannot mount a tmpfs");
        None
    }

    fn enlarge(&self, size: &str) {
        let mut mount = std::process::Command::new("mount");
        mount.args(["-o", &format!("remount,size={size}")]).arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_run_continues_after_a_full_disk() {
    // Each member writes some 60 kB of tables.
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    let whole = place.results("whole");
    let Some(disk) = SmallDisk::mount(&place, "128k") else { return };
    let said = place.beadwork("run input.toml -o disk/run --quiet").expect(4);
    said.complains(&["The disk is full", "disk/run/", "Free some space", "io/disk-full"]);
    // The disk is still full: the same error, and nothing is lost.
    place.beadwork("resume disk/run --quiet").expect(4);
    disk.enlarge("16m");
    place.beadwork("resume disk/run --quiet").expect(0);
    crate::common::assert_same(&whole, &place.results("disk/run"));
}

#[test]
fn a_disk_with_too_little_room_is_warned_of() {
    // A row a step for half an hour of simulated time: some petabytes.
    let input = PULL.replace("every_steps = 200 }", "every_steps = 1 }");
    let place = Place::with_input(&input.replace("80_000", "100_000_000_000_000"));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    let warning = words.lines().find(|line| line.contains("the run will write about ")).unwrap();
    assert!(warning.starts_with("Warning      "), "{words}");
    assert!(warning.contains(" MB, and the disk of runs/input has room for "), "{words}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let number = |name: &str| json["output"][name].as_f64().unwrap();
    assert!(number("estimated_bytes") > number("free_bytes") && number("free_bytes") > 0.0);
    let warnings = json["warnings"].as_array().unwrap();
    // Other programs may have changed the free space between the two commands.
    let head = warning.split_once(" has room for ").unwrap().0;
    let is_same = |said: &str| {
        said.split_once(" has room for ").is_some_and(|(start, _)| head.ends_with(start))
    };
    assert!(warnings.iter().any(|said| is_same(said.as_str().unwrap())), "{json}");
    place
        .beadwork("run input.toml -o elsewhere/run --quiet --max-time 0s")
        .expect(5)
        .complains(&["warning: the run will write about ", "the disk of elsewhere/run has room"]);
    // For 80 000 steps the space is enough.
    let words = place.beadwork("check input.toml --set pull.steps=80_000").expect(0).stdout;
    assert!(!words.contains("the run will write"), "{words}");
}

#[test]
fn a_run_starts_again_after_a_full_disk() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    for size in ["4k", "16k", "32k", "48k"] {
        let Some(disk) = SmallDisk::mount(&place, size) else { return };
        let said = place.beadwork("run input.toml -o disk/run --continue --quiet").expect(4);
        assert!(said.stderr.to_lowercase().contains("disk is full"), "{size}: {}", said.stderr);
        disk.enlarge("16m");
        place.beadwork("run input.toml -o disk/run --continue --quiet").expect(0);
        crate::common::assert_same(&place.results("whole"), &place.results("disk/run"));
        drop(disk);
        fs::remove_dir(place.path("disk")).unwrap();
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::with_input(PULL);
    for arguments in ["check input.toml", "check input.toml --json", "new sop", "doctor", "--help"]
    {
        let mut command = place.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.is_empty(), "{arguments}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
    }
    // The same in a shell's pipeline, as users write it.
    let line =
        format!("set -o pipefail; {} check input.toml | head -n 1", env!("CARGO_BIN_EXE_beadwork"));
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &line]).current_dir(place.path(""));
    let said = said(&mut shell).expect(0);
    assert!(said.stdout.starts_with("System       16 beads"), "{}", said.stdout);
    assert!(said.stderr.is_empty(), "{}", said.stderr);
}

#[test]
fn a_missing_table_is_reported() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    fs::remove_file(place.path("run/tables/member-0001.csv")).unwrap();
    for command in ["plot run", "resume run --quiet"] {
        place.beadwork(command).expect(2).complains(&["member-0001.csv is gone", "missing-output"]);
    }
}

#[test]
fn a_missing_folder_of_plots_is_made_again() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    let whole = place.results("run");
    for command in ["resume run --quiet", "plot run"] {
        fs::remove_dir_all(place.path("run/plots")).unwrap();
        place.beadwork(command).expect(0);
        assert_same(&whole, &place.results("run"));
    }
}

#[test]
fn refuses_to_compare_a_folder_with_itself() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    place.beadwork("plot run run").expect(2).complains(&["run is there twice"]);
    // Folders with the same name are told apart by their paths.
    fs::create_dir(place.path("other")).unwrap();
    place.beadwork("run input.toml -o other/run --quiet --set pull.steps=400").expect(0);
    let words = place.beadwork("plot run other/run").expect(0).stdout;
    assert!(words.contains("\nother/run: ") && words.starts_with("run: "), "{words}");
}

#[test]
fn time_limits_beyond_the_clock_are_ignored() {
    let place = Place::with_input(PULL);
    let arguments =
        ["run", "input.toml", "-q", "--max-time", "500000000000years", "--set", "pull.steps=400"];
    place.beadwork_of(&arguments).expect(0);
}

#[test]
fn folder_names_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::with_input(PULL);
    let name = OsStr::from_bytes(b"run-\xff");
    let mut command = place.command("run input.toml -q --set pull.steps=400 -o");
    said(command.arg(name)).expect(0);
    assert!(place.path("").join(name).join("summary.txt").exists());
}

#[test]
fn a_structure_far_from_the_origin_runs() {
    let place = Place::with_input(&PULL.replace("helix.pdb", "far.cif"));
    let mut text = String::from("data_far\nloop_\n");
    for column in [
        "group_PDB",
        "type_symbol",
        "label_atom_id",
        "label_comp_id",
        "label_asym_id",
        "label_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
    ] {
        text += &format!("_atom_site.{column}\n");
    }
    for residue in 1..=16 {
        text += &format!(
            "ATOM C CA ALA A {residue} {:.3} {} 0.0\n",
            3.0 * f64::from(residue) - 5000.0,
            2 * (residue % 2)
        );
    }
    place.write("far.cif", &text);
    place.beadwork("run input.toml -o run -q --set pull.steps=400").expect(0);
}

/// Some programs write TER at gaps in residue numbers (as in chymotrypsin); a bonded backbone continues there.
#[test]
fn ter_within_a_backbone_is_ignored_and_reported() {
    let place = Place::with_input(PULL);
    let run = |name: &str| {
        let run = format!("run input.toml -o {name} -q --set pull.steps=400");
        place.beadwork(&run).expect(0)
    };
    let bonds = || {
        let checked = place.beadwork("check input.toml --json").expect(0);
        let checked = json_of(&checked.stdout);
        (checked["counts"]["bonds"].clone(), checked["warnings"].to_string())
    };
    run("whole");
    let lines: Vec<&str> = HELIX.lines().filter(|line| line.starts_with("ATOM")).collect();
    place.write("helix.pdb", &[&lines[..8], &["TER"], &lines[8..]].concat().join("\n"));
    let told = "chain A, residue 8 ALA and chain A, residue 9 ALA (CA-CA 3.8 A)";
    let (count, warnings) = bonds();
    assert_eq!(count, 15);
    assert!(warnings.contains("TER is ignored") && warnings.contains(told), "{warnings}");
    run("parted").complains(&["warning: helix.pdb: TER is ignored", told]);
    assert!(place.read("parted/log.txt").contains(told));
    for file in ["tables/member-0000.csv", "topology.psf", "resolved.toml"] {
        assert_eq!(place.read(&format!("whole/{file}")), place.read(&format!("parted/{file}")));
    }
    // The rest of the chain is moved by 0.8 A along the helix.
    let moved = lines[8..].iter().map(|line| {
        let z: f64 = line[46..54].trim().parse().unwrap();
        format!("{}{:8.3}{}", &line[..46], z + 0.8, &line[54..])
    });
    let moved: Vec<String> = moved.collect();
    place.write("helix.pdb", &[&lines[..8].join("\n"), "TER", &moved.join("\n")].join("\n"));
    let (count, warnings) = bonds();
    assert_eq!(count, 14);
    assert!(
        warnings.contains("TER ends a chain") && warnings.contains("residue 9 ALA"),
        "{warnings}"
    );
}
