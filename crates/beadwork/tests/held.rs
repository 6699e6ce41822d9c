//! What a run folder holds is held to: its input, its record, its checkpoints; links are not followed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{
    LADDERS, PULL, Place, assert_same, earlier_record, has_checkpoint, json_of, only, wait_until,
};

const COMMANDS: [&str; 4] = [
    "resume run --quiet",
    "run input.toml -o run --continue --quiet",
    "extend run --steps 400",
    "plot run",
];

/// A run that was stopped before its first checkpoint, and one that is finished: no changed file is taken for that of the
/// run.
#[test]
fn changed_inputs_and_records_are_refused_by_name() {
    let place = Place::with_input(PULL);
    for arguments in ["--max-time 0s", "--set pull.steps=400"] {
        let _ = fs::remove_dir_all(place.path("run"));
        place.beadwork(&format!("run input.toml -o run --quiet {arguments}"));
        let whole = place.results("run");
        let record = place.read("run/run.json");
        for (name, old, new) in [
            ("resolved.toml", "seed = 20101", "seed = 4242"),
            ("resolved.toml", "timestep = \"20 ps\"", "timestep = \"19 ps\""),
            ("resolved.toml", "folder = ", "folder  = "),
            ("inputs/helix.pdb", "1.00", "1.10"),
            ("input.toml", "2000 um/s", "3000 um/s"),
            ("run.json", "\"seed\": 20101", "\"seed\": 4242"),
            ("run.json", "\"members\": 3", "\"members\": 2"),
            ("run.json", "\"single\"", "\"double\""),
            ("run.json", "\"host\"", "\"hort\""),
            ("run.json", "\"checksum\"", "\"chacksum\""),
            ("run.json", "\n}\n", "\n}"),
        ] {
            let path = format!("run/{name}");
            let text = place.read(&path);
            assert!(text.contains(old), "{name} has no {old}");
            place.write(&path, &text.replacen(old, new, 1));
            for command in COMMANDS {
                let said = place.beadwork(command).expect(2);
                said.complains(&[name, "run/"]);
                let code = if name == "run.json" { "run/record" } else { "run/changed-file" };
                said.complains(&[code]);
            }
            place.write(&path, &text);
        }
        for name in ["resolved.toml", "inputs/helix.pdb", "input.toml"] {
            let path = place.path("run").join(name);
            let bytes = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            place.beadwork("resume run").expect(2).complains(&[name]);
            fs::write(&path, bytes).unwrap();
        }
        assert_eq!(place.read("run/run.json"), record);
        assert_same(&whole, &place.results("run"));
    }
    // Topologies are for viewers and follow from the input.
    let whole = place.results("run");
    fs::remove_file(place.path("run/topology.psf")).unwrap();
    place.write("run/topology.pdb", "END\n");
    place.beadwork("resume run --quiet").expect(0);
    assert_same(&whole, &place.results("run"));
}

/// Runs of versions before there were digests: the fingerprint decides, and what it can tell.
#[test]
fn earlier_runs_are_held_to_their_fingerprint() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    let record = place.read("run/run.json");
    place.write("run/run.json", &earlier_record(&record, &[]));
    place.beadwork("plot run").expect(0);
    place.beadwork("resume run --quiet").expect(0);
    let resolved = place.read("run/resolved.toml");
    place.write("run/resolved.toml", &resolved.replace("\"20 ps\"", "\"19 ps\""));
    for command in ["plot run", "resume run"] {
        place.beadwork(command).expect(2).complains(&["their fingerprints differ", "run/record"]);
    }
    place.write("run/resolved.toml", &resolved);
    place.write("run/run.json", &earlier_record(&record, &[("\"seed\": 20101", "\"seed\": 1")]));
    place.beadwork("plot run").expect(2).complains(&["its seed is 1"]);
}

