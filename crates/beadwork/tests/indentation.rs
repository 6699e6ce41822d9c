//! Runs with a tip and their answers.

use beadwork::answer::{Answer, Choices};
use beadwork::data::{Code, Summary};
use beadwork::io::RunFolder;

use crate::common::{HELIX, PULL, Place, Table, assert_same, json_of, only};

/// A helix between a surface and a tip that goes out and back.
const INDENT: &str = r#"
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
fn two_stages() -> String {
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
        .complains(&["--slope 3 nm, 1 nm must be two lengths"]);
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
        ("--slope", "0 nm, 1 nm", "--slope 0 nm, 1 nm must be two numbers without units"),
        ("--hertz", "0 nm, 1 nm", "--hertz 0 nm, 1 nm must be two numbers without units"),
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
    ] {
        let place = Place::with_input(&format!("{PULL}\n[analysis]\nslope = {range}\n"));
        place.beadwork("check input.toml").expect(2).complains(&[complaint]);
    }
}

/// The input with another text in place of one that it has.
fn indent_with(old: &str, new: &str) -> Place {
    assert!(INDENT.contains(old), "{old}");
    Place::with_input(&INDENT.replace(old, new))
}

/// The helix lies along z from 0 to 2.25 nm, 0.23 nm from the axis.
#[test]
fn tips_and_surfaces_that_begin_in_the_structure_are_refused() {
    let gap = "radius = \"2 nm\", gap = \"0.4 nm\"";
    let at = |z: &str| format!("radius = \"2 nm\", position = [\"0 nm\", \"0 nm\", \"{z}\"]");
    let plane = "gap = \"1 nm\"";
    let plane_at = "position = [\"0 nm\", \"0 nm\", \"0.16 nm\"]";
    for (old, new, parts) in [
        (
            gap,
            at("3 nm"),
            // The centre is 0.75 nm above the last bead, 0.23 nm beside the axis; σ is 0.2 nm, and beads within 2.4 nm of
            // the centre count: the last is to be √(24² − 2.3²) − 7.5 = 16.39 Å farther away.
            [
                "drive 2: the tip begins in the structure: bead 15 (ALA 16 of chain A) is 12.16 A",
                "back by 16.39 A or more, against [0, 0, -1]",
            ],
        ),
        (
            plane,
            plane_at.to_string(),
            // Beads 0 and 1 are at 0 and 1.5 Å; σ is 10 Å.
            [
                "drive 1: the surface begins in the structure: bead 0 (ALA 1 of chain A) is 1.6 A behind its surface, and 2 of 16",
                "back by 21.6 A or more, against [0, 0, 1]",
            ],
        ),
    ] {
        let place = indent_with(old, &new);
        for command in ["check input.toml", "run input.toml -o run --quiet"] {
            let said = place.beadwork(command).expect(2);
            said.complains(&parts);
            said.complains(&["input/bad-value", "position = [", "write `gap` in place of"]);
        }
        assert!(!place.path("run").exists());
    }
    // A tip may be so near that its force has no bound, and yet touch nothing.
    let near = indent_with(gap, &at("4.25 nm"));
    near.beadwork("check input.toml")
        .expect(2)
        .complains(&["only ", " from its surface, and 1 of"]);
    indent_with(gap, &at("4.4 nm")).beadwork("check input.toml").expect(0);
    // Points act on both sides, where they are not too near, and beads may move before a later stage.
    let points = |side: usize, spacing: &str| {
        let points = format!("{plane_at}, points = {side}, spacing = \"{spacing}\"");
        indent_with(plane, &points)
    };
    points(3, "3 nm")
        .beadwork("check input.toml")
        .expect(2)
        .complains(&["the surface begins too near the structure"]);
    let said = points(2, "6 nm").beadwork("check input.toml").expect(0).stdout;
    assert!(
        said.contains("drive 1, a surface, has 2 of 16 bead(s) inside it or behind it"),
        "{said}"
    );
    let later = INDENT.replace(gap, &at("3 nm"));
    let later = later.replace(
        "[[stage]]\nname = \"indent\"",
        "[[stage]]\nsteps = 10\n\n[[stage]]\nname = \"indent\"",
    );
    let said = Place::with_input(&later).beadwork("check input.toml").expect(0).stdout;
    assert!(said.contains("stage \"indent\": drive 2, a tip, has "), "{said}");
    assert!(said.contains("by 1.64 nm against its direction"), "{said}");
}

