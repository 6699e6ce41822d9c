//! Potentials at points that can be computed by hand.

use beadwork_model::potentials::angle::{AngleFormula, AngleMaker, cosine, outer_forces};
use beadwork_model::potentials::bonded::BondedMaker;
use beadwork_model::potentials::pair::{PairEntry, PairFormula, PairMaker, PairTable};
use beadwork_model::potentials::single::{SingleFormula, SingleMaker};
use beadwork_model::potentials::{
    AngleTerm, BondedTerm, FeneBond, HarmonicBond, HarmonicTrap, LennardJones, NativeContact,
    PairPotential, PairTerm, SinglePotential, SingleTerm, SixthPowerRepulsion,
};
use beadwork_model::{Angles, Interactions, Pairs, Singles};

const BOND: FeneBond = FeneBond { stiffness: 20.0, limit: 2.0, length: 4.0 };
const CONTACT: NativeContact = NativeContact { depth: 1.5, length: 6.0 };
fn well() -> LennardJones {
    LennardJones::shifted(2.0, 1.0, 2.0)
}

/// The force must be minus the slope of the energy: a central difference of step `h` is wrong by h² V‴/6 plus rounding
/// of about 1e-16 V/h, together below 1e-7 of the scale here.
fn assert_force_is_minus_slope(potential: impl PairPotential<f64>, distances: &[f64]) {
    let h = 1e-5;
    for &r in distances {
        let up = potential.energy((r + h).powi(2));
        let down = potential.energy((r - h).powi(2));
        let slope = (up - down) / (2.0 * h);
        let force = potential.force_over_distance(r * r) * r;
        let scale = slope.abs().max(1.0);
        assert!(
            (force + slope).abs() < 1e-6 * scale,
            "at r = {r}: force {force}, minus slope {}",
            -slope
        );
    }
}

/// Compares the forces of a formula's example with slopes of its energy.
struct Slopes;

impl PairMaker for Slopes {
    type Output = ();

    fn make<F: PairFormula>(&mut self, _: fn(PairTable<F>) -> PairTerm) {
        assert_force_is_minus_slope(F::EXAMPLE, &[3.7, 4.1, 5.3, 7.0, 9.7, 12.3]);
    }
}

impl BondedMaker for Slopes {
    type Output = ();

    fn make<F: PairFormula>(&mut self, _: fn(Pairs<F>) -> BondedTerm) {
        let mut distances: Vec<f64> = (30..90).map(|tenths| f64::from(tenths) / 10.0).collect();
        // Distances stay away from the limit of a bond, where the third derivative is large.
        distances
            .retain(|r| F::EXAMPLE.holds((r - 0.3).powi(2)) && F::EXAMPLE.holds((r + 0.3).powi(2)));
        assert!(!distances.is_empty(), "{} holds at no distance", F::NAME);
        assert_force_is_minus_slope(F::EXAMPLE, &distances);
    }
}

impl AngleMaker for Slopes {
    type Output = ();

    /// A central difference of step h is wrong by about h² V‴/6 and rounding of 1e-16 V/h.
    fn make<F: AngleFormula>(&mut self, _: fn(Angles<F>) -> AngleTerm) {
        let potential = F::EXAMPLE;
        let beads = [[1.0, 0.3, -0.2], [0.1, 0.0, 0.4], [-0.7, 1.1, 0.5]];
        let energy = |beads: [[f64; 3]; 3]| {
            let apart = |i: usize| [0, 1, 2].map(|axis| beads[i][axis] - beads[1][axis]);
            potential.energy(cosine(apart(0), apart(2)))
        };
        let apart = |i: usize| [0, 1, 2].map(|axis| beads[i][axis] - beads[1][axis]);
        let (on_i, on_k) = outer_forces(&potential, apart(0), apart(2));
        let on_j = [0, 1, 2].map(|axis| -(on_i[axis] + on_k[axis]));
        let h = 1e-6;
        for (bead, force) in [on_i, on_j, on_k].into_iter().enumerate() {
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut moved = beads;
                    moved[bead][axis] += by;
                    energy(moved)
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                let error = (force[axis] + slope).abs();
                assert!(error < 1e-8, "{}, bead {bead}, axis {axis}: {error}", F::NAME);
            }
        }
    }
}

impl SingleMaker for Slopes {
    type Output = ();

