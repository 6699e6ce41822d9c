//! Free space of a disk.

use std::path::{Path, absolute};

/// Bytes that the disk of a file or folder still takes; the file need not exist yet. `None` where the
/// system does not say.
pub fn free_space(path: &Path) -> Option<u64> {
    let path = absolute(path).ok()?;
    path.ancestors().find(|folder| folder.exists()).and_then(of_existing)
}

#[cfg(unix)]
fn of_existing(path: &Path) -> Option<u64> {
    // `f_bavail` leaves out the blocks that the superuser alone may use.
    let disk = rustix::fs::statvfs(path).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
fn of_existing(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_has_the_room_of_the_one_that_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("full");
        std::fs::write(&file, vec![1; 1 << 20]).unwrap();
        let room = free_space(&folder.path().join("no/such/folder")).unwrap();
        assert!(room > 0);
        // Other processes write to the disk, too.
        let same = free_space(folder.path()).unwrap();
        assert!(room.abs_diff(same) < 1 << 30, "{room} {same}");
    }
}
