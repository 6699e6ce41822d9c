//! The bonds along the chains of a structure.

use beadwork_structure::chain_words;

use super::beads::Beads;

/// Neighbours in a chain farther apart than this, Å, are not bonded: C-alphas of bonded residues are 3.8 Å apart (2.9 Å
/// across a cis peptide bond), C-alphas with one missing residue between them 5 to 7.3 Å.
const BREAK_DISTANCE: f64 = 5.0;
/// The same limit if the residue numbers jump as well: no intact bond is this long.
const BREAK_DISTANCE_AT_NUMBER_GAP: f64 = 4.3;
/// Bonds between successive residues of a chain, none across a break.
pub(super) fn backbone_bonds(beads: &Beads, warnings: &mut Vec<String>) -> Vec<(usize, usize)> {
    let mut bonds = Vec::new();
    let mut breaks = Vec::new();
    let mut missing = 0;
    for i in 0..beads.labels.len().saturating_sub(1) {
        let j = i + 1;
        if beads.chains[i] != beads.chains[j] {
            continue;
        }
        let distance = beads.distance(i, j);
        let [a, b] = [&beads.labels[i], &beads.labels[j]];
        let gap = i64::from(b.residue_number) - i64::from(a.residue_number) - 1;
        let limit = if gap > 0 { BREAK_DISTANCE_AT_NUMBER_GAP } else { BREAK_DISTANCE };
        if distance <= limit {
            bonds.push((i, j));
            continue;
        }
        if gap > 0 {
            missing += gap;
        }
        breaks.push(format!(
            "between residues {} and {} of {} ({distance:.1} A apart{})",
            a.residue_number,
            b.residue_number,
            chain_words(&a.chain),
            if gap > 0 { format!(", {gap} missing") } else { String::new() }
        ));
    }
    if !breaks.is_empty() {
        let shown = breaks.iter().take(6).cloned().collect::<Vec<_>>().join("; ");
        let more = if breaks.len() > 6 { "; …" } else { "" };
        warnings.push(format!(
            "{} break(s), {missing} residue(s) missing, no bond across: {shown}{more}. Model the missing residues if the chain should carry force there",
            breaks.len()
        ));
    }
    bonds
}
