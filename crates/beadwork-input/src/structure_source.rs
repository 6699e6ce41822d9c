//! Reads `structure` in `[system]`: the file, and which part or copies of it are simulated.

use std::path::PathBuf;

use beadwork_model::force_fields::sop::{self, Beads};
use beadwork_structure::{
    Assembly, Axis, Chain, Orientation, ReadOptions, Structure, parse_assembly,
};

use crate::document::{Node, Value, as_table, inline};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, WRONG_TYPE};
use crate::files::Files;
use crate::off_axis::warning_off_axis;
use crate::section::{Read, Section};
use crate::selection::{parse_selection, warning_of_parts};

const STRUCTURE_KEYS: [&str; 6] = ["file", "chains", "assembly", "select", "model", "orient"];

pub(crate) struct Source {
    path: PathBuf,
    /// Its name in the resolved form.
    pub name: String,
    pub place: Location,
    model: Option<u32>,
    chains: Option<(Vec<String>, Location)>,
    assembly: Option<(String, Location)>,
    select: Read<String>,
    orient: Option<Orient>,
}

/// How `orient` turns a structure.
struct Orient {
    /// As it is written.
    words: String,
    orientation: Orientation,
    place: Location,
}

pub(crate) struct Chosen {
    /// The structure of the beads; if an assembly is built, the whole assembly.
    pub structure: Structure,
    pub beads: Beads,
    pub assembly: Option<AssemblyUsed>,
    pub turned: Option<Turned>,
}

/// How a structure was turned before its beads were made.
#[derive(Clone, Debug, PartialEq)]
pub struct Turned {
    /// The axis as the input names it.
    pub name: String,
    /// The axis in the file, which now lies along +z.
    pub axis: Axis,
}

/// How an assembly copied the chains of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyUsed {
    /// The file's name for the assembly: a number, in a few mmCIF files a word.
    pub id: String,
    /// The operators and their chains, in the order of the copies.
    pub generators: Vec<GeneratorUsed>,
}

/// Operators and the chains that they copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorUsed {
    /// The number of operators.
    pub operators: usize,
    /// Identifiers of the chains, without repeats.
    pub chains: Vec<String>,
}

impl AssemblyUsed {
    fn new(assembly: &Assembly, unit: &Structure, keep: impl Fn(&Chain) -> bool) -> AssemblyUsed {
        let generators = assembly.generators.iter().map(|generator| {
            let mut chains: Vec<String> = Vec::new();
            let copied = generator.chains().iter().filter_map(|&chain| unit.chains.get(chain));
            for chain in copied.filter(|chain| keep(chain)) {
                if !chains.contains(&chain.id) {
                    chains.push(chain.id.clone());
                }
            }
            GeneratorUsed { operators: generator.operators(), chains }
        });
        let generators = generators.filter(|generator| !generator.chains.is_empty()).collect();
        AssemblyUsed { id: assembly.id.clone(), generators }
    }
}

impl Source {
    pub fn read(section: &mut Section<'_>, files: &mut Files) -> Result<Source, Error> {
        let node = section
            .node("structure")
            .map(as_table)
            .ok_or_else(|| section.missing("structure", "\"1TIT.pdb\""))?;
        let mut inner = Section::open(&node, "`structure` in [system]", &STRUCTURE_KEYS)?;
        let file = inner.required_text("file", "1TIT.pdb")?;
        let path = files.load(&file.value, &file.place)?;
        files.note_positions(std::slice::from_ref(&path));
        let name = files.resolved_name(&file.value);
        inner.keep("file", Value::Text(name.clone()));
        let chains = read_chains(&mut inner)?;
        let assembly = read_assembly_id(&mut inner)?;
        let select = inner.text_or("select", "all")?;
        let model = match inner.integer("model", 0, "1")? {
            None => None,
            Some(read) => Some(u32::try_from(read.value).map_err(|_| {
                inner.fault(BAD_VALUE, "model", "must be the number of a model in the file")
            })?),
        };
        let orient = read_orient(&mut inner)?;
        section.keep("structure", Value::Table(inner.resolved));
        Ok(Source { path, name, place: file.place, model, chains, assembly, select, orient })
    }

