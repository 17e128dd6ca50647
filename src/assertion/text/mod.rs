//! Rules about what the agent says.

pub(crate) mod equals;
pub(crate) mod must_match;
pub(crate) mod must_not_match;
mod needle;

pub use equals::Equals;
pub use must_match::MustMatch;
pub use must_not_match::MustNotMatch;
pub use needle::{Sought, Wording};
