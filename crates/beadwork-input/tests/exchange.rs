//! Replica exchange: the temperatures, when they are placed anew, and refusals.

use crate::common::{
    LADDER, SMALL, assert_fixed_point, complaint, folder, parse, parse_with, pdb, read, refused,
    snake, write,
};
use beadwork_input::Addition;
use beadwork_model::units::{self, Dimension};
use beadwork_model::{Placement, StageKind, Tuning};

/// An input of a protein that exchanges temperatures.
const PROTEIN: &str = r#"
[system]
structure = { file = "a.pdb", chains = "A" }
[exchange]
temperatures = { from = "280 K", to = "420 K", count = 3 }
every = "10 ns"
ladders = 4
[[stage]]
minimise = { steps = 5 }
[[stage]]
name = "run"
duration = "1 us"
"#;

#[test]
fn a_ladder_has_a_replica_for_each_temperature() {
    let request = read(LADDER);
    let point = &request.points[0];
    let exchange = point.exchange.as_ref().unwrap();
    assert_eq!((exchange.temperatures.as_slice(), exchange.every), (&[0.2, 0.4, 1.0][..], 50));
    assert_eq!((request.replicas, request.members()), (6, 6));
    assert_eq!(point.protocol.dynamics.temperature, 0.2);
    let kinds: Vec<_> = point.protocol.stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(
        kinds,
        [
            StageKind::Sample { sweeps: 1_000, displacement: Some(0.1), tune_every: Some(100) },
            StageKind::Sample { sweeps: 2_000, displacement: None, tune_every: None }
        ]
    );
    assert!(!request.resolved.contains("[ensemble]"), "{}", request.resolved);
    let ladder = "[exchange]\ntemperatures = [0.2, 0.4, 1]\nevery_sweeps = 50\nladders = 2\n";
    assert!(request.resolved.contains(ladder), "{}", request.resolved);
    // This run has no warnings; the next ones are shorter than the interval, or fit displacements until their end.
    assert!(request.warnings.is_empty());
    let odd = |path: &str, value: &str| {
        let request = parse_with(folder().path(), LADDER, &[(path, value)]).unwrap();
        assert_fixed_point(&request);
        request.warnings.join("; ")
    };
    assert_eq!(
        odd("exchange.every_sweeps", "3001"),
        "no temperatures are ever exchanged: [exchange] does so every 3001 sweeps, and the run has 3000; stage \"first\" has tune = true and fits displacements 0 time(s), once in 3_001 of its 1_000 sweeps, and each time they change by a quarter at most: make it longer, or exchange more often"
    );
    assert_eq!(
        odd("first.sweeps", "999"),
        "stage \"first\" has tune = true and fits displacements 9 time(s), once in 100 of its 999 sweeps, and each time they change by a quarter at most: make it longer"
    );
    assert!(
        odd("then.tune", "true")
            .starts_with("the last stage, whose averages are the answer, has tune = true:")
    );
    let rows = odd("output.table.every_sweeps", "100");
    assert!(rows.contains("has 2 × 20 row(s) at each temperature"), "{rows}");
    // Displacements are fitted at exchanges, a hundred sweeps apart at least.
    for (every, fitted) in [(1, 100), (30, 120), (99, 198), (100, 100), (101, 101), (250, 250)] {
        let text = LADDER.replace("every_sweeps = 50", &format!("every_sweeps = {every}"));
        let StageKind::Sample { tune_every, .. } = read(&text).points[0].protocol.stages[0].kind
        else {
            panic!("a chain is sampled")
        };
        assert_eq!(tune_every, Some(fitted), "{every}");
    }
}

#[test]
fn a_range_is_geometric() {
    let text = LADDER.replace("[0.2, 0.4, 1]", "{ from = 0.15, to = 1.5, count = 16 }");
    let request = read(&text);
    let rungs = &request.points[0].exchange.as_ref().unwrap().temperatures;
    assert_eq!((rungs.len(), rungs[0], rungs[15], request.replicas), (16, 0.15, 1.5, 32));
    for pair in rungs.windows(2) {
        assert!((pair[1] / pair[0] - 10f64.powf(1.0 / 15.0)).abs() < 1e-12);
    }
    assert!(request.resolved.contains("{ from = 0.15, to = 1.5, count = 16 }"));
}

