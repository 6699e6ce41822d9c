//! Answers of the stages that a person asks for.

use std::fs;

use beadwork::data::Summary;

use crate::common::{LADDERS, PULL, Place, Table};

/// A relaxation, a pull that a rule ends, and a stage without externals in which the helix folds again.
fn refolding() -> String {
    let stage = "[[stage]]\nname = \"refold\"\nsteps = 20_000\n\n[ensemble]\n";
    PULL.replace("[ensemble]\n", stage)
}

/// The mean over the second half of a stage's rows.
fn mean_of_half(table: &Table, stage: &str, column: &str) -> f64 {
    let stages = table.column("stage");
    let numbers = table.numbers(column);
    let rows: Vec<f64> =
        (0..stages.len()).filter(|&row| stages[row] == stage).map(|row| numbers[row]).collect();
    let half = &rows[rows.len() / 2..];
    half.iter().sum::<f64>() / half.len() as f64
}

#[test]
fn each_stage_that_is_asked_for_has_an_answer() {
    let place = Place::with_input(&refolding());
    let own = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    // This spring pulls the helix straight without a fall of the force.
    assert!(own.contains("none of 3 replica(s) unfolded (window 31 points"), "{own}");
    assert!(own.contains("unfolded: the averaged force falls by 40 pN or more"), "{own}");
    assert!(own.contains("note: the spring pulls at 2000 µm/s: drag of the solvent"), "{own}");
    assert!(own.contains("later stages have no part in it: \"refold\""), "{own}");
    let said = place.beadwork("plot run --stage equilibrate --stage pull --stage refold").expect(0);
    let summary = Summary::from_json(&place.read("run/summary.json")).unwrap();
    let stages: Vec<&str> = summary.groups.iter().map(|group| group.stage.as_str()).collect();
    assert_eq!(stages, ["equilibrate", "pull", "refold"]);
    let value = |group: usize, name: &str| summary.groups[group].value(name).map(|one| one.value);
    // Only the stage with a spring is judged by its force.
    let shares = [0, 1, 2].map(|group| value(group, "unfolded_share").flatten());
    assert_eq!(shares, [None, Some(0.0), None]);
    assert!(said.stdout.contains("stage = pull: none of 3 replica(s) unfolded (window 31 points"));
    // Averages are of the second half of each stage.
    for (group, stage) in stages.iter().enumerate() {
        let means =
            (0..3).map(|member| mean_of_half(&place.table("run", member), stage, "extension_nm"));
        let expected = means.sum::<f64>() / 3.0;
        let found = value(group, "extension").flatten().unwrap();
        assert!((found - expected).abs() < 1e-9, "{stage}: {found} {expected}");
    }
    assert!(said.stdout.contains("stage = refold"), "{}", said.stdout);
    let answers = Table::parse(&place.read("run/answers.csv"));
    assert_eq!(answers.columns[..2], ["group", "stage"]);
    let unfolding = Table::parse(&place.read("run/unfolding.csv"));
    assert_eq!(unfolding.column("stage"), ["pull"; 3]);
    // The input may ask for them, and the resolved form keeps it.
    let asked = format!("{}\n[analysis]\nstages = [\"refold\"]\n", refolding());
    place.write("asked.toml", &asked);
    place.beadwork("run asked.toml -o asked --quiet").expect(0);
    assert!(place.read("asked/resolved.toml").contains("stages = [\"refold\"]"));
    let text = place.read("asked/summary.txt");
    assert!(
        text.contains("second half of stage \"refold\"") && !text.contains("unfolding"),
        "{text}"
    );
}