    /// The beads of the chosen chains that the selection matches, copied if an assembly is asked for. The structure
    /// keeps atoms without a bead if `side_chains` is set.
    pub fn choose(&self, files: &mut Files, side_chains: bool) -> Result<Chosen, Error> {
        let Some((id, place)) = &self.assembly else {
            let mut structure = files.structure(&self.path, self.model, &self.place)?.clone();
            self.warn_of_models(&mut structure);
            let turned = self.turn(&mut structure, |one| match one.orientation {
                Orientation::Along(direction) => {
                    Ok(Axis { direction, equivalent: 1, quasi: None })
                }
                _ => {
                    let problem = format!(
                        "`structure` in [system]: `orient` is \"{}\", an axis of an assembly, and no `assembly` is built: write one, such as assembly = 1, or a vector [x, y, z]",
                        one.words
                    );
                    Err(one.place.error(CONFLICT, problem))
                }
            })?;
            let beads = self.choose_chains(Beads::from_structure(&structure), &structure)?;
            let (beads, unmatched) = self.select(&beads)?;
            structure.warnings.extend(unmatched);
            return Ok(Chosen { beads, structure, assembly: None, turned });
        };
        let options = ReadOptions { model: self.model };
        let (text, source) = files.text(&self.path, &self.place)?;
        let (mut unit, assembly) =
            parse_assembly(&text, &source, &options, id).map_err(place.blame())?;
        // Reports unknown chains before anything is copied.
        self.choose_chains(Beads::from_structure(&unit), &unit)?;
        if !side_chains {
            // Only the sulfurs are kept: disulfides are found by them.
            unit.retain_atoms(|atom| atom.name == "SG");
        }
        let keep = |chain: &Chain| {
            self.chains.as_ref().is_none_or(|(chains, _)| chains.contains(&chain.id))
        };
        let mut structure = assembly.build(&unit, keep).map_err(place.blame())?;
        self.warn_of_models(&mut structure);
        let turned = self.turn(&mut structure, |one| {
            assembly.axis(&unit, keep, one.orientation).map_err(one.place.blame())
        })?;
        let all = Beads::from_structure(&structure);
        let (beads, unmatched) = self.select(&all)?;
        structure.warnings.extend(unmatched);
        if let Some(Orient { words, orientation, .. }) = &self.orient
            && let Orientation::Fold(order) | Orientation::QuasiFold(order) = orientation
        {
            structure.warnings.extend(warning_off_axis(&all, &beads, words, *order));
        }
        let assembly = Some(AssemblyUsed::new(&assembly, &unit, keep));
        Ok(Chosen { structure, beads, assembly, turned })
    }

    /// Turns the structure if the input asks for it, by an axis that `find` finds.
    fn turn(
        &self,
        structure: &mut Structure,
        find: impl FnOnce(&Orient) -> Result<Axis, Error>,
    ) -> Result<Option<Turned>, Error> {
        let Some(one) = &self.orient else { return Ok(None) };
        let axis = find(one)?;
        if !structure.turn_to_z(axis.direction) {
            let problem = "`structure` in [system]: `orient` has no direction, because its length is 0: write a vector such as [0, 0, 1]";
            return Err(one.place.error(BAD_VALUE, problem));
        }
        Ok(Some(Turned { name: one.words.clone(), axis }))
    }

    /// Whether the input chooses chains.
    pub fn names_chains(&self) -> bool {
        self.chains.is_some()
    }

