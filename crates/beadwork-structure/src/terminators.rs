//! TER between residues of one chain identifier: whether it ends the chain.

use std::ops::Range;

use crate::polymer::{Candidate, distance, first_few, label};

/// Å between C and N of a peptide bond: 1.33, as coordinates of low resolution have it.
const PEPTIDE_BOND: Range<f64> = 1.03..1.63;
/// Å between the alpha carbons of a peptide bond, cis or trans.
const PEPTIDE_ALPHA_CARBONS: Range<f64> = 2.5..4.3;
/// The same where a file has alpha carbons alone: those of a trans bond only, since copies of a chain
/// may come as near as a cis bond.
const LONE_ALPHA_CARBONS: Range<f64> = 3.5..4.1;
/// Å: a reader could take alpha carbons at a terminator that are nearer than this for bonded.
const NEAR_AT_TERMINATOR: f64 = 5.0;

/// Where a file ends a chain between residues that go on in the same chain.
///
/// Programs that number residues by those of a related protein (chymotrypsin) leave gaps in the
/// numbers where nothing is missing, and others write TER at each gap.
#[derive(Default)]
pub(crate) struct Terminators {
    passed: Vec<String>,
    near: Vec<String>,
}

impl Terminators {
    /// Whether the second residue continues the chain of the first, which has the same identifier. A
    /// terminator between residues that a peptide bond joins does not end the chain.
    pub fn passes(&mut self, pair: [&Candidate<'_, '_>; 2]) -> bool {
        let [one, other] = pair.map(|candidate| candidate.alpha_carbon);
        if one.section == other.section {
            return true;
        }
        let alpha_carbons = distance(one.position, other.position);
        // mmCIF names the instances of chains, so that distances decide nothing there.
        if one.instance != other.instance || alpha_carbons > NEAR_AT_TERMINATOR {
            return false;
        }
        let ends = pair[0].atom("C").zip(pair[1].atom("N"));
        let bond = ends.map(|(c, n)| distance(c.position, n.position));
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
