//! Builds chains from atom records: finds residues, chooses among alternate locations, and decides where chains begin.
//!
//! Both file formats use this code, so that an entry reads the same from either.

use std::collections::{BTreeMap, HashMap};

use crate::disulfides;
use crate::error::Error;
use crate::interleaved;
use crate::residue_names::{is_amino_acid, is_calcium, is_cap, is_nucleotide, is_water};
use crate::structure::{Atom, Chain, Residue, Structure, chain_words};
use crate::terminators::Terminators;

/// Alpha carbons of neighbours in a chain are 3.8 Å apart (2.9 Å across a cis peptide); beyond this
/// distance in ångström two of them do not count as bonded.
pub(crate) const NEIGHBOUR_DISTANCE: f64 = 4.5;

/// A warning counts all residues and names at most this many.
const NAMED_IN_WARNINGS: usize = 5;

/// The records of a file, before residues are assembled.
pub(crate) struct Contents<'a> {
    pub records: Vec<Record<'a>>,
    pub links: Vec<Link>,
    pub models: usize,
    pub warnings: Vec<String>,
}

pub(crate) struct Record<'a> {
    pub hetero: bool,
    pub name: &'a str,
    /// Whether the name begins in the column of two-letter elements (PDB only).
    pub left_aligned: bool,
    pub alternate: Option<char>,
    pub residue_name: &'a str,
    pub chain: &'a str,
    /// The name of its chain in descriptions of assemblies; the same throughout a section.
    pub instance: &'a str,
    pub segment: &'a str,
    pub number: i32,
    pub insertion: Option<char>,
    /// Position in the sequence of the entity as text (mmCIF only).
    pub sequence: &'a str,
    pub element: Option<&'a str>,
    pub position: [f64; 3],
    pub occupancy: f64,
    pub beta: f64,
    /// Increases where the file ends a chain: at a TER record, or where the mmCIF entity instance changes.
    pub section: usize,
    pub membership: Membership,
}

impl<'a> Record<'a> {
    fn place(&self) -> (usize, &'a str, i32, Option<char>, &'a str) {
        (self.section, self.chain, self.number, self.insertion, self.sequence)
    }
}

/// Whether a record may belong to a polymer residue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Membership {
    /// The file says that it does.
    Polymer,
    /// If its residue has N, CA and C, or lies next to another in the chain.
    IfBackboneOrNear,
    /// If its residue lies next to another in the chain.
    IfNear,
    /// The file says that it does not.
    Other,
}

/// One end of a disulfide bond as the file names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Partner {
    pub chain: String,
    pub number: i32,
    pub insertion: Option<char>,
}

pub(crate) struct Link {
    pub first: Partner,
    pub second: Partner,
    /// The place in the file that lists the bond, for messages.
    pub place: String,
}

/// The warning about a bond whose ends have different operators.
pub(crate) fn leads_to_copy(place: &str, one: &str, other: &str) -> String {
    format!(
        "{place}: the bond leads to another copy of the structure (operators {one} and {other}); \
         it is there only in an assembly, if the sulfurs are close"
    )
}

/// The records of one residue, before it is decided whether the residue is kept.
struct Group<'r, 'a> {
    members: Vec<&'r Record<'a>>,
    /// The first non-blank segment among the records.
    segment: &'a str,
}

impl<'r, 'a> Group<'r, 'a> {
    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    fn alternates(&self) -> impl Iterator<Item = char> {
        self.members.iter().filter_map(|member| member.alternate)
    }

    /// Whether the record after the last member belongs to the same residue.
    fn goes_on_with(&self, record: &Record<'_>) -> bool {
        let Some(last) = self.members.last() else { return true };
        last.place() == record.place()
            && same_segment(self.segment, record.segment)
            && (self.members.iter().any(|member| member.residue_name == record.residue_name)
                || (record.alternate.is_some() && self.alternates().next().is_some()))
    }

    /// Whether a record further on is another conformer of the residue.
    fn has_conformer(&self, record: &Record<'_>) -> bool {
        record.alternate.is_some_and(|letter| self.alternates().all(|other| other != letter))
            && self.alternates().next().is_some()
            && same_segment(self.segment, record.segment)
    }

