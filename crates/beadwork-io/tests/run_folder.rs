//! The folder of a run: the names of its files, and its lock.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use beadwork_io::{Error, RunFolder, TrajectoryFormat, free_space};

/// Whether another process holds the lock of the folder or has filled it.
fn is_taken(error: &Error) -> bool {
    matches!(error.code(), "io/folder-exists" | "io/folder-busy")
}

#[test]
fn files_have_the_documented_names() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("runs").join("titin");
    let (folder, _lock) = RunFolder::create(&root).unwrap();
    let relative = |path: PathBuf| {
        let path = path.strip_prefix(&root).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let xtc = |folder: &RunFolder, member| folder.trajectory(member, TrajectoryFormat::Xtc);
    assert_eq!(relative(xtc(&folder, 7)), "trajectories/member-0007.xtc");
    assert_eq!(
        relative(folder.trajectory(7, TrajectoryFormat::Dcd)),
        "trajectories/member-0007.dcd"
    );
    assert_eq!(relative(folder.table(7)), "tables/member-0007.csv");
    assert_eq!(relative(folder.frames(7)), "tables/member-0007-frames.csv");
    assert_eq!(relative(folder.checkpoint(7)), "checkpoints/member-0007.ckpt");
    for (members, name) in [
        (1, "trajectories/member-0007.xtc"),
        (10_000, "trajectories/member-0007.xtc"),
        (10_001, "trajectories/member-00007.xtc"),
    ] {
        let folder = folder.clone().with_members(members);
        assert_eq!(relative(xtc(&folder, 7)), name);
    }
    // Files of a part have the same names as in the whole run.
    let part = folder.clone().with_members(100_000).with_part(7..9);
    assert_eq!(relative(part.table(0)), "tables/member-00007.csv");
    assert_eq!(relative(part.checkpoint(1)), "checkpoints/member-00008.ckpt");
    assert_eq!(relative(part.final_coordinates(0)), "final/replica-7.pdb");
    assert_eq!((part.members(), folder.clone().with_members(3).members()), (7..9, 0..3));
    for sub_folder in [folder.root().join("inputs"), folder.plots()] {
        assert!(sub_folder.is_dir());
    }
    assert!(xtc(&folder, 0).parent().unwrap().is_dir());
    assert!(folder.table(0).parent().unwrap().is_dir());
    assert!(folder.checkpoint(0).parent().unwrap().is_dir());
}

#[test]
fn a_folder_in_use_is_refused() {
    let place = tempfile::tempdir().unwrap();
    // A kill right after the creation leaves such a folder.
    drop(RunFolder::create(place.path()).unwrap());
    let (folder, lock) = RunFolder::create(place.path()).unwrap();
    drop(lock);
    fs::write(folder.input(), "[system]").unwrap();
    let error = RunFolder::create(place.path()).unwrap_err();
    assert_eq!(error.code(), "io/folder-exists");
    for advice in ["--output", "beadwork resume ", "run --continue"] {
        assert!(error.to_string().contains(advice));
    }
    fs::remove_file(folder.input()).unwrap();
    fs::write(folder.table(0), "step\n").unwrap();
    assert!(RunFolder::create(place.path()).is_err());
}

/// Several threads start together: one gets the folder, fills it and releases the lock at once; the
/// others are refused. In every second folder, an earlier creation was killed.
#[test]
fn one_of_many_gets_a_new_folder() {
    let place = tempfile::tempdir().unwrap();
    for attempt in 0..100 {
        let root = place.path().join(attempt.to_string());
        let is_unfinished = attempt % 2 == 0;
        if is_unfinished {
            let (folder, _lock) = RunFolder::create(&root).unwrap();
            folder.begin_filling(&[folder.input(), folder.resolved()]).unwrap();
            fs::write(folder.input(), "half of").unwrap();
        }
        let create = if is_unfinished { RunFolder::create_again } else { RunFolder::create };
        let start = std::sync::Barrier::new(4);
        let fill = |number: usize| {
            start.wait();
            match create(&root) {
                Ok((folder, _lock)) => {
                    let files = [folder.input(), folder.resolved(), folder.run_json()];
                    folder.begin_filling(&files).unwrap();
                    files.iter().for_each(|file| fs::write(file, number.to_string()).unwrap());
                    folder.finish_filling().unwrap();
                    Some(number)
                }
                Err(error) => {
                    assert!(is_taken(&error), "{error}");
                    None
                }
            }
        };
        let winners: Vec<usize> = std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|number| scope.spawn(move || fill(number)));
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(winners.len(), 1, "{winners:?}");
        assert_eq!(fs::read_to_string(root.join("input.toml")).unwrap(), winners[0].to_string());
    }
}

