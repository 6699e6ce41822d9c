//! How much of the native structure is left.

use crate::energies::squared_distance;
use crate::potentials::NativeContact;
use crate::system::Pair;

/// Native contacts that hold: those shorter than 8 Å or within 2 Å of their native length
/// (SOP-GPU's rule).
pub fn native_contacts_held(contacts: &[Pair<NativeContact>], positions: &[[f64; 3]]) -> usize {
    contacts
        .iter()
        .filter(|contact| {
            let r = squared_distance(positions[contact.i], positions[contact.j]).sqrt();
            r < 8.0 || (r - contact.potential.length).abs() <= 2.0
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_the_rule() {
        let contact = |length| Pair { i: 0, j: 1, potential: NativeContact { depth: 1.5, length } };
        let at = |r: f64| [[0.0; 3], [0.0, 0.0, r]];
        assert_eq!(native_contacts_held(&[contact(5.0)], &at(7.9)), 1);
        assert_eq!(native_contacts_held(&[contact(5.0)], &at(8.1)), 0);
        assert_eq!(native_contacts_held(&[contact(10.0)], &at(11.9)), 1);
        assert_eq!(native_contacts_held(&[contact(10.0)], &at(12.1)), 0);
    }
}
