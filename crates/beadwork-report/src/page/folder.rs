//! What the folder of a run says of it: its record, its input, its log.

use std::path::Path;

use beadwork_analysis::numbers::grouped;
use beadwork_files::LARGEST_TEXT;
use beadwork_io::RunFolder;
use beadwork_session::Error;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::Run;

/// The longest input and log in a page; of longer ones the rest is left out.
const MOST_BYTES: usize = 60_000;
/// The names of files, and the stages, in a line.
const MOST_FILES: usize = 4;
const MOST_STAGES: usize = 6;

/// The texts of a folder.
pub(super) struct Texts {
    /// `run.json` of each part.
    pub records: Vec<Map<String, Value>>,
    /// `input.toml` of the first part, if it is there.
    pub input: Option<String>,
    /// `resolved.toml`.
    pub resolved: String,
    /// `log.txt` of each part.
    pub logs: Vec<String>,
}

impl Texts {
    /// Reads them. An input as it was written and a log need not be there.
    pub(super) fn read(run: &Run<'_>) -> Result<Texts, Error> {
        let read = |path: &Path| beadwork_files::read_text(path, LARGEST_TEXT);
        let record = |folder: &RunFolder| -> Result<Map<String, Value>, Error> {
            let path = folder.run_json();
            let text = read(&path)
                .map_err(|source| beadwork_io::Error::Read { path: path.clone(), source })?;
            serde_json::from_str(&text)
                .map_err(|error| Error::Record { path, reason: error.to_string() })
        };
        Ok(Texts {
            records: run.folders.iter().map(record).collect::<Result<_, _>>()?,
            input: run.folders.first().and_then(|folder| read(&folder.input()).ok()),
            resolved: run.request.resolved.clone(),
            logs: run.folders.iter().map(|one| read(&one.log()).unwrap_or_default()).collect(),
        })
    }

    /// A text of the records, if all parts agree in it; else the texts of all.
    pub(super) fn of_records(&self, key: &str) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        for text in self.records.iter().filter_map(|record| record.get(key)).map(in_words) {
            if !found.contains(&text) {
                found.push(text);
            }
        }
        (!found.is_empty()).then(|| found.join(", "))
    }

    /// Whether no member of any part has steps left.
    pub(super) fn is_finished(&self) -> bool {
        self.records.iter().all(|one| one.get("ending").is_some_and(|word| word == "finished"))
    }

    /// Marks of how the run ended, each with the class of its colour.
    pub(super) fn states(&self) -> Vec<(&'static str, String)> {
        let mut states = Vec::new();
        if let Some(ending) = self.of_records("ending") {
            let class = if self.is_finished() { "good" } else { "care" };
            states.push((class, ending.replace('-', " ")));
        }
        let failed = self.records.iter().filter_map(|one| one.get("failed_members")?.as_u64());
        match failed.sum::<u64>() {
            0 => {}
            count => states.push(("bad", format!("{} failed", grouped(count)))),
        }
        states
    }

    /// `100 members, beadwork 0.2.0 on cpu, seed 7`.
    pub(super) fn in_short(&self, run: &Run<'_>) -> String {
        let here: usize = run.folders.iter().map(|folder| folder.members().len()).sum();
        let all = run.request.members();
        let members = match here as u64 == all {
            true if all == 1 => "1 member".to_string(),
            true => format!("{} members", grouped(all)),
            false => format!("{} of {} members", grouped(here as u64), grouped(all)),
        };
        let of = |key| self.of_records(key).unwrap_or_else(|| "?".to_string());
        format!("{members}, beadwork {} on {}, seed {}", of("beadwork"), of("device"), of("seed"))
    }
}

/// A value of JSON for people: texts without quotes, lists with commas.
pub(super) fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// What was run in a line: the first systems, the files that the input names, and the members.
pub(super) fn lead(run: &Run<'_>) -> String {
    let facts = facts(&run.described);
    let of = |wanted: &str| {
        facts.iter().find(|(word, _)| *word == wanted).map(|(_, lines)| lines.join(", "))
    };
    let files: Vec<&str> =
        run.request.files.iter().take(MOST_FILES).map(|file| file.name.as_str()).collect();
    let more = if run.request.files.len() > MOST_FILES { ", …" } else { "" };
    let files =
        if files.is_empty() { String::new() } else { format!(" from {}{more}", files.join(", ")) };
    let system = of("System").map(|system| format!("{system}{files}"));
    // What a stage does stands below; here its name and length are enough.
    let stages = facts.iter().filter(|(word, _)| *word == "Stage");
    let stages = stages.filter_map(|(_, lines)| lines.first()).map(|line| (*line).to_string());
    let ends = [of("Ensemble")].into_iter().flatten();
    system.into_iter().chain(stages.take(MOST_STAGES)).chain(ends).collect::<Vec<_>>().join("; ")
}

