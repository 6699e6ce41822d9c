//! The files that a run began with, held to the digests in `run.json`.
//!
//! A run goes on exactly only with the input that it began with. `run.json` has the SHA-256 of the resolved input, of the
//! input as it was written and of each file in `inputs/`; resuming, extending and reading a run compare them first. The
//! topologies for viewers are among them, and are made anew if they differ.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use beadwork_io::RunFolder;
use beadwork_io::links::refuse_link;
use sha2::{Digest, Sha256};

use crate::Error;

/// Digests by the names of files in the folder.
pub(crate) type Digests = BTreeMap<String, String>;

const TOPOLOGY: &str = "topology";

/// The SHA-256 of some bytes, as `sha256sum` writes it.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The digest of a file in a folder.
pub(crate) fn digest_of(path: &Path) -> Result<String, beadwork_io::Error> {
    refuse_link(path)?;
    let bytes = beadwork_files::read(path, beadwork_files::LARGEST_STRUCTURE)
        .map_err(|source| beadwork_io::Error::Read { path: path.to_path_buf(), source })?;
    Ok(digest(&bytes))
}

/// Whether a file serves viewers only and follows from the input.
pub(crate) fn is_topology(name: &str) -> bool {
    name.starts_with(TOPOLOGY)
}

/// A file that is not the one with which the run began.
pub(crate) fn changed(folder: &RunFolder, name: &str, known: &str) -> Option<Error> {
    let path = folder.root().join(name);
    match digest_of(&path) {
        Ok(found) if found == known => None,
        Ok(_) => Some(Error::Changed { path, how: "is not the file that the run began with" }),
        Err(beadwork_io::Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Some(Error::Changed { path, how: "is gone, and the run began with it" })
        }
        Err(error) => Some(error.into()),
    }
}

/// Refuses a folder whose input differs from the digests, the first file by name. An extension that is being made may have
/// written its resolved input, which has the digest `longer`.
pub(crate) fn refuse_changed(
    folder: &RunFolder,
    digests: &Digests,
    longer: Option<&str>,
) -> Result<(), Error> {
    for (name, known) in digests.iter().filter(|(name, _)| !is_topology(name)) {
        let Some(error) = changed(folder, name, known) else { continue };
        let is_longer = folder.resolved() == folder.root().join(name)
            && longer.is_some_and(|longer| changed(folder, name, longer).is_none());
        if !is_longer {
            return Err(error);
        }
    }
    Ok(())
}

/// Enters the digest of a file that was written.
pub(crate) fn hold(folder: &RunFolder, path: &Path, files: &mut Digests) -> Result<(), Error> {
    let name = path.strip_prefix(folder.root()).unwrap_or(path).to_string_lossy().into_owned();
    files.insert(name, digest_of(path)?);
    Ok(())
}
