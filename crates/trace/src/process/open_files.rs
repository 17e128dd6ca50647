//! The limits of the process: how many files it may have open (connections, pipes and files together), and how large a file
//! that it writes may become.

use std::io;

/// The remedy if there are no more.
pub const OUT_OF_FILES_HELP: &str = "run fewer tests at once with `--parallel`, or raise the limit of open files: `ulimit -n 10240`";

/// As many as the tests that run at once can need, and what every system allows.
#[cfg(unix)]
const ENOUGH: u64 = 10_240;

/// Raises the limit that applies to this process as far as it is allowed to, or to what is enough.
#[cfg(unix)]
pub fn raise_open_files_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    if current.is_some_and(|current| current < wanted) {
        // If the system refuses, the limit stays as it is, and an error says so when it is reached.
        let _refused = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(wanted),
                maximum,
            },
        );
    }
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn raise_open_files_limit() {}

/// The files that the program itself has open.
#[cfg(unix)]
const OF_THE_PROGRAM: u64 = 32;

/// The files that a test may have open at once: connections to its agent and its helpers, or the pipes of a program.
#[cfg(unix)]
const OF_A_TEST: u64 = 6;

/// The number of tests that may run at once under the limit that applies to this process, if it is less than `wanted`.
#[cfg(unix)]
pub fn tests_within_open_files_limit(wanted: usize) -> Option<LoweredParallel> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current?;
    let most = (limit.saturating_sub(OF_THE_PROGRAM) / OF_A_TEST).max(1);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    (most < wanted).then_some(LoweredParallel { most, limit })
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn tests_within_open_files_limit(_wanted: usize) -> Option<LoweredParallel> {
    None
}

/// A number of tests at once that is lower than wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoweredParallel {
    /// The number of tests; at least one.
    pub most: usize,
    /// The number of files that this process may have open.
    pub limit: u64,
}

/// Whether `error` says that no more files can be opened.
#[cfg(unix)]
pub fn is_out_of_files(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let number = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE]
        .into_iter()
        .any(|limit| number == Some(limit.raw_os_error()))
}

/// Whether `error` says that no more files can be opened.
#[cfg(not(unix))]
pub fn is_out_of_files(_error: &io::Error) -> bool {
    false
}

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