#[test]
fn proteins_exchange_temperatures_too() {
    let request = read(PROTEIN);
    let point = &request.points[0];
    let exchange = point.exchange.as_ref().unwrap();
    let kelvin = |number: f64| number * units::BOLTZMANN;
    assert_eq!(
        exchange.temperatures[0],
        units::parse("280 K", Dimension::Temperature).unwrap().value
    );
    assert!((exchange.temperatures[1] - kelvin((280.0f64 * 420.0).sqrt())).abs() < 1e-12);
    assert_eq!(point.protocol.dynamics.temperature, exchange.temperatures[0]);
    assert_eq!((exchange.every, request.replicas), (500, 12));
    assert!(!request.resolved.contains("temperature = "), "{}", request.resolved);
    let listed = PROTEIN
        .replace("{ from = \"280 K\", to = \"420 K\", count = 3 }", "[\"0.5 kcal/mol\", \"300 K\"]")
        .replace("every = \"10 ns\"", "every_steps = 7");
    let request = read(&listed);
    let exchange = request.points[0].exchange.clone().unwrap();
    assert_eq!((exchange.temperatures[0], exchange.every, request.replicas), (0.5, 7, 8));
    let late = PROTEIN.replace("10 ns", "1.1 us");
    assert_eq!(
        read(&late).warnings,
        [
            "no temperatures are ever exchanged: [exchange] does so every 55000 steps, and the run has 50000",
            "the run has one stage to average over, \"run\", so the averages include the start of the run, where all replicas have the structure that was read: put a stage before it that is left out, [[stage]] with for example steps = 5_000"
        ]
    );
    // After a minimisation the steps of rows are unknown.
    let mut rare = late.replace("1.1 us", "10 ns");
    rare.push_str("[output]\ntable = { every_steps = 40_000 }\n[[stage]]\nsteps = 30_000\n");
    assert_eq!(
        read(&rare).warnings,
        [
            "stage \"stage-3\", whose averages are the answer, has 30_000 steps and the table a row every 40_000, so that perhaps no row falls into it: write rows more often, for example table = { every_steps = 1_500 } in [output], or make the stage longer"
        ]
    );
    // No warning here: a start that the input names may be equilibrated.
    let place = folder();
    write(place.path(), "s.pdb", &pdb(&snake('A', 12)));
    let started = PROTEIN.replace("chains = \"A\" }", "chains = \"A\" }\nstart = \"s.pdb\"");
    let warnings = parse(place.path(), &started).unwrap().warnings;
    assert!(!warnings.iter().any(|said| said.contains("include the start")), "{warnings:?}");
}