/// Without its checkpoint a member would begin anew and lose its rows: that is asked for, or refused.
#[test]
fn members_without_their_checkpoint_are_named() {
    for (input, lost, what) in
        [(PULL, "member-0001.ckpt", "replica 1 ("), (LADDERS, "member-0004.ckpt", "replica 4 (")]
    {
        let place = Place::with_input(input);
        place.beadwork("run input.toml -o run --quiet").expect(0);
        let whole = place.results("run");
        let path = place.path("run/checkpoints").join(lost);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let rows = place.read("run/tables/member-0001.csv").lines().count() - 1;
        for command in &COMMANDS[..2] {
            let said = place.beadwork(command).expect(2);
            said.complains(&["run/lost-checkpoints", what, "resume run --from-start"]);
            if input == PULL {
                said.complains(&[&format!("drop {rows} rows and ")]);
            }
        }
        let longer =
            if input == PULL { "extend run --steps 400" } else { "extend run --sweeps 20" };
        place.beadwork(longer).expect(2).complains(&["run/lost-checkpoints"]);
        assert!(place.beadwork("plot run").expect(0).stdout.contains("note: "));
        // Nothing was touched: with the checkpoint all is as before.
        fs::write(&path, bytes).unwrap();
        place.beadwork("resume run --quiet").expect(0);
        assert_same(&whole, &place.results("run"));
        fs::remove_file(&path).unwrap();
        place.beadwork("resume run --quiet --from-start").expect(0);
        assert_same(&whole, &place.results("run"));
        fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
        place.beadwork("resume run").expect(2).complains(&["run/lost-checkpoints"]);
        fs::create_dir(place.path("run/checkpoints")).unwrap();
        place.beadwork("run input.toml -o run --continue --from-start --quiet").expect(0);
        assert_same(&whole, &place.results("run"));
    }
    Place::with_input(PULL).beadwork("run input.toml --from-start").expect(2);
}

/// A kill before the first checkpoint is not a lost checkpoint: the run goes on by itself, from the beginning.
#[test]
fn a_kill_before_the_first_checkpoint_loses_nothing() {
    let input = PULL.replace("checkpoint = \"0.01 s\"", "checkpoint = \"60 s\"");
    let place = Place::with_input(&input.replace("2000 um/s", "20 um/s"));
    let mut child = place.start("run input.toml -o run --threads 1");
    let table = place.path("run/tables/member-0000.csv");
    wait_until("rows", || fs::read_to_string(&table).is_ok_and(|text| text.lines().count() > 3));
    child.kill().unwrap();
    child.wait().unwrap();
    let checkpoint = place.path("run/checkpoints/member-0000.ckpt");
    assert!(checkpoint.exists() && !has_checkpoint(&checkpoint));
    place.beadwork("resume run --quiet --max-time 0s").expect(5);
    // Emptied by a power cut or a person, it is no checkpoint that was awaited.
    fs::write(&checkpoint, "").unwrap();
    place.beadwork("resume run").expect(2).complains(&["io/checkpoint-truncated"]);
    fs::remove_file(&checkpoint).unwrap();
    place.beadwork("resume run").expect(2).complains(&["run/lost-checkpoints", "replica 0 ("]);
}

/// The case: a sub-folder that is a link, and a list of files that names what lies behind it.
#[test]
fn nothing_behind_a_link_is_removed() {
    let place = Place::with_input(PULL);
    fs::create_dir(place.path("sy")).unwrap();
    fs::create_dir(place.path("victim")).unwrap();
    place.write("victim/thesis.tex", "precious");
    symlink("../victim", place.path("sy/inputs")).unwrap();
    place.write("sy/.beadwork-unfinished", "inputs\0inputs/thesis.tex");
    place
        .beadwork("run input.toml -o sy --continue -q")
        .expect(2)
        .complains(&["io/link", "inputs"]);
    assert_eq!(place.read("victim/thesis.tex"), "precious");
}

