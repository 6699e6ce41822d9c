//! Kills at random moments lose nothing: the outputs of the continued run equal those of an uninterrupted run to the
//! byte.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::process::Child;
use std::time::Duration;

use crate::common::{
    Dice, PRESS, PULL, Place, assert_same, ended, has_checkpoint, json_of, kill, signal, time_of,
    wait_until,
};
use beadwork_testing::few_or_many;
use serde_json::json;

/// A fluid with a frame of each step.
const FRAMES: &str = r#"
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
name = "sample"
steps = 4_000

[output]
table = { every_steps = 1_000 }
trajectory = { every_steps = 1, format = "dcd" }
"#;

/// Kills `run --continue` until `kills` kills met a living process, at least one of them between its first checkpoint
/// and its end. Compares each run that ended, the last one included, with the uninterrupted one, `whole` in the folder that
/// is returned.
fn survives(input: &str, kills: usize, seed: u64) -> Place {
    let place = Place::with_input(input);
    let time = time_of(|| {
        place.beadwork("run input.toml -o whole --threads 2 --quiet").expect(0);
    });
    let whole = place.results("whole");
    let mut dice = Dice(seed);
    let (mut made, mut on_the_way, mut folders) = (0, 0, 0);
    // Runs whose last start continued from a checkpoint.
    let mut gone_on_with = 0;
    let mut compare = |run: &str| {
        assert_same(&whole, &place.results(run));
        let steps = |run| steps_of_the_last_start(&place, run);
        gone_on_with += u32::from(steps(run) < steps("whole"));
    };
    while made < kills || on_the_way == 0 {
        assert!(made < 100 * kills, "none of {made} kills came on the way");
        let run = format!("killed-{folders}");
        let child = place.start(&format!("run input.toml -o {run} --continue --threads 2"));
        // A fraction of the whole run, so that each run is killed several times.
        std::thread::sleep(dice.below(time / 3));
        if kill(child) {
            made += 1;
            let has = |name: &str| place.path(&format!("{run}/{name}")).exists();
            let checkpoint = place.path(&format!("{run}/checkpoints/member-0000.ckpt"));
            on_the_way += u32::from(has_checkpoint(&checkpoint) && !has("members.csv"));
        } else {
            compare(&run);
            folders += 1;
        }
    }
    let last = format!("killed-{folders}");
    place.beadwork(&format!("run input.toml -o {last} --continue --threads 2")).expect(0);
    compare(&last);
    assert!(gone_on_with > 0, "every start began anew");
    println!("{made} kills over {} run(s), {on_the_way} of them on the way", folders + 1);
    place
}