/// What was run: the description, then the input as it was written and as it was carried out.
pub(super) fn described(run: &Run<'_>, texts: &Texts, has_names: bool) -> Markup {
    html! {
        @if has_names { h3 { (run.name) } }
        dl.facts { @for (word, lines) in facts(&run.described) {
            dt { (word) } dd { @for (place, line) in lines.iter().enumerate() { @if place > 0 { br; } (line) } }
        } }
        @if let Some(input) = &texts.input {
            details open { summary { "The input as it was written, " code { "input.toml" } } (text(input, "input.toml")) }
        }
        details { summary { "The input as it was carried out, with every default and " code { "--set" } ", " code { "resolved.toml" } } (text(&texts.resolved, "resolved.toml")) }
    }
}

/// A text as it is, or its beginning if it is long.
pub(super) fn text(text: &str, file: &str) -> Markup {
    let is_boundary = |place: &usize| text.is_char_boundary(*place);
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(is_boundary).unwrap_or(0);
    html! {
        pre { code { (text[..end]) } }
        @if end < text.len() { p.thinned { (grouped((text.len() - end) as u64)) " more bytes are left out here; " code { (file) } " has them." } }
    }
}

/// The end of a text, if it is long, behind a note.
pub(super) fn end_of_text(text: &str, file: &str) -> Markup {
    let wanted = text.len().saturating_sub(MOST_BYTES);
    // A line is whole or left out.
    let start = match wanted {
        0 => 0,
        _ => text
            .bytes()
            .skip(wanted)
            .position(|byte| byte == b'\n')
            .map_or(wanted, |end| wanted + end + 1),
    };
    let start = (start..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(start);
    html! {
        @if start > 0 { p.thinned { "The first " (grouped(start as u64)) " bytes are left out here; " code { (file) } " has them." } }
        pre { code { (text[start..]) } }
    }
}

/// Lines of a word and what it is: a line that begins with blanks goes on with the word before it.
fn facts(described: &str) -> Vec<(&str, Vec<&str>)> {
    let mut facts: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in described.lines() {
        let parts = line.split_once("  ").or_else(|| line.split_once(' '));
        match (line.starts_with(' '), parts, facts.last_mut()) {
            (true, _, Some((_, lines))) => lines.push(line.trim()),
            (false, Some((word, rest)), _) => facts.push((word, vec![rest.trim()])),
            _ => facts.push((line.trim(), Vec::new())),
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_a_word_go_on() {
        let found = facts(
            "System       76 beads\nTime step    80 ps\n             within chains\nPoint 0: a\n",
        );
        assert_eq!(
            found,
            [
                ("System", vec!["76 beads"]),
                ("Time step", vec!["80 ps", "within chains"]),
                ("Point", vec!["0: a"])
            ]
        );
    }

    #[test]
    fn long_texts_are_cut_with_a_note() {
        let long = "ab\n".repeat(30_000);
        let (head, tail) =
            (text(&long, "a.toml").into_string(), end_of_text(&long, "log.txt").into_string());
        assert!(
            head.contains("30 000 more bytes") && head.contains("a.toml"),
            "{}",
            &head[head.len() - 200..]
        );
        assert!(tail.contains("The first 30 00"), "{}", &tail[..200]);
        // No letter is cut in two.
        let letters = "ä\n".repeat(30_000);
        assert!(text(&letters, "a.toml").into_string().contains("more bytes"));
        assert!(end_of_text(&letters, "log.txt").into_string().contains("The first 30 00"));
        assert!(!text("<b>", "a.toml").into_string().contains("<b>"));
        assert!(!end_of_text("short", "log.txt").into_string().contains("left out"));
    }
}
