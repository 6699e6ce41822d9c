//! A process that ends in the middle of its work leaves no temporary files. These tests are alone, since each removes those of its
//! whole process.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::{scope, sleep, spawn};
use std::time::Duration;

use beadwork_io::{Error, RunFolder, abandon_folders, atomic};

/// The test that runs.
static ALONE: Mutex<()> = Mutex::new(());

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn half_written_files_are_removed_and_no_new_ones_begin() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::write(path("replaced"), "as before").unwrap();
    let (begun, has_begun) = channel();
    let (go_on, may_go_on) = channel::<()>();
    let (file, folder, later) = (path("replaced"), path("folder"), path("later"));
    let began = begun.clone();
    let one = spawn(move || {
        atomic::write_with::<Error>(&file, |_| {
            began.send(()).unwrap();
            // The other end is dropped to let it go on.
            let _ = may_go_on.recv();
            Ok(())
        })
    });
    has_begun.recv().unwrap();
    let (end, may_end) = channel::<()>();
    let other = spawn(move || {
        atomic::write_at::<(), Error>(&folder, |partial| {
            fs::write(partial, "half").unwrap();
            begun.send(()).unwrap();
            let _ = may_end.recv();
            Ok(())
        })
    });
    has_begun.recv().unwrap();
    assert_eq!(files(place.path()), 3);
    let abandoned = atomic::abandon();
    assert_eq!(files(place.path()), 1);
    let third = spawn(move || atomic::write(&later, b"whole"));
    sleep(Duration::from_millis(100));
    assert_eq!(files(place.path()), 1);
    drop((abandoned, go_on, end));
    assert!(one.join().unwrap().is_err() && other.join().unwrap().is_err());
    third.join().unwrap().unwrap();
    assert_eq!(fs::read_to_string(path("later")).unwrap(), "whole");
    assert_eq!(fs::read_to_string(path("replaced")).unwrap(), "as before");
    assert_eq!(files(place.path()), 2);
}

/// Threads that are about to make a file, or make files in a folder of their own, leave none behind either.
#[test]
fn no_file_appears_behind_those_that_are_removed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = tempfile::tempdir().unwrap();
    let (is_over, mut escaped) = (AtomicBool::new(false), 0);
    let unwritten =
        |path: &Path| Err::<(), Error>(Error::write(path)(ErrorKind::StorageFull.into()));
    scope(|scope| {
        let (is_over, unwritten) = (&is_over, &unwritten);
        for number in 0..4 {
            let path = place.path().join(format!("file-{number}"));
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let _ = atomic::write_with(&path, |_| unwritten(&path));
                }
            });
        }
        for number in 0..2 {
            let path = place.path().join(format!("folder-{number}"));
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let _ = atomic::write_at(&path, |partial| {
                        for part in 0..20 {
                            let _ = fs::write(partial.with_extension(part.to_string()), "half");
                        }
                        unwritten(&path)
                    });
                }
            });
        }
        for _ in 0..200 {
            sleep(Duration::from_micros(300));
            let abandoned = atomic::abandon();
            // What a thread was about to make is there by now.
            sleep(Duration::from_millis(1));
            escaped += files(place.path());
            drop(abandoned);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(escaped, 0);
}

/// A run folder that is being filled is emptied but for its lock; one that is whole stays as it is.
#[test]
fn a_folder_that_is_not_whole_is_emptied() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = tempfile::tempdir().unwrap();
    let (half, whole) = (place.path().join("half"), place.path().join("whole"));
    let (folder, _lock) = RunFolder::create(&half).unwrap();
    folder.begin_filling(&[folder.input(), folder.resolved(), folder.run_json()]).unwrap();
    atomic::write(&folder.input(), b"input").unwrap();
    fs::write(half.join("tables").join("of-a-person.csv"), "1").unwrap();
    let abandoned = abandon_folders(true).unwrap();
    assert_eq!(files(&half), 2, "the lock, and the sub-folder with a file that was not listed");
    // What completes the folder waits.
    let (ended, has_ended) = channel();
    let finishing = spawn(move || {
        let finished = folder.finish_filling();
        ended.send(()).unwrap();
        finished
    });
    sleep(Duration::from_millis(100));
    assert!(has_ended.try_recv().is_err());
    drop(abandoned);
    finishing.join().unwrap().unwrap();
    let (folder, _lock) = RunFolder::create(&whole).unwrap();
    folder.begin_filling(&[folder.input()]).unwrap();
    atomic::write(&folder.input(), b"input").unwrap();
    folder.finish_filling().unwrap();
    assert!(abandon_folders(true).is_none());
    drop(abandon_folders(false));
    assert_eq!(fs::read_to_string(whole.join("input.toml")).unwrap(), "input");
}
