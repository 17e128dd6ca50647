//! JSON as agents, servers and traces send it: the only reader of it.
//!
//! Flows in: bytes or a text. Flows out: a value, and what is odd about the text. Strict JSON that a type borrows from is read by the
//! JSON crate; the parser here reads every other text, so that one dialect applies to all protocols. **Invariant:** the
//! costs are linear in the text, no depth overflows the stack, and what is not exact is an oddity.

mod halves;
mod not_finite;
mod oddities;
mod parser;
mod read;
mod readings;

#[cfg(test)]
mod tests;

pub use halves::{HalfJoiner, Halves, SentText};
pub use not_finite::{is_not_finite, without_marks};
pub use oddities::Oddities;
pub use read::{
    MAX_DEPTH, ReceivedJson, decoded, is_json, is_utf16, read, read_as, read_bytes, read_event,
    read_own, sent_text, strict,
};
pub use readings::JsonError;
