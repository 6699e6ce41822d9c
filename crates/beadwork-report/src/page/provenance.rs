//! Where a run comes from: version, device, seed, times, digests, log.

use std::collections::BTreeSet;
use std::ops::Range;

use beadwork_analysis::numbers::{grouped, rounded};
use beadwork_io::RunFolder;
use maud::{Markup, html};
use serde_json::Value;

use super::Run;
use super::folder::{Texts, end_of_text, in_words};
use crate::words::ranges_in_words;

/// The keys of `run.json` that come first, with their words. Others follow under their own names.
const FIRST: [(&str, &str); 19] = [
    ("beadwork", "version of beadwork"),
    ("commit", "commit of its source"),
    ("value_version", "version of values"),
    ("device", "device"),
    ("gpus", "GPUs"),
    ("cuda_driver", "CUDA of the driver"),
    ("host", "last machine"),
    ("processor", "its processor"),
    ("threads", "threads of the last process"),
    ("seconds", "seconds of stepping, all processes"),
    ("started", "began (UTC)"),
    ("ended", "ended (UTC)"),
    ("ending", "ending"),
    ("sessions", "processes"),
    ("seed", "seed"),
    ("generator", "generator"),
    ("scheme", "scheme of its numbers"),
    ("precision", "precision"),
    ("fingerprint", "fingerprint of the input"),
];

/// Keys that are shown elsewhere, or say something of `run.json` alone.
const ELSEWHERE: [&str; 5] = ["files", "checksum", "extensions", "members", "replicas"];

/// Keys of numbers that add up over parts.
const SUMS: [&str; 3] = ["sessions", "failed_members", "seconds"];

/// The digits of sums: all of counts, and thousandths of the seconds of a month.
const DIGITS: i32 = 10;

/// The most digests in a page.
const MOST_FILES: usize = 200;

/// The records of a run.
pub(super) fn section(run: &Run<'_>, texts: &Texts, has_names: bool) -> Markup {
    html! {
        @if has_names { h3 { (run.name) } }
        (record(texts, &members(run)))
        @for (folder, log) in run.folders.iter().zip(&texts.logs) {
            @if !log.is_empty() {
                details { summary { "Log, " code { "log.txt" } @if run.folders.len() > 1 { " of " (folder.root().display()) } } (end_of_text(log, "log.txt")) }
            }
        }
    }
}

fn record(texts: &Texts, members: &str) -> Markup {
    let of = |key: &str| match SUMS.contains(&key) {
        true => sum(texts, key),
        false => texts.of_records(key),
    };
    let named = FIRST.iter().filter_map(|(key, words)| Some((*words, of(key)?)));
    let mut others: Vec<&String> = texts.records.iter().flat_map(|record| record.keys()).collect();
    others.sort();
    others.dedup();
    let is_other = |key: &&&String| {
        let key = key.as_str();
        !ELSEWHERE.contains(&key) && FIRST.iter().all(|(first, _)| *first != key)
    };
    let others = others.iter().filter(is_other);
    let has_commit = texts.of_records("commit").is_some();
    let (extensions, files) = (extensions(texts), digests(texts));
    html! {
        dl.facts {
            @for (words, text) in named { dt { (words) } dd { (text) } }
            @if !has_commit { dt { "commit of its source" } dd { "not known: the build was not told (BEADWORK_COMMIT)" } }
            dt { "members" } dd { (members) }
            @for key in others { dt { (key.replace('_', " ")) } dd { (of(key).unwrap_or_default()) } }
        }
        @if !extensions.is_empty() {
            p { "Made longer since it began:" }
            ul { @for one in &extensions { li { (one) } } }
        }
        @if !files.is_empty() {
            details {
                summary { "SHA-256 of the " (files.len()) " files that the run began with" }
                div.wide { table { tbody { @for (name, digest) in files.iter().take(MOST_FILES) { tr { th scope="row" { code { (name) } } td { code { (digest) } } } } } } }
                @if files.len() > MOST_FILES { p.thinned { (files.len() - MOST_FILES) " more files are not shown; run.json has all." } }
                p.small { code { "beadwork verify" } " compares them, and all that the run wrote." }
            }
        }
    }
}

/// How many members the folders of a run have, and which, if these are not all of the ensemble.
fn members(run: &Run<'_>) -> String {
    let ranges = run.folders.iter().map(RunFolder::members);
    numbers(ranges, run.request.members())
}

