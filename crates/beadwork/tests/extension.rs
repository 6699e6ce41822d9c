//! A run that is lengthened and continued equals one that was as long from the beginning.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Dice, PULL, Place, assert_same, lasting, only, said, time_of};
use beadwork_testing::few_or_many;
use serde_json::{Value, json};

/// More members, of which some end by the stop rule and some by the length.
fn six() -> String {
    PULL.replace("replicas = 3", "replicas = 6")
        .replace("2000 um/s", "4000 um/s")
        .replace("80_000", "40_000")
        .replace("10_000", "2_000")
}

/// Makes the long run, and a short one that ends before some members meet the stop rule. Returns how many steps the
/// short one lacks.
fn long_and_short(place: &Place) -> u64 {
    place.beadwork("run input.toml -o long --quiet").expect(0);
    // The rule is tested every 200 steps of the stage, and each member's last row is at its end.
    let mut ends: Vec<u64> = (0..6)
        .map(|member| {
            let table = place.table("long", member);
            let step = |row: usize| table.numbers("step")[row] as u64;
            let first = table.column("stage").iter().position(|stage| *stage == "pull").unwrap();
            step(table.rows.len() - 1) - step(first) + 200
        })
        .collect();
    ends.sort_unstable();
    assert!(ends[2] < ends[3], "{ends:?}");
    // The length is between two ends, where neither a row nor a frame is due.
    let length = ends[2] + 70;
    place.beadwork(&format!("run input.toml -o short --quiet --set pull.steps={length}")).expect(0);
    40_000 - length
}

/// What `run.json` says of the run, not of the processes that stepped it.
fn record(place: &Place, run: &str) -> Value {
    let bytes = fs::read(place.path(&format!("{run}/run.json"))).unwrap();
    serde_json::from_slice(&lasting(&bytes)).unwrap()
}

/// All files except `run.json`, which records the extension.
fn files(place: &Place, run: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = place.results(run);
    files.remove("run.json").unwrap();
    files
}

