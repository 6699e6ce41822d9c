//! Draws P3's figures from what `validation/p3/measure` keeps, whichever of it is there, and judges the tables.
//!
//! `polymer_figures KEPT FOLDER`: the first is read; figures and `polymers.md` and `.json` are written into the second.
#![allow(clippy::print_stdout, reason = "a program that people watch")]

mod figures;
mod speed;
mod verdicts;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [kept, folder] = folders.as_slice() else {
        return Err("name the folder that is read and the one that is written".into());
    };
    std::fs::create_dir_all(folder)?;
    let mut drawn = figures::of_runs(kept)?;
    drawn.extend(speed::figures(kept)?);
    for (name, figure) in drawn {
        let path = folder.join(format!("{name}.png"));
        std::fs::write(&path, figure.to_png()?)?;
        println!("{}", path.display());
    }
    for (name, picture) in figures::ground_states(kept)? {
        let path = folder.join(format!("{name}.svg"));
        std::fs::write(&path, picture)?;
        println!("{}", path.display());
    }
    if let Some(table) = speed::table(kept)? {
        std::fs::write(folder.join("speed-ups.md"), table)?;
    }
    let report = verdicts::report(kept)?;
    // Of no run there is no verdict.
    if report.tables.is_empty() { Ok(()) } else { report.finish(Some(folder), true) }
}
