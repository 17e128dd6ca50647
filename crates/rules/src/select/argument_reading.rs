//! The values of arguments that count if they can mean several things (SPEC 13).

/// The values of arguments that count if they can mean several things, or cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentReading {
    /// The last value of a duplicate key: to require something.
    Last,
    /// Any value of a duplicate key, JSON in the texts of arguments, and what a pattern finds in the text of arguments that are not valid JSON: to forbid
    /// something.
    Any,
    /// Every value of a duplicate key: to allow something.
    Every,
}