    /// Puts the name of the file before a warning.
    pub fn named(&self) -> impl Fn(&String) -> String + '_ {
        let file = self.name.trim_start_matches("inputs/");
        move |warning| format!("{file}: {warning}")
    }

    /// The structure, and the numbers of the chosen chains in it, for models that need whole chains.
    pub fn whole_chains(&self, files: &mut Files) -> Result<(Structure, Vec<usize>), Error> {
        if let Some((_, place)) = &self.assembly {
            let problem = "[system]: `assembly` has no place here: residues are built from the chains of the file; choose them by `chains`";
            return Err(place.error(CONFLICT, problem));
        }
        if let Some(Orient { place, .. }) = &self.orient {
            let problem = "[system]: `orient` has no place here: only proteins of the model \"sop\" are turned";
            return Err(place.error(CONFLICT, problem));
        }
        if self.select.value.trim() != "all" {
            let problem = "[system]: `select` has no place here: chains of residues are whole; choose them by `chains`";
            return Err(self.select.place.error(CONFLICT, problem));
        }
        let mut structure = files.structure(&self.path, self.model, &self.place)?.clone();
        self.warn_of_models(&mut structure);
        // Reports chains that the file does not have.
        self.choose_chains(Beads::from_structure(&structure), &structure)?;
        let chosen = |chain: &Chain| {
            self.chains.as_ref().is_none_or(|(chains, _)| chains.contains(&chain.id))
        };
        let numbers = (0..structure.chains.len()).filter(|&chain| chosen(&structure.chains[chain]));
        let numbers = numbers.collect();
        Ok((structure, numbers))
    }

    /// Says that a file has several models of which the input names none.
    fn warn_of_models(&self, structure: &mut Structure) {
        if self.model.is_none() && structure.models > 1 {
            let warning = format!(
                "there are {} models, and the first one is taken, because `structure` names none: write its number, such as model = 1, to drop this warning",
                structure.models
            );
            structure.warnings.push(warning);
        }
    }

    fn choose_chains(&self, beads: Beads, structure: &Structure) -> Result<Beads, Error> {
        let Some((chains, place)) = &self.chains else { return Ok(beads) };
        for id in chains {
            if !beads.labels.iter().any(|bead| bead.chain == *id) {
                let hint = match self.assembly {
                    Some(_) => {
                        ". `chains` names those that are copied; `select` chooses of the copies"
                    }
                    None => "",
                };
                let problem = format!(
                    "[system]: {} has no chain \"{id}\"; there are {}{hint}",
                    structure.source,
                    sop::describe_chains(&beads.labels)
                );
                return Err(place.error(BAD_VALUE, problem));
            }
        }
        let ids: Vec<String> = chains.iter().map(|id| format!("\"{id}\"")).collect();
        let selection = parse_selection(&format!("chain {}", ids.join(" ")), place)?;
        beads.select(&selection, "[system], chains").map_err(place.blame())
    }

    /// The beads that `select` matches, and a warning if parts of it match none.
    fn select(&self, beads: &Beads) -> Result<(Beads, Option<String>), Error> {
        let selection = parse_selection(&self.select.value, &self.select.place)?;
        let chosen = beads.select(&selection, "[system], structure");
        let warning =
            warning_of_parts("`select` of `structure` in [system]", &selection, &beads.labels);
        Ok((chosen.map_err(self.select.place.blame())?, warning))
    }
}

fn read_chains(section: &mut Section<'_>) -> Result<Option<(Vec<String>, Location)>, Error> {
    let Some(node) = section.node("chains") else { return Ok(None) };
    let expected = "must name chains, such as \"A\", \"A B\" or [\"A\", \"B\"]";
    let fault = |code| section.fault(code, "chains", expected);
    let ids: Option<Vec<&str>> = match node.list() {
        Some(list) => list.iter().map(Node::text).collect(),
        None => {
            node.text().map(|text| text.split([' ', ',']).filter(|id| !id.is_empty()).collect())
        }
    };
    let ids = ids.ok_or_else(|| fault(WRONG_TYPE))?;
    if ids.is_empty() {
        return Err(fault(BAD_VALUE));
    }
    section.keep("chains", node.value.clone());
    Ok(Some((ids.into_iter().map(str::to_string).collect(), node.place.clone())))
}

/// Reads the assembly: a number, or a text for files that name their assemblies by words.
fn read_assembly_id(section: &mut Section<'_>) -> Result<Option<(String, Location)>, Error> {
    let Some(node) = section.node("assembly") else { return Ok(None) };
    let id = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) if !text.trim().is_empty() => text.trim().to_string(),
        value => {
            let advice = match value {
                Value::Float(_) => ": write it without a point",
                _ => "",
            };
            let problem = format!(
                "must be the number of an assembly in the file, such as 1, found {}{advice}",
                node.found()
            );
            return Err(section.fault(WRONG_TYPE, "assembly", &problem));
        }
    };
    section.keep("assembly", node.value.clone());
    Ok(Some((id, node.place.clone())))
}

/// Reads `orient`: the name of an axis, or a vector.
fn read_orient(section: &mut Section<'_>) -> Result<Option<Orient>, Error> {
    let Some(node) = section.node("orient") else { return Ok(None) };
    let place = node.place.clone();
    let Some(text) = node.text() else {
        let vector = section.vector("orient").map_err(|error| {
            if error.code() != WRONG_TYPE {
                return error;
            }
            let problem = format!(
                "must be the name of an axis, such as \"2-fold\", or a vector [x, y, z], found {}",
                node.found_in_place_of_numbers(3)
            );
            section.fault(WRONG_TYPE, "orient", &problem)
        })?;
        return Ok(vector.map(|direction| {
            let words = inline(&node.value);
            Orient { words, orientation: Orientation::Along(direction), place }
        }));
    };
    let orientation = Orientation::named(text).ok_or_else(|| {
        let problem = format!(
            "does not know \"{text}\"; it may be an axis of the assembly, such as \"2-fold\" or \"quasi-3-fold\", or a vector [x, y, z]"
        );
        section.fault(BAD_VALUE, "orient", &problem)
    })?;
    section.keep("orient", node.value.clone());
    Ok(Some(Orient { words: text.to_string(), orientation, place }))
}
