//! What an earlier answer has left in a folder, and what is not of one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use beadwork_analysis::Error as AnalysisError;
use beadwork_io::atomic;
use beadwork_session::Error;

use crate::data::{FORMAT, Summary};
use crate::page;

/// The answer as data, and in words.
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const WORDS: &str = "summary.txt";

/// A table of all members, which an answer may have beside it.
const PARQUET: &str = "tables.parquet";

/// Lists the files of an answer in the `summary.json` of a folder before they are written. One of an earlier answer is left there
/// with their names added: until [`remove_others`] its files are of use. It keeps its bytes if it has all of them.
pub(crate) fn list(folder: &Path, summary: Summary) -> Result<(), Error> {
    let listed = match answer_in(folder) {
        None => summary,
        Some(earlier) => {
            let is_listed = |name: &str| files(&earlier).any(|known| known == name);
            if files(&summary).all(is_listed) {
                return Ok(());
            }
            with_files(earlier, summary)
        }
    };
    Ok(atomic::write(&folder.join(SUMMARY), listed.to_json().as_bytes())?)
}

/// An answer with the files of another one beside its own.
fn with_files(mut earlier: Summary, other: Summary) -> Summary {
    let is_new = |name: &str| files(&earlier).all(|known| known != name);
    let Summary { mut tables, mut plots, mut others, .. } = other;
    tables.retain(|table| is_new(&table.file));
    plots.retain(|name| is_new(name));
    others.retain(|name| is_new(name));
    earlier.tables.extend(tables);
    earlier.plots.extend(plots);
    earlier.others.extend(others);
    earlier
}

/// Refuses figures beside an answer with other values: they would be taken for its own. A `summary.json` without values only lists
/// figures.
pub(crate) fn refuse_other(folder: &Path, summary: &Summary) -> Result<(), Error> {
    // What JSON cannot hold is lost on both sides.
    let own = Summary::from_json(&summary.to_json()).map_or_else(|_| Vec::new(), |own| own.groups);
    let earlier = answer_in(folder).map_or_else(Vec::new, |earlier| earlier.groups);
    if earlier.is_empty() || earlier == own {
        return Ok(());
    }
    let message = format!(
        "these figures are not of the answer in {}: that one is of another stage, window or run, of fewer rows or of another version. Name another folder by --output, or leave --figures out to draw all anew",
        folder.join(SUMMARY).display()
    );
    Err(AnalysisError::new("analysis/other-answer", message).into())
}

/// Removes the tables and plots that the `summary.json` of a folder lists and `summary` does not, such as those of another stage:
/// beside the new answer they would be taken for it. Files that no answer lists are left alone.
pub(crate) fn remove_others(folder: &Path, summary: &Summary) -> Result<(), Error> {
    let Some(earlier) = answer_in(folder) else { return Ok(()) };
    let kept: Vec<&str> = files(summary).collect();
    for name in files(&earlier).filter(|name| !kept.contains(name) && is_of_an_answer(folder, name))
    {
        remove(&folder.join(name))?;
    }
    Ok(())
}

/// Removes the report in a folder, which holds the earlier answer. Another page of this name is left alone.
pub(crate) fn remove_report(folder: &Path) -> Result<(), Error> {
    let report = folder.join(page::FILE);
    match page::is_report(&report) {
        true => remove(&report),
        false => Ok(()),
    }
}

/// Refuses to write an answer over files of a person: those that are there and that the `summary.json` of an earlier answer does
/// not list.
pub(crate) fn refuse_foreign(folder: &Path, summary: &Summary) -> Result<(), Error> {
    let earlier = summary_in(folder);
    let own = [SUMMARY, WORDS];
    let is_known = |name: &str| {
        let is_listed = |earlier| files(earlier).any(|known| known == name);
        earlier.as_ref().is_some_and(|earlier| own.contains(&name) || is_listed(earlier))
    };
    let is_foreign = |name: &&str| folder.join(name).symlink_metadata().is_ok() && !is_known(name);
    match own.into_iter().chain(files(summary)).find(is_foreign) {
        Some(name) => {
            Err(Error::Foreign { path: folder.join(name), what: "no file of an earlier answer" })
        }
        None => Ok(()),
    }
}

/// The answer in a folder whose list can be understood. Any other lists nothing; it is about to be replaced.
fn answer_in(folder: &Path) -> Option<Summary> {
    summary_in(folder).filter(|earlier| earlier.format == FORMAT)
}

/// The `summary.json` of a folder, if there is one.
fn summary_in(folder: &Path) -> Option<Summary> {
    let path = folder.join(SUMMARY);
    let text = beadwork_files::read_text(&path, beadwork_files::LARGEST_TEXT).ok()?;
    Summary::from_json(&text).ok()
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(beadwork_io::Error::write(path)(error).into())
        }
        _ => Ok(()),
    }
}

fn files(summary: &Summary) -> impl Iterator<Item = &str> {
    let tables = summary.tables.iter().map(|table| table.file.as_str());
    tables.chain(summary.plots.iter().chain(&summary.others).map(String::as_str))
}

/// How tables at the top of a run's folder begin that are no answers.
const OF_THE_RUN: [&str; 4] = ["members", "exchange", "lowest", "topology"];

/// Whether a name is that of a table or a plot of an answer, in the folder itself: the list may have been edited, and a folder
/// replaced by a link. Files in other folders, such as the tables of members, are never removed.
fn is_of_an_answer(folder: &Path, name: &str) -> bool {
    let is_plot = |file: &str| [".svg", ".png", ".pdf"].iter().any(|ending| file.ends_with(ending));
    let is_of_run = |file: &str| OF_THE_RUN.iter().any(|begin| file.starts_with(begin));
    let plots = folder.join("plots");
    let is_link = || plots.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink());
    match name.split(['/', '\\']).collect::<Vec<_>>().as_slice() {
        [file] => is_plot(file) || *file == PARQUET || (file.ends_with(".csv") && !is_of_run(file)),
        ["plots", file] => is_plot(file) && !is_link(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_answers_are_removed() {
        let folder = Path::new("none");
        for name in ["answers.csv", "plots/force-time.svg", "force-time.png", "tables.parquet"] {
            assert!(is_of_an_answer(folder, name), "{name}");
        }
        let others = [
            "members.csv",
            "topology-0001-names.csv",
            "tables/member-0000.csv",
            "mine.parquet",
            "../mine.csv",
            "/tmp/a.csv",
            "run.json",
        ];
        for name in others.into_iter().chain(["plots/../a.svg", "plots/", "", "inputs/a.png"]) {
            assert!(!is_of_an_answer(folder, name), "{name}");
        }
    }
}
