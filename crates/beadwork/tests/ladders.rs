//! Ladders of replicas: extension, placed temperatures, proteins, and missing tables.

use crate::common::{LADDERS, PULL, Place, Table, earlier_record, json_of, only};

/// Missing and shortened tables of a ladder are reported; members that have not begun need none.
#[test]
fn missing_tables_of_ladders_are_reported() {
    let place = Place::new();
    place.write("chain.toml", LADDERS);
    place.beadwork("run chain.toml -o run --quiet").expect(0);
    let path = place.path("run/tables/member-0003.csv");
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for command in ["plot run", "resume run --quiet"] {
        place
            .beadwork(command)
            .expect(2)
            .complains(&["member-0003.csv is gone", "io/missing-output"]);
    }
    // The table is cut at the end of a line.
    let cut = whole[..whole.len() / 2].rfind('\n').unwrap() + 1;
    std::fs::write(&path, &whole[..cut]).unwrap();
    for command in ["plot run", "resume run --quiet"] {
        place.beadwork(command).expect(2).complains(&[
            "io/short-output",
            &format!(
                "member-0003.csv holds {cut} bytes, but the checkpoint expects at least {}",
                whole.len()
            ),
        ]);
    }
    // Without checkpoints, `members.csv` says which tables must exist.
    std::fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
    std::fs::remove_file(&path).unwrap();
    for command in ["plot run", "report run"] {
        let said = place.beadwork(command).expect(2);
        said.complains(&["member-0003.csv is gone", "io/missing-output"]);
    }
    std::fs::write(&path, &whole).unwrap();
    place.beadwork("plot run").expect(0);

    place.beadwork("run chain.toml -o begun --quiet --max-time 0s").expect(5);
    place.beadwork("plot begun").expect(0);
}

/// A run that was lengthened equals the longer run.
#[test]
fn ladders_can_be_extended() {
    let place = Place::new();
    place.write("chain.toml", LADDERS);
    place.beadwork("run chain.toml -o long --quiet").expect(0);
    place.beadwork("run chain.toml -o short --quiet --set sample.sweeps=1240").expect(0);
    for (wrong, parts) in [
        (
            "--by 1us",
            "takes no time and cannot be lengthened by \"1us\": give a number of sweeps, by --sweeps",
        ),
        ("--sweeps -3", "'-3' for '--sweeps <SWEEPS>': write a whole number of at least 1"),
        ("--sweeps 1e6", "'1e6' for '--sweeps <SWEEPS>': write a whole number of at least 1"),
    ] {
        place.beadwork(&format!("extend short {wrong}")).expect(2).complains(&[parts]);
    }
    // Earlier versions also recorded an integrator and a distribution for chains.
    let record = place.read("short/run.json");
    assert!(!record.contains("integrator") && !record.contains("distribution"));
    let named = "\"integrator\": \"brownian\",\n  \"distribution\": \"box-muller\"";
    let earlier = earlier_record(&record, &[("\"sampler\": \"metropolis\"", named)]);
    place.write("short/run.json", &earlier);
    place.beadwork("extend short --sweeps 7_60").expect(0);
    assert_eq!(json_of(&place.read("short/run.json"))["extensions"][0]["by"], "760 sweeps");
    place.beadwork("resume short --quiet").expect(0);
    let [long, short] = ["long", "short"].map(|run| place.results(run));
    for (name, bytes) in
        only(&long, &["tables/", "trajectories/", "exchange.csv", "thermodynamics.csv"])
    {
        assert!(short[&name] == bytes, "{name}");
    }
}

