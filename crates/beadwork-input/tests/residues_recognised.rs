//! What is given to a model of residues is recognised: nucleic acids, other polymers, protonations, caps.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::{assert_fixed_point, complaint, parse, write};
use beadwork_input::Request;

fn input(system: &str) -> String {
    format!("[system]\nmodel = \"residues\"\n{system}\n\n[[stage]]\nsteps = 10\n")
}

fn read(base: &Path, system: &str) -> Request {
    let request = parse(base, &input(system)).unwrap_or_else(|error| panic!("{error}"));
    assert_fixed_point(&request);
    request
}

fn refusal(base: &Path, system: &str) -> String {
    complaint(&parse(base, &input(system)).unwrap_err())
}

#[track_caller]
fn assert_has(text: &str, words: &[&str]) {
    assert!(words.iter().all(|word| text.contains(word)), "{words:?} not in {text}");
}

/// A PDB file of a straight chain of alpha carbons; `texts` fill columns 18 to 22.
fn pdb(texts: &[&str], offset: f64) -> String {
    let mut text = String::new();
    for (index, residue) in texts.iter().enumerate() {
        let x = 3.8 * index as f64;
        writeln!(
            text,
            "ATOM  {:>5}  CA  {residue:<5}{:>4}    {x:>8.3}{offset:>8.3}   0.000  1.00  0.00           C",
            index + 1,
            index + 1
        )
        .unwrap();
    }
    text + "TER\n"
}

fn charges(request: &Request) -> Vec<f32> {
    let particles = &request.points[0].system.particles;
    (0..particles.len()).map(|bead| particles.charge(bead)).collect()
}

#[test]
fn letters_of_nucleic_acids_are_refused() {
    for (letters, words) in [
        ("GGGAAACUUCGGUUUCCC", "the letters ACGU alone, as RNA has"),
        ("acgtacgt", "the letters ACGT alone, as DNA has"),
        ("AAAAAA", "the letters A alone, as RNA or DNA has"),
        ("ACGNNACGT", "the letters ACGTN alone"),
        ("rrrrrrrrrr", "the letter r alone, which files of CALVADOS use for RNA"),
        ("PEG20", "the abbreviation of a polymer, PEG"),
        ("peg", "the abbreviation of a polymer, PEG"),
    ] {
        let system = format!("sequence = \"{letters}\"");
        let refused = refusal(Path::new("."), &system);
        assert_has(&refused, &["taken for no protein", words, "polymer = \"protein\""]);
    }
    // An explicit word makes a protein of them, and stands in the resolved form.
    let request = read(Path::new("."), "sequence = \"GAGAGC\"\npolymer = \"protein\"");
    assert_eq!(request.points[0].system.beads(), 6);
    assert!(request.resolved.contains("polymer = \"protein\""), "{}", request.resolved);
    assert!(!read(Path::new("."), "sequence = \"GSKHE\"").resolved.contains("polymer"));
    let refused = refusal(Path::new("."), "sequence = \"GAGA\"\npolymer = \"rna\"");
    assert_has(&refused, &["polymer", "protein"]);
    let refused = refusal(Path::new("."), "structure = \"x.pdb\"\npolymer = \"protein\"");
    assert_has(&refused, &["`polymer`", "of a `sequence`"]);
}

