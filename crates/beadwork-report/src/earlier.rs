//! What an earlier answer has left in a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use beadwork_session::Error;

use crate::data::Summary;

/// Removes the tables and plots that the `summary.json` of a folder lists and `summary` does not, such as those of another stage:
/// beside the new answer they would be taken for it. Files that no answer lists are left alone.
pub(crate) fn remove_others(folder: &Path, summary: &Summary) -> Result<(), Error> {
    let Ok(text) =
        beadwork_files::read_text(&folder.join("summary.json"), beadwork_files::LARGEST_TEXT)
    else {
        return Ok(());
    };
    // What cannot be read lists nothing; it is about to be replaced.
    let Ok(earlier) = Summary::from_json(&text) else { return Ok(()) };
    let kept: Vec<&str> = files(summary).collect();
    for name in files(&earlier).filter(|name| !kept.contains(name) && is_inside(folder, name)) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(beadwork_io::Error::write(&path)(error).into());
            }
            _ => {}
        }
    }
    Ok(())
}

fn files(summary: &Summary) -> impl Iterator<Item = &str> {
    let tables = summary.tables.iter().map(|table| table.file.as_str());
    tables.chain(summary.plots.iter().map(String::as_str))
}

/// Whether a name stays in the folder: a file may have been edited, and a folder replaced by a link.
fn is_inside(folder: &Path, name: &str) -> bool {
    let path = Path::new(name);
    let is_link = |part: &Path| {
        folder.join(part).symlink_metadata().is_ok_and(|found| found.file_type().is_symlink())
    };
    path.components().all(|part| matches!(part, Component::Normal(_)))
        && !path.ancestors().skip(1).any(is_link)
}
