//! Chains that are sampled, and replica exchange: `new`, `check`, runs and their answers.

use beadwork::part::View;
use serde_json::json;

use crate::common::{LADDERS, PULL, Place, Table, assert_same, json_of};

/// `check` describes runs of chains in sweeps and reduced units only.
#[test]
fn chains_are_checked_in_reduced_units() {
    let place = Place::new();
    let printed = place.beadwork("new elastic-polymer").expect(0).stdout;
    place.beadwork("new elastic-polymer chain.toml").expect(0).complains(&["beadwork check"]);
    assert_eq!(place.read("chain.toml"), printed);
    assert_eq!(place.beadwork("new polymer").expect(0).stdout, printed);
    let words = place.beadwork("check chain.toml").expect(0).stdout;
    for line in [
        "System       elastic polymer of 13 monomers: depth 1, diameter 0.6236, cutoff 1.559; bonds of 0.7 +/- 0.3, stiffness 40 (reduced units)",
        "Sampling     moves of up to 0.1 along each axis, single precision",
        "Ladder       16 temperatures: 0.15, 0.1749, 0.2039, 0.2377, 0.2772, 0.3232, 0.3768, 0.4393, 0.5122, 0.5972, 0.6962, 0.8118, 0.9464, 1.103, 1.287, 1.5",
        "Exchange     every 100 sweeps, 5 500 attempts of each pair of neighbours",
        "Stage        equilibrate: 100 000 sweeps, displacements fitted every 100 sweeps",
        "Stage        sample: 1 000 000 sweeps",
        "Table        a row every 100 sweeps (11 000 rows a member)",
        "Trajectory   a frame every 10 000 sweeps (110 frames a member)",
        "Ensemble     32 member(s): 1 point(s) x 2 ladder(s) of 16 replicas",
    ] {
        assert!(words.lines().any(|other| other == line), "no {line} in\n{words}");
    }
    assert!(words.contains(" sweeps/s (measured for a moment)"), "{words}");
    assert!(!words.contains("Warning"), "{words}");
    for unit in [" ps", " ns", " nm", "kcal", " K", "µs", " steps"] {
        assert!(!words.contains(unit), "{unit} in\n{words}");
    }
    let text = place.beadwork("check chain.toml --json").expect(0).stdout;
    let json = json_of(&text);
    assert_eq!(json["exchange"]["temperatures"][15], 1.5);
    assert_eq!(
        (&json["exchange"]["every_sweeps"], &json["exchange"]["ladders"]),
        (&json!(100), &json!(2))
    );
    assert_eq!((&json["replicas"], &json["members"]), (&json!(32), &json!(32)));
    let stages = json!([
        { "name": "equilibrate", "sweeps": 100_000, "tune_every_sweeps": 100 },
        { "name": "sample", "sweeps": 1_000_000, "tune_every_sweeps": null },
    ]);
    assert_eq!(json["stages"], stages);
    assert_eq!(json["points"][0]["sweeps"], 1_100_000);
    assert_eq!(json["output"]["table_every_sweeps"], 100);
    assert!(json["estimated_sweeps_per_second"].as_f64().unwrap() > 0.0);
    for word in ["_ps", "_nm", "kcal", "_steps", "bond_step", "\"steps"] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    // Without a ladder each chain has the temperature of the input.
    let alone = printed.replace("[exchange]", "temperature = 0.5\n#[exchange]");
    let alone: Vec<&str> = alone
        .lines()
        .filter(|line| !["temperatures", "ladders"].iter().any(|key| line.starts_with(key)))
        .filter(|line| !line.starts_with("every_sweeps"))
        .collect();
    place.write("alone.toml", &alone.join("\n"));
    let words = place.beadwork("check alone.toml").expect(0).stdout;
    let line =
        "Sampling     moves of up to 0.1 along each axis, at temperature 0.5, single precision";
    assert!(words.contains(line) && !words.contains("Ladder"), "{words}");
    assert!(words.contains("1 member(s): 1 point(s) x 1 replica(s)"), "{words}");
}

