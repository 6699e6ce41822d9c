//! `[system]` of proteins with a bead for each residue, in water with salt.

use std::ops::RangeInclusive;
use std::sync::Arc;

use beadwork_model::force_fields::residues::{
    Chain, ChargedEnds, Folded, ResidueModel, Solution, build, remarks,
};
use beadwork_model::units::{BOLTZMANN, Dimension};
use beadwork_structure::{FastaRecord, Structure, seems_no_protein};

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, MISSING_KEY, NO_PROTEIN, WRONG_TYPE};
use crate::files::Files;
use crate::models::MODELS;
use crate::numbers::Bound;
use crate::section::{AUTOMATIC, Read, Section};
use crate::settings::DynamicsRead;
use crate::starts::read_start;
use crate::structure_source::Source;

/// The keys of `[system]`.
const KEYS: [&str; 9] = [
    "model",
    "force_field",
    "sequence",
    "polymer",
    "structure",
    "domains",
    "solution",
    "charged_ends",
    "start",
];
const SEQUENCE_KEYS: [&str; 2] = ["file", "name"];
/// What `polymer` may say: the model has no other.
const POLYMERS: [&str; 1] = ["protein"];
const SOLUTION_KEYS: [&str; 3] = ["ionic_strength", "ph", "temperature"];
const ENDS: [(&str, [bool; 2]); 4] = [
    ("both", [true, true]),
    ("first", [true, false]),
    ("last", [false, true]),
    ("none", [false, false]),
];
/// Ranges of residues that form a folded domain.
type Domain = Vec<RangeInclusive<usize>>;

/// The water of models that do not depend on it.
const UNUSED: Solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
const SEQUENCE_EXAMPLE: &str = "MKRSNQEDWY";

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
    dynamics: &DynamicsRead,
) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, None)?;
    let usual = Some(ResidueModel::Calvados3);
    let model = section.named("force_field", ResidueModel::ALL, ResidueModel::name, usual)?;
    section.one_of("sequence", "structure")?;
    let is_protein = section.has("polymer");
    if is_protein {
        if section.has("structure") {
            let problem =
                "is said of a `sequence`; names of residues tell what a structure is: leave it out";
            return Err(section.fault(CONFLICT, "polymer", problem));
        }
        section.choice("polymer", &POLYMERS, None)?;
    }
    let sequence = read_sequence(&mut section, files, is_protein)?;
    let source = match sequence {
        Some(_) => None,
        None if section.has("structure") => Some(Source::read(&mut section, files)?),
        None => {
            let problem = format!(
                "[system]: neither `sequence` nor `structure` is given; write for example sequence = \"{SEQUENCE_EXAMPLE}\", or sequence = {{ file = \"protein.fasta\" }}"
            );
            return Err(section.place.error(MISSING_KEY, problem));
        }
    };
    let domains = read_domains(&mut section, model)?;
    let (solution, ends) = match model.depends_on_solution() {
        true => (read_solution(&mut section, dynamics)?, read_ends(&mut section)?),
        false => {
            let because =
                format!("charges and screening are fixed numbers of \"{}\"", model.name());
            section.exclude(&["solution", "charged_ends"], &because)?;
            (UNUSED, ChargedEnds::default())
        }
    };
    let start = read_start(&mut section, files, replicas)?;
    let of_domains = section.value_place("domains").clone();
    let of_source =
        section.value_place(if source.is_some() { "structure" } else { "sequence" }).clone();
    let water = Some(solution.temperature);
    let others = FromElsewhere { collision_rate: dynamics.collision_rate, water, seed: None };
    built.get_or_build(section.resolved, others, || {
        let mut warnings = Vec::new();
        let chains = match (&sequence, &source) {
            (Some(sequence), _) => {
                warnings.extend(sequence.value.warning.clone());
                vec![sequence.value.chain.clone()]
            }
            (_, Some(source)) => {
                let (structure, chains) = source.whole_chains(files)?;
                refuse_nucleic_acid(&structure, source)?;
                warnings.extend(structure.warnings.iter().map(source.named()));
                let remarks = remarks(&structure, &chains, model, &solution, ends);
                warnings.extend(remarks.iter().map(source.named()));
                let name = |chain: usize| structure.chains[chain].id.clone();
                let read =
                    |chain| Chain::from_structure(name(chain), &structure, chain, Vec::new());
                let chains: Result<Vec<Chain>, _> = chains.into_iter().map(read).collect();
                chains.map_err(of_source.blame())?
            }
            _ => Vec::new(),
        };
        let chains = with_domains(chains, &domains).map_err(|problem| {
            of_domains.error(CONFLICT, format!("[system]: `domains` {problem}"))
        })?;
        let place = if domains.is_empty() { &of_source } else { &of_domains };
        let system = build(&chains, model, &solution, ends).map_err(place.blame())?;
        let starts = start.map(|start| start.read(files, system.beads())).transpose()?;
        Ok(Built { starts, warnings, ..system.into() })
    })
}

