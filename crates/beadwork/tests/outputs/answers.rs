//! Answers in words and as data.

use crate::common::{LADDERS, PULL, Place, Said, Table, assert_same, json_of};
use beadwork::data::{Code, Summary};

#[test]
fn members_that_were_stopped_are_not_called_running() {
    let endless = PULL.replace("80_000", "800_000_000").replace("2000 um/s", "0.01 um/s");
    let place = Place::with_input(&endless);
    place.beadwork("run input.toml -o run --quiet --max-time 1s --threads 3").expect(5);
    let members = Table::parse(&place.read("run/members.csv"));
    assert_eq!(members.column("status"), ["stopped"; 3]);
    // They may still unfold, so no share of them has stayed folded.
    let words = place.beadwork("plot run").expect(0).stdout;
    assert!(words.contains("none of 3 replica(s) unfolded: 3 still run (window "), "{words}");
    assert!(!place.read("run/summary.json").contains("unfolded_share"));
}

/// Any number of threads reads, analyses and draws the same bytes.
#[test]
fn answers_do_not_depend_on_threads() {
    let place = Place::new().with_plots();
    for (name, input) in [("pull", PULL), ("ladders", LADDERS)] {
        place.write(&format!("{name}.toml"), input);
        place.beadwork(&format!("run {name}.toml -o {name} --quiet --threads 1")).expect(0);
        let one = place.results(name);
        let said = place.beadwork(&format!("plot {name} --threads 3")).expect(0).stdout;
        assert!(said.starts_with(&place.read(&format!("{name}/summary.txt"))), "{said}");
        assert_same(&one, &place.results(name));
    }
    place.beadwork("plot pull --threads 0").expect(2).complains(&["--threads"]);
}

/// The words and the table of answers are written from the data alone, for every kind of answer; and what is read back from the
/// data is the same data.
#[test]
fn words_are_rebuilt_from_the_data() {
    let place = Place::new();
    let sweep =
        format!("{PULL}\n[ensemble.sweep]\n\"pull.speed\" = [\"2000 um/s\", \"4000 um/s\"]\n");
    for (name, input) in [("pull", sweep.as_str()), ("ladders", LADDERS)] {
        place.write(&format!("{name}.toml"), input);
        let said = place.beadwork(&format!("run {name}.toml -o {name} --quiet --json")).expect(0);
        let summary = Summary::from_json(&place.read(&format!("{name}/summary.json"))).unwrap();
        assert_eq!(summary.in_words(), place.read(&format!("{name}/summary.txt")), "{name}");
        let answers = summary.answers().to_csv(&summary.groups);
        assert_eq!(answers, place.read(&format!("{name}/answers.csv")), "{name}");
        let printed = json_of(&said.stdout);
        assert_eq!(printed["summary"], serde_json::to_value(&summary).unwrap(), "{name}");
        for table in &summary.tables {
            let text = place.read(&format!("{name}/{}", table.file));
            let columns: Vec<&str> = table.columns.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(text.lines().next().unwrap(), columns.join(","), "{name}");
            assert_eq!(text.lines().count() - 1, table.rows, "{name}: {}", table.file);
        }
    }
    // Points of a sweep have their number and the swept value in every table.
    let unfolding = Table::parse(&place.read("pull/unfolding.csv"));
    assert_eq!(unfolding.columns[..4], ["group", "point", "pull.speed", "pull.speed / (um/s)"]);
    assert_eq!(unfolding.numbers("pull.speed / (um/s)")[2..4], [2000.0, 4000.0]);
    assert_eq!(unfolding.column("point"), ["0", "0", "0", "1", "1", "1"]);
    assert_eq!(unfolding.column("pull.speed")[3..], ["4000 um/s"; 3]);
}

/// The list of members says why and when each stage ended, on any way to the end; lifetimes of a clamp follow from it.
#[test]
fn stages_say_why_they_ended_and_clamps_how_long_they_held() {
    let spring = PULL.lines().find(|line| line.contains("kind = \"spring\"")).unwrap();
    let force = "{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"25 pN\" },";
    let clamp = PULL.replace(spring, force).replace("replicas = 3", "replicas = 6");
    let clamp =
        clamp.replace("extension > 3.5 nm", "extension > 2.8 nm").replace("80_000", "20_000");
    let place = Place::with_input(&clamp);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    let members = Table::parse(&place.read("run/members.csv"));
    assert_eq!(members.columns[5..8], ["minimise_ended", "minimise_step", "minimise_time_ns"]);
    assert_eq!(members.column("minimise_ended"), ["converged"; 6]);
    assert_eq!(members.column("equilibrate_ended"), ["duration"; 6]);
    assert_eq!(members.numbers("equilibrate_time_ns"), [200.0; 6]);
    let reasons = members.column("pull_ended");
    let stopped = reasons.iter().filter(|reason| **reason == "extension > 2.8 nm").count();
    assert!(
        (1..6).contains(&stopped)
            && reasons.iter().all(|one| *one == "duration" || one.starts_with("ext")),
        "{reasons:?}"
    );
    // The rule is checked every 200 steps of 20 ps.
    let ended = members.numbers("pull_time_ns");
    let lifetimes = Table::parse(&place.read("run/lifetimes.csv"));
    let held = lifetimes.numbers("lifetime_ns");
    for (replica, reason) in reasons.iter().enumerate() {
        assert!((held[replica] - (ended[replica] - 200.0)).abs() < 1e-9);
        assert!((held[replica] / 4.0).fract().abs() < 1e-9, "{held:?}");
        assert_eq!(
            lifetimes.column("ended")[replica],
            if *reason == "duration" { "no" } else { "yes" }
        );
    }
    let answers = Table::parse(&place.read("run/answers.csv"));
    let row = answers.column("quantity").iter().position(|name| *name == "lifetime").unwrap();
    let expected = held.iter().sum::<f64>() / stopped as f64;
    assert!((answers.numbers("value")[row] - expected).abs() < 1e-9, "{said}");
    assert!(place.read("run/survival.csv").lines().count() > 1);
    assert!(
        said.contains(&format!("{stopped} of 6 replicas stopped by extension > 2.8 nm")),
        "{said}"
    );
    // A run that is stopped and goes on lists the same.
    place.interrupt("stopped", "--quiet --threads 1");
    place.beadwork("resume stopped --quiet").expect(0);
    assert_eq!(place.read("stopped/members.csv"), place.read("run/members.csv"));
    assert_eq!(place.read("stopped/lifetimes.csv"), place.read("run/lifetimes.csv"));
}