    fn make<F: SingleFormula>(&mut self, _: fn(Singles<F>) -> SingleTerm) {
        let (at, h) = ([1.3, 0.8, 2.1], 1e-5);
        let force = F::EXAMPLE.force(at);
        for axis in 0..3 {
            let energy = |by: f64| {
                let mut moved = at;
                moved[axis] += by;
                F::EXAMPLE.energy(moved)
            };
            let slope = (energy(h) - energy(-h)) / (2.0 * h);
            let error = (force[axis] + slope).abs();
            assert!(error < 1e-6 * slope.abs().max(1.0), "{}, axis {axis}: {error}", F::NAME);
        }
    }
}

#[test]
fn forces_of_every_formula_are_minus_the_slope_of_the_energy() {
    PairTerm::each(&mut Slopes);
    BondedTerm::each(&mut Slopes);
    AngleTerm::each(&mut Slopes);
    SingleTerm::each(&mut Slopes);
}

#[test]
fn forces_of_pairs_are_minus_the_slope_of_the_energy() {
    assert_force_is_minus_slope(BOND, &[2.2, 3.0, 3.9, 4.1, 5.0, 5.8]);
    let bond = HarmonicBond { stiffness: 7.0, length: 2.0 };
    assert_force_is_minus_slope(bond, &[0.5, 1.0, 2.0, 3.5]);
    assert_force_is_minus_slope(CONTACT, &[4.5, 5.5, 6.0, 7.0, 12.0, 40.0]);
    assert_force_is_minus_slope(well(), &[0.85, 1.0, 1.12, 1.5, 1.99, 2.5]);
    let repulsion = SixthPowerRepulsion { strength: 1.0, diameter: 3.8 };
    assert_force_is_minus_slope(repulsion, &[3.0, 3.8, 6.0, 15.0]);
}

#[test]
fn fene_force_at_half_the_limit() {
    // Stretch 1 Å of 2 Å: F = −20 · 1 / (1 − 1/4) = −80/3 at r = 5.
    let force = BOND.force_over_distance(25.0) * 5.0;
    assert!((force + 80.0 / 3.0).abs() < 1e-12, "{force}");
    // Compression by 1 Å gives the opposite force: +80/3 at r = 3.
    let force = BOND.force_over_distance(9.0) * 3.0;
    assert!((force - 80.0 / 3.0).abs() < 1e-12, "{force}");
}

#[test]
fn fene_bonds_at_rest_have_neither_energy_nor_force() {
    assert_eq!(BOND.energy(16.0), 0.0);
    assert_eq!(BOND.force_over_distance(16.0), 0.0);
}

#[test]
fn fene_bonds_break_at_the_limit_and_not_before() {
    assert!(BOND.holds(5.999_f64.powi(2)));
    assert!(!BOND.holds(36.0));
    assert!(!BOND.holds(4.0));
    assert!(BOND.holds(2.001_f64.powi(2)));
    assert!(!BOND.holds(f64::NAN));
}

#[test]
fn a_bond_of_no_length_pulls_with_k_r_and_is_finite_at_zero() {
    let bond = HarmonicBond { stiffness: 7.0, length: 0.0 };
    assert_eq!(bond.force_over_distance(4.0), -7.0);
    assert_eq!(bond.force_over_distance(0.0), -7.0);
    assert_eq!(bond.energy(4.0), 14.0);
}

#[test]
fn contacts_cross_zero_at_the_sixth_root_of_one_half() {
    let r = 6.0 * 2.0_f64.powf(-1.0 / 6.0);
    assert!(CONTACT.energy(r * r).abs() < 1e-13);
}

#[test]
fn contact_force_at_a_rational_point() {
    // r² = r₀²/2: (r₀/r)⁶ = 8, so 12 · 1.5 · (64 − 8)/18 = 56.
    assert!((CONTACT.force_over_distance(18.0) - 56.0).abs() < 1e-12);
    // and V = 1.5 · 8 · 6 = 72.
    assert!((CONTACT.energy(18.0) - 72.0).abs() < 1e-12);
}

#[test]
fn lennard_jones_at_special_points() {
    // (σ/r_c)⁶ = 1/64: V_c = 8/64 (1/64 − 1).
    let well = well();
    assert_eq!(well.shift, 8.0 / 64.0 * (1.0 / 64.0 - 1.0));
    // r⁶ = 2 σ⁶: the minimum, −ε before the shift.
    let r2 = 2.0_f64.powf(1.0 / 3.0);
    assert!((well.energy(r2) - (-2.0 - well.shift)).abs() < 1e-14);
    assert!(well.force_over_distance(r2).abs() < 1e-13);
    assert_eq!((well.energy(4.0), well.force_over_distance(4.0)), (0.0, 0.0));
    assert!(well.energy(3.999_f64.powi(1)).abs() < 1e-3);
}

