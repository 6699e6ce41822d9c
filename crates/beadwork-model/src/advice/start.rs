//! Starts that do not fit their box, or whose images are wrong.

use super::words::{three_digits, with_decimals};
use crate::particles::Boundary;
use crate::potentials::DpdConservative;
use crate::potentials::pair::PairTable;
use crate::system::System;

/// Sides of a box over which a start may spread: molecules across faces take some, a file in other units than the box takes more.
const MOST_SIDES: f64 = 4.0;

/// Warns of a start that spreads over many sides of its box.
pub(super) fn warning_of_far_start(system: &System) -> Option<String> {
    let Boundary::Periodic { lengths } = system.boundary else { return None };
    let sides_along = |axis: usize| {
        let along = system.particles.positions.iter().map(|at| at[axis]);
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        (most - least) / lengths[axis]
    };
    let (axis, sides) = ["x", "y", "z"]
        .into_iter()
        .zip([0, 1, 2].map(sides_along))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (sides > MOST_SIDES).then(|| {
        format!(
            "beads of the start lie up to {} sides of the box apart along {axis}, and each is moved into the box by whole sides: check that the box and the file have the same unit of length",
            with_decimals(sides, 1)
        )
    })
}

/// The most beads of a fluid of DPD in a cube whose sides are the cutoff that publications take; most take 3.
const MOST_DPD_BEADS: f64 = 10.0;

/// Warns of a box with more beads than a fluid of DPD has: a slip of the decimal point, or of a power of ten.
pub(super) fn warning_of_dense_start(system: &System) -> Option<String> {
    let soft: &PairTable<DpdConservative> = system.interactions.pairs_by()?;
    let beads = system.beads_in_cubes(&soft.cutoffs())?;
    (beads > MOST_DPD_BEADS).then(|| {
        format!(
            "the box has {} beads in a cube whose sides are the cutoff of the DPD repulsion, where fluids of DPD have 3 to {MOST_DPD_BEADS}: check `density`, `count`, `box` and the cutoff; go on if they are meant",
            three_digits(beads)
        )
    })
}

/// Warns of bonds over more than half a box: image flags of a start that are wrong. A molecule that is bonded to itself through
/// the box has such a bond whatever its flags are.
pub(super) fn warning_of_images(system: &System) -> Option<String> {
    let Boundary::Periodic { lengths } = system.boundary else { return None };
    let positions = &system.particles.positions;
    let is_long = |&(i, j): &(usize, usize)| {
        (0..3).any(|axis| (positions[i][axis] - positions[j][axis]).abs() > 0.5 * lengths[axis])
    };
    let bonds = system.bonds();
    if !bonds.iter().any(is_long) {
        return None;
    }
    let goes_through = beads_bonded_through_the_box(system, &bonds);
    let is_wrong = |bond: &&(usize, usize)| is_long(bond) && !goes_through[bond.0];
    let (i, j) = *bonds.iter().find(is_wrong)?;
    let count = bonds.iter().filter(is_wrong).count();
    Some(format!(
        "{count} of {} bonds reach over more than half a side of the box, the first between beads {i} and {j} (counted from 0): the image flags of the start are wrong, so sizes of molecules will be wrong too, though forces are right; correct the flags or leave them out, and molecules are joined along their bonds",
        bonds.len(),
    ))
}

/// Which beads belong to molecules that are bonded to themselves through the box: joined along their bonds, they end in another
/// image than they began.
fn beads_bonded_through_the_box(system: &System, bonds: &[(usize, usize)]) -> Vec<bool> {
    let mut whole = system.particles.positions.clone();
    let mut neighbours = vec![Vec::new(); whole.len()];
    for &(i, j) in bonds {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut is_joined = vec![false; whole.len()];
    let mut goes_through = vec![false; whole.len()];
    for first in 0..whole.len() {
        if std::mem::replace(&mut is_joined[first], true) {
            continue;
        }
        let mut molecule = vec![first];
        let mut next = 0;
        let mut is_odd = false;
        while let Some(&bead) = molecule.get(next) {
            next += 1;
            for &other in &neighbours[bead] {
                let near = system.boundary.near(whole[other], whole[bead]);
                if std::mem::replace(&mut is_joined[other], true) {
                    // Images are whole sides apart, rounding is not.
                    is_odd |= (0..3).any(|axis| {
                        (near[axis] - whole[other][axis]).abs() > 1e-6 * (1.0 + near[axis].abs())
                    });
                } else {
                    whole[other] = near;
                    molecule.push(other);
                }
            }
        }
        molecule.iter().for_each(|&bead| goes_through[bead] = is_odd);
    }
    goes_through
}
