//! A state of an agent as JSON, if it is not too long to be kept.
//!
//! Flows in: a value of any size. Flows out: its text. **Invariant:** no more is written than is kept.

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::Value;

/// A text that takes so many bytes, and fails after them.
struct LimitedWrite {
    written: Vec<u8>,
    most: usize,
}

impl Write for LimitedWrite {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `value` as JSON; `None` if it has more than `most` bytes.
pub(super) fn json_within(value: &Value, most: usize) -> Option<String> {
    let mut limited = LimitedWrite {
        written: Vec::new(),
        most,
    };
    let mut serializer = serde_json::Serializer::new(&mut limited);
    value.serialize(&mut serializer).ok()?;
    String::from_utf8(limited.written).ok()
}
