//! Disulfide bonds: those listed in the file, and pairs of sulfurs that are close enough.

use std::collections::{BTreeSet, HashMap};

use crate::polymer::{Link, Partner, distance};
use crate::residue_names::letter;
use crate::structure::{Residue, Structure, chain_words};

/// Sulfurs of cysteines closer than this, in ångström, are bonded: the bond is 2.05 Å long, and
/// sulfurs that are not bonded touch at 3.6 Å.
const BOND_DISTANCE: f64 = 2.5;

/// Alpha carbons of bonded cysteines are 3.8 to 7.5 Å apart.
const FARTHEST_CARBONS: f64 = 8.0;

/// Fills [`Structure::disulfides`], and warns of listed bonds that cannot be made.
pub(crate) fn find(structure: &mut Structure, links: &[Link]) {
    let mut by_name: HashMap<Partner, Vec<usize>> = HashMap::new();
    for (index, residue) in structure.residues.iter().enumerate() {
        let chain = structure.chains[residue.chain].id.clone();
        let name = Partner { chain, number: residue.number, insertion: residue.insertion };
        by_name.entry(name).or_default().push(index);
    }
    let mut bonds = BTreeSet::new();
    let mut warnings = Vec::new();
    for Link { first, second, place } in links {
        let found = |partner| by_name.get(partner).map_or(&[][..], Vec::as_slice);
        let (firsts, seconds) = (found(first), found(second));
        if let Some((first, second)) = closest_pair(structure, firsts, seconds) {
            bonds.insert((first.min(second), first.max(second)));
            let doubt = doubt(structure, first, second);
            warnings.extend(doubt.map(|doubt| {
                format!("{place}: {doubt}, and they are bonded; remove the record if they are not")
            }));
            continue;
        }
        let Partner { chain, number, insertion } = if firsts.is_empty() { first } else { second };
        let insertion = insertion.map(String::from).unwrap_or_default();
        let missing = format!("{}, residue {number}{insertion}", chain_words(chain));
        let what = if firsts.is_empty() || seconds.is_empty() {
            format!("{missing} is not among the residues read")
        } else {
            format!("it bonds {missing} to itself")
        };
        warnings.push(format!("{place}: {what}; the bond is left out"));
    }
    bonds.extend(close_sulfurs(structure));
    structure.disulfides = bonds.into_iter().collect();
    structure.warnings.extend(warnings);
}

/// Why two listed residues have hardly a disulfide bond, if there is a reason.
fn doubt(structure: &Structure, first: usize, second: usize) -> Option<String> {
    let label = |residue: usize| {
        let Residue { name, number, insertion, chain, .. } = &structure.residues[residue];
        let insertion = insertion.map(String::from).unwrap_or_default();
        format!("{}, residue {number}{insertion} {name}", chain_words(&structure.chains[*chain].id))
    };
    // Cysteines have many names when they are modified, and files may have alpha carbons alone.
    let is_another = |residue: usize| {
        letter(&structure.residues[residue].name).is_some_and(|letter| letter != 'C')
            && structure.atom_named(residue, "SG").is_none()
    };
    if let Some(other) = [first, second].into_iter().find(|&residue| is_another(residue)) {
        return Some(format!("{} is no cysteine", label(other)));
    }
    let carbons = structure.alpha_carbon(first).zip(structure.alpha_carbon(second));
    let apart = carbons.map(|(one, other)| distance(one.position, other.position));
    let apart = apart.filter(|apart| *apart > FARTHEST_CARBONS)?;
    let (one, other) = (label(first), label(second));
    Some(format!("the alpha carbons of {one} and {other} are {apart:.1} A apart"))
}

/// The pair with these names whose sulfurs are closest: chains may share an identifier, so several pairs may fit.
fn closest_pair(
    structure: &Structure,
    firsts: &[usize],
    seconds: &[usize],
) -> Option<(usize, usize)> {
    let position =
        |residue: usize, name: &str| structure.atom_named(residue, name).map(|atom| atom.position);
    let separation = |first: usize, second: usize| {
        let sulfurs = position(first, "SG").zip(position(second, "SG"));
        let pair = sulfurs.or_else(|| position(first, "CA").zip(position(second, "CA")));
        pair.map_or(f64::INFINITY, |(one, other)| distance(one, other))
    };
    let pairs = firsts.iter().flat_map(|&first| seconds.iter().map(move |&second| (first, second)));
    pairs
        .filter(|(first, second)| first != second)
        .map(|pair| (pair, separation(pair.0, pair.1)))
        .min_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(pair, _)| pair)
}

pub(crate) fn close_sulfurs(structure: &Structure) -> Vec<(usize, usize)> {
    let mut sulfurs: Vec<(usize, [f64; 3])> = (0..structure.residues.len())
        .filter_map(|residue| {
            let atom = structure.atom_named(residue, "SG")?;
            (atom.element == "S").then_some((residue, atom.position))
        })
        .collect();
    // After sorting by x, the partners of a sulfur are within one bond distance of x after it.
    sulfurs.sort_by(|one, other| one.1[0].total_cmp(&other.1[0]));
    let mut bonds = Vec::new();
    for (index, &(first, here)) in sulfurs.iter().enumerate() {
        let following = sulfurs.iter().skip(index + 1);
        for &(second, there) in
            following.take_while(|(_, there)| there[0] - here[0] < BOND_DISTANCE)
        {
            if distance(here, there) < BOND_DISTANCE {
                bonds.push((first.min(second), first.max(second)));
            }
        }
    }
    bonds
}
