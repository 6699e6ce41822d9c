//! The SOP model of published structures: each row of Table I of \[A\], single points, topologies of SOP-GPU.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use std::collections::HashMap;
use std::path::Path;

use beadwork_model::force_fields::sop::{
    Beads, ContactRule, Parameters, build, build_from_topology,
};
use beadwork_model::potentials::{FeneBond, NativeContact};
use beadwork_model::{Counts, System};
use beadwork_structure::{Name, ReadOptions, Structure, read, read_sop_gpu_topology};
use beadwork_testing::shared_data;

fn structure(relative: &str) -> Option<Structure> {
    shared_data(relative).map(|file| read(&file, &ReadOptions::default()).unwrap())
}

fn system_of(structure: &Structure, parameters: &Parameters) -> System {
    let (system, warnings) =
        build(structure, Beads::from_structure(structure), parameters).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    system
}

fn with_side_chains(hydrogens: bool) -> Parameters {
    Parameters {
        contacts: ContactRule::Distance {
            cutoff: 8.0,
            side_chain_cutoff: Some(5.2),
            side_chain_hydrogens: hydrogens,
        },
        ..Parameters::default()
    }
}

/// Beads, bonds, native contacts and non-native pairs, in the order of Table I.
fn row(counts: Counts) -> [usize; 4] {
    [counts.beads, counts.bonds, counts.native_contacts, counts.nonnative_pairs]
}

/// Asserts the bond, native and repulsive energy of a system at its start, kcal/mol.
#[track_caller]
fn assert_single_point(system: &System, expected: [f64; 3], bounds: [f64; 3]) {
    let energies = system.energies(&system.particles.positions);
    let found = [energies.bonds, energies.contacts, energies.pairs];
    for term in 0..3 {
        let difference = found[term] - expected[term];
        assert!(
            difference.abs() <= bounds[term],
            "{found:?} for {expected:?}: term {term} differs by {difference:e}"
        );
    }
}

#[test]
fn ww_domain_is_the_first_row_of_table_one() {
    let Some(structure) = structure("proteins/ww.pdb") else { return };
    let system = system_of(&structure, &Parameters::default());
    assert_eq!(row(system.counts), [34, 33, 65, 463]);
    assert_eq!((system.counts.chains, system.counts.extra_bonds), (1, 0));
    // 34·33/2 pairs in all.
    assert_eq!(33 + 65 + 463, 34 * 33 / 2);
}

#[test]
fn ww_domain_with_side_chains_has_ten_contacts_more() {
    let Some(structure) = structure("proteins/ww.pdb") else { return };
    let system = system_of(&structure, &with_side_chains(true));
    assert_eq!(row(system.counts), [34, 33, 75, 453]);
    // In the native structure each bond and each contact (ε = 1.5) is at its minimum.
    assert_single_point(&system, [0.0, -112.5, 2.34096], [0.0, 1e-12, 1e-5]);
}

#[test]
fn titin_is_the_second_row_of_table_one() {
    let Some(structure) = structure("proteins/1TIT.pdb") else { return };
    let system = system_of(&structure, &Parameters::default());
    assert_eq!(row(system.counts), [89, 88, 255, 3573]);
    assert_single_point(&system, [0.0, -382.5, 7.12007], [0.0, 1e-12, 1e-5]);
}

#[test]
fn titin_with_side_chains_counts_hydrogens_or_not() {
    let Some(structure) = structure("proteins/1TIT.pdb") else { return };
    for (hydrogens, contacts) in [(true, 342), (false, 285)] {
        let system = system_of(&structure, &with_side_chains(hydrogens));
        assert_eq!(row(system.counts), [89, 88, contacts, 89 * 88 / 2 - 88 - contacts]);
    }
}

#[test]
fn ubiquitin_from_either_format() {
    for file in ["proteins/1UBQ.pdb", "proteins/1UBQ.cif"] {
        let Some(structure) = structure(file) else { return };
        let system = system_of(&structure, &Parameters::default());
        assert_eq!(row(system.counts), [76, 75, 177, 76 * 75 / 2 - 75 - 177], "{file}");
    }
}

