//! What `check`, `doctor` and the templates say.

use super::{distance, helix};
use crate::common::{HELIX, PULL, Place, json_of};
use serde_json::json;

#[test]
fn check_counts_the_helix() {
    let place = Place::with_input(PULL);
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    // Residues n apart are √(2 · 2.3² (1 − cos 100°n) + (1.5 n)²) Å apart: 5.05 for 3, 6.20 for 4,
    // 8.66 for 5. Within 8 Å and more than two apart are thus 13 + 12 pairs.
    let beads = helix();
    let native = (0..16)
        .flat_map(|i| (i + 3..16).map(move |j| (i, j)))
        .filter(|&(i, j)| distance(beads[i], beads[j]) < 8.0)
        .count();
    assert_eq!((beads.len(), native), (16, 13 + 12));
    let counts = json!({
        "beads": 16, "chains": 1, "bonds": 15, "extra_bonds": 0, "native_contacts": 25,
        "native_contacts_with_energy": 25, "nonnative_pairs": 16 * 15 / 2 - 15 - 25,
    });
    assert_eq!(json["counts"], counts);
    assert_eq!(json["points"][0]["counts"], counts);
    assert_eq!(json["members"], 3);
    assert_eq!(json["stages"][2]["steps"], 80_000);
    assert_eq!(json["stages"][2]["time_ps"], 1_600_000.0);
    assert_eq!(json["selections"][0]["beads"], json!([0]));
    assert_eq!(json["selections"][1]["beads"], json!([15]));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains("16 beads in 1 chain(s) by sop, 15 bonds"), "{words}");
    assert!(words.contains("25 native, 80 non-native pairs"), "{words}");
    assert!(!place.path("runs").exists(), "check writes nothing");
    // Each of the three members has its own thread, if there are enough threads.
    for (threads, used) in [(1, "1 thread"), (2, "2 threads"), (3, "3 threads"), (64, "3 threads")]
    {
        let check = format!("check input.toml --threads {threads}");
        let words = place.beadwork(&check).expect(0).stdout;
        let line = words.lines().find(|line| line.starts_with("Stepping ")).unwrap();
        assert!(line.ends_with(&format!(" instructions, {used}")), "{line}");
        let json = json_of(&place.beadwork(&format!("{check} --json")).expect(0).stdout);
        assert_eq!(json["stepping"]["threads"], threads.min(3));
    }
    // The duration is printed with the speed from which it follows.
    let line = words.lines().find(|line| line.starts_with("Duration ")).unwrap();
    assert!(
        line.starts_with("Duration     about ") && line.contains(" core(s) of this "),
        "{line}"
    );
    assert!(line.ends_with(" steps/s (measured for a moment)"), "{line}");
    let [seconds, rate] = ["estimated_seconds", "estimated_steps_per_second"]
        .map(|name| json[name].as_f64().unwrap_or_else(|| panic!("no {name} in {json:#}")));
    let steps = json["points"][0]["steps"].as_f64().unwrap() * 3.0;
    assert!(seconds > 0.0 && (seconds * rate / steps - 1.0).abs() < 1e-9, "{seconds} {rate}");
}

/// The list that `check` writes gives a run the same bits as the rule that found the contacts.
#[test]
fn a_list_of_contacts_goes_out_and_in() {
    let place = Place::with_input(PULL);
    let said = place.beadwork("check input.toml --contacts -").expect(2);
    said.complains(&["a file named -", "give another name"]);
    let said = place.beadwork("check input.toml --contacts contacts.csv").expect(0);
    assert!(
        said.stdout.contains("\n             25 within chains, 37.5 kcal/mol\n"),
        "{}",
        said.stdout
    );
    assert!(said.stderr.contains("wrote 25 contact(s) to contacts.csv"), "{}", said.stderr);
    // The sum of mistyped energies is printed as other large numbers are; the first steps may fail.
    let many = "check input.toml --set system.contacts.energy=1e99kcal/mol";
    let many = place.beadwork(many).stdout;
    assert!(many.contains("\n             25 within chains, 2.5e100 kcal/mol\n"), "{many}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let expected = json!({
        "within_chains": { "contacts": 25, "energy_kcal_per_mol": 37.5 },
        "between_chains": { "contacts": 0, "energy_kcal_per_mol": 0.0 },
        "pairs_of_chains": [],
    });
    assert_eq!(json["points"][0]["contacts"], expected);
    place.write(
        "listed.toml",
        &PULL.replace("structure =", "contacts = { file = \"contacts.csv\" }\nstructure ="),
    );
    // The file is named, and the energies where they differ, also by edits that keep the sum.
    let checked = || place.beadwork("check listed.toml").expect(0).stdout;
    let said = checked();
    assert!(said.contains("\n             from contacts.csv\n"), "{said}");
    let list = place.read("contacts.csv");
    let edited = list.replacen(",1.5\n", ",0.5\n", 1).replacen(",1.5\n", ",2.5\n", 1);
    place.write("contacts.csv", &edited);
    let said = checked();
    let range = "\n             from contacts.csv, energies 0.5 to 2.5 kcal/mol\n";
    assert!(said.contains(range) && said.contains("25 within chains, 37.5 kcal"), "{said}");
    place.write("contacts.csv", &list);
    for input in ["input", "listed"] {
        place
            .beadwork(&format!(
                "run {input}.toml --set ensemble.replicas=1 --output {input} --quiet"
            ))
            .expect(0);
    }
    let table =
        |input: &str| std::fs::read(place.path(input).join("tables/member-0000.csv")).unwrap();
    assert!(table("input") == table("listed"));
    // A list is never written over, and a sweep over its energies has none.
    place.beadwork("check input.toml --contacts contacts.csv").expect(2).complains(&["exists"]);
    let sweep =
        "[ensemble.sweep]\n\"system.contacts.energy\" = [\"1 kcal/mol\", \"2 kcal/mol\"]\n[output]";
    place.write("sweep.toml", &PULL.replace("[output]", sweep));
    let said = place.beadwork("check sweep.toml --contacts more.csv").expect(2);
    said.complains(&["program/arguments", "different contacts"]);
    assert!(!place.path("more.csv").exists());
}

