//! Chains with structures and folded domains.

use std::ops::RangeInclusive;
use std::path::Path;

use beadwork_model::force_fields::residues::{
    Chain, ChargedEnds, Folded, ResidueModel, Solution, build,
};
use beadwork_model::potentials::HarmonicBond;
use beadwork_model::{Error, System};
use beadwork_structure::{ReadOptions, parse, read};
use beadwork_testing::shared_data;

const UBIQUITIN: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/01-ubiquitin/1UBQ.pdb");
const SEQUENCE: &str =
    "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG";

fn built(chains: &[Chain], model: ResidueModel) -> Result<System, Error> {
    let solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
    build(chains, model, &solution, ChargedEnds::default())
}

fn ubiquitin(domains: Vec<Vec<RangeInclusive<usize>>>) -> Chain {
    let structure = read(Path::new(UBIQUITIN), &ReadOptions::default()).unwrap();
    Chain::from_structure("ubiquitin", &structure, 0, domains).unwrap()
}

/// Restraints and bonds of ubiquitin with one domain, against numbers computed apart from this project.
#[test]
fn ubiquitin_has_the_published_rule_of_restraints() {
    let chain = ubiquitin(vec![vec![1..=72]]);
    assert_eq!(chain.sequence, SEQUENCE);
    let system = built(std::slice::from_ref(&chain), ResidueModel::Calvados3).unwrap();
    assert_eq!(system.beads(), 76);
    let springs = system.interactions.elastic_network();
    let lengths: Vec<f64> = springs.iter().map(|spring| spring.potential.length / 10.0).collect();
    assert_eq!(lengths.len(), 324);
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 6e-7, "{found} instead of {expected}");
    };
    near(lengths.iter().sum(), 223.573064);
    near(lengths.iter().copied().fold(f64::INFINITY, f64::min), 0.394213);
    near(lengths.iter().copied().fold(0.0, f64::max), 0.899017);
    // 700 kJ/(mol nm²).
    assert!(springs.iter().all(|spring| (spring.potential.stiffness * 418.4 - 700.0).abs() < 1e-9));

    let bonds = system.interactions.bonded_by::<HarmonicBond>();
    let rest: Vec<f64> = bonds.iter().map(|bond| bond.potential.length / 10.0).collect();
    assert_eq!(rest.iter().filter(|&&length| length == 0.38).count(), 3);
    near(rest[0], 0.587388);
    near(rest.iter().sum(), 36.497027);

    // All pairs at a distance of their own are excluded, and at the start bonds and springs of the domain are at rest.
    let mut listed: Vec<_> = springs.iter().map(|spring| (spring.i, spring.j)).collect();
    listed.extend(system.bonds());
    listed.sort_unstable();
    assert_eq!(listed, system.interactions.excluded);
    assert_eq!(system.particles.positions, chain.folded.unwrap().positions);
    let energies = system.energies(&system.particles.positions);
    assert!(energies.contacts.abs() < 1e-20, "{}", energies.contacts);
}

#[test]
fn ubiquitin_is_the_same_from_both_formats() {
    let Some(file) = shared_data("proteins/1UBQ.cif") else { return };
    let structure = read(&file, &ReadOptions::default()).unwrap();
    let chain = Chain::from_structure("ubiquitin", &structure, 0, vec![]).unwrap();
    assert_eq!(chain, ubiquitin(vec![]));
}

/// Pairs of different domains, and beyond 0.9 nm, have no spring; ranges of one domain have them between each other.
#[test]
fn springs_stay_within_domains() {
    let pairs = |domains| {
        let system = built(&[ubiquitin(domains)], ResidueModel::Calvados3).unwrap();
        let springs = system.interactions.elastic_network();
        springs.iter().map(|spring| (spring.i, spring.j)).collect::<Vec<_>>()
    };
    let whole = pairs(vec![vec![1..=72]]);
    let is_low = |bead: usize| bead < 20;
    let (across, within): (Vec<_>, Vec<_>) =
        whole.iter().copied().partition(|&(i, j)| is_low(i) != is_low(j));
    assert!(across.len() > 20);
    assert_eq!(pairs(vec![vec![1..=20], vec![21..=72]]), within);
    assert_eq!(pairs(vec![vec![21..=72, 1..=20]]), whole);
    assert!(pairs(vec![]).is_empty());
}

/// A second chain: its springs and bonds count on from the first, and its straight start is above the structure.
#[test]
fn chains_without_a_structure_start_above_those_with_one() {
    let chains = [Chain::disordered("tail", "GSGSGS"), ubiquitin(vec![vec![1..=72]])];
    let system = built(&chains, ResidueModel::Calvados3).unwrap();
    let springs = system.interactions.elastic_network();
    assert!(springs.iter().all(|spring| spring.i >= 6));
    assert_eq!(system.bonds().len(), 5 + 75);
    assert!(!system.bonds().contains(&(5, 6)));
    let positions = &system.particles.positions;
    let height = |beads: &[[f64; 3]]| beads.iter().map(|bead| bead[2]).fold(f64::MIN, f64::max);
    assert!((positions[0][2] - height(&positions[6..]) - 20.0).abs() < 1e-12);
}

