//! The folder of the jobs: its files are written, or kept as a person has changed them.

use std::path::Path;

use beadwork::input::Request;
use beadwork::io::{atomic, create_folder, refuse_tilde};
use beadwork::part::Part;

use super::super::failure::Failure;
use super::super::output::remark;
use super::slurm::{self, Scripts};
use super::{ANSWER, JOBS, JOIN, PART, PARTS, RESOLVED, SUBMIT};

/// So many lines are named that a script lacks.
const LINES_NAMED: usize = 4;

/// Writes the files of the jobs, or keeps those that are there.
///
/// # Errors
/// A folder with other files than those of these jobs, or one whose name scripts cannot have.
pub(super) fn fill(
    folder: &Path,
    request: &Request,
    parts: &[Part],
    scripts: &Scripts<'_>,
) -> Result<(), Failure> {
    refuse_control_characters(folder)?;
    match [RESOLVED, PARTS].iter().all(|name| folder.join(name).exists()) {
        true => keep(folder, request, parts, scripts),
        false => write(folder, request, parts, scripts),
    }
}

/// A line break would begin a command of its own in the scripts.
fn refuse_control_characters(folder: &Path) -> Result<(), Failure> {
    let word = folder.to_string_lossy();
    match word.contains(char::is_control) {
        true => Err(Failure::input(format!(
            "the folder of the jobs is {word:?}: give one without line breaks and other control characters"
        ))),
        false => Ok(()),
    }
}

/// Writes the files of the jobs: those of the input, then resolved.toml and parts.txt, by which they are known, then the scripts.
fn write(
    folder: &Path,
    request: &Request,
    parts: &[Part],
    scripts: &Scripts<'_>,
) -> Result<(), Failure> {
    refuse_tilde(folder)?;
    if folder.join("run.json").exists() {
        return Err(Failure::input(format!(
            "{} is the folder of a run: give --output another one for the jobs",
            folder.display()
        )));
    }
    let files = request.files.iter().map(|file| file.name.as_str());
    let own = [RESOLVED, PARTS, PART, JOIN, SUBMIT, JOBS, ANSWER, "part-0"];
    let mut names = own.into_iter().chain(files);
    // A link that leads nowhere is there, too.
    if let Some(name) = names.find(|name| folder.join(name).symlink_metadata().is_ok()) {
        return Err(Failure::input(format!(
            "{} is there, and not both {RESOLVED} and {PARTS}, so that it may be yours: move it away, or give --output another folder",
            folder.join(name).display()
        )));
    }
    create_folder(&folder.join("logs"))?;
    create_folder(&folder.join("inputs"))?;
    let write = |name: &str, bytes: &[u8]| atomic::write(&folder.join(name), bytes);
    for file in &request.files {
        write(&file.name, &file.contents)?;
    }
    write(RESOLVED, request.resolved.as_bytes())?;
    write(PARTS, ranges(parts).as_bytes())?;
    write(PART, scripts.part().as_bytes())?;
    write(JOIN, scripts.join().as_bytes())?;
    write(SUBMIT, slurm::SUBMIT.as_bytes())?;
    Ok(())
}

/// `0..4`, a line for each part.
fn ranges(parts: &[Part]) -> String {
    let line = |part: &Part| format!("{}..{}\n", part.range().start, part.range().end);
    parts.iter().map(line).collect()
}

/// Keeps the scripts of a folder, which a person may have changed, and says which lines of the present options they lack. A script
/// that was removed is written anew.
///
/// # Errors
/// Scripts for another input, or for other parts.
fn keep(
    folder: &Path,
    request: &Request,
    parts: &[Part],
    scripts: &Scripts<'_>,
) -> Result<(), Failure> {
    let same = |name: &str, text: &str| {
        std::fs::read_to_string(folder.join(name)).is_ok_and(|found| found == text)
    };
    let what = match (same(RESOLVED, &request.resolved), same(PARTS, &ranges(parts))) {
        (true, true) => None,
        (false, _) => Some("another input"),
        (true, false) => Some("other parts"),
    };
    if let Some(what) = what {
        return Err(Failure::input(format!(
            "{} holds jobs of {what}: give --output another folder",
            folder.display()
        )));
    }
    let submit = slurm::SUBMIT.to_string();
    for (name, text) in [(PART, scripts.part()), (JOIN, scripts.join()), (SUBMIT, submit)] {
        let path = folder.join(name);
        if !path.exists() {
            atomic::write(&path, text.as_bytes())?;
            continue;
        }
        let found = std::fs::read_to_string(&path).map_err(|error| {
            Failure::machine(format!("{} cannot be read: {error}", path.display()))
        })?;
        if found != text {
            let path = path.display();
            remark(&match missing_lines(&found, &text) {
                None => format!("note: {path} was changed and is left as it is"),
                Some(lines) => format!(
                    "note: {path} was written before and is left as it is, without {lines}; remove it to have it written anew"
                ),
            });
        }
    }
    Ok(())
}

/// The first lines of a wanted script that one does not have, in quotes.
fn missing_lines(found: &str, wanted: &str) -> Option<String> {
    let is_missing = |line: &&str| !found.lines().any(|other| other.trim() == line.trim());
    let mut lines: Vec<_> = wanted.lines().filter(is_missing).map(str::trim).collect();
    let more = lines.len() > LINES_NAMED;
    lines.truncate(LINES_NAMED);
    (!lines.is_empty())
        .then(|| format!("\"{}\"{}", lines.join("\", \""), if more { " and others" } else { "" }))
}