/// `16`, or `6 of 16: 0 to 3, 8 to 9`.
fn numbers(ranges: impl Iterator<Item = Range<usize>>, all: u64) -> String {
    let ranges: Vec<Range<u64>> =
        ranges.map(|range| range.start as u64..range.end as u64).collect();
    let here: u64 = ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum();
    if here == all {
        return grouped(all);
    }
    format!("{} of {}: {}", grouped(here), grouped(all), ranges_in_words(ranges))
}

/// The sum of a number over the records that have it.
fn sum(texts: &Texts, key: &str) -> Option<String> {
    let numbers = texts.records.iter().filter_map(|record| record.get(key)?.as_f64());
    let numbers: Vec<f64> = numbers.collect();
    (!numbers.is_empty()).then(|| rounded(numbers.iter().sum(), DIGITS))
}

/// Each extension of any part once.
fn extensions(texts: &Texts) -> Vec<String> {
    let mut found = Vec::new();
    for record in &texts.records {
        let Some(Value::Array(extensions)) = record.get("extensions") else { continue };
        // A run may have been made longer twice by as much; several parts have the same list.
        let list: Vec<String> = extensions.iter().map(extension).collect();
        if !found.contains(&list) {
            found.push(list);
        }
    }
    found.concat()
}

/// Each file with each of its digests once: parts of one run began with the same.
fn digests(texts: &Texts) -> BTreeSet<(&str, String)> {
    let files = texts.records.iter().filter_map(|record| record.get("files")?.as_object());
    files.flatten().map(|(name, digest)| (name.as_str(), in_words(digest))).collect()
}

/// `stage pull by 1 ms, from 1 ms to 2 ms`.
fn extension(one: &Value) -> String {
    let of = |key: &str| one.get(key).map(in_words).unwrap_or_default();
    format!("stage {} by {} (lengths before and after: {})", of("stage"), of("by"), of("lengths"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(records: &[&str]) -> Texts {
        let read = |text: &&str| serde_json::from_str(text).unwrap();
        Texts {
            records: records.iter().map(read).collect(),
            input: None,
            resolved: String::new(),
            logs: Vec::new(),
        }
    }

    #[test]
    fn numbers_of_members_are_those_of_the_ensemble() {
        let words = |ranges: &[Range<usize>], all| numbers(ranges.iter().cloned(), all);
        assert_eq!(words(&[0..4, 4..8], 8), "8");
        assert_eq!(words(&[0..4, 4..8, 9..10], 1_600), "9 of 1 600: 0 to 7, 9");
    }

    /// Two parts that took equally long count twice; a part without the number does not.
    #[test]
    fn numbers_of_parts_add_up() {
        let texts = texts(&[
            "{\"seconds\": 1.2, \"sessions\": 1}",
            "{\"seconds\": 3.4, \"sessions\": 2}",
            "{\"seconds\": 3.4, \"sessions\": 1}",
            "{\"seconds\": null}",
        ]);
        assert_eq!(sum(&texts, "seconds").unwrap(), "8");
        assert_eq!(sum(&texts, "sessions").unwrap(), "4");
        assert_eq!(sum(&texts, "failed_members"), None);
        let page = record(&texts, "12").into_string();
        let seconds = "<dt>seconds of stepping, all processes</dt><dd>8</dd>";
        assert!(page.contains(seconds), "{page}");
    }

    #[test]
    fn what_parts_share_stands_there_once() {
        let part = |files: &str| {
            format!(
                "{{\"sessions\": 2, \"failed_members\": 0, \"members\": 4, \"replicas\": [0, 4], \"files\": {{{files}}}, \"extensions\": [{{\"stage\": \"pull\", \"by\": \"1 us\", \"lengths\": []}}]}}"
            )
        };
        let same = "\"a.pdb\": \"12ab\", \"b.pdb\": \"34cd\"";
        let parts = [part(same), part(same), part("\"a.pdb\": \"56ef\"")];
        let texts = texts(&parts.iter().map(String::as_str).collect::<Vec<_>>());
        let page = record(&texts, "12").into_string();
        for text in [
            "12ab",
            "34cd",
            "56ef",
            "Made longer",
            "<li>stage pull by 1 us",
            "<dd>12</dd>",
            "<dd>6</dd>",
        ] {
            assert_eq!(page.matches(text).count(), 1, "{text}: {page}");
        }
        assert!(page.contains("SHA-256 of the 3 files") && !page.contains("0, 4"), "{page}");
    }
}
