//! Compiled kernels on disk, so that later runs start at once, with or without a compiler.
//!
//! The name of a file has a hash of all that its content depends on, and the compiler's version. The file begins with a
//! checksum of that name and of its content, so a file by another name is none. A kernel is a program: files of other users,
//! and files that others may write, are not used. The cache never makes a run fail: kernels that cannot be read are
//! compiled, and a folder that cannot be written is reported once.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::compile::compiler::{Cubin, OPTIONS, compiler};
use crate::compile::headers;
use crate::error::Error;

/// The beginning of a file; a checksum of 32 bytes follows, then the kernel.
const MARK: &[u8] = b"beadwork cubin 2\n";
const HEAD: usize = MARK.len() + 32;

/// Notices that were given before, and those still to be given.
static NOTICES: Mutex<(BTreeSet<String>, Vec<String>)> = Mutex::new((BTreeSet::new(), Vec::new()));

/// Notices about the cache for the user; each is returned once.
pub fn notices() -> Vec<String> {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut notices.1)
}

fn notice(text: String) {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    if notices.0.insert(text.clone()) {
        notices.1.push(text);
    }
}

/// All that a kernel depends on, except the compiler's version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(String);

impl Key {
    pub fn new(source: &str, (major, minor): (u32, u32)) -> Self {
        let mut hash = Sha256::new();
        let architecture = format!("{major}.{minor}");
        let head = [env!("CARGO_PKG_VERSION"), &architecture];
        for part in head.into_iter().chain(OPTIONS).chain([source]) {
            // Lengths too, so that text cannot move between neighbouring parts.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(headers::digest());
        let digest = hash.finalize();
        Key(digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    fn file(&self, (major, minor): (i32, i32)) -> String {
        format!("{}-nvrtc-{major}.{minor}.cubin", self.0)
    }
}

/// The kernel of a source text for a compute capability, from the cache or the compiler.
///
/// # Errors
/// Those of [`Compiler::find`](crate::Compiler::find) and [`Compiler::compile`](crate::Compiler::compile), if the cache
/// does not have it.
pub(crate) fn cubin(name: &str, source: &str, architecture: (u32, u32)) -> Result<Cubin, Error> {
    let folder = cache_folder();
    if folder.is_none() {
        notice(
            "There is no folder for compiled kernels, so they are compiled at every \
             start: set BEADWORK_CACHE."
                .into(),
        );
    }
    let key = Key::new(source, architecture);
    match compiler() {
        Ok(compiler) => find_or_make(folder.as_deref(), &key.file(compiler.version()), || {
            compiler.compile(name, source, architecture)
        }),
        Err(error) => folder.and_then(|folder| find_any(&folder, &key)).ok_or(error),
    }
}

/// The folder of compiled kernels; `None` if the environment defines no place for it.
pub fn cache_folder() -> Option<PathBuf> {
    folder(|name| env::var_os(name).filter(|value| !value.is_empty()))
}

/// The folder of kernels by the environment.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable("BEADWORK_CACHE") {
        return Some(folder.into());
    }
    // The specification says to ignore a relative XDG_CACHE_HOME.
    let general = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let general = general.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")));
    general.map(|folder| folder.join("beadwork"))
}

fn find_or_make(
    folder: Option<&Path>,
    file: &str,
    make: impl FnOnce() -> Result<Cubin, Error>,
) -> Result<Cubin, Error> {
    let Some(folder) = folder else { return make() };
    let path = folder.join(file);
    if let Some(bytes) = read(&path) {
        return Ok(Cubin { bytes, log: String::new() });
    }
    let cubin = make()?;
    if let Err(error) = write(folder, &path, &cubin.bytes) {
        notice(format!(
            "Compiled kernels cannot be kept in {} ({error}), so they are compiled at every \
             start: make it writable, or set BEADWORK_CACHE to a folder that is.",
            folder.display()
        ));
    }
    Ok(cubin)
}

/// The kernel as compiled by any version, the newest file first.
fn find_any(folder: &Path, key: &Key) -> Option<Cubin> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(key.text()) && name.ends_with(".cubin")
        })
        .map(|entry| (entry.metadata().and_then(|data| data.modified()).ok(), entry.path()))
        .collect();
    files.sort();
    let bytes = files.iter().rev().find_map(|(_, path)| read(path))?;
    Some(Cubin { bytes, log: String::new() })
}

/// The kernel in a file; `None` if the file is missing, damaged, of another name, or not this user's.
fn read(path: &Path) -> Option<Vec<u8>> {
    // Looked at before it is opened, since a pipe would wait for its other end.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    if !is_trusted(&file.metadata().ok()?) {
        notice(format!(
            "The compiled kernels in {} that another user owns, or may write, are not used, and are compiled anew: set \
             BEADWORK_CACHE to a folder of your own.",
            path.parent().unwrap_or(path).display()
        ));
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let (head, kernel) = bytes.split_at_checked(HEAD)?;
    let (mark, checksum) = head.split_at(MARK.len());
    if mark != MARK || checksum != checksum_of(path, kernel).as_slice() {
        return None;
    }
    bytes.drain(..HEAD);
    Some(bytes)
}

/// Whether only this user and the administrator could have written a file.
#[cfg(unix)]
fn is_trusted(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let user = rustix::process::geteuid().as_raw();
    [user, 0].contains(&file.uid()) && file.mode() & WRITABLE_BY_OTHERS == 0
}

#[cfg(not(unix))]
fn is_trusted(_: &fs::Metadata) -> bool {
    true
}

/// The checksum of a file's name and its kernel.
fn checksum_of(path: &Path, kernel: &[u8]) -> [u8; 32] {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let mut hash = Sha256::new();
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name);
    hash.update(kernel);
    hash.finalize().into()
}

/// Writes a file atomically, even if several processes write the same one.
fn write(folder: &Path, path: &Path, kernel: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".beadwork-").suffix(".partial");
    // Others may read the kernels, and copy them, but not write them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(MARK)?;
    file.write_all(&checksum_of(path, kernel))?;
    file.write_all(kernel)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
#[path = "../../tests/unit/cache.rs"]
mod tests;