/// A structure with nucleic acid is built without it only where the input chooses the chains.
fn refuse_nucleic_acid(structure: &Structure, source: &Source) -> Result<(), Error> {
    if structure.nucleic_chains.is_empty() || source.names_chains() {
        return Ok(());
    }
    let in_words = |ids: &[String]| {
        let named =
            |id: &String| if id.is_empty() { "without identifier".into() } else { id.clone() };
        ids.iter().map(named).collect::<Vec<String>>().join(" ")
    };
    let mut proteins: Vec<String> = Vec::new();
    for chain in &structure.chains {
        if !proteins.contains(&chain.id) {
            proteins.push(chain.id.clone());
        }
    }
    let problem = format!(
        "[system]: {} has nucleic acid in chain {}, and the model has amino acids alone; choose the protein by structure = {{ file = …, chains = \"{}\" }}",
        structure.source,
        in_words(&structure.nucleic_chains),
        in_words(&proteins)
    );
    Err(source.place.error(NO_PROTEIN, problem))
}

struct Sequence {
    chain: Chain,
    warning: Option<String>,
}

/// The chain of `sequence`: letters, or a record of a FASTA file. Records the name of the record.
fn read_sequence(
    section: &mut Section<'_>,
    files: &mut Files,
    is_protein: bool,
) -> Result<Option<Read<Sequence>>, Error> {
    let Some(node) = section.node("sequence") else { return Ok(None) };
    let place = node.place.clone();
    if node.table().is_none() {
        let Some(text) = section.text("sequence", SEQUENCE_EXAMPLE)? else { return Ok(None) };
        if text.value.contains('.') {
            let problem = format!(
                "is \"{}\", which is the name of a file and not a sequence: write sequence = {{ file = \"{}\" }}",
                text.value, text.value
            );
            return Err(section.fault(BAD_VALUE, "sequence", &problem));
        }
        let letters: String = text.value.split_whitespace().collect();
        if let Some(seems) = seems_no_protein("", &letters).filter(|_| !is_protein) {
            return Err(place.error(NO_PROTEIN, no_protein("`sequence`", &seems)));
        }
        let chain = Chain::disordered("sequence", letters.to_uppercase());
        return Ok(Some(Read { value: Sequence { chain, warning: None }, place }));
    }
    let mut inner = Section::open(node, "`sequence` in [system]", &SEQUENCE_KEYS)?;
    let file = inner.required_text("file", "proteins.fasta")?;
    let path = files.load(&file.value, &file.place)?;
    let known_as = files.resolved_name(&file.value);
    let source = known_as.trim_start_matches("inputs/").to_string();
    inner.keep("file", Value::Text(known_as));
    let records = files.fasta(&path, &file.place)?;
    let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let name = inner.text("name", "SIC1")?;
    let record = match (&name, &*records) {
        (Some(name), _) => records.iter().find(|record| record.name == name.value),
        (None, [only]) => Some(only),
        (None, _) => {
            let problem = format!(
                "the file has {} sequences: choose one by `name`, or run all of them with \"system.sequence.name\" = \"all\" in [ensemble.sweep]; there are {}",
                names.len(),
                shown(&names)
            );
            return Err(inner.place.error(MISSING_KEY, format!("{}: {problem}", inner.name)));
        }
    };
    let record = record.ok_or_else(|| {
        let problem = format!("is in no record of the file; there are {}", shown(&names));
        inner.fault(BAD_VALUE, "name", &problem)
    })?;
    let FastaRecord { name, description, letters } = record;
    inner.keep("name", Value::Text(name.clone()));
    let source = format!("{source}, record {name}");
    let heading = format!("{name} {description}");
    if let Some(seems) = seems_no_protein(&heading, letters).filter(|_| !is_protein) {
        return Err(inner.place.error(NO_PROTEIN, no_protein(&source, &seems)));
    }
    let small = letters.chars().filter(char::is_ascii_lowercase).count();
    let warning = (small > 0 && small < letters.len()).then(|| {
        format!(
            "{source}: {small} of {} letters are small; they are taken as the same amino acids as capital ones",
            letters.len()
        )
    });
    let chain = Chain::disordered(name, record.sequence());
    section.keep("sequence", Value::Table(inner.resolved));
    Ok(Some(Read { value: Sequence { chain, warning }, place }))
}

fn no_protein(source: &str, seems: &str) -> String {
    format!(
        "[system]: {source} is taken for no protein, since it {seems}, and the model has amino acids alone; write polymer = \"protein\" in [system] if the letters are amino acids"
    )
}

/// The first names of a list.
fn shown(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ") + more
}