fn assert_extended(place: &Place, run: &str, whole: &str, times: usize) {
    assert_same(&files(place, whole), &files(place, run));
    let mut found = record(place, run);
    let extensions = found.as_object_mut().unwrap().remove("extensions");
    assert_eq!(extensions.map_or(0, |list| list.as_array().unwrap().len()), times);
    assert_eq!(found, record(place, whole));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn an_extended_run_equals_the_longer_run() {
    let dcd = six().replace("\"xtc\"", "\"dcd\"").replace(
        "[ensemble]",
        "[random]\ngenerator = \"hybrid-taus\"\naccept_flaws = true\n\n[ensemble]",
    );
    for input in [six(), dcd] {
        let place = Place::with_input(&input);
        let lacks = long_and_short(&place);
        let before = place.results("short");
        let said = place.beadwork(&format!("extend short --steps {lacks}")).expect(0).stdout;
        let length = 40_000 - lacks;
        for part in [
            &format!("stage \"pull\" lengthened: {length} steps -> 40000 steps"),
            "3 member(s) go on",
            "3 member(s) were ended by a stop rule and stay finished",
            "go on with: beadwork resume short",
        ] {
            assert!(said.contains(part), "no {part} in {said}");
        }
        // Members that continue are listed as stopped, and their final coordinates are removed.
        let members = place.read("short/members.csv");
        assert_eq!(
            (members.matches(",stopped,").count(), members.matches(",finished,").count()),
            (3, 3)
        );
        assert_eq!(fs::read_dir(place.path("short/final")).unwrap().count(), 3);
        assert_same(&only(&before, &["tables"]), &only(&place.results("short"), &["tables"]));
        place.beadwork("resume short --quiet").expect(0);
        assert_extended(&place, "short", "long", 1);
        let made = &record(&place, "short")["extensions"][0];
        assert_eq!(made["stage"], "pull");
        assert_eq!(made["by"], format!("{lacks} steps"));
        assert_eq!(made["lengths"], json!([[format!("{length} steps"), "40000 steps"]]));
        assert!(place.read("short/log.txt").contains("stage \"pull\" lengthened"));
    }
    // If the rule ended all members, there is nothing to extend.
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let before = place.results("run");
    let said = place.beadwork("extend run --steps 1000").expect(2);
    said.complains(&["run/extension", "a stop rule ended each of the 3 member(s)"]);
    assert_same(&before, &place.results("run"));
}

#[test]
fn interrupted_runs_and_new_runs_can_be_extended() {
    let input = PULL
        .replace("steps = 80_000", "duration = \"1.6 us\"")
        .replace("stop = \"extension > 3.5 nm\"\n", "")
        .replace("2000 um/s", "200 um/s");
    let place = Place::with_input(&input);
    let time = time_of(|| {
        let long = ["run", "input.toml", "-o", "long", "--quiet", "--set", "pull.duration=3.1 us"];
        place.beadwork_of(&long).expect(0);
    });
    let mut dice = Dice(8);
    for run in ["not-begun", "interrupted", "whole"] {
        match run {
            "not-begun" => {
                drop(place.beadwork("run input.toml -o not-begun --quiet --max-time 0s").expect(5))
            }
            "interrupted" => place.interrupt(run, "--quiet --threads 1"),
            _ => drop(place.beadwork("run input.toml -o whole --quiet").expect(0)),
        }
        // Two extensions, in other units than the input's.
        place.beadwork_of(&["extend", run, "--by", "1 us"]).expect(0);
        let said = place.beadwork_of(&["extend", run, "--by", "500 ns"]).expect(0).stdout;
        assert!(said.contains("stage \"pull\" lengthened: 2.6 us -> 3.1 us"), "{said}");
        assert!(said.contains("3 member(s) go on\n"), "{said}");
        // The original script continues the run, and so does the longer input.
        let limit = dice.below(time / 4).as_micros();
        place.beadwork(&format!("run input.toml -o {run} --continue --quiet --max-time {limit}us"));
        let longer = [
            "run",
            "input.toml",
            "-o",
            run,
            "--continue",
            "--quiet",
            "--set",
            "pull.duration=3.1 us",
        ];
        place.beadwork_of(&longer).expect(0);
        assert_extended(&place, run, "long", 2);
        place.beadwork(&format!("run input.toml -o {run} --continue --quiet")).expect(0);
        let other = format!("run input.toml -o {run} --continue --set random.seed=3");
        place.beadwork(&other).expect(2).complains(&[
            "holds a run of another input (there ",
            "random.seed is 20101, not 3",
            "pull.duration is \"3.1 us\", not \"1.6 us\"",
        ]);
        assert_extended(&place, run, "long", 2);
    }
}

#[test]
fn of_several_runs_all_are_extended_or_none() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o ended --quiet").expect(0);
    for run in ["a", "b"] {
        place.beadwork(&format!("run input.toml -o {run} --quiet --max-time 0s")).expect(5);
    }
    let before = place.results("a");
    let refused = |folders: &str, part: &str| {
        place.beadwork(&format!("extend {folders} --steps 1000")).expect(2).complains(&[part]);
    };
    refused("a ended", "a stop rule ended each of the 3 member(s)");
    refused("a nowhere", "There is no nowhere");
    refused("a b a", "a is there twice");
    assert_same(&before, &place.results("a"));
    let said = place.beadwork("extend a b --steps 1000").expect(0);
    let ways = "go on with: beadwork resume a\ngo on with: beadwork resume b\n";
    assert!(said.stdout.ends_with(ways) && said.stderr.is_empty(), "{said:?}");
    let line = "stage \"pull\" lengthened: 80000 steps -> 81000 steps; 3 member(s) go on\n";
    assert_eq!(said.stdout.matches(line).count(), 2, "{}", said.stdout);
    // Said again it adds up, which a note tells.
    let said = place.beadwork("extend a --by 10%").expect(0);
    assert!(said.stdout.contains("81000 steps -> 89100 steps"), "{}", said.stdout);
    said.complains(&["a was made longer before, by 1000 steps, and was not continued since"]);
    place.beadwork("resume a --quiet").expect(0);
    refused("a", "a stop rule ended each of the 3 member(s)");
}

