//! The log of a run.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use beadwork_session::Error;

use crate::times::date;

/// `log.txt`: events with their times.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: std::fs::File,
}

impl Log {
    /// Opens or makes the file at `path`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn open(path: &Path) -> Result<Log, Error> {
        match OpenOptions::new().create(true).append(true).open(path) {
            Ok(file) => Ok(Log { path: path.to_path_buf(), file }),
            Err(error) => Err(beadwork_io::Error::write(path)(error).into()),
        }
    }

    /// Appends a line.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, text: &str) -> Result<(), Error> {
        writeln!(self.file, "{} {text}", date(SystemTime::now()))
            .map_err(|error| beadwork_io::Error::write(&self.path)(error).into())
    }
}
