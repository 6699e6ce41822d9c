//! The machine that a run is stepped on.

/// The name of this machine, if the operating system tells it.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    Some(name).filter(|name| !name.is_empty())
}
