//! The machine that a run is stepped on.

/// The name of this machine, if the operating system tells it.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    Some(name).filter(|name| !name.is_empty())
}

/// The name of this machine's processor, the first one that Linux lists; `None` where none is listed.
pub fn processor_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    Some(name.to_string()).filter(|name| !name.is_empty())
}
