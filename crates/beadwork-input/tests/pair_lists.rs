//! Lists of pairs in files: what is refused, and what can be read.

use beadwork_model::potentials::NativeContact;

use crate::common::{parse, write};

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
        ("bead_i,bead_j\r0,2\r0,9\r", "line 3: there is no bead 9: beads are numbered"),
        ("bead_i,bead_j\r# x\r0,2\n0,x\r\n", "line 4: \"x\" is not the number of a bead"),
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
        ("bead_i,bead_j,length_A\n0,1,-1\n", "line 2: the length must be more than 0, but is -1"),
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
            "line 2: the energy must be finite, but is NaN",
        ),
        (
            "bead_i,bead_j,energy_kcal_mol\n0,1,1e400\n",
            "line 2: the energy must be less than 1e100, but is 1e400",
        ),
        (
            "bead_i,bead_j,energy_kcal_mol\n0,1,-1\n",
            "line 2: the energy must not be negative, but is -1",
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
