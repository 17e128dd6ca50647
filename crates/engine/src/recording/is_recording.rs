//! Whether a file is a recording.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The beginning of every recording.
const START: &[u8] = b"{\"recording\":";

/// Whether the file at `path` begins like a recording.
pub fn is_recording(path: &Path) -> bool {
    let mut start = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(START.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == START
}
