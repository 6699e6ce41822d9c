//! The number of native contacts that hold.

use crate::particles::Boundary;
use crate::potentials::NativeContact;
use crate::potentials::listed::Pair;

/// The number of native contacts that hold.
pub fn native_contacts_held(
    contacts: &[Pair<NativeContact>],
    positions: &[[f64; 3]],
    boundary: Boundary,
) -> usize {
    contacts.iter().filter(|contact| native_contact_holds(contact, positions, boundary)).count()
}

/// Native contacts between different chains that hold; `chains` has the number of each bead's chain.
pub fn native_contacts_between_chains(
    contacts: &[Pair<NativeContact>],
    chains: &[u32],
    positions: &[[f64; 3]],
    boundary: Boundary,
) -> usize {
    let between = contacts.iter().filter(|contact| chains[contact.i] != chains[contact.j]);
    between.filter(|contact| native_contact_holds(contact, positions, boundary)).count()
}

/// Whether a native contact holds: it is shorter than 8 Å or within 2 Å of its native length (SOP-GPU's rule).
pub fn native_contact_holds(
    contact: &Pair<NativeContact>,
    positions: &[[f64; 3]],
    boundary: Boundary,
) -> bool {
    let r = boundary.squared_distance(positions[contact.i], positions[contact.j]).sqrt();
    r < 8.0 || (r - contact.potential.length).abs() <= 2.0
}
