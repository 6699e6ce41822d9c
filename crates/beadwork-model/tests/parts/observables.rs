//! Observables of positions for which they can be computed by hand.

use beadwork_model::observables::{
    Observable, Unit, end_to_end_distance, extension, native_contacts_between_chains,
    native_contacts_held, radius_of_gyration, radius_of_gyration_by_mass,
};
use beadwork_model::potentials::NativeContact;
use beadwork_model::{Boundary, Pair};

#[test]
fn columns_are_unique_and_units_are_right() {
    for (index, observable) in Observable::ALL.into_iter().enumerate() {
        assert_eq!(observable as usize, index);
        for other in &Observable::ALL[index + 1..] {
            assert_ne!(observable.column(), other.column());
        }
    }
    assert_eq!(Observable::Work.column(), "work_pN_nm");
    assert_eq!(Unit::Nanometre.convert(25.0), 2.5);
    assert_eq!(Unit::SquareNanometre.convert(25.0), 0.25);
    assert!((Unit::Piconewton.convert(1.0) - 69.477).abs() < 1e-3);
    assert!((Unit::PiconewtonNanometre.convert(1.0) - 6.9477).abs() < 1e-4);
    assert!((Unit::Kelvin.convert(0.596161) - 300.0).abs() < 1e-3);
}

#[test]
fn distance_of_centres() {
    let positions = [[0.0; 3], [3.0, 2.0, 0.0], [3.0, 6.0, 0.0]];
    assert_eq!(extension(&[0], &[1, 2], &positions), 5.0);
}

#[test]
fn masses_weight_the_radius_of_gyration() {
    // Masses 1 and 3, 4 Å apart: the centre of mass is 3 Å and 1 Å from them, and (1·9 + 3·1)/4 = 3.
    let positions = [[0.0, 1.0, 0.0], [4.0, 1.0, 0.0]];
    let masses = [1.0, 3.0];
    assert_eq!(radius_of_gyration_by_mass(&positions, masses.into_iter()), 3.0_f64.sqrt());
    let equal = [2.0, 2.0];
    let plain = radius_of_gyration(&positions);
    assert_eq!(radius_of_gyration_by_mass(&positions, equal.into_iter()), plain);
}

#[test]
fn distance_of_first_and_last() {
    assert_eq!(end_to_end_distance(&[[1.0; 3], [9.0; 3], [1.0, 4.0, 5.0]]), 5.0);
    assert_eq!(end_to_end_distance(&[]), 0.0);
}

#[test]
fn both_halves_of_the_rule() {
    let contact = |length| Pair { i: 0, j: 1, potential: NativeContact { depth: 1.5, length } };
    let at = |r: f64| [[0.0; 3], [0.0, 0.0, r]];
    assert_eq!(native_contacts_held(&[contact(5.0)], &at(7.9), Boundary::Open), 1);
    assert_eq!(native_contacts_held(&[contact(5.0)], &at(8.1), Boundary::Open), 0);
    assert_eq!(native_contacts_held(&[contact(10.0)], &at(11.9), Boundary::Open), 1);
    assert_eq!(native_contacts_held(&[contact(10.0)], &at(12.1), Boundary::Open), 0);
}

#[test]
fn contacts_between_chains_are_those_of_different_molecules() {
    let contact = |i, j| Pair { i, j, potential: NativeContact { depth: 1.5, length: 6.0 } };
    let contacts = [contact(0, 1), contact(0, 2), contact(1, 3), contact(2, 3)];
    let positions = [[0.0; 3], [5.0, 0.0, 0.0], [0.0, 7.0, 0.0], [5.0, 9.0, 0.0]];
    let of_chains = |chains: [u32; 4]| {
        native_contacts_between_chains(&contacts, &chains, &positions, Boundary::Open)
    };
    // 1–3 is 9 Å long and does not hold.
    assert_eq!(native_contacts_held(&contacts, &positions, Boundary::Open), 3);
    assert_eq!(of_chains([0; 4]), 0);
    assert_eq!(of_chains([0, 0, 1, 1]), 1);
    assert_eq!(of_chains([0, 1, 0, 1]), 2);
    assert_eq!(of_chains([0, 1, 2, 3]), 3);
}

#[test]
fn a_square_of_side_two() {
    let square = [[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [0.0, 2.0, 5.0], [2.0, 2.0, 5.0]];
    assert!((radius_of_gyration(&square) - 2.0_f64.sqrt()).abs() < 1e-15);
}
