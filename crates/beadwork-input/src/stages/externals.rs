//! `drives` of a stage: external forces and restraints.

use beadwork_model::externals::{Ends, External, Force, ForceRamp, Restrain, Spring, unit};
use beadwork_model::units::Dimension;
use beadwork_structure::{Label, chain_words};

use super::context::{StageContext, read_selection};
use super::indentation::{PATH_KEYS, SURFACE_KEYS, TIP_KEYS, read_surface, read_tip};
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, WRONG_TYPE};
use crate::numbers::Bound;
use crate::section::{Read, Section};
use crate::steps;

/// The most letters in the name of a drive.
const LONGEST_NAME: usize = 40;

/// Reads a drive of a kind, behind those `before` in its stage.
type Reader = fn(&mut Section<'_>, &mut StageContext<'_>, &[External]) -> Result<External, Error>;

/// The kinds of drives, their keys beside `kind`, in groups, and their readers.
const DRIVES: &[(&str, &[&[&str]], Reader)] = &[
    (
        "spring",
        &[&["name", "fixed", "pulled", "stiffness", "speed", "direction", "update_every"]],
        |section, context, _| {
            let ends = read_ends(section, context)?;
            let (stiffness, speed) = read_spring(section)?;
            let update_every = steps::number_or(section, "update_every", 1, "steps")?;
            Ok(External::Spring(Spring { ends, stiffness, speed, update_every }))
        },
    ),
    ("force", &[&["name", "fixed", "pulled", "force", "direction"]], |section, context, _| {
        let ends = read_ends(section, context)?;
        let force = section.required_quantity("force", Dimension::Force, Bound::Any, "100 pN")?;
        Ok(External::Force(Force { ends, force }))
    }),
    (
        "force-ramp",
        &[&["name", "fixed", "pulled", "rate", "stiffness", "speed", "direction"]],
        |section, context, _| {
            let ends = read_ends(section, context)?;
            Ok(External::ForceRamp(ForceRamp { ends, rate: read_rate(section)? }))
        },
    ),
    ("restrain", &[&["select", "stiffness"]], |section, context, _| {
        let beads = read_selection(section, context, "select", "index 0-9")?;
        let stiffness = read_stiffness(section, "1 kcal/(mol A^2)")?;
        Ok(External::Restrain(Restrain { beads, stiffness }))
    }),
    ("tip", TIP_KEYS, read_tip),
    ("surface", SURFACE_KEYS, read_surface),
];

/// The keys of a kind.
fn drive_keys(kind: &str) -> Option<Vec<&'static str>> {
    let (_, groups, _) = DRIVES.iter().find(|(known, ..)| *known == kind)?;
    Some([&[&["kind"][..]], *groups].concat().concat())
}

/// The keys that a path may set in this drive.
pub(crate) fn settable_keys(external: &Node) -> impl Iterator<Item = &'static str> {
    let kind = external.get("kind").map(Node::plain);
    let keys = kind.as_deref().and_then(drive_keys).unwrap_or_default();
    keys.into_iter().filter(move |key| drive_accepts(external, key))
}

/// Whether a path may set this key of this drive. A ramp written by its rate has no stiffness, and a drive that continues has
/// the path of its base alone, if it has one. `STAGE.name` is the stage's.
pub(crate) fn drive_accepts(external: &Node, key: &str) -> bool {
    let Some(table) = external.table() else { return false };
    let kind = table.get("kind").map(Node::plain).unwrap_or_default();
    let Some(keys) = drive_keys(&kind) else { return false };
    let has = |key: &str| table.get(key).is_some();
    keys.contains(&key)
        && match (kind.as_str(), key) {
            ("force-ramp", "rate") => has("rate") || !(has("stiffness") || has("speed")),
            ("force-ramp", "stiffness" | "speed") => !has("rate"),
            (_, "name") => false,
            _ if continues(external) => PATH_KEYS.contains(&key),
            _ => true,
        }
}

fn continues(external: &Node) -> bool {
    external.get("continue").is_some_and(|node| matches!(node.value, Value::Boolean(true)))
}

/// Reads the drives of a stage, and adds the beads that they hold to those that the stage holds.
pub(super) fn read_drives(
    section: &mut Section<'_>,
    context: &mut StageContext<'_>,
    fixed: &mut Vec<usize>,
) -> Result<Vec<External>, Error> {
    let mut externals = Vec::new();
    let mut resolved = Vec::new();
    if let Some(node) = section.node("drives") {
        let Some(list) = node.list() else {
            let problem =
                format!("must be a list of tables [ {{ kind = … }} ], found {}", node.found());
            return Err(section.fault(WRONG_TYPE, "drives", &problem));
        };
        for (index, node) in list.iter().enumerate() {
            let name = format!("{}, drive {}", section.name, index + 1);
            let (external, table) = read_drive(node, &name, context, &externals)?;
            fixed.extend(external.ends().iter().flat_map(|ends| &ends.fixed));
            externals.push(external);
            resolved.push(Node::new(Value::Table(table), &node.place));
        }
        name_by_number(&mut externals);
        refuse_two_tips(section, &externals, list)?;
        refuse_same_names(section, &externals, list)?;
        fixed.sort_unstable();
        fixed.dedup();
        for (external, node) in externals.iter().zip(list) {
            refuse_pulling_fixed(section, external, node, fixed, context.beads)?;
        }
    }
    section.keep("drives", Value::List(resolved));
    Ok(externals)
}