/// A part in which no replica goes on has the input of the others, so that all can be joined.
#[test]
fn parts_of_jobs_are_extended_together_although_one_is_over() {
    let place = Place::with_input(PULL);
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    place.beadwork("extend jobs --by 50%").expect(2).complains(&["jobs/part-0 has not begun"]);
    for (part, replicas, limit, code) in [(0, "0..1", "", 0), (1, "1..3", " --max-time 0s", 5)] {
        let run = format!("run jobs/resolved.toml --replicas {replicas} -o jobs/part-{part}");
        place.beadwork(&format!("{run} --quiet{limit}")).expect(code);
    }
    let words = place.beadwork("extend jobs --by 50%").expect(0).stdout;
    let stopped = "jobs/part-0: stage \"pull\" lengthened: 80000 steps -> 120000 steps; 0 member(s) go on; 1 member(s) were ended by a stop rule";
    assert!(words.contains(stopped), "{words}");
    let words = place.beadwork("submit jobs --status").expect(5).stdout;
    assert!(words.contains("part-0: replicas 0..1: 1 finished\n"), "{words}");
    assert!(!words.contains("another input"), "{words}");
}

/// Parts are known as those of one run by whatever path they are named.
#[test]
fn a_part_that_is_over_follows_a_longer_one() {
    let place = Place::with_input(PULL);
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    for (part, replicas, limit, code) in [(0, "0..1", "", 0), (1, "1..3", " --max-time 0s", 5)] {
        let run = format!("run jobs/resolved.toml --replicas {replicas} -o jobs/part-{part}");
        place.beadwork(&format!("{run} --quiet{limit}")).expect(code);
    }
    let before = place.results("jobs");
    let alone = "extend jobs/part-0 --steps 1000";
    place.beadwork(alone).expect(2).complains(&[
        "run/extension",
        "if other parts of these jobs go on, name ./jobs, so that all parts become longer",
    ]);
    assert_same(&before, &place.results("jobs"));
    place.beadwork("extend jobs/part-1 --steps 1000").expect(0);
    let unequal = "are parts of the same jobs and have different inputs";
    let absolute = place.path("jobs/part-1").display().to_string();
    let both = ["extend", "jobs/part-0", &absolute, "--steps", "1000"];
    place.beadwork_of(&both).expect(2).complains(&[unequal, "80000 steps and 81000 steps"]);
    let said = place.beadwork(alone).expect(0).stdout;
    assert!(said.contains("80000 steps -> 81000 steps\n0 member(s) go on\n1 member(s)"), "{said}");
    let words = place.beadwork("submit jobs --status").expect(5).stdout;
    assert!(!words.contains("another input"), "{words}");
    // Equally long, it is refused alone again.
    place.beadwork(alone).expect(2).complains(&["nothing to extend in stage \"pull\""]);
}

/// Folders of `run --replicas` are parts of one run wherever they lie.
#[test]
fn parts_of_different_lengths_are_not_extended_together() {
    let place = Place::with_input(PULL);
    for (part, replicas) in [("p0", "0..1"), ("p1", "1..3"), ("copy", "1..2")] {
        let run = format!("run input.toml -o {part} --replicas {replicas} --quiet --max-time 0s");
        place.beadwork(&run).expect(5);
    }
    place.beadwork("extend p1 --steps 1000").expect(0);
    let before = ["p0", "p1"].map(|run| place.results(run));
    for (folders, lengths) in
        [("p0 p1", "80000 steps and 81000 steps"), ("p1 p0", "81000 steps and 80000 steps")]
    {
        let said = place.beadwork(&format!("extend {folders} --steps 1000")).expect(2);
        assert_eq!(said.stdout, "");
        said.complains(&["are parts of one run and have different inputs", lengths]);
    }
    let after = ["p0", "p1"].map(|run| place.results(run));
    before.iter().zip(&after).for_each(|(before, after)| assert_same(before, after));
    // Folders with a replica in common are not parts of one run.
    place.beadwork("extend copy p1 --steps 1000").expect(0);
    place.beadwork("extend p0 --steps 2000").expect(0);
    place.beadwork("extend p0 p1 --steps 1000").expect(0);
}