/// Ends of a structure have their charges, in each of its chains.
#[test]
fn every_chain_has_its_own_ends() {
    let chains = [ubiquitin(vec![]), ubiquitin(vec![])];
    let system = built(&chains, ResidueModel::Calvados3).unwrap();
    let charges = [0, 75, 76, 151].map(|bead| system.particles.charge(bead));
    assert_eq!(charges, [1.0, -1.0, 1.0, -1.0]);
}

#[test]
fn domains_that_cannot_be_are_refused() {
    let message = |domains: Vec<Vec<RangeInclusive<usize>>>, model| {
        let error = built(&[ubiquitin(domains)], model).unwrap_err();
        assert_eq!(error.code(), "model/residues");
        error.to_string()
    };
    #[allow(clippy::reversed_empty_ranges, reason = "a caller's mistake")]
    for (domains, expected) in [
        (
            vec![vec![1..=77]],
            "domain 1: the range from 1 to 77 is not within the sequence, whose residues count from 1 to 76",
        ),
        (vec![vec![1..=5], vec![0..=9]], "domain 2: the range from 0 to 9 is not within"),
        (vec![vec![9..=3]], "domain 1: the range from 9 to 3 is empty"),
        (vec![vec![1..=20], vec![20..=40]], "residue 20 is in domain 1 and in domain 2"),
        (vec![vec![1..=20, 15..=40]], "domain 1 names residue 15 twice"),
    ] {
        let found = message(domains, ResidueModel::Calvados3);
        assert!(found.starts_with(&format!("chain ubiquitin: {expected}")), "{found}");
    }
    for model in [ResidueModel::Calvados2, ResidueModel::HpsUrry, ResidueModel::Mpipi] {
        let found = message(vec![vec![1..=72]], model);
        let expected = format!("chain ubiquitin: {} has no folded domains", model.name());
        assert!(found.starts_with(&expected), "{found}");
        assert!(built(&[ubiquitin(vec![])], model).is_ok());
    }
}

#[test]
fn structures_that_do_not_fit_the_sequence_are_refused() {
    let message = |positions: Vec<[f64; 3]>| {
        let folded = Folded { positions, domains: vec![vec![1..=2]] };
        let chain = Chain { folded: Some(folded), ..Chain::disordered("pair", "GG") };
        built(&[chain], ResidueModel::Calvados3).unwrap_err().to_string()
    };
    assert!(message(vec![]).starts_with("chain pair: folded domains need a structure"));
    let found = message(vec![[0.0; 3]]);
    assert!(found.starts_with("chain pair: the structure has 1 residues, the sequence 2"));
    let found = message(vec![[0.0; 3], [f64::NAN; 3]]);
    assert!(found.starts_with("chain pair: residue 2 has a position that is not a finite number"));
}

fn atom(name: &str, residue: &str, number: i32, x: f64, element: &str) -> String {
    format!(
        "ATOM      1  {name:<3} {residue} A{number:>4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00          {element:>2}\n",
        0.0, 0.0
    )
}

/// By hand: carbon at 0, hydrogen at 1.3 Å, and their centre at 1.008 × 1.3/13.019 Å.
#[test]
fn beads_lie_at_centres_of_mass_over_all_atoms() {
    let text = [
        atom("CA", "GLY", 1, 0.0, "C"),
        atom("HA2", "GLY", 1, 1.3, "H"),
        atom("CA", "MSE", 2, 3.8, "C"),
        atom("SE", "MSE", 2, 4.8, "SE"),
    ];
    let structure = parse(&text.concat(), "hand.pdb", &ReadOptions::default()).unwrap();
    let chain = Chain::from_structure("hand", &structure, 0, vec![]).unwrap();
    assert_eq!(chain.sequence, "GM");
    let [first, second] = chain.folded.unwrap().positions.try_into().unwrap();
    assert!((first[0] - 1.008 * 1.3 / 13.019).abs() < 1e-12);
    assert!((second[0] - 3.8 - 78.971 / 90.982).abs() < 1e-12);
}

#[test]
fn chains_of_structures_that_cannot_be_are_refused() {
    let message = |second: String, chain| {
        let text = atom("CA", "GLY", 1, 0.0, "C") + &second;
        let structure = parse(&text, "hand.pdb", &ReadOptions::default()).unwrap();
        Chain::from_structure("hand", &structure, chain, vec![]).unwrap_err().to_string()
    };
    let next = |residue, x| atom("CA", residue, 2, x, "C");
    for (found, expected) in [
        (message(next("GLY", 3.8), 1), "hand.pdb: there is no chain 2; the file has 1"),
        (
            message(next("SEP", 3.8), 0),
            "hand.pdb: chain A, residue 2 SEP is none of the twenty amino acids",
        ),
        (
            message(next("GLY", 9.0), 0),
            "hand.pdb: chain A, residue 2 GLY is no neighbour of chain A, residue 1 GLY",
        ),
        (
            message(next("GLY", 3.8) + &atom("X", "GLY", 2, 4.0, "ZN"), 0),
            "hand.pdb: chain A, residue 2 GLY has an atom of element \"ZN\"",
        ),
    ] {
        assert!(found.starts_with(expected), "{found}");
    }
}
