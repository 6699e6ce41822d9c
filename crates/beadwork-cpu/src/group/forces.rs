//! Forces on the members of a group.

use beadwork_arithmetic::Vector;
use beadwork_model::potentials::{
    FeneBond, HarmonicBond, HarmonicTrap, NativeContact, PairPotential, SixthPowerRepulsion,
};
use beadwork_random::Normal;

use crate::coordinates::BLOCK;
use crate::forces::Forces;
use crate::group::list::GroupList;
use crate::lanes::{Triple, spread};

/// Where the partial sum of a bead for a partner begins, in vectors.
#[inline(always)]
fn sum_place(bead: usize, partner: usize) -> usize {
    (bead * BLOCK + partner % BLOCK) * 3
}

/// Forces at `positions` into `total`; `sums` is workspace, zero before and after. Returns which of
/// the `lanes`, as bits, have a broken bond or a lost coordinate; what is in `total` is of no use
/// then. What happens in other lanes is nobody's.
#[inline(always)]
pub(crate) fn evaluate<V: Vector>(
    forces: &Forces<V::Scalar>,
    list: &mut GroupList<V::Scalar>,
    positions: &[V::Scalar],
    lanes: u32,
    sums: &mut [V::Scalar],
    total: &mut [V::Scalar],
) -> u32
where
    V::Scalar: Normal,
{
    let Forces { fene_bonds, harmonic_bonds, native_contacts, repulsion, harmonic_traps } = forces;
    let mut sound = V::mask_from_bits(u32::MAX);
    for &(i, j, bond) in fene_bonds {
        let bond = FeneBond {
            stiffness: spread::<V>(bond.stiffness),
            limit: spread(bond.limit),
            length: spread(bond.length),
        };
        let r2 = add_pair(&bond, i as usize, j as usize, positions, sums);
        sound = V::both(sound, bond.holds(r2));
    }
    for &(i, j, bond) in harmonic_bonds {
        let bond =
            HarmonicBond { stiffness: spread::<V>(bond.stiffness), length: spread(bond.length) };
        add_pair(&bond, i as usize, j as usize, positions, sums);
    }
    for &(i, j, contact) in native_contacts {
        let contact =
            NativeContact { depth: spread::<V>(contact.depth), length: spread(contact.length) };
        add_pair(&contact, i as usize, j as usize, positions, sums);
    }
    match repulsion {
        Some((potential, square_cutoff)) => {
            if list.is_stale::<V>(positions) {
                let finite = finite_lanes::<V>(positions);
                sound = V::both(sound, finite);
                if lanes & !V::mask_to_bits(sound) == 0 {
                    list.build::<V>(positions);
                }
            }
            if lanes & !V::mask_to_bits(sound) == 0 {
                add_repulsion::<V>(potential, *square_cutoff, list, positions, sums, total);
            }
        }
        None => {
            sound = V::both(sound, finite_lanes::<V>(positions));
            for bead in 0..positions.len() / (3 * V::WIDTH) {
                add_up::<V>(sums, total, bead);
            }
        }
    }
    let lost = lanes & !V::mask_to_bits(sound);
    if lost != 0 {
        sums.fill(<V::Scalar as beadwork_arithmetic::Lane>::zero());
        return lost;
    }
    for &(bead, trap) in harmonic_traps {
        let place = bead as usize * 3;
        let trap = HarmonicTrap {
            stiffness: spread::<V>(trap.stiffness),
            centre: Triple::spread(trap.centre).0,
        };
        let term = Triple(trap.force(Triple::<V>::load(positions, place).0));
        (Triple::load(total, place) + term).store(total, place);
    }
    0
}

/// A bead's force from its partial sums, which become zero.
#[inline(always)]
fn add_up<V: Vector>(sums: &mut [V::Scalar], total: &mut [V::Scalar], bead: usize) {
    let first = sum_place(bead, 0);
    let low = Triple::<V>::load(sums, first) + Triple::load(sums, first + 3);
    let high = Triple::<V>::load(sums, first + 6) + Triple::load(sums, first + 9);
    (low + high).store(total, bead * 3);
    for partial in 0..BLOCK {
        Triple::<V>::zero().store(sums, first + 3 * partial);
    }
}

/// The lanes in which all coordinates are finite.
#[inline(always)]
fn finite_lanes<V: Vector>(positions: &[V::Scalar]) -> V::Mask {
    let infinity = V::from_f64(f64::INFINITY);
    let mut finite = V::mask_from_bits(u32::MAX);
    for components in positions.chunks_exact(V::WIDTH) {
        finite = V::both(finite, V::load(components).abs().less_than(infinity));
    }
    finite
}

/// Adds the forces of a pair and returns its squared distance.
#[inline(always)]
fn add_pair<V: Vector>(
    potential: &impl PairPotential<V>,
    i: usize,
    j: usize,
    positions: &[V::Scalar],
    sums: &mut [V::Scalar],
) -> V {
    let apart = Triple::<V>::load(positions, i * 3) - Triple::load(positions, j * 3);
    let r2 = apart.square();
    let term = apart * potential.force_over_distance(r2);
    let (on_i, on_j) = (sum_place(i, j), sum_place(j, i));
    (Triple::load(sums, on_i) + term).store(sums, on_i);
    (Triple::load(sums, on_j) - term).store(sums, on_j);
    r2
}

/// Adds the repulsion, the last of the pair terms, and the sums up.
#[inline(always)]
fn add_repulsion<V: Vector>(
    potential: &SixthPowerRepulsion<V::Scalar>,
    square_cutoff: V::Scalar,
    list: &GroupList<V::Scalar>,
    positions: &[V::Scalar],
    sums: &mut [V::Scalar],
    total: &mut [V::Scalar],
) {
    let potential = SixthPowerRepulsion {
        strength: spread::<V>(potential.strength),
        diameter: spread(potential.diameter),
    };
    let square_cutoff = spread::<V>(square_cutoff);
    for i in 0..positions.len() / (3 * V::WIDTH) {
        let a = Triple::<V>::load(positions, i * 3);
        for partial in 0..BLOCK {
            let partners = list.partners(i, partial);
            if partners.is_empty() {
                continue;
            }
            let place = sum_place(i, partial);
            let mut on_i = Triple::<V>::load(sums, place);
            for &j in partners {
                let j = j as usize;
                let apart = a - Triple::load(positions, j * 3);
                let r2 = apart.square();
                let factor = potential.force_over_distance(r2);
                let factor = V::select(r2.less_than(square_cutoff), factor, V::zero());
                let term = apart * factor;
                on_i += term;
                let on_j = sum_place(j, i);
                (Triple::load(sums, on_j) - term).store(sums, on_j);
            }
            on_i.store(sums, place);
        }
        // Nothing is added to bead i any more: partners below it came before.
        add_up::<V>(sums, total, i);
    }
}
