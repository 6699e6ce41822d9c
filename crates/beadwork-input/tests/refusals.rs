//! Refused inputs: each message with its code, its place, the words at which it points, and its text.

use crate::common::{SMALL, complaint, folder, parse, parse_with, pdb, snake, write};

/// A stage that pulls, with this drive.
pub fn pulling(external: &str) -> String {
    format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"pull\"\nsteps = 10\ndrives = [{{ {external} }}]\n"
    )
}

/// Asserts that an input is refused with this code, place, marked text and beginning of the message.
pub fn check(text: &str, expected: &str) {
    let folder = folder();
    write(folder.path(), "short.pdb", &pdb(&snake('A', 5)));
    write(folder.path(), "one.pdb", &pdb(&snake('A', 1)));
    write(folder.path(), "c.csv", "bead_i,bead_j\n0,999\n");
    write(folder.path(), "twice.csv", "bead_i,bead_j\n0,9\n9,0\n");
    write(folder.path(), "w.top", "[ atoms ]\n");
    let error = parse(folder.path(), text).unwrap_err();
    let found = complaint(&error).replace(&folder.path().display().to_string(), "DIR");
    assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}\n{text}");
    let codes = beadwork_input::ERROR_CODES
        .iter()
        .chain(beadwork_model::ERROR_CODES)
        .chain(beadwork_structure::ERROR_CODES);
    assert!(codes.into_iter().any(|(code, _)| *code == error.code()), "{}", error.code());
}

#[test]
fn refuses_wrong_documents() {
    check("[system\n", "[input/syntax] in.toml:1:8 <");
    check(
        "[system]\nstructure = 'a.pdb'\nstructure = 'a.pdb'\n",
        "[input/syntax] in.toml:3:1 <structure> this is not valid TOML: duplicate key",
    );
    check(
        "[sistem]\n",
        "[input/unknown-key] in.toml:1:2 <sistem> unknown key `sistem` in the input; did you mean `system`? Known keys: system, dynamics, sampling, exchange, stage, ensemble, random, output, analysis, run",
    );
    check(
        "",
        "[input/missing-key] in.toml:1:1 <> the section [system] is missing; write for example [system] and structure = \"1TIT.pdb\" below it",
    );
    check(
        "[system]\nstructure = 'a.pdb'\n",
        "[input/missing-key] in.toml:1:1 <> there is no stage; write for example [[stage]] and duration = \"20 us\" below it",
    );
    check(
        "[system]\nstructure = 'a.pdb'\n[stage]\nsteps = 1\n",
        "[input/wrong-type] in.toml:3:1 <[stage]> stages are written [[stage]], in double brackets",
    );
    check(
        "system = 3\n[[stage]]\nsteps = 1\n",
        "[input/wrong-type] in.toml:1:10 <3> [system]: expected a table, found the number 3",
    );
}

