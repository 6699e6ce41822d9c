//! Writes answers with their plots, into the folder of a run or elsewhere.

use std::path::{Path, PathBuf};

use beadwork::answer::Answer;
use beadwork::data::Summary;
use beadwork::drawing::Drawing;
use beadwork::page::{self, Page};
use beadwork::part::View;
use beadwork::running::run_of_page;
use beadwork::tables;

use super::super::failure::Failure;
use super::super::output::remark;

/// What is written: the answer, and the paths of the plots.
pub(super) type Written = (Summary, Vec<PathBuf>);

/// Draws a run's own plots, and makes the summary, the tables and the report in its folder anew with them, so that they agree. An
/// earlier report stays until the new one is in its place.
pub(super) fn write_own(
    answer: &Answer,
    folder: &Path,
    view: &View,
    plots: &Path,
    drawing: &Drawing,
) -> Result<Written, Failure> {
    let written = answer.draw(plots, drawing)?;
    write_parquet(view, &view.folders[0].tables_parquet())?;
    let summary = answer.write_before_report(folder, &written, &[])?;
    let runs = vec![run_of_page(&view.folders, &view.request)];
    let page = Page { runs, answers: vec![answer], plots: &written };
    page.write(&folder.join(page::FILE))?;
    Ok((summary, written))
}

/// Draws plots into another folder, with the answer.
pub(super) fn write_elsewhere(
    answer: &Answer,
    views: &[View],
    output: &Path,
    drawing: &Drawing,
) -> Result<Written, Failure> {
    // No folder of a part has all rows.
    let parts = match views {
        [view] if view.folders.len() > 1 && has_parquet(view) => Some(view),
        _ => None,
    };
    let others: &[&str] = if parts.is_some() { &[PARQUET] } else { &[] };
    let report = output.join(page::FILE);
    let had_report = page::is_report(&report);
    let written = answer.draw_elsewhere(output, drawing, others)?;
    if let Some(view) = parts {
        write_parquet(view, &output.join(PARQUET))?;
    }
    let summary = answer.write(output, &written, others)?;
    if had_report {
        let report = report.display();
        remark(&format!(
            "note: {report} held the earlier answer and was removed: `beadwork report` with the same folders and --output {report} writes it again"
        ));
    }
    Ok((summary, written))
}

/// The table of all rows of parts, beside their answer.
const PARQUET: &str = "tables.parquet";

/// Whether a run asks for a Parquet file, and this program can write one.
fn has_parquet(view: &View) -> bool {
    view.request.output.parquet && tables::PARQUET
}

fn write_parquet(view: &View, path: &Path) -> Result<(), Failure> {
    if has_parquet(view) {
        tables::write_parquet(&view.folders, &view.request, path)?;
    }
    Ok(())
}
