//! The log of a run.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::failure::Failure;
use super::output::date;

/// `log.txt`: events with their times. Only this file differs between repetitions of a run.
pub struct Log {
    path: PathBuf,
    file: std::fs::File,
}

impl Log {
    pub fn open(path: &Path) -> Result<Log, Failure> {
        match OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Ok(Log { path: path.to_path_buf(), file }),
            Err(error) => Err(cannot_write(path, &error)),
        }
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.file, "{} {text}", date(SystemTime::now()))
            .map_err(|error| cannot_write(&self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    if error.kind() == std::io::ErrorKind::StorageFull {
        Failure::machine(format!(
            "the disk is full while writing {path}; free some space, then go on with `beadwork resume`"
        ))
    } else {
        Failure::machine(format!("{path} cannot be written: {error}"))
    }
}