/// Lines `chain_i,residue_i,chain_j,residue_j` as pairs of beads.
fn disulfides(file: &Path, system: &Beads) -> Vec<(usize, usize)> {
    let beads: HashMap<(Name, i32), usize> = system
        .labels
        .iter()
        .enumerate()
        .map(|(bead, label)| ((label.chain, label.residue_number), bead))
        .collect();
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let words: Vec<&str> = line.split(',').map(str::trim).collect();
            let bead =
                |chain: usize| beads[&(words[chain].into(), words[chain + 1].parse().unwrap())];
            (bead(0), bead(2))
        })
        .collect()
}

#[test]
fn fibrinogen_is_the_largest_row_of_table_one() {
    let (Some(structure), Some(list)) =
        (structure("proteins/3ghg_ca_AF.pdb"), shared_data("proteins/3ghg_disulfides.csv"))
    else {
        return;
    };
    let beads = Beads::from_structure(&structure);
    let extra_bonds = disulfides(&list, &beads);
    assert_eq!(extra_bonds.len(), 25);
    let parameters = Parameters { extra_bonds, ..Parameters::default() };
    let (system, _) = build(&structure, beads, &parameters).unwrap();
    let counts = system.counts;
    assert_eq!(row(counts), [1913, 1932, 5709, 1_821_212]);
    assert_eq!((counts.chains, counts.extra_bonds), (6, 25));
    // Six chains without a break, and all disulfides closer than 8 Å, which also count as native.
    assert_eq!(counts.bonds - counts.extra_bonds, 1913 - 6);
    assert_eq!(counts.native_contacts_with_energy, 5709 - 25);
    assert_eq!(1913 * 1912 / 2 - 1907 - 5709, 1_821_212);
    // 4997 within chains and 712 between them, bonded ones included.
    let chain = |bead: usize| &system.particles.labels[bead].chain;
    let bonded_across = system.bonds().iter().filter(|(i, j)| chain(*i) != chain(*j)).count();
    let across = system
        .interactions
        .bonded_by::<NativeContact>()
        .iter()
        .filter(|contact| chain(contact.i) != chain(contact.j))
        .count();
    assert_eq!(across + bonded_across, 712);
    let energies = system.energies(&system.particles.positions);
    assert_eq!(energies.bonds, 0.0);
    // The sum of 5684 minima of −1.5 is a sum of exact multiples of ½.
    assert!((energies.contacts + 1.5 * 5684.0).abs() < 1e-9);
}

/// Compares the contacts that SOP-GPU's own tools found with ours; the tools print lengths with five decimals.
fn assert_same_model(ours: &System, theirs: &System) {
    assert_eq!(ours.counts, theirs.counts);
    let pairs = |system: &System| -> Vec<(usize, usize)> {
        system.interactions.bonded_by::<NativeContact>().iter().map(|c| (c.i, c.j)).collect()
    };
    assert_eq!(pairs(ours), pairs(theirs));
    assert_eq!(ours.bonds(), theirs.bonds());
    assert_eq!(ours.interactions.pairs, theirs.interactions.pairs);
    assert_eq!(ours.interactions.excluded, theirs.interactions.excluded);
    let contacts = ours.interactions.bonded_by::<NativeContact>().iter();
    for (a, b) in contacts.zip(theirs.interactions.bonded_by::<NativeContact>()) {
        assert!((a.potential.length - b.potential.length).abs() < 6e-6, "{a:?} {b:?}");
        assert_eq!(a.potential.depth, b.potential.depth);
    }
    let bonds = ours.interactions.bonded_by::<FeneBond>().iter();
    for (a, b) in bonds.zip(theirs.interactions.bonded_by::<FeneBond>()) {
        assert!((a.potential.length - b.potential.length).abs() < 6e-6, "{a:?} {b:?}");
    }
}

