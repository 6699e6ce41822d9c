//! Runs with a tip and their answers.

use beadwork::answer::{Answer, Choices};
use beadwork::data::{Code, Summary};
use beadwork::io::RunFolder;

use crate::common::{PULL, Place, Table, assert_same, only};

/// A helix between a surface and a tip that goes out and back.
pub const INDENT: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "indent"
steps = 12_000
drives = [
    { kind = "surface", below = "all", gap = "1 nm", sigma = "1 nm", depth = "0.5 kcal/mol" },
    { kind = "tip", above = "all", radius = "2 nm", gap = "0.4 nm", sigma = "2 A", stiffness = "100 pN/nm", speed = "10_000 um/s", friction = "8.7e6 pN ps/nm", turn_after_steps = 6_000, contact_force = "5 pN" },
]

[[stage]]
name = "rest"
steps = 1_000

[ensemble]
replicas = 2

[output]
table = { every_steps = 40 }

[analysis]
window = "8 ns"
slope = ["0 nm", "0.5 nm"]
"#;

fn summary(place: &Place, run: &str) -> Summary {
    Summary::from_json(&place.read(&format!("{run}/summary.json"))).unwrap()
}

#[test]
fn a_tip_has_an_answer_of_its_own() {
    let place = Place::with_input(INDENT).with_plots();
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    let found = summary(&place, "run");
    let [group] = found.groups.as_slice() else { panic!("{found:?}") };
    let value = |name: &str| group.value(name).and_then(|value| value.value);
    let error = |name: &str| group.value(name).and_then(|value| value.error);
    for name in ["peak_force", "peak_deformation", "slope", "work_out", "dissipated_work"] {
        assert!(value(name).is_some() && error(name).is_some(), "{name}: {group:?}");
    }
    assert_eq!(value("contact_share"), Some(1.0));
    // The base went 1.2 nm out and back; its work is that of the tables.
    let mut dissipated = 0.0;
    for member in 0..2 {
        let table = place.table("run", member);
        let stages = table.column("stage");
        let last = stages.iter().rposition(|stage| *stage == "indent").unwrap();
        assert_eq!(table.numbers("base_travel_nm")[last], 0.0);
        dissipated += 0.5 * table.numbers("work_pN_nm")[last];
    }
    let found_work = value("dissipated_work").unwrap();
    assert!((found_work - dissipated).abs() < 1e-9, "{found_work} {dissipated}");
    // 16 beads of 8.7e6 pN ps/nm at 0.01 nm/ns, and the tip.
    let drag = value("drag_of_beads").unwrap();
    assert!((drag - 16.0 * 8.69e6 * 1e-5).abs() < 0.01 * drag, "{drag}");
    assert!((value("drag_of_tip").unwrap() - 87.0).abs() < 0.1);
    for code in [Code::Drag, Code::ColdTip, Code::FewValues, Code::OtherStages] {
        assert!(group.findings.iter().any(|finding| finding.code == code), "{code:?}");
    }
    // No answer is one of a chain that is pulled.
    for word in ["unfold", "extension", "lifetime"] {
        assert!(!said.contains(word), "{word} in {said}");
    }
    assert!(said.starts_with("largest force (no peak passed): "), "{said}");
    let replicas = Table::parse(&place.read("run/indentation.csv"));
    assert_eq!(replicas.column("replica"), ["0", "1"]);
    let peaks = replicas.numbers("peak_force_pN");
    assert!((0.5 * (peaks[0] + peaks[1]) - value("peak_force").unwrap()).abs() < 1e-9);
    let curve = Table::parse(&place.read("run/force-deformation.csv"));
    let ways = curve.column("way");
    assert!(ways.contains(&"approach") && ways.contains(&"retraction"));
    for stem in ["force-deformation", "tip-force-deformation", "deformation-time"] {
        assert!(place.path(&format!("run/plots/{stem}.svg")).exists(), "{stem}");
    }
    assert!(!place.path("run/plots/extension-time.svg").exists());
}

/// Approach until the tip is deep enough, then retraction in a stage of its own, with noise of the tip and frames.
pub fn two_stages() -> String {
    let (before, behind) =
        INDENT.split_once("[[stage]]\nname = \"rest\"\nsteps = 1_000\n").unwrap();
    let before =
        before.replace("turn_after_steps = 6_000, ", "thermal = true, moves_every = 5, ").replace(
            "name = \"indent\"",
            "name = \"approach\"\nstop = \"deformation > 0.5 nm\"\nstop_every = 40",
        );
    format!(
        r#"{before}
[[stage]]
name = "retract"
steps = 12_000
stop = "base_travel < 0 nm"
stop_every = 40
drives = [
    {{ kind = "surface", continue = true }},
    {{ kind = "tip", continue = true, speed = "-10_000 um/s" }},
]
{}"#,
        behind.replace(
            "table = { every_steps = 40 }",
            "table = { every_steps = 40 }\ntrajectory = { every_steps = 200 }"
        )
    )
}

