//! A process that ends in the middle of its work leaves no temporary files. This test is alone, since it removes those of its whole
//! process.

use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};
use std::time::Duration;

use beadwork_io::{Error, atomic};

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn half_written_files_are_removed_and_no_new_ones_begin() {
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
