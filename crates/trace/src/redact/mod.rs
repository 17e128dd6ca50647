//! Secrets by value, and the only way to a report.
//!
//! What a test uses as a secret is added to its [`Redactor`]. What is to be reported is sealed: [`Redactor::seal`] masks
//! every string of a value, and a report takes nothing but [`Sealed`] values, so none can see a secret.

mod encodings;
mod excerpt;
mod markers;
mod packed_text;
mod patterns;
mod problems;
mod readings;
mod redactor;
mod replace;
mod sealed;
mod search;
mod written;

pub use excerpt::{BESIDE, excerpt, truncated};
pub use markers::{Markers, marker};
pub use redactor::{MASK, Redactor};
pub use sealed::{Mask, Sealed};
pub use written::written_secrets;
