//! Draws the figures of \[G\] in the book's list of sources from those results of `validation/polymers/measure` that
//! exist, and compares the tables.
//!
//! `polymer_figures KEPT FOLDER` reads KEPT and writes figures, `polymers.md` and `polymers.json` to FOLDER.
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
    // Without runs there is nothing to report.
    if report.tables.is_empty() { Ok(()) } else { report.finish(Some(&folder), true) }
}
