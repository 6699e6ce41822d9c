//! The container format of checkpoints, which detects damage to their contents.
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

use crate::links::refuse_link;
use crate::{Error, atomic};

const MAGIC: &[u8; 8] = b"beadwork";

/// The version of the layout, of the container and of what is known of output files. Version 2 has their checksums.
const FORMAT_VERSION: u32 = 3;

/// The kind of a file that stands for a checkpoint until the first one is written. With it a member that had no checkpoint
/// yet is told from one whose checkpoint was lost.
const AWAITED: &str = "awaited";

const FRAME_BYTES: u64 = 8 + 4 + 8 + 8 + 4;

/// Writes a checkpoint atomically: after a kill or a power cut, either the old one or the new one exists. Syncing the folder
/// takes longer than writing the file, so it is left to [`RunFolder::sync_checkpoints`](crate::RunFolder::sync_checkpoints),
/// once for all members; until then a power cut may bring back the old one, with which the run goes on as well.
///
/// `kind` names the type of the payload; [`read`] compares it.
pub fn write(path: &Path, kind: &str, payload: &[u8]) -> Result<(), Error> {
    atomic::replace(path, &contained(kind, payload))
}

/// Notes that a member begins and has no checkpoint yet, unless there is a file already. The note is not synced: if a power
/// cut takes it, the rows of the first seconds are mostly gone too, and nothing would be lost by beginning anew.
pub fn await_first(path: &Path) -> Result<(), Error> {
    refuse_link(path)?;
    // A power cut may leave the name without the bytes.
    if fs::metadata(path).is_ok_and(|found| found.len() > 0) {
        return Ok(());
    }
    fs::write(path, contained(AWAITED, &[])).map_err(Error::write(path))
}

fn contained(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME_BYTES as usize + kind.len() + payload.len());
    bytes.extend(MAGIC);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((kind.len() as u64).to_le_bytes());
    bytes.extend(kind.as_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(payload);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Reads the payload of the checkpoint at `path`; `None` if its member has begun and has none yet. The message of each check may rely on the checks before it.
pub fn read(path: &Path, kind: &str) -> Result<Option<Vec<u8>>, Error> {
    refuse_link(path)?;
    let bytes = match beadwork_files::read(path, beadwork_files::ANY_LENGTH) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!(
                "There is no checkpoint {}. If the run was stopped before its first checkpoint, \
                 start it anew.",
                path.display()
            );
            return Err(Error::other("io/checkpoint-missing", message));
        }
        other => other.map_err(Error::read(path))?,
    };
    let name = path.display();
    let mut rest = Rest { path, bytes: &bytes, taken: 0 };
    if bytes.iter().zip(MAGIC).any(|(found, expected)| found != expected) {
        let message =
            format!("{name} is not a checkpoint of beadwork. Name the checkpoint of a run.");
        return Err(Error::other("io/not-a-checkpoint", message));
    }
    rest.take(MAGIC.len() as u64, 24)?;
    let version = u32::from_le_bytes(rest.array(20)?);
    if version != FORMAT_VERSION {
        let message = format!(
            "The checkpoint {name} has format version {version}, but this beadwork reads version \
             {FORMAT_VERSION}. Resume the run with the beadwork that started it (run.json names it)."
        );
        return Err(Error::other("io/checkpoint-version", message));
    }
    let kind_length = u64::from_le_bytes(rest.array(12)?);
    let found_kind = rest.take(kind_length, 12)?;
    let payload_length = u64::from_le_bytes(rest.array(4)?);
    let payload = rest.take(payload_length, 4)?;
    let contents = &bytes[..rest.taken];
    let checksum = u32::from_le_bytes(rest.array(0)?);
    if rest.taken != bytes.len() || checksum != crc32fast::hash(contents) {
        let message = format!(
            "The checkpoint {name} is damaged: its checksum does not match its contents. {}",
            remedy(path)
        );
        return Err(Error::other("io/checkpoint-damaged", message));
    }
    if found_kind == AWAITED.as_bytes() {
        return Ok(None);
    }
    if found_kind != kind.as_bytes() {
        let message = format!(
            "The checkpoint {name} is of the kind {:?}, but {kind:?} is needed here. Use the \
             checkpoint of this run.",
            String::from_utf8_lossy(found_kind)
        );
        return Err(Error::other("io/checkpoint-kind", message));
    }
    Ok(Some(payload.to_vec()))
}

/// What to do about a checkpoint that cannot be read. It lies in the folder `checkpoints` of its run.
fn remedy(path: &Path) -> String {
    let run = path.parent().and_then(Path::parent).unwrap_or(path);
    format!(
        "Use a copy of it, or remove it and start what it belongs to anew, other replicas going on, with: beadwork resume {} --from-start",
        run.display()
    )
}

/// The rest of a checkpoint, from whose front fields are taken; a missing field is reported as truncation.
struct Rest<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    taken: usize,
}

impl<'a> Rest<'a> {
    /// Takes the next `length` bytes. The message on missing bytes also counts the `following` ones.
    fn take(&mut self, length: u64, following: u64) -> Result<&'a [u8], Error> {
        let end = (self.taken as u64).saturating_add(length);
        if end > self.bytes.len() as u64 {
            let message = format!(
                "The checkpoint {} is truncated: {} bytes are there of {}. {}",
                self.path.display(),
                self.bytes.len(),
                end.saturating_add(following),
                remedy(self.path)
            );
            return Err(Error::other("io/checkpoint-truncated", message));
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
