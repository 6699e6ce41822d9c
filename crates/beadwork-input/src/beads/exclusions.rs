//! `exclude` in `[system]`: pairs on which no pair term acts.

use std::collections::BTreeSet;

use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::{Interactions, JoinedBeads};

use super::between::listed;
use crate::document::Value;
use crate::error::{BAD_VALUE, Error, MISSING_KEY, WRONG_TYPE};
use crate::section::Section;

/// The most bonds between two beads whose pair interactions are left out.
const MOST_BONDS_BETWEEN: u64 = 10;
const KEYS: [&str; 2] = ["bonds", "list"];

/// Reads `exclude`: pairs on which no pair term acts, ascending.
pub(super) fn read_exclusions(
    section: &mut Section<'_>,
    interactions: &Interactions,
    beads: usize,
) -> Result<Vec<(usize, usize)>, Error> {
    let bonds: Vec<(usize, usize)> =
        interactions.bonded.iter().flat_map(BondedTerm::pairs).collect();
    let Some(node) = section.node("exclude") else {
        if bonds.is_empty() || !interactions.act_on_pairs() {
            section.keep("exclude", Value::Integer(0));
            return Ok(Vec::new());
        }
        let problem = "[system]: there are bonds and pairs, and it is not said whether pairs act between bonded beads: write exclude = 0 if they do, as in DPD and in Kremer-Grest chains, exclude = 1 to leave out bonded beads, 2 to leave out those with two bonds between them too, and so on";
        return Err(section.place.error(MISSING_KEY, problem));
    };
    let mut named = Vec::new();
    let reach = if node.table().is_some() {
        let mut inner = Section::open(node, "`exclude` in [system]", &KEYS)?;
        let reach = inner.integer_or("bonds", 0, 0)?.value;
        if let Some(list) = inner.node("list") {
            let Some(nodes) = list.list() else {
                let problem =
                    format!("must be a list of pairs [[0, 5], …], found {}", list.found());
                return Err(inner.fault(WRONG_TYPE, "list", &problem));
            };
            named = listed::<2>(&inner, "list", nodes, beads)?;
            inner.keep("list", list.value.clone());
        }
        section.keep("exclude", Value::Table(inner.resolved));
        reach
    } else {
        section.integer_or("exclude", 0, 0)?.value
    };
    if reach > MOST_BONDS_BETWEEN {
        let problem = format!("must be at most {MOST_BONDS_BETWEEN} bonds, but is {reach}");
        return Err(section.fault(BAD_VALUE, "exclude", &problem));
    }
    let mut excluded = within_bonds(&bonds, beads, reach as usize);
    excluded.extend(named.into_iter().map(|[i, j]: [usize; 2]| (i.min(j), i.max(j))));
    Ok(excluded.into_iter().collect())
}

/// The pairs with at most so many bonds between them.
fn within_bonds(bonds: &[(usize, usize)], beads: usize, reach: usize) -> BTreeSet<(usize, usize)> {
    if reach == 0 || bonds.is_empty() {
        return BTreeSet::new();
    }
    let mut joined = JoinedBeads::new(beads, bonds);
    let mut pairs = BTreeSet::new();
    for i in 0..beads {
        let near = joined.within(reach, &[i]);
        pairs.extend(near.into_iter().filter(|&(j, _)| i < j).map(|(j, _)| (i, j)));
    }
    pairs
}
