//! The container of checkpoints: it detects whatever happened to its contents.
//!
//! All numbers are little-endian:
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `beadwork` |
//! | 4 | version of this layout |
//! | 8 | length of the kind |
//! | … | kind, UTF-8 |
//! | 8 | length of the payload |
//! | … | payload |
//! | 4 | CRC-32 (IEEE 802.3) of everything before |

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::{Error, atomic};

const MAGIC: &[u8; 8] = b"beadwork";

/// The version of the layout, which changes only if the container does.
pub const FORMAT_VERSION: u32 = 1;

/// Bytes around kind and payload.
const FRAME_BYTES: u64 = 8 + 4 + 8 + 8 + 4;

/// Writes a checkpoint atomically: a kill leaves the old one or the new one.
///
/// `kind` names what the payload is, and is compared when it is read.
///
/// # Errors
/// [`Error::Write`]; an older checkpoint is then still there.
pub fn write(path: &Path, kind: &str, payload: &[u8]) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(FRAME_BYTES as usize + kind.len() + payload.len());
    bytes.extend(MAGIC);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((kind.len() as u64).to_le_bytes());
    bytes.extend(kind.as_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(payload);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    atomic::write(path, &bytes)
}

/// The payload of the checkpoint at `path`.
///
/// # Errors
/// [`Error::CheckpointMissing`], [`Error::NotACheckpoint`], [`Error::CheckpointVersion`],
/// [`Error::CheckpointTruncated`], [`Error::CheckpointDamaged`], [`Error::CheckpointKind`]: tried
/// in this order, so that each speaks of a file which the ones before it accept. [`Error::Read`]
/// if the file cannot be read.
pub fn read(path: &Path, kind: &str) -> Result<Vec<u8>, Error> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::CheckpointMissing { path: path.to_path_buf() });
        }
        other => other.map_err(Error::read(path))?,
    };
    let mut rest = Rest { path, bytes: &bytes, taken: 0 };
    let magic_length = MAGIC.len().min(bytes.len());
    if bytes[..magic_length] != MAGIC[..magic_length] {
        return Err(Error::NotACheckpoint { path: path.to_path_buf() });
    }
    rest.take(MAGIC.len() as u64, 24)?;
    let version = u32::from_le_bytes(rest.array(20)?);
    if version != FORMAT_VERSION {
        return Err(Error::CheckpointVersion {
            path: path.to_path_buf(),
            found: version,
            supported: FORMAT_VERSION,
        });
    }
    let kind_length = u64::from_le_bytes(rest.array(12)?);
    let found_kind = rest.take(kind_length, 12)?;
    let payload_length = u64::from_le_bytes(rest.array(4)?);
    let payload = rest.take(payload_length, 4)?;
    let contents = &bytes[..rest.taken];
    let checksum = u32::from_le_bytes(rest.array(0)?);
    if rest.taken != bytes.len() || checksum != crc32fast::hash(contents) {
        return Err(Error::CheckpointDamaged { path: path.to_path_buf() });
    }
    if found_kind != kind.as_bytes() {
        return Err(Error::CheckpointKind {
            path: path.to_path_buf(),
            found: String::from_utf8_lossy(found_kind).into_owned(),
            expected: kind.to_owned(),
        });
    }
    Ok(payload.to_vec())
}

/// Takes fields from the front; what is not there makes the file a truncated one.
struct Rest<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    taken: usize,
}

impl<'a> Rest<'a> {
    /// The next `length` bytes, which at least `following` others come after.
    fn take(&mut self, length: u64, following: u64) -> Result<&'a [u8], Error> {
        let end = (self.taken as u64).saturating_add(length);
        if end > self.bytes.len() as u64 {
            return Err(Error::CheckpointTruncated {
                path: self.path.to_path_buf(),
                expected: end.saturating_add(following),
                found: self.bytes.len() as u64,
            });
        }
        let field = &self.bytes[self.taken..end as usize];
        self.taken = end as usize;
        Ok(field)
    }

    fn array<const LENGTH: usize>(&mut self, following: u64) -> Result<[u8; LENGTH], Error> {
        let mut array = [0; LENGTH];
        array.copy_from_slice(self.take(LENGTH as u64, following)?);
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "member";
    const PAYLOAD: &[u8] = b"positions and the state of the generator";

    /// The bytes of a small checkpoint, and a place for altered ones.
    fn sample() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("member-0000.ckpt");
        write(&path, KIND, PAYLOAD).unwrap();
        let bytes = fs::read(&path).unwrap();
        (folder, path, bytes)
    }

    #[test]
    fn the_payload_comes_back() {
        let (_folder, path, bytes) = sample();
        assert_eq!(read(&path, KIND).unwrap(), PAYLOAD);
        assert_eq!(bytes.len(), FRAME_BYTES as usize + KIND.len() + PAYLOAD.len());
        write(&path, "", b"").unwrap();
        assert_eq!(read(&path, "").unwrap(), b"");
    }

    #[test]
    fn every_flipped_bit_is_detected() {
        let (_folder, path, bytes) = sample();
        for bit in 0..8 * bytes.len() {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &altered).unwrap();
            let code = read(&path, KIND).unwrap_err().code();
            let expected: &[&str] = match bit / 8 {
                0..8 => &["io/not-a-checkpoint"],
                8..12 => &["io/checkpoint-version"],
                12..20 | 26..34 => &["io/checkpoint-truncated", "io/checkpoint-damaged"],
                _ => &["io/checkpoint-damaged"],
            };
            assert!(expected.contains(&code), "bit {bit}: {code}");
        }
    }

    #[test]
    fn every_truncation_is_detected_and_counted() {
        let (_folder, path, bytes) = sample();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let error = read(&path, KIND).unwrap_err();
            let Error::CheckpointTruncated { expected, found, .. } = error else {
                panic!("{length} bytes: {error}");
            };
            assert_eq!(found, length as u64);
            assert!(found < expected && expected <= bytes.len() as u64);
            if length >= 34 {
                assert_eq!(expected, bytes.len() as u64);
            }
        }
    }

    #[test]
    fn bytes_after_the_end_are_detected() {
        let (_folder, path, mut bytes) = sample();
        bytes.push(0);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path, KIND).unwrap_err().code(), "io/checkpoint-damaged");
    }

    #[test]
    fn other_files_are_told_apart() {
        let (folder, path, _) = sample();
        let error = read(&path, "exchange").unwrap_err();
        assert_eq!(error.code(), "io/checkpoint-kind");
        assert!(error.to_string().contains("\"member\""));
        assert!(error.to_string().contains("\"exchange\""));
        fs::write(&path, "[system]").unwrap();
        assert_eq!(read(&path, KIND).unwrap_err().code(), "io/not-a-checkpoint");
        let nowhere = folder.path().join("nowhere.ckpt");
        assert_eq!(read(&nowhere, KIND).unwrap_err().code(), "io/checkpoint-missing");
    }
}
