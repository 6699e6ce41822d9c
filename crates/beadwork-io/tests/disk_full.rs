//! A full disk gives a clear error and loses no data; writing continues once there is space.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use beadwork_io::{
    Error, TableValue, TableWriter, TrajectoryFormat, TrajectoryHeader, TrajectoryWriter, atomic,
    checkpoint,
};

/// One test at a time has a disk. Otherwise the `mount` that another test starts inherits, until it executes, the open
/// files of this one, and the space of a removed file is not free yet.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A file system in memory with room for 64 KiB.
struct SmallDisk {
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl SmallDisk {
    /// Only some users may mount; for others the test prints why it is skipped.
    fn mount() -> Option<Self> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|output| output.status.success());
        if mounted {
            Some(Self { folder, _turn: turn })
        } else {
            println!("skipped: may not mount a small disk");
            None
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Fills the remaining space.
    fn fill(&self) {
        let mut size = 64 * 1024;
        while size > 0 {
            let filler = self.path(&format!("filler-{size}"));
            if fs::write(&filler, vec![0; size]).is_err() {
                size /= 2;
                let _ = fs::remove_file(&filler);
            } else if size < 4096 {
                break;
            } else {
                let _ = fs::rename(&filler, self.path(&format!("filled-{}", self.files())));
            }
        }
    }

    fn files(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }

    fn free(&self) {
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("fill") {
                fs::remove_file(path).unwrap();
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder.path()).output();
    }
}

fn assert_names_the_full_disk(error: &Error, path: &Path) {
    assert_eq!(error.code(), "io/disk-full", "{error}");
    let message = error.to_string();
    assert!(message.contains("disk is full"), "{message}");
    assert!(message.contains(&*path.to_string_lossy()), "{message}");
    assert!(message.contains("Free some space"), "{message}");
}

#[test]
fn a_full_device_is_reported() {
    let path = Path::new("/dev/full");
    if !path.exists() {
        println!("skipped: no /dev/full");
        return;
    }
    let error = TableWriter::create(path, &["step".to_owned()]).unwrap_err();
    assert_names_the_full_disk(&error, path);
}

#[test]
fn a_table_continues_after_space_was_freed() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("table.csv");
    let mut table = TableWriter::create(&path, &["step".to_owned()]).unwrap();
    disk.fill();
    let rows = 5_000_u64;
    let mut failures = 0;
    for row in 0..rows {
        if let Err(error) = table.row(&[TableValue::Integer(row)]) {
            assert_names_the_full_disk(&error, &path);
            failures += 1;
            assert!(fs::metadata(&path).unwrap().len() < 16 * 1024);
            disk.free();
        }
    }
    assert_eq!(failures, 1);
    table.sync().unwrap();
    let expected: String =
        (0..rows).fold("step\n".to_owned(), |text, row| text + &format!("{row}\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_trajectory_continues_after_space_was_freed() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let timing =
        TrajectoryHeader { first_step: 0, steps_between_frames: 1, timestep_ps: 1.0, sides: None };
    let beads = vec![[1.0, 2.0, 3.0]; 400];
    for format in [TrajectoryFormat::Xtc, TrajectoryFormat::Dcd] {
        let write = |path: &Path, full: bool| {
            let mut writer = TrajectoryWriter::create(path, format, beads.len(), timing).unwrap();
            for frame in 0..4 {
                if full && frame == 2 {
                    disk.fill();
                }
                // An XTC frame may still fit into the last block of the file.
                if let Err(error) = writer.write_frame(frame, 0.0, &beads) {
                    assert_names_the_full_disk(&error, path);
                    disk.free();
                }
            }
            disk.free();
            writer.sync().unwrap();
            fs::read(path).unwrap()
        };
        let whole = write(&disk.path("whole"), false);
        assert_eq!(write(&disk.path("interrupted"), true), whole);
    }
}

#[test]
fn a_failed_write_keeps_the_older_checkpoint() {
    let Some(disk) = SmallDisk::mount() else {
        return;
    };
    let path = disk.path("member-0000.ckpt");
    checkpoint::write(&path, "member", b"old").unwrap();
    disk.fill();
    let files = disk.files();
    let error = checkpoint::write(&path, "member", &[0; 8192]).unwrap_err();
    assert_names_the_full_disk(&error, &path);
    assert_eq!(checkpoint::read(&path, "member").unwrap().unwrap(), b"old");
    assert_eq!(disk.files(), files, "a temporary file was left");
    let run = disk.path("run.json");
    assert_names_the_full_disk(&atomic::write(&run, &[0; 8192]).unwrap_err(), &run);
}