/// Of several folders an error names its own, with what would be possible.
#[test]
fn an_extension_by_part_of_a_step_names_the_folder() {
    let place = Place::with_input(&PULL.replace("steps = 80_000", "duration = \"1.6 us\""));
    for (run, duration) in [("even", "1.6 us"), ("odd", "1.60002 us")] {
        let set = format!("pull.duration={duration}");
        let words = ["run", "input.toml", "-o", run, "--quiet", "--max-time", "0s", "--set", &set];
        place.beadwork_of(&words).expect(5);
    }
    let said = place.beadwork("extend even odd --by 50%").expect(2);
    assert_eq!(said.stdout, "");
    said.complains(&[
        "odd: 50% of the 80001 steps of stage \"pull\" (1.60002 us) are 40000.5: give",
        "or --by \"0.8 us\"",
    ]);
    place.beadwork_of(&["extend", "even", "odd", "--by", "0.8 us"]).expect(0);
}

/// A run that goes on beside jobs does not let those that are over become longer.
#[test]
fn jobs_that_are_over_are_not_extended_beside_another_run() {
    let place = Place::with_input(PULL);
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    for (part, replicas) in [(0, "0..1"), (1, "1..3")] {
        let run = format!("run jobs/resolved.toml --replicas {replicas} -o jobs/part-{part}");
        place.beadwork(&format!("{run} --quiet")).expect(0);
    }
    place.beadwork("run input.toml -o other --quiet --max-time 0s").expect(5);
    let before = ["jobs", "other"].map(|run| place.results(run));
    for folders in ["jobs", "jobs other", "other jobs"] {
        let said = place.beadwork(&format!("extend {folders} --steps 1000")).expect(2);
        said.complains(&["nothing to extend in stage \"pull\" of jobs/part-0"]);
    }
    let after = ["jobs", "other"].map(|run| place.results(run));
    before.iter().zip(&after).for_each(|(before, after)| assert_same(before, after));
}

/// A run that `resume` refuses is not made longer.
#[test]
fn runs_that_cannot_go_on_are_not_extended() {
    let input = PULL.replace("extension > 3.5 nm", "extension > 30 nm").replace("80_000", "2_000");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    let (table, frames) = ("tables/member-0001.csv", "trajectories/member-0001.xtc");
    let shorten = |file: &Path| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 1]).unwrap();
    };
    let link = |file: &Path| {
        fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(place.path("whole").join(table), file).unwrap();
    };
    let remove = |file: &Path| fs::remove_dir_all(file.parent().unwrap()).unwrap();
    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(&str, &str, Damage<'_>, &str); 4] = [
        ("gone", table, &remove, "io/missing-output"),
        ("short", table, &shorten, "io/short-output"),
        ("short-frames", frames, &shorten, "io/short-output"),
        ("link", table, &link, "io/link"),
    ];
    for (run, file, damage, code) in cases {
        copy(&place.path("whole"), &place.path(run));
        damage(&place.path(run).join(file));
        let resolved = place.read(&format!("{run}/resolved.toml"));
        for command in [format!("extend {run} --steps 1000"), format!("resume {run} --quiet")] {
            place.beadwork(&command).expect(2).complains(&[code]);
        }
        assert_eq!(place.read(&format!("{run}/resolved.toml")), resolved, "{run}");
    }
}

/// What became longer is said although a log of it cannot be written.
#[test]
fn a_log_that_cannot_be_written_hides_no_extension() {
    let place = Place::with_input(PULL);
    for run in ["a", "b"] {
        place.beadwork(&format!("run input.toml -o {run} --quiet --max-time 0s")).expect(5);
    }
    fs::remove_file(place.path("a/log.txt")).unwrap();
    fs::create_dir(place.path("a/log.txt")).unwrap();
    let said = place.beadwork("extend a b --steps 1000").expect(4);
    for run in ["a", "b"] {
        let line = format!("{run}: stage \"pull\" lengthened: 80000 steps -> 81000 steps; ");
        assert!(said.stdout.contains(&line), "{}", said.stdout);
    }
    assert!(place.read("b/log.txt").contains("lengthened: 80000 steps -> 81000 steps"));
    said.complains(&["a/log.txt", "io/write"]);
}

