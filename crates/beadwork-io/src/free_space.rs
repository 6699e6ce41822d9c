//! Free space of a disk.

use std::path::{Path, absolute};

/// Free bytes on the disk of a file or folder, which need not exist yet; `None` if the system does not report them.
pub fn free_space(path: &Path) -> Option<u64> {
    let path = absolute(path).ok()?;
    path.ancestors().find(|folder| folder.exists()).and_then(of_existing)
}

#[cfg(unix)]
fn of_existing(path: &Path) -> Option<u64> {
    // `f_bavail` excludes blocks reserved for the superuser.
    let disk = rustix::fs::statvfs(path).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
fn of_existing(_: &Path) -> Option<u64> {
    None
}
