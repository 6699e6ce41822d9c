//! Dotted paths, by which sweeps and overrides name a value: `dynamics.temperature`, `pull.speed`.
//!
//! A path begins with a section or with the name of a stage. After a stage's name comes a key of
//! the stage, or a key of the one drive in it that has such keys; `pull.drives.2.speed` names a
//! drive by its number, `pull.drives.left.speed` by its name, and `pull.stage.fixed` the stage's own
//! key where a drive has it too. `system.pairs.1.depth` names an entry of a list by its number,
//! counted from 1. What a path means depends on kinds and names of drives only, never on which
//! defaults are spelled out, so that a document and its resolved form agree.

use crate::beads::build;
use crate::document::{Node, as_table};
use crate::error::{Error, Location, PATH};
use crate::foreign_words;
use crate::models::{ELASTIC_POLYMER, model};
use crate::sections::SECTIONS;
use crate::stages::{self, drive_accepts, settable_keys};
use crate::words::{meant, nearest};

/// Pairs of keys of which only one may be given: setting one removes the other.
pub(crate) const EITHER: [(&str, &str); 4] = [
    ("duration", "steps"),
    ("every", "every_steps"),
    ("friction", "diffusion"),
    ("friction", "collision_rate"),
];

/// More parts than any path has. Each part nests a table, and nested tables take stack.
const MOST_PARTS: usize = 20;

/// Sets the value that `path` names; creates missing sections and tables.
pub(crate) fn set(root: &mut Node, path: &str, at: &Location, value: Node) -> Result<(), Error> {
    let segments = segments_of(path);
    find(root, &segments)
        .and_then(|(node, below)| set_below(node, (&segments[..], &below[..]), at, value))
        .map_err(|problem| at.error(PATH, format!("`{path}`: {problem}")))
}

/// The value that `path` names, if the document has it.
pub(crate) fn value(root: &Node, path: &str) -> Option<Node> {
    let mut copy = root.clone();
    let (node, below) = find(&mut copy, &segments_of(path)).ok()?;
    let mut node: &Node = node;
    for key in &below {
        node = match node.list() {
            Some(list) => list.get(index_of(key, list.len())?)?,
            None => node.get(key)?,
        };
    }
    Some(node.clone())
}

/// The path with the number of a drive in place of its name; any other path as it is.
pub(crate) fn by_number(root: &Node, path: &str) -> String {
    let segments = segments_of(path);
    let [name, "drives", drive, _, ..] = segments.as_slice() else { return path.to_string() };
    let stage = stage_names(root).iter().position(|stage| stage == name);
    let stages = root.get("stage").and_then(Node::list).unwrap_or_default();
    let stage = stage.and_then(|index| stages.get(index));
    let drives = stage.and_then(|stage| stage.get("drives")).and_then(Node::list);
    match drives.and_then(|drives| index_of_drive(drives, drive)) {
        Some(index) => {
            let number = (index + 1).to_string();
            [&segments[..2], &[number.as_str()][..], &segments[3..]].concat().join(".")
        }
        None => path.to_string(),
    }
}

fn segments_of(path: &str) -> Vec<&str> {
    path.split('.').map(|part| part.trim().trim_matches('"')).collect()
}

/// The section, stage or drive that a path names, or the document, and the keys below it.
fn find<'n>(root: &'n mut Node, segments: &[&str]) -> Result<(&'n mut Node, Vec<String>), String> {
    let owned = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
    let [first, second, ..] = segments else {
        let problem = "a path has at least two parts, such as dynamics.temperature or pull.speed";
        return Err(problem.to_string());
    };
    if segments.len() > MOST_PARTS {
        return Err(format!("a path has at most {MOST_PARTS} parts"));
    }
    if segments.iter().any(|segment| segment.is_empty()) {
        return Err("a part of the path is empty; remove the dot".to_string());
    }
    let names = stage_names(root);
    if let Some(index) = names.iter().position(|name| name == first) {
        let keys = stage_keys(root);
        let stages = root.table_mut().and_then(|table| table.get_mut("stage"));
        let stage = stages.and_then(|stages| stages.list_mut().get_mut(index));
        let stage = stage.ok_or("the stage cannot be read")?;
        let (drive, rest) = find_in_stage(stage, (first, keys), &segments[1..])?;
        let Some(drive) = drive else { return Ok((stage, owned(rest))) };
        let drives = stage.table_mut().and_then(|table| table.get_mut("drives"));
        let drive = drives.and_then(|drives| drives.list_mut().get_mut(drive));
        return Ok((drive.ok_or("the drive cannot be read")?, owned(rest)));
    }
    if *first == "stage" || !SECTIONS.contains(first) {
        let mut known: Vec<&str> =
            SECTIONS.iter().copied().filter(|section| *section != "stage").collect();
        known.extend(names.iter().map(String::as_str));
        return Err(format!(
            "no section or stage is called \"{first}\"{} A path begins with {}",
            meant(first, &known, '"'),
            known.join(", ")
        ));
    }
    let mut keys = owned(segments);
    if *first == "ensemble" && *second == "sweep" && segments.len() > 2 {
        // In `[ensemble.sweep]` the rest of the path is one key, which is itself a path.
        keys.splice(2.., [swept_key(root, &segments[2..].join("."))]);
    }
    Ok((root, keys))
}