#[test]
fn ladders_of_proteins_are_checked_in_kelvin() {
    let ladder =
        "[exchange]\ntemperatures = [\"280 K\", \"300 K\"]\nevery = \"10 ns\"\nladders = 3";
    // Externals that pull and stop rules are refused beside [exchange].
    let external = PULL.find("drives = [").unwrap();
    let end = external + PULL[external..].find("]\n").unwrap() + 2;
    let held =
        [&PULL[..external], &PULL[end..]].concat().replace("stop = \"extension > 3.5 nm\"\n", "");
    let place = Place::with_input(&held.replace("[ensemble]\nreplicas = 3", ladder));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains("\nLadder       2 temperatures: 280, 300 K\n"), "{words}");
    // 10 000 and 80 000 steps; those of the minimisation do not count.
    assert!(
        words.contains("\nExchange     every 10 ns, 90 attempts of each pair of neighbours\n"),
        "{words}"
    );
    assert!(words.contains("6 member(s): 1 point(s) x 3 ladder(s) of 2 replicas"), "{words}");
    assert!(!words.contains("kT"), "{words}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let kelvin = json["exchange"]["temperatures_K"].as_array().unwrap();
    assert!((kelvin[1].as_f64().unwrap() - 300.0).abs() < 1e-9, "{kelvin:?}");
    assert_eq!(
        (&json["exchange"]["every_steps"], &json["timestep_ps"]),
        (&json!(500), &json!(20.0))
    );
    assert_eq!(json["stages"][2]["time_ps"], 1_600_000.0);
}

/// All commands print the same answer for a run of ladders, and parts have the files of the whole.
#[test]
fn ladders_run_to_their_answer() {
    let place = Place::new();
    place.write("chain.toml", LADDERS);
    let words = place.beadwork("run chain.toml -o run --quiet --threads 1").expect(0).stdout;
    for said in [
        "rows of the last stage: 2400 (4 temperatures from 0.4000 to 1.6000, 3 ladder(s))",
        "least acceptance of exchanges: ",
        "energies of neighbours are those of one system at two temperatures",
        "26 400 sweeps in ",
    ] {
        assert!(words.contains(said), "no {said} in\n{words}");
    }
    assert!(place.read("run/log.txt").contains(": 12 member(s), 26 400 sweeps in all, seed "));
    place.beadwork("run chain.toml -o again --quiet --threads 3").expect(0);
    let [one, three] = ["run", "again"].map(|run| place.results(run));
    assert!(
        [
            "exchange.csv",
            "thermodynamics.csv",
            "curves.csv",
            "neighbours.csv",
            "lowest.pdb",
            "lowest.csv"
        ]
        .iter()
        .all(|name| one.contains_key(*name))
    );
    assert_same(&one, &three);

    // The averages are those of the rows on each rung, whichever replicas wrote them.
    let averages = Table::parse(&place.read("run/thermodynamics.csv"));
    let found = averages.numbers("energy_per_bead");
    let (mut sums, mut rows) = ([0.0; 4], [0.0; 4]);
    for member in 0..12 {
        let table = place.table("run", member);
        let stages = table.column("stage");
        let (rungs, energies) = (table.numbers("rung"), table.numbers("energy"));
        for ((stage, rung), energy) in stages.iter().zip(rungs).zip(energies) {
            if *stage == "sample" {
                sums[rung as usize] += energy / 6.0;
                rows[rung as usize] += 1.0;
            }
        }
    }
    assert_eq!(rows, [600.0; 4]);
    for rung in 0..4 {
        assert!((found[rung] - sums[rung] / rows[rung]).abs() < 1e-12);
    }
    assert!(found.is_sorted());
    let exchange = Table::parse(&place.read("run/exchange.csv"));
    assert_eq!(exchange.numbers("attempted")[..3], [110.0; 3]);
    assert!(exchange.numbers("accepted").iter().take(3).all(|&made| made > 10.0));

    place.beadwork("run chain.toml -o part --quiet --replicas 2..6").expect(2).complains(&[
        "the replicas 2..6 would cut a ladder, whose 4 replicas exchange their temperatures: write 0..8",
    ]);
    place.beadwork("run chain.toml -o part --quiet --replicas 4..8").expect(0);
    let part = place.results("part");
    for (name, bytes) in part.iter().filter(|(name, _)| name.starts_with("tables/")) {
        assert!(one[name] == *bytes, "{name}");
    }
}

