//! Chains whose residues stand among those of other chains.

use std::collections::{BTreeMap, HashMap};

use crate::polymer::Candidate;
use crate::structure::chain_words;

/// Warns of a chain that comes back behind another one more than once, without a terminator between, and goes on with its numbers.
/// Each part becomes a chain of its own. Copies of a chain with one identifier begin their numbers anew.
pub(crate) fn warn(candidates: &[Candidate<'_, '_>], warnings: &mut Vec<String>) {
    let mut last: HashMap<&str, (usize, i32)> = HashMap::new();
    let mut returns: BTreeMap<&str, usize> = BTreeMap::new();
    let mut before = None;
    for candidate in candidates {
        let record = candidate.alpha_carbon;
        let known = last.insert(record.chain, (record.section, record.number));
        let goes_on =
            known.is_some_and(|(of, number)| of == record.section && record.number > number);
        if goes_on && before != Some(record.chain) {
            *returns.entry(record.chain).or_default() += 1;
        }
        before = Some(record.chain);
    }
    let most = returns.into_iter().max_by_key(|(_, times)| *times);
    if let Some((chain, times)) = most.filter(|(_, times)| *times > 1) {
        warnings.push(format!(
            "{} comes back {times} times behind residues of another chain, and each part is a chain of its own, without bonds to the others: write the residues of a chain one after another",
            chain_words(chain)
        ));
    }
}
