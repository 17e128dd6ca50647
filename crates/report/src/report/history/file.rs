//! The file of the history, read from its end.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The path of the file, relative to the directory of the config.
pub const HISTORY: &str = ".ananke/history.jsonl";

/// The largest size of the file, in bytes.
pub(super) const MOST_BYTES: u64 = 8 << 20;

/// The end of the file.
#[derive(Debug, Default)]
pub(super) struct FileEnd {
    /// Its bytes, from the beginning of a line.
    pub(super) bytes: Vec<u8>,
    /// Whether the file has more before them.
    pub(super) has_more: bool,
}

/// The last bytes of the file, about as many as `most`; nothing if it cannot be read.
pub(super) fn file_end(folder: &Path, most: u64) -> FileEnd {
    let path = folder.join(HISTORY);
    // A pipe would wait for its writer.
    let length = match path.metadata() {
        Ok(found) if found.is_file() => found.len(),
        _ => return FileEnd::default(),
    };
    let read = || {
        let mut file = File::open(&path)?;
        let skipped = length.saturating_sub(most);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(2 * most).read_to_end(&mut bytes)?;
        let has_more = skipped > 0;
        if has_more {
            let first = bytes.iter().position(|byte| *byte == b'\n');
            bytes.drain(..first.map_or(bytes.len(), |end| end + 1));
        }
        Ok(FileEnd { bytes, has_more })
    };
    let read: io::Result<FileEnd> = read();
    read.unwrap_or_default()
}
