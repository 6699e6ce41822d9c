//! A configuration of SOP-GPU: its keys and values.

use std::str::FromStr;

use super::{bounds, keys};
use beadwork_model::advice::plain;

use crate::document::{Value, inline};
use crate::error::{Error, Location, SOP_GPU};
use crate::steps::rounded;

/// Whether a text has one of the keys that every configuration has.
pub(crate) fn is_configuration(text: &str) -> bool {
    text.lines().any(|line| {
        let content = line.split('#').next().unwrap_or_default();
        let key = content.split_whitespace().next();
        !is_left_out(line) && matches!(key, Some("structure" | "coordinates"))
    })
}

/// SOP-GPU reads no line that begins with a blank.
fn is_left_out(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// No molecule of SOP-GPU has as many beads.
const MOST_BEADS: usize = 100_000_000;

/// Keys and values of a configuration, and notes for the user.
pub(super) struct Config {
    pub name: String,
    pub whole: Location,
    pub entries: Vec<ConfigEntry>,
    /// Keys that are not there, each with the default that was taken for it.
    defaults: Vec<String>,
    pub notes: Vec<String>,
}

pub(super) struct ConfigEntry {
    pub key: String,
    pub value: String,
    pub line: usize,
    pub place: Location,
    /// Whether the import has read it.
    pub is_used: bool,
}

impl Config {
    pub fn read(text: &str, name: &str) -> Config {
        let whole = Location::whole(name, text);
        let mut entries: Vec<ConfigEntry> = Vec::new();
        let mut notes = Vec::new();
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            let place = whole.with_span(start..start + line.trim_end().len());
            start += line.len();
            let (key, value) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
            if key.is_empty() {
                continue;
            }
            if is_left_out(line) {
                notes.push(format!(
                    "Line {} (`{content}`) was left out: SOP-GPU reads no line that begins with a blank.",
                    index + 1
                ));
                continue;
            }
            if let Some(before) = entries.iter().position(|entry| entry.key == key) {
                notes.push(format!(
                    "`{key}` is there twice; line {} was left out and line {} taken, as by SOP-GPU.",
                    entries[before].line,
                    index + 1
                ));
                entries.remove(before);
            }
            let (key, value) = (key.to_string(), value.trim().to_string());
            entries.push(ConfigEntry { key, value, line: index + 1, place, is_used: false });
        }
        Config { name: name.to_string(), whole, entries, defaults: Vec::new(), notes }
    }

    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    pub fn fault(&self, key: &str, problem: &str) -> Error {
        let name = &self.name;
        let Some(entry) = self.entries.iter().find(|entry| entry.key == key) else {
            let start = self.whole.with_span(0..0);
            let meant = self.misspelt(key).map(|ConfigEntry { key, line, .. }| {
                format!("; did you mean it by `{key}` in line {line}?")
            });
            let meant = meant.unwrap_or_default();
            return start.error(SOP_GPU, format!("{name}: `{key}` {problem}{meant}"));
        };
        entry.place.error(SOP_GPU, format!("{name}, line {}: `{key}`: {problem}", entry.line))
    }

    /// The entry that was probably meant by a key that is missing: the same but for capitals, or for one or two letters before
    /// the last three, in which keys of one kind differ, or else one that is nearest to this key of all.
    fn misspelt(&self, key: &str) -> Option<&ConfigEntry> {
        let wanted = key.to_lowercase();
        let is_similar = |entry: &&ConfigEntry| {
            let found = entry.key.to_lowercase();
            let end = wanted.get(wanted.len().saturating_sub(3)..).unwrap_or_default();
            found == wanted
                || wanted.len() > 3
                    && found.ends_with(end)
                    && strsim::damerau_levenshtein(&found, &wanted) <= 2
        };
        let unread = || self.entries.iter().filter(|entry| !entry.is_used);
        let is_nearest = |entry: &&ConfigEntry| keys::meant(self, &entry.key) == Some(key);
        unread().find(is_similar).or_else(|| unread().find(is_nearest))
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub fn take(&mut self, key: &str) -> Option<String> {
        debug_assert!(keys::is_known(key), "`{key}` is in no list of keys");
        self.take_written(key)
    }

    /// Takes a key of the configuration that need not be one of SOP-GPU's.
    pub fn take_written(&mut self, key: &str) -> Option<String> {
        let entry = self.entries.iter_mut().find(|entry| entry.key == key)?;
        entry.is_used = true;
        Some(entry.value.clone())
    }

    pub fn required(&mut self, key: &str) -> Result<String, Error> {
        self.take(key).ok_or_else(|| self.fault(key, "is missing, and a run needs it"))
    }

    pub fn parsed<T: FromStr>(&self, key: &str, text: &str, what: &str) -> Result<T, Error> {
        text.parse().map_err(|_| self.fault(key, &format!("\"{text}\" is not {what}")))
    }

    pub fn number(&mut self, key: &str) -> Result<Option<f64>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let number: f64 = self.parsed(key, &text, "a number")?;
        self.bounded(key, number).map(Some)
    }

    /// Keeps the default of a key that is not there for [`Config::note_defaults`].
    pub fn keep_default(&mut self, key: &str, default: &str) {
        let default = format!("`{key} {default}`");
        if !self.has(key) && !self.defaults.contains(&default) {
            self.defaults.push(default);
        }
    }

    /// Notes the defaults that were kept.
    pub fn note_defaults(&mut self) {
        let defaults = std::mem::take(&mut self.defaults);
        if !defaults.is_empty() {
            self.note(format!(
                "Not in the configuration, so that SOP-GPU's defaults were taken: {}.",
                defaults.join(", ")
            ));
        }
    }

    pub fn number_or(&mut self, key: &str, default: f64) -> Result<f64, Error> {
        self.keep_default(key, &plain(default));
        Ok(self.number(key)?.unwrap_or(default))
    }

    /// A number of a key, within the bounds that the key has.
    pub fn bounded(&self, key: &str, number: f64) -> Result<f64, Error> {
        match bounds::of(key).problem(number) {
            Some(problem) => Err(self.fault(key, &format!("{problem}, but is {}", plain(number)))),
            None => Ok(number),
        }
    }

    /// The number as it was written, followed by a unit.
    pub fn with_unit(&mut self, key: &str, default: &str, unit: &str) -> Result<String, Error> {
        self.number(key)?;
        let text = self.take(key).unwrap_or_else(|| default.to_string());
        Ok(quote(&format!("{text} {unit}")))
    }

    pub fn count(&mut self, key: &str) -> Result<Option<u64>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let count: u64 = self.parsed(key, &text, "a whole number")?;
        self.bounded(key, count as f64)?;
        Ok(Some(count))
    }

    /// A number of steps between two events, which cannot be 0.
    pub fn interval(&mut self, key: &str) -> Result<Option<u64>, Error> {
        match self.count(key)? {
            Some(0) => Err(self.fault(key, "is 0, but counts the steps between two events")),
            interval => Ok(interval),
        }
    }

    pub fn interval_or(&mut self, key: &str, default: u64) -> Result<u64, Error> {
        self.keep_default(key, &default.to_string());
        Ok(self.interval(key)?.unwrap_or(default))
    }

    pub fn switch(&mut self, key: &str) -> Result<bool, Error> {
        let Some(text) = self.take(key) else { return Ok(false) };
        match text.to_lowercase().as_str() {
            "on" | "yes" | "y" | "true" | "1" => Ok(true),
            "off" | "no" | "n" | "false" | "0" => Ok(false),
            _ => Err(self.fault(key, &format!("\"{text}\" is neither on nor off"))),
        }
    }

    pub fn list<T: FromStr>(&self, key: &str, text: &str, what: &str) -> Result<Vec<T>, Error> {
        text.split_whitespace().map(|word| self.parsed(key, word, what)).collect()
    }

    fn bead(&self, key: &str, word: &str) -> Result<usize, Error> {
        let number = word.parse::<usize>().ok().filter(|bead| *bead <= MOST_BEADS);
        number.ok_or_else(|| self.fault(key, &format!("\"{word}\" is not the number of a bead")))
    }

    /// Bead numbers, as a selection: a list in which `to` stands for all between two, or `none` or `empty`.
    pub fn beads(&mut self, key: &str) -> Result<Option<(String, Vec<usize>)>, Error> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let text = text.to_lowercase();
        let mut beads: Vec<usize> = Vec::new();
        let mut words = text.split_whitespace().filter(|word| !["none", "empty"].contains(word));
        while let Some(word) = words.next() {
            match (word, beads.last()) {
                ("to", Some(&first)) => {
                    let last = self.bead(key, words.next().unwrap_or_default())?;
                    if last < first {
                        let problem = format!(
                            "{first} to {last}: the second number is smaller; write the lower one first"
                        );
                        return Err(self.fault(key, &problem));
                    }
                    beads.extend(first + 1..=last);
                }
                _ => beads.push(self.bead(key, word)?),
            }
        }
        if beads.is_empty() {
            return Ok(Some(("none".to_string(), beads)));
        }
        let words: Vec<String> = beads.iter().map(usize::to_string).collect();
        Ok(Some((format!("index {}", words.join(" ")), beads)))
    }

    /// A file name with `<name>` and other keys replaced, `<run>` excepted.
    pub fn file(&mut self, key: &str) -> Result<String, Error> {
        let mut text = self.required(key)?;
        let keys: Vec<String> = self.entries.iter().map(|entry| entry.key.clone()).collect();
        for other in keys.iter().filter(|other| *other != "run" && *other != key) {
            let placeholder = format!("<{other}>");
            if text.contains(&placeholder) {
                let value = self.take(other).unwrap_or_default();
                text = text.replace(&placeholder, &value);
            }
        }
        Ok(text)
    }
}

pub(super) fn quantity(number: f64, unit: &str) -> String {
    quote(&format!("{} {unit}", rounded(number)))
}

pub(super) fn quote(text: &str) -> String {
    inline(&Value::Text(text.to_string()))
}