#[test]
fn structures_and_topologies_of_sop_gpu_give_the_same_models() {
    for (pdb, top, parameters) in [
        ("proteins/ww.pdb", "sop-gpu/ww/ww.top", with_side_chains(true)),
        ("proteins/1TIT.pdb", "sop-gpu/titin/1TIT_ca.top", Parameters::default()),
    ] {
        let (Some(structure), Some(topology)) = (structure(pdb), shared_data(top)) else { return };
        let ours = system_of(&structure, &parameters);
        let topology = read_sop_gpu_topology(&topology).unwrap();
        let theirs =
            build_from_topology(&topology, ours.particles.positions.clone(), &parameters).unwrap();
        assert_same_model(&ours, &theirs);
        // Lengths rounded to δ = 5e-6 Å cost 36 ε (δ/r₀)² a contact and 10 δ² a bond: 1e-10 each.
        let ours = ours.energies(&ours.particles.positions);
        assert_single_point(&theirs, [ours.bonds, ours.contacts, ours.pairs], [1e-7, 1e-7, 1e-9]);
    }
}

/// 16 tubulins with contacts of 1.0 and 1.9 kcal/mol. The energies were printed with six digits:
/// half a unit of the last one is the bound, tighter than 1e-5 for the first two terms.
#[test]
fn protofilament_by_its_topology() {
    let (Some(structure), Some(topology)) =
        (structure("proteins/PF8_sop.pdb"), shared_data("sop-gpu/protofilament/PF8.top"))
    else {
        return;
    };
    let topology = read_sop_gpu_topology(&topology).unwrap();
    let positions = Beads::from_structure(&structure).positions;
    let system = build_from_topology(&topology, positions, &Parameters::default()).unwrap();
    let counts = system.counts;
    assert_eq!((counts.beads, counts.bonds, counts.native_contacts), (6928, 6912, 21734));
    assert_eq!(counts.native_contacts_with_energy, 21734);
    // Bond lengths in the file have five decimals, and differ from the distances of the
    // coordinates by 2.6e-5 Å at most: 2e-6 kcal/mol in all.
    assert_single_point(&system, [0.0, -40828.4, 884.386], [1e-5, 0.05, 5e-4]);
}

/// Rotations and shifts of REMARK 350, three lines an operator.
fn operators(pdb: &Path) -> Vec<[[f64; 4]; 3]> {
    let text = std::fs::read_to_string(pdb).unwrap();
    let rows: Vec<[f64; 4]> = text
        .lines()
        .filter(|line| line.starts_with("REMARK 350   BIOMT"))
        .map(|line| {
            let numbers: Vec<f64> =
                line.split_whitespace().skip(4).map(|word| word.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    rows.chunks_exact(3).map(|rows| [rows[0], rows[1], rows[2]]).collect()
}

/// Every pair across chains within 8 Å counts, so the test needs the whole shell.
#[test]
fn whole_capsids_have_their_contacts() {
    for (file, unit, contacts) in
        [("capsids/5cvz.pdb", 141, 31_539), ("capsids/1cwp_repaired.pdb", 477, 89_100)]
    {
        let (Some(structure), Some(path)) = (structure(file), shared_data(file)) else { return };
        let one = Beads::from_structure(&structure);
        assert_eq!(one.positions.len(), unit, "{file}");
        let operators = operators(&path);
        assert_eq!(operators.len(), 60, "{file}");
        let mut shell = Beads::default();
        for (copy, rows) in operators.iter().enumerate() {
            let moved = one
                .positions
                .iter()
                .map(|p| rows.map(|[x, y, z, shift]| x * p[0] + y * p[1] + z * p[2] + shift));
            shell.positions.extend(moved);
            shell.labels.extend_from_slice(&one.labels);
            shell.residues.extend_from_slice(&one.residues);
            shell.columns.extend_from_slice(&one.columns);
            shell
                .chains
                .extend(one.chains.iter().map(|chain| copy * structure.chains.len() + chain));
        }
        let parameters = Parameters { disulfides: false, ..Parameters::default() };
        let counts = build(&structure, shell, &parameters).unwrap().0.counts;
        assert_eq!((counts.beads, counts.native_contacts), (60 * unit, contacts), "{file}");
        assert_eq!(counts.chains, 60 * structure.chains.len(), "{file}");
        // Each of the 60 units has as many bonds as a unit alone.
        let alone = build(&structure, one, &parameters).unwrap().0.counts;
        assert_eq!(counts.bonds, 60 * alone.bonds, "{file}");
    }
}
