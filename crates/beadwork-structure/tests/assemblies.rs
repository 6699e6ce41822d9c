//! Assemblies of small files with invented coordinates.

use beadwork_structure::{Assembly, Error, ReadOptions, Structure, parse, parse_assembly};

/// Chains A and B have two residues each and disulfides to each other, chain C has one; there is a water.
/// Assembly 1 copies A and B by two operators, C by one. Assembly 2 copies A and, on a continuation line, C.
const PDB: &str = "\
REMARK 350 BIOMOLECULE: 1
REMARK 350 AUTHOR DETERMINED BIOLOGICAL UNIT: PENTAMERIC
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
REMARK 350   BIOMT1   2 -1.000000  0.000000  0.000000      100.00000
REMARK 350   BIOMT2   2  0.000000 -1.000000  0.000000        0.00000
REMARK 350   BIOMT3   2  0.000000  0.000000  1.000000        0.00000
REMARK 350 APPLY THE FOLLOWING TO CHAINS: C
REMARK 350   BIOMT1   3  0.000000 -1.000000  0.000000        0.00000
REMARK 350   BIOMT2   3  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT3   3  0.000000  0.000000  1.000000        5.00000
REMARK 350
REMARK 350 BIOMOLECULE: 2
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A,
REMARK 350                    AND CHAINS: C
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
SSBOND   1 CYS A    1    CYS B    1                          1555   1555  2.90
ATOM      1  CA  CYS A   1       1.000   2.000   3.000  0.50 10.00           C
ATOM      2  SG  CYS A   1       1.000   2.000   5.000  1.00  0.00           S
ATOM      3  CA  GLY A   2       4.800   2.000   3.000  1.00  0.00           C
TER
ATOM      4  CA  CYS B   1       1.000   2.000   9.800  1.00  0.00           C
ATOM      5  SG  CYS B   1       1.000   2.000   7.900  1.00  0.00           S
ATOM      6  CA  CYS B   2      49.000   0.000   9.800  1.00  0.00           C
ATOM      7  SG  CYS B   2      49.000   0.000   7.900  1.00  0.00           S
TER
ATOM      8  CA  ALA C   1       2.000   0.000   1.000  1.00  0.00           C
TER
HETATM    9  O   HOH A 101       0.000   0.000   0.000  1.00  0.00           O
END
";

fn assembly_of(text: &str, id: &str) -> Result<(Structure, Assembly), Error> {
    parse_assembly(text, "test", &ReadOptions::default(), id)
}

fn build(text: &str, id: &str) -> Structure {
    let (unit, assembly) = assembly_of(text, id).unwrap();
    assembly.build(&unit, |_| true).unwrap()
}

/// The error with which an assembly is refused.
fn refusal(text: &str, id: &str) -> Error {
    match assembly_of(text, id) {
        Ok((unit, assembly)) => assembly.build(&unit, |_| true).unwrap_err(),
        Err(error) => error,
    }
}

/// Identifier and first alpha carbon of each chain.
fn chains(structure: &Structure) -> Vec<(&str, [f64; 3])> {
    let place = |first| structure.alpha_carbon(first).unwrap().position;
    let chains = structure.chains.iter();
    chains.map(|chain| (chain.id.as_str(), place(chain.residues.start))).collect()
}

fn assert_damaged(error: &Error, line: usize, words: &str) {
    assert_eq!(error.code(), "structure/damaged-assembly", "{error}");
    let message = error.to_string();
    assert!(message.starts_with(&format!("test, line {line}: ")), "{message}");
    assert!(message.contains(words), "{message}");
}

#[test]
fn copies_are_ordered_by_operator() {
    let structure = build(PDB, "1");
    assert_eq!(
        chains(&structure),
        [
            ("A", [1.0, 2.0, 3.0]),
            ("B", [1.0, 2.0, 9.8]),
            ("A-2", [99.0, -2.0, 3.0]),
            ("B-2", [99.0, -2.0, 9.8]),
            // The only copy of C, made by an operator that moves it.
            ("C", [0.0, 2.0, 6.0]),
        ]
    );
    // Data other than positions are copied unchanged.
    let first = &structure.atoms[structure.residues[4].atoms.start];
    assert_eq!((first.occupancy, first.beta, first.element.as_str()), (0.5, 10.0, "C"));
    let fifth = &structure.residues[4];
    assert_eq!(structure.chains[fifth.chain].id, "A-2");
    assert_eq!((fifth.number, fifth.name.as_str()), (1, "CYS"));
    for (index, chain) in structure.chains.iter().enumerate() {
        assert!(chain.residues.clone().all(|residue| structure.residues[residue].chain == index));
    }
    let atoms: Vec<usize> = structure.residues.iter().map(|residue| residue.atoms.len()).collect();
    assert_eq!(atoms, [2, 1, 2, 2, 2, 1, 2, 2, 1]);
    // The listed bond A1–B1 exists in each copy; the sulfurs of B2 and its copy are bonded because they are 2 Å apart.
    assert_eq!(structure.disulfides, [(0, 2), (3, 7), (4, 6)]);
    assert_eq!(structure.warnings, Vec::<String>::new());
}

