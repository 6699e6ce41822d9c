//! A report: one page of HTML with the answer of a run, or of several, and all that a reader asks of it.
//!
//! A page asks nothing from anywhere: its policy (`Content-Security-Policy`) allows what stands in the page itself, scripts by their
//! digests. Without scripts it is a text with figures; scripts enlarge figures, search the list of members, and move beads. The same
//! folder gives the same bytes.

mod answers;
mod figures;
mod folder;
mod guide;
mod members;
mod moving;
mod packed;
mod places;
mod provenance;
mod scripts;
mod seen;
mod still;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic};
use beadwork_session::Error;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::answer::Answer;
use crate::data::Summary;

use figures::Shown;
use folder::Texts;
use moving::Found;
use scripts::{LICENCE, STYLE, policy, scripts};

/// The name of a report in the folder of its run.
pub const FILE: &str = "report.html";

/// What the first lines of a report have, and no other page.
const MARK: &str = "<meta name=\"generator\" content=\"beadwork";
const GENERATOR: &str = concat!("beadwork ", env!("CARGO_PKG_VERSION"));
/// Where [`MARK`] ends at the latest.
const HEAD_BYTES: u64 = 512;

/// A run in a page.
#[derive(Debug)]
pub struct Run<'a> {
    /// Its name, such as that of its folder.
    pub name: String,
    /// Its folder, or the folders of its parts in the order of their members.
    pub folders: &'a [RunFolder],
    /// Its request.
    pub request: &'a Request,
    /// What is simulated, in lines of a word and what it is, as `beadwork check` prints them.
    pub described: String,
}

/// A page of some runs.
#[derive(Debug)]
pub struct Page<'a> {
    /// The runs, at least one.
    pub runs: Vec<Run<'a>>,
    /// Their answers: one of a run, or of several that are compared.
    pub answers: Vec<&'a Answer>,
    /// Plots that have been drawn of these answers. Pictures among them are not drawn again.
    pub plots: &'a [PathBuf],
}

impl Page<'_> {
    /// Writes the page into a file; returns its bytes.
    ///
    /// # Errors
    /// Damaged tables and trajectories; a file that is no report; a file that cannot be written.
    pub fn write(&self, path: &Path) -> Result<usize, Error> {
        refuse_foreign(path)?;
        let text = self.to_html()?;
        atomic::write(path, text.as_bytes())?;
        Ok(text.len())
    }

    /// The text of the page.
    ///
    /// # Errors
    /// Damaged tables and trajectories.
    pub fn to_html(&self) -> Result<String, Error> {
        let summaries: Vec<Summary> = self.answers.iter().map(|answer| answer.summary()).collect();
        let plots = match self.runs.as_slice() {
            [Run { folders: [folder], .. }] => Some(folder.plots()),
            _ => None,
        };
        let shown = figures::shown(&self.answers, self.plots, plots.as_deref())?;
        let found = moving::read(&self.runs)?;
        let texts: Vec<Texts> = self.runs.iter().map(Texts::read).collect::<Result<_, _>>()?;
        Ok(self.whole(&summaries, &shown, &found, &texts)?.into_string())
    }

    fn whole(
        &self,
        summaries: &[Summary],
        shown: &[Shown],
        found: &Found,
        texts: &[Texts],
    ) -> Result<Markup, Error> {
        let names: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
        let title = names.join(", ");
        let scripts = scripts(!found.moving.is_empty())?;
        let members = self.runs.iter().map(|run| members::section(run, self.runs.len() > 1));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        Ok(html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="generator" content=(GENERATOR);
                    meta http-equiv="Content-Security-Policy" content=(policy(&scripts));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " – beadwork" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        p.kicker { "beadwork report" }
                        h1 { (title) }
                        (self.states(texts))
                        (contents())
                        noscript {
                            p.note { "This page is whole without scripts, but for three things that need them: beads that move, figures that can be enlarged, and the search among members." }
                        }
                    }
                    main {
                        (answers::answer(summaries))
                        (answers::trust(summaries))
                        (figures::section(shown))
                        (moving::section(found, &self.runs))
                        section id="run" { h2 { "What was run" }
                            @for (run, texts) in self.runs.iter().zip(texts) { (folder::described(run, texts, self.runs.len() > 1)) }
                        }
                        section id="members" { h2 { "Members" } @for part in &members { (part) } }
                        section id="provenance" { h2 { "Provenance" }
                            @for (run, texts) in self.runs.iter().zip(texts) { (provenance::section(run, texts, self.runs.len() > 1)) }
                        }
                        section id="again" { h2 { "Resume, repeat, cite" }
                            @for (run, texts) in self.runs.iter().zip(texts) { (guide::section(run, texts, self.runs.len() > 1)) }
                        }
                    }
                    footer {
                        p { "Written by " (GENERATOR) ". Nothing in this page is loaded from anywhere; it can be kept and sent as it is." }
                        @if !found.moving.is_empty() {
                            details.screen { summary { "Beads are drawn by 3Dmol.js 2.5.5; its licence" } pre { (LICENCE) } }
                        }
                    }
                    @for script in &scripts { (script.element()) }
                }
            }
        })
    }

    /// A line for each run: how it ended, its members.
    fn states(&self, texts: &[Texts]) -> Markup {
        let has_names = self.runs.len() > 1;
        html! {
            ul.states {
                @for (run, texts) in self.runs.iter().zip(texts) {
                    li {
                        @if has_names { strong { (run.name) } " " }
                        @for (class, word) in texts.states() { span.badge.(class) { (word) } " " }
                        (texts.in_short(run)) br;
                        span.small { (folder::lead(run)) }
                    }
                }
            }
        }
    }
}

/// Links to the parts of the page.
fn contents() -> Markup {
    let parts = [
        ("answer", "Answer"),
        ("trust", "What to trust"),
        ("figures", "Figures"),
        ("moving", "Beads"),
        ("run", "What was run"),
        ("members", "Members"),
        ("provenance", "Provenance"),
        ("again", "Resume, repeat, cite"),
    ];
    html! { nav { @for (id, name) in parts { a href={ "#" (id) } { (name) } " " } } }
}

/// Refuses to write a report over a file that is none.
///
/// # Errors
/// A file that beadwork did not write as a report.
pub fn refuse_foreign(path: &Path) -> Result<(), Error> {
    match path.symlink_metadata().is_ok() && !is_report(path) {
        true => {
            Err(Error::Foreign { path: path.to_path_buf(), what: "no report that beadwork wrote" })
        }
        false => Ok(()),
    }
}

/// Whether a file is a report that beadwork wrote.
pub fn is_report(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    if !found.is_file() {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    let mut head = Vec::new();
    let is_read = file.take(HEAD_BYTES).read_to_end(&mut head).is_ok();
    is_read && String::from_utf8_lossy(&head).contains(MARK)
}
