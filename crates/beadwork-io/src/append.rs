//! Files that grow only at their end, and can be cut back to a remembered length.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::atomic::{folder_of, sync_folder};

/// Bytes kept in memory before they are written.
const BUFFER_BYTES: usize = 16 * 1024;

/// A buffered file that grows only at its end.
///
/// No file is held open between writes: a run of a thousand members has some three thousand
/// output files, more than many systems let one process open.
///
/// After an error the bytes already given stay in memory, what was written of them is cut off
/// again, and the next [`flush`](Self::flush) or [`sync`](Self::sync) tries again. So after space
/// was freed one may go on; do not give the same bytes twice.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    buffer: Vec<u8>,
    written: u64,
    /// A write broke off, so there may be bytes beyond `written`.
    torn: bool,
    /// The file's name is not yet durable.
    new: bool,
}

impl AppendFile {
    /// Makes an empty file at `path`; a file that is already there is emptied.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        File::create(path).map_err(Error::write(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            buffer: Vec::new(),
            written: 0,
            torn: false,
            new: true,
        })
    }

    /// Opens the file at `path` and cuts it back to `length` bytes.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::TooShort`] (the file is then left as it is),
    /// [`Error::Read`] or [`Error::Write`].
    pub fn reopen(path: &Path, length: u64) -> Result<Self, Error> {
        let file = match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::Missing { path: path.to_path_buf() });
            }
            other => other.map_err(Error::write(path))?,
        };
        let found = file.metadata().map_err(Error::read(path))?.len();
        if found < length {
            return Err(Error::TooShort { path: path.to_path_buf(), expected: length, found });
        }
        if found > length {
            file.set_len(length).map_err(Error::write(path))?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            buffer: Vec::new(),
            written: length,
            torn: false,
            new: false,
        })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::ChangedOutside`].
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Bytes given so far, whether or not they are on the disk yet.
    pub fn length(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Hands everything to the operating system, so that other programs see it.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::ChangedOutside`].
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.buffer.is_empty() && !self.torn {
            return Ok(());
        }
        let mut file = self.open()?;
        self.torn = true;
        let outcome =
            file.seek(SeekFrom::Start(self.written)).and_then(|_| file.write_all(&self.buffer));
        if let Err(source) = outcome {
            // If this fails too, the file stays marked as torn and the next attempt cuts it.
            self.torn = file.set_len(self.written).is_err();
            return Err(Error::write(&self.path)(source));
        }
        self.torn = false;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes everything given so far survive a power cut. A checkpoint may then count on it.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::ChangedOutside`].
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.open()?.sync_all().map_err(Error::write(&self.path))?;
        if self.new {
            sync_folder(&folder_of(&self.path)).map_err(Error::write(&self.path))?;
            self.new = false;
        }
        Ok(())
    }

    /// Writes over bytes that are already in the file, for counters in headers.
    pub(crate) fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.flush()?;
        let mut file = self.open()?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.write_all(bytes))
            .map_err(Error::write(&self.path))
    }

    fn open(&mut self) -> Result<File, Error> {
        let file =
            OpenOptions::new().write(true).open(&self.path).map_err(Error::write(&self.path))?;
        if self.torn {
            file.set_len(self.written).map_err(Error::write(&self.path))?;
            self.torn = false;
        }
        let found = file.metadata().map_err(Error::read(&self.path))?.len();
        if found != self.written {
            return Err(Error::ChangedOutside {
                path: self.path.clone(),
                expected: self.written,
                found,
            });
        }
        Ok(file)
    }
}

impl Drop for AppendFile {
    /// What is still in memory may help to understand why a run stopped; errors have no receiver.
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn counts_what_is_still_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = AppendFile::create(&path).unwrap();
        file.write_all(b"0123456789").unwrap();
        assert_eq!(file.length(), 10);
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        file.sync().unwrap();
        assert_eq!(file.length(), 10);
        assert_eq!(fs::read(&path).unwrap(), b"0123456789");
        file.write_all(&vec![b'x'; BUFFER_BYTES]).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 10 + BUFFER_BYTES as u64);
    }

    #[test]
    fn reopening_cuts_at_any_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for length in 0..=10_usize {
            fs::write(&path, b"0123456789").unwrap();
            let mut file = AppendFile::reopen(&path, length as u64).unwrap();
            file.write_all(b"ab").unwrap();
            file.sync().unwrap();
            let expected = [&b"0123456789"[..length], b"ab"].concat();
            assert_eq!(fs::read(&path).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_shorter_than_promised_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"0123456789").unwrap();
        let error = AppendFile::reopen(&path, 11).unwrap_err();
        assert_eq!(error.code(), "io/short-output");
        assert!(error.to_string().contains("10 bytes"));
        assert!(error.to_string().contains("at least 11"));
        assert_eq!(fs::read(&path).unwrap(), b"0123456789");
        fs::remove_file(&path).unwrap();
        let error = AppendFile::reopen(&path, 0).unwrap_err();
        assert_eq!(error.code(), "io/missing-output");
    }

    #[test]
    fn a_file_changed_by_somebody_else_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = AppendFile::create(&path).unwrap();
        file.write_all(b"0123456789").unwrap();
        file.flush().unwrap();
        fs::write(&path, b"012").unwrap();
        file.write_all(b"x").unwrap();
        assert_eq!(file.sync().unwrap_err().code(), "io/changed-outside");
    }

    #[test]
    fn thousands_of_files_need_no_descriptors() {
        let folder = tempfile::tempdir().unwrap();
        let mut files: Vec<_> = (0..3000)
            .map(|index| AppendFile::create(&folder.path().join(format!("{index}"))).unwrap())
            .collect();
        for file in &mut files {
            file.write_all(b"x").unwrap();
            file.flush().unwrap();
        }
    }
}
