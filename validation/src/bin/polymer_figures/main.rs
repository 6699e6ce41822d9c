//! Draws the figures of \[G\] in the book's list of sources from what `validation/polymers/measure` keeps, whichever of it is there,
//! and judges the tables.
//!
//! `polymer_figures KEPT FOLDER`: the first is read; figures and `polymers.md` and `.json` are written into the second.
#![allow(clippy::print_stdout, reason = "a program that people watch")]

mod figures;
mod speed;
mod verdicts;

use beadwork_validation::Failure;
use beadwork_validation::figures::{folders, write};

fn main() -> Result<(), Failure> {
    let [kept, folder] = folders()?;
    write(&folder, figures::of_runs(&kept)?)?;
    write(&folder, speed::figures(&kept)?)?;
    for (name, picture) in figures::ground_states(&kept)? {
        let path = folder.join(format!("{name}.svg"));
        std::fs::write(&path, picture)?;
        println!("{}", path.display());
    }
    if let Some(table) = speed::table(&kept)? {
        std::fs::write(folder.join("speed-ups.md"), table)?;
    }
    let report = verdicts::report(&kept)?;
    // Of no run there is no verdict.
    if report.tables.is_empty() { Ok(()) } else { report.finish(Some(&folder), true) }
}