#[test]
fn a_tip_goes_on_into_the_next_stage() {
    let place = Place::with_input(&two_stages()).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let table = place.table("run", 0);
    let (stages, base) = (table.column("stage"), table.numbers("base_travel_nm"));
    let turn = stages.iter().position(|stage| *stage == "retract").unwrap();
    let [before, after] = ["base_travel_nm", "deformation_nm"].map(|name| {
        let numbers = table.numbers(name);
        [numbers[turn - 1], numbers[turn]]
    });
    // The base goes back by 40 steps of 20 ps at 0.01 nm/ns from one row to the next.
    assert!((before[0] - before[1] - 0.008).abs() < 1e-9, "{before:?}");
    assert!(after[0] > 0.5 && (after[0] - after[1]).abs() < 0.05, "{after:?}");
    assert!(*base.last().unwrap() <= 0.008);
    let found = summary(&place, "run");
    let [group] = found.groups.as_slice() else { panic!("{found:?}") };
    let value = |name: &str| group.value(name).unwrap_or_else(|| panic!("{name}: {group:?}"));
    let work = value("dissipated_work");
    assert!(work.basis.contains("stages \"approach\", \"retract\""), "{work:?}");
    assert_eq!(work.independent_values, Some(2.0));
    assert!(value("peak_deformation").value.unwrap() > 0.3);
    assert!(!group.findings.iter().any(|one| one.code == Code::ColdTip), "{group:?}");
    let curve = Table::parse(&place.read("run/force-deformation.csv"));
    let ways = curve.column("way");
    assert!(ways.contains(&"approach") && ways.contains(&"retraction"));
    for stem in ["shell-before", "shell-peak", "shell-after", "section-peak"] {
        let path = place.path(&format!("run/plots/{stem}.png"));
        assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"), "{stem}");
    }
    // A stage that is asked for brings those that it goes on from.
    let asked = place.beadwork("plot run --stage retract").expect(0).stdout;
    assert!(asked.contains("stages \"approach\", \"retract\""), "{asked}");
    // Both together have one answer.
    place.beadwork("plot run --stage retract,approach").expect(0);
    let both = summary(&place, "run");
    assert_eq!((both.groups.len(), both.groups[0].stage.as_str()), (1, "retract"), "{both:?}");
    // Without frames there are no pictures.
    let place = Place::with_input(&two_stages().replace("trajectory = { every_steps = 200 }", ""));
    let said =
        place.beadwork("run input.toml -o run --quiet --set ensemble.replicas=1").expect(0).stdout;
    assert!(said.contains("no frames were written"), "{said}");
}

/// The base goes 1.2 nm and back.
#[test]
fn a_rule_that_never_held_is_named() {
    let input = two_stages().replace("deformation > 0.5 nm", "deformation > 30 nm");
    let place = Place::with_input(&input.replacen("steps = 12_000", "steps = 6_000", 1));
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let found = summary(&place, "run");
    let unmet = found.groups[0].findings.iter().filter(|finding| finding.code == Code::UnmetRule);
    let [finding] = unmet.collect::<Vec<_>>()[..] else { panic!("{found:?}") };
    assert!(finding.text.starts_with("stage \"approach\" of 2 of 2 replica(s)"), "{finding}");
    assert!(finding.text.contains("\"deformation > 30 nm\" (reached "), "{finding}");
}

/// Where nothing draws, no frame is read for pictures, and the answer is the same.
#[test]
fn pictures_that_nobody_draws_are_not_made() {
    let place = Place::with_input(&two_stages());
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let request = beadwork::input::load(&place.path("input.toml"), &[]).unwrap();
    let folders = [RunFolder::open(&place.path("run")).unwrap().with_members(2)];
    let answer = |without_pictures: bool| {
        let choices = Choices { without_pictures, ..Choices::default() };
        Answer::read(&folders, &request, "", &choices).map(|answer| answer.summary().in_words())
    };
    assert_eq!(answer(true).unwrap(), answer(false).unwrap());
    // No picture is made of frames that are not those that were written.
    let path = place.path("run/trajectories/member-0000.xtc");
    let whole = std::fs::read(&path).unwrap();
    let mut changed = whole.clone();
    let at = changed.len() / 2;
    changed[at] ^= 0x10;
    std::fs::write(&path, changed).unwrap();
    place.beadwork("plot run").expect(2).complains(&["io/changed-output", "member-0000.xtc"]);
    std::fs::write(&path, whole).unwrap();
    place.beadwork("plot run").expect(0);
    // Trajectories without a whole frame stop only what reads them.
    for member in 0..2 {
        place.write(&format!("run/trajectories/member-000{member}.xtc"), "cut off");
    }
    assert!(answer(false).is_err());
    answer(true).unwrap();
}