#[test]
fn refuses_temperatures_that_make_no_ladder() {
    let alone = "a replica exchanges its temperature with another one, so that at least 2 are needed; for a single one leave [exchange] out and write `temperature` in";
    let many = vec!["1"; 4097].join(", ");
    for (new, expected) in [
        (
            "",
            "[input/missing-key] in.toml:5:1 <[exchange]> [exchange]: the key `temperatures` is missing; write for example temperatures = { from = 0.15, to = 1.5, count = 16 }".to_string(),
        ),
        (
            "temperatures = 0.3",
            "[input/wrong-type] in.toml:6:16 <0.3> [exchange]: `temperatures` must be a list of temperatures, or a table such as { from = 0.15, to = 1.5, count = 16 }, found the number 0.3".to_string(),
        ),
        (
            "temperatures = [0.3]",
            format!("[input/bad-value] in.toml:6:16 <[0.3]> [exchange]: `temperatures` has 1 temperature(s); {alone} [sampling]"),
        ),
        (
            "temperatures = [0.3, 0.2]",
            "[input/bad-value] in.toml:6:22 <0.2> `temperatures` in [exchange]: 0.2 comes after 0.3: write them in ascending order".to_string(),
        ),
        (
            "temperatures = [0.3, 0.30]",
            "[input/bad-value] in.toml:6:22 <0.30> `temperatures` in [exchange]: 0.3 comes after 0.3, which is as high: leave one out".to_string(),
        ),
        (
            "temperatures = [0, 0.3]",
            "[input/bad-value] in.toml:6:17 <0> `temperatures` in [exchange] must be more than 0, but is 0".to_string(),
        ),
        (
            "temperatures = [0.1, \"300 K\"]",
            "[input/wrong-type] in.toml:6:22 <\"300 K\"> `temperatures` in [exchange] must be a number without a unit such as 0.7, without quotes, found the text \"300 K\"".to_string(),
        ),
        (
            "temperatures = { from = 0, to = 2, count = 3 }",
            "[input/bad-value] in.toml:6:25 <0> `temperatures` in [exchange], `from` must be more than 0, but is 0".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = -2, count = 3 }",
            "[input/bad-value] in.toml:6:35 <-2> `temperatures` in [exchange], `to` must be more than 0, but is -2".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 0.1, count = 3 }",
            "[input/bad-value] in.toml:6:35 <0.1> `temperatures` in [exchange]: `to` is 0.1 and `from` is 0.1: `to` must be more than `from`, since rungs ascend".to_string(),
        ),
        (
            "temperatures = { from = 1, to = 1.0000000000000002, count = 3 }",
            "[input/bad-value] in.toml:6:33 <1.0000000000000002> `temperatures` in [exchange]: `to` is 1.0000000000000002 and `from` is 1, too near for 3 different temperatures: lower `count` or widen the range".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1 }",
            "[input/missing-key] in.toml:6:16 <{ from = 0.1, to = 1 }> `temperatures` in [exchange]: the key `count` is missing; write for example count = 16".to_string(),
        ),
        (
            "temperatures = { to = 1, count = 4 }",
            "[input/missing-key] in.toml:6:16 <{ to = 1, count = 4 }> `temperatures` in [exchange]: the key `from` is missing; write for example from = 0.15".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 1 }",
            "[input/bad-value] in.toml:6:46 <1> `temperatures` in [exchange]: `count` must be at least 2, but is 1; write for example count = 16".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 5_000 }",
            "[input/bad-value] in.toml:6:46 <5_000> `temperatures` in [exchange]: `count` is 5000; a ladder has at most 4096 temperatures: take fewer".to_string(),
        ),
        (
            "temperatures = { from = 0.1, to = 1, count = 4, spacing = \"linear\" }",
            "[input/unknown-key] in.toml:6:49 <spacing> unknown key `spacing` in `temperatures` in [exchange]. Known keys: from, to, count".to_string(),
        ),
        (
            &format!("temperatures = [{many}]"),
            format!("[input/bad-value] in.toml:6:16 <[{many}]> [exchange]: `temperatures` has 4097 temperature(s); a ladder has at most 4096 temperatures: take fewer"),
        ),
    ] {
        refused(LADDER, "temperatures = [0.2, 0.4, 1]", new, &expected);
    }
}