#[test]
fn continued_chain_lists_are_read_and_other_chains_left_out() {
    let structure = build(PDB, "2");
    assert_eq!(chains(&structure), [("A", [1.0, 2.0, 3.0]), ("C", [2.0, 0.0, 1.0])]);
    assert_eq!(structure.disulfides, []);
    let warning = "assembly 2 does not have chain B, which the file has: left out";
    assert_eq!(structure.warnings, [warning]);
}

#[test]
fn chains_are_chosen_before_they_are_copied() {
    let (unit, assembly) = assembly_of(PDB, "1").unwrap();
    let structure = assembly.build(&unit, |chain| chain.id == "B").unwrap();
    assert_eq!(chains(&structure), [("B", [1.0, 2.0, 9.8]), ("B-2", [99.0, -2.0, 9.8])]);
    assert_eq!(structure.disulfides, [(1, 3)]);
    assert_eq!(structure.warnings, Vec::<String>::new());
    let (unit, assembly) = assembly_of(PDB, "2").unwrap();
    let error = assembly.build(&unit, |chain| chain.id == "B").unwrap_err();
    assert_eq!(error.code(), "structure/empty-assembly");
    assert!(error.to_string().contains("copies chains A, C"), "{error}");
}

#[test]
fn damage_in_unused_assemblies_does_not_matter() {
    let damaged = PDB.replace("BIOMT2   2  0.000000", "BIOMT2   2  x");
    let structure = parse(&damaged, "test", &ReadOptions::default()).unwrap();
    assert_eq!(structure.chains.len(), 3);
    // A damaged operator of another assembly does not matter either.
    assert_eq!(build(&damaged, "2").chains.len(), 2);
}

#[test]
fn atoms_may_be_removed_before_the_copies() {
    let (mut unit, assembly) = assembly_of(PDB, "1").unwrap();
    unit.retain_atoms(|atom| atom.name == "SG" && atom.position[2] > 7.0);
    let structure = assembly.build(&unit, |_| true).unwrap();
    let atoms: Vec<usize> = structure.residues.iter().map(|residue| residue.atoms.len()).collect();
    assert_eq!(atoms, [1, 1, 2, 2, 1, 1, 2, 2, 1]);
    assert_eq!(chains(&structure), chains(&build(PDB, "1")));
}

/// Operators alone describe one assembly of all chains; one block may describe several assemblies.
#[test]
fn short_descriptions_are_read() {
    let heads = ["BIOMOLECULE", "APPLY", "AND CHAINS", "AUTHOR"];
    let bare: String = PDB
        .lines()
        .take(9)
        .chain(PDB.lines().skip(20))
        .filter(|line| heads.iter().all(|head| !line.contains(head)))
        .map(|line| format!("{line}\n"))
        .collect();
    let names: Vec<_> = build(&bare, "1").chains.into_iter().map(|chain| chain.id).collect();
    assert_eq!(names, ["A", "B", "C", "A-2", "B-2", "C-2"]);
    let shared = PDB.replace("BIOMOLECULE: 2", "BIOMOLECULE: 2, 3");
    assert_eq!(build(&shared, "3").chains.len(), 2);
    let blank = PDB.replace("CHAINS: C", "CHAINS: NULL").replace("ALA C ", "ALA   ");
    assert_eq!(chains(&build(&blank, "1"))[4], ("", [0.0, 2.0, 6.0]));
}

