//! Rules about what the agent says.
//!
//! **Invariant:** which texts are compared, and in which form, is said by [`ComparedText`](crate::needle::ComparedText) alone, for
//! every rule alike.

mod collect;
pub(crate) mod equals;
pub(crate) mod must_match;
pub(crate) mod must_not_match;
pub(crate) mod near_text;