#[test]
fn refuses_impossible_intervals_and_ladders() {
    for (old, new, expected) in [
        (
            "every_sweeps = 50",
            "every_sweeps = 0",
            "[input/bad-value] in.toml:7:16 <0> [exchange]: `every_sweeps` must be at least 1, but is 0; write for example every_sweeps = 1000",
        ),
        (
            "every_sweeps = 50",
            "",
            "[input/missing-key] in.toml:5:1 <[exchange]> [exchange]: the key `every_sweeps` is missing; write for example every_sweeps = 1000",
        ),
        (
            "every_sweeps = 50",
            "every = \"10 ns\"",
            "[input/unknown-key] in.toml:7:1 <every> unknown key `every` in [exchange]; did you mean `every_sweeps`? Known keys: temperatures, every_sweeps, ladders",
        ),
        (
            "ladders = 2",
            "ladders = 0",
            "[input/bad-value] in.toml:8:11 <0> [exchange]: `ladders` must be at least 1, but is 0; write for example ladders = 1",
        ),
        (
            "ladders = 2",
            "ladders = -1",
            "[input/bad-value] in.toml:8:11 <-1> [exchange]: `ladders` must be at least 1, but is -1; write for example ladders = 1",
        ),
        (
            "ladders = 2",
            "ladders = 400_000",
            "[input/sweep] in.toml:5:1 <[exchange]> [exchange]: 1 point(s) of 1200000 replicas are more than 1000000 members: ask for fewer",
        ),
        (
            "ladders = 2",
            "[ensemble]\nreplicas = 3",
            "[input/conflict] in.toml:9:1 <replicas> [ensemble]: `replicas` has no place beside [exchange], which has a replica for each temperature: leave it out, and write `ladders` in [exchange] for independent repetitions",
        ),
        (
            "ladders = 2",
            "[ensemble.sweep]\n\"exchange.ladders\" = [1, 2]",
            "[input/sweep] in.toml:8:1 <[ensemble.sweep]> [ensemble.sweep]: its points have 3 and 6 replicas, and all points of a run have as many: give each as many temperatures and as many `ladders`",
        ),
    ] {
        refused(LADDER, old, new, expected);
    }
}

#[test]
fn refuses_impossible_exchanges_of_beads() {
    for (old, new, expected) in [
        (
            "every = \"10 ns\"",
            "",
            "[input/missing-key] in.toml:4:1 <[exchange]> [exchange]: how long is missing; write for example every = \"1 us\" or every_steps = 1000",
        ),
        (
            "every = \"10 ns\"",
            "every_steps = 0",
            "[input/bad-value] in.toml:6:15 <0> [exchange]: `every_steps` must be at least 1, but is 0; write for example every_steps = 1000",
        ),
        (
            "every = \"10 ns\"",
            "every = \"30 ps\"",
            "[input/steps] in.toml:6:9 <\"30 ps\"> [exchange]: `every` is \"30 ps\", which is 1.5 steps of 20 ps: write \"20 ps\" (1 step) or \"40 ps\" (2 steps)",
        ),
        (
            "from = \"280 K\"",
            "from = 280",
            "[input/wrong-type] in.toml:5:25 <280> `temperatures` in [exchange], `from` must be a temperature such as \"300 K\" or \"0.6 kcal/mol\", found the number 280: write its unit, in quotes",
        ),
        (
            "from = \"280 K\"",
            "from = \"280 pN\"",
            "[model/quantity] in.toml:5:25 <\"280 pN\"> `temperatures` in [exchange], `from`: \"280 pN\" is a force; expected a temperature such as \"300 K\" or \"0.6 kcal/mol\"",
        ),
        (
            "count = 3",
            "count = 1",
            "[input/bad-value] in.toml:5:56 <1> `temperatures` in [exchange]: `count` must be at least 2, but is 1; write for example count = 16",
        ),
        (
            "count = 3",
            "count = -4",
            "[input/bad-value] in.toml:5:56 <-4> `temperatures` in [exchange]: `count` must be at least 2, but is -4; write for example count = 16",
        ),
        (
            "[exchange]",
            "[dynamics]\ntemperature = \"300 K\"\n[exchange]",
            "[input/conflict] in.toml:5:1 <temperature> [dynamics]: `temperature` has no place here, because [exchange] has the temperatures: leave it out",
        ),
        (
            "[exchange]",
            "[dynamics]\ndiffusion = \"1 nm^2/ns\"\n[exchange]",
            "[input/conflict] in.toml:5:1 <diffusion> [dynamics]: `diffusion` has no place here, because with the temperatures of [exchange] it would make frictions that differ: write `friction` in its place",
        ),
        (
            "structure = { file = \"a.pdb\", chains = \"A\" }",
            "model = \"oscillators\"\nparticles = 3",
            "[input/conflict] in.toml:5:2 <exchange> [exchange] has no place in a run of \"oscillators\": its particles do not interact, so exchange does not help; leave it out, or sweep dynamics.temperature",
        ),
    ] {
        refused(PROTEIN, old, new, expected);
    }
}