/// Reads the steps from the log: "… finished: 1 234 steps in 0.1 s, …".
fn steps_of_the_last_start(place: &Place, run: &str) -> u64 {
    let log = place.read(&format!("{run}/log.txt"));
    let line = log.lines().rfind(|line| line.contains(" finished: ")).unwrap();
    let words = line.split(" finished: ").nth(1).unwrap().split(" steps in").next().unwrap();
    words.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn kills_lose_nothing() {
    let kills = few_or_many(5, 25);
    let input = PULL
        .replace("steps = 10_000", "steps = 40_000")
        .replace("2000 um/s", "600 um/s")
        .replace("steps = 80_000", "steps = 250_000");
    survives(&input, kills, 1);
    let input = input.replace("\"xtc\"", "\"dcd\"").replace(
        "[ensemble]",
        "[random]\ngenerator = \"hybrid-taus\"\naccept_flaws = true\n\n[ensemble]",
    );
    survives(&input, kills, 2);
    // This generator keeps one sequence for all beads.
    let input = input.replace("hybrid-taus", "lagged-fibonacci");
    survives(&input, few_or_many(3, 10), 3);
}

/// Checkpoints hold tip, base and what has pushed the tip since its last move, beside the states of a generator.
#[test]
fn kills_under_a_tip_lose_nothing() {
    let place = survives(PRESS, few_or_many(4, 15), 5);
    let table = place.table("whole", 0);
    let largest = |name: &str| table.numbers(name).into_iter().fold(0.0, f64::max);
    let (force, way) = (largest("tip_force_pN"), largest("base_travel_nm"));
    assert!(force > 5.0 && way > 0.9, "{force} pN on the tip, whose base goes {way} nm");
    let input = PRESS.replace(
        "[ensemble]",
        "[random]\ngenerator = \"hybrid-taus\"\naccept_flaws = true\n\n[ensemble]",
    );
    survives(&input, few_or_many(3, 10), 6);
}

#[test]
fn kills_while_the_folder_is_made() {
    let input = PULL.replace("steps = 10_000", "steps = 200").replace("80_000", "200");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    let whole = place.results("whole");
    // With no time to run, the command does little else than make the folder.
    let time = time_of(|| {
        place.beadwork("run input.toml -o made --quiet --max-time 0s").expect(5);
    });
    let mut dice = Dice(3);
    let (mut made, mut unfinished) = (0, 0);
    let mut attempt = 0;
    while made < few_or_many(5, 15) || unfinished < few_or_many(1, 3) {
        attempt += 1;
        assert!(attempt < 200, "only {unfinished} of {made} kills came while the folder was made");
        let folder = format!("early-{attempt}");
        let run = format!("run input.toml -o {folder} --continue --quiet");
        // Several kills in a row, so that some come while an unfinished folder is cleared.
        for _ in 0..4 {
            let child = place.start(&run);
            std::thread::sleep(dice.below(time));
            made += usize::from(kill(child));
            let mark = place.path(&format!("{folder}/.beadwork-unfinished"));
            unfinished += u32::from(mark.exists());
        }
        place.beadwork(&run).expect(0);
        assert_same(&whole, &place.results(&folder));
    }
}

#[test]
fn kills_while_plots_are_drawn() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let whole = place.results("run");
    // A half-written figure of a killed process.
    place.write("run/plots/force-extension.png.4711.partial", "half a picture");
    place.beadwork("resume run --quiet").expect(0);
    assert_same(&whole, &place.results("run"));
    let plots = || std::fs::read_dir(place.path("run/plots")).map_or(0, Iterator::count);
    let all = plots();
    let time = time_of(|| {
        place.beadwork("resume run --quiet").expect(0);
    });
    let mut dice = Dice(4);
    let (mut made, mut in_between) = (0, 0);
    while made < few_or_many(4, 8) || in_between < few_or_many(1, 2) {
        assert!(made < 400, "only {in_between} of {made} kills came between two plots");
        // Every other time the figures are removed; otherwise they are drawn over.
        if made % 2 == 0 && place.path("run/plots").exists() {
            std::fs::remove_dir_all(place.path("run/plots")).unwrap();
        }
        let child = place.start("resume run --quiet");
        std::thread::sleep(dice.below(time));
        kill(child);
        made += 1;
        in_between += u32::from(made % 2 == 1 && (1..all).contains(&plots()));
    }
    place.beadwork("resume run --quiet").expect(0);
    assert_same(&whole, &place.results("run"));
}

#[test]
fn a_half_cleared_folder_is_cleared_again() {
    let place = Place::with_input(PULL);
    std::fs::create_dir_all(place.path("half/inputs")).unwrap();
    std::fs::create_dir_all(place.path("half/tables")).unwrap();
    place.write("half/.beadwork-unfinished", "input.toml\0inputs/helix.pdb\0run.json");
    place.write("half/run.json", "{}");
    place.write("half/inputs/helix.pdb", "half of a st");
    // Without --continue nothing in the folder changes.
    place.beadwork("run input.toml -o half").expect(2).complains(&["exists and is not empty"]);
    place.beadwork("resume half").expect(2).complains(&["not the folder of a run"]);
    assert_eq!(place.read("half/inputs/helix.pdb"), "half of a st");
    place.beadwork("run input.toml -o half --continue --quiet").expect(0);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    assert_same(&place.results("whole"), &place.results("half"));
}

#[test]
fn a_folder_that_another_process_makes_is_not_cleared() {
    let place = Place::with_input(PULL);
    std::fs::create_dir(place.path("busy")).unwrap();
    place.write("busy/.beadwork-unfinished", "");
    let lock = std::fs::File::create(place.path("busy/lock")).unwrap();
    lock.lock().unwrap();
    let said = place.beadwork("run input.toml -o busy --continue").expect(2);
    said.complains(&["Another beadwork process is working in busy"]);
    assert!(place.path("busy/.beadwork-unfinished").exists());
    drop(lock);
    place.beadwork("run input.toml -o busy --continue --quiet").expect(0);
}