/// Beside a new answer, files of the one before would be taken for it. Files of a person stay.
#[test]
fn files_of_an_earlier_answer_go() {
    let place = Place::with_input(&refolding()).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let of_pull = ["unfolding.csv", "peaks.csv", "plots/force-extension.svg"];
    let there = || of_pull.map(|name| place.path("run").join(name).exists());
    assert_eq!(there(), [true; 3]);
    place.write("run/plots/mine.svg", "<svg/>");
    place.write("run/mine.csv", "1");
    place.beadwork("plot run --stage refold").expect(0);
    assert_eq!(there(), [false; 3]);
    assert!(place.path("run/plots/extension-time.png").exists());
    assert!(place.path("run/plots/mine.svg").exists() && place.path("run/mine.csv").exists());
    place.beadwork("plot run --stage automatic").expect(0);
    assert_eq!(there(), [true; 3]);
    // A comparison has files of its own, and takes no run's folder for them.
    place.beadwork("run input.toml -o run2 --quiet --set ensemble.replicas=1").expect(0);
    place.beadwork("plot run run2 --output run").expect(2).complains(&["is the folder of a run"]);
    place.write("answers.csv", "of a person");
    place.beadwork("plot run run2 --output .").expect(2).complains(&["answers.csv is there"]);
    assert_eq!(place.read("answers.csv"), "of a person");
    place.beadwork("plot run run2 --output both").expect(0);
    // Its own files may be replaced, those of a person beside them and those of runs not.
    place.write("both/force-extension.pdf", "of a person");
    place.beadwork("plot run run2 --output both").expect(0);
    let said = place.beadwork("plot run run2 --output both --format pdf").expect(2);
    said.complains(&["run/foreign-file", "both/force-extension.pdf is there"]);
    assert_eq!(place.read("both/force-extension.pdf"), "of a person");
    assert!(place.path("both/force-extension.svg").exists());
    fs::create_dir(place.path("mine")).unwrap();
    place.write("mine/summary.json", "{\"format\": \"of a person\"}");
    let said = place.beadwork("plot run run2 --output mine").expect(2);
    said.complains(&["mine/summary.json is there"]);
    for inside in ["run/plots", "run2/plots", "run2/tables/more"] {
        let said = place.beadwork(&format!("plot run --output {inside}")).expect(2);
        said.complains(&["among the files that the run in"]);
    }
    place.beadwork("plot run --output run/plots/late").expect(0);
    assert!(place.path("run/plots/late/summary.json").exists());
    place.beadwork("plot run --output -").expect(2).complains(&["a file named -"]);
    // What a drawing that was stopped has left is listed, and is written anew.
    for name in ["summary.txt", "answers.csv"] {
        fs::remove_file(place.path("both").join(name)).unwrap();
    }
    place.beadwork("plot run run2 --output both").expect(0);
    // It stays until the next one is drawn, as on a full disk.
    place.beadwork("report run run2 --output both/report.html").expect(0);
    fs::remove_file(place.path("both/extension-time.png")).unwrap();
    fs::create_dir(place.path("both/extension-time.png")).unwrap();
    let answer = ["summary.txt", "answers.csv", "peaks.csv", "force-extension.svg", "report.html"]
        .map(|name| format!("both/{name}"));
    let before = answer.clone().map(|name| fs::read(place.path(&name)).unwrap());
    let said = place.beadwork("plot run run2 --output both --stage refold").expect(4);
    said.complains(&["io/write", "extension-time.png"]);
    assert!(before == answer.clone().map(|name| fs::read(place.path(&name)).unwrap()));
    fs::remove_dir(place.path("both/extension-time.png")).unwrap();
    let said = place.beadwork("plot run run2 --output both --stage refold").expect(0);
    said.complains(&["both/report.html held the earlier answer and was removed"]);
    let there = answer.map(|name| place.path(&name).exists());
    assert_eq!(there, [true, true, false, false, false]);
    place.beadwork("plot run run2 --output both").expect(0);
    assert!(place.read("both/answers.csv").contains("\nrun2,"));
    // Their seeds are equal, and so is the noise of replica 0.
    assert!(place.read("both/summary.json").contains("\"same-noise\""));
    place.beadwork("run input.toml -o other --quiet --set random.seed=7").expect(0);
    place.beadwork("plot run other --output differing").expect(0);
    assert!(!place.read("differing/summary.json").contains("\"same-noise\""));
}

#[test]
fn ladders_answer_for_a_stage() {
    let place = Place::with_input(LADDERS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let own = Table::parse(&place.read("run/thermodynamics.csv"));
    let said = place.beadwork("plot run --stage equilibrate").expect(0).stdout;
    // 4 rungs of 3 ladders have 20 rows each.
    assert!(said.contains("rows of stage \"equilibrate\": 240"), "{said}");
    assert!(said.contains("no acceptance and no round trips"), "{said}");
    assert!(said.contains("stage \"equilibrate\" fits its moves"), "{said}");
    assert!(said.contains("averages have the rows from the start on"), "{said}");
    let of_stage = Table::parse(&place.read("run/thermodynamics.csv"));
    assert_ne!(own.numbers("energy_per_bead"), of_stage.numbers("energy_per_bead"));
    place.beadwork("plot run --stage sample").expect(0);
    assert_eq!(Table::parse(&place.read("run/thermodynamics.csv")).column("stage")[0], "sample");
}

#[test]
fn stages_without_an_answer_are_refused() {
    let place = Place::with_input(PULL);
    for (stages, complaint) in [
        (
            "[\"pul\"]",
            "there is no stage \"pul\": the stages are \"minimise\", \"equilibrate\", \"pull\"",
        ),
        ("[\"minimise\"]", "stage \"minimise\" minimises the energy"),
        ("[\"pull\", \"pull\"]", "has \"pull\" twice"),
        ("\"pull\"", "must be a list of names of stages"),
        ("[]", "must be a list of names of stages"),
    ] {
        let input = format!("{PULL}\n[analysis]\nstages = {stages}\n");
        place.write("asked.toml", &input);
        place.beadwork("check asked.toml").expect(2).complains(&[complaint, "asked.toml"]);
    }
    place.beadwork("run input.toml -o run --quiet --set ensemble.replicas=1").expect(0);
    let before = place.read("run/summary.txt");
    let twice = place.beadwork("plot run --stage pull,pull").expect(2);
    twice.complains(&["--stage pull is there twice"]);
    place
        .beadwork("plot run --stage unfold")
        .expect(2)
        .complains(&["there is no stage \"unfold\""]);
    assert_eq!(place.read("run/summary.txt"), before);
}