/// The error points at the value that `--set` gave, not at the unchanged line of the file.
#[test]
fn errors_of_ends_in_the_wrong_order_point_at_the_override() {
    let range = LADDER.replace("[0.2, 0.4, 1]", "{ from = 0.15, to = 1.5, count = 4 }");
    let set = |path: &str, value: &str| {
        let error = parse_with(folder().path(), &range, &[(path, value)]).unwrap_err();
        complaint(&error)
    };
    assert_eq!(
        set("exchange.temperatures.from", "2"),
        "[input/bad-value] --set:1:30 <2> `temperatures` in [exchange]: `from` is 2 and `to` is 1.5: `to` must be more than `from`, since rungs ascend"
    );
    assert_eq!(
        set("exchange.temperatures.to", "0.1"),
        "[input/bad-value] --set:1:28 <0.1> `temperatures` in [exchange]: `to` is 0.1 and `from` is 0.15: `to` must be more than `from`, since rungs ascend"
    );
}

/// With two temperatures every second attempt has no pair of neighbours.
#[test]
fn few_attempts_of_each_pair_are_warned_of() {
    let two = "[system]\nmodel = \"elastic-polymer\"\nmonomers = 13\n[exchange]\ntemperatures = [0.3, 0.4]\nevery_sweeps = 30_000\n[[stage]]\nsweeps = 10_000\n[[stage]]\nname = \"sample\"\nsweeps = 60_000\n[output]\ntable = { every_sweeps = 100 }";
    assert_eq!(
        read(two).warnings,
        [
            "[exchange] every 30_000 sweeps makes 1 attempt(s) for each pair of neighbours in the last stage, \"sample\", of 60_000: too few to bring replicas up and down the ladder; exchange more often, or make the stage longer"
        ]
    );
    let often = |every: u64| {
        read(&two.replace("30_000", &every.to_string()))
            .warnings
            .first()
            .cloned()
            .unwrap_or_default()
    };
    // The last stage has attempts 7 to 46 of the run; every other one has a pair.
    assert_eq!(often(1_500), "");
    assert!(often(1_600).contains("makes 19 attempt(s) for each pair"), "{}", often(1_600));
}

/// Beads that moved before the last stage are at another place in each replica.
#[test]
fn beads_held_after_they_moved_are_warned_of() {
    let warned = |before: &str, last: &str| {
        let run = format!("duration = \"1 us\"\n{before}\n[[stage]]\nname = \"run\"\n{last}");
        let text =
            PROTEIN.replace("name = \"run\"", &run) + "[output]\ntable = { every_steps = 100 }\n";
        read(&text).warnings
    };
    let said = |beads: u32| {
        format!(
            "stage \"run\", whose averages are the answer, holds {beads} beads at the positions that each replica has as the stage begins; these differ between replicas, and averages mix them: hold these beads by `fixed` in all stages, or leave them free in this one"
        )
    };
    let restrained = "drives = [{ kind = \"restrain\", select = \"index 0-3\", stiffness = \"1 kcal/(mol A^2)\" }]";
    assert_eq!(warned("", restrained), [said(4)]);
    assert_eq!(warned(restrained, restrained), [said(4)]);
    assert_eq!(warned("fixed = \"index 0-2\"", "fixed = \"index 0-4\""), [said(2)]);
    for (before, last) in [
        ("", ""),
        (restrained, ""),
        ("", "fixed = \"first\""),
        ("fixed = \"index 0-4\"", "fixed = \"index 0-4\""),
        ("fixed = \"index 0-4\"", restrained),
    ] {
        assert_eq!(warned(before, last), [""; 0], "{before}, {last}");
    }
}