#[test]
fn records_of_nucleic_acids_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let fasta = ">silk sheet\nGAGAGAGA\n>polyR30\nrrrrrrrrrr\n>1abc_B mol:na length:4 DNA\nACGT\n\
                 >1abc_A mol:protein length:6 SILK\nGAGAGA\n>sp|P1|X\nAGAGCT\n>mixed\nMKVrgsk\n\
                 >PEG8000\nJJJJ\n>phospho\nSASBPO\n>gene NM_1\nMKV\n>trap NM\nMKV\n";
    write(folder.path(), "many.fasta", fasta);
    let one = |name: &str| format!("sequence = {{ file = \"many.fasta\", name = \"{name}\" }}");
    for (name, words) in [
        ("silk", "record silk is taken for no protein, since it has the letters AG alone"),
        ("polyR30", "record polyR30 is taken for no protein, since it has the letter r alone"),
        ("1abc_B", "is nucleic acid, as \"mol:na\" in its heading says"),
        ("PEG8000", "is named as a polymer, PEG"),
        ("phospho", "residue 4: 'B' is no amino acid of the model but asparagine or aspartic acid"),
    ] {
        assert_has(&refusal(folder.path(), &one(name)), &[words]);
    }
    for (name, beads) in [("1abc_A", 6), ("sp|P1|X", 6), ("mixed", 7), ("gene", 3)] {
        assert_eq!(read(folder.path(), &one(name)).points[0].system.beads(), beads, "{name}");
    }
    let mixed = read(folder.path(), &one("mixed"));
    assert_has(&mixed.warnings.join("\n"), &["record mixed: 4 of 7 letters are small"]);
    let silk = read(folder.path(), &format!("{}\npolymer = \"protein\"", one("silk")));
    assert_eq!(silk.points[0].system.beads(), 8);
    // A sweep over all records names the one that is none.
    let text = input(&one("silk"))
        + "[ensemble.sweep]\n\"system.sequence.name\" = [\"mixed\", \"polyR30\"]\n";
    assert_has(&complaint(&parse(folder.path(), &text).unwrap_err()), &["record polyR30"]);
}

#[test]
fn structures_with_nucleic_acid_need_a_choice_of_chains() {
    let folder = tempfile::tempdir().unwrap();
    let base = |text: &str| pdb(&[text], 40.0).replace(" CA ", " P  ");
    let complex = pdb(&["GLY A", "LYS A", "SER A"], 0.0) + &base("  U B") + &base(" DA C");
    write(folder.path(), "complex.pdb", &complex);
    let refused = refusal(folder.path(), "structure = \"complex.pdb\"");
    assert_has(&refused, &["nucleic acid in chain B C", "chains = \"A\""]);
    let request = read(folder.path(), "structure = { file = \"complex.pdb\", chains = \"A\" }");
    assert_eq!(request.points[0].system.beads(), 3);
    assert_has(&request.warnings.join("\n"), &["complex.pdb: left out nucleic acid: 2"]);
    write(folder.path(), "rna.pdb", &base("  U B"));
    let refused = refusal(folder.path(), "structure = \"rna.pdb\"");
    assert_has(&refused, &["no residue has an alpha carbon", "nucleic acid: 1"]);
}

#[test]
fn names_of_protonated_forms_mean_their_charge() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "GLY A", "HIP A", "HSP A", "HISHA", "HSE A", "HISDA", "HIS A", "LYN A", "ASH A", "ASPPA",
        "GLH A", "GLUPA", "ARGNA", "CYM A", "CYS2A", "LYS A", "GLU A", "SER A",
    ];
    write(folder.path(), "forms.pdb", &pdb(&names, 0.0));
    let system = "structure = \"forms.pdb\"\ncharged_ends = \"none\"\nsolution = { ph = 6.0 }";
    let request = read(folder.path(), system);
    let expected = [
        0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, -1.0, 0.0,
    ];
    assert_eq!(charges(&request), expected);
    let warnings = request.warnings.join("\n");
    let words = ["forms.pdb: names of residues decide", "HIP +1 (1, first chain A, residue 2 HIP)"];
    assert_has(&warnings, &words);
    assert_has(&warnings, &["LYN 0", "CYM -1", "HISH +1", "HSE 0", "ARGN 0"]);
    // The beads have names that mean the same where they are written and read again.
    let labels = &request.points[0].system.particles.labels;
    let named: Vec<&str> = labels.iter().map(|label| label.residue_name.as_str()).collect();
    let expected = [
        "GLY", "HIP", "HIP", "HIP", "HIE", "HIE", "HIS", "LYN", "ASH", "ASH", "GLH", "GLH", "ARN",
        "CYM", "CYS", "LYS", "GLU", "SER",
    ];
    assert_eq!(named, expected);
    // Every other model has one charge for each amino acid, and says so.
    for (model, words) in [
        ("hps-urry", ["HIP as HIS +0.5 (1", "LYN as LYS +1"]),
        ("mpipi", ["HIP as HIS +0.375 (1", "LYN as LYS +0.75"]),
    ] {
        let system = format!("structure = \"forms.pdb\"\nforce_field = \"{model}\"");
        let request = read(folder.path(), &system);
        let (histidine, lysine) = (charges(&request)[6], charges(&request)[15]);
        assert_eq!((charges(&request)[1], charges(&request)[7]), (histidine, lysine));
        let warnings = request.warnings.join("\n");
        assert_has(&warnings, &[&format!("{model} has one charge for each amino acid")]);
        assert_has(&warnings, &words);
    }
}