#[test]
fn repulsion_at_twice_the_diameter() {
    let repulsion = SixthPowerRepulsion { strength: 2.0, diameter: 1.0 };
    assert_eq!(repulsion.energy(4.0), 2.0 / 64.0);
    assert_eq!(repulsion.force_over_distance(4.0), 12.0 / 256.0);
}

#[test]
fn both_orders_of_two_types_have_one_entry() {
    let table =
        PairTable::new(3, |a, b| PairEntry { potential: 10 * a + b, cutoff: (a + b) as f64 });
    assert_eq!(table.between(2, 1).potential, 12);
    assert_eq!(table.between(1, 2).potential, 12);
    assert_eq!(table.between(0, 0).potential, 0);
    assert_eq!(table.cutoffs().largest(), 4.0);
}

/// Three types: a term between all, one of long range between few, and none between beads of type 1.
#[test]
fn cutoffs_of_two_types_are_the_largest_of_all_terms() {
    let repulsion = SixthPowerRepulsion { strength: 1.0, diameter: 1.0 };
    let near = |a, b| if (a, b) == (1, 1) { 0.0 } else { 8.0 + a as f64 };
    let far = |a, b| if (a, b) == (2, 2) { 40.0 } else { 0.0 };
    let near = PairTable::new(3, |a, b| PairEntry { potential: repulsion, cutoff: near(a, b) });
    let far = PairTable::new(3, |a, b| PairEntry { potential: repulsion, cutoff: far(a, b) });
    let with = |pairs: Vec<PairTerm>| Interactions { pairs, ..Interactions::default() };
    for pairs in [vec![near.clone().into(), far.clone().into()], vec![far.into(), near.into()]] {
        let cutoffs = with(pairs).pair_cutoffs();
        let rows = [0, 1, 2].map(|a| [0, 1, 2].map(|b| cutoffs.between(a, b)));
        assert_eq!(rows, [[8.0, 8.0, 8.0], [8.0, 0.0, 9.0], [8.0, 9.0, 40.0]]);
        assert_eq!((cutoffs.largest(), cutoffs.types()), (40.0, 3));
        assert_eq!((cutoffs.reach(1, 2, 1.5), cutoffs.reach(1, 1, 1.5)), (10.5, 0.0));
    }
    // The same cutoff for all types is that of a system of one type.
    let table = PairTable::new(3, |_, _| PairEntry { potential: repulsion, cutoff: 5.0 });
    let same = with(vec![table.into()]).pair_cutoffs();
    assert_eq!((same.types(), same.largest(), same.between(2, 1)), (1, 5.0, 5.0));
    assert_eq!((with(vec![]).pair_cutoffs().types(), with(vec![]).pair_cutoff()), (1, 0.0));
}

#[test]
fn trap_force_along_each_axis() {
    let trap = HarmonicTrap { stiffness: 3.0, centre: [1.0, -2.0, 0.5] };
    let at = [2.0, 1.0, -1.0];
    assert_eq!(trap.force(at), [-3.0, -9.0, 4.5]);
    // (3/2)(1 + 9 + 2.25)
    assert_eq!(trap.energy(at), 18.375);
    assert_eq!(trap.energy(trap.centre), 0.0);
    assert_eq!(trap.force(trap.centre), [0.0; 3]);
}

/// Forces are summed in the order of the lists, so a new formula comes last.
#[test]
fn lists_keep_their_order() {
    let bonded = [
        "fene_bond",
        "harmonic_bond",
        "native_contact",
        "elastic_network_spring",
        "repulsive_fene_bond",
    ];
    assert!(BondedTerm::NAMES.starts_with(&bonded), "{:?}", BondedTerm::NAMES);
    let pairs = [
        "sixth_power_repulsion",
        "lennard_jones",
        "force_shifted_lennard_jones",
        "ashbaugh_hatch",
        "debye_huckel",
        "wang_frenkel",
        "dpd_conservative",
        "morse",
    ];
    assert!(PairTerm::NAMES.starts_with(&pairs), "{:?}", PairTerm::NAMES);
    let angles = ["cosine_squared_angle", "cosine_angle", "harmonic_angle"];
    assert!(AngleTerm::NAMES.starts_with(&angles), "{:?}", AngleTerm::NAMES);
    assert!(SingleTerm::NAMES.starts_with(&["harmonic_trap"]), "{:?}", SingleTerm::NAMES);
}
