//! Names of points by the keys that tell them apart.

use std::collections::BTreeSet;

use crate::data::{Group, Setting};
use crate::words::{group_name, with_symbols, word};

/// A point and its names.
pub(super) struct Named<'a> {
    pub group: &'a Group,
    /// The run, if several are compared.
    pub run: String,
    /// The name in labels, what it has behind the name of the group, and the short name.
    pub full: String,
    suffix: String,
    pub short: String,
}

impl<'a> Named<'a> {
    pub fn new(full: &str, group: &'a Group) -> Named<'a> {
        Named {
            group,
            run: run_of(group),
            full: full.to_string(),
            suffix: full.strip_prefix(group.name.as_str()).unwrap_or_default().to_string(),
            short: with_symbols(full),
        }
    }

    fn value(&self, key: &str) -> Option<&str> {
        let found = self.group.settings.iter().find(|setting| setting.key == key);
        found.map(|setting| setting.value.as_str())
    }

    /// Some settings, with the symbols of units.
    fn settings(&self, keys: &[&str]) -> Vec<Setting> {
        let settings = self.group.settings.iter();
        let chosen = settings.filter(|setting| keys.contains(&setting.key.as_str()));
        chosen.map(|one| Setting { value: with_symbols(&one.value), ..one.clone() }).collect()
    }

    pub fn settings_in_words(&self, keys: &[&str]) -> String {
        group_name("", &self.settings(keys), None)
    }

    /// The name by some keys, with the run and the stage.
    pub fn named_by(&self, keys: &[&str]) -> String {
        let stage = Some(self.group.stage.as_str()).filter(|stage| !stage.is_empty());
        let name = group_name(&self.run, &self.settings(keys), stage) + &self.suffix;
        name.trim_start_matches(", ").to_string()
    }
}

/// The run in a group's name.
pub(crate) fn run_of(group: &Group) -> String {
    let stage = Some(group.stage.as_str()).filter(|stage| !stage.is_empty());
    let own = group_name("", &group.settings, stage);
    match group.name.strip_suffix(&own) {
        Some(run) if own.is_empty() || run.is_empty() => run.to_string(),
        Some(run) if run.ends_with(": ") => run.trim_end_matches(": ").to_string(),
        // Names may have whole keys.
        _ => group.name.split_once(": ").map_or("", |(run, _)| run).to_string(),
    }
}

/// The keys of all groups in the order of their settings.
pub(super) fn keys<'a>(groups: &[Named<'a>]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for setting in groups.iter().flat_map(|named| &named.group.settings) {
        if !keys.contains(&setting.key.as_str()) {
            keys.push(&setting.key);
        }
    }
    keys
}

/// Whether a key has several values.
pub(super) fn differs(groups: &[&Named<'_>], key: &str) -> bool {
    groups.iter().any(|one| one.value(key) != groups[0].value(key))
}

/// Whether keys tell all groups apart, with their runs and stages.
pub(super) fn tell_apart(groups: &[&Named<'_>], keys: &[&str]) -> bool {
    let of = |named: &&Named<'_>| {
        let values: Vec<Option<String>> =
            keys.iter().map(|key| named.value(key).map(str::to_string)).collect();
        (named.run.clone(), named.group.stage.clone(), named.suffix.clone(), values)
    };
    groups.iter().map(of).collect::<BTreeSet<_>>().len() == groups.len()
}

/// The fewest of `keys` that, with the keys of `given`, tell all groups apart. Where several keys change together, the first one
/// stays.
pub(super) fn needed<'k>(
    groups: &[&Named<'_>],
    keys: &[&'k str],
    given: &[&'k str],
) -> Vec<&'k str> {
    let mut needed = keys.to_vec();
    for key in keys.iter().rev() {
        let others: Vec<&str> = needed.iter().filter(|one| *one != key).copied().collect();
        if tell_apart(groups, &[others.as_slice(), given].concat()) {
            needed = others;
        }
    }
    needed
}

/// A key as figures name it, by the first of some groups that has it.
pub(crate) fn word_of<'a>(groups: impl IntoIterator<Item = &'a Group>, key: &str) -> String {
    let mut settings = groups.into_iter().flat_map(|group| &group.settings);
    settings.find(|setting| setting.key == key).map_or_else(|| word(key), Setting::word)
}

/// A note on keys that names and colours leave out, since they change with others; `word` names a key. `run` is empty for all runs.
pub(crate) fn told_apart(
    run: &str,
    by: &[&str],
    left: &[&str],
    word: impl Fn(&str) -> String,
) -> Option<String> {
    if left.is_empty() {
        return None;
    }
    let all = [by, left].concat();
    let name = |key: &&str| {
        let is_alone = all.iter().filter(|other| word(other) == word(key)).count() == 1;
        if is_alone { word(key) } else { (*key).to_string() }
    };
    let list = |keys: &[&str]| keys.iter().map(&name).collect::<Vec<_>>().join(", ");
    let (by, with) = match by.len() {
        0 => ("the run".to_string(), "it"),
        1 => (list(by), "it"),
        _ => (list(by), "them"),
    };
    let change = if left.len() == 1 { "changes" } else { "change" };
    let points = match run {
        "" => "Points".to_string(),
        run => format!("{run}: points"),
    };
    Some(format!("{points} are told apart by {by}; {} {change} with {with}.", list(left)))
}
