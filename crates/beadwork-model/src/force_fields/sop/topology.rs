//! The lists of bonds and contacts from which a system is assembled.

use beadwork_structure::Label;

use super::parameters::Parameters;
use crate::Error;
use crate::interactions::Interactions;
use crate::models::Model;
use crate::particles::{ParticleType, Particles};
use crate::potentials::listed::Pair;
use crate::potentials::pair::PairTable;
use crate::potentials::{FeneBond, NativeContact, SixthPowerRepulsion};
use crate::system::{Counts, System};

/// Da: the mean mass of a residue. Overdamped dynamics needs no mass, but files for viewers do.
const RESIDUE_MASS: f64 = 110.0;

/// Bonds with their lengths, contacts, and the repelling pairs if the file lists them.
pub(super) struct Topology {
    pub bonds: Vec<(usize, usize, f64)>,
    pub extra_bonds: usize,
    pub chain_starts: Vec<usize>,
    pub contacts: Vec<Pair<NativeContact>>,
    pub repelling: Option<Vec<(usize, usize)>>,
}

/// Builds the system of beads at `positions`, Å, with these lists.
pub(super) fn assemble(
    labels: Vec<Label>,
    positions: Vec<[f64; 3]>,
    mut topology: Topology,
    parameters: &Parameters,
) -> Result<System, Error> {
    let count = labels.len();
    if count < 2 {
        return Err(Error::TooFewBeads { source_name: "the topology".to_string(), beads: count });
    }
    topology.bonds.sort_by_key(|&(i, j, _)| (i, j));
    topology.contacts.sort_by_key(|contact| (contact.i, contact.j));
    let bonded: Vec<_> = topology.bonds.iter().map(|&(i, j, _)| (i, j)).collect();
    refuse_repeated("bond", &bonded)?;
    let native: Vec<_> = topology.contacts.iter().map(|contact| (contact.i, contact.j)).collect();
    refuse_repeated("contact", &native)?;
    for contact in &topology.contacts {
        if !(contact.potential.length > 0.0 && contact.potential.depth >= 0.0) {
            return Err(Error::Topology(format!(
                "the contact between beads {} and {} has length {} A and energy {} kcal/mol: the length must be positive and the energy not negative",
                contact.i, contact.j, contact.potential.length, contact.potential.depth
            )));
        }
    }
    for &(i, j, length) in &topology.bonds {
        if length.is_nan() || length <= 0.0 {
            return Err(Error::Topology(format!(
                "the bond between beads {i} and {j} has length {length} A; two residues in one place cannot be bonded: check the coordinates"
            )));
        }
    }
    let excluded = match topology.repelling {
        None => union(&bonded, &native),
        Some(pairs) => {
            let repelling: Result<Vec<_>, Error> =
                pairs.iter().map(|&(a, b)| ordered(a, b, count, "repelling pair")).collect();
            all_but(repelling?, count)
        }
    };
    let native_contacts: Vec<_> = topology
        .contacts
        .iter()
        .filter(|contact| bonded.binary_search(&(contact.i, contact.j)).is_err())
        .copied()
        .collect();
    let counts = Counts {
        beads: count,
        chains: topology.chain_starts.len(),
        bonds: topology.bonds.len(),
        extra_bonds: topology.extra_bonds,
        native_contacts: topology.contacts.len(),
        native_contacts_with_energy: native_contacts.len(),
        nonnative_pairs: count * (count - 1) / 2 - excluded.len(),
    };
    let (stiffness, limit) = (parameters.bond_stiffness, parameters.bond_limit);
    let bond = |&(i, j, length): &(usize, usize, f64)| Pair {
        i,
        j,
        potential: FeneBond { stiffness, limit, length },
    };
    let bonds: Vec<_> = topology.bonds.iter().map(bond).collect();
    let repulsion = SixthPowerRepulsion {
        strength: parameters.repulsion_strength,
        diameter: parameters.repulsion_diameter,
    };
    let mut particles = Particles::of_one_type(labels, positions);
    for (molecule, &start) in topology.chain_starts.iter().enumerate() {
        particles.molecules[start..].fill(molecule as u32);
    }
    Ok(System {
        particles,
        types: vec![ParticleType::new("residue", RESIDUE_MASS)],
        interactions: Interactions {
            bonded: vec![bonds.into(), native_contacts.into()],
            pairs: vec![PairTable::of_one_type(repulsion, parameters.repulsion_cutoff).into()],
            excluded,
            ..Interactions::default()
        },
        counts,
        model: Model::Sop,
        ..System::default()
    })
}

/// Two different beads of `count`, the smaller number first; `what` joins them.
pub(super) fn ordered(
    a: usize,
    b: usize,
    count: usize,
    what: &str,
) -> Result<(usize, usize), Error> {
    if a == b {
        return Err(Error::Topology(format!("a {what} joins bead {a} with itself")));
    }
    if a.max(b) >= count {
        return Err(Error::Topology(format!(
            "a {what} names bead {}, but beads go from 0 to {}",
            a.max(b),
            count - 1
        )));
    }
    Ok((a.min(b), a.max(b)))
}

/// Refuses pairs that are named twice; `pairs` must be sorted.
fn refuse_repeated(what: &str, pairs: &[(usize, usize)]) -> Result<(), Error> {
    match pairs.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(twice(what, two[0])),
        None => Ok(()),
    }
}

pub(super) fn twice(what: &str, (i, j): (usize, usize)) -> Error {
    Error::Topology(format!("the {what} between beads {i} and {j} is listed twice: list it once"))
}

/// The union of two sorted lists of unique pairs.
fn union(one: &[(usize, usize)], other: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut all = [one, other].concat();
    // The stable sort merges two sorted runs in linear time.
    all.sort();
    all.dedup();
    all
}

/// All pairs of `count` beads except the given ones, sorted.
fn all_but(mut pairs: Vec<(usize, usize)>, count: usize) -> Vec<(usize, usize)> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut given = pairs.into_iter().peekable();
    (0..count)
        .flat_map(|i| (i + 1..count).map(move |j| (i, j)))
        .filter(|pair| given.next_if_eq(pair).is_none())
        .collect()
}
