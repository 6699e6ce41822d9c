//! Files that a run of beadwork wrote.

use std::path::Path;

/// What a run's files say before the replica's number: the comment of XYZ files and the remark of PDB files in `final/`.
const MARK: &[u8] = b"beadwork: replica ";
/// So many bytes of a file are searched for the mark.
const MARK_WITHIN: usize = 2048;
/// A GSD file has this number first, and the name of the program that wrote it behind 48 bytes.
const GSD_MAGIC: [u8; 8] = 0x65DF_65DF_65DF_65DF_u64.to_le_bytes();
const GSD_PROGRAM: std::ops::Range<usize> = 48..57;

/// Whether a run wrote the file: it lies in the folder of a run, or says so itself. Files in `inputs/` of a run folder are
/// what that run began with.
pub(crate) fn is_output(path: &Path, contents: &[u8]) -> bool {
    let folder = path.parent();
    let is_run = |folder: Option<&Path>| {
        folder.is_some_and(|folder| {
            folder.join("run.json").is_file() && folder.join("resolved.toml").is_file()
        })
    };
    let lies_in =
        |name: &str| folder.is_some_and(|folder| folder.ends_with(name) && is_run(folder.parent()));
    if lies_in("inputs") {
        return false;
    }
    let beginning = &contents[..contents.len().min(MARK_WITHIN)];
    let is_marked = beginning.windows(MARK.len()).any(|part| part == MARK);
    let is_own_gsd = beginning.starts_with(&GSD_MAGIC)
        && beginning.get(GSD_PROGRAM).is_some_and(|name| name == b"beadwork\0");
    is_marked || is_own_gsd || lies_in("final") || lies_in("trajectories")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_known_by_their_mark() {
        let nowhere = Path::new("start.xyz");
        let xyz = b"1\nProperties=species:S:1:pos:R:3 comment=\"beadwork: replica 0 after step 8\"\nA 0 0 0\n";
        assert!(is_output(nowhere, xyz));
        assert!(is_output(nowhere, b"REMARK   1 beadwork: replica 12 after step 8, 1 ns\n"));
        assert!(!is_output(nowhere, b"REMARK   1 beadwork\nATOM"));
        let mut gsd = vec![0_u8; 256];
        gsd[..8].copy_from_slice(&GSD_MAGIC);
        assert!(!is_output(nowhere, &gsd));
        gsd[48..56].copy_from_slice(b"beadwork");
        assert!(is_output(nowhere, &gsd));
    }
}
