//! The largest size of a file that the process may write.

/// Makes a write beyond the limit of this process (`ulimit -f`) an error, as it is on a full disk: by default a signal ends the
/// program.
#[cfg(unix)]
pub fn report_file_size_limit() {
    use rustix::process::Signal;
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};

    // What catches the signal stays after the runtime is gone. Programs that are started have the default again.
    if let Ok(runtime) = Builder::new_current_thread().enable_io().build() {
        let _entered = runtime.enter();
        // If that fails, the signal ends the program as before.
        let _caught = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    }
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn report_file_size_limit() {}