/// The lock of each folder is an open file, of which a shell may allow few.
#[test]
fn more_runs_than_files_may_be_open_are_extended_together() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run-0 --quiet --max-time 0s").expect(5);
    let folders: Vec<String> = (0..40).map(|number| format!("run-{number}")).collect();
    for folder in &folders[1..] {
        copy(&place.path("run-0"), &place.path(folder));
    }
    let program = place.command("").get_program().to_string_lossy().into_owned();
    let within = |limit: &str| {
        let folders = folders.join(" ");
        let line = format!("ulimit {limit}; exec '{program}' extend {folders} --steps 1000");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(place.path(""));
        said(shell.env("NO_COLOR", "1").env("CUDA_VISIBLE_DEVICES", ""))
    };
    let before = place.results("run-0");
    within("-n 40").expect(2).complains(&[
        "run/extension",
        "40 folders cannot be made longer together",
        "a process may have 40 files open here; raise that limit (ulimit -Hn)",
    ]);
    assert_same(&before, &place.results("run-0"));
    // The limit of a shell that its programs may raise is raised.
    let said = within("-S -n 40").expect(0).stdout;
    assert_eq!(said.matches("80000 steps -> 81000 steps").count(), 40, "{said}");
}

#[test]
fn an_earlier_stage_is_extended_until_a_member_leaves_it() {
    let place = Place::with_input(&PULL.replace("80_000", "4_000"));
    place.beadwork("run input.toml -o long --quiet --set equilibrate.steps=12000").expect(0);
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    let said = place.beadwork("extend run --stage equilibrate --steps 2000").expect(0).stdout;
    assert!(
        said.contains("stage \"equilibrate\" lengthened: 10000 steps -> 12000 steps"),
        "{said}"
    );
    place.beadwork("resume run --quiet").expect(0);
    assert_extended(&place, "run", "long", 1);
    let refused = |arguments: &[&str], parts: &[&str]| {
        place.beadwork_of(arguments).expect(2).complains(parts);
    };
    let left =
        "stage \"equilibrate\" cannot be lengthened any more: replica 0 has left it for \"pull\"";
    refused(&["extend", "run", "--stage", "equilibrate", "--steps", "10"], &[left]);
    refused(&["extend", "run", "--stage", "minimise", "--steps", "10"], &["which ends by itself"]);
    refused(&["extend", "run", "--stage", "pul", "--steps", "10"], &["did you mean \"pull\"?"]);
    refused(&["extend", "run", "--by", "50 ps"], &["which is 2.5 steps of 20 ps"]);
    refused(&["extend", "run", "--by", "1 pN"], &["is a force; expected a time"]);
    refused(&["extend", "run"], &["--by"]);
    refused(&["extend", "run", "--by", "1 us", "--steps", "3"], &["cannot be used with"]);
    refused(&["extend", "nowhere", "--by", "1 us"], &["There is no nowhere. Name the folder"]);
    assert_extended(&place, "run", "long", 1);
}

#[test]
fn failed_members_stay_and_swept_lengths_grow() {
    let sweep = "[ensemble]\nreplicas = 2\nsweep = { mode = \"zip\", \"dynamics.timestep\" = [\"400 ps\", \"20 ps\", \"10 ps\"], \"pull.duration\" = [\"40 ns\", \"80 ns\", \"80 ns\"] }";
    let input = PULL
        .replace("[ensemble]\nreplicas = 3", sweep)
        .replace("steps = 80_000", "duration = \"80 ns\"");
    let place = Place::with_input(&input);
    let long = "ensemble.sweep.pull.duration=[\"60 ns\", \"100 ns\", \"100 ns\"]";
    place.beadwork_of(&["run", "input.toml", "-o", "long", "--quiet", "--set", long]).expect(3);
    place.beadwork("run input.toml -o short --quiet").expect(3);
    let said = place.beadwork_of(&["extend", "short", "--by", "20 ns"]).expect(0).stdout;
    for part in
        ["40 ns -> 60 ns", "80 ns -> 100 ns", "4 member(s) go on", "2 member(s) failed and stay"]
    {
        assert!(said.contains(part), "no {part} in {said}");
    }
    place.beadwork("resume short --quiet").expect(3);
    assert_extended(&place, "short", "long", 1);
}