/// Each ladder places its own temperatures, which its rows and all answers use; extending the run keeps them.
#[test]
fn ladders_find_temperatures_of_their_own() {
    let place = Place::new();
    let placed = LADDERS
        .replace("{ from = 0.4, to = 1.6, count = 4 }", "[0.3, 0.4, 0.5, 1.6]")
        .replace("sweeps = 200\n", "sweeps = 3200\ntune_temperatures = \"acceptance\"\n");
    place.write("chain.toml", &placed);
    let words = place.beadwork("check chain.toml").expect(0).stdout;
    let line = "Stage        equilibrate: 3 200 sweeps, displacements fitted every 100 sweeps; temperatures placed by what was accepted after 20, 40, 80, 160 and 320 exchanges";
    assert!(words.lines().any(|other| other == line), "{words}");
    let json = json_of(&place.beadwork("check chain.toml --json").expect(0).stdout);
    assert_eq!(json["stages"][0]["tune_temperatures"], "acceptance");

    let words = place.beadwork("run chain.toml -o long --quiet --threads 1").expect(0).stdout;
    for said in [
        "temperatures as given: 0.3000 0.4000 0.5000 1.6000\n",
        "as placed of ladder 2: 0.3000 ",
        "round trips: ",
        "energies of neighbours are those of one system at two temperatures",
    ] {
        assert!(words.contains(said), "no {said} in\n{words}");
    }
    assert!(!words.contains("no curves"), "{words}");
    let curves = Table::parse(&place.read("long/curves.csv"));
    assert!(curves.numbers("energy_per_bead").is_sorted());
    // The ladders have different temperatures between the ends; rows, averages and pairs agree with them.
    let [exchange, averages, neighbours] = ["exchange", "thermodynamics", "neighbours"]
        .map(|name| Table::parse(&place.read(&format!("long/{name}.csv"))));
    let found = exchange.numbers("temperature");
    assert_eq!((found.len(), averages.numbers("temperature")), (12, found.clone()));
    assert_eq!(
        averages.column("ladder"),
        "000011112222".split("").filter(|c| !c.is_empty()).collect::<Vec<_>>()
    );
    assert_eq!(neighbours.column("ladder"), ["0", "0", "0", "1", "1", "1", "2", "2", "2"]);
    assert!(found[1] != found[5] && found[5] != found[9] && found[1] != found[9]);
    for ladder in 0..3 {
        let rungs = &found[4 * ladder..4 * ladder + 4];
        assert!(rungs.is_sorted() && (rungs[0], rungs[3]) == (0.3, 1.6), "{rungs:?}");
        // 0.4 and 0.5 are too close to 0.3.
        assert!(rungs[1] > 0.4 && rungs[2] > 0.55, "{rungs:?}");
        let (mut sums, mut rows) = ([0.0; 4], [0.0; 4]);
        for member in 4 * ladder..4 * ladder + 4 {
            let table = place.table("long", member);
            let columns = ["rung", "temperature", "energy"].map(|name| table.numbers(name));
            for (row, stage) in table.column("stage").iter().enumerate() {
                if *stage == "sample" {
                    let rung = columns[0][row] as usize;
                    assert_eq!(columns[1][row], rungs[rung]);
                    sums[rung] += columns[2][row] / 6.0;
                    rows[rung] += 1.0;
                }
            }
        }
        for rung in 0..4 {
            let energy = averages.numbers("energy_per_bead")[4 * ladder + rung];
            assert!((energy - sums[rung] / rows[rung]).abs() < 1e-12);
        }
    }
    // Counts since the last placement: 200 attempts, of which each pair has every second one.
    let counted: Vec<f64> =
        exchange.numbers("attempted").into_iter().filter(|n| !n.is_nan()).collect();
    assert_eq!(counted, [100.0; 9]);

    place.beadwork("run chain.toml -o short --quiet --set sample.sweeps=1240").expect(0);
    let words = place.beadwork("extend short --steps 760").expect(0).stdout;
    let said = "a step of chains is a sweep: 760 sweeps of 6 moves each are added\n";
    assert!(words.contains(said), "{words}");
    place
        .beadwork("extend short --stage equilibrate --steps 10")
        .expect(2)
        .complains(&["stage \"equilibrate\" places temperatures after a sixteenth"]);
    place.beadwork("resume short --quiet").expect(0);
    let [long, short] = ["long", "short"].map(|run| place.results(run));
    let names = ["tables/", "exchange.csv", "thermodynamics.csv", "neighbours.csv", "curves.csv"];
    for (name, bytes) in only(&long, &names) {
        assert!(short[&name] == bytes, "{name}");
    }
}