/// `check` says what lies along +z.
#[test]
fn a_turned_structure_is_said() {
    let place = Place::new();
    let turned = "structure = { file = \"helix.pdb\", orient = [0, 3, 4] }";
    place.write("helix.pdb", HELIX);
    place.write("input.toml", &PULL.replace("structure = \"helix.pdb\"", turned));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    let line = "\nAxis         [0, 3, 4]: (0, 3, 4) of the file lies along +z\n";
    assert!(words.contains(line), "{words}");
    assert!(words.contains("Contacts     25 native, "), "{words}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let expected = json!({
        "axis": "[0, 3, 4]", "direction": [0.0, 3.0, 4.0], "equivalent": 1, "superposition": null,
    });
    assert_eq!(json["points"][0]["turned"], expected);
}

#[test]
fn doctor_passes_on_this_machine() {
    let place = Place::new();
    let words = place.beadwork("doctor").expect(0).stdout;
    assert!(words.contains("This installation computes what it should."), "{words}");
    assert!(!words.contains("FAILED"), "{words}");
    let json = json_of(&place.beadwork("doctor --json").expect(0).stdout);
    assert_eq!(json["healthy"], true);
    let checks = json["checks"].as_array().unwrap();
    let of_vectors = |check: &&serde_json::Value| {
        check["check"].as_str().is_some_and(|name| name.ends_with("instructions"))
    };
    // The scalar path and the baseline instructions are always there, and further ones depend on the machine.
    let instructions = checks.iter().filter(of_vectors).count();
    assert!(instructions >= 2, "{words}");
    assert_eq!(checks.len(), 6 + instructions);
    assert!(words.contains("passed  globule under a tip: "), "{words}");
    assert!(checks.iter().all(|check| check["passed"] == true));
    // Without a GPU the output says so, and all checks pass.
    assert_eq!(words.matches("\nGPU: none (").count(), 1, "{words}");
    assert_eq!(json["gpus"]["cards"], json!([]));
    let words = place.beadwork("doctor --device cpu").expect(0).stdout;
    assert!(words.contains("\nGPU: not tested, because of --device cpu\n"), "{words}");
    // Without GPUs `--thorough` has nothing to test, and a note says so.
    let said = place.beadwork("doctor --device cpu --thorough").expect(0);
    said.complains(&["note: --thorough tests the programs of GPUs"]);
}