/// A second process finds the folder empty; when it gets the lock, the folder is filled.
#[test]
fn a_folder_filled_before_the_lock_was_released_is_refused() {
    for create in [RunFolder::create, RunFolder::create_again] {
        let place = tempfile::tempdir().unwrap();
        let (folder, lock) = RunFolder::create(place.path()).unwrap();
        let error = std::thread::scope(|scope| {
            let second = scope.spawn(|| create(place.path()).unwrap_err());
            std::thread::sleep(Duration::from_millis(200));
            folder.begin_filling(&[folder.resolved(), folder.run_json()]).unwrap();
            fs::write(folder.resolved(), "mine").unwrap();
            fs::write(folder.run_json(), "{}").unwrap();
            folder.finish_filling().unwrap();
            drop(lock);
            second.join().unwrap()
        });
        // On a busy machine the second process may give up waiting before.
        assert!(is_taken(&error), "{error}");
        assert_eq!(fs::read_to_string(folder.resolved()).unwrap(), "mine");
        assert!(folder.run_json().exists());
    }
}

#[test]
fn an_interrupted_creation_is_undone_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("run");
    let outside = place.path().join("thesis.tex");
    fs::write(&outside, "three years of work").unwrap();
    let (folder, lock) = RunFolder::create(&root).unwrap();
    let copy = folder.root().join("inputs").join("helix.pdb");
    let files = [folder.input(), copy.clone(), folder.run_json(), root.join("../thesis.tex")];
    folder.begin_filling(&files).unwrap();
    fs::write(folder.input(), "[system]").unwrap();
    fs::write(&copy, "half of a st").unwrap();
    drop(lock);
    assert_eq!(RunFolder::create(&root).unwrap_err().code(), "io/folder-exists");
    // A file that was not listed: nothing is removed.
    fs::write(folder.plots().join("mine.svg"), "a drawing").unwrap();
    assert_eq!(RunFolder::create_again(&root).unwrap_err().code(), "io/folder-exists");
    assert!(folder.input().exists() && copy.exists());
    fs::remove_file(folder.plots().join("mine.svg")).unwrap();
    let (folder, _lock) = RunFolder::create_again(&root).unwrap();
    assert!(!folder.input().exists() && !copy.exists());
    assert!(!root.join(".beadwork-unfinished").exists());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "three years of work");
}

#[test]
fn a_whole_folder_is_not_undone() {
    let place = tempfile::tempdir().unwrap();
    let (folder, lock) = RunFolder::create(place.path()).unwrap();
    let files = [folder.resolved(), folder.run_json()];
    folder.begin_filling(&files).unwrap();
    files.iter().for_each(|file| fs::write(file, "x").unwrap());
    drop(lock);
    assert_eq!(RunFolder::create_again(place.path()).unwrap_err().code(), "io/folder-exists");
    assert!(files.iter().all(|file| file.exists()));
}

#[test]
fn only_run_folders_are_opened() {
    let place = tempfile::tempdir().unwrap();
    let nowhere = RunFolder::open(&place.path().join("nowhere")).unwrap_err();
    assert_eq!(nowhere.code(), "io/not-a-run-folder");
    let (folder, _lock) = RunFolder::create(place.path()).unwrap();
    fs::write(folder.resolved(), "").unwrap();
    let error = RunFolder::open(place.path()).unwrap_err();
    assert!(error.to_string().contains("run.json"));
    fs::write(folder.run_json(), "{}").unwrap();
    assert_eq!(RunFolder::open(place.path()).unwrap(), folder);
}

#[test]
fn one_lock_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let (folder, lock) = RunFolder::create(place.path()).unwrap();
    assert!(folder.is_busy());
    drop(lock);
    assert!(!folder.is_busy() && !RunFolder::at_path(&place.path().join("no")).is_busy());
    let leftover = place.path().join("checkpoints/.beadwork-x1y2.partial");
    fs::write(&leftover, "half a checkpoint").unwrap();
    // As of an export into the folder that was killed.
    let half = place.path().join("trajectories/.beadwork-x3y4.partial");
    fs::create_dir(&half).unwrap();
    fs::write(half.join("melt.gsd"), "half a file").unwrap();
    let lock = folder.lock().unwrap();
    assert!(!leftover.exists() && !half.exists());
    let error = folder.lock().unwrap_err();
    assert_eq!(error.code(), "io/folder-busy");
    assert!(error.to_string().contains("Another beadwork process"));
    drop(lock);
    folder.lock().unwrap();
}