/// What `--json` prints is one object, whatever happens; `--fail-on` turns findings into an exit code.
#[test]
fn answers_and_errors_are_json_on_request() {
    let place = Place::with_input(PULL).with_plots();
    let run = "run input.toml -o run --quiet --json";
    let json = |said: &Said| json_of(&said.stdout);
    let done = json(&place.beadwork(run).expect(0));
    assert_eq!((&done["ending"], &done["exit"]), (&"finished".into(), &0.into()));
    assert_eq!(done["summary"]["groups"][0]["replicas"], 3);
    let refused = json(&place.beadwork(run).expect(2));
    assert_eq!(
        (&refused["error"]["exit"], &refused["error"]["code"]),
        (&2.into(), &"io/folder-exists".into())
    );
    let wrong = PULL.replacen("steps", "stepz", 1);
    place.write("wrong.toml", &wrong);
    let wrong = json(&place.beadwork("run wrong.toml --json").expect(2));
    assert_eq!(
        (&wrong["error"]["code"], &wrong["error"]["file"]),
        (&"input/unknown-key".into(), &"wrong.toml".into())
    );
    // So are errors of options, and of all commands that have JSON.
    for (command, said) in [
        ("verify nope --json", "nope"),
        ("run input.toml --json --threads 0", "--threads"),
        ("run input.toml --json --bogus", "--bogus"),
        ("run --json", "required arguments"),
        ("doctor --json --device bogus", "bogus"),
    ] {
        let error = &json(&place.beadwork(command).expect(2))["error"];
        assert_eq!(error["exit"], 2, "{command}");
        assert!(error["message"].as_str().unwrap().contains(said), "{command}: {error}");
    }
    // No replica unfolds in these few steps, so there is no force.
    place.beadwork("plot run --fail-on drift,disagreement,failure").expect(0);
    let failed = place.beadwork("plot run --json --fail-on few-values").expect(3);
    assert!(failed.stderr.contains("--fail-on: no-values: "), "{}", failed.stderr);
    assert_eq!(json(&failed)["exit"], 3);
    place.beadwork("plot run --fail-on luck").expect(2);
}

#[test]
fn a_run_without_pulling_has_averages() {
    let input = "[system]\nstructure = \"helix.pdb\"\n[[stage]]\nsteps = 20000\n[output]\ntable = { every_steps = 100 }\n";
    let place = Place::with_input(input).with_plots();
    let answer = place.beadwork("run input.toml --quiet").expect(0).stdout;
    for part in
        ["total energy: ", " kcal/mol (standard error", "native contacts: ", " K (standard error"]
    {
        assert!(answer.contains(part), "{answer}");
    }
    // The default folder has the name of the input. Nothing was pulled, so there is no file about pulling.
    assert!(place.path("runs/input/plots/contacts-time.svg").exists());
    assert!(!place.path("runs/input/plots/force-extension.svg").exists());
    assert!(!place.path("runs/input/unfolding.csv").exists());
    assert!(!place.path("runs/input/tables/member-0000-frames.csv").exists());
}

/// A rule that holds where its stage begins ends it at the first check, which the answer says; one that is reached later is no
/// matter.
#[test]
fn rules_that_hold_from_the_beginning_are_said() {
    let place = Place::new();
    for (name, rule, is_said) in [("at-once", "> 1 nm", true), ("later", "> 3.5 nm", false)] {
        let input = PULL.replace("extension > 3.5 nm", &format!("extension {rule}"));
        place.write(&format!("{name}.toml"), &input);
        place.beadwork(&format!("run {name}.toml -o {name} --quiet")).expect(0);
        let summary = Summary::from_json(&place.read(&format!("{name}/summary.json"))).unwrap();
        let mut findings = summary.groups.iter().flat_map(|group| &group.findings);
        let found = findings.find(|finding| finding.code == Code::FirstCheck);
        let text = found.map(|finding| finding.text.as_str()).unwrap_or_default();
        let said = "stage \"pull\" ended at the first check of a rule in 3 of 3 replica(s), \"extension > 1 nm\" after 200 step(s)";
        assert_eq!(text.starts_with(said), is_said, "{name}: {text}");
        assert_eq!(found.is_some(), is_said, "{name}: {text}");
    }
}

/// A rule that no replica reached is said, with how far it came.
#[test]
fn rules_that_ended_no_pull_are_said() {
    let input = PULL.replace("extension > 3.5 nm", "extension > 25 nm");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let summary = Summary::from_json(&place.read("run/summary.json")).unwrap();
    let mut findings = summary.groups.iter().flat_map(|group| &group.findings);
    let found = findings.find(|finding| finding.code == Code::UnmetRule).unwrap();
    let said = "stage \"pull\" of 3 of 3 replica(s) ended by its duration, before a rule could end it: \"extension > 25 nm\" (reached ";
    assert!(found.text.starts_with(said), "{found}");
}