#[test]
fn refusals_of_pdb_files_say_where() {
    for (from, to, line, words) in [
        ("BIOMT2   2  0.000000", "BIOMT2   2  x", 8, "four plain decimal numbers"),
        ("BIOMT2   2  0.000000", "BIOMT2   2  ", 8, "four plain decimal numbers"),
        ("BIOMT2   2", "BIOMT3   2", 8, "BIOMT2 was expected"),
        ("BIOMT2   2", "BIOMT2   3", 8, "BIOMT2 was expected"),
        ("BIOMT2   2", "BIOMT2", 8, "BIOMT2 was expected"),
        (
            "BIOMT3   3  0.000000  0.000000  1.000000        5.00000",
            "BIOMT3",
            13,
            "no row of an operator",
        ),
        ("REMARK 350   BIOMT3   3", "REMARK 351   BIOMT3   3", 12, "not all three rows"),
        ("BIOMT2   2  0.000000 -1.000000", "BIOMT2   2  0.000000 -1.010000", 9, "no rotation"),
        ("BIOMT2   2  0.000000 -1.000000", "BIOMT2   2  0.000000  1.000000", 9, "reflection"),
        (
            "TO CHAINS: C\n",
            "TO CHAINS: C\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: D\n",
            10,
            "no BIOMT",
        ),
        ("TO CHAINS: C\n", "TO CHAINS: A\n", 0, ""),
        (
            "-1.000000  0.000000  0.000000      100.00000",
            " 1.000000  0.000000  0.000000        0.00000",
            9,
            "reflection",
        ),
    ] {
        assert!(PDB.contains(from), "{from}");
        let text = PDB.replacen(from, to, 1);
        if words.is_empty() {
            assert_eq!(build(&text, "1").chains.last().unwrap().id, "A-3");
            continue;
        }
        assert_damaged(&refusal(&text, "1"), line, words);
    }
    let continued = PDB.replace("REMARK 350 APPLY THE FOLLOWING TO CHAINS: A,\n", "");
    assert!(refusal(&continued, "2").to_string().contains("continues no list of chains"));
}

#[test]
fn absent_assemblies_are_refused_with_a_list_of_those_present() {
    let error = refusal(PDB, "3");
    assert_eq!(error.code(), "structure/no-such-assembly");
    assert!(error.to_string().contains("no assembly 3; the file has assemblies 1, 2"), "{error}");
    let none: String = PDB
        .lines()
        .filter(|line| !line.contains("BIOMT"))
        .map(|line| format!("{line}\n"))
        .collect();
    let error = refusal(&none, "1");
    assert_eq!(error.code(), "structure/no-assembly");
    assert!(error.to_string().contains("BIOMT"), "{error}");
    let error = refusal("data_x\n_atom_site.Cartn_x 1\n", "1");
    assert_eq!(error.code(), "structure/missing-column");
}

#[test]
fn a_copy_on_a_copy_is_refused() {
    let twice = PDB
        .replace("BIOMT1   2 -1.000000  0.000000  0.000000      100.00000", "BIOMT1   2  1.0 0 0 0")
        .replace("BIOMT2   2  0.000000 -1.000000", "BIOMT2   2  0.000000  1.000000");
    let error = refusal(&twice, "1");
    assert_eq!(error.code(), "structure/damaged-assembly");
    assert!(error.to_string().contains("line 3: assembly 1 copies chain A twice"), "{error}");
}

/// The author's chains are X, Y and X. By label: A (residues 1 and 2 of X), B (Y), C (a peptide, the second X),
/// D (water of X).
const MMCIF: &str = "\
data_test
loop_
_pdbx_struct_assembly.id
_pdbx_struct_assembly.details
1 whole
PAU 'point frame'
loop_
_pdbx_struct_assembly_gen.assembly_id
_pdbx_struct_assembly_gen.oper_expression
_pdbx_struct_assembly_gen.asym_id_list
1 '(1-2)' A,D
1 3 B
2 '(P)(1,3)'
;A,
B,C,D
;
PAU P C
4 '(1-4)' A
5 '1(2' A
6 (1,X0) A
7 '(3-1)' A
8 1 D
9 '(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)' A
10 5 A
loop_
_pdbx_struct_oper_list.id
_pdbx_struct_oper_list.type
_pdbx_struct_oper_list.matrix[1][1]
_pdbx_struct_oper_list.matrix[1][2]
_pdbx_struct_oper_list.matrix[1][3]
_pdbx_struct_oper_list.vector[1]
_pdbx_struct_oper_list.matrix[2][1]
_pdbx_struct_oper_list.matrix[2][2]
_pdbx_struct_oper_list.matrix[2][3]
_pdbx_struct_oper_list.vector[2]
_pdbx_struct_oper_list.matrix[3][1]
_pdbx_struct_oper_list.matrix[3][2]
_pdbx_struct_oper_list.matrix[3][3]
_pdbx_struct_oper_list.vector[3]
P 'point frame' 0 -1 0 0 1 0 0 0 0 0 1 0
1 'identity operation' 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0
2 . 1 0 0 10 0 1 0 0 0 0 1 0
3 . 1 0 0 20 0 1 0 0 0 0 1 0
5 . 1 0 0 ? 0 1 0 0 0 0 1 0
loop_
_atom_site.group_PDB
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_asym_id
_atom_site.label_seq_id
_atom_site.auth_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
ATOM CA GLY A X 1 1 1.0 2.0 3.0
ATOM CA GLY A X 2 2 4.8 2.0 3.0
ATOM CA GLY B Y 1 1 0.0 5.0 0.0
ATOM CA GLY C X 1 7 0.0 0.0 9.0
HETATM O HOH D X . 101 0.0 0.0 0.0
";