/// Files and sub-folders of a run that were replaced by links: what they point to stays as it is.
#[test]
fn nothing_behind_a_link_is_written() {
    let place = Place::with_input(PULL);
    let run = "run input.toml -o run --quiet --max-time 40ms --threads 1";
    place.beadwork(run);
    let stopped = place.results("run");
    for name in [
        "tables/member-0000.csv",
        "tables/member-0000-frames.csv",
        "trajectories/member-0000.xtc",
        "checkpoints/member-0000.ckpt",
        "inputs/helix.pdb",
        "resolved.toml",
        "run.json",
        "log.txt",
        "lock",
        "plots",
        "tables",
        "final",
    ] {
        let path = place.path("run").join(name);
        let kept = place.path("kept");
        if !path.exists() {
            continue;
        }
        fs::rename(&path, &kept).unwrap();
        let before = if kept.is_file() { fs::read(&kept).unwrap() } else { Vec::new() };
        symlink(&kept, &path).unwrap();
        place.beadwork("resume run --quiet").expect(2).complains(&["io/link", name]);
        if kept.is_file() {
            assert_eq!(fs::read(&kept).unwrap(), before, "{name}");
        }
        fs::remove_file(&path).unwrap();
        fs::rename(&kept, &path).unwrap();
    }
    assert_same(&stopped, &place.results("run"));
    // The whole folder may lie elsewhere, behind a link.
    fs::rename(place.path("run"), place.path("elsewhere")).unwrap();
    symlink("elsewhere", place.path("run")).unwrap();
    place.beadwork("resume run --quiet").expect(0);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    assert_same(&place.results("whole"), &place.results("elsewhere"));
}

/// `run.json` says where, when and how.
#[test]
fn the_record_says_how_a_run_ended() {
    let place = Place::with_input(PULL);
    let record = |run: &str| json_of(&place.read(&format!("{run}/run.json")));
    place.beadwork("run input.toml -o run --quiet --max-time 0s --threads 2").expect(5);
    let first = record("run");
    assert_eq!(first["threads"], 2);
    let lists_processor =
        fs::read_to_string("/proc/cpuinfo").is_ok_and(|list| list.contains("model name"));
    assert_eq!(first["processor"].is_string(), lists_processor);
    assert_eq!((&first["ending"], &first["sessions"]), (&"time-limit".into(), &1.into()));
    assert!(!first["host"].as_str().unwrap().is_empty());
    assert!(first["started"].as_str().unwrap() <= first["ended"].as_str().unwrap());
    place.beadwork("resume run --quiet").expect(0);
    let second = record("run");
    assert_eq!((&second["ending"], &second["sessions"]), (&"finished".into(), &2.into()));
    assert_eq!(second["started"], first["started"]);
    let seconds = |record: &serde_json::Value| record["seconds"].as_f64().unwrap();
    assert!(seconds(&second) > seconds(&first) && seconds(&first) >= 0.0, "{second}");
    // Nothing is stepped: the record stays.
    let text = place.read("run/run.json");
    place.beadwork("resume run --quiet").expect(0);
    assert_eq!(place.read("run/run.json"), text);
    place.beadwork("extend run --steps 400").expect(2);
    assert_eq!(place.read("run/run.json"), text);

    let failing = PULL.replace("\"20 ps\"", "\"400 ps\"");
    place.write("failing.toml", &failing);
    place.beadwork("run failing.toml -o failing --quiet").expect(3);
    let failed = record("failing");
    assert_eq!((&failed["ending"], &failed["failed_members"]), (&"finished".into(), &3.into()));
    place.write("failing.toml", &(failing + "\n[run]\non_failure = \"stop\"\n"));
    place.beadwork("run failing.toml -o stopped --quiet --threads 1").expect(3);
    assert!(["failure", "finished"].contains(&record("stopped")["ending"].as_str().unwrap()));
    assert!(!only(&place.results("stopped"), &["run.json"]).is_empty());
}
