//! Forces of a system's interactions, in either precision: the plain path, which defines them.
//!
//! # The order of the sum
//! A bead's force is (p₀ + p₁) + (p₂ + p₃), then its traps. The pair terms go to the partial sums in the
//! order of the fields of [`Forces`], within a term in ascending number of the partner: partner j
//! adds to p of j mod 4. Pairs beyond the cutoff add nothing. This rule is frozen; with it, four
//! partners of a bead can be added at the same time without a bit of difference
//! (`benchmarks/README.md` has the measurement that chose four).

use beadwork_arithmetic::Real;
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, PairPotential, SixthPowerRepulsion,
};
use beadwork_model::{Interactions, System};
use beadwork_random::Normal;

use crate::coordinates::BLOCK;
use crate::neighbours::{NeighbourList, square};
use crate::state::Trouble;

/// The interactions of a system in the number type of the arithmetic.
///
/// Lists sorted by (i, j) with i < j give the ascending order of partners when each pair adds to both
/// its beads as it comes.
#[derive(Clone, Debug)]
pub struct Forces<T> {
    pub(crate) fene_bonds: Vec<(u32, u32, FeneBond<T>)>,
    pub(crate) harmonic_bonds: Vec<(u32, u32, HarmonicBond<T>)>,
    pub(crate) native_contacts: Vec<(u32, u32, NativeContact<T>)>,
    /// The potential and the square of its cutoff.
    pub(crate) repulsion: Option<(SixthPowerRepulsion<T>, T)>,
    pub(crate) harmonic_traps: Vec<(u32, HarmonicTrap<T>)>,
}

/// The partial sums of a bead's force.
type Partial<T> = [[T; 3]; BLOCK];

impl<T: Normal> Forces<T> {
    /// The interactions of `system`.
    ///
    /// # Panics
    /// When a list names a bead that does not exist, or a pair without i < j: what reads the lists
    /// later relies on that. Where there are Lennard-Jones pairs, which only Monte Carlo knows.
    pub fn new(system: &System) -> Self {
        let beads = system.beads.len();
        for (i, j) in all_pairs(&system.interactions) {
            assert!(i < j && j < beads, "pair ({i}, {j}) in a system of {beads} beads");
        }
        for trap in &system.interactions.harmonic_traps {
            assert!(trap.bead < beads, "a trap of bead {} in a system of {beads} beads", trap.bead);
        }
        let Interactions {
            fene_bonds,
            harmonic_bonds,
            native_contacts,
            repulsion,
            lennard_jones,
            harmonic_traps,
        } = &system.interactions;
        assert!(lennard_jones.is_none(), "Lennard-Jones pairs are sampled, not stepped");
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
    pub fn verify(&self, position: impl Fn(usize) -> [T; 3], beads: usize) -> Result<(), Trouble> {
        for (i, j, bond) in &self.fene_bonds {
            let (i, j) = (*i as usize, *j as usize);
            let (a, b) = (position(i), position(j));
            let r2 = square(a, b);
            if bond.is_broken(r2) {
                return Err(broken([i, j], [a, b], r2, bond));
            }
        }
        match (0..beads).find(|&bead| !finite(position(bead))) {
            Some(bead) => Err(Trouble::NotFinite { bead }),
            None => Ok(()),
        }
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
        self.verify(|bead| positions[bead], positions.len())?;
        let mut sums: Vec<Partial<T>> = vec![[[T::zero(); 3]; BLOCK]; positions.len()];
        for &(i, j, bond) in &self.fene_bonds {
            add_pair(&bond, None, i as usize, j as usize, positions, &mut sums);
        }
        for &(i, j, bond) in &self.harmonic_bonds {
            add_pair(&bond, None, i as usize, j as usize, positions, &mut sums);
        }
        for &(i, j, contact) in &self.native_contacts {
            add_pair(&contact, None, i as usize, j as usize, positions, &mut sums);
        }
        if let Some((potential, square_cutoff)) = &self.repulsion {
            neighbours.refresh(positions)?;
            for i in 0..positions.len() {
                for &j in neighbours.partners(i) {
                    add_pair(potential, Some(*square_cutoff), i, j as usize, positions, &mut sums);
                }
            }
        }
        for (force, [a, b, c, d]) in forces.iter_mut().zip(sums) {
            *force = [0, 1, 2].map(|axis| (a[axis] + b[axis]) + (c[axis] + d[axis]));
        }
        for &(bead, trap) in &self.harmonic_traps {
            let bead = bead as usize;
            let term = trap.force(positions[bead]);
            for axis in 0..3 {
                forces[bead][axis] += term[axis];
            }
        }
        Ok(())
    }
}

/// The pairs of every list.
fn all_pairs(interactions: &Interactions) -> impl Iterator<Item = (usize, usize)> + '_ {
    let fene = interactions.fene_bonds.iter().map(|pair| (pair.i, pair.j));
    let harmonic = interactions.harmonic_bonds.iter().map(|pair| (pair.i, pair.j));
    let contacts = interactions.native_contacts.iter().map(|pair| (pair.i, pair.j));
    let excluded = interactions.repulsion.iter().flat_map(|all| all.excluded.iter().copied());
    fene.chain(harmonic).chain(contacts).chain(excluded)
}

#[inline(always)]
pub(crate) fn finite<T: Real>(position: [T; 3]) -> bool {
    position.iter().all(|component| component.is_finite())
}

/// Adds a pair to both its beads if it is nearer than the cutoff.
#[inline(always)]
fn add_pair<T: Real>(
    potential: &impl PairPotential<T>,
    square_cutoff: Option<T>,
    i: usize,
    j: usize,
    positions: &[[T; 3]],
    sums: &mut [Partial<T>],
) {
    let [a, b] = [positions[i], positions[j]];
    let apart = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let r2 = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
    if square_cutoff.is_some_and(|square_cutoff| !r2.less_than(square_cutoff)) {
        return;
    }
    let factor = potential.force_over_distance(r2);
    for axis in 0..3 {
        let component = factor * apart[axis];
        sums[i][j % BLOCK][axis] += component;
        sums[j][i % BLOCK][axis] -= component;
    }
}

#[cold]
pub(crate) fn broken<T: Real>(
    beads: [usize; 2],
    positions: [[T; 3]; 2],
    r2: T,
    bond: &FeneBond<T>,
) -> Trouble {
    for (bead, position) in beads.into_iter().zip(positions) {
        if !finite(position) {
            return Trouble::NotFinite { bead };
        }
    }
    Trouble::BrokenBond {
        i: beads[0],
        j: beads[1],
        distance: r2.sqrt().to_f64(),
        rest_length: bond.length.to_f64(),
        limit: bond.limit.to_f64(),
    }
}