/// What a law does to a bead in the first step decides whether it begins too near: force × timestep / friction.
#[test]
fn tips_and_surfaces_that_throw_beads_are_refused() {
    // Beads of 12,500 kcal ps/(mol Å²) at 4, 5.5 and 7 Å from the surface, ε = 0.5 kcal/mol and σ = 10 Å: steps of 20 ps by 142.46,
    // 2.21 and 0.09 Å. Bonds break at 2 Å.
    let plane = "gap = \"1 nm\"";
    let near = indent_with(plane, "gap = \"0.4 nm\"");
    for command in ["check input.toml", "run input.toml -o run --quiet"] {
        near.beadwork(command).expect(2).complains(&[
            "input/bad-value",
            "drive 1: the surface begins too near the structure: in the first step its force alone would move bead 0 (ALA 1 of chain A) by 142.46 A, more than the 2 A at which bonds break, and 2 of 16 bead(s) too far",
            "write a larger `gap`, or a smaller `sigma`",
        ]);
    }
    // At 6.5 Å the lowest bead moves by 0.24 Å.
    indent_with(plane, "gap = \"0.65 nm\"").beadwork("check input.toml").expect(0);
    // Beads that the stage holds stay.
    let held = INDENT.replace(plane, "gap = \"0.4 nm\"");
    let held = held.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"index 0-1\"\n");
    Place::with_input(&held).beadwork("check input.toml").expect(0);
    // A tip is judged by the same rule; half of its σ is 1 Å. With less friction of the beads it throws one that it may touch.
    let tip = INDENT.replace("gap = \"0.4 nm\"", "gap = \"0.9 A\"");
    Place::with_input(&tip).beadwork("check input.toml").expect(0);
    let thin = tip.replace("[dynamics]\n", "[dynamics]\nfriction = \"2e6 pN ps/nm\"\n");
    Place::with_input(&thin).beadwork("check input.toml").expect(2).complains(&[
        "drive 2: the tip begins too near the structure: in the first step its force alone would move bead 15",
        "more than the 1 A of half its sigma, and 1 of 16 bead(s) too far",
        "a smaller `radius` or `sigma`",
    ]);
}

#[test]
fn a_start_of_each_replica_is_looked_at() {
    let place = Place::with_input(
        &INDENT
            .replace(
                "structure = \"helix.pdb\"",
                "structure = \"helix.pdb\"\nstart = { file = \"start-{replica}.pdb\" }",
            )
            .replace("gap = \"0.4 nm\"", "position = [\"0 nm\", \"0 nm\", \"4.7 nm\"]"),
    );
    // The second start lies 1 nm higher.
    let up: Vec<String> = HELIX
        .lines()
        .map(|line| match line.get(46..54).map(|z| z.trim().parse::<f64>()) {
            Some(Ok(z)) => format!("{}{:8.3}{}", &line[..46], z + 10.0, &line[54..]),
            _ => line.to_string(),
        })
        .collect();
    place.write("start-0.pdb", HELIX);
    place.write("start-1.pdb", &up.join("\n"));
    let said = place.beadwork("check input.toml").expect(2);
    said.complains(&["the tip begins in the structure of replica 1: bead 15"]);
}