#[test]
fn to_ask_whether_a_process_works_hinders_none() {
    let place = tempfile::tempdir().unwrap();
    let (folder, lock) = RunFolder::create(place.path()).unwrap();
    drop(lock);
    // The lock of another process that asks.
    let asking = fs::File::open(place.path().join("lock")).unwrap();
    asking.try_lock_shared().unwrap();
    assert!(!folder.is_busy());
    let starting = std::thread::spawn(move || folder.lock().map(drop));
    std::thread::sleep(Duration::from_millis(200));
    drop(asking);
    starting.join().unwrap().unwrap();
}

#[cfg(unix)]
#[test]
fn free_space_of_a_missing_folder_is_that_of_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("full");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    let room = free_space(&folder.path().join("no/such/folder")).unwrap();
    assert!(room > 0);
    // Other processes also write to the disk.
    let same = free_space(folder.path()).unwrap();
    assert!(room.abs_diff(same) < 1 << 30, "{room} {same}");
}

/// Creating a folder anew, opening and locking one, and clearing one refuse links, and nothing behind a link is removed.
#[cfg(unix)]
#[test]
fn links_in_a_folder_are_refused() {
    use std::os::unix::fs::symlink;
    let place = tempfile::tempdir().unwrap();
    let victim = place.path().join("victim");
    fs::create_dir(&victim).unwrap();
    let precious = victim.join("thesis.tex");
    fs::write(&precious, "three years of work").unwrap();
    fs::write(victim.join(".beadwork-x.partial"), "a file of somebody else").unwrap();
    // The list names a sub-folder that is a link, and a file behind it.
    for (number, linked) in ["inputs", "tables", "notes"].into_iter().enumerate() {
        let root = place.path().join(format!("run-{number}"));
        fs::create_dir(&root).unwrap();
        symlink(&victim, root.join(linked)).unwrap();
        let list = format!("{linked}\0{linked}/thesis.tex");
        fs::write(root.join(".beadwork-unfinished"), list).unwrap();
        let error = RunFolder::create_again(&root).unwrap_err();
        assert_eq!(error.code(), "io/link", "{error}");
        assert!(error.to_string().contains(linked), "{error}");
    }
    // Files and sub-folders of a whole run.
    for linked in ["lock", "log.txt", "resolved.toml", "checkpoints", "plots", "final"] {
        let root = place.path().join(format!("whole-{linked}"));
        let (folder, lock) = RunFolder::create(&root).unwrap();
        drop(lock);
        [folder.resolved(), folder.run_json()].iter().for_each(|file| fs::write(file, "").unwrap());
        let path = root.join(linked);
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir(&path);
        let target = if linked.contains('.') || linked == "lock" { &precious } else { &victim };
        symlink(target, &path).unwrap();
        assert_eq!(RunFolder::open(&root).unwrap_err().code(), "io/link", "{linked}");
        assert_eq!(folder.lock().unwrap_err().code(), "io/link", "{linked}");
    }
    assert_eq!(fs::read_to_string(&precious).unwrap(), "three years of work");
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 2);
    // The whole folder may lie behind a link.
    let (folder, lock) = RunFolder::create(&place.path().join("elsewhere")).unwrap();
    [folder.resolved(), folder.run_json()].iter().for_each(|file| fs::write(file, "").unwrap());
    drop(lock);
    symlink(folder.root(), place.path().join("linked")).unwrap();
    RunFolder::open(&place.path().join("linked")).unwrap().lock().unwrap();
}

/// A listed file that is itself a link goes; what it points to stays.
#[cfg(unix)]
#[test]
fn a_listed_link_is_removed_and_not_its_target() {
    let place = tempfile::tempdir().unwrap();
    let outside = place.path().join("thesis.tex");
    fs::write(&outside, "three years of work").unwrap();
    let root = place.path().join("run");
    let (folder, lock) = RunFolder::create(&root).unwrap();
    let link = root.join("inputs/helix.pdb");
    folder.begin_filling(std::slice::from_ref(&link)).unwrap();
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    drop(lock);
    drop(RunFolder::create_again(&root).unwrap());
    assert!(fs::symlink_metadata(&link).is_err());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "three years of work");
}
