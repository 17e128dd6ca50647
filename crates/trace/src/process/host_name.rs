//! The name of the machine.

/// The name of the machine that this program runs on; `None` where the system has none.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = String::new();
    Some(name).filter(|name| !name.is_empty())
}