#[test]
fn a_tip_that_cannot_do_its_work_is_warned_of() {
    let gap = "gap = \"0.4 nm\"";
    let check = |place: &Place| place.beadwork("check input.toml").expect(0).stdout;
    // The base goes 6,000 steps of 20 ps at 10 nm/us: 1.2 nm. The tip's friction keeps it 0.87 nm behind. A bead pushes it by
    // 5 pN, 6 ε σ⁶/x⁷, at x = 3.41 Å. So beads 2.3 Å beside its way count √(23.41² − 2.3²) Å before its centre, which begins
    // 110 Å above the last bead: 86.7 Å.
    let far = indent_with(gap, "gap = \"9 nm\"");
    let said = check(&far);
    for part in [
        "the base cannot bring the tip to the structure: it travels 1.20 nm, and the first bead is 8.67 nm before",
        // ζν/κ (1 − e^(−t κ/ζ)) with 0.87 nm and 1.2 nm of travel.
        "which stays 0.651 nm behind the base by its friction; it takes 954 ns, so give a longer `turn_after`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let beside = indent_with(gap, "position = [\"5 nm\", \"0 nm\", \"9 nm\"]");
    assert!(check(&beside).contains("the tip goes past the structure: its radius is 2.00 nm"));
    let below = indent_with(gap, "position = [\"0 nm\", \"0 nm\", \"-20 nm\"]");
    let away = "the tip moves away from the structure: of the 16 bead(s) on which it acts none lies ahead of it";
    assert!(check(&below).contains(away));
    assert!(!check(&Place::with_input(INDENT)).contains("the tip moves away"));
    let stiff = indent_with("stiffness = \"100 pN/nm\"", "stiffness = \"20 N/m\"");
    assert!(
        check(&stiff).contains("`stiffness` of drive 2 in stage \"indent\" is 20 N/m, more than")
    );
    let still = indent_with("speed = \"10_000 um/s\"", "speed = \"0 um/s\"");
    assert!(check(&still).contains("give it a `speed`"));
    let stop = indent_with("steps = 12_000\n", "steps = 12_000\nstop = \"deformation > 2 nm\"\n");
    assert!(
        check(&stop)
            .contains("\"deformation > 2 nm\" will hardly be reached: the base travels 1.20 nm")
    );
    indent_with("stiffness = \"100 pN/nm\"", "stiffness = \"0 pN/nm\"")
        .beadwork("check input.toml")
        .expect(2)
        .complains(&[
            "`stiffness` is 0: a cantilever without stiffness presses",
            "input/bad-value",
        ]);
}

/// The helix is 2.25 nm long, and the tip touches it after 0.07 nm. At which force it yields is not known.
#[test]
fn a_base_that_goes_through_the_structure_is_warned_of() {
    let check =
        |input: &str| Place::with_input(input).beadwork("check input.toml").expect(0).stdout;
    let fast = INDENT.replace("10_000 um/s", "100_000 um/s");
    let said = check(&fast);
    // 9.68 nm of 100 pN/nm.
    let warning = "the base goes 11.9 nm on after the tip has come to the beads on which it acts, which are 2.25 nm thick along its way: the tip would go through them or past them, unless the cantilever bends by 9.68 nm or more, under 968 pN";
    assert!(said.contains(warning) && said.contains("a shorter `turn_after`"), "{said}");
    let through = "the tip would go through";
    let with_rule = |rule: &str| {
        let stop = format!("steps = 12_000\nstop = \"{rule}\"\n");
        check(&fast.replace("steps = 12_000\n", &stop))
    };
    let of_rules =
        ["deformation > 1 nm", "tip_travel > 2 nm", "base_travel > 2.3 nm", "force > 500 pN"];
    for said in of_rules.map(with_rule).into_iter().chain([check(INDENT)]) {
        assert!(!said.contains(through), "{said}");
    }
    // Rules that hold too late, or never.
    for (rule, warning) in [
        ("base_travel > 2.4 nm", "the base goes 2.33 nm on"),
        (
            "deformation > 3 nm",
            "\"deformation > 3 nm\" lies beyond the structure: the beads on which the tip acts are 2.25 nm thick",
        ),
        (
            "tip_travel > 3 nm",
            "\"tip_travel > 3 nm\" lies beyond the structure: the beads on which the tip acts",
        ),
        (
            "force > 2 nN",
            "\"force > 2 nN\" will hardly be reached: the cantilever has at most 1200 pN after 12.0 nm",
        ),
        ("force > 2 nN", through),
        (
            "base_travel > 13 nm",
            "\"base_travel > 13 nm\" will hardly be reached: the base travels 12.0 nm",
        ),
    ] {
        let said = with_rule(rule);
        assert!(said.contains(warning), "{rule}: {said}");
    }
}

/// A surface that the base can reach, held beads or springs keep the molecule where the tip presses on it.
#[test]
fn a_tip_that_presses_on_what_nothing_holds_is_warned_of() {
    let warning = "stage \"indent\": nothing holds the structure against the tip, which will only push it along";
    let surface = INDENT.lines().find(|line| line.contains("surface")).unwrap();
    let restrain =
        "    { kind = \"restrain\", select = \"first\", stiffness = \"1 kcal/(mol A^2)\" },";
    let fixed = INDENT.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"first\"\n");
    let force = "    { kind = \"force\", fixed = \"none\", direction = [0, 0, 1], pulled = \"last\", force = \"30 pN\" },";
    for (input, is_warned) in [
        (INDENT.replace(surface, ""), true),
        (INDENT.to_string(), false),
        (INDENT.replace(surface, restrain), false),
        (fixed.replace(surface, ""), false),
        (INDENT.replace(surface, &restrain.replace("1 kcal", "0 kcal")), true),
        (INDENT.replace(surface, force), true),
        (INDENT.replace(surface, &surface.replace("gap = \"1 nm\"", "gap = \"9 nm\"")), true),
    ] {
        let said = Place::with_input(&input).beadwork("check input.toml").expect(0).stdout;
        assert_eq!(said.contains(warning), is_warned, "{said}");
    }
    // The cantilever has 100 pN/nm over 1.2 nm. Points 5 Å apart leave no gap for beads of σ = 1 nm.
    let gap = "gap = \"1 nm\"";
    let points = |side: usize, spacing: &str| {
        surface.replace(gap, &format!("{gap}, points = {side}, spacing = \"{spacing}\""))
    };
    for (other, why) in [
        (
            surface.replace("0.5 kcal", "1e-50 kcal"),
            Some("at half of its sigma, and the cantilever presses with up to 120 pN"),
        ),
        (points(2, "60 A"), Some("has 0 bead(s) above it")),
        (surface.replace("\"all\"", "\"index 0\""), Some("has 1 bead(s) above it")),
        (points(9, "5 A"), None),
    ] {
        assert_ne!(other, surface);
        let place = Place::with_input(&INDENT.replace(surface, &other));
        let said = place.beadwork("check input.toml").expect(0).stdout;
        let line = said.lines().find(|line| line.contains(warning));
        let found = line.map(|line| line.split_once("; the surface of drive 1 ").unwrap().1);
        assert_eq!(found.is_some(), why.is_some(), "{said}");
        assert!(found.is_none_or(|found| found.contains(why.unwrap())), "{said}");
    }
}

