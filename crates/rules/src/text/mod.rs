//! Rules about what the agent says.
//!
//! **Invariant:** which texts are compared, and in which form, is said by `compared_text` alone, for every rule alike.

mod collect;
mod compared_text;
pub(crate) mod equals;
pub(crate) mod must_match;
pub(crate) mod must_not_match;
mod needle;

pub(crate) use compared_text::ComparedText;
pub(crate) use needle::{Needle, TextMatcher};
