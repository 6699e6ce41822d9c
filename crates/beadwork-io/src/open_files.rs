//! How many files a process may have open.

/// So many files at least a process has open beside those that it holds for long: tables, logs, libraries.
#[cfg(unix)]
const OTHERS: u64 = 32;
/// A process gets room for so many files beside those that it holds for long, where the machine lets it.
#[cfg(unix)]
const ROOM: u64 = 1024;

/// Makes room for this process to hold so many files open at once: raises its soft limit (`ulimit -n`) if that is too low.
///
/// # Errors
/// The largest number of open files that the machine lets this process have, if that is too small.
#[cfg(unix)]
pub fn room_for_files(files: u64) -> Result<(), u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let most = maximum.unwrap_or(u64::MAX);
    if most < files.saturating_add(OTHERS) {
        return Err(most);
    }
    let wanted = most.min(files.saturating_add(ROOM));
    match current {
        Some(now) if now < wanted => {
            let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
            // A limit that cannot be raised may be large enough.
            if raised.is_err() && now < files.saturating_add(OTHERS) { Err(now) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// Other systems have no such limit.
///
/// # Errors
/// None there.
#[cfg(not(unix))]
pub fn room_for_files(_: u64) -> Result<(), u64> {
    Ok(())
}