#[test]
fn mmcif_generators_name_their_own_chains() {
    // Label A is the first chain X alone; label B is chain Y.
    let structure = build(MMCIF, "1");
    assert_eq!(
        chains(&structure),
        [("X", [1.0, 2.0, 3.0]), ("X-2", [11.0, 2.0, 3.0]), ("Y", [20.0, 5.0, 0.0])]
    );
    // The second chain X is left out, although a chain of this name is copied.
    assert_eq!(structure.warnings.len(), 1);
    // The products P after 1 and P after 3.
    let structure = build(MMCIF, "2");
    assert_eq!(
        chains(&structure),
        [
            ("X", [-2.0, 1.0, 3.0]),
            ("Y", [-5.0, 0.0, 0.0]),
            ("X", [0.0, 0.0, 9.0]),
            ("X-2", [-2.0, 21.0, 3.0]),
            ("Y-2", [-5.0, 20.0, 0.0]),
            ("X-2", [0.0, 20.0, 9.0]),
        ]
    );
    assert_eq!(chains(&build(MMCIF, "PAU")), [("X", [0.0, 0.0, 9.0])]);
}

#[test]
fn refusals_of_mmcif_files_say_where() {
    let error = refusal(MMCIF, "3");
    let present = "no assembly 3; the file has assemblies 1, 2, PAU, 4, 5, 6, 7, 8, 9, 10";
    assert!(error.to_string().contains(present), "{error}");
    for (id, line, words) in [
        ("4", 18, "names the operator \"4\""),
        ("5", 19, "never closed"),
        ("6", 20, "names the operator \"X0\""),
        ("7", 21, "runs backwards"),
        ("10", 24, "in whose row on line 44 \"?\" is not a number"),
    ] {
        assert_damaged(&refusal(MMCIF, id), line, words);
    }
    let error = refusal(MMCIF, "8");
    assert_eq!(error.code(), "structure/empty-assembly");
    assert!(error.to_string().contains("copies no chain that was read"), "{error}");
    // The expression makes 3¹⁵ copies of two residues.
    let error = refusal(MMCIF, "9");
    assert_eq!(error.code(), "structure/assembly-too-large");
    assert!(error.to_string().contains("28697814 residues"), "{error}");
    // The same for the chain of water, which is not read: it must return at once.
    let water = MMCIF.replace("(1-3)(1-3)' A", "(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)(1-3)' D");
    assert_eq!(refusal(&water, "9").code(), "structure/empty-assembly");
    for (from, to, words) in [
        ("_pdbx_struct_oper_list.vector[3]", "_pdbx_struct_oper_list.zzz", "no column vector[3]"),
        ("_gen.oper_expression", "_gen.zzz", "no column oper_expression"),
        ("1 0 0 10 0 1 0", "2 0 0 10 0 1 0", "operator 2, which is no rotation"),
        ("_pdbx_struct_oper_list", "_zzz", "no table _pdbx_struct_oper_list"),
    ] {
        let error = refusal(&MMCIF.replace(from, to), "1");
        assert_eq!(error.code(), "structure/damaged-assembly");
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = refusal(&MMCIF.replace("_assembly_gen", "_zzz"), "1");
    assert_eq!(error.code(), "structure/no-assembly");
    assert!(error.to_string().contains("_pdbx_struct_assembly_gen"), "{error}");
}