/// Starts several processes at once and waits for all: the exit code and the messages of each.
fn together(place: &Place, count: usize, arguments: &str) -> Vec<(Option<i32>, String)> {
    let children: Vec<Child> = (0..count).map(|_| place.start(arguments)).collect();
    let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
    ended
        .map(|output| {
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let refused = stderr.contains("io/folder-busy") || stderr.contains("io/folder-exists");
            let code = output.status.code();
            assert!(code == Some(0) || code == Some(2) && refused, "{code:?}: {stderr}");
            (code, stderr)
        })
        .collect()
}

/// A very short run, and its files.
fn short_run() -> (Place, BTreeMap<String, Vec<u8>>) {
    let input = PULL.replace("steps = 10_000", "steps = 200").replace("80_000", "200");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    let whole = place.results("whole");
    (place, whole)
}

#[test]
fn one_of_several_processes_makes_the_run() {
    let (place, whole) = short_run();
    for attempt in 0..few_or_many(5, 15) {
        let run = format!("run input.toml -o shared-{attempt} --quiet");
        let ended = together(&place, 3, &run);
        let done = ended.iter().filter(|(code, _)| *code == Some(0)).count();
        assert_eq!(done, 1, "{ended:?}");
        assert_same(&whole, &place.results(&format!("shared-{attempt}")));
    }
}

/// With --continue, later processes find the run finished, or another process in its folder.
#[test]
fn several_processes_can_continue_the_same_run() {
    let (place, whole) = short_run();
    for attempt in 0..few_or_many(4, 10) {
        let folder = format!("shared-{attempt}");
        if attempt % 2 == 0 {
            // The folder of a killed process that had not completed it.
            std::fs::create_dir_all(place.path(&format!("{folder}/inputs"))).unwrap();
            let list = "input.toml\0resolved.toml\0inputs/helix.pdb\0run.json";
            place.write(&format!("{folder}/.beadwork-unfinished"), list);
            place.write(&format!("{folder}/inputs/helix.pdb"), "half of a st");
        }
        let ended = together(&place, 3, &format!("run input.toml -o {folder} --continue --quiet"));
        assert!(ended.iter().any(|(code, _)| *code == Some(0)), "{ended:?}");
        assert_same(&whole, &place.results(&folder));
    }
}

/// A limit on file sizes: the folder's first files can be written, its copies cannot.
#[test]
fn a_folder_that_cannot_be_filled_is_left_without_files() {
    let place = Place::with_input(PULL);
    let mut command = place.command("run input.toml -o run --quiet");
    let program = command.get_program().to_string_lossy().into_owned();
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec {program} run input.toml -o run");
    command = std::process::Command::new("sh");
    command.args(["-c", &limited]).current_dir(place.path(""));
    command.env("NO_COLOR", "1").env("CUDA_VISIBLE_DEVICES", "");
    crate::common::said(&mut command).expect(4).complains(&["io/write"]);
    assert!(place.results("run").is_empty(), "{:?}", place.results("run").keys());
    place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
}

/// The mark of an unfinished folder remains after a kill, or a power cut brings it back: the folder is complete, and
/// nothing in it may be lost.
#[test]
fn a_mark_in_a_complete_folder_has_no_effect() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet --set pull.steps=2000").expect(0);
    let whole = place.results("run");
    for command in
        ["run input.toml -o run --quiet --continue --set pull.steps=2000", "resume run --quiet"]
    {
        place.write("run/.beadwork-unfinished", "");
        place.beadwork(command).expect(0);
        assert!(!place.path("run/.beadwork-unfinished").exists());
        assert_same(&whole, &place.results("run"));
    }
}

/// The page of the earlier answer is there until the new one takes its place, so that a signal or a kill leaves one of them.
#[test]
fn a_report_stays_until_the_new_one_is_drawn() {
    const OLDER: &str = "<!-- the older page -->";
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let page = place.path("run/report.html");
    for command in ["plot run", "resume run --quiet"] {
        place.write("run/report.html", &format!("{}{OLDER}", place.read("run/report.html")));
        let mut child = place.start(command);
        let mut is_always_there = true;
        while child.try_wait().unwrap().is_none() {
            is_always_there &= page.exists();
            std::thread::sleep(Duration::from_millis(2));
        }
        ended(child).expect(0);
        assert!(is_always_there, "{command}");
        assert!(!place.read("run/report.html").contains(OLDER), "{command}");
    }
}

