//! Opens the files that beadwork reads.
//!
//! A pipe may never send anything, a device may never end, and a file by the wrong name may be larger than the memory. All
//! readers open their files here, where such files are refused before the first byte is read. Files that gzip or bzip2 packed
//! are unpacked here, and refused if what they unpack to is longer than a file of their kind may be. The errors are those of the
//! system, or say in the same form what the file is: callers name the file and say what to do.

mod packed;

use std::fs::{self, File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

pub use packed::{read_unpacked, unpacked, unpacked_name};

/// The most bytes of what a person writes: inputs, and configurations of other programs.
pub const LARGEST_TEXT: u64 = 256 << 20;

/// The most bytes of a file with structures, sequences or beads: ten million beads as text are less than 1 GB.
pub const LARGEST_STRUCTURE: u64 = 8 << 30;

/// No limit: for files of a run folder, whose length follows from the run.
pub const ANY_LENGTH: u64 = u64::MAX;

/// Opens an ordinary file of at most `most` bytes.
///
/// # Errors
/// Those of the system; a file that is a folder, a pipe, a socket or a device; one that is larger.
pub fn open(path: &Path, most: u64) -> Result<File> {
    // Looked at before it is opened: opening a pipe waits for its other end.
    check(&fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    // Looked at again: another file may have taken its name.
    check(&file.metadata()?, most)?;
    Ok(file)
}

/// Reads an ordinary file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and if there is not enough memory.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open(path, most)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|_| {
        let problem = format!("its {} do not fit into the memory", in_words(length));
        Error::new(ErrorKind::OutOfMemory, problem)
    })?;
    // A file that grows meanwhile is read as far as it went when it was opened: tables of a run do grow.
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads an ordinary file of at most `most` bytes as UTF-8 text.
///
/// # Errors
/// As [`read`], and if it is no text.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Refuses a path at which there is something other than an ordinary file; nothing at all is fine. For files that are about
/// to be opened for writing.
///
/// # Errors
/// As [`open`].
pub fn refuse_special(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        found => check(&found?, ANY_LENGTH),
    }
}

fn check(found: &Metadata, most: u64) -> Result<()> {
    if let Some(kind) = special(found) {
        let problem = format!("it is {kind}, and only ordinary files are read");
        return Err(Error::new(ErrorKind::InvalidInput, problem));
    }
    if found.len() > most {
        let problem = format!(
            "it has {}, more than the {} that such a file may have",
            in_words(found.len()),
            in_words(most)
        );
        return Err(Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(())
}

/// What something other than an ordinary file is.
fn special(found: &Metadata) -> Option<&'static str> {
    if found.is_file() {
        return None;
    }
    if found.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some("not a file")
}

/// `3.2 GB`, `512 bytes`.
fn in_words(bytes: u64) -> String {
    match bytes as f64 {
        few if few < 1e3 => format!("{bytes} bytes"),
        some if some < 1e6 => format!("{:.1} kB", some / 1e3),
        many if many < 1e9 => format!("{:.1} MB", many / 1e6),
        most => format!("{:.1} GB", most / 1e9),
    }
}

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    fn said(outcome: Result<Vec<u8>>) -> String {
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn ordinary_files_are_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("beads.xyz");
        fs::write(&path, "häm").unwrap();
        assert_eq!(read(&path, 4).unwrap(), "häm".as_bytes());
        assert_eq!(read_text(&path, ANY_LENGTH).unwrap(), "häm");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(read_text(&path, 4).unwrap_err().kind(), ErrorKind::InvalidData);
        fs::write(&path, "").unwrap();
        assert_eq!(read(&path, 0).unwrap(), []);
        assert!(refuse_special(&path).is_ok() && refuse_special(&folder.path().join("x")).is_ok());
    }

    #[test]
    fn what_is_too_large_or_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        // A file without blocks: none of its bytes may be read.
        File::create(&path).unwrap().set_len(1 << 42).unwrap();
        let expected = "it has 4398.0 GB, more than the 268.4 MB that such a file may have";
        assert_eq!(said(read(&path, LARGEST_TEXT)), expected);
        assert!(said(read(folder.path(), 9)).starts_with("it is a folder"));
        assert!(refuse_special(folder.path()).is_err());
        assert_eq!(read(&folder.path().join("no"), 9).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_pipes_and_sockets_are_refused_at_once() {
        assert!(said(read(Path::new("/dev/zero"), ANY_LENGTH)).starts_with("it is a device"));
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(said(read(&socket, 9)).starts_with("it is a socket"));
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            assert!(said(read(&pipe, 9)).starts_with("it is a pipe"));
            assert!(refuse_special(&pipe).is_err());
        }
    }
}