    fn candidate(&self, warnings: &mut Vec<String>) -> Option<Candidate<'r, 'a>> {
        let carbons = self.members.iter().copied().filter(|member| self.is_alpha_carbon(member));
        let alpha_carbon = best(carbons)?;
        let mut by_name: BTreeMap<&str, Vec<&Record<'_>>> = BTreeMap::new();
        for &member in &self.members {
            if member.residue_name == alpha_carbon.residue_name {
                by_name.entry(member.name).or_default().push(member);
            }
        }
        let is_unmarked = |member: &&&Record<'_>| member.alternate.is_none();
        let repeated =
            by_name.iter().find(|(_, members)| members.iter().filter(is_unmarked).count() > 1);
        if let Some((name, _)) = repeated {
            warnings.push(format!(
                "{}: atom {name} appears more than once without alternate location letters; the \
                 one of highest occupancy, then the first, is kept",
                label(alpha_carbon, self.segment)
            ));
        }
        let kept: Vec<_> =
            by_name.into_values().filter_map(|members| best(members.into_iter())).collect();
        let is_kept = |member: &&Record<'_>| kept.iter().any(|one| std::ptr::eq(*one, *member));
        let chosen = self.members.iter().copied().filter(is_kept).collect();
        Some(Candidate { alpha_carbon, chosen, segment: self.segment })
    }

    /// Whether a record named CA is carbon: calcium ions bear the same name.
    fn is_alpha_carbon(&self, record: &Record<'_>) -> bool {
        // The carbon of a cap bears this name in files of Maestro.
        if record.name != "CA" || is_calcium(record.residue_name) || is_cap(record.residue_name) {
            return false;
        }
        is_amino_acid(record.residue_name)
            || match record.element {
                Some(element) => element.eq_ignore_ascii_case("C"),
                None => !record.left_aligned || (self.has("N") && self.has("C")),
            }
    }
}

/// A residue that is kept, with its records in the order of the file.
pub(crate) struct Candidate<'r, 'a> {
    pub alpha_carbon: &'r Record<'a>,
    pub chosen: Vec<&'r Record<'a>>,
    pub segment: &'a str,
}

impl Candidate<'_, '_> {
    pub fn atom(&self, name: &str) -> Option<&Record<'_>> {
        self.chosen.iter().copied().find(|record| record.name == name)
    }
}

/// Builds the structure; also returns the names of its chains in descriptions of assemblies.
pub(crate) fn assemble(
    contents: Contents<'_>,
    file: &str,
) -> Result<(Structure, Vec<String>), Error> {
    let Contents { records, links, models, mut warnings } = contents;
    let groups = group(&records);
    let mut left_out = LeftOut::default();
    let mut candidates = Vec::new();
    for group in &groups {
        match group.candidate(&mut warnings) {
            Some(found) => candidates.push(found),
            None => left_out.note(group),
        }
    }
    let candidates = keep_polymer(candidates, &mut warnings);
    if candidates.is_empty() {
        return Err(Error::no_alpha_carbon(file, records.len(), &left_out.details()));
    }
    left_out.warn(&mut warnings);
    warn_of_nucleotides(&candidates, &mut warnings);
    interleaved::warn(&candidates, &mut warnings);
    let (mut structure, instances) = build(&candidates, &mut warnings);
    left_out.cap(&mut structure);
    structure.source = file.to_owned();
    structure.models = models;
    structure.nucleic_chains = left_out.nucleic_chains;
    structure.warnings = warnings;
    disulfides::find(&mut structure, &links);
    Ok((structure, instances))
}

/// A blank segment identifier matches any other: programs leave it out on atoms they add.
fn same_segment(one: &str, other: &str) -> bool {
    one == other || one.is_empty() || other.is_empty()
}

fn group<'r, 'a>(records: &'r [Record<'a>]) -> Vec<Group<'r, 'a>> {
    let mut groups: Vec<Group<'r, 'a>> = Vec::new();
    let mut current = 0;
    let mut known: HashMap<_, usize> = HashMap::new();
    for record in records {
        if groups.get(current).is_none_or(|group| !group.goes_on_with(record)) {
            // Some programs list all of conformer A before all of conformer B.
            let earlier = known.get(&record.place()).copied();
            let earlier = earlier.filter(|&earlier| groups[earlier].has_conformer(record));
            current = earlier.unwrap_or(groups.len());
            if earlier.is_none() {
                groups.push(Group { members: Vec::new(), segment: "" });
                known.insert(record.place(), current);
            }
        }
        let group = &mut groups[current];
        group.members.push(record);
        if group.segment.is_empty() {
            group.segment = record.segment;
        }
    }
    groups
}