/// Drag is said beside the largest force of the cantilever.
#[test]
fn check_says_the_drag() {
    let check = |place: Place| place.beadwork("check input.toml").expect(0).stdout;
    let said = check(Place::with_input(INDENT));
    // 16 beads of 8.6846e6 pN ps/nm and a tip of 8.7e6 at 1e-5 nm/ps, beside 100 pN/nm over 1.2 nm.
    let line = "friction at this speed: up to 1390 pN of 16 bead(s) if all move with the tip, and 87 pN of the tip, beside at most 120 pN of the cantilever after 1.2 nm";
    assert!(said.contains(line), "{said}");
    for part in [
        "of the cantilever after 1.2 nm; at which force the structure yields is not known",
        // The helix ends 22.5 Å above its first bead.
        "the surface begins at [",
        ", -1] nm\n",
        "the tip begins at [",
        ", 4.65] nm; the beads on which it acts are 2.25 nm thick along its way",
        "base at 10000 um/s: goes 1.2 nm out and back; acts on 16 bead(s)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for (steps, words) in
        [("9_000", ": goes 1.2 nm out, and a part of the way back;"), ("5_000", ": goes 1 nm out;")]
    {
        let short = INDENT.replace("12_000", steps);
        let said = check(Place::with_input(&short));
        assert!(said.contains(words), "{words}: {said}");
    }
    // 1,477 pN is 12.3 times 120 pN, and half of these are allowed.
    assert!(said.contains("press 25 times slower or more over the same way"), "{said}");
    let slow = INDENT.replace("10_000 um/s", "100 um/s").replace("= 6_000", "= 600_000");
    let said = check(Place::with_input(&slow.replace("= 12_000", "= 1_200_000")));
    assert!(said.contains("up to 13.9 pN of 16 bead(s)") && !said.contains("slower"), "{said}");
    let place = Place::with_input(INDENT);
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let tip = &json["stages"][0]["tip"];
    let number = |name: &str| tip[name].as_f64().unwrap_or_else(|| panic!("{name}: {json:#}"));
    assert_eq!(tip["beads"], 16);
    for (name, expected) in [
        ("friction_of_beads_pN", 1389.5),
        ("friction_of_tip_pN", 87.0),
        ("largest_force_of_cantilever_pN", 120.0),
        ("expected_force_pN", 120.0),
        ("travel_of_base_nm", 1.2),
        ("thickness_of_beads_nm", 2.25),
    ] {
        assert!((number(name) / expected - 1.0).abs() < 1e-3, "{name}: {json:#}");
    }
    let held = INDENT.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"index 0-7\"\n");
    assert!(check(Place::with_input(&held)).contains("up to 695 pN of 8 bead(s)"));
}

