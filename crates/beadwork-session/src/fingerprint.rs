//! The fingerprint of an input, which checkpoints and `run.json` hold.

use std::fmt::Write as _;

use beadwork_input::{InputFile, Request};
use sha2::{Digest, Sha256};

/// A hash of everything that checkpoints depend on: the resolved input except its folder, and the files that it names.
pub(crate) fn fingerprint(request: &Request) -> String {
    fingerprint_of(&request.resolved, &request.files)
}

/// The fingerprint of a resolved input and its files.
pub(crate) fn fingerprint_of(resolved: &str, files: &[InputFile]) -> String {
    let mut hash = Sha256::new();
    for line in resolved.lines().filter(|line| !line.starts_with("folder = ")) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    for file in files {
        hash.update(file.name.as_bytes());
        hash.update((file.contents.len() as u64).to_le_bytes());
        hash.update(&file.contents);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
