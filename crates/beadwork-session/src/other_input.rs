//! What differs between the input of a run and another one, in words.

use beadwork_input::{Difference, Request, differences};

/// So many keys are named.
const KEYS_NAMED: usize = 3;
/// Longer values are cut.
const LONGEST_VALUE: usize = 60;

/// What the held run has, and what the asked one has in its place: `there random.seed is 1, not 3; …`. Empty if nothing that can be
/// named differs.
pub(crate) fn in_words(held: &Request, asked: &Request) -> String {
    let found = differences(&held.resolved, &asked.resolved).unwrap_or_default();
    let mut named: Vec<String> = found.iter().take(KEYS_NAMED).map(key_in_words).collect();
    if found.is_empty() {
        let other = |name: &str| asked.files.iter().find(|file| file.name == name);
        let is_changed = |contents: &[u8], name: &str| {
            other(name).is_some_and(|file| file.contents.as_slice() != contents)
        };
        let changed = held.files.iter().filter(|file| is_changed(&file.contents, &file.name));
        named.extend(changed.take(KEYS_NAMED).map(|file| format!("{} is another file", file.name)));
    }
    if named.is_empty() {
        return String::new();
    }
    match found.len().saturating_sub(KEYS_NAMED) {
        0 => {}
        1 => named.push("and 1 more key differs".to_string()),
        more => named.push(format!("and {more} more keys differ")),
    }
    format!("there {}", named.join("; "))
}

fn key_in_words(difference: &Difference) -> String {
    let value = |value: &Option<String>| match value {
        None => "absent".to_string(),
        Some(text) if text.chars().count() > LONGEST_VALUE => {
            format!("{}…", text.chars().take(LONGEST_VALUE).collect::<String>())
        }
        Some(text) => text.clone(),
    };
    let [held, asked] = &difference.values;
    format!("{} is {}, not {}", difference.path, value(held), value(asked))
}