/// The window is that of the fastest stage of a tip, and drives count in whichever of its stages they are.
#[test]
fn an_answer_looks_at_all_stages_of_a_tip() {
    let surface = "{ kind = \"surface\", continue = true },";
    let force = "{ kind = \"force\", fixed = \"none\", pulled = \"last\", force = \"1 pN\", direction = [0, 0, 1] },";
    let changes = [
        ("window = \"8 ns\"\n", String::new()),
        ("speed = \"10_000 um/s\"", "speed = \"5_000 um/s\"".to_string()),
        (surface, format!("{surface}\n    {force}")),
    ];
    let input = changes.iter().fold(two_stages(), |input, (old, new)| {
        assert!(input.contains(old), "{old}");
        input.replace(old, new)
    });
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o run --quiet --set ensemble.replicas=1").expect(0);
    let found = summary(&place, "run");
    let [group] = found.groups.as_slice() else { panic!("{found:?}") };
    // The base goes back by 0.25 nm in 25 ns, and rows are 0.8 ns apart.
    let peak = group.value("peak_force").unwrap_or_else(|| panic!("{group:?}"));
    assert!(peak.basis.contains("window 31 points"), "{peak:?}");
    let added = "of 1 other drive(s) of stages \"approach\", \"retract\"";
    assert!(group.findings.iter().any(|finding| finding.text.contains(added)), "{group:?}");
}

/// A run in two stages that is interrupted, and one whose retraction is made longer, have the files of whole runs.
#[test]
fn a_tip_that_goes_on_is_continued_exactly() {
    let often = two_stages()
        .replace("replicas = 2", "replicas = 8")
        .replace("[output]\n", "[output]\ncheckpoint = \"0.01 s\"\n");
    let place = Place::with_input(&often);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    place.interrupt("part", "--quiet --threads 1");
    place.beadwork("resume part --quiet").expect(0);
    assert_same(&place.results("whole"), &place.results("part"));
    // The whole retraction, and a part of it that is made longer.
    let long = two_stages().replace("stop = \"base_travel < 0 nm\"\nstop_every = 40\n", "");
    let place = Place::with_input(&long);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    place.beadwork("run input.toml -o part --quiet --set retract.steps=3_333").expect(0);
    place.beadwork("extend part --steps 8_667").expect(0);
    place.beadwork("resume part --quiet").expect(0);
    let kept = ["tables", "trajectories", "final"];
    assert_same(&only(&place.results("whole"), &kept), &only(&place.results("part"), &kept));
}

