//! Copies a file into a stream that nothing may read.
//!
//! Flows in: a file, and the path of a pipe or a device. **Invariant:** a reader that reads nothing is not waited for for ever.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::Destination;

/// The longest time for which a reader reads nothing before its stream is given up.
pub const READER_PATIENCE: Duration = Duration::from_secs(10);

/// The number of bytes that are written at once.
const PART: usize = 4 << 10;

/// The progress of a copy.
enum CopyProgress {
    /// A part was written.
    Part,
    /// It is over.
    Ended(io::Result<()>),
}

/// Copies what is left of `from` into the stream at `path`, which waits for a program that reads it.
///
/// # Errors
/// If it cannot be written, or nothing is read for [`READER_PATIENCE`]: the thread that writes it then ends with the program.
pub(super) fn copy_into_stream(from: File, path: PathBuf) -> io::Result<()> {
    let (sender, progress) = sync_channel(1);
    let writer = thread::Builder::new().name("stream".to_owned());
    writer.spawn(move || {
        let copied = copy(from, &path, &sender);
        // The other side may have given up.
        let _is_heard = sender.send(CopyProgress::Ended(copied));
    })?;
    loop {
        match progress.recv_timeout(READER_PATIENCE) {
            Ok(CopyProgress::Part) => {}
            Ok(CopyProgress::Ended(result)) => return result,
            Err(RecvTimeoutError::Timeout) => {
                let message = format!("nothing read from it for {} s", READER_PATIENCE.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the thread that writes it ended"));
            }
        }
    }
}

fn copy(
    mut from: File,
    path: &std::path::Path,
    sender: &SyncSender<CopyProgress>,
) -> io::Result<()> {
    let mut stream = Destination::open_stream(path)?;
    let mut part = [0; PART];
    loop {
        let length = from.read(&mut part)?;
        if length == 0 {
            return stream.flush();
        }
        stream.write_all(&part[..length])?;
        if sender.send(CopyProgress::Part).is_err() {
            return Ok(());
        }
    }
}
