//! A machine that refuses to start threads: the program says so and ends with 4; it neither panics nor waits for ever.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::Place;

const INPUT: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [6, 6, 6]
build = { molecule = "A", count = 12 }
pairs = [ { kind = "lennard-jones", depth = 1.0, diameter = 1.0, cutoff = 2.5 } ]

[dynamics]
integrator = "langevin"
temperature = 1.0
collision_rate = 0.5
timestep = 0.005

[[stage]]
name = "minimise"
minimise = { tolerance = 10.0, steps = 50 }

[[stage]]
name = "sample"
steps = 200
"#;

/// A user without processes of its own; it needs no account.
const LONE_USER: &str = "--reuid=54321";

/// The program as a user who may have `threads` threads in all; `None` where that cannot be had.
fn limited(place: &Place, threads: usize, arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let mut command = Command::new("timeout");
    command.args(["60", "setpriv", LONE_USER, "--regid=54321", "--clear-groups"]);
    command.args(["prlimit", &format!("--nproc={threads}"), env!("CARGO_BIN_EXE_beadwork")]);
    let output = command.args(arguments).current_dir(place.path(".")).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Some((output.status.code(), said))
}

#[test]
fn threads_that_cannot_start_are_an_error_of_the_machine() {
    let place = Place::with_input(INPUT);
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(place.path("input.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    match limited(&place, 64, &["completions", "bash"]) {
        Some((Some(0), _)) => {}
        other => {
            eprintln!("skipped: the program cannot be run as another user ({other:?})");
            return;
        }
    }
    let mut ended = Vec::new();
    for threads in 1..=7 {
        let folder = format!("run-{threads}");
        let run = ["run", "input.toml", "-o", &folder, "--threads", "2", "--device", "cpu"];
        let (code, said) = limited(&place, threads, &run).unwrap();
        match code {
            Some(0) => {}
            // 124 is a program that waited for ever.
            code => {
                assert_eq!(code, Some(4), "{threads} threads: {said}");
                assert!(said.contains("cannot be started"), "{said}");
                assert!(said.contains("--threads"), "{said}");
            }
        }
        ended.push(code);
    }
    // One thread is too few for any run, and seven are enough for this one.
    assert_eq!((ended[0], ended[6]), (Some(4), Some(0)), "{ended:?}");
    for command in ["check input.toml", "plot run-7", "resume run-7", "extend run-7 --steps 9"] {
        let words: Vec<&str> = command.split(' ').collect();
        let (code, said) = limited(&place, 1, &words).unwrap();
        assert_eq!(code, Some(4), "{command}: {said}");
        assert!(said.contains("cannot be started"), "{command}: {said}");
    }
}
