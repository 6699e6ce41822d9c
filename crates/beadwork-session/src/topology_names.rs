//! Names of beads and residues in files for viewers, where names of types may be longer than those files hold.

use std::collections::{BTreeMap, HashMap, HashSet};

use beadwork_io::{psf, table};
use beadwork_model::System;

/// The names that topologies have in place of those that they cannot hold.
#[derive(Debug, Default)]
pub(crate) struct ShortNames(HashMap<&'static str, String>);

impl ShortNames {
    /// Short names for the beads and residues of a system: the first characters of the name, with a number where another name has
    /// them too.
    pub fn of(system: &System) -> ShortNames {
        let labels = &system.particles.labels;
        let mut seen: HashSet<&'static str> = HashSet::new();
        let names = labels.iter().flat_map(|label| [label.name, label.residue_name]);
        let names: Vec<&'static str> =
            names.map(|name| name.as_str()).filter(|name| seen.insert(name)).collect();
        let fits = |name: &&&'static str| psf::holds_name(name);
        let mut taken: HashSet<String> =
            names.iter().filter(fits).map(ToString::to_string).collect();
        let mut short = HashMap::new();
        for name in names.iter().filter(|name| !fits(name)) {
            let printable: String = name
                .chars()
                .map(
                    |letter| {
                        if letter.is_whitespace() || letter.is_control() { '_' } else { letter }
                    },
                )
                .collect();
            let printable = if printable.is_empty() { "X".to_owned() } else { printable };
            let begin = |length: usize| -> String { printable.chars().take(length).collect() };
            let mut candidate = begin(psf::LARGEST_NAME);
            let mut number = 2;
            while !taken.insert(candidate.clone()) {
                let digits = number.to_string();
                candidate = begin(psf::LARGEST_NAME.saturating_sub(digits.len())) + &digits;
                number += 1;
            }
            short.insert(*name, candidate);
        }
        ShortNames(short)
    }

    /// What topologies have for a name.
    pub fn name(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_else(|| name.to_string())
    }

    /// The table of names that were shortened; `None` if all fit.
    pub fn table(&self) -> Option<String> {
        let sorted: BTreeMap<&String, &&str> =
            self.0.iter().map(|(name, short)| (short, name)).collect();
        let row = |(short, name): (&String, &&str)| {
            format!("{},{}\n", table::quoted(short), table::quoted(name))
        };
        let rows: String = sorted.into_iter().map(row).collect();
        (!rows.is_empty()).then(|| format!("topology_name,name\n{rows}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beadwork_structure::Label;

    #[test]
    fn long_names_are_shortened_and_stay_different() {
        let mut system = System::default();
        for name in ["Monomer", "MonomerA", "MonomerB", "MonomerC", "big bead", "A", ""] {
            let label = Label { name: name.into(), residue_name: name.into(), ..Label::default() };
            system.particles.labels.push(label);
        }
        let short = ShortNames::of(&system);
        let of = |name: &str| short.name(name);
        assert_eq!(
            ["Monomer", "A", "MonomerA", "MonomerB"].map(of),
            ["Monomer", "A", "Monome2", "Monome3"]
        );
        assert_eq!(["MonomerC", "big bead", ""].map(of), ["Monome4", "big_bea", "X"]);
        let table = short.table().unwrap();
        assert!(
            table.starts_with("topology_name,name\nMonome2,MonomerA\nMonome3,MonomerB\n"),
            "{table}"
        );
        system.particles.labels.truncate(1);
        assert_eq!(ShortNames::of(&system).table(), None);
    }
}
