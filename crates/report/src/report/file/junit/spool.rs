//! The text of each suite that is written during the run, in one file for all of them.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use ananke_base::context::Scratch;

/// A file to which the pieces of all suites go in the order they come.
#[derive(Debug)]
pub(super) struct SuiteSpool {
    scratch: Scratch,
    length: u64,
}

/// The positions of the pieces of one suite in a spool: few ranges, since the tests of a file come one after another.
#[derive(Debug, Default)]
pub(super) struct PieceRanges(Vec<Range<u64>>);

impl SuiteSpool {
    pub(super) fn beside(destination: &Path) -> io::Result<Self> {
        Ok(Self {
            scratch: Scratch::beside(destination, "spool")?,
            length: 0,
        })
    }

    /// Adds one more piece to `pieces`.
    pub(super) fn add(&mut self, pieces: &mut PieceRanges, bytes: &[u8]) -> io::Result<()> {
        // A failed write is overwritten.
        self.scratch.file.seek(SeekFrom::Start(self.length))?;
        self.scratch.file.write_all(bytes)?;
        let range = self.length..self.length + bytes.len() as u64;
        self.length = range.end;
        match pieces.0.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => pieces.0.push(range),
        }
        Ok(())
    }

    /// Copies `pieces` to `out`.
    pub(super) fn copy(&mut self, pieces: &PieceRanges, out: &mut impl Write) -> io::Result<()> {
        for range in &pieces.0 {
            self.scratch.file.seek(SeekFrom::Start(range.start))?;
            let length = range.end - range.start;
            if io::copy(&mut (&self.scratch.file).take(length), out)? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}
