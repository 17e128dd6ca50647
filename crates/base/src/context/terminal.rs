//! The size of a terminal, and whether output to it is coloured.

/// A stream that the program writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Whether a text for people is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colouring {
    /// With terminal colours.
    Coloured,
    /// Without; the text contains the same information.
    #[default]
    Plain,
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// The number of columns of a line; at least one.
    pub columns: usize,
    /// The number of lines that are visible at once; at least one.
    pub rows: usize,
}

impl TerminalSize {
    /// The number of columns of a line now, if `size` knows it.
    pub fn width(size: fn() -> Option<Self>) -> Option<usize> {
        size().map(|size| size.columns)
    }
}
