//! What differs between the resolved forms of two inputs.

use crate::document::{self, Node, Table, inline};
use crate::error::Error;
use crate::paths::stage_names;

/// A key that has different values in two resolved forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path of the key, such as `pull.steps` or `pull.drives.1.speed`.
    pub path: String,
    /// The value of the key in each form, as TOML; `None` where a form lacks it.
    pub values: [Option<String>; 2],
}

/// The keys that have different values in two resolved forms, in the order of the first one. The folder of the output counts for
/// nothing.
///
/// # Errors
/// A text that is no TOML.
pub fn differences(one: &str, other: &str) -> Result<Vec<Difference>, Error> {
    let read = |text: &str| document::parse(text, "resolved.toml");
    let (one, other) = (read(one)?, read(other)?);
    let mut found = Vec::new();
    let stages = [stage_names(&one), stage_names(&other)];
    compare("", [Some(&one), Some(&other)], &stages, &mut found);
    found.retain(|difference| difference.path != "output.folder");
    Ok(found)
}

/// Adds the differences of two values at a path.
fn compare(
    path: &str,
    nodes: [Option<&Node>; 2],
    stages: &[Vec<String>; 2],
    found: &mut Vec<Difference>,
) {
    if let [Some(one), Some(other)] = nodes {
        if let (Some(one), Some(other)) = (one.table(), other.table()) {
            for key in keys(one, other) {
                let below = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                compare(&below, [one.get(key), other.get(key)], stages, found);
            }
            return;
        }
        if let (Some(one), Some(other)) = (tables(one), tables(other)) {
            for place in 0..one.len().max(other.len()) {
                let name = stages.iter().find_map(|names| names.get(place));
                let below = match name.filter(|_| path == "stage") {
                    Some(name) => name.clone(),
                    None => format!("{path}.{}", place + 1),
                };
                compare(&below, [one.get(place), other.get(place)], stages, found);
            }
            return;
        }
    }
    let values = nodes.map(|node| node.map(|node| inline(&node.value)));
    if values[0] != values[1] {
        found.push(Difference { path: path.to_string(), values });
    }
}

/// The keys of two tables, those that only the other one has at the end.
fn keys<'a>(one: &'a Table, other: &'a Table) -> Vec<&'a str> {
    let new = other.entries.iter().filter(|entry| one.get(&entry.key).is_none());
    one.entries.iter().chain(new).map(|entry| entry.key.as_str()).collect()
}

/// The entries of a list of tables.
fn tables(node: &Node) -> Option<&[Node]> {
    node.list().filter(|list| list.iter().all(|entry| entry.table().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[system]\nstructure = { file = \"a.pdb\" }\n[[stage]]\nname = \"relax\"\nsteps = 10\n[[stage]]\nname = \"pull\"\nduration = \"20 us\"\ndrives = [{ kind = \"force\", force = \"5 pN\" }]\n[output]\nfolder = \"runs/a\"\n";

    fn found(changes: &[(&str, &str)]) -> Vec<String> {
        let change = |text: String, (from, to): &(&str, &str)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        };
        let other = changes.iter().fold(TEXT.to_string(), change);
        let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_string());
        let differences = differences(TEXT, &other).unwrap();
        let words = |difference: &Difference| {
            let [one, other] = &difference.values;
            format!("{} {} {}", difference.path, of(one), of(other))
        };
        differences.iter().map(words).collect()
    }

    #[test]
    fn keys_are_named_as_settings_are() {
        assert!(found(&[("runs/a", "elsewhere")]).is_empty());
        assert_eq!(
            found(&[
                ("\"a.pdb\"", "\"b.pdb\""),
                ("steps = 10", "steps = 20\nstop = \"never\""),
                ("\"5 pN\"", "\"6 pN\""),
            ]),
            [
                "system.structure.file \"a.pdb\" \"b.pdb\"",
                "relax.steps 10 20",
                "relax.stop - \"never\"",
                "pull.drives.1.force \"5 pN\" \"6 pN\"",
            ]
        );
        let more = found(&[("[output]", "[[stage]]\nname = \"end\"\nsteps = 5\n[output]")]);
        assert_eq!(more, ["end - { name = \"end\", steps = 5 }"]);
    }
}