/// A tip that goes on is judged by the friction at its new speed; how far its cantilever is bent is not known.
#[test]
fn check_judges_stages_of_one_tip_together() {
    let place = Place::with_input(&two_stages());
    let said = place.beadwork("check input.toml").expect(0).stdout;
    let of_retraction = "stage \"retract\": at the speed";
    assert!(!said.contains(of_retraction), "{said}");
    // A rule says which force counts.
    let rule = "stop = \"base_travel < 0 nm\"";
    let with_force =
        two_stages().replace(rule, "stop = [\"base_travel < 0 nm\", \"force > 680 pN\"]");
    let said = Place::with_input(&with_force).beadwork("check input.toml").expect(0).stdout;
    let warning = said.lines().find(|line| line.contains(of_retraction));
    let warning = warning.unwrap_or_else(|| panic!("{said}"));
    // 1,477 pN is 2.2 times 680 pN, and half of these are allowed.
    for part in ["680 pN at which a rule ends the stage", "retract 5 times slower or more"] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    assert_eq!(json["stages"][0]["tip"]["beads"], 16);
    assert!(json["stages"][1].is_object() && json["stages"][1]["tip"].is_null(), "{json:#}");
    // A base that stands until the next stage is none that cannot reach the structure, but its own rule will not hold.
    let speed = "speed = \"10_000 um/s\"";
    let still = two_stages().replace(speed, "speed = \"0 um/s\"");
    assert_ne!(still, two_stages());
    let said = Place::with_input(&still).beadwork("check input.toml").expect(0).stdout;
    assert!(!said.contains("cannot bring the tip"), "{said}");
    assert!(said.contains("\"deformation > 0.5 nm\" will hardly be reached"), "{said}");
}

