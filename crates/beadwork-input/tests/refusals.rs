//! Refused inputs: each message with its code, its place, the words at which it points, and its text.

use crate::common::{
    LADDER, SMALL, assert_fixed_point, complaint, folder, parse, parse_with, pdb, snake, write,
};
use beadwork_model::potentials::NativeContact;

/// A stage that pulls, with this drive.
fn pulling(external: &str) -> String {
    format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"pull\"\nsteps = 10\ndrives = [{{ {external} }}]\n"
    )
}

fn check(text: &str, expected: &str) {
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

/// Chains of three beads (one with an insertion code), of one bead, and with two residues of one number.
fn residues() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for (bead, residue) in [
        "GLY A   5 ",
        "GLY A  52 ",
        "GLY A  52A",
        "GLY B  -3 ",
        "GLY C   1 ",
        "ALA C   1A",
        "VAL C   1 ",
    ]
    .iter()
    .enumerate()
    {
        let x = 3.8 * bead as f64;
        text += &format!(
            "ATOM  {:5}  CA  {residue}   {x:8.3}{:8.3}{:8.3}  1.00  0.00           C\n",
            bead + 1,
            0.0,
            0.0
        );
    }
    write(folder.path(), "a.pdb", &text);
    folder
}

#[test]
fn refuses_wrong_lists_of_pairs() {
    for (list, expected) in [
        ("bead_i,bead_j\n0,9\n", "line 2: there is no bead 9: beads are numbered from 0 to 6"),
        ("bead_i,bead_j\n# x\n\n0,1\n0,x\n", "line 5: \"x\" is not the number of a bead"),
        ("\u{feff}bead_i,bead_j\n0,2\n0,x\n", "line 3: \"x\" is not the number of a bead"),
        ("bead_i,bead_j\n1,1\n", "line 2: bead 1 is paired with itself"),
        (
            "bead_i,bead_j\n0,2\n# x\n2,0\n",
            "line 4: bead 0 (chain A, residue 5) and bead 2 (chain A, residue 52A) are listed in line 2 already: list each pair once",
        ),
        ("bead_i,bead_j\n1\n", "line 2: there are 1 values for 2 columns"),
        ("bead_i,bed_j\n1,1\n", "line 1: unknown column \"bed_j\"; did you mean \"bead_j\"?"),
        ("bead_i,bead_i\n1,1\n", "line 1: the column \"bead_i\" is there twice"),
        ("bead_i,chain_j\n1,1\n", "line 1: the columns that name the beads are missing"),
        ("bead_i,bead_j\n", "line 1: the list has a header but no pairs"),
        ("bead_i,bead_j,length_A\n0,1,-1\n", "line 2: the length must be positive, but is -1"),
        (
            "bead_i,bead_j,length_nm\n0,1,1e300\n",
            "line 2: the length must be less than 1e100, but is 1e300",
        ),
        (
            "bead_i,bead_j,energy_kcal_mol\n0,1,1e300\n",
            "line 2: the energy must be less than 1e100, but is 1e300",
        ),
        (
            "bead_i,bead_j,energy_kcal_mol\n0,1,NaN\n",
            "line 2: the energy must be positive, but is NaN",
        ),
        (
            "bead_i,bead_j,length_A,length_nm\n0,1,1,1\n",
            "line 1: both length_A and length_nm are there",
        ),
        (
            "chain_i,residue_i,chain_j,residue_j\nA,5,A,6\n",
            "line 2: there is no residue 6 in a chain A",
        ),
        (
            "chain_i,residue_i,chain_j,residue_j\nA,5,C,1\n",
            "line 2: residue 1 of chain C is there 2 times",
        ),
        (
            "chain_i,residue_i,chain_j,residue_j\nA,x5,C,1\n",
            "line 2: \"x5\" is not a residue number",
        ),
    ] {
        let folder = residues();
        write(folder.path(), "c.csv", list);
        let with = "structure = \"a.pdb\"\ncontacts = { file = \"c.csv\" }";
        let text = format!("[system]\n{with}\n[[stage]]\nsteps = 10\n");
        let error = parse(folder.path(), &text).unwrap_err();
        let path = folder.path().join("c.csv").display().to_string();
        assert!(error.to_string().starts_with(&format!("{path}, {expected}")), "{error}");
        assert_eq!(error.code(), "input/pair-list");
        let line: usize = expected[5..6].parse().unwrap();
        assert_eq!(error.location().unwrap().line_column(), (line, 1));
    }
    for (list, expected) in [
        (&b"bead_i,bead_j,length_A\n0,2,4\n"[..], "unknown column \"length_A\""),
        (b"bead_i,bead_j\n0,\xff\n", "line 2: the text is not UTF-8"),
        (b"bead_i,bead_j\n0,2\n2,0\n", "line 3: bead 0 (chain A, residue 5) and bead 2 (chain A"),
    ] {
        let folder = residues();
        std::fs::write(folder.path().join("b.csv"), list).unwrap();
        let with = "structure = \"a.pdb\"\nbonds = { extra = \"b.csv\" }";
        let text = format!("[system]\n{with}\n[[stage]]\nsteps = 10\n");
        let error = parse(folder.path(), &text).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Lists may name beads in two ways, and lengths in two units.
#[test]
fn lists_of_pairs_that_can_be_read() {
    for (list, expected) in [
        (
            "# by number\nbead_i, bead_j,length_nm,energy_kcal_mol\n0,3,0.5,1.25\n\n1,4,,\n",
            [(0, 3, 5.0, 1.25), (1, 4, 11.4, 1.5)],
        ),
        (
            "chain_i,residue_i,chain_j,residue_j,length_A\r\nA,52A,B,-3,6.5\r\nB,-3,A,52,4\r\n",
            [(2, 3, 6.5, 1.5), (1, 3, 4.0, 1.5)],
        ),
    ] {
        let folder = residues();
        write(folder.path(), "c.csv", list);
        let with = "structure = \"a.pdb\"\ncontacts = { file = \"c.csv\" }";
        let text = format!("[system]\n{with}\n[[stage]]\nsteps = 10\n");
        let request = parse(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        let contacts = request.points[0].system.interactions.bonded_by::<NativeContact>();
        let mut found: Vec<_> = contacts
            .iter()
            .map(|contact| {
                (contact.i, contact.j, contact.potential.length, contact.potential.depth)
            })
            .collect();
        found.sort_by_key(|(i, j, ..)| (*i, *j));
        let mut expected = expected.to_vec();
        expected.sort_by_key(|(i, j, ..)| (*i, *j));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!((found.0, found.1, found.3), (expected.0, expected.1, expected.3));
            assert!((found.2 - expected.2).abs() < 1e-9, "{found:?} {expected:?}");
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
fn refuses_wrong_drives() {
    let spring = "kind = \"spring\", fixed = \"first\", pulled = \"last\"";
    for (external, expected) in [
        ("".to_string(), "[input/missing-key] in.toml:6:11 <{  }> stage \"pull\", drive 1: the key `kind` is missing; write for example kind = \"spring\""),
        ("kind = \"sprin\"".to_string(), "[input/unknown-key] in.toml:6:20 <\"sprin\"> stage \"pull\", drive 1: `kind` does not know \"sprin\"; did you mean \"spring\"?"),
        (format!("{spring}, stifness = \"35 pN/nm\""), "[input/unknown-key] in.toml:6:64 <stifness> unknown key `stifness` in stage \"pull\", drive 1; did you mean `stiffness`? Known keys: kind, name, fixed, pulled, stiffness, speed, direction, update_every"),
        (spring.to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"spring\", fixed = \"first\", pulled = \"last\" }> stage \"pull\", drive 1: the key `stiffness` is missing; write for example stiffness = \"35 pN/nm\""),
        (format!("{spring}, stiffness = \"35 pN\", speed = \"1 um/s\""), "[model/quantity] in.toml:6:76 <\"35 pN\"> stage \"pull\", drive 1: `stiffness`: \"35 pN\" is a force; expected a stiffness"),
        (format!("{spring}, stiffness = \"-35 pN/nm\", speed = \"1 um/s\""), "[input/bad-value] in.toml:6:76 <\"-35 pN/nm\"> stage \"pull\", drive 1: `stiffness` must not be negative"),
        (format!("{spring}, direction = [1e308, 1e308, 1e308]"), "[input/bad-value] in.toml:6:77 <1e308> stage \"pull\", drive 1: `direction` must be less than 1e100, but is 1e308"),
        (format!("{spring}, direction = [1, 2]"), "[input/wrong-type] in.toml:6:76 <[1, 2]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found a list of 2 numbers"),
        (format!("{spring}, direction = [1, nan, 0]"), "[input/wrong-type] in.toml:6:76 <[1, nan, 0]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found nan at place 2"),
        (format!("{spring}, direction = [1, \"x\", 0]"), "[input/wrong-type] in.toml:6:76 <[1, \"x\", 0]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found the text \"x\" at place 2"),
        (format!("{spring}, direction = []"), "[input/wrong-type] in.toml:6:76 <[]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found an empty list"),
        (format!("{spring}, direction = [0, 0, 0]"), "[input/bad-value] in.toml:6:76 <[0, 0, 0]> stage \"pull\", drive 1: `direction` must have a length"),
        (format!("{spring}, stiffness = \"1 pN/nm\", speed = \"1 um/s\", update_every = 0"), "[input/bad-value] in.toml:6:120 <0>"),
        ("kind = \"force\", pulled = \"last\", force = \"1 pN\"".to_string(), "[input/missing-key] in.toml:6:11"),
        ("kind = \"force\", fixed = \"none\", pulled = \"last\", force = \"1 pN\"".to_string(), "[input/bad-value] in.toml:6:37 <\"none\"> stage \"pull\", drive 1: `fixed` can be \"none\" only beside a `direction`"),
        ("kind = \"force\", fixed = \"index 0-5\", pulled = \"index 5\", force = \"1 pN\"".to_string(), "[input/conflict] in.toml:6:59 <\"index 5\"> stage \"pull\": bead 5 (chain A, residue 6 GLY) is both fixed and pulled"),
        ("kind = \"force\", fixed = \"index 0 2\", pulled = \"index 1\", force = \"1 pN\"".to_string(), "[input/bad-value] in.toml:6:59 <\"index 1\"> stage \"pull\", drive 1: the centres of its `fixed` and `pulled` beads "),
        ("kind = \"force-ramp\", fixed = \"index 0 2\", pulled = \"index 1\", rate = \"1 pN/ms\"".to_string(), "[input/bad-value] in.toml:6:64 <\"index 1\"> stage \"pull\", drive 1: the centres of its"),
        ("kind = \"force\", fixed = \"first\", pulled = \"chain Q\", force = \"1 pN\"".to_string(), "[model/empty-selection] in.toml:6:55 <\"chain Q\"> stage \"pull\", drive 1, pulled: the selection \"chain Q\" matches no bead"),
        ("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\"".to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"force-ramp\", fixed = \"first\", pulled = \"last\" }> stage \"pull\", drive 1: the key `rate` is missing; write for example rate = \"87.5 pN/ms\" (or stiffness"),
        ("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\", rate = \"1 pN/ms\", speed = \"1 um/s\"".to_string(), "[input/conflict] in.toml:6:86 <speed> stage \"pull\", drive 1: `speed` has no place here, because the rate says"),
        ("kind = \"restrain\", select = \"all\"".to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"restrain\", select = \"all\" }> stage \"pull\", drive 1: the key `stiffness` is missing"),
    ] {
        check(&pulling(&external), expected);
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
fn overrides_point_at_the_command_line() {
    let folder = folder();
    for (path, value, expected) in [
        (
            "dynamics.temperature",
            "300",
            "[input/wrong-type] --set:1:24 <300> [dynamics]: `temperature` must be a temperature such as \"300 K\" or \"0.6 kcal/mol\", found the number 300",
        ),
        (
            "dynamics.temperature",
            "300 pN",
            "[model/quantity] --set:1:24 <300 pN> [dynamics]: `temperature`: \"300 pN\" is a force",
        ),
        (
            "dynamic.temperature",
            "300 K",
            "[input/path] --set:1:1 <dynamic.temperature> `dynamic.temperature`: no section or stage is called \"dynamic\"; did you mean \"dynamics\"?",
        ),
        (
            "dynamics.temp",
            "300 K",
            "[input/unknown-key] --set:1:1 <dynamics.temp> unknown key `temp` in [dynamics]",
        ),
        ("run.steps", "[1", "[input/syntax] --set:1:"),
    ] {
        let error = parse_with(folder.path(), SMALL, &[(path, value)]).unwrap_err();
        let found = complaint(&error);
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
}

/// Stages: one with a default name, and one that pulls, holds and pushes.
const STAGES: &str = r#"
[system]
structure = "a.pdb"
[dynamics]
diffusion = "1 nm^2/ns"
[[stage]]
steps = 10
[[stage]]
name = "pull"
duration = "1 us"
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "1 pN/nm", speed = "1 um/s" },
    { kind = "restrain", select = "index 4", stiffness = "1 pN/nm" },
    { kind = "force", fixed = "first", pulled = "last", force = "1 pN" },
]
"#;

#[test]
fn paths_reach_sections_stages_and_drives() {
    let folder = folder();
    write(folder.path(), "b.pdb", &pdb(&snake('A', 9)));
    for (path, value, part) in [
        ("dynamics.temperature", "\"310 K\"", "temperature = \"310 K\"\ndiffusion"),
        ("system.structure", "b.pdb", "structure = { file = \"inputs/b.pdb\", select"),
        ("system.structure.chains", "A", "file = \"inputs/a.pdb\", chains = \"A\""),
        ("system.bonds.disulfides", "false", "disulfides = false"),
        ("stage-1.steps", "7", "name = \"stage-1\"\nsteps = 7\n"),
        ("stage-1.duration", "1 ns", "name = \"stage-1\"\nduration = \"1 ns\"\nfixed"),
        ("dynamics.friction", "2 pN ps/nm", "temperature = \"300 K\"\nfriction = \"2 pN ps/nm\""),
        ("pull.steps", "7", "name = \"pull\"\nsteps = 7\nfixed"),
        ("pull.speed", "2 um/s", "stiffness = \"1 pN/nm\", speed = \"2 um/s\""),
        ("pull.force", "2 pN", "pulled = \"last\", force = \"2 pN\" }"),
        ("pull.drives.2.stiffness", "2 pN/nm", "select = \"index 4\", stiffness = \"2 pN/nm\" }"),
        ("pull.drives.1.fixed", "index 1", "kind = \"spring\", fixed = \"index 1\""),
        ("pull.stage.fixed", "index 2", "duration = \"1 us\"\nfixed = \"index 2\""),
        ("stage-1.fixed", "first", "steps = 10\nfixed = \"first\""),
        ("stage-1.stage.fixed", "first", "steps = 10\nfixed = \"first\""),
        ("ensemble.sweep.pull.speed", "[\"3 um/s\"]", "\"pull.speed\" = [\"3 um/s\"]"),
        ("ensemble.replicas", "3", "[ensemble]\nreplicas = 3"),
    ] {
        let request = parse_with(folder.path(), STAGES, &[(path, value)]);
        let resolved = request.unwrap_or_else(|error| panic!("{path}: {error}")).resolved;
        assert!(resolved.contains(part), "{path}: {resolved}");
    }
    let request = parse_with(folder.path(), LADDER, &[("then.sweeps", "7000")]).unwrap();
    assert!(request.resolved.contains("name = \"then\"\nsweeps = 7000"), "{}", request.resolved);
    let said = parse_with(folder.path(), LADDER, &[("then.stop", "x")]).unwrap_err().to_string();
    assert!(said.contains("the stage has name, sweeps, tune, tune_temperatures"), "{said}");
}

#[test]
fn messages_about_unknown_paths_name_candidates() {
    let folder = folder();
    for (path, part) in [
        ("temperature", "at least two parts"),
        ("dynamics..x", "a part of the path is empty"),
        (&"dynamics.".repeat(50_000), "a path has at most 20 parts"),
        ("dynamic.x", "no section or stage is called \"dynamic\"; did you mean \"dynamics\"?"),
        ("pul.speed", "did you mean \"pull\"?"),
        ("stage.steps", "no section or stage is called \"stage\""),
        ("stage-1.speed", "neither stage \"stage-1\" nor one of its drives has a key `speed`"),
        ("pull.sped", "a key `sped`; did you mean `speed`? The stage has name, duration,"),
        ("pull.step", "did you mean `steps`? The stage has"),
        (
            "pull.colour",
            "a key `colour`; the stage has name, duration, steps, minimise, fixed, drives, stop, stop_every, tune_temperatures, its drives direction, fixed, force, pulled, select, speed, stiffness, update_every",
        ),
        ("pull.stiffness", "write pull.drives.1.stiffness or pull.drives.2.stiffness"),
        (
            "pull.fixed",
            "write pull.drives.1.fixed or pull.drives.3.fixed for a drive's, or pull.stage.fixed for the stage's own",
        ),
        ("pull.stage.speed", "a key `stage`"),
        ("pull.drives.4.speed", "the stage has 3 drive(s)"),
        ("pull.drives.1", "comes the number or the name of a drive and a key"),
        ("pull.duration.x", "cannot be set in what is not a table"),
    ] {
        let error = parse_with(folder.path(), STAGES, &[(path, "1")]).unwrap_err();
        assert_eq!((error.code(), &*error.location().unwrap().name), ("input/path", "--set"));
        assert!(error.to_string().contains(part), "{path}: {error}");
    }
}

/// A path has the number of a drive or its name, and a sweep takes both for one path.
#[test]
fn paths_name_drives() {
    let folder = folder();
    let spring = |name: &str, speed: u32| {
        format!(
            "{{ kind = \"spring\", name = \"{name}\", fixed = \"first\", pulled = \"last\", stiffness = \"1 pN/nm\", speed = \"{speed} um/s\" }}"
        )
    };
    let drives = format!("[{}, {}]", spring("left", 1), spring("right", 2));
    let text = format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"pull\"\nsteps = 10\ndrives = {drives}\n"
    );
    let path = "pull.drives.right.speed";
    let resolved = parse_with(folder.path(), &text, &[(path, "7 um/s")]).unwrap().resolved;
    let of = |speed: u32| resolved.matches(&format!("speed = \"{speed} um/s\"")).count();
    assert_eq!([1, 2, 7].map(of), [1, 0, 1], "{resolved}");
    let path = "pull.drives.rihgt.speed";
    let said = parse_with(folder.path(), &text, &[(path, "7 um/s")]).unwrap_err().to_string();
    assert!(said.contains("did you mean `pull.drives.2.speed`?"), "{said}");

    let sweep =
        format!("{text}[ensemble.sweep]\n\"pull.drives.left.speed\" = [\"3 um/s\", \"4 um/s\"]\n");
    let request = parse(folder.path(), &sweep).unwrap();
    let setting = |speed: &str| [("pull.drives.1.speed".to_string(), speed.to_string())];
    assert_eq!(request.points.len(), 2);
    assert_eq!(request.points[1].settings, setting("4 um/s"));
    assert_fixed_point(&request);
    let list = ("ensemble.sweep.pull.drives.1.speed", "[\"5 um/s\"]");
    let request = parse_with(folder.path(), &sweep, &[list]).unwrap();
    assert_eq!(request.points.len(), 1);
    assert_eq!(request.points[0].settings, setting("5 um/s"));
    let hidden = ("pull.drives.left.speed", "9 um/s");
    let said = parse_with(folder.path(), &sweep, &[hidden]).unwrap_err().to_string();
    assert!(said.contains("each point of the sweep sets \"pull.drives.1.speed\""), "{said}");
    let twice = format!("{sweep}\"pull.drives.1.speed\" = [\"3 um/s\"]\n");
    let said = parse(folder.path(), &twice).unwrap_err().to_string();
    assert!(said.contains("\"pull.drives.1.speed\" is there twice"), "{said}");
}

/// A ramp is given by its rate, or by stiffness and speed of the spring that it replaces.
#[test]
fn paths_set_a_ramp_as_it_is_written() {
    let code = |ramp: &str, path: &str, value: &str| {
        let text =
            pulling(&format!("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\"{ramp}"));
        let read = parse_with(folder().path(), &text, &[(path, value)]);
        read.map_or_else(|error| error.code(), |_| "read")
    };
    let (rate, spring) = (", rate = \"1 pN/ms\"", ", stiffness = \"1 pN/nm\", speed = \"1 um/s\"");
    for (ramp, path, value, expected) in [
        (rate, "pull.rate", "2 pN/ms", "read"),
        (rate, "pull.speed", "2 um/s", "input/path"),
        (spring, "pull.rate", "2 pN/ms", "input/path"),
        (spring, "pull.stiffness", "2 pN/nm", "read"),
        ("", "pull.rate", "2 pN/ms", "read"),
        (", stiffness = \"1 pN/nm\"", "pull.speed", "2 um/s", "read"),
        ("", "pull.speed", "2 um/s", "input/missing-key"),
        (rate, "pull.force", "1 pN", "input/path"),
    ] {
        assert_eq!(code(ramp, path, value), expected, "{ramp}, {path}");
    }
}

#[test]
fn refuses_too_many_start_files() {
    let folder = folder();
    let overrides = [("system.start", "x_{replica}.pdb"), ("ensemble.replicas", "200000")];
    let error = parse_with(folder.path(), SMALL, &overrides).unwrap_err();
    assert!(
        error.to_string().contains("`file` needs a file for each of 200000 replicas"),
        "{error}"
    );
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

#[test]
fn a_second_tip_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\"";
    let surface = "kind = \"surface\", below = \"all\"";
    let text = pulling(&format!("{surface} }}, {{ {tip} }}, {{ {tip}"));
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let error = parse(folder.path(), &text).unwrap_err();
    assert_eq!(error.code(), "input/conflict");
    let said = "stage \"pull\", drive 3: a second tip beside that of drive 2";
    assert!(complaint(&error).contains(said), "{}", complaint(&error));
}

/// A tip can go on only into the next stage, and as it was.
#[test]
fn a_tip_that_cannot_go_on_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\"";
    let surface = "{ kind = \"surface\", below = \"all\" }";
    let on = "kind = \"tip\", continue = true, speed = \"-1 um/s\"";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let behind = |first: &str, second: &str| {
        format!(
            "{}[[stage]]\nname = \"back\"\nsteps = 10\ndrives = [{{ {second} }}]\n",
            pulling(first)
        )
    };
    for (text, code, said) in [
        (pulling(on), "input/conflict", "this is the first stage"),
        (
            behind("kind = \"surface\", below = \"all\"", on),
            "input/conflict",
            "needs tip 1 in the stage before, and stage \"pull\" has 0",
        ),
        (
            behind(tip, &format!("{on}, radius = \"3 nm\"")),
            "input/conflict",
            "`radius` has no place here, because the tip continues as it was in stage \"pull\"",
        ),
        (behind(tip, &format!("{on}, thermal = true")), "input/conflict", "`thermal` has no place"),
        (
            behind(tip, "kind = \"surface\", continue = true"),
            "input/conflict",
            "needs surface 1 in the stage before, and stage \"pull\" has 0",
        ),
        (
            behind(
                &format!("{tip} }}, {surface}, {{ kind = \"surface\", below = \"all\""),
                "kind = \"surface\", continue = true, gap = \"1 nm\"",
            ),
            "input/conflict",
            "`gap` has no place here",
        ),
        // Only a base that goes on may go back at once.
        (pulling(&tip.replace("\"1 um/s\"", "\"-1 um/s\"")), "input/bad-value", "`speed`"),
    ] {
        let error = parse(folder.path(), &text).unwrap_err();
        assert_eq!(error.code(), code, "{}", complaint(&error));
        assert!(complaint(&error).contains(said), "{}", complaint(&error));
    }
    assert!(parse(folder.path(), &behind(tip, on)).is_ok());
}

/// Noise that would throw the tip by half of σ within some trillions of moves is refused.
#[test]
fn a_tip_that_noise_would_throw_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"1 pN/nm\", friction = \"8.7e6 pN ps/nm\", speed = \"1 um/s\", moves_every = 100";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    assert!(parse(folder.path(), &pulling(tip)).is_ok());
    let error = parse(folder.path(), &pulling(&format!("{tip}, thermal = true"))).unwrap_err();
    assert_eq!(error.code(), "input/bad-value");
    assert!(complaint(&error).contains("noise shakes the tip"), "{}", complaint(&error));
}

#[test]
fn a_tip_that_its_cantilever_would_throw_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e2 pN ps/nm\", speed = \"1 um/s\"";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let error = parse(folder.path(), &pulling(tip)).unwrap_err();
    assert_eq!(error.code(), "input/bad-value");
    assert!(complaint(&error).contains("overshoots"), "{}", complaint(&error));
}

/// Numbers of steps beyond those of a run, points without bound, directions that cannot be scaled, lengths that numbers cannot
/// resolve, and contacts that push nothing away.
#[test]
fn drives_of_absurd_numbers_are_refused() {
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"1e30 pN ps/nm\", speed = \"1 um/s\"";
    let spring = "kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"1 pN/nm\", speed = \"1 um/s\"";
    let surface = "kind = \"surface\", below = \"all\", spacing = \"1 A\"";
    let (many, steps) = (i64::MAX, "more than the 2^48");
    for (drive, said) in [
        (format!("{tip}, moves_every = {many}"), steps),
        (format!("{tip}, update_every = {many}"), steps),
        (format!("{tip}, turn_after = \"1 us\", cycles = {many}"), steps),
        (format!("{spring}, update_every = {many}"), steps),
        (format!("{surface}, points = {many}"), "write at most 300"),
        (format!("{surface}, points = 301"), "write at most 300"),
        (
            format!("{tip}, direction = [1e300, 0, 0]"),
            "`direction` must be less than 1e100, but is 1e300",
        ),
        (format!("{tip}, gap = \"1e25 nm\""), "`gap` is too large: at 1.0e26 times `sigma`"),
        (format!("{tip}, position = [\"0 nm\", \"-1 m\", \"0 nm\"]"), "`position` is too large"),
        (tip.replace("\"2 nm\"", "\"1 m\""), "`radius` is too large: at 1.0e10 times `sigma`"),
        (
            tip.replace("1e30", "1e-50"),
            "the tip would go 1.00e54 of its way to the base, and beyond",
        ),
        (format!("{surface}, points = 2").replace("1 A", "1 m"), "`spacing` is too large"),
        (format!("{tip}, b = 0"), "`b` is 0 beside `a` = 0, so that it has no force"),
        (format!("{tip}, b = -1"), "`b` is -1 beside `a` = 0, so that it draws beads in"),
        ("kind = \"surface\", below = \"all\", a = 0".to_string(), "`b` is -2 beside `a` = 0"),
    ] {
        let error = parse(folder.path(), &pulling(&drive)).unwrap_err();
        assert!(complaint(&error).contains(said), "{drive}: {}", complaint(&error));
    }
    assert!(parse(folder.path(), &pulling(&format!("{surface}, points = 300"))).is_ok());
}
