//! What a checkpoint knows of an output file: its length and a checksum of the bytes that were appended.
//!
//! The checksum is a CRC-32, which goes on from its value: neither writing nor going on reads a byte again. It finds every
//! change of up to 32 neighbouring bits, and another change with a probability of 1 − 2⁻³².

use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::links::refuse_link;

/// So many bytes are read at a time.
const CHUNK: usize = 1 << 20;

/// The end of a file that grows, and the checksum of all bytes up to it as they were appended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEnd {
    /// Length in bytes.
    pub bytes: u64,
    /// CRC-32 (IEEE 802.3) of these bytes.
    pub checksum: u32,
}

/// A part of a file that is overwritten while the file grows, such as a counter in its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Where it begins.
    pub at: u64,
    /// The bytes that were appended there, which the checksum covers.
    pub appended: Vec<u8>,
    /// The bytes that belong there now.
    pub now: Vec<u8>,
}

/// How a file compares with its end in a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The file has exactly the bytes that were written.
    Same,
    /// The file begins with the bytes that were written. It is longer, or a part that going on writes again differs.
    Beginning,
}

/// Compares a file with its end in a checkpoint.
///
/// # Errors
/// A file that is gone, shorter, a link, or has other bytes.
pub fn compare(path: &Path, end: FileEnd, rewritten: &[Rewritten]) -> Result<Comparison, Error> {
    refuse_link(path)?;
    let mut file = match beadwork_files::open(path, beadwork_files::ANY_LENGTH) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::missing_output(path));
        }
        other => other.map_err(Error::read(path))?,
    };
    let found = file.metadata().map_err(Error::read(path))?.len();
    if found < end.bytes {
        let path = path.to_path_buf();
        return Err(Error::TooShort { path, expected: end.bytes, found });
    }
    let mut hash = crc32fast::Hasher::new();
    let mut chunk = vec![0; CHUNK.min(end.bytes as usize)];
    let mut is_same = found == end.bytes;
    let mut at = 0;
    while at < end.bytes {
        let length = (chunk.len() as u64).min(end.bytes - at);
        let bytes = &mut chunk[..length as usize];
        file.read_exact(bytes).map_err(Error::read(path))?;
        for part in rewritten {
            is_same &= put_back(part, at, bytes);
        }
        hash.update(bytes);
        at += length;
    }
    if hash.finalize() == end.checksum {
        return Ok(if is_same { Comparison::Same } else { Comparison::Beginning });
    }
    let message = format!(
        "The output file {} has other bytes than were written: it was damaged or changed after the \
         checkpoint. Put the original back, or start the run anew in another folder.",
        path.display()
    );
    Err(Error::other("io/changed-output", message))
}

/// Whether a file is there and at least as long as at its end in a checkpoint.
///
/// # Errors
/// A file that is gone or shorter.
pub fn compare_length(path: &Path, end: FileEnd) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::missing_output(path)),
        Err(error) => Err(Error::read(path)(error)),
        Ok(found) if found.len() < end.bytes => {
            let (path, found) = (path.to_path_buf(), found.len());
            Err(Error::TooShort { path, expected: end.bytes, found })
        }
        Ok(_) => Ok(()),
    }
}

/// Replaces what lies of a part in the bytes from `at` on by what was appended; whether the bytes were those that belong
/// there now.
fn put_back(part: &Rewritten, at: u64, bytes: &mut [u8]) -> bool {
    let (first, last) = (part.at.max(at), part.at + part.appended.len() as u64);
    let last = last.min(at + bytes.len() as u64);
    if first >= last {
        return true;
    }
    let (inner, outer) = (first - part.at..last - part.at, first - at..last - at);
    let inner = inner.start as usize..inner.end as usize;
    let found = &mut bytes[outer.start as usize..outer.end as usize];
    let is_now = *found == part.now[inner.clone()];
    found.copy_from_slice(&part.appended[inner]);
    is_now
}

/// The number of lines of a table behind its first one; 0 if the file is not there.
pub fn rows_in(path: &Path) -> u64 {
    let Ok(mut file) = beadwork_files::open(path, beadwork_files::ANY_LENGTH) else { return 0 };
    let mut chunk = vec![0; CHUNK];
    let mut lines = 0;
    while let Ok(length @ 1..) = file.read(&mut chunk) {
        lines += chunk[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    lines.saturating_sub(1)
}
