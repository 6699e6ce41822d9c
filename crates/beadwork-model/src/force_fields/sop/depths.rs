//! The depth of each native contact.

use std::collections::{BTreeMap, HashMap};

use beadwork_structure::{Structure, chain_words};

use super::beads::Beads;
use super::parameters::{ContactDepth, Parameters};
use crate::Error;

/// A depth and whether a contact took it.
#[derive(Clone, Copy)]
struct Setting {
    /// kcal/mol.
    depth: f64,
    used: bool,
}

/// The depths of the contacts of some beads.
pub(super) struct Depths<'a> {
    beads: &'a Beads,
    depth: ContactDepth,
    between_any: Option<Setting>,
    /// By the numbers of two identifiers, the smaller first.
    between_pairs: BTreeMap<[usize; 2], Setting>,
    /// The number of the identifier of each chain of the structure.
    identifiers: Vec<usize>,
    names: Vec<&'a str>,
}

impl<'a> Depths<'a> {
    /// # Errors
    /// If the parameters name a pair of chains that the beads do not have.
    pub fn new(
        structure: &'a Structure,
        beads: &'a Beads,
        parameters: &Parameters,
    ) -> Result<Depths<'a>, Error> {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut names = Vec::new();
        let number = |chain: &'a beadwork_structure::Chain| {
            *numbers.entry(&chain.id_in_file).or_insert_with(|| {
                names.push(chain.id_in_file.as_str());
                names.len() - 1
            })
        };
        let identifiers = structure.chains.iter().map(number).collect();
        let setting = |depth: f64| Setting { depth, used: false };
        let given = &parameters.between_chains;
        let mut between_pairs = BTreeMap::new();
        for ([one, other], &depth) in &given.pairs {
            if !beads.has_chains(structure, [one, other]) {
                return Err(Error::Topology(no_such_pair([one, other])));
            }
            let pair = [numbers[one.as_str()], numbers[other.as_str()]];
            between_pairs.insert(ascending(pair), setting(depth));
        }
        let between_any = given.any.map(setting);
        let depth = parameters.depth;
        Ok(Depths { beads, depth, between_any, between_pairs, identifiers, names })
    }

    /// The depth of the contact of two beads, kcal/mol.
    pub fn of(&mut self, i: usize, j: usize) -> Result<f64, Error> {
        let chains = [self.beads.chains[i], self.beads.chains[j]];
        if chains[0] != chains[1] {
            let of_pair = match self.between_pairs.is_empty() {
                true => None,
                false => {
                    let pair = ascending(chains.map(|chain| self.identifiers[chain]));
                    self.between_pairs.get_mut(&pair)
                }
            };
            if let Some(setting) = of_pair.or(self.between_any.as_mut()) {
                setting.used = true;
                return Ok(setting.depth);
            }
        }
        self.beads.contact_depth(self.depth, i, j)
    }

    /// A sentence for each setting that no contact took.
    pub fn unused(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.between_any.is_some_and(|setting| !setting.used) {
            sentences.push(
                "contacts between chains have an energy of their own, and no contact takes it"
                    .to_string(),
            );
        }
        for (pair, _) in self.between_pairs.iter().filter(|(_, setting)| !setting.used) {
            let [one, other] = pair.map(|number| self.names[number]);
            sentences.push(format!(
                "contacts between {} and {} have an energy of their own, and no contact takes it",
                chain_words(one),
                chain_words(other)
            ));
        }
        sentences
    }
}

fn ascending([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// What is wrong with a pair of identifiers that no two chains have.
pub fn no_such_pair([one, other]: [&str; 2]) -> String {
    match one == other {
        true => format!(
            "an energy is given for contacts between two of {}, but no two chains share this identifier: contacts within a chain have that of all others",
            chain_words(one)
        ),
        false => format!(
            "an energy is given for contacts between {} and {}, but the beads do not have both",
            chain_words(one),
            chain_words(other)
        ),
    }
}
