//! Decides whether a TER record between residues of one chain identifier ends the chain.

use std::ops::Range;

use crate::polymer::{Candidate, distance, first_few, label};

/// C–N distances of a peptide bond, Å: 1.33, with a margin for low resolution.
const PEPTIDE_BOND: Range<f64> = 1.03..1.63;
/// Distances of alpha carbons across a cis or trans peptide bond, Å.
const PEPTIDE_ALPHA_CARBONS: Range<f64> = 2.5..4.3;
/// The same for files with alpha carbons only. It allows trans bonds alone, since copies of a chain may come as close
/// as a cis bond.
const LONE_ALPHA_CARBONS: Range<f64> = 3.5..4.1;
/// Readers may take alpha carbons across a terminator for bonded if they are closer than this, Å.
const NEAR_AT_TERMINATOR: f64 = 5.0;

/// Terminators of a file between residues with the same chain identifier.
///
/// Some programs take residue numbers from a related protein (chymotrypsin), which leaves gaps
/// where no residue is missing. Others then write TER at each gap.
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
        // mmCIF names the instances of chains, so distances need not decide.
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