fn best<'r, 'a>(among: impl Iterator<Item = &'r Record<'a>>) -> Option<&'r Record<'a>> {
    among.reduce(|best, next| if next.occupancy > best.occupancy { next } else { best })
}

fn keep_polymer<'r, 'a>(
    candidates: Vec<Candidate<'r, 'a>>,
    warnings: &mut Vec<String>,
) -> Vec<Candidate<'r, 'a>> {
    let may_count = |candidate: &Candidate| candidate.alpha_carbon.membership != Membership::Other;
    let candidates: Vec<_> = candidates.into_iter().filter(may_count).collect();
    let near = |index: usize| {
        let here = candidates[index].alpha_carbon;
        let neighbours = [index.checked_sub(1), Some(index + 1)];
        neighbours.into_iter().flatten().filter_map(|other| candidates.get(other)).any(|other| {
            let other = other.alpha_carbon;
            other.section == here.section
                && other.chain == here.chain
                && distance(other.position, here.position) <= NEIGHBOUR_DISTANCE
        })
    };
    let mut counts = |(index, candidate): (usize, &Candidate)| {
        let record = candidate.alpha_carbon;
        let has = |name| candidate.atom(name).is_some();
        let near = !record.hetero || near(index);
        let counts = match record.membership {
            Membership::Polymer => true,
            Membership::IfBackboneOrNear => near || (has("N") && has("C")),
            Membership::IfNear => near,
            Membership::Other => false,
        };
        if counts && !near {
            warnings.push(format!(
                "{}: this HETATM residue has an alpha carbon and is counted, but no other alpha \
                 carbon of its chain lies next to it; remove it from the file if it is a ligand",
                label(record, candidate.segment)
            ));
        }
        counts
    };
    let counting: Vec<bool> = candidates.iter().enumerate().map(&mut counts).collect();
    let kept = candidates.into_iter().zip(counting).filter(|(_, counts)| *counts);
    kept.map(|(candidate, _)| candidate).collect()
}

fn build(candidates: &[Candidate<'_, '_>], warnings: &mut Vec<String>) -> (Structure, Vec<String>) {
    let mut instances = Vec::new();
    let mut terminators = Terminators::default();
    let mut structure = Structure::default();
    for (number, candidate) in candidates.iter().enumerate() {
        let record = candidate.alpha_carbon;
        let index = structure.residues.len();
        let last = number.checked_sub(1).map(|last| &candidates[last]);
        match structure.chains.last_mut() {
            Some(chain)
                if chain.id == record.chain
                    && same_segment(&chain.segment, candidate.segment)
                    && last.is_some_and(|last| terminators.passes([last, candidate])) =>
            {
                chain.residues.end = index + 1;
                if chain.segment.is_empty() {
                    chain.segment = candidate.segment.to_owned();
                }
            }
            _ => {
                instances.push(record.instance.to_owned());
                structure.chains.push(Chain {
                    id: record.chain.to_owned(),
                    id_in_file: record.chain.to_owned(),
                    segment: candidate.segment.to_owned(),
                    residues: index..index + 1,
                    caps: [false; 2],
                });
            }
        }
        let first_atom = structure.atoms.len();
        structure.atoms.extend(candidate.chosen.iter().map(|record| atom(record)));
        structure.residues.push(Residue {
            name: record.residue_name.to_owned(),
            number: record.number,
            insertion: record.insertion,
            chain: structure.chains.len() - 1,
            atoms: first_atom..structure.atoms.len(),
        });
    }
    terminators.warn(warnings);
    (structure, instances)
}

fn atom(record: &Record<'_>) -> Atom {
    let letters = record.name.trim_start_matches(|letter: char| !letter.is_alphabetic());
    let element = match record.element {
        // Any atom named CA that passed the checks is an alpha carbon, whichever element the file states.
        _ if record.name == "CA" => "C".to_owned(),
        Some(element) => element.to_ascii_uppercase(),
        None if letters == "SE" => "SE".to_owned(),
        None => letters.chars().take(1).collect(),
    };
    Atom {
        name: record.name.to_owned(),
        element,
        position: record.position,
        occupancy: record.occupancy,
        beta: record.beta,
    }
}

