//! Parts of a selection that match no bead.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Display;

use super::{Expression, Pattern, ResidueNumber, Selection, Word};
use crate::label::Label;

impl Selection {
    /// The parts that match none of these beads, such as `residue 80-90` or `chain B`, in the order of the text. Those that
    /// a `not` excludes are left out: `not resname HOH` is right for beads without water.
    pub fn unmatched(&self, beads: &[Label]) -> Vec<String> {
        let mut found = Vec::new();
        Present { beads, ..Present::default() }.find(&self.expression, false, &mut found);
        found
    }
}

/// What the beads have. It is found when it is asked for: there may be millions of beads.
#[derive(Default)]
struct Present<'b> {
    beads: &'b [Label],
    residues: OnceCell<BTreeSet<ResidueNumber>>,
    chains: OnceCell<BTreeSet<&'static str>>,
    segments: OnceCell<BTreeSet<&'static str>>,
    residue_names: OnceCell<BTreeSet<&'static str>>,
    types: OnceCell<BTreeSet<&'static str>>,
}

impl Present<'_> {
    /// Finds the unmatched parts of an expression, which is `excluded` under an odd number of `not`.
    fn find(&self, expression: &Expression, excluded: bool, found: &mut Vec<String>) {
        let beads = self.beads;
        match expression {
            Expression::First(inner) | Expression::Last(inner) => {
                self.find(inner, excluded, found);
            }
            Expression::Not(inner) => self.find(inner, !excluded, found),
            Expression::And(terms) | Expression::Or(terms) => {
                terms.iter().for_each(|term| self.find(term, excluded, found));
            }
            _ if excluded => {}
            Expression::All | Expression::None => {}
            Expression::Index(ranges) => {
                let missing = ranges.iter().filter(|(first, _)| *first >= beads.len());
                found.extend(missing.map(|(first, last)| range_in_words("index", first, last)));
            }
            Expression::Residue(ranges) => {
                let number = |bead: &Label| (bead.residue_number, bead.insertion);
                let known = self.residues.get_or_init(|| beads.iter().map(number).collect());
                for &(first, last) in ranges {
                    if known.range(first..=last).next().is_none() {
                        let [first, last] = [first, last].map(residue_in_words);
                        found.push(range_in_words("residue", &first, &last));
                    }
                }
            }
            Expression::Chain(names) => {
                let chain = |bead: &Label| bead.chain.as_str();
                let known = self.chains.get_or_init(|| beads.iter().map(chain).collect());
                find_patterns("chain", names, known, found);
            }
            Expression::Segment(names) => {
                // A bead without a segment has the name of its chain too.
                let both = |bead: &Label| match bead.segment.as_str() {
                    "" => ["", bead.chain.as_str()],
                    segment => [segment; 2],
                };
                let known = self.segments.get_or_init(|| beads.iter().flat_map(both).collect());
                find_patterns("segment", names, known, found);
            }
            Expression::ResidueName(names) => {
                let name = |bead: &Label| bead.residue_name.as_str();
                let known = self.residue_names.get_or_init(|| beads.iter().map(name).collect());
                find_names("resname", names, known, found);
            }
            Expression::Type(names) => {
                let name = |bead: &Label| bead.name.as_str();
                let known = self.types.get_or_init(|| beads.iter().map(name).collect());
                find_names("type", names, known, found);
            }
        }
    }
}

fn find_patterns(
    keyword: &str,
    names: &[Pattern],
    known: &BTreeSet<&str>,
    found: &mut Vec<String>,
) {
    let missing = names.iter().filter(|name| !known.iter().any(|one| name.matches(one)));
    found.extend(missing.map(|name| {
        let pieces = std::iter::once(&name.first).chain(&name.rest);
        let pieces: Vec<&str> = pieces.map(String::as_str).collect();
        name_in_words(keyword, &pieces.join("*"))
    }));
}

fn find_names(keyword: &str, names: &[Word], known: &BTreeSet<&str>, found: &mut Vec<String>) {
    let missing = names.iter().filter(|name| !known.contains(name.text.as_str()));
    found.extend(missing.map(|name| name_in_words(keyword, &name.text)));
}

fn name_in_words(keyword: &str, name: &str) -> String {
    if name.is_empty() { format!("{keyword} \"\"") } else { format!("{keyword} {name}") }
}

fn residue_in_words((number, insertion): ResidueNumber) -> String {
    format!("{number}{}", insertion.map_or_else(String::new, String::from))
}

fn range_in_words<T: Display + PartialEq>(keyword: &str, first: &T, last: &T) -> String {
    if first == last { format!("{keyword} {first}") } else { format!("{keyword} {first}-{last}") }
}
