//! Whole capsids: the published counts of beads and contacts, including every contact between chains.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use beadwork_model::System;
use beadwork_model::force_fields::sop::{Beads, ContactRule, Parameters, build};
use beadwork_model::potentials::{FeneBond, NativeContact};
use beadwork_structure::{ReadOptions, Structure, read_assembly};
use beadwork_testing::shared_data;

/// The first assembly of a file.
fn assembly(relative: &str) -> Option<Structure> {
    let path = shared_data(relative)?;
    let (unit, assembly) = read_assembly(&path, &ReadOptions::default(), "1").unwrap();
    Some(assembly.build(&unit, |_| true).unwrap())
}

fn system(structure: &Structure, parameters: &Parameters) -> System {
    build(structure, Beads::from_structure(structure), parameters).unwrap().0
}

/// Asserts counts of chains, beads and contacts, and invariants of the lists of any system.
fn assert_capsid(relative: &str, chains: usize, beads: usize, contacts: usize) {
    let Some(structure) = assembly(relative) else { return };
    let system = system(&structure, &Parameters::default());
    let counts = system.counts;
    assert_eq!(
        (counts.chains, counts.beads, counts.native_contacts),
        (chains, beads, contacts),
        "{relative}"
    );
    let excluded = &system.interactions.excluded;
    assert!(excluded.is_sorted_by(|one, other| one < other), "{relative}");
    let bonded = counts.native_contacts - counts.native_contacts_with_energy;
    assert_eq!(excluded.len(), counts.bonds + counts.native_contacts - bonded);
    assert_eq!(counts.nonnative_pairs, beads * (beads - 1) / 2 - excluded.len());
    let contacts = system.interactions.bonded_by::<NativeContact>();
    assert!(contacts.is_sorted_by(|one, other| (one.i, one.j) < (other.i, other.j)), "{relative}");
    assert_eq!(system.particles.molecule_starts().count(), chains);
}

#[test]
fn satellite_panicum_mosaic_virus() {
    assert_capsid("capsids/5cvz.pdb", 60, 8460, 31_539);
}

#[test]
fn cowpea_chlorotic_mottle_virus() {
    assert_capsid("capsids/1cwp_repaired.pdb", 180, 28_620, 89_100);
}

#[test]
fn rice_yellow_mottle_virus_of_either_format() {
    assert_capsid("capsids/1f2n.pdb", 180, 35_400, 125_160);
    assert_capsid("capsids/1f2n.cif", 180, 35_400, 125_160);
}

#[test]
fn dengue_virus_with_antibodies() {
    assert_capsid("capsids/7cth.cif", 600, 129_420, 410_820);
}

/// Each copy has the disulfides of the unit; no disulfide connects copies.
#[test]
fn each_copy_has_the_disulfides_of_the_unit() {
    let Some(structure) = assembly("capsids/7cth.cif") else { return };
    assert_eq!(structure.disulfides.len(), 60 * 22);
    let unit = structure.residues.len() / 60;
    assert!(structure.disulfides.iter().all(|(one, other)| one / unit == other / unit));
}

/// Contacts by side chains of a whole capsid, compared with a search of all pairs of residues.
#[test]
fn side_chain_contacts_equal_a_search_of_all_pairs() {
    let Some(structure) = assembly("capsids/5cvz.pdb") else { return };
    let rule = |side_chain_cutoff| Parameters {
        contacts: ContactRule::Distance {
            cutoff: 0.0,
            side_chain_cutoff,
            side_chain_hydrogens: true,
        },
        ..Parameters::default()
    };
    let system = system(&structure, &rule(Some(5.2)));
    let side_chains: Vec<Vec<[f64; 3]>> = structure
        .residues
        .iter()
        .map(|residue| {
            let atoms = &structure.atoms[residue.atoms.clone()];
            let side = atoms.iter().filter(|a| !["CA", "N", "C", "O"].contains(&a.name.as_str()));
            side.map(|atom| atom.position).collect()
        })
        .collect();
    let close = |a: &[f64; 3], b: &[f64; 3]| {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        square < 5.2 * 5.2
    };
    // The pairs of the first copy with all other copies.
    let mut expected = 0;
    for i in 0..141 {
        for j in i + 1..structure.residues.len() {
            let touch = side_chains[i].iter().any(|a| side_chains[j].iter().any(|b| close(a, b)));
            expected += usize::from((j >= 141 || j - i > 2) && touch);
        }
    }
    let found = system
        .interactions
        .bonded_by::<NativeContact>()
        .iter()
        .filter(|contact| contact.i < 141)
        .count();
    let bonded = system
        .interactions
        .bonded_by::<FeneBond>()
        .iter()
        .filter(|bond| bond.i < 141 && bond.j > bond.i + 2);
    assert_eq!(bonded.count(), 0);
    assert_eq!(found, expected);
    assert!(expected > 300, "{expected}");
}
