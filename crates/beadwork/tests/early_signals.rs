//! Signals before a command has done its work: each ends it at once with a sentence, and no half of a run stays.
//!
//! The tests wait until the program has its handlers, and hold it up by outputs that nothing reads, so that they do not depend on
//! the speed of the machine.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Dice, PULL, Place, ended, json_of, signal, wait_until};
use beadwork_testing::few_or_many;

/// A run of which a warning is said before its folder is made.
fn warned() -> Place {
    let file = "structure = \"helix.pdb\"\n";
    let energy = "contacts = { energy = \"150 kcal/mol\" }\n";
    Place::with_input(&PULL.replacen(file, &format!("{file}{energy}"), 1))
}

/// A run that no machine brings to its end.
fn endless() -> Place {
    let input = PULL
        .replace("steps = 80_000", "steps = 2_000_000_000")
        .replace("stop = \"extension > 3.5 nm\"\nstop_every = 200\n", "")
        .replace("2000 um/s", "0.0001 um/s")
        .replace("trajectory = { every_steps = 1000, format = \"xtc\" }\n", "");
    Place::with_input(&input)
}

/// An output that takes nothing, as long as the first value exists.
fn full() -> (UnixStream, Stdio) {
    let (reader, mut writer) = UnixStream::pair().unwrap();
    writer.set_nonblocking(true).unwrap();
    while writer.write(&[b' '; 4096]).is_ok() {}
    writer.set_nonblocking(false).unwrap();
    (reader, Stdio::from(OwnedFd::from(writer)))
}

/// Waits until a process catches SIGINT and SIGTERM, and sends one of them.
fn interrupt(child: &Child, name: &str) {
    const BOTH: u64 = (1 << (2 - 1)) | (1 << (15 - 1));
    wait_until("handlers of signals", || {
        let caught = signals_of(&child.id().to_string(), "SigCgt:");
        caught.is_some_and(|caught| caught & BOTH == BOTH)
    });
    signal(child, name);
}

/// The signals of a process that a line of its status names, a bit each, signal 1 first.
fn signals_of(process: &str, line: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let digits = status.lines().find_map(|other| other.strip_prefix(line))?;
    u64::from_str_radix(digits.trim(), 16).ok()
}

/// The names of temporary files in a folder and below it.
fn half_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(half_files(&entry.path()));
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".partial") {
            found.push(name);
        }
    }
    found
}

#[test]
fn commands_that_keep_nothing_say_that_they_were_interrupted() {
    let place = warned();
    for (command, name) in [("check input.toml", "TERM"), ("schema", "INT")] {
        let (_reader, stdout) = full();
        let mut command = place.command(command);
        let child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        interrupt(&child, name);
        ended(child).expect(130).complains(&["interrupted; no file is half written"]);
    }
}

#[test]
fn a_run_that_has_no_folder_makes_none() {
    let place = warned();
    for (options, name) in [("", "INT"), (" --json", "TERM")] {
        let (_reader, stderr) = full();
        let mut command = place.command(&format!("run input.toml -o run{options}"));
        let child = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        interrupt(&child, name);
        let said = ended(child).expect(130);
        assert!(!place.path("run").exists());
        if !options.is_empty() {
            let error = &json_of(&said.stdout)["error"];
            assert_eq!(error["code"], "program/interrupted");
            assert_eq!(error["exit"], 130);
        }
    }
}

/// Wherever the signal comes, either nothing has begun, or there is a run that goes on.
#[test]
fn a_run_ends_by_its_first_signal_wherever_it_is() {
    let place = endless();
    let mut dice = Dice(7);
    for attempt in 0..few_or_many(8, 40) {
        let run = format!("run-{attempt}");
        let child = place.start(&format!("run input.toml -o {run}"));
        // Some signals come at once, others on the way to the steps or in them.
        if attempt % 2 == 1 {
            std::thread::sleep(dice.below(Duration::from_millis(80)));
        }
        interrupt(&child, if attempt % 4 < 2 { "TERM" } else { "INT" });
        let said = ended(child).expect(130);
        let has = |file: &str| place.path(&format!("{run}/{file}")).exists();
        let is_early = said.stderr.contains("the same command can be given again");
        assert!(is_early || said.stderr.contains("checkpoints are written"), "{said:?}");
        assert_eq!(has("run.json"), !is_early, "{said:?}");
        assert!(!has(".beadwork-unfinished"), "{said:?}");
        assert_eq!(half_files(&place.path(&run)), Vec::<String>::new());
        let again = match is_early {
            true => format!("run input.toml -o {run}"),
            false => format!("resume {run}"),
        };
        place.beadwork(&format!("{again} --quiet --max-time 0s")).expect(5);
    }
}