/// The energies that decide exchanges include neither the work of drives nor time.
#[test]
fn ladders_are_not_pulled() {
    let ladder = "[exchange]\ntemperatures = [\"280 K\", \"300 K\"]\nevery_steps = 2\n\n[[stage]]";
    let rests = "kind = \"restrain\", select = \"first\", stiffness = \"1 kcal/(mol A^2)\"";
    let behind = |external: &str| {
        let stage = SMALL.replace("[[stage]]", ladder);
        format!("{stage}drives = [{{ {rests} }}, {{ {external} }}]\n")
    };
    let place = folder();
    let pulled =
        behind("kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"10 pN\"");
    let message = complaint(&parse(place.path(), &pulled).unwrap_err());
    let said = "stage \"run\", drive 2 (force): a drive that pulls has no place beside [exchange]";
    assert!(message.contains(said), "{message}");
    let pressed = behind(
        "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\"",
    );
    let message = complaint(&parse(place.path(), &pressed).unwrap_err());
    let said = "stage \"run\", drive 2 (tip): a tip has no place beside [exchange], since it moves";
    assert!(message.contains(said), "{message}");
    for rests in [rests, "kind = \"surface\", below = \"all\""] {
        assert!(parse(place.path(), &behind(rests)).is_ok(), "{rests}");
    }
}

/// Replicas in different stages have no common distribution to exchange in.
#[test]
fn replicas_of_a_ladder_leave_a_stage_together() {
    let because = "`stop` has no place here, because replicas of [exchange] would leave the stage at different times, and replicas in different stages cannot be exchanged: leave it out and give the stage the length that it is to have; rows can be left out afterwards";
    for (stopped, name) in [
        ("name = \"run\"\nstop = \"extension > 3 nm\"", "run"),
        (
            "duration = \"1 us\"\nstop = [\"extension > 3 nm\"]\n[[stage]]\nname = \"run\"",
            "stage-2",
        ),
    ] {
        let expected = format!("[input/conflict] in.toml:12:1 <stop> stage \"{name}\": {because}");
        refused(PROTEIN, "name = \"run\"", stopped, &expected);
    }
    // An empty list of stop rules, as in the resolved form, is allowed.
    read(&PROTEIN.replace("name = \"run\"", "name = \"run\"\nstop = []\nstop_every = 50"));
    // Without [exchange] stop rules are allowed.
    let alone = "steps = 10\nstop = \"extension > 3 nm\"";
    assert!(parse(folder().path(), &SMALL.replace("steps = 10", alone)).is_ok());
}

/// Attempts are counted over the whole run without minimisations.
#[test]
fn temperatures_are_placed_anew_in_stages_that_ask_for_it() {
    let text = LADDER.replace("sweeps = 1_000\ntune = true", "sweeps = 120\n[[stage]]\nname = \"place\"\nsweeps = 16_051\ntune = true\ntune_temperatures = \"acceptance\"")
        .replace("every_sweeps = 5 }", "every_sweeps = 30 }");
    let request = read(&text);
    let tunings = &request.points[0].exchange.as_ref().unwrap().tunings;
    // Attempts at 50, 100, …: two in the first stage, those at 150 to 16 150 in the second.
    let tuning = Tuning { stage: 1, by: Placement::Acceptance, first: 2, attempts: 321 };
    assert_eq!(tunings, &[tuning]);
    assert_eq!(tuning.placements(), [22, 42, 82, 162, 323]);
    assert!(
        request.resolved.contains("\ntune = true\ntune_temperatures = \"acceptance\"\n"),
        "{}",
        request.resolved
    );
    // Each ladder has its own temperatures and is averaged alone, so each needs enough rows for its errors.
    let rows = "stage \"then\", whose averages are the answer, has 66 row(s) at each temperature, and errors usually need at least 80, for eight blocks of ten: write rows more often, for example table = { every_sweeps = 25 } in [output], or make the stage longer";
    assert_eq!(request.warnings, [rows]);

    let stages = "[[stage]]\nname = \"place\"\nduration = \"4 us\"\ntune_temperatures = \"round-trips\"\n[[stage]]\nname = \"run\"";
    let request = read(&PROTEIN.replace("[[stage]]\nname = \"run\"", stages));
    let tunings = &request.points[0].exchange.as_ref().unwrap().tunings;
    let tuning = Tuning { stage: 1, by: Placement::RoundTrips, first: 0, attempts: 400 };
    assert_eq!(tunings, &[tuning]);
    assert!(read(LADDER).points[0].exchange.as_ref().unwrap().tunings.is_empty());
}

