//! Chains of residues against published constants, structures, and single points of other programs.

mod folded;
mod single_points;

use beadwork_model::System;
use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, Solution, build};

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

/// By hand: arginine +1 in HPS and +3/4 in Mpipi, histidine half of it, ends without charges; 0.38 and 0.381 nm.
#[test]
fn models_with_a_fixed_solution_use_no_other() {
    let impossible = at(-1.0, -1.0, f64::NAN);
    for (model, charges, step) in [
        (ResidueModel::HpsUrry, [1.0, 0.5, 0.0, -1.0], 3.8),
        (ResidueModel::Mpipi, [0.75, 0.375, 0.0, -0.75], 3.81),
    ] {
        let chain = [Chain::disordered("short", "RHGD")];
        let system = build(&chain, model, &impossible, ChargedEnds::default()).unwrap();
        assert_eq!(system.particles.charges, charges);
        assert_eq!(system.bonds_at_rest()[0], (0, 1, step));
        assert!((system.particles.positions[3][0] - 3.0 * step).abs() < 1e-12);
    }
}

#[test]
fn impossible_solutions_are_refused() {
    for (solution, expected) in [
        (at(0.0, 0.15, 7.0), "solution: the temperature, 0 K"),
        (at(298.0, -0.1, 7.0), "solution: the ionic strength, -0.1 mol/L"),
        (at(298.0, 0.15, f64::NAN), "solution: the pH, NaN"),
    ] {
        let chain = [Chain::disordered("short", "GG")];
        let error = build(&chain, ResidueModel::Calvados2, &solution, ChargedEnds::default());
        let error = error.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(error.code(), "model/residues");
    }
}
