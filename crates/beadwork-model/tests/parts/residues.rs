//! Chains of residues against published constants and single points of other programs.

use std::collections::HashMap;
use std::fs;

use beadwork_model::System;
use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, Solution, build};
use beadwork_testing::shared_data;

const KILOJOULES: f64 = 4.184;

/// The name of a sequence and the number of a configuration.
type Key = (String, String);
/// One-letter codes and positions, Å.
type Configuration = (String, Vec<[f64; 3]>);

fn at(temperature: f64, ionic_strength: f64, ph: f64) -> Solution {
    Solution { temperature, ionic_strength, ph }
}

/// Permittivity, Bjerrum length, strength of charges, inverse screening length, from the same constants.
#[test]
fn water_with_salt_has_the_published_constants() {
    for (solution, [permittivity, bjerrum, strength, inverse]) in [
        (at(298.0, 0.15, 7.0), [78.456_762, 0.714_711, 1.770_853_715, 1.273_814_397]),
        (at(293.15, 0.19, 7.0), [80.252_636, 0.710_277, 1.731_225_986, 1.429_177_086]),
    ] {
        assert!((solution.permittivity() - permittivity).abs() < 5e-7);
        assert!((solution.bjerrum_length() - bjerrum).abs() < 5e-7);
        assert!((solution.coulomb_strength() - strength).abs() < 5e-10);
        assert!((solution.inverse_screening_length() - inverse).abs() < 5e-10);
    }
    assert!((at(298.0, 0.15, 7.0).histidine_charge() - 1.0 / 11.0).abs() < 1e-15);
}

/// By hand: lysine +1 and the end −1 are neutral together; glutamate at the beginning is −1 + 1.
#[test]
fn ends_have_charges_and_masses_of_their_own() {
    let chain = [Chain::disordered("short", "EAK")];
    let system =
        |ends| build(&chain, ResidueModel::Calvados2, &at(298.0, 0.15, 7.0), ends).unwrap();
    let charged = system(ChargedEnds::default());
    assert_eq!(charged.particles.charges, [0.0, 0.0, 0.0]);
    let masses = |system: &System| -> Vec<f64> {
        system.particles.types.iter().map(|&kind| system.types[usize::from(kind)].mass).collect()
    };
    let bare = system(ChargedEnds { first: false, last: false });
    assert_eq!(bare.particles.charges, [-1.0, 0.0, 1.0]);
    let [bare, charged] = [masses(&bare), masses(&charged)];
    assert_eq!([charged[0] - bare[0], charged[1] - bare[1]], [2.0, 0.0]);
    assert!((charged[2] - bare[2] - 16.0).abs() < 1e-12);
}

#[test]
fn unknown_letters_and_short_sequences_are_refused() {
    let solution = at(298.0, 0.15, 7.0);
    let message = |sequence| {
        let chains = [Chain::disordered("first", "GG"), Chain::disordered("second", sequence)];
        let ends = ChargedEnds::default();
        build(&chains, ResidueModel::Calvados3, &solution, ends).unwrap_err().to_string()
    };
    assert!(message("GXG").starts_with("chain second: residue 2: 'X' is no amino acid"));
    assert!(message("G").starts_with("chain second gives 1 bead(s)"));
    assert!(message("").starts_with("chain second gives 0 bead(s)"));
}

/// Energies of random chains by term, within 10⁻⁹ kJ/mol of sums in double precision that another program confirmed.
#[test]
fn single_points_are_those_of_other_programs() {
    let folder = "residue/single_points";
    let Some(energies) = shared_data(&format!("{folder}/calvados_energies.csv")) else { return };
    let Some(positions) = shared_data(&format!("{folder}/calvados_positions.csv")) else { return };
    let mut chains: HashMap<Key, Configuration> = HashMap::new();
    for line in fs::read_to_string(positions).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (letters, beads) =
            chains.entry((cells[0].to_string(), cells[1].to_string())).or_default();
        letters.push_str(cells[3]);
        beads.push([4, 5, 6].map(|cell| 10.0 * cells[cell].parse::<f64>().unwrap()));
    }
    let mut compared = 0;
    for line in fs::read_to_string(energies).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<f64>().unwrap();
        let (sequence, positions) = &chains[&(cells[0].to_string(), cells[1].to_string())];
        let model = if cells[2] == "2" { ResidueModel::Calvados2 } else { ResidueModel::Calvados3 };
        let solution = at(number(3), number(4), number(5));
        let chain = Chain::disordered(cells[0], sequence);
        let whole = build(&[chain], model, &solution, ChargedEnds::default()).unwrap();
        let of_pairs = |term: usize| {
            let mut system = whole.clone();
            system.interactions.pairs = vec![whole.interactions.pairs[term].clone()];
            system.energies(positions).pairs * KILOJOULES
        };
        let all = whole.energies(positions);
        let found = [all.bonds * KILOJOULES, of_pairs(0), of_pairs(1), all.total() * KILOJOULES];
        for (found, cell) in found.into_iter().zip(6..10) {
            let error = (found - number(cell)).abs();
            // The table has twelve digits after the point; energies are up to some thousand kJ/mol.
            assert!(error < 1e-9, "{line}: {found} in column {cell}");
        }
        compared += 1;
    }
    assert_eq!(compared, 36);
}