#[test]
fn refuses_impossible_placements() {
    let placed = LADDER.replace(
        "sweeps = 1_000\ntune = true",
        "sweeps = 16_000\ntune_temperatures = \"acceptance\"",
    );
    read(&placed);
    for (old, new, expected) in [
        (
            "\"acceptance\"",
            "\"acceptence\"",
            "[input/unknown-key] in.toml:12:21 <\"acceptence\"> stage \"first\": `tune_temperatures` does not know \"acceptence\"; did you mean \"acceptance\"? It may be \"acceptance\", \"round-trips\"",
        ),
        (
            "\"acceptance\"",
            "true",
            "[input/wrong-type] in.toml:12:21 <true> stage \"first\": `tune_temperatures` must be a text such as \"acceptance\", found true",
        ),
        (
            "sweeps = 16_000",
            "sweeps = 15_999",
            "[input/bad-value] in.toml:12:1 <tune_temperatures> stage \"first\": `tune_temperatures` needs at least 320 exchanges, since temperatures are first placed after a sixteenth of them, and the stage has 319: make it longer, or exchange more often",
        ),
        (
            "[0.2, 0.4, 1]",
            "[0.2, 1]",
            "[input/conflict] in.toml:12:1 <tune_temperatures> stage \"first\": `tune_temperatures` has nothing to place: the lowest and the highest temperature stay, and [exchange] has none between them",
        ),
        (
            "sweeps = 2_000",
            "sweeps = 30_000\ntune_temperatures = \"acceptance\"",
            "[input/conflict] in.toml:16:1 <tune_temperatures> stage \"then\": `tune_temperatures` is in the last stage, whose averages are the answer, and its temperatures would never be sampled at: add a stage without it",
        ),
        (
            "[exchange]\ntemperatures = [0.2, 0.4, 1]\nevery_sweeps = 50\nladders = 2",
            "[sampling]\ntemperature = 1",
            "[input/conflict] in.toml:10:1 <tune_temperatures> stage \"first\": `tune_temperatures` has no place here, because there is no [exchange], and so no ladder whose temperatures it could place: leave it out",
        ),
    ] {
        refused(&placed, old, new, expected);
    }
    for (old, new, expected) in [
        (
            "minimise = { steps = 5 }",
            "minimise = { steps = 5 }\ntune_temperatures = \"acceptance\"",
            "[input/conflict] in.toml:10:1 <tune_temperatures> stage \"stage-1\": `tune_temperatures` has no place here, because a minimisation has no time in which it could act",
        ),
        // A minimisation after the stage samples nothing.
        (
            "duration = \"1 us\"",
            "duration = \"4 us\"\ntune_temperatures = \"acceptance\"\n[[stage]]\nminimise = {}",
            "[input/conflict] in.toml:13:1 <tune_temperatures> stage \"run\": `tune_temperatures` is in the last stage, whose averages are the answer, and its temperatures would never be sampled at: add a stage without it",
        ),
    ] {
        refused(PROTEIN, old, new, expected);
    }
    refused(
        SMALL,
        "steps = 10",
        "steps = 10\ntune_temperatures = \"acceptance\"",
        "[input/conflict] in.toml:7:1 <tune_temperatures> stage \"run\": `tune_temperatures` has no place here, because there is no [exchange], and so no ladder whose temperatures it could place: leave it out",
    );
    let folder = folder();
    let path = folder.path().join("in.toml");
    std::fs::write(&path, &placed).unwrap();
    let longer = |stage| beadwork_input::extend(&path, Some(stage), &Addition::Steps(50));
    assert_eq!(
        complaint(&longer("first").unwrap_err()),
        "[input/conflict] stage \"first\" places temperatures after a sixteenth, an eighth … of its length, and those that it placed cannot be changed: lengthen another stage, or make a new run"
    );
    let longer = longer("then").unwrap().request;
    assert_eq!(longer.points[0].exchange, read(&placed).points[0].exchange);
}
