//! Chains whose residues stand among those of other chains.

use std::collections::HashMap;

use crate::polymer::{Candidate, NEIGHBOUR_DISTANCE, distance};
use crate::structure::chain_words;

/// The most chains that the warning names.
const MOST_NAMED: usize = 5;

/// A chain that comes back behind another one.
struct Return<'a> {
    chain: &'a str,
    /// Whether no terminator stands between.
    goes_on: bool,
    /// Whether a residue lies at the distance of a bond from the last one before the other chain.
    is_near: bool,
}

/// Warns of chains that come back behind another one and go on with their numbers, without a terminator between or where the two
/// residues lie at the distance of a bond. Each part becomes a chain of its own. Copies of a chain with
/// one identifier begin their numbers anew.
pub(crate) fn warn(candidates: &[Candidate<'_, '_>], warnings: &mut Vec<String>) {
    let mut last = HashMap::new();
    let mut returns: Vec<Return<'_>> = Vec::new();
    let mut places = HashMap::new();
    let mut before = None;
    for candidate in candidates {
        let record = candidate.alpha_carbon;
        let known = last.insert(record.chain, record);
        let is_behind_another = before != Some(record.chain);
        before = Some(record.chain);
        let Some(known) = known.filter(|_| is_behind_another) else { continue };
        if known.number >= record.number {
            continue;
        }
        let place = *places.entry(record.chain).or_insert_with(|| {
            returns.push(Return { chain: record.chain, goes_on: false, is_near: false });
            returns.len() - 1
        });
        returns[place].goes_on |= known.section == record.section;
        let apart = distance(known.position, record.position);
        returns[place].is_near |= apart <= NEIGHBOUR_DISTANCE;
    }
    returns.retain(|found| found.is_near || found.goes_on);
    if returns.is_empty() {
        return;
    }
    let named: Vec<String> =
        returns.iter().take(MOST_NAMED).map(|found| chain_words(found.chain)).collect();
    let more = match returns.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let verb = if returns.len() == 1 { "comes back" } else { "come back" };
    warnings.push(format!(
        "{}{more} {verb} behind residues of another chain, and each part is a chain of its own, without bonds to the others: write the residues of a chain one after another",
        named.join(", ")
    ));
}
