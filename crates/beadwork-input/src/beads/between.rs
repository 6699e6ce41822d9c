//! `between` in `bonds` and `angles`: the beads on which a term acts.

use std::collections::BTreeSet;

use beadwork_model::Boundary;
use beadwork_structure::Configuration;

use super::molecules;
use super::types::Types;
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error, MISSING_KEY, START, WRONG_TYPE};
use crate::section::Section;

/// Beads that follow each other in a molecule.
pub(super) const CHAIN: &str = "chain";
/// The bonds or angles of the start file.
const FILE: &str = "file";
/// Beads of a molecule that are near each other at the start.
const NEAR: &str = "near";

/// What the readers of bonds and angles need to know of the beads.
pub(super) struct StartBeads<'a> {
    pub types: &'a Types,
    pub file: &'a Configuration,
    /// Of molecules that were built: bead k is bonded to bead k − `backs[k]`, and begins a molecule with 0.
    pub backs: &'a [u32],
    /// The molecule of each bead.
    pub molecules: &'a [u32],
    pub boundary: Boundary,
}

impl StartBeads<'_> {
    pub(super) fn distance(&self, [i, j]: [usize; 2]) -> f64 {
        let positions = &self.file.positions;
        self.boundary.squared_distance(positions[i], positions[j]).sqrt()
    }

    /// Groups of so many beads that follow each other in a molecule, along its branches too if it was built.
    pub(super) fn in_chains<const N: usize>(&self) -> Vec<[usize; N]> {
        if !self.backs.is_empty() {
            return (0..self.backs.len()).filter_map(|last| self.path_to(last)).collect();
        }
        molecules::runs(self.molecules)
    }

    /// Refuses to join the beads of molecules one after another where the file says that they are bonded in another way.
    pub(super) fn refuse_chains_of_others(&self, section: &Section<'_>) -> Result<(), Error> {
        let Some(elsewhere) = &self.file.bonds_elsewhere else { return Ok(()) };
        let problem = format!(
            "joins the beads of each molecule of {} one after another, and there they are bonded in another way, which this file cannot hold: {elsewhere}. Start from that file, or list the beads",
            self.file.source
        );
        Err(section.fault(START, "between", &problem))
    }

    /// The beads on the way to one of a built molecule, from its beginning.
    fn path_to<const N: usize>(&self, last: usize) -> Option<[usize; N]> {
        let mut path = [last; N];
        for place in (1..N).rev() {
            let back = self.backs[path[place]] as usize;
            path[place - 1] = path[place] - back;
            if back == 0 {
                return None;
            }
        }
        Some(path)
    }

    pub(super) fn named_types(&self, [i, j]: [usize; 2]) -> [usize; 2] {
        [i, j].map(|bead| self.types.named[usize::from(self.types.of_beads[bead])])
    }
}

/// Which beads a term of bonds or angles acts on.
pub(super) enum Between {
    Chain,
    /// Those of the start file, or those with this number there.
    File(Option<u64>),
    Near,
    Listed(Vec<Node>),
}

pub(super) fn between(
    section: &mut Section<'_>,
    in_file: bool,
    of_pairs: bool,
) -> Result<Between, Error> {
    let usual = if in_file { FILE } else { CHAIN };
    let word = section.node("between").map_or(Some(usual), Node::text);
    if word != Some(FILE) {
        section.exclude(&["number"], "it chooses among the bonds or angles of \"file\"")?;
    }
    if word != Some(NEAR) {
        section.exclude(&["within"], "it belongs to between = \"near\"")?;
    }
    let Some(node) = section.node("between") else {
        section.keep("between", Value::Text(usual.to_string()));
        return of_word(section, usual, in_file);
    };
    let near = of_pairs && node.text() == Some(NEAR);
    section.keep("between", node.value.clone());
    match (node.text(), node.list()) {
        _ if near => Ok(Between::Near),
        (Some(word @ (CHAIN | FILE)), _) => of_word(section, word, in_file),
        (None, Some(list)) => Ok(Between::Listed(list.to_vec())),
        _ => {
            let (near, example) = match of_pairs {
                true => (format!(", \"{NEAR}\""), "[[0, 1], [1, 2]]"),
                false => (String::new(), "[[0, 1, 2], [1, 2, 3]]"),
            };
            let problem = format!(
                "must be \"{CHAIN}\" for beads that follow each other in a molecule, \"{FILE}\" for those of the start file{near}, or a list of beads such as {example}, found {}",
                node.found()
            );
            Err(section.fault(WRONG_TYPE, "between", &problem))
        }
    }
}

fn of_word(section: &mut Section<'_>, word: &str, in_file: bool) -> Result<Between, Error> {
    if word == CHAIN {
        return Ok(Between::Chain);
    }
    if !in_file {
        let problem =
            "is \"file\", and the start has no such list: write \"chain\", or list the beads";
        return Err(section.fault(MISSING_KEY, "between", problem));
    }
    Ok(Between::File(section.integer("number", 1, "1")?.map(|read| read.value)))
}

/// The beads of the file's bonds or angles with this number; of all without one.
pub(super) fn of_number<const N: usize>(
    section: &Section<'_>,
    of_file: &[([usize; N], u32)],
    number: Option<u64>,
) -> Result<Vec<[usize; N]>, Error> {
    let chosen = |kind: u32| number.is_none_or(|number| u64::from(kind) == number);
    let found: Vec<_> =
        of_file.iter().filter(|(_, kind)| chosen(*kind)).map(|(beads, _)| *beads).collect();
    if found.is_empty() {
        let kinds: BTreeSet<u32> = of_file.iter().map(|(_, kind)| *kind).collect();
        let kinds: Vec<String> = kinds.iter().map(u32::to_string).collect();
        let problem = format!("is no type of the start file, which has {}", kinds.join(", "));
        return Err(section.fault(BAD_VALUE, "number", &problem));
    }
    Ok(found)
}

/// Beads that a key lists, which must be among the `most` of the system and differ.
pub(super) fn listed<const N: usize>(
    section: &Section<'_>,
    key: &str,
    lists: &[Node],
    most: usize,
) -> Result<Vec<[usize; N]>, Error> {
    let mut all = Vec::with_capacity(lists.len());
    for node in lists {
        let numbers: Option<Vec<usize>> = node.list().and_then(|list| {
            let number = |node: &Node| match node.value {
                Value::Integer(number) => usize::try_from(number).ok(),
                _ => None,
            };
            list.iter().map(number).collect()
        });
        let fault = |code, problem: String| {
            Err(node.place.error(code, format!("{}: `{key}` {problem}", section.name)))
        };
        let Some(numbers) = numbers.and_then(|list| <[usize; N]>::try_from(list).ok()) else {
            return fault(WRONG_TYPE, format!("must have lists of {N} beads, counted from 0"));
        };
        if let Some(bead) = numbers.iter().find(|&&bead| bead >= most) {
            return fault(
                BAD_VALUE,
                format!("names bead {bead}, and the last of the {most} beads is {}", most - 1),
            );
        }
        if let Some(place) = (1..N).find(|&place| numbers[..place].contains(&numbers[place])) {
            return fault(
                BAD_VALUE,
                format!("names bead {} twice: it must have {N} different beads", numbers[place]),
            );
        }
        all.push(numbers);
    }
    Ok(all)
}