/// Words and tables follow from the folder, with other choices too; other stages have their own answers.
#[test]
fn answers_of_tips_are_made_again() {
    let place = Place::with_input(INDENT);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let files = ["summary.txt", "summary.json", "indentation.csv", "force-deformation.csv"];
    let read = || files.map(|name| place.read(&format!("run/{name}")));
    let first = read();
    for name in files {
        std::fs::remove_file(place.path(&format!("run/{name}"))).unwrap();
    }
    let said = place.beadwork("plot run").expect(0).stdout;
    // Only the list of plots is new.
    let again = read();
    assert_eq!((&again[0], &again[2..]), (&first[0], &first[2..]));
    assert!(said.starts_with(&first[0]), "{said}");
    let plot = ["plot", "run", "--slope", "0.1 nm, 0.3 nm", "--hertz", "0 nm, 0.4 nm"];
    place.beadwork_of(&plot).expect(0);
    let slope = summary(&place, "run").groups[0].value("slope").unwrap().clone();
    assert!(slope.basis.contains("0.1 to 0.3 nm deep"), "{slope:?}");
    place
        .beadwork_of(&["plot", "run", "--slope", "3 nm, 1 nm"])
        .expect(2)
        .complains(&["--slope \"3 nm, 1 nm\" must be two lengths"]);
    place
        .beadwork_of(&["plot", "run", "--slope", "0.2, 0.8"])
        .expect(2)
        .complains(&["--slope \"0.2, 0.8\" must be two lengths", ": \"0.2\" has no unit"]);
    place
        .beadwork_of(&["plot", "run", "--slope", "-5 nm, -1 nm"])
        .expect(2)
        .complains(&["--slope \"-5 nm, -1 nm\" ends before contact"]);
    // A range is written as in an input too, and one that goes beyond the data says so.
    let said = place.beadwork_of(&["plot", "run", "--slope", "[\"0.1 nm\", \"0.3 nm\"]"]).expect(0);
    assert!(said.stdout.contains("0.1 to 0.3 nm deep"), "{}", said.stdout);
    let said = place.beadwork_of(&["plot", "run", "--slope", "0 nm, 3 nm"]).expect(0).stdout;
    let beyond =
        "note: `slope` asks for 0 to 3 nm, but the averaged forces of 2 of 2 replica(s) end at ";
    assert!(said.contains(beyond), "{said}");
    // Values may begin with a minus.
    place.beadwork_of(&["plot", "run", "--slope", "-0.1 nm, 0.3 nm"]).expect(0);
    place
        .beadwork_of(&["plot", "run", "--window", "-1 ns"])
        .expect(2)
        .complains(&["--window -1 ns must be above zero"]);
    place
        .beadwork_of(&["extend", "run", "--by", "-8 ns"])
        .expect(2)
        .complains(&["a stage cannot be lengthened by \"-8 ns\": give more than 0"]);
    // The stage after the tip is one without a tip.
    let rest = place.beadwork("plot run --stage rest").expect(0).stdout;
    assert!(rest.contains("second half of stage \"rest\"") && !rest.contains("peak"), "{rest}");
    assert!(!place.path("run/indentation.csv").exists());
}

/// A sheet of beads in reduced units that a tip presses on a surface.
const REDUCED: &str = r#"
[system]
model = "beads"
units = "reduced"
box = "open"
start = "sheet.xyz"
bonds = [ { kind = "harmonic", stiffness = 30.0, length = 1.0, between = "chain" } ]

[dynamics]
integrator = "brownian"
temperature = 0.1
friction = 1.0
timestep = 0.001

[[stage]]
name = "press"
steps = 30_000
drives = [
    { kind = "surface", below = "all", gap = 1.0, sigma = 1.0, depth = 1.0 },
    { kind = "tip", above = "all", radius = 3.0, gap = 1.0, sigma = 1.0, stiffness = 20.0, speed = 0.1, friction = 5.0, contact_force = 0.5 },
]

[ensemble]
replicas = 2

[output]
table = { every_steps = 100 }

[analysis]
slope = [0.0, 0.5]
"#;

/// Sixteen beads on a square lattice, one chain there and back.
fn sheet() -> String {
    let bead = |number: usize| {
        let (x, y) = (number % 4, number / 4);
        format!("A {} {y} 0\n", if y % 2 == 0 { x } else { 3 - x })
    };
    let beads: String = (0..16).map(bead).collect();
    format!("16\n\n{beads}")
}

/// Four times a force of contact that is 0 would count every fall as a peak.
#[test]
fn a_tip_that_touches_at_once_needs_a_prominence_in_reduced_units() {
    let place = Place::with_input(&REDUCED.replace("contact_force = 0.5", "contact_force = 0.0"));
    place.write("sheet.xyz", &sheet());
    let said = place.beadwork("check input.toml").expect(2);
    said.complains(&["[analysis]: `prominence` must be written", "missing-key"]);
    place.beadwork("check input.toml --set analysis.prominence=2.0").expect(0);
    // Where it is written, the message points at it.
    let said = place.beadwork("check input.toml --set analysis.prominence=automatic").expect(2);
    said.complains(&["`prominence` must be written", "--set:1:"]);
    // Tips of stages that have no answer need none.
    let (before, stage) = REDUCED.split_once("[[stage]]").unwrap();
    let (stage, behind) = stage.split_once("[ensemble]").unwrap();
    let first = stage.replace("press", "first").replace("contact_force = 0.5", "contact_force = 0");
    let second = format!("[[stage]]{first}[[stage]]{stage}[ensemble]{behind}");
    let place = Place::with_input(&format!("{before}{second}"));
    place.write("sheet.xyz", &sheet());
    place.beadwork("check input.toml").expect(2).complains(&["`prominence` must be written"]);
    place.beadwork("check input.toml --set analysis.stages=[\"first\"]").expect(2);
    place.beadwork("check input.toml --set analysis.stages=[\"press\"]").expect(0);
}

