//! Runs with a tip and their answers.

use beadwork::data::{Code, Summary};

use crate::common::{PULL, Place, Table};

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
    assert!(said.starts_with("peak force: "), "{said}");
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
    // The stage after the tip is one without a tip.
    let rest = place.beadwork("plot run --stage rest").expect(0).stdout;
    assert!(rest.contains("second half of stage \"rest\"") && !rest.contains("peak"), "{rest}");
    assert!(!place.path("run/indentation.csv").exists());
}

#[test]
fn a_tip_that_never_touches_says_so() {
    let far = INDENT.replace("gap = \"0.4 nm\"", "gap = \"9 nm\"");
    let place = Place::with_input(&far);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("2 of 2 replica(s) turned after 1.2 nm before"), "{said}");
    assert!(!said.contains("peak force"), "{said}");
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
    ] {
        let place = Place::with_input(&format!("{PULL}\n[analysis]\nslope = {range}\n"));
        place.beadwork("check input.toml").expect(2).complains(&[complaint]);
    }
}