#[test]
fn the_template_is_a_valid_input() {
    let place = Place::new();
    let printed = place.beadwork("new sop").expect(0).stdout;
    place.beadwork("new sop mine.toml").expect(0).complains(&["wrote mine.toml", "beadwork check"]);
    assert_eq!(place.read("mine.toml"), printed);
    place.beadwork("new sop mine.toml").expect(2).complains(&["mine.toml exists and is left"]);
    let nowhere = place.beadwork("new oscillators none/mine.toml").expect(2);
    nowhere
        .complains(&["none/mine.toml cannot be written: there is no folder none; make it first"]);
    assert!(!nowhere.stderr.contains("resume"), "{}", nowhere.stderr);
    let words = place.beadwork("check mine.toml").expect(0).stdout;
    assert!(words.contains("76 beads in 1 chain(s)"), "{words}");
    assert!(!words.contains("Warning"), "{words}");
    // It runs as it stands, here for a short time, and the run folder has the structure.
    let short = ["--set", "equilibrate.duration=40 ns", "--set", "pull.duration=200 ns"];
    let run = [&["run", "mine.toml", "-o", "run", "--quiet"], &short[..]].concat();
    place.beadwork_of(&run).expect(0);
    assert!(place.read("run/inputs/ubiquitin.pdb").starts_with("REMARK   C-alpha atoms"));
    place.write("mine.toml", &printed.replace("built-in:ubiquitin.pdb", "protein.pdb"));
    place.beadwork("check mine.toml").expect(2).complains(&["protein.pdb"]);
    place.write("protein.pdb", HELIX);
    let words = place.beadwork("check mine.toml").expect(0).stdout;
    assert!(words.contains("16 beads in 1 chain(s)"), "{words}");
    // The template pulls longer chains.
    let warnings: Vec<&str> = words.lines().filter(|line| line.contains("Warning")).collect();
    assert!(
        matches!(warnings[..], [only] if only.contains("the chain is 5.74 nm long")),
        "{words}"
    );
    // The settings in the template's comments are valid too.
    let with_structure = "--set system.structure={file=\"protein.pdb\",chains=\"A\",model=1}";
    place
        .beadwork_of(&["check", "mine.toml", &with_structure[..5], &with_structure[6..]])
        .expect(0);
}

#[test]
fn a_note_names_a_minimisation_that_used_up_its_steps() {
    let few = "minimise = { tolerance = \"0.000001 kcal/(mol A)\", steps = 3 }";
    let input: String = PULL
        .lines()
        .map(|line| if line.starts_with("minimise = ") { few } else { line })
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(input.contains(few));
    let place = Place::with_input(&input);
    let said = place.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    let note = "the minimisation has used up its 3 steps";
    assert_eq!(said.stderr.matches(note).count(), 3, "{}", said.stderr);
    assert_eq!(place.read("run/log.txt").matches(note).count(), 3);
    let usual = Place::with_input(PULL);
    let said = usual.beadwork("run input.toml -o run --quiet --set pull.steps=400").expect(0);
    assert!(!said.stderr.contains("the minimisation"), "{}", said.stderr);
}

/// `check` predicts the temperature in tables. Allowed: a tenth of its difference from the bath, and four standard
/// errors of the mean square of 3 · 76 normal numbers in each step.
#[test]
fn check_predicts_the_temperature_in_tables() {
    let ubiquitin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/01-ubiquitin/1UBQ.pdb");
    let steps = 100_000;
    let input = format!(
        "[system]\nstructure = \"{ubiquitin}\"\n[dynamics]\ntimestep = \"20 ps\"\n[[stage]]\nname = \"begin\"\nsteps = 20000\n[[stage]]\nname = \"stay\"\nsteps = {steps}\n[output]\ntable = {{ every_steps = 500 }}\n"
    );
    let place = Place::with_input(&input).with_plots();
    for (integrator, timestep, expected) in [
        ("brownian", 20, "304 K"),
        ("brownian", 80, "320 K"),
        ("brownian-second-order", 40, "291 K"),
    ] {
        let of =
            format!("--set dynamics.integrator={integrator} --set dynamics.timestep={timestep}ps");
        let said = place.beadwork(&format!("check input.toml {of}")).expect(0).stdout;
        let line = format!("Temperature  tables will read about {expected} in a bath of 300 K");
        assert!(said.contains(&line), "{said}");
        let checked = json_of(&place.beadwork(&format!("check input.toml {of} --json")).stdout);
        let reading = 300.0 * checked["temperature_read_over_bath"].as_f64().unwrap();
        let run = format!("{integrator}-{timestep}");
        place.beadwork(&format!("run input.toml -o {run} --quiet {of}")).expect(0);
        let table = place.table(&run, 0);
        let stay = table.column("stage").into_iter().map(|stage| stage == "stay");
        let read: Vec<f64> = table
            .numbers("temperature_K")
            .into_iter()
            .zip(stay)
            .filter(|(_, stay)| *stay)
            .map(|(t, _)| t)
            .collect();
        assert_eq!(read.len(), steps / 500);
        let mean = read.iter().sum::<f64>() / read.len() as f64;
        let error = 300.0 * (2.0 / (3.0 * 76.0 * steps as f64)).sqrt();
        let bound = 0.1 * (reading - 300.0).abs() + 4.0 * error;
        assert!((mean - reading).abs() < bound, "{run}: {mean} read, {reading} expected");
        let plot = place.read(&format!("{run}/plots/temperature-time.svg"));
        assert!(plot.contains("The drift of each step"), "no note");
    }
}