pub(crate) fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

pub(crate) fn label(record: &Record<'_>, segment: &str) -> String {
    let insertion = record.insertion.map(String::from).unwrap_or_default();
    let chain = chain_words(record.chain);
    let segment = if segment.is_empty() { String::new() } else { format!(" segment {segment}") };
    format!("{chain}{segment}, residue {}{insertion} {}", record.number, record.residue_name)
}

/// Residues named as nucleotides that have an alpha carbon, as some coarse models write them.
fn warn_of_nucleotides(candidates: &[Candidate<'_, '_>], warnings: &mut Vec<String>) {
    let is_named =
        |candidate: &&Candidate<'_, '_>| is_nucleotide(candidate.alpha_carbon.residue_name);
    let named = candidates.iter().filter(is_named);
    let labels: Vec<String> =
        named.map(|candidate| label(candidate.alpha_carbon, candidate.segment)).collect();
    if !labels.is_empty() {
        warnings.push(format!(
            "residues with the names of nucleotides have an atom CA and are taken for amino acids: {}; remove them if \
             they are nucleic acid",
            first_few(&labels)
        ));
    }
}

/// Residues that are left out: of ATOM records, and caps.
#[derive(Default)]
struct LeftOut {
    nucleotides: Vec<String>,
    nucleic_chains: Vec<String>,
    incomplete: Vec<String>,
    /// Chain and number.
    caps: Vec<(String, i32)>,
}

impl LeftOut {
    fn note(&mut self, group: &Group<'_, '_>) {
        let Some(record) = group.members.first() else { return };
        if is_cap(record.residue_name) {
            self.caps.push((record.chain.to_owned(), record.number));
        }
        if record.hetero || record.membership == Membership::Other || is_water(record.residue_name)
        {
            return;
        }
        let lone_ion = group.members.len() == 1 && !is_amino_acid(record.residue_name);
        if is_nucleotide(record.residue_name) || group.has("C1'") || group.has("C1*") {
            self.nucleotides.push(label(record, group.segment));
            if !self.nucleic_chains.iter().any(|chain| chain == record.chain) {
                self.nucleic_chains.push(record.chain.to_owned());
            }
        } else if !lone_ion {
            self.incomplete.push(label(record, group.segment));
        }
    }

    /// Marks the ends of chains beside which a cap stands.
    fn cap(&self, structure: &mut Structure) {
        let residues = &structure.residues;
        for chain in &mut structure.chains {
            let ends = [chain.residues.start, chain.residues.end - 1];
            let numbers = ends.map(|end| residues[end].number);
            let has =
                |number: i32| self.caps.iter().any(|(id, cap)| *id == chain.id && *cap == number);
            // Some programs give a cap the number of its residue.
            chain.caps = [
                has(numbers[0].saturating_sub(1)) || has(numbers[0]),
                has(numbers[1].saturating_add(1)) || (numbers[0] != numbers[1] && has(numbers[1])),
            ];
        }
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        if !self.nucleotides.is_empty() {
            warnings.push(format!("left out nucleic acid: {}", first_few(&self.nucleotides)));
        }
        if !self.incomplete.is_empty() {
            let named = first_few(&self.incomplete);
            warnings.push(format!("left out residues without an alpha carbon: {named}"));
        }
    }

    fn details(&self) -> String {
        match (self.nucleotides.as_slice(), self.incomplete.as_slice()) {
            ([], []) => String::new(),
            ([], incomplete) => format!(" (residues without one: {})", first_few(incomplete)),
            (nucleotides, _) => format!(" (nucleic acid: {})", first_few(nucleotides)),
        }
    }
}

/// "3 (a; b; c)", shortened by an ellipsis if there are too many for a warning.
pub(crate) fn first_few(labels: &[String]) -> String {
    let named = labels[..labels.len().min(NAMED_IN_WARNINGS)].join("; ");
    let more = if labels.len() > NAMED_IN_WARNINGS { "; …" } else { "" };
    format!("{} ({named}{more})", labels.len())
}
