//! Compares real structures with independent readings by the program gemmi 0.7.5.

use beadwork_structure::{ReadOptions, Structure, read, read_sop_gpu_topology};
use beadwork_testing::shared_data;

fn load(relative: &str) -> Option<Structure> {
    let path = shared_data(relative)?;
    Some(read(&path, &ReadOptions::default()).unwrap())
}

/// Chain identifier, residues, first and last residue number with insertion code, and the sum of
/// the positions of the alpha carbons.
type ChainSummary<'a> = (&'a str, usize, &'a str, &'a str, [f64; 3]);

fn number(structure: &Structure, residue: usize) -> String {
    let residue = &structure.residues[residue];
    format!("{}{}", residue.number, residue.insertion.map(String::from).unwrap_or_default())
}

fn assert_chains(relative: &str, models: usize, expected: &[ChainSummary<'_>]) {
    let Some(structure) = load(relative) else { return };
    assert_eq!(structure.models, models, "{relative}");
    assert_eq!(structure.chains.len(), expected.len(), "{relative}");
    for (index, (chain, expected)) in structure.chains.iter().zip(expected).enumerate() {
        let residues = chain.residues.clone();
        let (id, count, first, last, sum) = *expected;
        assert_eq!((chain.id.as_str(), residues.len()), (id, count), "{relative}");
        assert_eq!(number(&structure, residues.start), first, "{relative} {id}");
        assert_eq!(number(&structure, residues.end - 1), last, "{relative} {id}");
        assert!(residues.clone().all(|residue| structure.residues[residue].chain == index));
        for (axis, expected) in sum.iter().enumerate() {
            let total: f64 = residues
                .clone()
                .map(|residue| structure.alpha_carbon(residue).unwrap().position[axis])
                .sum();
            // Coordinates and expected sums have three decimals.
            assert!((total - expected).abs() < 1e-3, "{relative} {id}: {total} for {expected}");
        }
    }
}

#[test]
fn chains_as_gemmi_reads_them() {
    let ubiquitin = [("A", 76, "1", "76", [2313.66, 2204.683, 1179.246])];
    assert_chains("proteins/1UBQ.pdb", 1, &ubiquitin);
    assert_chains("proteins/1UBQ.cif", 1, &ubiquitin);
    assert_chains("proteins/ww.pdb", 1, &[("A", 34, "6", "39", [1354.393, 174.146, 1512.379])]);
    assert_chains("proteins/1TIT.pdb", 1, &[("A", 89, "1", "89", [-157.812, 41.727, -3.585])]);
    assert_chains(
        "proteins/3ghg_ca_AF.pdb",
        1,
        &[
            ("A", 174, "27", "200", [-4972.9, 2531.409, -6183.55]),
            ("B", 401, "58", "458", [-28285.022, 3137.541, -3676.849]),
            ("C", 381, "14", "394", [-38766.756, 642.304, -2400.584]),
            ("D", 174, "27", "200", [24593.182, 1586.495, -13145.402]),
            ("E", 401, "58", "458", [73906.377, -549.941, -39997.279]),
            ("F", 382, "14", "395", [82562.335, -1565.18, -38960.477]),
        ],
    );
    assert_chains("awkward/1orc.pdb", 1, &[("A", 64, "3", "61", [1493.618, 2356.346, 1074.438])]);
    assert_chains(
        "awkward/4C46.pdb",
        1,
        &[
            ("A", 72, "0", "71", [2663.217, -181.977, -497.163]),
            ("B", 73, "-1", "71", [2727.112, 243.081, -373.028]),
            ("C", 74, "-2", "71", [2886.227, -80.52, -111.707]),
        ],
    );
    assert_chains(
        "awkward/1A8O.pdb",
        1,
        &[("A", 70, "151", "220", [1286.214, 2523.088, 1114.743])],
    );
    assert_chains("awkward/1l2y.pdb", 38, &[("A", 20, "1", "20", [21.188, -10.066, 2.427])]);
    assert_chains(
        "awkward/1lzh.pdb",
        1,
        &[
            ("A", 129, "1", "129", [-132.125, 1480.683, -870.637]),
            ("B", 129, "1", "129", [1837.666, 1448.656, 2956.233]),
        ],
    );
    assert_chains(
        "awkward/6LFO_gap.pdb",
        1,
        &[("R", 245, "36", "923", [32137.666, 33458.426, 38685.058])],
    );
    assert_chains("awkward/1dix.pdb", 1, &[("A", 208, "1X", "205", [8166.366, 2061.55, 2705.787])]);
}

#[test]
fn capsid_units_as_gemmi_reads_them() {
    assert_chains("capsids/5cvz.pdb", 1, &[("A", 141, "17", "157", [7794.28, 5079.21, 4277.094])]);
    assert_chains(
        "capsids/1cwp_repaired.pdb",
        1,
        &[
            ("A", 149, "42", "190", [3964.413, -10256.114, 13994.919]),
            ("B", 164, "27", "190", [8688.939, -12613.952, 11192.679]),
            ("C", 164, "27", "190", [2611.721, -14989.824, 11126.366]),
        ],
    );
    let rice_yellow_mottle = [
        ("A", 189, "50", "238", [24546.57, -1703.603, 36889.061]),
        ("B", 189, "50", "238", [18993.398, -5910.193, 36504.964]),
        ("C", 212, "27", "238", [19794.58, 123.109, 41285.217]),
    ];
    assert_chains("capsids/1f2n.pdb", 1, &rice_yellow_mottle);
    assert_chains("capsids/1f2n.cif", 1, &rice_yellow_mottle);
    assert_chains(
        "capsids/7cth.cif",
        1,
        &[
            ("A", 493, "1", "495", [99501.289, 211502.934, 193194.39]),
            ("B", 485, "1", "495", [102243.084, 188079.284, 176023.377]),
            ("C", 485, "1", "495", [102857.835, 169713.446, 193417.134]),
            ("F", 75, "90", "164", [16253.904, 31115.955, 30906.892]),
            ("D", 72, "90", "161", [16053.851, 27214.662, 27823.296]),
            ("E", 75, "90", "164", [17011.586, 27570.468, 28668.007]),
            ("I", 127, "1", "112", [23558.369, 42049.049, 48775.073]),
            ("M", 109, "3", "107", [21536.739, 34036.186, 41774.52]),
            ("H", 127, "1", "112", [22191.588, 49558.1, 45911.016]),
            ("L", 109, "3", "107", [19052.848, 44939.225, 39884.445]),
        ],
    );
}

#[test]
fn both_formats_of_an_entry_are_the_same_structure() {
    for entry in ["proteins/1UBQ", "capsids/1f2n"] {
        let (Some(pdb), Some(mmcif)) =
            (load(&format!("{entry}.pdb")), load(&format!("{entry}.cif")))
        else {
            return;
        };
        assert_eq!(pdb.atoms, mmcif.atoms, "{entry}");
        assert_eq!(pdb.residues, mmcif.residues, "{entry}");
        assert_eq!(pdb.chains, mmcif.chains, "{entry}");
        assert_eq!(pdb.disulfides, mmcif.disulfides, "{entry}");
    }
}

#[test]
fn protofilament_has_its_sixteen_segments() {
    let Some(structure) = load("proteins/PF8_sop.pdb") else { return };
    assert_eq!(structure.residues.len(), 6928);
    // Tubulin A ends at 439 and B at 427 in this file; there are eight dimers.
    assert_eq!(structure.chains.len(), 16);
    assert!(structure.chains.iter().step_by(2).all(|chain| chain.id == "A"));
    assert!(structure.chains.iter().skip(1).step_by(2).all(|chain| chain.id == "B"));
    assert_eq!(structure.chains[0].segment, "A1");
    assert_eq!(structure.chains[15].segment, "B92");
    assert_eq!((&*structure.chains[0].id, &*structure.chains[0].segment), ("A", "A1"));
    assert_eq!((structure.residues[0].number, &*structure.residues[0].name), (1, "MET"));
    assert_eq!(structure.alpha_carbon(6927).unwrap().position, [-16.941, -2.202, -323.617]);
}

#[test]
fn insertion_codes_and_modified_residues() {
    if let Some(structure) = load("awkward/1orc.pdb") {
        let inserted: Vec<_> =
            structure.residues.iter().filter(|residue| residue.insertion.is_some()).collect();
        let codes: String = inserted.iter().filter_map(|residue| residue.insertion).collect();
        assert_eq!(codes, "ABCDE");
        assert!(inserted.iter().all(|residue| residue.number == 56));
        // The side chain of GLN 27 has conformers A and B of equal occupancy; the first one, A, is taken.
        let glutamine = structure.residues.iter().find(|residue| residue.number == 27).unwrap();
        let atoms = &structure.atoms[glutamine.atoms.clone()];
        assert_eq!(atoms.len(), 9);
        let amide = atoms.iter().find(|atom| atom.name == "NE2").unwrap();
        assert_eq!(amide.position, [26.206, 28.365, 27.097]);
    }
    if let Some(structure) = load("awkward/1A8O.pdb") {
        let selenium: Vec<_> =
            structure.residues.iter().filter(|residue| residue.name == "MSE").collect();
        assert_eq!(
            selenium.iter().map(|residue| residue.number).collect::<Vec<_>>(),
            [151, 185, 214, 215]
        );
        assert_eq!(structure.warnings, Vec::<String>::new());
    }
}

#[test]
fn disulfides_of_the_files() {
    if let Some(structure) = load("awkward/1dix.pdb") {
        let numbers: Vec<_> = structure
            .disulfides
            .iter()
            .map(|&(i, j)| (number(&structure, i), number(&structure, j)))
            .collect();
        let expected = [("18", "24"), ("25", "81"), ("54", "100"), ("161", "196"), ("177", "188")];
        let expected: Vec<_> = expected.map(|(i, j)| (i.to_owned(), j.to_owned())).to_vec();
        assert_eq!(numbers, expected);
    }
    if let Some(structure) = load("awkward/1A8O.pdb") {
        let &[(i, j)] = structure.disulfides.as_slice() else { panic!("one bond") };
        assert_eq!((structure.residues[i].number, structure.residues[j].number), (198, 218));
    }
    if let Some(structure) = load("capsids/7cth.cif") {
        // The file has 22 rows of _struct_conn.
        assert_eq!(structure.disulfides.len(), 22);
        assert!(structure.disulfides.is_sorted());
    }
}

#[test]
fn models_are_chosen_by_number() {
    let Some(path) = shared_data("awkward/1l2y.pdb") else { return };
    let last = read(&path, &ReadOptions { model: Some(38) }).unwrap();
    assert_eq!((last.models, last.residues.len()), (38, 20));
    let first = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(first.alpha_carbon(0).unwrap().position, [-8.608, 3.135, -1.618]);
    assert_ne!(first.alpha_carbon(0), last.alpha_carbon(0));
    let error = read(&path, &ReadOptions { model: Some(39) }).unwrap_err();
    assert!(error.to_string().contains("models 1 to 38"), "{error}");
}

#[test]
fn damaged_coordinates_are_refused() {
    let Some(path) = shared_data("awkward/2atc.pdb") else { return };
    let error = read(&path, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.code(), "structure/damaged-coordinate");
    let message = "2atc.pdb, line 551: the z coordinate (columns 47–54) reads \"        \"";
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn topologies_of_sop_gpu() {
    for (relative, atoms, bonds, contacts, pairs) in [
        // With the side-chain rule WW has 75 contacts and 453 pairs.
        ("sop-gpu/ww/ww.top", 34, 33, 75, Some(453)),
        ("sop-gpu/titin/1TIT_ca.top", 89, 88, 255, None),
        // Each of the 16 chains lacks one bond.
        ("sop-gpu/protofilament/PF8.top", 6928, 6928 - 16, 21734, None),
    ] {
        let Some(path) = shared_data(relative) else { return };
        let topology = read_sop_gpu_topology(&path).unwrap();
        assert_eq!(topology.atoms.len(), atoms, "{relative}");
        assert_eq!(topology.bonds.len(), bonds, "{relative}");
        assert_eq!(topology.contacts.len(), contacts, "{relative}");
        assert_eq!(topology.pairs.map(|pairs| pairs.len()), pairs, "{relative}");
    }
    let Some(path) = shared_data("sop-gpu/ww/ww.top") else { return };
    let topology = read_sop_gpu_topology(&path).unwrap();
    assert_eq!(topology.bonds[0], (0, 1, 3.81188));
    assert_eq!(topology.contacts[0], (0, 30, 10.72262, 1.5));
    let first = &topology.atoms[0];
    assert_eq!((first.residue_number, first.residue_name.as_str()), (6, "LYS"));
    assert_eq!((first.name.as_str(), first.chain.as_str()), ("CA", "A"));
}
