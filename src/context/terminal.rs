//! How large a terminal is.

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