fn read_drive(
    node: &Node,
    name: &str,
    context: &mut StageContext<'_>,
    before: &[External],
) -> Result<(External, Table), Error> {
    let kind = node.get("kind").map(Node::plain);
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    // For an unknown kind, accepts every key here, so that `choice` below reports the kind.
    let every: Vec<&str> = match kind.as_deref().and_then(drive_keys) {
        Some(keys) => keys,
        None => entries.iter().map(|entry| entry.key.as_str()).collect(),
    };
    let mut section = Section::open(node, name, &every)?.in_units(context.timestep.units);
    let kinds: Vec<&str> = DRIVES.iter().map(|(kind, ..)| *kind).collect();
    let (_, _, read) = DRIVES[section.choice("kind", &kinds, None)?];
    let external = read(&mut section, context, before)?;
    Ok((external, section.resolved))
}

fn read_stiffness(section: &mut Section<'_>, example: &str) -> Result<f64, Error> {
    section.required_quantity("stiffness", Dimension::Stiffness, Bound::NotNegative, example)
}

fn read_spring(section: &mut Section<'_>) -> Result<(f64, f64), Error> {
    let stiffness = read_stiffness(section, "35 pN/nm")?;
    let speed = section.required_quantity("speed", Dimension::Speed, Bound::Any, "2.5 um/s")?;
    Ok((stiffness, speed))
}

/// r_f, given directly or as stiffness times speed of the spring that the ramp replaces.
fn read_rate(section: &mut Section<'_>) -> Result<f64, Error> {
    if let Some(rate) = section.quantity("rate", Dimension::LoadingRate, Bound::Any)? {
        section.exclude(&["stiffness", "speed"], "the rate says how fast the force grows")?;
        return Ok(rate.value);
    }
    if !section.has("stiffness") && !section.has("speed") {
        let example = "\"87.5 pN/ms\" (or stiffness = \"35 pN/nm\" and speed = \"2.5 um/s\")";
        return Err(section.missing("rate", example));
    }
    let (stiffness, speed) = read_spring(section)?;
    Ok(stiffness * speed)
}

/// The ends of a drive.
fn read_ends(section: &mut Section<'_>, context: &mut StageContext<'_>) -> Result<Ends, Error> {
    let direction = match section.vector("direction")? {
        None => None,
        Some(vector) => Some(unit(vector).ok_or_else(|| {
            section.fault(BAD_VALUE, "direction", "must have a length: it is [0, 0, 0]")
        })?),
    };
    let fixed_text = section.required_text("fixed", "first")?;
    let fixed = context.select_or_none(&fixed_text, format!("{}, fixed", section.name))?;
    if fixed.is_empty() && direction.is_none() {
        let problem = "can be \"none\" only beside a `direction`: without one the pull runs from the fixed to the pulled beads";
        return Err(section.fault(BAD_VALUE, "fixed", problem));
    }
    let pulled = read_selection(section, context, "pulled", "last")?;
    let name = read_name(section)?.unwrap_or_default();
    Ok(Ends { fixed, pulled, direction, name })
}

/// The name of a drive in columns of its own. It begins with a letter, so that it is no number of another drive.
fn read_name(section: &mut Section<'_>) -> Result<Option<String>, Error> {
    let Some(Read { value: name, .. }) = section.text("name", "left")? else { return Ok(None) };
    let is_of_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if name.chars().count() > LONGEST_NAME {
        let problem = format!(
            "has {} letters, and is part of the names of columns: write at most {LONGEST_NAME}",
            name.chars().count()
        );
        return Err(section.fault(BAD_VALUE, "name", &problem));
    }
    if !name.starts_with(char::is_alphabetic) || !name.chars().all(is_of_word) {
        let problem = format!(
            "must begin with a letter and may only have letters, digits, - and _, since it is part of the names of columns; it is \"{name}\""
        );
        return Err(section.fault(BAD_VALUE, "name", &problem));
    }
    Ok(Some(name))
}

/// Where several drives have a part in the columns of force and work, each that pulls has columns of its own, by its number if it
/// has no name.
fn name_by_number(externals: &mut [External]) {
    if externals.iter().filter(|external| external.has_force()).count() < 2 {
        return;
    }
    for (index, external) in externals.iter_mut().enumerate() {
        if let Some(ends) = external.ends_mut().filter(|ends| ends.name.is_empty()) {
            ends.name = (index + 1).to_string();
        }
    }
}

