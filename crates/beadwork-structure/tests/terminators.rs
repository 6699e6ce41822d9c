//! TER between residues of one chain identifier: residues joined by a peptide bond stay in one chain.

use beadwork_structure::{ReadOptions, Structure, parse};

/// Two glycines before a TER and two after it. The third has N and CA at these positions; the second has its CA at the
/// origin and its C at (1.5, 0, 0).
fn with_terminator(chain: char, number: i32, n: Option<[f64; 3]>, ca: [f64; 3]) -> Structure {
    let mut text = String::new();
    let mut atom = |name: &str, chain: char, number: i32, [x, y, z]: [f64; 3]| {
        let element = &name[..1];
        text += &format!(
            "ATOM      1  {name:<3} GLY {chain}{number:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           {element}\n"
        );
    };
    atom("CA", 'A', 33, [-3.8, 0.0, 0.0]);
    atom("CA", 'A', 34, [0.0; 3]);
    if n.is_some() {
        atom("C", 'A', 34, [1.5, 0.0, 0.0]);
    }
    atom("TER", 'A', 34, [0.0; 3]);
    if let Some(n) = n {
        atom("N", chain, number, n);
    }
    atom("CA", chain, number, ca);
    atom("CA", chain, number + 1, [ca[0] + 3.8, ca[1], ca[2]]);
    let lines = text.lines().map(|line| if line.contains("TER") { "TER" } else { line });
    let text: Vec<&str> = lines.collect();
    parse(&text.join("\n"), "test", &ReadOptions::default()).unwrap()
}

/// The number of residues of each chain, and all warnings.
fn read(structure: &Structure) -> (Vec<usize>, String) {
    let lengths = structure.chains.iter().map(|chain| chain.residues.len()).collect();
    (lengths, structure.warnings.join("\n"))
}

const BONDED_N: [f64; 3] = [2.4, 0.98, 0.0];
const BONDED_CA: [f64; 3] = [3.7, 0.87, 0.0];

#[test]
fn a_peptide_bond_across_a_terminator_joins_a_chain() {
    // N is 1.33 Å from C; residue numbers jump as in chymotrypsin.
    let (chains, warnings) = read(&with_terminator('A', 37, Some(BONDED_N), BONDED_CA));
    assert_eq!(chains, [4]);
    for words in [
        "TER is ignored between residues at the distance of a peptide bond: 1 (",
        "chain A, residue 34 GLY and chain A, residue 37 GLY (CA-CA 3.8 A, C-N 1.33 A)",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    // A cis bond, whose alpha carbons are closer; restarted numbers do not matter.
    let (chains, _) = read(&with_terminator('A', 1, Some([2.0, -1.23, 0.0]), [1.1, -2.7, 0.0]));
    assert_eq!(chains, [4]);
    // A file with alpha carbons only.
    let (chains, warnings) = read(&with_terminator('A', 37, None, BONDED_CA));
    assert_eq!(chains, [4]);
    assert!(
        warnings.contains("residue 34 GLY and chain A, residue 37 GLY (CA-CA 3.8 A)"),
        "{warnings}"
    );
}

#[test]
fn close_residues_without_a_bond_give_a_warning() {
    let near = |number, n, ca| {
        let (chains, warnings) = read(&with_terminator('A', number, n, ca));
        assert_eq!(chains, [2, 2]);
        for words in [
            "distance of a peptide bond: 1 (chain A, residue 34 GLY and chain A, residue ",
            "; remove it if they are bonded",
        ] {
            assert!(warnings.contains(words), "{warnings}");
        }
    };
    // The alpha carbons are at a bonded distance, but C and N are not.
    near(37, Some([2.8, 2.5, 0.0]), BONDED_CA);
    near(37, Some(BONDED_N), [4.6, 0.0, 0.0]);
    near(37, None, [4.5, 0.0, 0.0]);
    near(37, None, [2.9, 0.0, 0.0]);
    // With alpha carbons only, restarted numbers may belong to another chain.
    near(1, None, BONDED_CA);
}

#[test]
fn chains_that_end_give_no_warning() {
    let ends = |structure: &Structure| {
        let (chains, warnings) = read(structure);
        assert_eq!(chains, [2, 2]);
        assert!(!warnings.contains("TER"), "{warnings}");
    };
    // The next residue is far away, or has another chain identifier.
    ends(&with_terminator('A', 37, Some([10.0, 0.0, 0.0]), [11.0, 0.0, 0.0]));
    ends(&with_terminator('A', 35, None, [5.5, 0.0, 0.0]));
    ends(&with_terminator('B', 35, Some(BONDED_N), BONDED_CA));
    ends(&with_terminator('B', 35, None, BONDED_CA));
}
