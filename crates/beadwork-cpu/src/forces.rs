//! Forces of a system's interactions, in either precision.

use beadwork_arithmetic::Real;
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, PairPotential, SixthPowerRepulsion,
};
use beadwork_model::{Interactions, System};
use beadwork_random::Normal;

use crate::neighbours::{NeighbourList, square};
use crate::state::Trouble;

/// The interactions of a system in the number type of the arithmetic.
///
/// A bead's force is one sum: terms in the order of the fields here, within a term partners in
/// ascending bead number. Lists sorted by (i, j) with i < j give that order when each pair adds to
/// both its beads as it comes.
#[derive(Clone, Debug)]
pub struct Forces<T> {
    fene_bonds: Vec<(u32, u32, FeneBond<T>)>,
    harmonic_bonds: Vec<(u32, u32, HarmonicBond<T>)>,
    native_contacts: Vec<(u32, u32, NativeContact<T>)>,
    repulsion: Option<(SixthPowerRepulsion<T>, T)>,
    harmonic_traps: Vec<(u32, HarmonicTrap<T>)>,
}

impl<T: Normal> Forces<T> {
    /// The interactions of `system`.
    pub fn new(system: &System) -> Self {
        let Interactions { fene_bonds, harmonic_bonds, native_contacts, repulsion, harmonic_traps } =
            &system.interactions;
        Forces {
            fene_bonds: fene_bonds
                .iter()
                .map(|bond| (bond.i as u32, bond.j as u32, bond.potential.to_lane()))
                .collect(),
            harmonic_bonds: harmonic_bonds
                .iter()
                .map(|bond| (bond.i as u32, bond.j as u32, bond.potential.to_lane()))
                .collect(),
            native_contacts: native_contacts
                .iter()
                .map(|contact| (contact.i as u32, contact.j as u32, contact.potential.to_lane()))
                .collect(),
            repulsion: repulsion.as_ref().map(|repulsion| {
                let square_cutoff = T::from_f64(repulsion.cutoff * repulsion.cutoff);
                (repulsion.potential.to_lane(), square_cutoff)
            }),
            harmonic_traps: harmonic_traps
                .iter()
                .map(|trap| (trap.bead as u32, trap.potential.to_lane()))
                .collect(),
        }
    }

    /// Whether all coordinates are finite and all FENE bonds hold.
    ///
    /// # Errors
    /// The first trouble.
    pub fn verify(&self, positions: &[[T; 3]]) -> Result<(), Trouble> {
        for &(i, j, bond) in &self.fene_bonds {
            let (i, j) = (i as usize, j as usize);
            let r2 = square(positions[i], positions[j]);
            if bond.is_broken(r2) {
                return Err(broken(i, j, r2, &bond, positions));
            }
        }
        all_finite(positions)
    }

    /// Forces, kcal/(mol Å), at `positions`, Å, replacing what was in `forces`.
    ///
    /// # Errors
    /// When a FENE bond is at its limit or beyond, or a coordinate is not finite.
    pub fn evaluate(
        &self,
        positions: &[[T; 3]],
        neighbours: &mut NeighbourList<T>,
        forces: &mut [[T; 3]],
    ) -> Result<(), Trouble> {
        forces.fill([T::zero(); 3]);
        for &(i, j, bond) in &self.fene_bonds {
            let (i, j) = (i as usize, j as usize);
            let r2 = square(positions[i], positions[j]);
            if bond.is_broken(r2) {
                return Err(broken(i, j, r2, &bond, positions));
            }
            add_pair(&bond, i, j, positions, forces);
        }
        for &(i, j, bond) in &self.harmonic_bonds {
            add_pair(&bond, i as usize, j as usize, positions, forces);
        }
        for &(i, j, contact) in &self.native_contacts {
            add_pair(&contact, i as usize, j as usize, positions, forces);
        }
        match &self.repulsion {
            Some((potential, square_cutoff)) => {
                neighbours.refresh(positions)?;
                add_repulsion(potential, *square_cutoff, positions, neighbours, forces);
            }
            // A neighbour list would have looked.
            None => all_finite(positions)?,
        }
        for &(bead, trap) in &self.harmonic_traps {
            let bead = bead as usize;
            add(&mut forces[bead], trap.force(positions[bead]));
        }
        Ok(())
    }
}

fn all_finite<T: Real>(positions: &[[T; 3]]) -> Result<(), Trouble> {
    match positions.iter().position(|p| !p.iter().all(|component| component.is_finite())) {
        Some(bead) => Err(Trouble::NotFinite { bead }),
        None => Ok(()),
    }
}

#[inline(always)]
fn add<T: Real>(sum: &mut [T; 3], term: [T; 3]) {
    for axis in 0..3 {
        sum[axis] += term[axis];
    }
}

#[inline(always)]
fn add_pair<T: Real>(
    potential: &impl PairPotential<T>,
    i: usize,
    j: usize,
    positions: &[[T; 3]],
    forces: &mut [[T; 3]],
) {
    let [a, b] = [positions[i], positions[j]];
    let apart = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let r2 = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
    let factor = potential.force_over_distance(r2);
    for axis in 0..3 {
        let component = factor * apart[axis];
        forces[i][axis] += component;
        forces[j][axis] -= component;
    }
}

fn add_repulsion<T: Real>(
    potential: &SixthPowerRepulsion<T>,
    square_cutoff: T,
    positions: &[[T; 3]],
    neighbours: &NeighbourList<T>,
    forces: &mut [[T; 3]],
) {
    for i in 0..positions.len() {
        let a = positions[i];
        let mut sum = forces[i];
        for &j in neighbours.partners(i) {
            let j = j as usize;
            let b = positions[j];
            let apart = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            let r2 = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
            if r2 < square_cutoff {
                let factor = potential.force_over_distance(r2);
                for axis in 0..3 {
                    let component = factor * apart[axis];
                    sum[axis] += component;
                    forces[j][axis] -= component;
                }
            }
        }
        forces[i] = sum;
    }
}

#[cold]
fn broken<T: Real>(i: usize, j: usize, r2: T, bond: &FeneBond<T>, positions: &[[T; 3]]) -> Trouble {
    for bead in [i, j] {
        if !positions[bead].iter().all(|component| component.is_finite()) {
            return Trouble::NotFinite { bead };
        }
    }
    Trouble::BrokenBond {
        i,
        j,
        distance: r2.sqrt().to_f64(),
        rest_length: bond.length.to_f64(),
        limit: bond.limit.to_f64(),
    }
}
