//! The text of each suite that is written during the run, in one file for all of them.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::element::{short, value};
use ananke_base::context::Scratch;
use ananke_trace::outcome::Causes;

/// A file to which the pieces of all suites go in the order they come.
#[derive(Debug)]
pub(super) struct SuiteSpool {
    scratch: Scratch,
    length: u64,
}

/// The pieces of one suite in a spool: few, since the tests of a file come one after another.
#[derive(Debug, Default)]
pub(super) struct PieceRanges(Vec<SpoolPiece>);

/// A piece of a suite.
#[derive(Debug)]
enum SpoolPiece {
    /// A text in the spool.
    Text(Range<u64>),
    /// The sentence of the cause at this index, which is known at the end of the run.
    Cause(usize),
}

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
            Some(SpoolPiece::Text(last)) if last.end == range.start => last.end = range.end,
            _ => pieces.0.push(SpoolPiece::Text(range)),
        }
        Ok(())
    }

    /// Adds one more piece, with the sentence of the cause at `index` at the first `mark` in it.
    pub(super) fn add_with_cause(
        &mut self,
        pieces: &mut PieceRanges,
        text: &str,
        (mark, index): (&str, usize),
    ) -> io::Result<()> {
        let Some((before, after)) = text.split_once(mark) else {
            return self.add(pieces, text.as_bytes());
        };
        self.add(pieces, before.as_bytes())?;
        pieces.0.push(SpoolPiece::Cause(index));
        self.add(pieces, after.as_bytes())
    }

    /// Copies `pieces` to `out`, with the sentences of `causes`.
    pub(super) fn copy(
        &mut self,
        pieces: &PieceRanges,
        causes: &Causes,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for piece in &pieces.0 {
            let range = match piece {
                SpoolPiece::Text(range) => range,
                SpoolPiece::Cause(index) => {
                    let sentence = causes.sentence(*index).unwrap_or_default();
                    out.write_all(value(&short(sentence)).as_bytes())?;
                    continue;
                }
            };
            self.scratch.file.seek(SeekFrom::Start(range.start))?;
            let length = range.end - range.start;
            if io::copy(&mut (&self.scratch.file).take(length), out)? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}
