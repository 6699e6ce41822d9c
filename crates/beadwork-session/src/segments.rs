//! Names of chains in files for viewers.

use std::collections::{HashMap, HashSet};

use beadwork_io::psf;
use beadwork_model::System;

/// The segment of each bead. Chains that share id and segment get different names, because viewers would take them for one
/// chain; a name is empty if the chain's id suffices. A name that is too long becomes S and the number of its chain, from 1, with
/// digits and letters, so that billions of chains have names.
pub(crate) fn segment_names(system: &System) -> Vec<String> {
    let mut names: Vec<String> = vec![String::new(); system.beads()];
    let mut taken: HashSet<String> = HashSet::new();
    let mut next_number: HashMap<&str, usize> = HashMap::new();
    let chains = system.particles.beads_of_molecules();
    for (chain, beads) in chains.iter().enumerate().map(|(number, beads)| (number + 1, beads)) {
        let label = &system.particles.labels[beads[0] as usize];
        let own = if label.segment.is_empty() { label.chain } else { label.segment }.as_str();
        let fits = |name: &str| name.is_empty() || psf::holds_name(name);
        if fits(own) && taken.insert(own.to_string()) {
            beads.iter().for_each(|&bead| names[bead as usize] = label.segment.to_string());
            continue;
        }
        let number = next_number.entry(own).or_insert(2);
        let of_chain = |number: usize| format!("S{}", in_36_digits(number));
        let mut name = if fits(own) { own.to_string() } else { of_chain(chain) };
        // There are no more chains than beads, so no other chain has these numbers.
        let mut beyond = chain;
        while !taken.insert(name.clone()) {
            name = format!("{own}{number}");
            *number += 1;
            if !fits(&name) {
                name = of_chain(beyond);
                beyond += system.beads();
            }
        }
        beads.iter().for_each(|&bead| names[bead as usize].clone_from(&name));
    }
    names
}

/// A number with the digits 0 to 9 and A to Z.
fn in_36_digits(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('0').to_ascii_uppercase());
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beadwork_structure::Label;

    /// A system of chains with these ids, segments and numbers of beads.
    fn system(chains: &[(&str, &str, usize)]) -> System {
        let mut system = System::default();
        for &(id, segment, count) in chains {
            let particles = &mut system.particles;
            let molecule = particles.molecules.last().map_or(0, |last| last + 1);
            particles.molecules.extend(std::iter::repeat_n(molecule, count));
            let bead = Label {
                name: "CA".into(),
                residue_name: "GLY".into(),
                residue_number: 1,
                insertion: None,
                chain: id.into(),
                segment: segment.into(),
            };
            particles.labels.extend(std::iter::repeat_n(bead, count));
        }
        system
    }

    #[test]
    fn chains_of_one_name_get_segments_of_their_own() {
        let system = system(&[("A", "", 1), ("A", "", 2), ("B", "X", 1), ("B", "X", 1)]);
        assert_eq!(segment_names(&system), ["", "A2", "A2", "X", "X2"]);
    }

    #[test]
    fn copied_chains_get_unique_names_of_allowed_length() {
        let system = system(&[
            ("A", "", 1),
            ("A-2", "", 1),
            ("LONG", "", 1),
            ("LONG-100", "", 2),
            ("LONGLONG", "", 1),
            ("S5", "", 1),
            ("S6", "", 1),
            ("LONG-100", "", 1),
        ]);
        let expected = ["", "", "", "S4", "S4", "S5", "S52", "", "S8"];
        assert_eq!(segment_names(&system), expected);
    }

    /// Chains named by their numbers, some of which have more digits than a name may have characters.
    #[test]
    fn names_of_millions_of_chains_have_allowed_lengths() {
        let numbers: Vec<String> = (0..40).map(|k| (99_999_980 + k).to_string()).collect();
        let mut chains = vec![("same-name", "", 1); 3];
        chains.extend(numbers.iter().map(|name| (name.as_str(), "", 1)));
        let names = segment_names(&system(&chains));
        assert_eq!([&names[0], &names[35], &names[42]], ["S1", "S10", "S17"]);
        let different: HashSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.iter().all(|name| name.len() <= psf::LARGEST_NAME));
        assert_eq!(in_36_digits(2_000_000_000), "X2QXVK");
    }
}
