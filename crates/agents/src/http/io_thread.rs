//! The thread of the network: connects, sends, reads and stamps, and does nothing else.
//!
//! Judging, masking, printing and writing happen on other threads, so that however long they take, what a server sends is
//! read and stamped when it arrives.

use std::io;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

/// A thread for exchanges. It ends when this is dropped, and is not waited for: a name that does not resolve
/// delays nothing else.
#[derive(Debug)]
pub(super) struct IoThread {
    handle: Handle,
    _running: oneshot::Sender<()>,
}

impl IoThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has no further threads or files.
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let handle = runtime.handle().clone();
        let (running, dropped) = oneshot::channel();
        thread::Builder::new()
            .name("network".to_owned())
            .spawn(move || {
                let _dropped = runtime.block_on(dropped);
                runtime.shutdown_background();
            })?;
        Ok(Self {
            handle,
            _running: running,
        })
    }

    /// Runs `work` on the thread, from now on and until the handle is dropped.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> AbortOnDropHandle<T> {
        AbortOnDropHandle::new(self.handle.spawn(work))
    }
}
