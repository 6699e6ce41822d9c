//! Decides what column 21 of a PDB file is: the fourth letter of a residue name, or the first of a chain identifier.
//!
//! The standard leaves the column blank. GROMACS, CHARMM, cpptraj (`usecol21`) and this project write names of four letters
//! in columns 18 to 21; other programs write chain identifiers of two letters in columns 21 and 22. One line may fit both:
//! `HISEA` is residue HISE of chain A, or residue HIS of chain EA. So the decision rests on known names, and on whether
//! the chain goes on without a break.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::number::{plain_decimal, residue_number};
use crate::pdb::{columns, is_atom, is_record};
use crate::polymer::{distance, first_few};
use crate::residue_names::{is_amino_acid, is_known, is_nucleotide};

/// Alpha carbons of neighbours in a chain are 3.8 Å apart, 2.9 Å across a cis peptide.
const NEIGHBOURS: Range<f64> = 2.5..4.5;

/// What column 21 is on the lines of a model.
pub(crate) struct ResidueColumns<'a> {
    /// Lines, by index, whose column 21 belongs to the chain identifier; runs in ascending order.
    of_chains: Vec<Range<usize>>,
    /// The chain identifiers of two letters.
    chains: HashSet<&'a str>,
    pub warnings: Vec<String>,
}

/// Successive lines of one residue.
struct Residue<'a> {
    lines: Range<usize>,
    /// Columns 18 to 22.
    text: &'a str,
    /// Columns 23 to 27.
    number: &'a str,
    /// Increases at each TER.
    section: usize,
    alpha_carbon: Option<[f64; 3]>,
}

impl<'a> Residue<'a> {
    fn name_of_three(&self) -> &'a str {
        columns(self.text, 1, 3).trim()
    }

    fn name_of_four(&self) -> &'a str {
        columns(self.text, 1, 4).trim()
    }

    /// Columns 21 and 22.
    fn pair(&self) -> &'a str {
        columns(self.text, 4, 5)
    }

    fn has_pair(&self) -> bool {
        !columns(self.text, 4, 4).trim().is_empty()
    }

    /// Whether the name of three letters is known and that of four is not. Other molecules have names such as `PROP`,
    /// `METH` and `ACET`, so an amino acid needs its alpha carbon, and a nucleotide a name that leaves no room for one of
    /// four letters.
    fn is_known_by_three_alone(&self) -> bool {
        let (three, four) = (self.name_of_three(), self.name_of_four());
        if !four.contains(' ') && is_known(four) {
            return false;
        }
        match three {
            "HOH" | "DOD" => true,
            _ if is_amino_acid(three) => self.alpha_carbon.is_some(),
            _ => is_nucleotide(three) && three.len() < 3,
        }
    }

    fn is_bonded_to(&self, next: &Residue<'_>) -> bool {
        self.section == next.section
            && columns(self.text, 5, 5) == columns(next.text, 5, 5)
            && self.alpha_carbon.zip(next.alpha_carbon).is_some_and(|(one, other)| {
                NEIGHBOURS.contains(&distance(one, other))
                    && order(self.number).zip(order(next.number)).is_none_or(|(a, b)| a <= b)
            })
    }

    fn words(&self) -> String {
        format!("{} {}", self.name_of_four(), self.number.trim())
    }
}

fn order(number: &str) -> Option<i32> {
    residue_number(columns(number, 1, 4))
}

/// Successive residues of one section with the same, not blank, columns 21 and 22.
struct Run<'r, 'a> {
    residues: &'r [Residue<'a>],
    /// Names of three letters that are known, where the name of four is not.
    only_short: BTreeSet<&'a str>,
    /// Whether a bond leads to a residue outside that has the same column 22: as two chains, they would be cut apart.
    bonded: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Chain,
    Name,
    Open,
}

impl Run<'_, '_> {
    fn reading(&self) -> Reading {
        match (self.only_short.len(), self.bonded) {
            (0, false) => Reading::Open,
            // A name that is known only without its fourth letter, in the middle of a chain.
            (0 | 1, true) => Reading::Name,
            // Names that are known without column 21, which stays the same: it is an identifier.
            _ => Reading::Chain,
        }
    }

    fn is_ambiguous(&self) -> bool {
        let of_both = |residue: &Residue<'_>| {
            is_amino_acid(residue.name_of_three()) && is_amino_acid(residue.name_of_four())
        };
        self.residues.iter().all(of_both)
            && !self.residues.iter().all(|one| one.pair().ends_with(' '))
    }

    fn lines(&self) -> Range<usize> {
        let ends = self.residues.first().zip(self.residues.last());
        ends.map_or(0..0, |(first, last)| first.lines.start..last.lines.end)
    }
}