/// Too few rows, or rows from the start of the run, give a warning before the run and a note after it.
#[test]
fn averages_of_too_few_rows_are_warned_of() {
    let place = Place::new();
    let ladders = LADDERS.replace("sweeps = 200\n", "sweeps = 1000\n");
    place.write("chain.toml", &ladders);
    let check = |place: &Place, set: &str| {
        let words = place.beadwork(&format!("check chain.toml {set}")).expect(0).stdout;
        words.lines().filter(|line| line.starts_with("Warning")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(check(&place, ""), "");
    assert_eq!(
        check(&place, "--set output.table.every_sweeps=4000"),
        "Warning      the table's interval is longer than the run: only the start will be in it"
    );
    assert_eq!(
        check(&place, "--set output.table.every_sweeps=900 --set sample.sweeps=790"),
        "Warning      stage \"sample\", whose averages are the answer, has 790 sweeps and the table a row every 900, so that no row falls into it: write rows more often, for example table = { every_sweeps = 26 } in [output], or make the stage longer"
    );
    let few = "output.table.every_sweeps=100";
    let said = "stage \"sample\", whose averages are the answer, has 3 × 20 row(s) at each temperature, and errors usually need at least 3 × 30, for eight blocks of ten: write rows more often, for example table = { every_sweeps = 66 } in [output], or make the stage longer";
    assert_eq!(check(&place, &format!("--set {few}")), format!("Warning      {said}"));
    let more = "--set output.table.every_sweeps=66";
    assert_eq!(check(&place, more), "");
    place
        .beadwork(&format!("run chain.toml -o few --quiet --set {few} --max-time 0s"))
        .expect(5)
        .complains(&[&format!("warning: {said}")]);

    let one =
        ladders.replace("[[stage]]\nname = \"equilibrate\"\nsweeps = 1000\ntune = true\n", "");
    assert_ne!(one, ladders);
    place.write("chain.toml", &one);
    assert_eq!(
        check(&place, ""),
        "Warning      the run has one stage to average over, \"sample\", so the averages include the start of the run, where chains are straight: put a stage before it that is left out, [[stage]] with for example sweeps = 200 and tune = true"
    );
    let said = "note: averages have the rows from the start on, equilibration included: a stage before this one would be left out\n";
    let words = place.beadwork("run chain.toml -o one --quiet").expect(0).stdout;
    assert!(words.contains(said), "{words}");
    assert!(place.read("one/summary.txt").contains(said));
    // The user chose these starts, so there is no warning.
    let started = one.replace("= 6", "= 6\nstart = \"one/final/replica-{replica}.pdb\"");
    place.write("chain.toml", &started);
    assert_eq!(check(&place, ""), "");
    let words = place.beadwork("run chain.toml -o started --quiet").expect(0).stdout;
    assert!(!words.contains("from the start on"), "{words}");
}

/// `plot` notes that members have steps left, and writes the files that the run itself writes at its end.
#[test]
fn plot_notes_runs_with_steps_left() {
    let place = Place::new().with_plots();
    place.write("chain.toml", LADDERS);
    place
        .beadwork("run chain.toml -o run --quiet --max-time 1s --set sample.sweeps=100_000_000")
        .expect(5);
    assert!(!place.path("run/lowest.csv").exists());
    let said = "note: 12 of 12 replica(s) in run have not finished all stages, and the results cover what they have done so far; if the run was stopped, go on with: beadwork resume run\n";
    let words = place.beadwork("plot run --output elsewhere").expect(0).stdout;
    assert!(words.contains(said) && !place.path("run/lowest.csv").exists(), "{words}");
    // A killed run has no exchange.csv.
    std::fs::remove_file(place.path("run/exchange.csv")).unwrap();
    let words = place.beadwork("plot run").expect(0).stdout;
    assert!(words.contains(said) && words.contains("least acceptance of exchanges: "), "{words}");
    assert!(place.read("run/summary.txt").contains(said));
    let lowest = Table::parse(&place.read("run/lowest.csv"));
    // Ladders that have not begun have no lowest energies.
    assert!([4, 8, 12].contains(&lowest.rows.len()), "{lowest:?}");
    assert!(place.read("run/lowest.pdb").contains("quenched"));

    // If a checkpoint cannot be used, `plot` leaves the derived files alone.
    std::fs::write(place.path("run/checkpoints/member-0004.ckpt"), "none").unwrap();
    std::fs::remove_file(place.path("run/lowest.csv")).unwrap();
    let words = place.beadwork("plot run").expect(0).stdout;
    assert!(words.contains("note: it is not known how far the replicas in run are: "), "{words}");
    assert!(!place.path("run/lowest.csv").exists());

    place.beadwork("run chain.toml -o whole --quiet").expect(0);
    let whole = place.results("whole");
    let words = place.beadwork("plot whole").expect(0).stdout;
    assert!(!words.contains("have not finished"), "{words}");
    assert_same(&whole, &place.results("whole"));
}

/// Without usable checkpoints `members.csv` decides, and no note advises to start again.
#[test]
fn without_checkpoints_the_list_of_members_counts() {
    let place = Place::new().with_plots();
    place.write("chain.toml", LADDERS);
    place.beadwork("run chain.toml -o run --quiet").expect(0);
    let but_checkpoints = || {
        let mut files = place.results("run");
        files.retain(|name, _| !name.starts_with("checkpoints"));
        files
    };
    let whole = but_checkpoints();
    let kept = ["0000", "0004"].map(|number| {
        let path = place.path(&format!("run/checkpoints/member-{number}.ckpt"));
        (path.clone(), std::fs::read(path).unwrap())
    });
    let plot = || place.beadwork("plot run").expect(0).stdout;
    let words = plot();
    assert!(!words.contains("have not finished"), "{words}");
    // Checkpoints of another build, then none.
    for number in ["0000", "0004", "0008"] {
        std::fs::write(place.path(&format!("run/checkpoints/member-{number}.ckpt")), "none")
            .unwrap();
    }
    let unusable = plot();
    let said = "note: the checkpoints of 12 replica(s) in run cannot be used, so their tables and trajectories could not be compared with what was written: run/checkpoints/member-0000.ckpt is not a checkpoint of beadwork.";
    assert!(unusable.contains(said), "{unusable}");
    let others = "(and 2 other file(s), which `beadwork verify run` names)";
    assert!(unusable.contains(others), "{unusable}");
    let same = |text: &str| text.lines().filter(|line| !line.contains(said)).collect::<String>();
    assert_eq!(same(&unusable), same(&words));
    let but_summaries = |mut files: std::collections::BTreeMap<String, Vec<u8>>| {
        files.retain(|name, _| !name.starts_with("summary."));
        files
    };
    assert_same(&but_summaries(whole.clone()), &but_summaries(but_checkpoints()));
    assert!(place.read("run/summary.json").contains("\"not-compared\""));
    place.beadwork("report run").expect(0).complains(&[said, others]);
    assert!(place.read("run/report.html").contains("not-compared"));
    // A view that is open reads checkpoints once, so that all it says is of one moment.
    let open = || View::open(&place.path("run")).unwrap();
    let view = open();
    view.refuse_damaged().unwrap();
    std::fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
    let says = |view: &View, words: &str| view.not_compared().unwrap()[0].contains(words);
    assert!(says(&view, "cannot be used") && says(&open(), "are gone"));
    let without = plot();
    assert!(!without.contains("have not finished"), "{without}");
    let said = "note: the checkpoints of 12 replica(s) in run are gone, so their tables and trajectories could not be compared with what was written: put run/checkpoints/member-0000.ckpt and 2 other file(s) back, then `beadwork verify run` compares all";
    assert!(without.contains(said), "{without}");
    place.beadwork("report run").expect(0).complains(&[said]);

    // A killed run has no members.csv.
    std::fs::remove_file(place.path("run/members.csv")).unwrap();
    std::fs::remove_file(place.path("run/tables/member-0011.csv")).unwrap();
    let words = plot();
    assert!(words.contains("note: 12 of 12 replica(s) in run have not finished all stages, and the results cover what they have done so far; 11 of them have a table and no checkpoint, and start from the beginning if the run was stopped\n"), "{words}");
    assert!(!words.contains("beadwork resume"), "{words}");
    // Only exchange.csv has these counts, so it stays if some or all checkpoints are missing.
    let exchanges_stay = |words: &str| {
        assert!(words.contains("least acceptance of exchanges: "), "{words}");
        assert!(place.read("run/exchange.csv").as_bytes() == whole["exchange.csv"]);
    };
    exchanges_stay(&words);
    std::fs::create_dir(place.path("run/checkpoints")).unwrap();
    for (path, bytes) in kept {
        std::fs::write(path, bytes).unwrap();
    }
    exchanges_stay(&plot());
}

/// Files of a point are named by its number, even before other points have begun.
#[test]
fn lowest_energies_of_the_first_point_keep_their_name() {
    let place = Place::new();
    let one = LADDERS.replace("ladders = 3\n", "")
        + "\n[ensemble.sweep]\n\"sampling.displacement\" = [0.2, 0.3]\n";
    place.write("chain.toml", &one);
    place.beadwork("run chain.toml -o run --quiet").expect(0);
    let lowest =
        ["lowest-point-0000.pdb", "lowest-point-0001.pdb"].map(|name| format!("run/{name}"));
    let first = place.read(&lowest[0]);
    // The folder of a run that was killed before its second point.
    for name in ["members.csv", "exchange.csv", "lowest.csv", "checkpoints/member-0004.ckpt"] {
        std::fs::remove_file(place.path(&format!("run/{name}"))).unwrap();
    }
    for number in 4..8 {
        std::fs::remove_file(place.path(&format!("run/tables/member-000{number}.csv"))).unwrap();
    }
    lowest.iter().for_each(|name| std::fs::remove_file(place.path(name)).unwrap());
    let words = place.beadwork("plot run").expect(0).stdout;
    assert!(
        words.contains("4 of 8 replica(s) in run have not finished all stages")
            && words.contains("go on with: beadwork resume run\n"),
        "{words}"
    );
    assert_eq!(place.read(&lowest[0]), first);
    let there =
        ["run/lowest.csv", "run/lowest.pdb", &lowest[1]].map(|name| place.path(name).exists());
    assert_eq!(there, [true, false, false]);
}

/// Plots of chains have axes of their own, and no forces to average.
#[test]
fn plots_of_chains_are_not_combined_with_others() {
    let place = Place::with_input(PULL).with_plots();
    place.write("chain.toml", LADDERS);
    place.beadwork("run chain.toml -o chain --quiet").expect(0);
    let axes = |figure: &str, label: &str| {
        let svg = place.read(&format!("chain/plots/{figure}.svg"));
        assert!(svg.contains(label), "no {label} in {figure}");
    };
    axes("size", "square radius of gyration");
    axes("size-growth", "d/dT of the square radius of gyration");
    axes("specific-heat", "temperature<");
    axes("flow", "temperature<");
    axes("energies", "energy of a monomer");
    for temperature in ["T = 0.4000", "T = 0.6350", "T = 1.0079", "T = 1.6000"] {
        axes("energies", temperature);
    }
    let said = "note: --window has no effect: runs of chains have no forces";
    place.beadwork_of(&["plot", "chain", "--window", "1 us"]).expect(0).complains(&[said]);
    place.beadwork("run input.toml -o protein --quiet --max-time 0s").expect(5);
    place.beadwork("plot chain protein").expect(2).complains(&[
        "chain is of chains in reduced units and protein is of a protein, and plots of both would have no axis in common: draw them apart",
    ]);
    let oscillators = "[system]\nmodel = \"oscillators\"\nparticles = 6\nstiffness = \"0.01 pN/nm\"\n[dynamics]\ndiffusion = \"0.25 nm^2/ns\"\ntimestep = \"1 ns\"\n[[stage]]\nsteps = 10\n";
    place.write("wells.toml", oscillators);
    place.beadwork("run wells.toml -o wells --quiet").expect(0);
    place.beadwork("plot protein wells").expect(2).complains(&[
        "protein is of a protein and wells is of oscillators, and plots of both would have no axis in common: draw them apart",
    ]);
}