/// A process is killed between any two of the files that it changes.
#[test]
fn an_extension_killed_between_two_files_is_completed() {
    let place = Place::with_input(&six());
    let lacks = long_and_short(&place);
    copy(&place.path("short"), &place.path("extended"));
    place.beadwork(&format!("extend extended --steps {lacks}")).expect(0);
    let made = record(&place, "extended");
    let mark = json!({
        "extension": made["extensions"][0],
        "fingerprint_after": made["fingerprint"],
        "stage": 2,
        "resolved": place.read("extended/resolved.toml"),
    });
    let mut changed: Vec<String> =
        (0..6).map(|member| format!("checkpoints/member-{member:04}.ckpt")).collect();
    changed.extend(["resolved.toml".to_string(), "run.json".to_string()]);
    for done in 0..=changed.len() {
        let run = format!("killed-{done}");
        copy(&place.path("short"), &place.path(&run));
        place.write(&format!("{run}/.beadwork-extension"), &mark.to_string());
        for file in &changed[..done] {
            fs::copy(place.path("extended").join(file), place.path(&run).join(file)).unwrap();
        }
        for member in 0..done.min(6) {
            let file = format!("final/replica-{member}.pdb");
            if !place.path(&format!("extended/{file}")).exists() {
                fs::remove_file(place.path(&format!("{run}/{file}"))).unwrap();
            }
        }
        if done == 4 {
            // `plot` of the unfinished extension is allowed and changes nothing.
            place.beadwork(&format!("plot {run} -o elsewhere")).expect(0);
        }
        match done % 3 {
            // The same extension is asked for again, and made once.
            0 => {
                let said =
                    place.beadwork(&format!("extend {run} --steps {lacks}")).expect(0).stdout;
                assert!(said.contains("was interrupted before and is now complete"), "{said}");
                assert!(said.contains("3 member(s) go on"), "{said}");
                place.beadwork(&format!("resume {run} --quiet")).expect(0);
            }
            1 => drop(place.beadwork(&format!("resume {run} --quiet")).expect(0)),
            _ => drop(
                place
                    .beadwork(&format!(
                        "run input.toml -o {run} --continue --quiet --set pull.steps=40000"
                    ))
                    .expect(0),
            ),
        }
        assert_extended(&place, &run, "long", 1);
    }
    // A mark that comes back after a power cut has no effect, even after later changes.
    place.write("killed-0/.beadwork-extension", &mark.to_string());
    place.beadwork("resume killed-0 --quiet").expect(0);
    assert_extended(&place, "killed-0", "long", 1);
    place.beadwork("extend extended --steps 1000").expect(0);
    place.write("extended/.beadwork-extension", &mark.to_string());
    place.beadwork("resume extended --quiet").expect(0);
    place.beadwork("run input.toml -o longest --quiet --set pull.steps=41000").expect(0);
    assert_extended(&place, "extended", "longest", 2);
    place.write("extended/.beadwork-extension", "{\"exten");
    let said = place.beadwork("resume extended").expect(2);
    said.complains(&[".beadwork-extension cannot be understood", "run/record"]);
}

#[test]
fn an_extension_killed_at_any_moment_is_complete_or_absent() {
    let place = Place::with_input(&six());
    let lacks = long_and_short(&place);
    copy(&place.path("short"), &place.path("extended"));
    let whole = time_of(|| {
        place.beadwork(&format!("extend extended --steps {lacks}")).expect(0);
    });
    let mut dice = Dice(5);
    let mut kinds = [0; 2];
    // On any machine, repeats until kills came both before and after the mark was written.
    for attempt in 0..400 {
        if attempt >= few_or_many(4, 16) && kinds[0] > 0 && kinds[1] > 0 {
            break;
        }
        let run = format!("killed-{attempt}");
        copy(&place.path("short"), &place.path(&run));
        let mut child = place.start(&format!("extend {run} --steps {lacks}"));
        std::thread::sleep(dice.below(whole));
        let _ = child.kill();
        child.wait().unwrap();
        place.beadwork(&format!("resume {run} --quiet --max-time 0s"));
        let made = record(&place, &run)["extensions"].as_array().map_or(0, Vec::len);
        kinds[made] += 1;
        if made == 0 {
            place.beadwork(&format!("extend {run} --steps {lacks}")).expect(0);
        }
        // Continuing takes long, so only some runs are continued.
        if attempt % 8 == 0 && attempt < 16 {
            place.beadwork(&format!("resume {run} --quiet")).expect(0);
            assert_extended(&place, &run, "long", 1);
        }
    }
    assert!(kinds[0] > 0 && kinds[1] > 0, "kills came too early or too late: {kinds:?}");
}