/// The names of all records of the file in `sequence`, for a sweep over all of them.
pub(crate) fn names_of_records(system: &Node, files: &mut Files) -> Result<Vec<String>, Error> {
    let file = system.get("sequence").and_then(|sequence| sequence.get("file"));
    let Some((file, name)) = file.and_then(|file| Some((file, file.text()?))) else {
        let problem = "[ensemble.sweep]: \"system.sequence.name\" = \"all\" needs the file of the sequences; write sequence = { file = \"proteins.fasta\" } in [system]";
        return Err(system.place.error(MISSING_KEY, problem));
    };
    let path = files.load(name, &file.place)?;
    Ok(files.fasta(&path, &file.place)?.iter().map(|record| record.name.clone()).collect())
}

/// Folded domains: a list whose entries are ranges `[first, last]`, or lists of ranges that form one domain.
fn read_domains(section: &mut Section<'_>, model: ResidueModel) -> Result<Vec<Domain>, Error> {
    let Some(node) = section.node("domains") else { return Ok(Vec::new()) };
    if model != ResidueModel::Calvados3 {
        let problem = format!(
            "are part of \"{}\" alone: take that force field, or leave them out",
            ResidueModel::Calvados3.name()
        );
        return Err(section.fault(CONFLICT, "domains", &problem));
    }
    if !section.has("structure") {
        let problem = "are held in the shape that they have in a structure, and there is none: write structure = \"protein.pdb\" in place of `sequence`, or leave them out";
        return Err(section.fault(CONFLICT, "domains", problem));
    }
    let range = |node: &Node| match node.list() {
        Some([first, last]) => {
            let number = |node: &Node| match node.value {
                Value::Integer(number) => usize::try_from(number).ok(),
                _ => None,
            };
            number(first).zip(number(last)).map(|(first, last)| first..=last)
        }
        _ => None,
    };
    let domain = |node: &Node| -> Option<Domain> {
        range(node).map(|range| vec![range]).or_else(|| node.list()?.iter().map(range).collect())
    };
    let domains: Option<Vec<Domain>> =
        node.list().and_then(|list| list.iter().map(domain).collect());
    let domains = domains.filter(|domains| !domains.is_empty()).ok_or_else(|| {
        let problem = format!(
            "must be a list of ranges of residues, such as [[11, 89]] for one domain, or [[[11, 89], [95, 120]]] for one domain of two parts, found {}",
            node.found()
        );
        section.fault(WRONG_TYPE, "domains", &problem)
    })?;
    section.keep("domains", node.value.clone());
    Ok(domains)
}

/// Gives the domains to the one chain; the problem if there are several.
fn with_domains(mut chains: Vec<Chain>, domains: &[Domain]) -> Result<Vec<Chain>, String> {
    if domains.is_empty() {
        return Ok(chains);
    }
    let count = chains.len();
    match chains.as_mut_slice() {
        [Chain { folded: Some(Folded { domains: of_chain, .. }), .. }] => {
            of_chain.extend_from_slice(domains);
            Ok(chains)
        }
        _ => Err(format!(
            "number the residues of one chain, and the structure has {count}: choose one by structure = {{ file = …, chains = \"A\" }}"
        )),
    }
}

/// The water with its salt. Its temperature is that of the dynamics, unless it is given.
fn read_solution(section: &mut Section<'_>, dynamics: &DynamicsRead) -> Result<Solution, Error> {
    let node = section.sub_table("solution");
    let mut inner = Section::open(&node, "`solution` in [system]", &SOLUTION_KEYS)?;
    let (kind, bound) = (Dimension::Concentration, Bound::NotNegative);
    let ionic_strength = inner.quantity_or("ionic_strength", kind, bound, "0.15 M")?.value;
    let ph = inner.number_or("ph", Bound::Any, 7.0)?;
    let automatic = |node: &Node| node.text() == Some(AUTOMATIC);
    let given = match inner.node("temperature").is_none_or(automatic) {
        true => None,
        false => inner.quantity("temperature", Dimension::Temperature, Bound::Positive)?,
    };
    let kelvin = match given {
        Some(temperature) => temperature.value,
        None => {
            inner.keep("temperature", Value::Text(AUTOMATIC.to_string()));
            dynamics.dynamics.temperature
        }
    };
    if kelvin <= 0.0 {
        let problem = "is that of the dynamics unless it is given, and that is 0 K, or left to [exchange]: write for example temperature = \"298 K\", at which water screens the charges";
        return Err(inner.fault(MISSING_KEY, "temperature", problem));
    }
    section.keep("solution", Value::Table(inner.resolved));
    Ok(Solution { temperature: kelvin / BOLTZMANN, ionic_strength, ph })
}

fn read_ends(section: &mut Section<'_>) -> Result<ChargedEnds, Error> {
    let words = ENDS.map(|(word, _)| word);
    let [first, last] = ENDS[section.choice("charged_ends", &words, Some(words[0]))?].1;
    Ok(ChargedEnds { first, last })
}