/// The key of `[ensemble.sweep]` that has this path, whether a drive has its number or its name there; without one the path.
fn swept_key(root: &Node, path: &str) -> String {
    let numbered = by_number(root, path);
    let sweep = root.get("ensemble").and_then(|ensemble| ensemble.get("sweep"));
    let entries = sweep.and_then(Node::table).map_or(&[][..], |sweep| &sweep.entries);
    let same = entries.iter().find(|entry| by_number(root, &entry.key) == numbered);
    same.map_or_else(|| path.to_string(), |entry| entry.key.clone())
}

/// The names of all stages, given or default.
pub(crate) fn stage_names(root: &Node) -> Vec<String> {
    let stages = root.get("stage").and_then(Node::list).unwrap_or_default();
    let name = |(index, stage): (usize, &Node)| {
        stage.get("name").map_or_else(|| stages::default_name(index), Node::plain)
    };
    stages.iter().enumerate().map(name).collect()
}

/// The keys that a stage may have in runs of the document's model.
fn stage_keys(root: &Node) -> &'static [&'static str] {
    let system = root.get("system");
    match system.and_then(model) {
        Some(ELASTIC_POLYMER) => &stages::KEYS_OF_CHAINS,
        _ => &stages::KEYS,
    }
}

/// The index of the drive that the path names, if it does, and the keys below the drive or the stage.
fn find_in_stage<'k>(
    stage: &Node,
    (name, keys): (&str, &[&str]),
    segments: &'k [&'k str],
) -> Result<(Option<usize>, &'k [&'k str]), String> {
    let drives = stage.get("drives").and_then(Node::list).unwrap_or_default();
    let path_of = |drive: &str, key: &str| format!("{name}.drives.{drive}.{key}");
    match segments {
        ["drives", number, rest @ ..] => {
            let count = drives.len();
            let index = index_of_drive(drives, number).filter(|_| !rest.is_empty());
            let index = index.ok_or_else(|| {
                format!(
                    "after \"drives\" comes the number or the name of a drive and a key, as in {}; the stage has {count} drive(s){}",
                    path_of("1", "speed"),
                    meant_entry(drives, &[name, "drives"], number, rest)
                )
            })?;
            Ok((Some(index), rest))
        }
        ["stage", rest @ ..] if rest.first().is_some_and(|key| keys.contains(key)) => {
            Ok((None, rest))
        }
        [key, ..] => {
            let accepts = |index: &usize| drive_accepts(&drives[*index], key);
            let accepting: Vec<usize> = (0..drives.len()).filter(accepts).collect();
            let candidates = || {
                let candidates =
                    accepting.iter().map(|index| path_of(&called(drives, *index), key));
                candidates.collect::<Vec<_>>().join(" or ")
            };
            match (keys.contains(key), accepting.as_slice()) {
                (true, []) => Ok((None, segments)),
                (true, _) => Err(format!(
                    "the stage and its drives both have this key; write {} for a drive's, or {name}.stage.{key} for the stage's own",
                    candidates()
                )),
                (false, [only]) => Ok((Some(*only), segments)),
                (false, []) => Err(unknown_in_stage((name, keys), key, drives)),
                (false, _) => Err(format!("several drives have this key; write {}", candidates())),
            }
        }
        [] => Err("the key is missing".to_string()),
    }
}

/// The message for a key that neither a stage nor one of its drives has.
fn unknown_in_stage((name, keys): (&str, &[&str]), key: &str, drives: &[Node]) -> String {
    let mut of_drives: Vec<&str> =
        drives.iter().flat_map(settable_keys).filter(|key| *key != "kind").collect();
    of_drives.sort_unstable();
    of_drives.dedup();
    let known: Vec<&str> = keys.iter().chain(&of_drives).copied().collect();
    let meant = match nearest(key, &known) {
        Some(near) => format!("; did you mean `{near}`? The stage"),
        None => match foreign_words::elsewhere(key, &format!("stage \"{name}\""), keys) {
            Some(answer) => format!(": {answer}; the stage"),
            None => "; the stage".to_string(),
        },
    };
    let drives = match of_drives.as_slice() {
        [] => String::new(),
        of_drives => format!(", its drives {}", of_drives.join(", ")),
    };
    format!(
        "neither stage \"{name}\" nor one of its drives has a key `{key}`{meant} has {}{drives}",
        keys.join(", ")
    )
}

