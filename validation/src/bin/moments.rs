//! `moments RUN FILE`: what the tables of a run's folder say of each ladder at each temperature, as a small table.

use std::path::PathBuf;

use beadwork_validation::Failure;
use beadwork_validation::moments::Run;

fn main() -> Result<(), Failure> {
    let paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [folder, file] = paths.as_slice() else {
        return Err("name a run's folder and the file that is written".into());
    };
    Ok(std::fs::write(file, Run::of_folder(folder)?.csv())?)
}
