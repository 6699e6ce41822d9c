//! Files that appear whole or not at all.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Error;

/// Temporary files have names between these two, so that leftovers of a killed process are known.
pub(crate) const TEMPORARY_PREFIX: &str = ".beadwork-";
pub(crate) const TEMPORARY_SUFFIX: &str = ".partial";

/// Writes `bytes` to `path` so that a kill or a power cut leaves either the old contents or the
/// new ones.
///
/// A temporary file in the same folder is written, synced and renamed, and the folder is synced.
///
/// # Errors
/// [`Error::Write`]; the old contents are then still there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes).map_err(Error::write(path)))
}

/// The same for contents that are too large to be held at once: `fill` writes them.
///
/// # Errors
/// Those of [`write()`] and of `fill`; the old contents are then still there.
pub fn write_with<E: From<Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    // Temporary files are private by default; an output is as readable as the umask says.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(&folder).map_err(Error::write(path))?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all().map_err(Error::write(path))?;
    file.persist(path).map_err(|error| Error::write(path)(error.error))?;
    sync_folder(&folder).map_err(Error::write(path))?;
    Ok(())
}

/// The folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Makes new names in `folder` durable. Folders cannot be opened, nor need they be, elsewhere
/// than on Unix.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn replaces_the_contents_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        write(&path, b"first, and longer").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn names_the_file_when_its_folder_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("run.json");
        let error = write(&path, b"x").unwrap_err();
        assert_eq!(error.code(), "io/write");
        assert!(error.to_string().contains("nowhere"));
    }

    #[cfg(unix)]
    #[test]
    fn is_as_readable_as_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, b"x").unwrap();
        let path = folder.path().join("atomic");
        write(&path, b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
    }
}
