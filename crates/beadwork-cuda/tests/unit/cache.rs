//! Tests of `src/compile/cache.rs`.

use super::*;

const FILE: &str = "key-nvrtc-13.5.cubin";

fn made(bytes: &[u8]) -> Result<Cubin, Error> {
    Ok(Cubin { bytes: bytes.to_vec(), log: "registers".into() })
}

fn never() -> Result<Cubin, Error> {
    panic!("it is in the cache")
}

#[test]
fn a_kernel_is_compiled_once() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("not/there/yet");
    let first = find_or_make(Some(&below), FILE, || made(b"kernel")).unwrap();
    assert_eq!(first.log, "registers");
    let second = find_or_make(Some(&below), FILE, never).unwrap();
    assert_eq!((second.bytes.as_slice(), second.log.as_str()), (&b"kernel"[..], ""));
    // No temporary file is left.
    assert_eq!(fs::read_dir(&below).unwrap().count(), 1);
    let other = find_or_make(Some(&below), "other.cubin", || made(b"other")).unwrap();
    assert_eq!(other.bytes, b"other");
}

#[test]
fn a_damaged_file_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let find = |kernel: &[u8]| find_or_make(Some(folder.path()), FILE, || made(kernel));
    find(b"kernel").unwrap();
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(find(b"anew").unwrap().bytes, b"anew", "byte {at}");
        assert_eq!(find_or_make(Some(folder.path()), FILE, never).unwrap().bytes, b"anew");
    }
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(find(b"anew").unwrap().bytes, b"anew", "{length} bytes");
    }
}

#[test]
fn a_file_by_another_name_is_no_kernel() {
    let folder = tempfile::tempdir().unwrap();
    find_or_make(Some(folder.path()), FILE, || made(b"kernel")).unwrap();
    let other = "other-nvrtc-13.5.cubin";
    fs::copy(folder.path().join(FILE), folder.path().join(other)).unwrap();
    let found = find_or_make(Some(folder.path()), other, || made(b"the other")).unwrap();
    assert_eq!(found.bytes, b"the other");
    assert_eq!(find_or_make(Some(folder.path()), FILE, never).unwrap().bytes, b"kernel");
}

#[cfg(unix)]
#[test]
fn a_kernel_that_others_could_write_is_compiled_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    find_or_make(Some(folder.path()), FILE, || made(b"kernel")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path) & 0o022, 0);
    for writable in [0o664, 0o646, 0o666] {
        fs::set_permissions(&path, PermissionsExt::from_mode(writable)).unwrap();
        let found = find_or_make(Some(folder.path()), FILE, || made(b"anew")).unwrap();
        assert_eq!(found.bytes, b"anew", "{writable:o}");
        assert_eq!(mode(&path) & 0o022, 0);
        assert_eq!(find_or_make(Some(folder.path()), FILE, never).unwrap().bytes, b"anew");
    }
    // Only the administrator can give files away.
    if std::os::unix::fs::chown(&path, Some(4_321), None).is_ok() {
        let found = find_or_make(Some(folder.path()), FILE, || made(b"mine")).unwrap();
        assert_eq!(found.bytes, b"mine");
    }
    let about = folder.path().to_str().unwrap().to_string();
    let said = notices().into_iter().filter(|text| text.contains(&about)).count();
    assert_eq!(said, 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    // A file at the path of the folder blocks every user, root included.
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "").unwrap();
    for _ in 0..2 {
        let cubin = find_or_make(Some(&blocked), FILE, || made(b"kernel")).unwrap();
        assert_eq!(cubin.bytes, b"kernel");
    }
    let mine = |text: &String| text.contains(blocked.to_str().unwrap());
    let said: Vec<String> = notices().into_iter().filter(mine).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("BEADWORK_CACHE"));
    assert_eq!(notices().iter().filter(|text| mine(text)).count(), 0);
    // A missing folder is no failure either.
    assert_eq!(find_or_make(None, FILE, || made(b"kernel")).unwrap().bytes, b"kernel");
}

#[test]
fn without_a_compiler_kernels_of_any_version_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let key = Key::new("source", (9, 0));
    assert_eq!(find_any(folder.path(), &key), None);
    for version in [(12, 9), (13, 0)] {
        let kernel = format!("{version:?}");
        find_or_make(Some(folder.path()), &key.file(version), || made(kernel.as_bytes())).unwrap();
    }
    assert!(find_any(folder.path(), &key).is_some());
    assert_eq!(find_any(folder.path(), &Key::new("other", (9, 0))), None);
    let damaged = folder.path().join(key.file((13, 0)));
    fs::write(damaged, "no kernel").unwrap();
    assert_eq!(find_any(folder.path(), &key).unwrap().bytes, b"(12, 9)");
}

#[test]
fn keys_differ_if_kernels_may_differ() {
    let keys = [
        Key::new("source", (9, 0)),
        Key::new("sourc", (9, 0)),
        Key::new("source", (8, 9)),
        Key::new("", (9, 0)),
    ];
    let distinct: BTreeSet<&str> = keys.iter().map(Key::text).collect();
    assert_eq!(distinct.len(), keys.len());
    assert_eq!(keys[0], Key::new("source", (9, 0)));
    assert_ne!(keys[0].file((13, 0)), keys[0].file((13, 5)));
}

#[test]
fn the_folder_follows_the_environment() {
    let folder = |set: &[(&str, &str)]| {
        let find = |name: &str| set.iter().find(|(key, _)| *key == name);
        folder(|name| find(name).map(|(_, value)| OsString::from(value)))
    };
    let home = ("HOME", "/home/someone");
    let xdg = ("XDG_CACHE_HOME", "/scratch/cache");
    let own = ("BEADWORK_CACHE", "kernels");
    assert_eq!(folder(&[home, xdg, own]), Some("kernels".into()));
    assert_eq!(folder(&[home, xdg]), Some("/scratch/cache/beadwork".into()));
    assert_eq!(folder(&[home]), Some("/home/someone/.cache/beadwork".into()));
    let relative = ("XDG_CACHE_HOME", "cache");
    assert_eq!(folder(&[home, relative]), Some("/home/someone/.cache/beadwork".into()));
    assert_eq!(folder(&[]), None);
}
