//! The files of `kernels/`, which programs and files include by their names.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

/// Each file's path below `kernels/` and its text.
pub const HEADERS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// A hash of all files: part of the key of a compiled program.
pub fn digest() -> [u8; 32] {
    static DIGEST: OnceLock<[u8; 32]> = OnceLock::new();
    *DIGEST.get_or_init(|| {
        let mut hash = Sha256::new();
        for part in HEADERS.iter().flat_map(|(name, text)| [name, text]) {
            // Lengths too, so that text cannot move between neighbouring parts.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    })
}
