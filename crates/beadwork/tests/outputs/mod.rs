//! Outputs of the program: counts, tables, trajectories, plots, help.

mod stages;

use std::fs;

use crate::common::{HELIX, LADDERS, PULL, Place, Said, Table, assert_same, json_of};
use beadwork::data::Summary;
use beadwork::model::System;
use beadwork::model::made_systems::sop_gpu_dynamics;
use beadwork::model::observables::Observable;
use serde_json::json;

/// Positions of the helix, Å, from the columns of the PDB file.
fn helix() -> Vec<[f64; 3]> {
    let atoms = HELIX.lines().filter(|line| line.starts_with("ATOM"));
    atoms.map(|line| [30, 38, 46].map(|at| line[at..at + 8].trim().parse().unwrap())).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The words of a drawing, in the order of the file.
fn words_of(svg: &str) -> String {
    let texts = svg.split("<text").skip(1);
    let words = texts.map(|text| text.split_once('>').unwrap().1.split('<').next().unwrap());
    words.collect::<Vec<_>>().join(" ")
}

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
    assert!(words.contains("16 beads in 1 chain(s), 15 bonds"), "{words}");
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

#[test]
fn members_that_were_stopped_are_not_called_running() {
    let endless = PULL.replace("80_000", "800_000_000").replace("2000 um/s", "0.01 um/s");
    let place = Place::with_input(&endless);
    place.beadwork("run input.toml -o run --quiet --max-time 1s --threads 3").expect(5);
    let members = Table::parse(&place.read("run/members.csv"));
    assert_eq!(members.column("status"), ["stopped"; 3]);
}

#[test]
fn the_record_names_what_all_points_use() {
    let sweep = "[ensemble]\nreplicas = 1\nsweep = { \"dynamics.precision\" = [\"double\", \"single\"], \"dynamics.integrator\" = [\"brownian\", \"brownian-second-order\"] }";
    let place = Place::with_input(&PULL.replace("[ensemble]\nreplicas = 3", sweep));
    place.beadwork("run input.toml -o run --quiet --max-time 0s").expect(5);
    let record = json_of(&place.read("run/run.json"));
    assert_eq!(record["precision"], "double, single");
    assert_eq!(record["integrator"], "brownian, brownian-second-order");
    assert_eq!(record["generator"], "philox4x32-10");
    assert_eq!(
        (&record["scheme"], &record["distribution"]),
        (&"counter".into(), &"box-muller".into())
    );
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
    assert_eq!(checks.len(), 5 + instructions);
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
fn tables_and_frames() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    for member in 0..3 {
        let table = place.table("run", member);
        let (molecules, dynamics) = (System::default(), sop_gpu_dynamics(20.0));
        let columns = ["step", "time_ns", "stage"].into_iter();
        let columns = columns.chain(molecules.observables(&dynamics).map(Observable::column));
        assert_eq!(table.columns, columns.collect::<Vec<_>>());
        // The first row is the structure itself: all contacts at their minima, bonds at rest.
        let beads = helix();
        let first = |column: &str| table.numbers(column)[0];
        assert!((first("extension_nm") - distance(beads[0], beads[15]) / 10.0).abs() < 1e-6);
        assert_eq!(first("native_contacts"), 25.0);
        assert!((first("contact_energy_kcal_per_mol") + 25.0 * 1.5).abs() < 1e-4);
        assert!(first("bond_energy_kcal_per_mol").abs() < 1e-4);
        assert_eq!((table.column("force_pN")[0], table.column("temperature_K")[0]), ("", ""));
        // The energy falls in the minimisation; then there is a row every 200 steps of 20 ps.
        let energies = table.numbers("total_energy_kcal_per_mol");
        assert!(energies[1] < energies[0]);
        let steps = table.numbers("step");
        let times = table.numbers("time_ns");
        let minimised = steps[1];
        assert_eq!(times[1], 0.0);
        for row in 2..steps.len() {
            assert_eq!(steps[row], minimised + 200.0 * (row - 1) as f64);
            assert_eq!(times[row], 4.0 * (row - 1) as f64);
        }
        // The stop rule held at the last row, and at none before.
        let extensions = table.numbers("extension_nm");
        let (last, before) = extensions.split_last().unwrap();
        assert!(*last > 3.5, "{last}");
        assert!(before.iter().all(|extension| *extension <= 3.5));
        assert!(extensions.len() < 2 + (10_000 + 80_000) / 200, "stopped before the last step");

        let frames = format!("run/tables/member-{member:04}-frames.csv");
        let frames = Table::parse(&place.read(&frames));
        assert_eq!(frames.columns, ["frame", "step", "time_ns", "stage"]);
        let frame_steps = frames.numbers("step");
        assert_eq!(frame_steps[..2], [0.0, minimised]);
        let frame_times = frames.numbers("time_ns");
        for (frame, (step, time)) in frame_steps.iter().zip(&frame_times).enumerate().skip(2) {
            assert_eq!(*step, minimised + 1000.0 * (frame - 1) as f64);
            assert_eq!(*time, 20.0 * (frame - 1) as f64);
        }
        let numbers: Vec<f64> = (0..frame_steps.len()).map(|frame| frame as f64).collect();
        assert_eq!(frames.numbers("frame"), numbers);

        // A reader of another project reads the trajectory, which agrees with the table.
        let path = place.path(&format!("run/trajectories/member-{member:04}.xtc"));
        let read = molly::XTCReader::open(path).unwrap().read_all_frames().unwrap();
        assert_eq!(read.len(), frame_steps.len());
        for (number, frame) in read.iter().enumerate() {
            assert_eq!(f64::from(frame.step), frame_steps[number]);
            let time = frame_times[number] * 1000.0;
            assert!((f64::from(frame.time) - time).abs() <= 1e-6 * time);
            assert_eq!(frame.positions.len(), 16 * 3);
            let bead = |bead: usize| [0, 1, 2].map(|a| f64::from(frame.positions[3 * bead + a]));
            let row = steps.iter().position(|step| *step == frame_steps[number]).unwrap();
            // Coordinates are rounded to 0.001 nm, so the distance of two beads is off by at most 2 √3 · 0.0005 nm, and
            // a little for f32.
            let extension = distance(bead(0), bead(15));
            assert!((extension - extensions[row]).abs() < 0.001_74, "{extension}");
        }
    }
    let members = Table::parse(&place.read("run/members.csv"));
    assert_eq!(members.columns[..5], ["member", "point", "replica_of_point", "status", "message"]);
    assert_eq!(members.column("member"), ["0", "1", "2"]);
    assert_eq!(members.column("status"), ["finished"; 3]);
    let unfolding = Table::parse(&place.read("run/unfolding.csv"));
    let columns = [
        "group",
        "replica",
        "unfolding_force_pN",
        "extension_nm",
        "time_ns",
        "native_contacts",
        "fall_pN",
    ];
    assert_eq!(unfolding.columns, columns);
    assert_eq!(unfolding.column("replica"), ["0", "1", "2"]);
    let peaks = Table::parse(&place.read("run/peaks.csv"));
    assert_eq!(peaks.columns[2], "force_pN");
    let record = json_of(&place.read("run/run.json"));
    assert_eq!((&record["members"], &record["seed"]), (&json!(3), &json!(20101)));
    assert_eq!(place.read("run/input.toml"), PULL);
    assert_eq!(place.read("run/inputs/helix.pdb"), HELIX);
    let psf = place.read("run/topology.psf");
    assert!(psf.contains("16 !NATOM") && psf.contains("15 !NBOND"), "{psf}");
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
    // No replica unfolds in these few steps, so there is no force.
    place.beadwork("plot run --fail-on drift,disagreement,failure").expect(0);
    let failed = place.beadwork("plot run --json --fail-on few-values").expect(3);
    assert!(failed.stderr.contains("--fail-on: no-values: "), "{}", failed.stderr);
    assert_eq!(json(&failed)["exit"], 3);
    place.beadwork("plot run --fail-on luck").expect(2);
}

#[test]
fn plots_have_axes_units_and_legends() {
    let place = Place::with_input(PULL).with_plots();
    let answer = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    // The spring's base takes 125 ns for 2.5 Å at 2000 µm/s: 31 rows of 4 ns.
    assert!(answer.contains("window 31 points = 124 ns"), "{answer}");
    assert!(answer.contains("tables, trajectories and 6 plots are in run"), "{answer}");
    assert!(answer.starts_with(&place.read("run/summary.txt")));
    let figures = [
        ("force-extension", ["extension / nm", "force / pN", "one of 3"]),
        ("force-time", ["time / ", "force / pN", "one of 3"]),
        ("extension-time", ["time / ", "extension / nm", "mean of 3"]),
        ("temperature-time", ["time / ", "temperature / K", "mean of 3"]),
        ("contacts-time", ["time / ", "native contacts", "mean of 3"]),
        ("unfolding-forces", ["unfolding force / pN", "number of replicas", "3"]),
    ];
    for (name, parts) in figures {
        let svg = place.read(&format!("run/plots/{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let words = words_of(&svg);
        for part in parts {
            assert!(words.contains(part), "{name}: no {part} in {words}");
        }
        let png = fs::read(place.path(&format!("run/plots/{name}.png"))).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    }
    // Every figure exists as SVG and as PNG, and the folder holds nothing else.
    let files: Vec<_> =
        fs::read_dir(place.path("run/plots")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in &files {
        let twin = if file.extension().unwrap() == "svg" { "png" } else { "svg" };
        assert!(files.contains(&file.with_extension(twin)), "{}", file.display());
    }
    assert!(answer.contains(&format!(" {} plots are in run", files.len() / 2)), "{answer}");

    // Another window: 100 ns are 25 rows.
    let words = place.beadwork_of(&["plot", "run", "--window", "100 ns"]).expect(0).stdout;
    assert!(words.contains("window 25 points = 100 ns"), "{words}");
    assert!(words.contains("run/plots/force-extension.svg"), "{words}");
    let words = words_of(&place.read("run/plots/force-extension.svg"));
    assert!(words.contains("window 25 points"), "{words}");
    for (option, value, part) in [
        ("--window", "100 pN", "--window: \"100 pN\" is a force; expected a time"),
        ("--window", "0 ns", "must be above zero"),
        ("--prominence", "40", "has no unit"),
    ] {
        place.beadwork_of(&["plot", "run", option, value]).expect(2).complains(&[part]);
    }

    // Two runs side by side.
    place
        .beadwork_of(&[
            "run",
            "input.toml",
            "-o",
            "stiff",
            "--quiet",
            "--set",
            "pull.stiffness=200 pN/nm",
        ])
        .expect(0);
    let before = [place.results("run"), place.results("stiff")];
    let words = place.beadwork("plot run stiff").expect(0).stdout;
    assert!(words.contains("comparison/force-extension.png"), "{words}");
    for name in ["force-extension", "force-time"] {
        let words = words_of(&place.read(&format!("comparison/{name}.svg")));
        for part in ["run (one of 3)", "stiff (one of 3)"] {
            assert!(words.contains(part), "no {part} in {words}");
        }
    }
    assert!(before == [place.results("run"), place.results("stiff")], "runs stay as they are");
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

#[test]
fn an_input_of_sop_gpu_is_imported() {
    let place = Place::new();
    let sop = "topology helix.top\ncoordinates helix.pdb\nnumsteps 2000\ntimestep 0.08\nrunnum 2\nfirstrun 0\npulling on\nfixed 0\npulled 15\ndeltax 0.001\nk_trans 0.05\nnav 100\ndevice 0\nmystery 7\n";
    place.write("pull.sop", sop);
    let said = place.beadwork("import pull.sop").expect(0);
    said.complains(&["note: `mystery` (line 14: 7) has no counterpart", "`device`"]);
    let toml = said.stdout;
    // 0.08 is 20 ps; 0.001 Å in 100 steps are 5e-7 Å/ps.
    for part in [
        "timestep = \"20 ps\"",
        "steps = 2000",
        "replicas = 2",
        "update_every = 100",
        "pulled = \"index 15\"",
    ] {
        assert!(toml.contains(part), "no {part} in\n{toml}");
    }
    place.beadwork("import pull.sop -o pull.toml").expect(0).complains(&["wrote pull.toml"]);
    assert_eq!(place.read("pull.toml"), toml);
    place
        .beadwork("import pull.sop -o pull.toml")
        .expect(2)
        .complains(&["exists and is left as it is"]);
    place.beadwork("import none.sop").expect(2).complains(&["none.sop", "No such file"]);
    place.write("bad.sop", &sop.replace("0.08", "small"));
    let parts = ["bad.sop, line 4: `timestep`: \"small\" is not a number", "[bad.sop:4:1]"];
    place.beadwork("import bad.sop").expect(2).complains(&parts);
}

/// A file of neither kind is refused in a sentence, not shown.
#[test]
fn files_that_import_does_not_read_are_named() {
    let place = Place::new();
    let beads = "2\nmystery\nA 0 0 0\nA 1 0 0\n";
    for (name, text, parts) in [
        ("w.xyz", beads, ["w.xyz is no input of another", "start = \"w.xyz\" in [system] reads"]),
        // The content tells what the ending does not.
        ("in.melt", beads, ["in.melt is no input of another", "start = \"in.melt\" in [system]"]),
        (
            "in.text",
            "mystery\n",
            ["is neither a configuration of", "section Atoms: import reads these two"],
        ),
    ] {
        place.write(name, text);
        let said = place.beadwork(&format!("import {name}")).expect(2);
        said.complains(&parts);
        assert!(!said.stderr.contains("mystery"), "{}", said.stderr);
    }
    place.beadwork("import none.xyz").expect(2).complains(&["none.xyz", "No such file"]);
}

#[test]
fn an_imported_data_file_is_found_from_the_folder_of_the_input() {
    let place = Place::new();
    let data = "two units = lj\n\n2 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\n1 1 # A\n\nAtoms # atomic\n\n1 1 1 1 1\n2 1 3 3 3\n\nPair Coeffs # lj/cut\n\n1 1 1 2.5\n";
    place.write("two.data", data);
    fs::create_dir(place.path("sub")).unwrap();
    place.beadwork("import two.data --output sub/two.toml").expect(0);
    assert!(place.read("sub/two.toml").contains("start = { file = \"../two.data\" }"));
    place.beadwork("check sub/two.toml").expect(0);
    place.beadwork("import two.data --output two.toml").expect(0);
    assert!(place.read("two.toml").contains("two.data, which must lie beside this input"));
}

/// The subcommands.
const NAMES: [&str; 10] = [
    "new",
    "check",
    "run",
    "resume",
    "extend",
    "plot",
    "import",
    "doctor",
    "random",
    "completions",
];

#[test]
fn shells_complete_every_subcommand() {
    let place = Place::new();
    let help = place.beadwork("--help").expect(0).stdout;
    let shown = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let listed: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(NAMES.iter().all(|name| listed.contains(name)), "{listed:?}");
    for (shell, beginning) in
        [("bash", "_beadwork() {"), ("zsh", "#compdef beadwork"), ("fish", "# Print an optspec")]
    {
        let script = place.beadwork(&format!("completions {shell}")).expect(0).stdout;
        assert!(script.starts_with(beginning), "{shell}: {}", &script[..200]);
        for name in &listed {
            assert!(script.contains(name), "{shell} does not know {name}");
        }
        for option in ["max-time", "replicas", "prominence"] {
            assert!(script.contains(option), "{shell} does not know --{option}");
        }
    }
    place.beadwork("completions tcsh").expect(2).complains(&["tcsh", "bash, elvish, fish"]);
    // Bash accepts the script, and completes a word with it.
    let test = "source <(\"$1\" completions bash) && COMP_WORDS=(beadwork ext) && COMP_CWORD=1 && _beadwork beadwork ext beadwork && echo \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", test, "bash", env!("CARGO_BIN_EXE_beadwork")]);
    let Ok(output) = bash.output() else {
        println!("skipped: no bash");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), "extend", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    let all = place.beadwork("--help").expect(0).stdout;
    for name in NAMES {
        assert!(all.contains(&format!("\n  {name} ")), "{all}");
        let help = place.beadwork(&format!("{name} --help")).expect(0).stdout;
        assert!(help.contains("Usage: beadwork"), "{help}");
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("\n  beadwork {name} ")), "{help}");
    }
    assert!(all.contains("Exit codes: 0 done, 2 bad input"), "{all}");
    let version = place.beadwork("--version").expect(0).stdout;
    assert_eq!(version.trim(), format!("beadwork {}", env!("CARGO_PKG_VERSION")));
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