/// Sets the value of the keys `segments` below a node; `path` is the whole path.
fn set_below(
    node: &mut Node,
    (path, segments): (&[&str], &[String]),
    at: &Location,
    value: Node,
) -> Result<(), String> {
    let [key, rest @ ..] = segments else { return Ok(()) };
    if let Some(list) = node.list() {
        let index = index_of(key, list.len()).ok_or_else(|| {
            let before = &path[..path.len().saturating_sub(segments.len())];
            let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
            format!(
                "`{key}` is not the number of an entry; the list has {}, counted from 1{}",
                list.len(),
                meant_entry(list, before, key, &rest)
            )
        })?;
        let entry = &mut node.list_mut()[index];
        if rest.is_empty() {
            *entry = value;
            return Ok(());
        }
        return set_below(entry, (path, rest), at, value);
    }
    let Some(table) = node.table_mut() else {
        return Err(format!("`{key}` cannot be set in what is not a table"));
    };
    if rest.is_empty() {
        for (one, other) in EITHER {
            if key == one {
                table.remove(other);
            } else if key == other {
                table.remove(one);
            }
        }
        table.set(key, at, value);
        return Ok(());
    }
    if table.get(key).is_none() {
        table.set(key, at, Node::empty(at));
    }
    let Some(inner) = table.get_mut(key) else { return Ok(()) };
    match key.as_str() {
        "structure" | "start" => *inner = as_table(inner),
        "build" => {
            // The resolved form is the full one, and a path means the same in both.
            *inner = build::in_full(inner);
            let keys: Vec<&str> = rest.iter().map(String::as_str).collect();
            if let Some(problem) = build::problem_with(inner, &keys) {
                return Err(problem);
            }
            let rest: Vec<String> =
                build::keys_in_full(&keys).into_iter().map(str::to_string).collect();
            return set_below(inner, (path, &rest[..]), at, value);
        }
        _ => {}
    }
    set_below(inner, (path, rest), at, value)
}

/// The most paths that a message proposes.
const MOST_PROPOSED: usize = 3;

/// The end of a message about a part of a path that is not the number of an entry: `; did you mean …?`, or nothing. The part may be
/// the name or the kind of an entry, or a key of one, whose number was left out.
fn meant_entry(list: &[Node], before: &[&str], part: &str, rest: &[&str]) -> String {
    let whole = |parts: &[&str]| format!("`{}`", [before, parts].concat().join("."));
    let proposed = |keys: &[&str], fits: &dyn Fn(&Node) -> bool| -> Vec<String> {
        let fitting = (1..).zip(list).filter(|&(_, entry)| fits(entry));
        let path = |(number, _): (usize, &Node)| {
            let number = number.to_string();
            whole(&[&[number.as_str()][..], keys].concat())
        };
        fitting.take(MOST_PROPOSED).map(path).collect()
    };
    let word_of = |entry: &Node, key: &str| entry.get(key).and_then(Node::text).map(str::to_string);
    let words = list.iter().flat_map(|entry| ["name", "kind"].map(|key| word_of(entry, key)));
    let words: Vec<String> = words.flatten().collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let entries = list.iter().filter_map(Node::table).flat_map(|table| &table.entries);
    let keys: Vec<&str> = entries.map(|entry| entry.key.as_str()).collect();
    let called = |word: &str| {
        let is_called = |entry: &Node| {
            ["name", "kind"].iter().any(|key| word_of(entry, key).as_deref() == Some(word))
        };
        proposed(rest, &is_called)
    };
    let with_key = |key: &str| {
        proposed(&[&[key][..], rest].concat(), &|entry: &Node| entry.get(key).is_some())
    };
    let found = if words.contains(&part) {
        called(part)
    } else if keys.contains(&part) {
        with_key(part)
    } else if let Some(key) = nearest(part, &keys) {
        with_key(key)
    } else if let Some(word) = nearest(part, &words) {
        called(word)
    } else {
        // The number of an entry that is not there.
        let first = rest.first().copied();
        proposed(rest, &|entry: &Node| first.is_some_and(|key| entry.get(key).is_some()))
    };
    match found.as_slice() {
        [] => String::new(),
        found => format!("; did you mean {}?", found.join(" or ")),
    }
}

/// The name of a drive by which a path finds it, else its number.
fn called(drives: &[Node], index: usize) -> String {
    let name = drives[index].get("name").and_then(Node::text);
    let found =
        name.filter(|name| !name.contains('.') && index_of_drive(drives, name) == Some(index));
    found.map_or_else(|| (index + 1).to_string(), str::to_string)
}

/// The index of a drive by its number, or by its name, which begins with a letter.
fn index_of_drive(drives: &[Node], word: &str) -> Option<usize> {
    let is_called = |drive: &Node| drive.get("name").and_then(Node::text) == Some(word);
    index_of(word, drives.len()).or_else(|| drives.iter().position(is_called))
}

/// The index of one of `count` entries by its number, from 1 and without leading zeros.
fn index_of(number: &str, count: usize) -> Option<usize> {
    (0..count).find(|index| (index + 1).to_string() == number)
}
