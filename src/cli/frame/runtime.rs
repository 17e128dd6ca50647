//! The runtime that runs whatever waits.

use std::io;

use tokio::runtime::Builder;

/// Each test that runs has a thread, and one that timed out may keep its own.
const MOST_THREADS: usize = 1 << 16;

/// The result of `work`, in a runtime of its own. It is never shut down: a test that timed out may still compute, and that is not
/// waited for.
///
/// # Errors
/// If the system has no room for a runtime.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_THREADS)
        .build()?;
    Ok(Box::leak(Box::new(runtime)).block_on(work))
}