/// Refuses two drives of one name, which would have the same columns.
fn refuse_same_names(
    section: &Section<'_>,
    externals: &[External],
    nodes: &[Node],
) -> Result<(), Error> {
    for (place, external) in externals.iter().enumerate() {
        let Some(name) = external.name() else { continue };
        if externals[..place].iter().any(|other| other.name() == Some(name)) {
            let place = nodes[place].get("name").map_or(&nodes[place].place, |name| &name.place);
            let problem = format!(
                "{}: `name`: another drive of the stage is called \"{name}\" too, and both would have the same columns: choose another",
                section.name
            );
            return Err(place.error(CONFLICT, problem));
        }
    }
    Ok(())
}

/// Refuses a second tip, since tables have the columns of one.
fn refuse_two_tips(
    section: &Section<'_>,
    externals: &[External],
    nodes: &[Node],
) -> Result<(), Error> {
    let is_tip = |index: &usize| externals[*index].moves_every().is_some();
    let tips: Vec<usize> = (0..externals.len()).filter(is_tip).collect();
    let [first, second, ..] = tips[..] else { return Ok(()) };
    let problem = format!(
        "{}, drive {}: a second {} beside that of drive {}; a stage takes one, whose columns its tables have: leave one out, or give it a stage of its own",
        section.name,
        second + 1,
        externals[second].kind(),
        first + 1
    );
    Err(nodes[second].place.error(CONFLICT, problem))
}

fn refuse_pulling_fixed(
    section: &Section<'_>,
    external: &External,
    node: &Node,
    fixed: &[usize],
    beads: &[Label],
) -> Result<(), Error> {
    let Some(ends) = external.ends() else { return Ok(()) };
    let Some(bead) = ends.pulled.iter().find(|bead| fixed.binary_search(bead).is_ok()) else {
        return Ok(());
    };
    let who = &beads[*bead];
    let insertion = who.insertion.map(String::from).unwrap_or_default();
    let place = node.get("pulled").map_or(&node.place, |pulled| &pulled.place);
    let problem = format!(
        "{}: bead {bead} ({}, residue {}{insertion} {}) is both fixed and pulled, so that pulling cannot move it: take it out of one of the selections",
        section.name,
        chain_words(&who.chain),
        who.residue_number,
        who.residue_name
    );
    Err(place.error(CONFLICT, problem))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::Request;

    /// A drive of each kind of the list, with the keys that it must have.
    const EXAMPLES: &[&str] = &[
        r#"fixed = "first", pulled = "last", stiffness = "1 pN/nm", speed = "1 um/s""#,
        r#"fixed = "first", pulled = "last", force = "1 pN""#,
        r#"fixed = "first", pulled = "last", rate = "1 pN/us""#,
        r#"select = "all", stiffness = "1 pN/nm""#,
        r#"above = "all", radius = "9 nm", stiffness = "1 pN/nm", friction = "8.7e7 pN ps/nm", speed = "1 um/s""#,
        r#"below = "all""#,
    ];

    fn parse(text: &str) -> Result<Request, Error> {
        crate::parse(text, "in.toml", Path::new("."), &[])
    }

    fn read(kind: &str, keys: &str) -> Result<Request, Error> {
        parse(&format!(
            "[system]\nmodel = \"residues\"\nsequence = \"GSKHE\"\n[[stage]]\nsteps = 10\ndrives = [{{ kind = \"{kind}\", {keys} }}]\n"
        ))
    }

    #[test]
    fn every_law_has_a_kind_of_drive() {
        let laws: BTreeSet<&str> = External::examples(9).iter().map(External::kind).collect();
        let kinds: BTreeSet<&str> = DRIVES.iter().map(|(kind, ..)| *kind).collect();
        assert_eq!(kinds, laws);
        assert_eq!(EXAMPLES.len(), DRIVES.len(), "EXAMPLES has each kind of drive");
    }

    /// A drive is of its kind, its resolved form is the same drive, and no key is passed over: none takes an empty list.
    #[test]
    fn every_kind_is_read_with_all_of_its_keys() {
        for ((kind, keys, _), example) in DRIVES.iter().zip(EXAMPLES) {
            let externals =
                |request: &Request| request.points[0].protocol.stages[0].externals.clone();
            let request = read(kind, example).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let resolved = parse(&request.resolved).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(externals(&request)[0].kind(), *kind);
            assert_eq!(externals(&resolved), externals(&request));
            for key in keys.concat() {
                let entries = example.split(", ");
                let others = entries.filter(|entry| !entry.starts_with(&format!("{key} = ")));
                let odd: String = others.map(|entry| format!("{entry}, ")).collect();
                assert!(
                    read(kind, &format!("{odd}{key} = []")).is_err(),
                    "{kind} passes over {key}"
                );
            }
        }
    }
}