/// Numbers are plain in the input, its resolved form, the answer and the options of `plot`; units are refused.
#[test]
fn answers_of_tips_in_reduced_units_have_plain_numbers() {
    let place = Place::with_input(REDUCED);
    place.write("sheet.xyz", &sheet());
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let resolved = place.read("run/resolved.toml");
    let analysis = "window = \"automatic\"\nprominence = \"automatic\"\nslope = [0.0, 0.5]\n";
    assert!(resolved.contains(analysis), "{resolved}");
    let basis = |name: &str| {
        let found = summary(&place, "run");
        let value = found.groups[0].value(name).unwrap_or_else(|| panic!("no {name}: {found:?}"));
        value.basis.clone()
    };
    // The base moves 0.25 in 2.5, rows are 0.1 apart, and four times the force of a contact is 2.
    let of_peak = basis("peak_force");
    for part in ["window 25 points, a time of 2.5", "once it falls by 2 (prominence)"] {
        assert!(of_peak.contains(part), "{of_peak}");
    }
    assert!(basis("slope").contains("0 to 0.5 deep"), "{}", basis("slope"));
    let options = ["--window", "5", "--prominence", "1", "--slope", "0, 1", "--hertz", "[0, 0.5]"];
    place.beadwork_of(&[&["plot", "run"][..], &options[..]].concat()).expect(0);
    let of_peak = basis("peak_force");
    for part in ["window 50 points, a time of 5;", "once it falls by 1 (prominence)"] {
        assert!(of_peak.contains(part), "{of_peak}");
    }
    assert!(basis("slope").contains("0 to 1 deep"), "{}", basis("slope"));
    for (option, text, said) in [
        (
            "--window",
            "5 ps",
            "--window: \"5 ps\" is a time; expected a number without a unit, since the run is in reduced",
        ),
        ("--prominence", "100 pN", "\"100 pN\" is a force; expected a number without a unit"),
        ("--slope", "0 nm, 1 nm", "--slope \"0 nm, 1 nm\" must be two numbers without units"),
        ("--hertz", "0 nm, 1 nm", "--hertz \"0 nm, 1 nm\" must be two numbers without units"),
    ] {
        place.beadwork_of(&["plot", "run", option, text]).expect(2).complains(&[said]);
    }
}

/// Without checkpoints no file can be compared with what was written, and a column that is missing is named.
#[test]
fn a_table_without_a_column_of_the_tip_is_refused() {
    let place = Place::with_input(INDENT);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    std::fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
    place.beadwork("plot run").expect(0);
    let table = "run/tables/member-0001.csv";
    let whole = place.read(table);
    for column in ["tip_force_pN", "deformation_nm", "work_pN_nm", "surface_energy"] {
        assert!(whole.contains(column), "{column}");
        place.write(table, &whole.replacen(column, &format!("my_{column}"), 1));
        let said = place.beadwork("plot run").expect(2);
        said.complains(&["analysis/no-column", "member-0001.csv", &format!("`{column}")]);
    }
}

#[test]
fn a_tip_that_never_touches_says_so() {
    let far = INDENT.replace("gap = \"0.4 nm\"", "gap = \"9 nm\"");
    let place = Place::with_input(&far);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("2 of 2 replica(s) turned after 1.2 nm before"), "{said}");
    assert!(!said.contains("peak force") && !said.contains("largest force"), "{said}");
    let failed = place.beadwork("plot run --fail-on few-values").expect(3);
    assert!(failed.stdout.contains("contact"), "{}", failed.stdout);
}

#[test]
fn ranges_of_the_answer_are_judged() {
    for (range, complaint) in [
        ("[\"3 nm\", \"1 nm\"]", "of which the first is the smaller"),
        ("[\"3 nm\"]", "two deformations such as"),
        ("\"3 nm\"", "two deformations such as"),
        ("[\"0 nm\", \"1 ns\"]", "slope"),
        ("[\"0 nm\", \"1 nm\"]", "`slope`: no stage has a tip"),
        // A text with a comma is what options of the program have.
        ("\"0 nm, 1 nm\"", "`slope`: no stage has a tip"),
        ("\"3 nm, 1 nm\"", "of which the first is the smaller"),
        ("\"0 nm, 1 ns\"", "slope"),
        ("\"-5 nm, -1 nm\"", "ends before contact, where nothing is deformed yet"),
    ] {
        let place = Place::with_input(&format!("{PULL}\n[analysis]\nslope = {range}\n"));
        place.beadwork("check input.toml").expect(2).complains(&[complaint]);
    }
}
