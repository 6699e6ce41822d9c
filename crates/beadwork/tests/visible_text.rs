//! Control characters and marks of direction in files reach neither a terminal nor a text file.

use crate::common::{HELIX, Place, Said};

/// ESC with a title of the window and a colour, BEL, a mark that turns the direction of writing, a control character of 8
/// bits.
const STEERING: &str = "\u{1b}]0;OWNED\u{7}\u{1b}[31m\u{202e}\u{9b}2J";

const RESIDUES: &str = r#"
[system]
model = "residues"
sequence = { file = "esc.fasta", name = "ok" }
[[stage]]
name = "sample"
steps = 400
[ensemble.sweep]
"system.sequence.name" = "all"
[output]
table = { every_steps = 20 }
trajectory = { every_steps = 20 }
"#;

#[track_caller]
fn assert_visible(text: &str, what: &str) {
    let hidden = |letter: &char| {
        (letter.is_control() && !"\n\r\t".contains(*letter))
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.chars().find(hidden), None, "{what}: {text:?}");
}

#[track_caller]
fn assert_said(said: &Said) {
    assert_visible(&said.stdout, "standard output");
    assert_visible(&said.stderr, "standard error");
}

#[test]
fn names_of_fasta_records() {
    let place = Place::with_input(RESIDUES);
    let fasta = format!(">ok\nGSGSGSGSGSK\n>e{STEERING}red\nGSGSGSGSKK\n");
    place.write("esc.fasta", &fasta);
    for arguments in ["check input.toml", "check input.toml --json", "run input.toml -o r"] {
        let said = place.beadwork(arguments).expect(0);
        assert_said(&said);
        assert!(arguments.contains("run") || said.stdout.contains("OWNED"), "{}", said.stdout);
    }
    for arguments in ["plot r", "resume r"] {
        assert_said(&place.beadwork(arguments));
    }
    for (name, bytes) in place.results("r") {
        // The copy of an input keeps its bytes.
        if let Ok(text) = String::from_utf8(bytes)
            && !name.starts_with("inputs")
            && !name.contains("trajector")
            && !name.contains("checkpoint")
        {
            assert_visible(&text, &name);
        }
    }
    assert_eq!(place.read("r/inputs/esc.fasta"), fasta);
    assert!(
        place.read("r/resolved.toml").contains("OWNED")
            || place.read("r/summary.txt").contains("OWNED")
    );
}

#[test]
fn comments_and_words_of_an_input_in_messages() {
    let comment =
        format!("[system]\nstructure = \"no.pdb\" # {STEERING} c\n[[stage]]\nsteps = 1\n");
    let place = Place::with_input(&comment);
    let said = place.beadwork("check input.toml").expect(2);
    assert_said(&said);
    said.complains(&["no.pdb", "␛]0;OWNED␇␛[31m"]);
    for word in [
        "model = \"so\\u001b[31mp\"",
        "structure = \"helix\\u202E.pdb\"",
        "\"mo\\u0007del\" = \"sop\"",
        "structure = \"helix.pdb\"\nchains = \"A\u{202e}\"",
    ] {
        place.write("input.toml", &format!("[system]\n{word}\n[[stage]]\nsteps = 1\n"));
        let said = place.beadwork("check input.toml").expect(2);
        assert_said(&said);
        said.complains(&["steers a terminal"]);
    }
    assert_said(&place.beadwork_of(&["check", "input.toml", "--set", "system.model=\u{1b}[31m"]));
    assert_said(&place.beadwork_of(&["check", "input.toml", "--\u{1b}[31m"]));
    assert_said(&place.beadwork_of(&["check", "\u{1b}[31m.toml"]));
}

#[test]
fn the_caret_stays_under_its_place() {
    let place = Place::with_input(
        "[system]\nstructure = \"helix.pdb\" # \u{9b}\u{202e}é\nmodle = 1\n[[stage]]\nsteps = 1\n",
    );
    let said = place.beadwork("check input.toml").expect(2);
    assert_said(&said);
    let lines: Vec<&str> = said.stderr.lines().collect();
    let key = lines.iter().position(|line| line.contains("modle = 1")).unwrap();
    let column = lines[key].chars().position(|letter| letter == 'm').unwrap();
    let caret = lines[key + 1].chars().position(|letter| "^─┬".contains(letter));
    assert_eq!(caret, Some(column), "{}", said.stderr);
}

#[test]
fn identifiers_and_types_of_structure_files() {
    let place = Place::new();
    let helix = HELIX.replace(" A ", " \u{1b} ");
    place.write("esc.pdb", &helix);
    let input =
        "[system]\nstructure = { file = \"esc.pdb\", chains = \"Z\" }\n[[stage]]\nsteps = 1\n";
    place.write("input.toml", input);
    let said = place.beadwork("check input.toml").expect(2);
    assert_said(&said);
    said.complains(&["has no chain \"Z\"", "␛"]);

    let beads = "[system]\nmodel = \"beads\"\nstart = \"esc.FORM\"\nbox = [9, 9, 9]\n\
                 types = [{ name = \"A\", mass = 1 }]\n[[stage]]\nsteps = 1\n";
    let name = "A\u{1b}[31m\u{202e}";
    let lammps = format!(
        "title\n\n1 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nAtom Type Labels\n\n1 {name}\n\nMasses\n\n{name} 1\n\nAtoms # atomic\n\n1 {name} 1 1 1\n"
    );
    for (form, text) in [
        ("xyz", format!("2\n{name}\n{name} 0 0 0\nA 1 1 1\n")),
        ("csv", format!("type,x,y,z\n{name},0,0,0\nA,1,1,1\n")),
        ("data", lammps),
        ("pdb", helix),
    ] {
        place.write(&format!("esc.{form}"), &text);
        place.write("input.toml", &beads.replace("FORM", form));
        let said = place.beadwork("check input.toml");
        assert_said(&said);
        assert_ne!(said.code, Some(101));
    }
    assert_said(&place.beadwork("import esc.data"));
}
