//! Where a run comes from: version, device, seed, times, digests, log.

use maud::{Markup, html};
use serde_json::Value;

use super::Run;
use super::folder::{Texts, end_of_text, in_words};

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
const ELSEWHERE: [&str; 3] = ["files", "checksum", "extensions"];

/// The most digests in a page.
const MOST_FILES: usize = 200;

/// The records of a run.
pub(super) fn section(run: &Run<'_>, texts: &Texts, has_names: bool) -> Markup {
    html! {
        @if has_names { h3 { (run.name) } }
        (record(texts))
        @for (folder, log) in run.folders.iter().zip(&texts.logs) {
            @if !log.is_empty() {
                details { summary { "Log, " code { "log.txt" } @if run.folders.len() > 1 { " of " (folder.root().display()) } } (end_of_text(log, "log.txt")) }
            }
        }
    }
}

fn record(texts: &Texts) -> Markup {
    let named = FIRST.iter().filter_map(|(key, words)| Some((*words, texts.of_records(key)?)));
    let mut others: Vec<&String> = texts.records.iter().flat_map(|record| record.keys()).collect();
    others.sort();
    others.dedup();
    let is_other = |key: &&&String| {
        let key = key.as_str();
        !ELSEWHERE.contains(&key) && FIRST.iter().all(|(first, _)| *first != key)
    };
    let others = others.iter().filter(is_other);
    let has_commit = texts.of_records("commit").is_some();
    html! {
        dl.facts {
            @for (words, text) in named { dt { (words) } dd { (text) } }
            @if !has_commit { dt { "commit of its source" } dd { "not known: the build was not told (BEADWORK_COMMIT)" } }
            @for key in others { dt { (key.replace('_', " ")) } dd { (texts.of_records(key).unwrap_or_default()) } }
        }
        @for record in &texts.records {
            @if let Some(Value::Array(extensions)) = record.get("extensions") {
                p { "Made longer since it began:" }
                ul { @for one in extensions { li { (extension(one)) } } }
            }
            @if let Some(Value::Object(files)) = record.get("files") {
                details {
                    summary { "SHA-256 of the " (files.len()) " files that the run began with" }
                    div.wide { table { tbody { @for (name, digest) in files.iter().take(MOST_FILES) { tr { th scope="row" { code { (name) } } td { code { (in_words(digest)) } } } } } } }
                    @if files.len() > MOST_FILES { p.thinned { (files.len() - MOST_FILES) " more files are not shown; run.json has all." } }
                    p.small { code { "beadwork verify" } " compares them, and all that the run wrote." }
                }
            }
        }
    }
}

/// `stage pull by 1 ms, from 1 ms to 2 ms`.
fn extension(one: &Value) -> String {
    let of = |key: &str| one.get(key).map(in_words).unwrap_or_default();
    format!("stage {} by {} (lengths before and after: {})", of("stage"), of("by"), of("lengths"))
}
