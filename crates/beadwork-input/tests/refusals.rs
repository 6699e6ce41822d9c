//! Refused documents and systems: each message with its code, its place, the words at which it points, and its text.

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
