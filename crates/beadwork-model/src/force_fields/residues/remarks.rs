//! What a person should know of the residues of a structure that a model has only in part.

use std::collections::BTreeMap;

use beadwork_structure::{Residue, Structure, chain_words};

use super::structure::name_of;
use super::{ChargedEnds, ResidueModel, Solution};

/// Remarks, one sentence each, about chains of a structure, given by their indices: residues whose name says how they are
/// protonated, selenomethionine, lysine in the names of GROMOS, disulfide bonds, capped ends.
pub fn remarks(
    structure: &Structure,
    chains: &[usize],
    model: ResidueModel,
    solution: &Solution,
    ends: ChargedEnds,
) -> Vec<String> {
    let chosen = || chains.iter().filter_map(|chain| structure.chains.get(*chain));
    let residues: Vec<&Residue> =
        chosen().flat_map(|chain| &structure.residues[chain.residues.clone()]).collect();
    let mut remarks = Vec::new();
    remarks.extend(protonation(structure, &residues, model, solution));
    let selenium = residues.iter().filter(|residue| residue.name == "MSE").count();
    if selenium > 0 {
        remarks.push(format!("selenomethionine (MSE, {selenium}) counts as methionine"));
    }
    let first = |name: &str| residues.iter().find(|residue| residue.name == name);
    if let (Some(_), Some(lysine)) = (first("LYSH"), first("LYS")) {
        remarks.push(format!(
            "LYS stands beside LYSH, first at {}; in names of GROMOS such a LYS has no charge, and here it has +1: \
             name it LYN if it has none",
            name_of(structure, lysine)
        ));
    }
    remarks.extend(disulfides(structure, chains));
    if model.depends_on_solution() {
        for chain in chosen() {
            let ends = [(ends.first, "first"), (ends.last, "last")];
            for ((charged, word), capped) in ends.into_iter().zip(chain.caps) {
                if charged && capped {
                    remarks.push(format!(
                        "a cap stands at the {word} residue of {}, so that end has no charge in the file, and \
                         here it has one: choose by `charged_ends` in [system]",
                        chain_words(&chain.id)
                    ));
                }
            }
        }
    }
    remarks
}

/// Bonds of the structure that no model of residues has.
fn disulfides(structure: &Structure, chains: &[usize]) -> Option<String> {
    let is_chosen = |residue: usize| chains.contains(&structure.residues[residue].chain);
    let bonds = || structure.disulfides.iter().filter(|(a, b)| is_chosen(*a) && is_chosen(*b));
    let [one, other] = bonds().next().map(|(a, b)| [a, b].map(|of| &structure.residues[*of]))?;
    Some(format!(
        "the structure has {} disulfide bond(s), the first between {} and {}, and the model has none: outside folded \
         domains nothing holds these cysteines together",
        bonds().count(),
        name_of(structure, one),
        name_of(structure, other)
    ))
}

/// What the names of forms mean in the model.
fn protonation(
    structure: &Structure,
    residues: &[&Residue],
    model: ResidueModel,
    solution: &Solution,
) -> Option<String> {
    let known = model.amino_acids(solution);
    let usual = |residue: &Residue| {
        let letter = residue.letter()?;
        known.iter().find(|amino_acid| amino_acid.letter == letter)
    };
    // How many have a name, and the first of them.
    let mut named: BTreeMap<&str, (usize, &Residue)> = BTreeMap::new();
    for residue in residues.iter().filter(|residue| residue.protonation().is_some()) {
        named.entry(&residue.name).or_insert((0, residue)).0 += 1;
    }
    let word = |(name, (count, first)): (&&str, &(usize, &Residue))| {
        let place = name_of(structure, first);
        let charge = match model.depends_on_solution() {
            true => signed(first.protonation()?.charge.into()),
            false => {
                let usual = usual(first)?;
                format!("as {} {}", usual.name, signed(usual.charge))
            }
        };
        Some(format!("{name} {charge} ({count}, first {place})"))
    };
    let words: Vec<String> = named.iter().filter_map(word).collect();
    if words.is_empty() {
        return None;
    }
    let words = words.join("; ");
    Some(match model.depends_on_solution() {
        true => format!(
            "names of residues decide on the charges of their side chains: {words}; write the usual name, such \
             as HIS, where the model and its pH shall decide"
        ),
        false => format!(
            "{} has one charge for each amino acid, whatever the name of a residue says: {words}",
            model.name()
        ),
    })
}

fn signed(charge: f64) -> String {
    if charge == 0.0 { "0".to_string() } else { format!("{charge:+}") }
}