impl<'a> ResidueColumns<'a> {
    /// Decides for the atoms on the lines of a range.
    pub fn decide(lines: &[&'a str], range: Range<usize>) -> ResidueColumns<'a> {
        let mut found =
            ResidueColumns { of_chains: Vec::new(), chains: HashSet::new(), warnings: Vec::new() };
        let uses_column = |line: &&str| is_atom(line) && !columns(line, 21, 21).trim().is_empty();
        if !lines[range.clone()].iter().any(uses_column) {
            return found;
        }
        let residues = residues(lines, range);
        let runs = runs(&residues);
        let mut open = Vec::new();
        let (mut cut, mut unknown) = (Vec::new(), Vec::new());
        for run in &runs {
            match run.reading() {
                Reading::Chain => {
                    found.of_chains.push(run.lines());
                    found.chains.extend(run.residues.first().map(Residue::pair));
                    if run.bonded {
                        cut.extend(run.residues.first().map(Residue::words));
                    }
                }
                Reading::Name if !run.only_short.is_empty() => {
                    unknown.extend(run.residues.first().map(Residue::words));
                }
                Reading::Name => {}
                Reading::Open => open.push(run),
            }
        }
        let mut ambiguous = Vec::new();
        for run in open {
            let pair = run.residues.first().map_or("", Residue::pair);
            if found.chains.contains(pair) {
                found.of_chains.push(run.lines());
            } else if run.is_ambiguous() {
                ambiguous.extend(run.residues.first().map(Residue::words));
            }
        }
        found.of_chains.sort_unstable_by_key(|run| run.start);
        found.warn(&cut, &unknown, &ambiguous);
        found
    }

    fn warn(&mut self, cut: &[String], unknown: &[String], ambiguous: &[String]) {
        if !unknown.is_empty() {
            self.warnings.push(format!(
                "columns 18 to 21 are taken as residue names of four letters, since the chain goes on there without a \
                 break: {}; write the chain identifier in column 22 alone if column 21 belongs to it",
                first_few(unknown)
            ));
        }
        if !cut.is_empty() {
            self.warnings.push(format!(
                "column 21 is taken as the first letter of a chain identifier, and such a chain touches another at the \
                 distance of a bond, which is not made: {}; leave column 21 blank if it is one chain",
                first_few(cut)
            ));
        }
        if !ambiguous.is_empty() {
            self.warnings.push(format!(
                "column 21 may end a residue name or begin a chain identifier of two letters, and nothing in the file \
                 decides; it is taken as part of the name: {}; leave it blank or use mmCIF if that is wrong",
                first_few(ambiguous)
            ));
        }
    }

    /// Residue name and chain identifier of the atom on a line, given by its index.
    pub fn name_and_chain<'l>(&self, line: &'l str, index: usize) -> (&'l str, &'l str) {
        let extra = columns(line, 21, 21);
        if extra.trim().is_empty() {
            return (columns(line, 18, 20).trim(), columns(line, 22, 22).trim());
        }
        let after = self.of_chains.partition_point(|run| run.start <= index);
        let of_chain = after.checked_sub(1).is_some_and(|run| self.of_chains[run].contains(&index));
        if of_chain {
            (columns(line, 18, 20).trim(), columns(line, 21, 22).trim())
        } else {
            (columns(line, 18, 21).trim(), columns(line, 22, 22).trim())
        }
    }

    /// The chain identifier of a record other than an atom, which ends at a column.
    pub fn chain_at<'l>(&self, line: &'l str, column: usize) -> &'l str {
        let two = columns(line, column - 1, column);
        if self.chains.contains(two) { two.trim() } else { columns(line, column, column).trim() }
    }
}

fn residues<'a>(lines: &[&'a str], range: Range<usize>) -> Vec<Residue<'a>> {
    let mut residues: Vec<Residue<'a>> = Vec::new();
    let mut section = 0;
    for index in range {
        let line = lines[index];
        if is_record(line, "TER") {
            section += 1;
        }
        if !is_atom(line) {
            continue;
        }
        let (text, number) = (columns(line, 18, 22), columns(line, 23, 27));
        let same =
            |last: &Residue<'_>| (last.text, last.number, last.section) == (text, number, section);
        let alpha_carbon = || {
            let axis = |first: usize| plain_decimal(columns(line, first, first + 7).trim());
            (columns(line, 13, 16).trim() == "CA")
                .then(|| Some([axis(31)?, axis(39)?, axis(47)?]))
                .flatten()
        };
        match residues.last_mut() {
            Some(last) if same(last) => {
                last.lines.end = index + 1;
                last.alpha_carbon = last.alpha_carbon.or_else(alpha_carbon);
            }
            _ => residues.push(Residue {
                lines: index..index + 1,
                text,
                number,
                section,
                alpha_carbon: alpha_carbon(),
            }),
        }
    }
    residues
}

fn runs<'r, 'a>(residues: &'r [Residue<'a>]) -> Vec<Run<'r, 'a>> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < residues.len() {
        let first = &residues[start];
        let same = |one: &&Residue<'_>| (one.pair(), one.section) == (first.pair(), first.section);
        let end = start + residues[start..].iter().take_while(same).count();
        if first.has_pair() {
            let run = &residues[start..end];
            let only_short = run.iter().filter(|residue| residue.is_known_by_three_alone());
            let before = start.checked_sub(1).map(|before| &residues[before]);
            let after = residues.get(end).zip(run.last());
            runs.push(Run {
                residues: run,
                only_short: only_short.map(Residue::name_of_three).collect(),
                bonded: before.is_some_and(|before| before.is_bonded_to(first))
                    || after.is_some_and(|(after, last)| last.is_bonded_to(after)),
            });
        }
        start = end;
    }
    runs
}