#[test]
fn resume_ends_by_its_first_signal() {
    let place = endless();
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    for name in ["TERM", "INT"] {
        let child = place.start("resume run");
        interrupt(&child, name);
        let said = ended(child).expect(130);
        // The second is said before the arguments are understood.
        let goes_on = ["goes on with it", "can be given again", "checkpoints are written"];
        assert!(goes_on.iter().any(|words| said.stderr.contains(words)), "{said:?}");
    }
    place.beadwork("resume run --quiet --max-time 0s").expect(5);
}

/// Before the change a signal ends `extend`, which then has changed nothing; after it the command ends as if none had come.
#[test]
fn an_interrupted_extension_is_made_whole_or_not_at_all() {
    let place = endless();
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    let mut dice = Dice(11);
    for attempt in 0..few_or_many(8, 40) {
        let before = place.read("run/resolved.toml");
        // Its last words have no reader until the signal has come.
        let (mut reader, stdout) = full();
        let mut command = place.command("extend run --steps 1_000");
        let child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        match attempt {
            // The note in the log follows the change.
            0 => wait_until("a longer run", || {
                let log = fs::read_to_string(place.path("run/log.txt"));
                log.is_ok_and(|log| log.contains("lengthened"))
            }),
            _ => std::thread::sleep(dice.below(Duration::from_millis(20))),
        }
        interrupt(&child, if attempt % 2 == 0 { "TERM" } else { "INT" });
        if attempt == 0 {
            // More than a signal takes to end the program.
            std::thread::sleep(Duration::from_millis(500));
        }
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let said = ended(child);
        let is_longer = place.read("run/resolved.toml") != before;
        assert!(is_longer || attempt > 0, "{said:?}");
        assert_eq!(said.code, Some(if is_longer { 0 } else { 130 }), "{said:?}");
        assert_eq!(text.contains("lengthened"), is_longer, "{text}");
        let is_advised = said.stderr.contains("the same command can be given again");
        assert_eq!(is_advised, !is_longer, "{said:?}");
        assert_eq!(half_files(&place.path("run")), Vec::<String>::new());
    }
}

/// A terminal that closes leaves checkpoints; under `nohup`, which ignores its signal, the run goes on.
#[test]
fn a_hang_up_stops_a_run_that_does_not_ignore_it() {
    let place = endless();
    let run = |name: &str, ignoring: &str| {
        let command = place.command(&format!("run input.toml -o {name} --quiet"));
        // The shell gives its way with the signal to the program.
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{ignoring} exec \"$0\" \"$@\"")]);
        shell.arg(command.get_program()).args(command.get_args());
        shell.current_dir(place.path("."));
        for (name, value) in command.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        let outputs = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = outputs.spawn().unwrap();
        wait_until("a run", || place.path(&format!("{name}/run.json")).exists());
        interrupt(&child, "HUP");
        child
    };
    // No shell can undo that its parent ignores a signal, as under `nohup`.
    if ignores_hang_up() {
        println!("half skipped: SIGHUP is ignored here");
    } else {
        let stopped = ended(run("stopped", "")).expect(130);
        assert!(stopped.stderr.contains("checkpoints are written"), "{stopped:?}");
        place.beadwork("resume stopped --quiet --max-time 0s").expect(5);
    }
    let mut going_on = run("going-on", "trap '' HUP;");
    std::thread::sleep(Duration::from_millis(500));
    assert!(going_on.try_wait().unwrap().is_none());
    signal(&going_on, "TERM");
    ended(going_on).expect(130);
}

fn ignores_hang_up() -> bool {
    signals_of("self", "SigIgn:").is_some_and(|ignored| ignored & 1 == 1)
}
