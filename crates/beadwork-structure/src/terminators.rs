//! TER between residues of one chain identifier: whether it ends the chain.

use std::ops::Range;

use crate::polymer::{Candidate, Record, distance, first_few, label};

/// Å between C and N of a peptide bond: 1.33, as coordinates of low resolution have it.
const PEPTIDE_BOND: Range<f64> = 1.03..1.63;
/// Å between the alpha carbons of a peptide bond, cis or trans.
const PEPTIDE_ALPHA_CARBONS: Range<f64> = 2.5..4.3;
/// The same where a file has alpha carbons alone: of a trans bond, since copies of a chain may come as near as others.
const LONE_ALPHA_CARBONS: Range<f64> = 3.5..4.1;
/// Å: alpha carbons at a terminator that are nearer than this could be taken for bonded.
const NEAR_AT_TERMINATOR: f64 = 5.0;

/// Where a file ends a chain between residues that go on in the same chain.
///
/// Programs that number residues by those of a related protein (chymotrypsin) leave gaps in the numbers where nothing is
/// missing, and others write TER at each gap.
#[derive(Default)]
pub(crate) struct Terminators {
    passed: Vec<String>,
    near: Vec<String>,
}

impl Terminators {
    /// Whether a residue goes on the chain of the one before it, which has the same identifier. A terminator between
    /// residues that a peptide bond joins does not end it.
    pub fn passes(&mut self, records: &[Record<'_>], pair: [&Candidate<'_>; 2]) -> bool {
        let [one, other] = pair.map(|candidate| &records[candidate.alpha_carbon]);
        if one.section == other.section {
            return true;
        }
        let alpha_carbons = distance(one.position, other.position);
        // Instances of mmCIF are what they are called, wherever they lie.
        if one.instance != other.instance || alpha_carbons > NEAR_AT_TERMINATOR {
            return false;
        }
        let atom = |candidate: &Candidate<'_>, name: &str| {
            let mut chosen = candidate.chosen.iter().map(|&member| &records[member]);
            chosen.find(|record| record.name == name).map(|record| record.position)
        };
        let bond = atom(pair[0], "C").zip(atom(pair[1], "N")).map(|(c, n)| distance(c, n));
        let passes = match bond {
            Some(length) => {
                PEPTIDE_BOND.contains(&length) && PEPTIDE_ALPHA_CARBONS.contains(&alpha_carbons)
            }
            None => LONE_ALPHA_CARBONS.contains(&alpha_carbons) && other.number >= one.number,
        };
        let words = format!(
            "{} and {} (CA-CA {alpha_carbons:.1} A{})",
            label(one, pair[0].segment),
            label(other, pair[1].segment),
            bond.map_or(String::new(), |length| format!(", C-N {length:.2} A"))
        );
        if passes { &mut self.passed } else { &mut self.near }.push(words);
        passes
    }

    pub fn warn(&self, warnings: &mut Vec<String>) {
        if !self.passed.is_empty() {
            warnings.push(format!(
                "TER is ignored between residues at the distance of a peptide bond: {}",
                first_few(&self.passed)
            ));
        }
        if !self.near.is_empty() {
            warnings.push(format!(
                "TER ends a chain between residues that lie next to each other, but not at the \
                 distance of a peptide bond: {}; remove it if they are bonded",
                first_few(&self.near)
            ));
        }
    }
}