/// Ctrl-C ends `plot`, mostly between two files.
#[test]
fn an_interrupted_plot_leaves_no_half_files() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet --no-plots").expect(0);
    for (name, option) in [("INT", ""), ("TERM", ""), ("INT", " --json")] {
        // Drawing may end before the signal comes.
        let is_said = (0..30).any(|attempt| {
            let folder = format!("drawn-{name}{}-{attempt}", option.trim());
            let out = place.path(&folder);
            let child = place.start(&format!("plot run -o {folder}{option}"));
            wait_until("the folder of the plots", || out.exists());
            signal(&child, name);
            let said = ended(child);
            assert!(matches!(said.code, Some(0 | 130)), "{said:?}");
            for entry in fs::read_dir(&out).unwrap().map(Result::unwrap) {
                let file = entry.file_name().to_string_lossy().into_owned();
                assert!(!file.ends_with(".partial"), "{file}");
            }
            let words = match option.is_empty() {
                true => said.stderr,
                false => {
                    // With every exit code there is one object.
                    let error = &json_of(&said.stdout)["error"];
                    let is_expected = said.code == Some(0)
                        || (error["code"] == "program/interrupted" && error["exit"] == 130);
                    assert!(is_expected, "{}", said.stdout);
                    error["message"].as_str().unwrap_or_default().to_string()
                }
            };
            words.contains("interrupted; no file is half written, and the same command")
        });
        assert!(is_said, "{name}{option}");
    }
}

/// Ctrl-C while a file is written leaves no half of it.
#[test]
fn an_interrupted_export_leaves_no_half_files() {
    let place = Place::with_input(FRAMES);
    let is_half = |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".partial");
    let has_half = || fs::read_dir(place.path("")).unwrap().any(|entry| is_half(entry.unwrap()));
    for (name, format) in [("INT", "gsd"), ("TERM", "xyz")] {
        let out = format!("out.{format}");
        // An export of few frames may be whole before the signal comes.
        let is_interrupted = [4_000, 32_000, 256_000].into_iter().any(|steps| {
            let run = format!("run-{steps}");
            if !place.path(&run).exists() {
                let run = format!("run input.toml -o {run} --quiet --set sample.steps={steps}");
                place.beadwork(&run).expect(0);
            }
            let child = place.start(&format!("export {run} --output {out}"));
            wait_until("half of a file", || has_half() || place.path(&out).exists());
            signal(&child, name);
            let said = ended(child);
            assert!(!has_half(), "{said:?}");
            match fs::remove_file(place.path(&out)) {
                Ok(()) => false,
                Err(_) => {
                    let said = said.expect(130);
                    said.complains(&["interrupted; no file is half written"]);
                    true
                }
            }
        });
        assert!(is_interrupted, "no export was interrupted");
    }
}

/// Ctrl-C while a run draws its answer ends the program: the steps are done, and the answer can be drawn again.
#[test]
fn an_answer_that_was_interrupted_is_drawn_again() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let (whole, plots) = (place.results("run"), place.path("run/plots"));
    let (mut codes, mut is_said) = (Vec::new(), false);
    // Drawing may end before the signal comes.
    while !is_said {
        assert!(codes.len() < 30, "{codes:?}");
        fs::remove_dir_all(&plots).unwrap();
        let child = place.start("resume run --quiet --json");
        wait_until("the folder of the plots", || plots.exists());
        signal(&child, "INT");
        let said = ended(child);
        is_said = said.stderr.contains("all steps are done, and `beadwork plot run` writes it");
        if is_said {
            let expected = json!({ "folder": "run", "ending": "finished", "exit": 130 });
            assert_eq!(json_of(&said.stdout), expected);
        }
        codes.push(said.code);
        for entry in fs::read_dir(&plots).unwrap().map(Result::unwrap) {
            let file = entry.file_name().to_string_lossy().into_owned();
            assert!(!file.ends_with(".partial"), "{file}");
        }
    }
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 130))), "{codes:?}");
    place.beadwork("resume run --quiet").expect(0);
    assert_same(&whole, &place.results("run"));
}
