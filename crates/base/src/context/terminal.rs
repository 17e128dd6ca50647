//! What is known of a terminal, and whether what is written to it is coloured.

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
    /// How many columns a line has; at least one.
    pub columns: usize,
    /// How many lines are seen at once; at least one.
    pub rows: usize,
}

impl TerminalSize {
    /// How many columns a line has now, where `size` knows it.
    pub fn width(size: fn() -> Option<Self>) -> Option<usize> {
        size().map(|size| size.columns)
    }
}