/// Two helices, side by side, by two operators: a half turn about a line along y.
fn two_helices() -> String {
    let mut text =
        String::from("REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n");
    for (operator, [x, z], [to_x, to_z]) in
        [(1, [1.0, 1.0], [0.0, 0.0]), (2, [-1.0, -1.0], [9.0, 22.5])]
    {
        for (row, [a, b, c, shift]) in
            [[x, 0.0, 0.0, to_x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, z, to_z]].into_iter().enumerate()
        {
            text += &format!(
                "REMARK 350   BIOMT{}{operator:4}{a:10.6}{b:10.6}{c:10.6}{shift:15.5}\n",
                row + 1
            );
        }
    }
    text + HELIX
}

#[test]
fn the_template_of_an_indentation_is_a_valid_input() {
    let place = Place::new();
    let said = place.beadwork("new indentation shell.toml").expect(0);
    said.complains(&["wrote shell.toml; then: beadwork check"]);
    // The shell that is built in.
    let words = place.beadwork("check shell.toml").expect(0).stdout;
    for part in ["8460 beads in 60 chain(s)", "Axis         2-fold, one of 15"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let own = place.read("shell.toml").replace("built-in:spmv.pdb", "shell.pdb");
    place.write("shell.toml", &own);
    place.beadwork("check shell.toml").expect(2).complains(&["shell.pdb"]);
    place.write("shell.pdb", &two_helices());
    // The helices are no shell, and thinner than the rule of the template.
    let words = place.beadwork("check shell.toml").expect(0).stdout;
    assert!(words.contains("\"deformation > 12 nm\" lies beyond the structure"), "{words}");
    let shallow = ["check", "shell.toml", "--set", "indent.stop=deformation > 0.4 nm"];
    let words = place.beadwork_of(&shallow).expect(0).stdout;
    for part in [
        "32 beads in 2 chain(s)",
        "Axis         2-fold: ",
        "base at 1 um/s: travels 35 nm; acts on 32 bead(s)",
        "beside at most 1750 pN of the cantilever after 35 nm; at which force the structure yields is not known: friction must be small beside its peak",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(!words.contains("Warning"), "{words}");
    // What the comments offer is valid too.
    let text = place.read("shell.toml");
    let text = text
        .replace("# [", "[")
        .replace("# \"system", "\"system")
        .replace(", \"3-fold\", \"5-fold\"]", "]")
        .replace("#     {", "    {")
        .replace("# ]", "]");
    let text = ["window", "slope", "hertz", "name", "duration", "stop", "drives"]
        .iter()
        .fold(text, |text, key| text.replace(&format!("# {key} = "), &format!("{key} = ")));
    let more = "depth = \"1 kcal/mol\", sigma = \"1 A\", a = 0, b = 1, turn_after = \"25 ms\", rest = \"1 ms\", cycles = 2, moves_every = 10, fixed_sideways = false, contact_force = \"10 pN\", thermal = true, radius";
    place.write(
        "all.toml",
        &text.replace("radius", more).replacen("duration = \"35 ms\"", "duration = \"104 ms\"", 1),
    );
    let words = place.beadwork("check all.toml").expect(0).stdout;
    assert!(words.contains("goes on from the stage before"), "{words}");
}

/// The examples that come with the program can be run; what they need is beside them.
#[test]
fn examples_of_indentation_are_valid_inputs() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/07-indentation");
    let place = Place::new();
    for (name, beads) in
        [("ubiquitin", "76 beads in 1 chain(s)"), ("5cvz", "8460 beads in 60 chain(s)")]
    {
        let input = folder.join(format!("{name}.toml"));
        let said =
            place.beadwork_of(&["check", input.to_str().unwrap(), "--device", "cpu"]).expect(0);
        assert!(said.stdout.contains(beads), "{}", said.stdout);
        assert!(!said.stdout.contains("Warning"), "{}", said.stdout);
    }
    // This one names a structure that is to be fetched.
    let input = folder.join("ccmv.toml");
    let said = place.beadwork_of(&["check", input.to_str().unwrap()]).expect(2);
    said.complains(&["1cwp.pdb", "cannot be read"]);
}