#[test]
fn usual_names_are_not_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let usual = ["NMETA", "HIS A", "CYX A", "LYSHA", "ASP A", "CLYSA"];
    write(folder.path(), "usual.pdb", &pdb(&usual, 0.0));
    let request = read(folder.path(), "structure = \"usual.pdb\"");
    let of_names = |warning: &&String| warning.contains("names of residues");
    assert_eq!(request.warnings.iter().find(of_names), None);
    let system = &request.points[0].system;
    assert_eq!((system.counts.chains, system.bonds().len()), (1, 5));
}

#[test]
fn caps_selenium_and_names_of_gromos_are_remarked() {
    let folder = tempfile::tempdir().unwrap();
    let cap = |text: &str, x: f64| {
        format!("ATOM      1  CH3 {text:<9}    {x:>8.3}   0.000   0.000  1.00  0.00           C\n")
    };
    let text = cap("ACE A   0", -3.0)
        + pdb(&["MSE A", "LYS A", "LYSHA"], 0.0).trim_end_matches("TER\n")
        + &cap("NME A   4", 12.0);
    write(folder.path(), "capped.pdb", &text);
    let warnings = read(folder.path(), "structure = \"capped.pdb\"").warnings.join("\n");
    assert_has(&warnings, &["selenomethionine (MSE, 1) counts as methionine"]);
    assert_has(&warnings, &["LYS stands beside LYSH, first at chain A, residue 2 LYS"]);
    assert_has(&warnings, &["a cap stands at the first residue of chain A"]);
    assert_has(&warnings, &["a cap stands at the last residue of chain A"]);
    let none = read(folder.path(), "structure = \"capped.pdb\"\ncharged_ends = \"none\"");
    assert!(!none.warnings.join("\n").contains("a cap stands"));
}

/// No model of residues has them.
#[test]
fn disulfides_are_remarked() {
    let folder = tempfile::tempdir().unwrap();
    let bond = "SSBOND   1 CYS A    1    CYS A    4                          1555   1555  2.03\n";
    let text = bond.to_string() + &pdb(&["CYS A", "GLY A", "GLY A", "CYS A"], 0.0);
    write(folder.path(), "bonded.pdb", &text);
    let warnings = read(folder.path(), "structure = \"bonded.pdb\"").warnings.join("\n");
    let bonds = "the structure has 1 disulfide bond(s), the first between chain A, residue 1 CYS and chain A, residue 4 CYS";
    assert_has(&warnings, &[bonds]);
}

#[test]
fn texts_that_steer_a_terminal_are_refused() {
    for (text, place) in [
        ("sequence = \"GS\\u001b[31mK\"", "U+001B"),
        ("sequence = \"GSK\\u202E\"", "U+202E"),
        ("\"seq\\u0007uence\" = \"GSK\"", "U+0007"),
    ] {
        let refused = refusal(Path::new("."), text);
        assert_has(&refused, &["steers a terminal", place]);
        assert!(!refused.contains('\u{1b}') && !refused.contains('\u{202e}'));
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "esc.fasta", ">e\u{1b}]0;OWNED\u{7}\u{202e}\nGSGSK\n");
    let request = read(folder.path(), "sequence = { file = \"esc.fasta\" }");
    assert!(request.resolved.contains("name = \"e␛]0;OWNED␇\u{fffd}\""), "{}", request.resolved);
}
