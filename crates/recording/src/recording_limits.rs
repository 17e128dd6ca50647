//! The limits of a recording's size.

use ananke_base::message::size_in_words;

/// The limits of the size of a recording that is written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingLimits {
    /// The most bytes.
    pub bytes: u64,
    /// The most lines.
    pub lines: usize,
}

impl Default for RecordingLimits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            lines: 4_000_000,
        }
    }
}

impl RecordingLimits {
    /// The message about a recording that has more bytes.
    pub(super) fn too_large(self) -> String {
        format!("is larger than {}", size_in_words(self.bytes))
    }

    /// The message about the recording `text`, if it is larger.
    pub(super) fn exceeded_by(self, text: &str) -> Option<String> {
        if text.len() as u64 > self.bytes {
            return Some(self.too_large());
        }
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        (lines > self.lines).then(|| format!("has more than {} lines", self.lines))
    }
}
