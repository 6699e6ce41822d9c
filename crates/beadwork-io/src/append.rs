//! Files that grow only at their end, and can be cut back to an earlier length.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Error;
use crate::atomic::{folder_of, sync_folder_since};
use crate::links::refuse_link;
use crate::written::FileEnd;

const BUFFER_BYTES: usize = 16 * 1024;

/// A buffered file that grows only at its end. It is closed between writes, since a run may have more files than a
/// process may open.
///
/// A failed write keeps its bytes in memory and removes the part that reached the file; the next [`flush`](Self::flush)
/// or [`sync`](Self::sync) tries again. The caller must not write the same bytes again.
#[derive(Debug)]
pub struct AppendFile {
    path: PathBuf,
    buffer: Vec<u8>,
    written: u64,
    /// A write failed midway, so the file may have bytes beyond `written`.
    torn: bool,
    /// Of all bytes so far, those in memory too.
    checksum: crc32fast::Hasher,
    /// When the file was created, until its folder is synced: a power cut may lose the file's name.
    created: Option<Instant>,
}

impl AppendFile {
    /// Creates an empty file at `path`; an existing file is emptied. A link is refused.
    pub fn create(path: &Path) -> Result<Self, Error> {
        refuse_link(path)?;
        File::create(path).map_err(Error::write(path))?;
        Ok(Self::at(path, FileEnd::default(), Some(Instant::now())))
    }

    fn at(path: &Path, end: FileEnd, created: Option<Instant>) -> Self {
        Self {
            path: path.to_path_buf(),
            buffer: Vec::new(),
            written: end.bytes,
            torn: false,
            checksum: crc32fast::Hasher::new_with_initial_len(end.checksum, end.bytes),
            created,
        }
    }

    /// Opens the file at `path` and cuts it back to its `end`. A file that is too short stays unchanged, and a link is
    /// refused. The bytes before the end are not read: [`compare`](crate::written::compare) does that.
    pub fn reopen(path: &Path, end: FileEnd) -> Result<Self, Error> {
        refuse_link(path)?;
        beadwork_files::refuse_special(path).map_err(Error::read(path))?;
        let length = end.bytes;
        let file = match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Error::missing_output(path));
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
        Ok(Self::at(path, end, None))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `bytes`.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.checksum.update(bytes);
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Bytes written so far, including those still in memory.
    pub fn length(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// The end of the file so far, including bytes still in memory.
    pub fn end(&self) -> FileEnd {
        FileEnd { bytes: self.length(), checksum: self.checksum.clone().finalize() }
    }

    /// Passes all bytes to the operating system, so that other programs see them.
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.buffer.is_empty() && !self.torn {
            return Ok(());
        }
        let mut file = self.open()?;
        self.torn = true;
        let outcome =
            file.seek(SeekFrom::Start(self.written)).and_then(|_| file.write_all(&self.buffer));
        if let Err(source) = outcome {
            // If the cut fails too, the file stays marked as torn, and the next attempt cuts it.
            self.torn = file.set_len(self.written).is_err();
            return Err(Error::write(&self.path)(source));
        }
        self.torn = false;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes all bytes written so far survive a power cut, so that a checkpoint may rely on them.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.open()?.sync_all().map_err(Error::write(&self.path))?;
        if let Some(created) = self.created {
            sync_folder_since(&folder_of(&self.path), created).map_err(Error::write(&self.path))?;
            self.created = None;
        }
        Ok(())
    }

    /// Overwrites bytes that are already in the file, such as counters in headers.
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
            let message = format!(
                "The output file {} holds {found} bytes, but this run has written {}: another \
                 program changed it. Leave the files of a running run alone, and resume it from \
                 its last checkpoint.",
                self.path.display(),
                self.written
            );
            return Err(Error::other("io/changed-outside", message));
        }
        Ok(file)
    }
}

impl Drop for AppendFile {
    /// Rows still in memory may explain why a run stopped, so they are written. `drop` cannot report an error.
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
