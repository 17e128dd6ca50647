//! Text that is mostly short and that there are very many of: ids, names of tools, arguments and results of calls.
//!
//! An agent may make a million tiny calls in one response, and each id is in several lists. **Invariant:** up to 24 bytes
//! take no memory beyond the value itself, which is as large as a `String`.

/// Text that takes no memory of its own up to 24 bytes.
pub type ShortText = compact_str::CompactString;