/// Columns that tables have on request.
#[test]
fn refuses_columns_that_a_table_cannot_have() {
    let beads = |dynamics: &str, build: &str, columns: &str| {
        format!(
            "[system]\nmodel = \"beads\"\nunits = \"reduced\"\n{build}pairs = [{{ kind = \"wca\", depth = 1.0, diameter = 1.0 }}]\n[dynamics]\n{dynamics}\ntimestep = 0.005\n[[stage]]\nsteps = 10\n[output]\ntable = {{ every_steps = 5, columns = {columns} }}\n"
        )
    };
    let fluid = "build = { molecule = \"A\", count = 100, density = 0.5 }\n";
    let usual = "collision_rate = 1.0";
    for (columns, code, said) in [
        (
            "\"momentum\"",
            "input/wrong-type",
            "must be a list in brackets, such as columns = [\"momentum\"]",
        ),
        (
            "[\"presure_tensor\"]",
            "input/bad-value",
            "has \"presure_tensor\", but its names are from \"pressure_tensor\", \"configurational_temperature\", \"momentum\"; did you mean \"pressure_tensor\"?",
        ),
        ("[5]", "input/bad-value", "but its names are from"),
    ] {
        let error = parse(folder().path(), &beads(usual, fluid, columns)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    let brownian = "integrator = \"brownian\"\nfriction = 1.0";
    for (dynamics, pairs, columns, said) in [
        (
            brownian,
            true,
            "momentum",
            "needs an integrator with velocities; remove it from the list",
        ),
        (usual, false, "configurational_temperature", "needs potentials of beads"),
    ] {
        let text = beads(dynamics, fluid, &format!("[\"{columns}\"]"));
        let wca = "pairs = [{ kind = \"wca\", depth = 1.0, diameter = 1.0 }]";
        let text = if pairs { text } else { text.replace(wca, "pairs = []") };
        let error = parse(folder().path(), &text).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let protein = |columns: &str| {
        let external = "kind = \"spring\", pulled = \"last\", fixed = \"first\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\"";
        let end = format!("[output]\ntable = {{ every_steps = 5, columns = [\"{columns}\"] }}\n");
        pulling(external) + &end
    };
    check(
        &protein("pressure_tensor"),
        "[input/conflict] in.toml:8:38 <[\"pressure_tensor\"]> `columns` in `table` of [output]: \"pressure_tensor\" needs a periodic box; remove it from the list",
    );
    check(
        &protein("configurational_temperature"),
        "[input/conflict] in.toml:8:38 <[\"configurational_temperature\"]> `columns` in `table` of [output]: \"configurational_temperature\" does not work in a run with drives; remove it from the list",
    );
    let request = parse(folder().path(), &beads(usual, fluid, "[\"momentum\", \"momentum\"]"));
    assert_eq!(request.unwrap().points[0].protocol.columns.len(), 3);
}

#[test]
fn refuses_texts_that_are_not_toml() {
    let faults = |text: &str| {
        let error = parse(folder().path(), text).unwrap_err();
        assert_eq!(error.code(), "input/syntax", "{text}");
        (error.to_string(), error.location().unwrap().line_column().0)
    };
    assert_eq!(faults("[system]\nmodel = \n").1, 2);
    let (said, _) = faults("a = 99999999999999999999");
    assert!(said.contains("does not fit into 64 bits"), "{said}");
    for (text, hint) in [
        ("[a]\nb = 0,5 # half\n", "numbers take no comma: write 10_000 or 1.5"),
        ("[a]\nb = -1,5e3\nc = 2\n", "numbers take no comma"),
        ("[a]\nb = 50000;\n", "leave out the semicolon"),
        ("[a]\nb = \"text\";\nc = 1\n", "leave out the semicolon"),
        ("[a]\nb = 0,5;\n", "numbers take no comma"),
        ("[a]\nb = 0.4,0.6\n", "several values in brackets"),
        ("[a]\nb = 1, 2, 3\n", "several values in brackets"),
        ("[a]\nb = -1,000,000\n", "numbers take no comma"),
    ] {
        let (said, line) = faults(text);
        assert!(said.contains(hint), "{said}");
        assert_eq!(line, 2);
    }
    for text in ["a = [1,2;\nb = 1\n", "a = one,two", "a = \"elastic-polymer;\nb = 1\n"] {
        let (said, _) = faults(text);
        for hint in ["brackets", "semicolon", "no comma"] {
            assert!(!said.contains(hint), "{said}");
        }
    }
}

#[test]
fn refuses_wrong_systems() {
    let system = |lines: &str| format!("[system]\n{lines}\n[[stage]]\nsteps = 10\n");
    for (lines, expected) in [
        (
            "",
            "[input/missing-key] in.toml:1:1 <[system]> [system]: the key `structure` is missing; write for example structure = \"1TIT.pdb\"",
        ),
        (
            "structure = 7",
            "[input/wrong-type] in.toml:2:13 <7> `structure` in [system]: expected a table, found the number 7",
        ),
        (
            "structure = \"\"",
            "[input/bad-value] in.toml:2:13 <\"\"> the name of the file is empty: write the name of a file",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { file = \" \" }",
            "[input/bad-value] in.toml:3:21 <\" \"> the name of the file is empty: write the name of a file",
        ),
        (
            "structure = \"a.pdb\"\nstart = \"\"",
            "[input/bad-value] in.toml:3:9 <\"\"> the name of the file is empty: write the name of a file",
        ),
        (
            "structure = { chains = \"A\" }",
            "[input/missing-key] in.toml:2:13 <{ chains = \"A\" }> `structure` in [system]: the key `file` is missing",
        ),
        (
            "structure = { file = \"a.pdb\", chain = \"A\" }",
            "[input/unknown-key] in.toml:2:31 <chain> unknown key `chain` in `structure` in [system]; did you mean `chains`? Known keys: file, chains, assembly, select, model",
        ),
        (
            "structure = \"b.pdb\"",
            "[input/unreadable-file] in.toml:2:13 <\"b.pdb\"> the file DIR/b.pdb cannot be read",
        ),
        ("structure = \"c.csv\"", "[structure/not-a-structure] in.toml:2:13 <\"c.csv\"> DIR/c.csv"),
        (
            "structure = \"one.pdb\"",
            "[model/too-few-beads] in.toml:2:13 <\"one.pdb\"> DIR/one.pdb gives 1 bead(s)",
        ),
        (
            "structure = { file = \"a.pdb\", model = 3 }",
            "[structure/no-such-model] in.toml:2:22 <\"a.pdb\"> DIR/a.pdb: there is no model 3",
        ),
        (
            "structure = { file = \"a.pdb\", chains = \"C\" }",
            "[input/bad-value] in.toml:2:40 <\"C\"> [system]: DIR/a.pdb has no chain \"C\"; there are chains A (12 beads), B (8 beads)",
        ),
        (
            "structure = { file = \"a.pdb\", chains = 1 }",
            "[input/wrong-type] in.toml:2:40 <1> `structure` in [system]: `chains` must name chains, such as \"A\"",
        ),
        (
            "structure = { file = \"a.pdb\", chains = \"\" }",
            "[input/bad-value] in.toml:2:40 <\"\">",
        ),
        (
            "structure = { file = \"a.pdb\", select = \"residue 99\" }",
            "[model/empty-selection] in.toml:2:40 <\"residue 99\"> [system], structure: the selection \"residue 99\" matches no bead; there are chains A (12 beads), B (8 beads)",
        ),
        (
            "structure = { file = \"a.pdb\", select = \"chain Å or resdue 3\" }",
            "[structure/bad-selection] in.toml:2:52 <resdue> selection",
        ),
        (
            "structure = \"a.pdb\"\nmodel = \"soup\"",
            "[input/unknown-key] in.toml:3:9 <\"soup\"> [system]: `model` does not know \"soup\"; did you mean \"sop\"? It may be \"sop\"",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { cutof = \"8 A\" }",
            "[input/unknown-key] in.toml:3:14 <cutof> unknown key `cutof` in `contacts` in [system]; did you mean `cutoff`?",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { cutoff = 8 }",
            "[input/wrong-type] in.toml:3:23 <8> `contacts` in [system]: `cutoff` must be a length such as \"8 A\" or \"0.8 nm\", found the number 8: write its unit, in quotes",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { cutoff = \"-1 A\" }",
            "[input/bad-value] in.toml:3:23 <\"-1 A\"> `contacts` in [system]: `cutoff` must not be negative",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { side_chain_cutoff = \"0 A\" }",
            "[input/bad-value] in.toml:3:34 <\"0 A\"> `contacts` in [system]: `side_chain_cutoff` must be more than 0",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { energy = \"betta\" }",
            "[input/bad-value] in.toml:3:23 <\"betta\"> `contacts` in [system]: `energy` does not know \"betta\"; it may be an energy such as",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { energy = \"1.5 kcal\" }",
            "[model/quantity] in.toml:3:23 <\"1.5 kcal\"> `contacts` in [system]: `energy`: \"1.5 kcal\" lacks a \"/mol\"",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { energy = \"-1.5 kcal/mol\" }",
            "[input/bad-value] in.toml:3:23 <\"-1.5 kcal/mol\"> `contacts` in [system]: `energy` must not be negative",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { file = \"c.csv\", cutoff = \"8 A\" }",
            "[input/conflict] in.toml:3:30 <cutoff> `contacts` in [system]: `cutoff` has no place here, because the file lists the contacts",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { file = \"c.csv\" }",
            "[input/pair-list] DIR/c.csv:2:1 <0,999> DIR/c.csv, line 2: there is no bead 999: beads are numbered from 0 to 19",
        ),
        (
            "structure = \"a.pdb\"\ncontacts = { file = \"twice.csv\" }",
            "[input/pair-list] DIR/twice.csv:3:1 <9,0> DIR/twice.csv, line 3: bead 0 (chain A, residue 1) and bead 9 (chain A, residue 10) are listed in line 2 already: list each pair once",
        ),
        (
            "structure = \"a.pdb\"\nbonds = { extra = \"c.csv\" }",
            "[input/pair-list] DIR/c.csv:2:1 <0,999>",
        ),
        (
            "structure = \"a.pdb\"\nbonds = { stiffness = \"-1 pN/nm\" }",
            "[input/bad-value] in.toml:3:23 <\"-1 pN/nm\"> `bonds` in [system]: `stiffness` must not be negative",
        ),
        (
            "structure = \"a.pdb\"\nbonds = { limit = \"0 A\" }",
            "[input/bad-value] in.toml:3:19 <\"0 A\"> `bonds` in [system]: `limit` must be more than 0",
        ),
        (
            "structure = \"a.pdb\"\nbonds = { disulfides = \"yes\" }",
            "[input/wrong-type] in.toml:3:24 <\"yes\"> `bonds` in [system]: `disulfides` must be true or false, without quotes, found the text \"yes\"",
        ),
        (
            "structure = \"a.pdb\"\nrepulsion = { cutoff = \"0 A\" }",
            "[input/bad-value] in.toml:3:24 <\"0 A\"> `repulsion` in [system]: `cutoff` must be more than 0",
        ),
        (
            "structure = \"a.pdb\"\nrepulsion = { diameter = \"-3 A\" }",
            "[input/bad-value] in.toml:3:26 <\"-3 A\"> `repulsion` in [system]: `diameter` must be more than 0",
        ),
        (
            "structure = \"a.pdb\"\nstart = \"short.pdb\"",
            "[input/start] in.toml:3:9 <\"short.pdb\"> [system]: the start file DIR/short.pdb has 5 C-alphas and the system 20",
        ),
        (
            "structure = \"a.pdb\"\nstart = \"x_{replica}.pdb\"",
            "[input/unreadable-file] in.toml:3:9 <\"x_{replica}.pdb\"> the file DIR/x_0.pdb cannot be read",
        ),
        (
            "structure = \"a.pdb\"\nstart = { file = \"a.pdb\", first = 2 }",
            "[input/bad-value] in.toml:3:35 <2> `start` in [system]: `first` numbers files, but the file name has no {replica}",
        ),
        (
            "structure = \"a.pdb\"\ntopology = \"w.top\"\ncontacts = { cutoff = \"8 A\" }",
            "[input/conflict] in.toml:4:1 <contacts> [system]: `contacts` has no place here, because the topology lists the contacts",
        ),
        (
            "structure = \"a.pdb\"\ntopology = \"w.top\"\nbonds = { disulfides = true }",
            "[input/conflict] in.toml:4:11 <disulfides> `bonds` in [system]: `disulfides` has no place here, because the topology lists the bonds",
        ),
        (
            "structure = \"a.pdb\"\ntopology = \"w.top\"",
            "[structure/damaged-topology] in.toml:3:12 <\"w.top\"> DIR/w.top, line 1: the section [ atoms ] is missing",
        ),
    ] {
        check(&system(lines), expected);
    }
}

#[test]
fn refuses_wrong_settings() {
    for (lines, expected) in [
        (
            "[dynamics]\ntemperature = \"-1 K\"",
            "[input/bad-value] in.toml:9:15 <\"-1 K\"> [dynamics]: `temperature` must not be negative, but is \"-1 K\"",
        ),
        (
            "[dynamics]\nfriction = \"0 pN ps/nm\"",
            "[input/bad-value] in.toml:9:12 <\"0 pN ps/nm\"> [dynamics]: `friction` must be more than 0",
        ),
        (
            "[dynamics]\ntimestep = \"0 ps\"",
            "[input/bad-value] in.toml:9:12 <\"0 ps\"> [dynamics]: `timestep` must be more than 0, but is \"0 ps\"",
        ),
        (
            "[dynamics]\ntimestep = 20",
            "[input/wrong-type] in.toml:9:12 <20> [dynamics]: `timestep` must be a time such as \"20 ps\" or \"4 ms\", found the number 20: write its unit, in quotes",
        ),
        (
            "[dynamics]\ntimestep = 1e99",
            "[input/wrong-type] in.toml:9:12 <1e99> [dynamics]: `timestep` must be a time such as \"20 ps\" or \"4 ms\", found the number 1e99: write",
        ),
        (
            "[dynamics]\nskin = \"-1 A\"",
            "[input/bad-value] in.toml:9:8 <\"-1 A\"> [dynamics]: `skin` must not be negative",
        ),
        (
            "[dynamics]\nprecision = \"singel\"",
            "[input/unknown-key] in.toml:9:13 <\"singel\"> [dynamics]: `precision` does not know \"singel\"; did you mean \"single\"? It may be \"single\", \"double\"",
        ),
        (
            "[dynamics]\nintegrator = \"verlet\"",
            "[input/unknown-key] in.toml:9:14 <\"verlet\"> [dynamics]: `integrator` does not know \"verlet\"; did you mean \"velocity-verlet\"? It may be \"brownian\", \"brownian-second-order\"",
        ),
        (
            "[random]\nseed = -1",
            "[input/bad-value] in.toml:9:8 <-1> [random]: `seed` must be at least 0, but is -1",
        ),
        (
            "[random]\nseed = 1.5",
            "[input/wrong-type] in.toml:9:8 <1.5> [random]: `seed` must be a whole number such as 20101, without quotes, found the number 1.5",
        ),
        (
            "[random]\nseed = \"3\"",
            "[input/wrong-type] in.toml:9:8 <\"3\"> [random]: `seed` must be a whole number such as 20101, without quotes, found the text \"3\"",
        ),
        (
            "[random]\ngenerator = \"hybrid-taus\"",
            "[input/conflict] in.toml:9:13 <\"hybrid-taus\"> [random]: `generator` \"hybrid-taus\" is for repeating published work only",
        ),
        (
            "[random]\ngenerator = \"saru\"",
            "[input/conflict] in.toml:9:13 <\"saru\"> [random]: `generator` \"saru\" is for repeating published work only: its hash",
        ),
        (
            "[random]\ngenerator = \"xorwaw\"",
            "[input/unknown-key] in.toml:9:13 <\"xorwaw\"> [random]: `generator` does not know \"xorwaw\"; did you mean \"xorwow\"?",
        ),
        (
            "[random]\ngenerator = \"lcg\"\nscheme = \"counter\"\naccept_flaws = true",
            "[input/conflict] in.toml:10:10 <\"counter\"> [random]: `scheme` is \"counter\", in which the generator \"lcg\" does not run: it runs in \"one-per-thread\"",
        ),
        (
            "[random]\nscheme = \"one-per-bead\"",
            "[input/unknown-key] in.toml:9:10 <\"one-per-bead\"> [random]: `scheme` does not know \"one-per-bead\"; did you mean \"one-per-thread\"?",
        ),
        (
            "[random]\ngenerator = \"saru-tea\"\nscheme = \"one-per-call-published\"",
            "[input/conflict] in.toml:10:10 <\"one-per-call-published\"> [random]: `scheme` \"one-per-call-published\" is for repeating published work only: step + seed shifts two seeds into the same noise",
        ),
        (
            "[random]\ngenerator = \"mt19937\"\ndistribution = \"polar\"\naccept_flaws = true",
            "[input/conflict] in.toml:10:16 <\"polar\"> [random]: `distribution` is \"polar\", which takes a varying number of words, but in the scheme \"one-for-all-threads\" each bead has a fixed number of them: take \"box-muller\" or \"uniform\"",
        ),
        (
            "[random]\ndistribution = \"uniform\"\n[dynamics]\nintegrator = \"brownian-second-order\"",
            "[input/conflict] in.toml:9:16 <\"uniform\"> [random]: `distribution` \"uniform\" has the fourth moment 9/5 where a normal number has 3",
        ),
        (
            "[output]\ntable = { every = \"0 ps\" }",
            "[input/bad-value] in.toml:9:19 <\"0 ps\"> `table` in [output]: `every` must be more than 0",
        ),
        (
            "[output]\ntable = { every_steps = 0 }",
            "[input/bad-value] in.toml:9:25 <0> `table` in [output]: `every_steps` must be at least 1",
        ),
        (
            "[output]\ntable = { every = \"1 ns\", every_steps = 3 }",
            "[input/conflict] in.toml:9:27 <every_steps> `table` in [output]: both `every` and `every_steps` are given; keep one",
        ),
        (
            "[output]\ntrajectory = { format = \"xtc\" }",
            "[input/missing-key] in.toml:9:14 <{ format = \"xtc\" }> `trajectory` in [output]: how long is missing",
        ),
        (
            "[output]\ntrajectory = { every = \"30 ps\" }",
            "[input/steps] in.toml:9:24 <\"30 ps\"> `trajectory` in [output]: `every` is \"30 ps\", which is 1.5 steps of 20 ps: write \"20 ps\" (1 step) or \"40 ps\" (2 steps)",
        ),
        ("[output]\ncheckpoint = \"0 s\"", "[input/bad-value] in.toml:9:14 <\"0 s\">"),
        (
            "[output]\nfolder = \"\"",
            "[input/bad-value] in.toml:9:10 <\"\"> [output]: `folder` is empty",
        ),
        (
            "[output]\nends = [\"first\"]",
            "[input/wrong-type] in.toml:9:8 <[\"first\"]> [output]: `ends` must be two selections",
        ),
        (
            "[output]\nends = [\"first\", \"chain Z\"]",
            "[model/empty-selection] in.toml:9:18 <\"chain Z\"> [output], second end: the selection \"chain Z\" matches no bead",
        ),
        (
            "[output]\nends = [\"first\", \"index 0\"]",
            "[input/bad-value] in.toml:9:18 <\"index 0\"> [output]: `ends`: \"first\" and \"index 0\" select the same bead, so that the extension would be 0 in all rows: choose another end",
        ),
        (
            "[output]\nends = [\"all\", \"chain A\"]",
            "[input/bad-value] in.toml:9:16 <\"chain A\"> [output]: `ends`: \"all\" and \"chain A\" select the same 12 beads",
        ),
        (
            "[analysis]\nprominence = \"0 pN\"",
            "[input/bad-value] in.toml:9:14 <\"0 pN\"> [analysis]: `prominence` must be more than 0",
        ),
        ("[analysis]\nwindow = \"auto\"", "[model/quantity] in.toml:9:10 <\"auto\">"),
        (
            "[analysis]\nstages = []",
            "[input/wrong-type] in.toml:9:10 <[]> [analysis]: `stages` must be a list of names of stages such as [\"pull\", \"refold\"], or \"automatic\", found an empty list",
        ),
        (
            "[run]\non_failure = \"halt\"",
            "[input/unknown-key] in.toml:9:14 <\"halt\"> [run]: `on_failure` does not know \"halt\"; it may be \"continue\", \"stop\"",
        ),
        (
            "[ensemble]\nreplicas = 0",
            "[input/bad-value] in.toml:9:12 <0> [ensemble]: `replicas` must be at least 1",
        ),
    ] {
        check(&format!("{SMALL}\n{lines}\n"), expected);
    }
}

#[test]
fn refuses_wrong_stages() {
    let stage = |lines: &str| {
        format!("[system]\nstructure = \"a.pdb\"\n[[stage]]\nsteps = 1\n[[stage]]\n{lines}\n")
    };
    for (lines, expected) in [
        (
            "",
            "[input/missing-key] in.toml:5:1 <[[stage]]> stage \"stage-2\": how long is missing; write for example duration = \"20 us\" or steps = 1000",
        ),
        (
            "name = \"pull\"\nduration = \"1 ns\"\nsteps = 4",
            "[input/conflict] in.toml:8:1 <steps> stage \"pull\": both `duration` and `steps` are given; keep one",
        ),
        (
            "duration = \"50 ps\"",
            "[input/steps] in.toml:6:12 <\"50 ps\"> stage \"stage-2\": `duration` is \"50 ps\", which is 2.5 steps of 20 ps: write \"40 ps\" (2 steps) or \"60 ps\" (3 steps)",
        ),
        ("duration = \"20 ns/s\"", "[model/quantity] in.toml:6:12"),
        (
            "duration = \"0.0301 ns\"",
            "[input/steps] in.toml:6:12 <\"0.0301 ns\"> stage \"stage-2\": `duration` is \"0.0301 ns\", which is 1.505 steps of 20 ps: write \"0.02 ns\" (1 step) or \"0.04 ns\" (2 steps)",
        ),
        (
            "duration = \"5 ps\"",
            "[input/steps] in.toml:6:12 <\"5 ps\"> stage \"stage-2\": `duration` is \"5 ps\", which is 0.25 steps of 20 ps: write \"20 ps\" (1 step)",
        ),
        (
            "duration = \"1e30 s\"",
            "[input/steps] in.toml:6:12 <\"1e30 s\"> stage \"stage-2\": `duration` is 5e40 steps, more than the 2^48",
        ),
        (
            "duration = \"1000 s\"\nminimise = {}",
            "[input/conflict] in.toml:6:1 <duration> stage \"stage-2\": `duration` has no place here, because a minimisation ends by itself",
        ),
        (
            "duration = \"10000 s\"",
            "[input/steps] in.toml:6:12 <\"10000 s\"> stage \"stage-2\": `duration` is 500000000000000 steps, more than the 2^48 = 281474976710656",
        ),
        (
            "steps = 281474976710656",
            "[input/steps] in.toml:5:1 <[[stage]]> stage \"stage-2\": the run has more than 2^48 = 281474976710656 steps with this stage",
        ),
        (
            "steps = 0",
            "[input/bad-value] in.toml:6:9 <0> stage \"stage-2\": `steps` must be at least 1",
        ),
        (
            "steps = 5\nname = \"stage-1\"",
            "[input/conflict] in.toml:7:8 <\"stage-1\"> stage \"stage-1\": `name` is that of an earlier stage",
        ),
        (
            "steps = 5\nname = \"a.b\"",
            "[input/bad-value] in.toml:7:8 <\"a.b\"> stage \"a.b\": `name` may only have letters",
        ),
        (
            "steps = 5\nname = \"output\"",
            "[input/bad-value] in.toml:7:8 <\"output\"> stage \"output\": `name` cannot be \"output\"",
        ),
        (
            "steps = 5\nfixd = \"first\"",
            "[input/unknown-key] in.toml:7:1 <fixd> unknown key `fixd` in stage \"stage-2\"; did you mean `fixed`?",
        ),
        (
            "steps = 5\nfixed = 3",
            "[input/wrong-type] in.toml:7:9 <3> stage \"stage-2\": `fixed` must be a text such as \"none\", found the number 3",
        ),
        (
            "steps = 5\nfixed = \"chain C\"",
            "[model/empty-selection] in.toml:7:9 <\"chain C\"> stage \"stage-2\", fixed: the selection \"chain C\" matches no bead; there are chains A (12 beads), B (8 beads)",
        ),
        (
            "steps = 5\nstop = \"extention > 25 nm\"",
            "[input/unknown-key] in.toml:7:8 <\"extention > 25 nm\"> stage \"stage-2\": `stop`: nothing is called \"extention\"; did you mean \"extension\"?",
        ),
        (
            "steps = 5\nstop = [\"extension > 25 nm\", \"force > 3 nm\"]",
            "[model/quantity] in.toml:7:30 <\"force > 3 nm\"> stage \"stage-2\": `stop`: \"3 nm\" is a length; expected a force",
        ),
        (
            "steps = 5\nstop = \"extension\"",
            "[input/bad-value] in.toml:7:8 <\"extension\"> stage \"stage-2\": `stop`: \"extension\" has neither < nor >; write for example",
        ),
        (
            "steps = 5\nstop = \"extension >= 25 nm\"",
            "[input/bad-value] in.toml:7:8 <\"extension >= 25 nm\"> stage \"stage-2\": `stop`: \"extension >= 25 nm\" has an = that is not needed: write < or > alone",
        ),
        (
            "steps = 5\nstop = \"mean_force > 25 pN\"",
            "[input/bad-value] in.toml:7:8 <\"mean_force > 25 pN\"> stage \"stage-2\": `stop`: mean_force is an average between rows",
        ),
        (
            "steps = 5\nstop = \"extension > 25\"",
            "[model/quantity] in.toml:7:8 <\"extension > 25\"> stage \"stage-2\": `stop`: \"25\" has no unit",
        ),
        (
            "steps = 5\nstop = \"extension > 1e300 nm\"",
            "[input/bad-value] in.toml:7:8 <\"extension > 1e300 nm\"> stage \"stage-2\": `stop`: the number in \"extension > 1e300 nm\" must be less than 1e100",
        ),
        (
            "steps = 5\nstop = 25",
            "[input/wrong-type] in.toml:7:8 <25> stage \"stage-2\": `stop` must be a text",
        ),
        (
            "steps = 5\ndrives = {}",
            "[input/wrong-type] in.toml:7:10 <{}> stage \"stage-2\": `drives` must be a list of tables",
        ),
        (
            "minimise = { tol = 1 }",
            "[input/unknown-key] in.toml:6:14 <tol> unknown key `tol` in stage \"stage-2\", minimise. Known keys: tolerance, steps",
        ),
        (
            "minimise = {}\nstop = \"extension > 2 nm\"",
            "[input/conflict] in.toml:7:1 <stop> stage \"stage-2\": `stop` has no place here, because a minimisation has no time",
        ),
    ] {
        check(&stage(lines), expected);
    }
}

#[test]
fn refuses_wrong_sweeps() {
    for (lines, expected) in [
        (
            "\"run.stepz\" = [1]",
            "[input/path] in.toml:9:1 <\"run.stepz\"> `run.stepz`: neither stage \"run\" nor one of its drives has a key `stepz`",
        ),
        (
            "\"dynamics.temprature\" = [\"300 K\"]",
            "[input/unknown-key] in.toml:9:1 <\"dynamics.temprature\"> unknown key `temprature` in [dynamics]; did you mean `temperature`?",
        ),
        (
            "\"dynamics.temperature\" = [\"300 K\", \"-3 K\"]",
            "[input/bad-value] in.toml:9:36 <\"-3 K\"> [dynamics]: `temperature` must not be negative",
        ),
        (
            "\"dynamics.timestep\" = [\"20 ps\", \"10 ps\"]\n[output]\ntable = { every = \"1 ns\" }",
            "[input/conflict] in.toml:11:19 <\"1 ns\"> [output]: because the time step varies in the sweep, the table",
        ),
        (
            "mode = \"zip\"\n\"run.steps\" = [1, 2]\n\"random.seed\" = [1]",
            "[input/sweep] in.toml:11:1 <\"random.seed\"> [ensemble.sweep]: mode = \"zip\" pairs the lists, but \"run.steps\" has 2 values and \"random.seed\" 1",
        ),
        (
            "\"run.steps\" = 3",
            "[input/sweep] in.toml:9:15 <3> [ensemble.sweep]: \"run.steps\" must be a list of values",
        ),
    ] {
        check(&format!("{SMALL}\n[ensemble.sweep]\n{lines}\n"), expected);
    }
}

#[test]
fn refuses_wrong_oscillators() {
    let input = |system: &str, rest: &str| {
        format!("[system]\nmodel = \"oscillators\"\n{system}\n[[stage]]\nsteps = 10\n{rest}\n")
    };
    for (system, rest, expected) in [
        (
            "stiffness = \"1 pN/nm\"",
            "",
            "[input/missing-key] in.toml:1:1 <[system]> [system]: the key `particles` is missing; write for example particles = 10_000",
        ),
        (
            "particles = 0",
            "",
            "[input/bad-value] in.toml:3:13 <0> [system]: `particles` must be at least 1, but is 0",
        ),
        (
            "particles = 10_000_001",
            "",
            "[input/bad-value] in.toml:3:13 <10_000_001> [system]: `particles` must be at most 10_000_000, which take 3 GB of memory to set up, but is 10000001: take fewer, or several replicas",
        ),
        (
            "particles = 9\ndimensions = 2",
            "",
            "[input/bad-value] in.toml:4:14 <2> [system]: `dimensions` must be 1 or 3, but is 2",
        ),
        (
            "particles = 9\nstructure = \"a.pdb\"",
            "",
            "[input/unknown-key] in.toml:4:1 <structure> unknown key `structure` in [system]: only runs of model = \"sop\" and \"residues\" have `structure`. Known keys: model, particles, dimensions, stiffness, start",
        ),
        (
            "particles = 9\nstiffness = \"-1 pN/nm\"",
            "",
            "[input/bad-value] in.toml:4:13 <\"-1 pN/nm\"> [system]: `stiffness` must not be negative",
        ),
        (
            "particles = 9",
            "fixed = \"first\"",
            "[input/conflict] in.toml:4:1 <[[stage]]> stage \"stage-1\": `fixed` has no place in a run of oscillators, whose particles follow a law of their own: leave it out",
        ),
        (
            "particles = 9",
            "drives = [ { kind = \"restrain\", select = \"all\", stiffness = \"1 pN/nm\" } ]",
            "[input/conflict] in.toml:4:1 <[[stage]]> stage \"stage-1\": `drives` has no place",
        ),
        (
            "particles = 9",
            "[dynamics]\ndiffusion = \"1 nm^2/ns\"\nfriction = \"1 pN ns/nm\"",
            "[input/conflict] in.toml:7:1 <diffusion> [dynamics]: both `friction` and `diffusion` are given; keep one",
        ),
        (
            "particles = 9",
            "[dynamics]\ndiffusion = \"1 nm^2/ns\"\ntemperature = \"0 K\"",
            "[input/conflict] in.toml:7:13 <\"1 nm^2/ns\"> [dynamics]: `diffusion` says nothing of the friction at temperature 0",
        ),
        (
            "particles = 9",
            "[dynamics]\ndiffusion = \"1 nm/ns\"",
            "[model/quantity] in.toml:7:13 <\"1 nm/ns\"> [dynamics]: `diffusion`: \"1 nm/ns\" is a speed; expected a coefficient of diffusion such as \"0.25 nm^2/ns\"",
        ),
    ] {
        check(&input(system, rest), expected);
    }
}

/// A message shows the beginning of a text that no person has written.
#[test]
fn long_texts_are_not_repeated() {
    let folder = folder();
    let long = "9".repeat(1_000_000);
    for (lines, part) in [
        (
            format!("steps = 1000\nstop = \"{long} > 3\""),
            "9…\" is too long for a rule: write for example",
        ),
        (format!("duration = \"{long} us\""), "9…\" is too long; expected a time"),
    ] {
        let text = format!("{SMALL}\n[[stage]]\n{lines}\n");
        let said = parse(folder.path(), &text).unwrap_err().to_string();
        assert!(said.contains(part) && said.len() < 500, "{}", &said[..said.len().min(900)]);
    }
    let key = "k".repeat(50_000);
    let named = format!("{SMALL}\n[[stage]]\nname = \"pull\"\nsteps = 10\n");
    for (path, part) in
        [(format!("pull.{key}"), "k…`: neither stage"), (format!("{key}.x"), "k…`: no section")]
    {
        let error = parse_with(folder.path(), &named, &[(path.as_str(), "3")]).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(part) && said.len() < 1_500, "{}", &said[..said.len().min(1_900)]);
    }
    let error = parse(folder.path(), &format!("{named}{key} = 3\n")).unwrap_err().to_string();
    assert!(error.contains("kkk…`") && error.len() < 1_500, "{}", &error[..error.len().min(1_900)]);
    // The end of a path says more than its beginning.
    let file = format!("{}/a.pdb", "folder/".repeat(60));
    let text = SMALL.replace("a.pdb", &file);
    let error = parse(folder.path(), &text).unwrap_err().to_string();
    assert!(error.contains(&file), "{error}");
}