/// If replicas do not travel, temperatures are placed by acceptance, and the answer says so.
#[test]
fn the_answer_names_the_rule_that_placed_temperatures() {
    let place = Place::new();
    let mut text = LADDERS.to_string();
    for (old, new) in [
        // Neighbours rarely have the same energies, so exchanges are rare.
        ("monomers = 6", "monomers = 30"),
        ("from = 0.4, to = 1.6, count = 4", "from = 0.2, to = 8, count = 6"),
        ("every_sweeps = 10\nladders = 3", "every_sweeps = 1"),
        ("sweeps = 200\n", "sweeps = 320\ntune_temperatures = \"round-trips\"\n"),
        ("sweeps = 2000\n", "sweeps = 400\n"),
        ("trajectory = { every_sweeps = 500, format = \"dcd\" }\n", ""),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    place.write("chain.toml", &text);
    let words = place.beadwork("run chain.toml -o run --quiet").expect(0).stdout;
    let said = "note: less than half of the replicas came from the lowest temperature to the highest in the last half of the stage that places temperatures, so that it was done by acceptance and not for round trips, in ladder 0: make that stage longer, or write tune_temperatures = \"acceptance\"\n";
    assert!(words.contains(said), "{words}");
    assert!(place.read("run/summary.txt").contains(said));
    let exchange = Table::parse(&place.read("run/exchange.csv"));
    assert_eq!(exchange.column("placed_by"), ["acceptance"; 6]);
    // The continued run uses the same rule.
    place.beadwork("extend run --sweeps 100").expect(0);
    let words = place.beadwork("resume run --quiet").expect(0).stdout;
    assert!(words.contains(said), "{words}");
}

/// Proteins exchange temperatures too; a failed replica is named and the others continue.
#[test]
fn proteins_exchange_temperatures() {
    let place = Place::with_input(PULL).with_plots();
    let input = r#"
[system]
structure = { file = "helix.pdb" }

[exchange]
temperatures = { from = "280 K", to = "360 K", count = 3 }
every_steps = 50
ladders = 2

[[stage]]
name = "sample"
steps = 3000

[output]
table = { every_steps = 50 }
"#;
    place.write("melt.toml", input);
    let words = place.beadwork("run melt.toml -o run --quiet").expect(0).stdout;
    assert!(words.contains("3 temperatures from 280.00 to 360.00 K, 2 ladder(s)"), "{words}");
    // The plot has no power of ten in its corner.
    let growth = place.read("run/plots/size-growth.svg");
    assert!(growth.contains("d/dT of the radius of gyration / (pm/K)") && !growth.contains("×10"));
    let table = place.table("run", 4);
    assert!(table.columns.contains(&"bath_temperature_K".to_string()), "{:?}", table.columns);
    let baths = table.numbers("bath_temperature_K");
    assert!(baths.iter().all(|bath| [280.0, 317.49, 360.0].iter().any(|t| (t - bath).abs() < 0.1)));
    assert!(baths.iter().any(|bath| (bath - baths[0]).abs() > 1.0), "replica 4 stays where it was");

    let place_first = "[[stage]]\nname = \"place\"\nsteps = 3200\ntune_temperatures = \"round-trips\"\n\n[[stage]]";
    let placed = input.replace("every_steps = 50\nladders", "every_steps = 10\nladders");
    place.write("placed.toml", &placed.replace("[[stage]]", place_first));
    let words = place.beadwork("run placed.toml -o placed --quiet").expect(0).stdout;
    assert!(words.contains("temperatures as given: 280 317.49 360 K"), "{words}");
    assert!(words.contains("as placed of ladder 1: 280 "), "{words}");
    let [exchange, averages] = ["exchange", "thermodynamics"]
        .map(|name| Table::parse(&place.read(&format!("placed/{name}.csv"))));
    let [exchange, averages] = [exchange, averages].map(|table| table.numbers("temperature_K"));
    assert!((exchange[1] - exchange[4]).abs() > 1e-3, "{exchange:?}");
    for (one, other) in exchange.iter().zip(&averages) {
        assert!((one / other - 1.0).abs() < 1e-12, "{exchange:?} {averages:?}");
    }
}
