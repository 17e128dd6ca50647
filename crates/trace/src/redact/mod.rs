//! Secrets by value, and the only way to a report.
//!
//! What a test uses as a secret is added to its [`Redactor`], a child of the run's; what is secret is found out by
//! `variables`. Secrets are known in every encoding in which they can be written (`encodings`, `readings`, `nested`), and by patterns
//! (`patterns`); those of a test are searched all at once (`search`). What is to be reported is sealed: [`Redactor::seal`]
//! masks every string of a value. Text that is truncated before it is masked is an `excerpt`, which keeps, hidden, the text
//! next to the truncated part.
//!
//! **Invariant:** a reporter takes only [`Sealed`] values, and only the redactor seals, so that no report can contain a known
//! secret; no part of a secret is shown where a text is truncated.

mod encodings;
mod excerpt;
mod foreign;
mod markers;
mod nested;
mod packed_text;
mod patterns;
mod problems;
mod readings;
mod redactor;
mod sealed;
mod search;
mod written;

pub use excerpt::{BESIDE, excerpt, truncated};
pub use foreign::{mask_headers, masked_header};
pub use markers::{Markers, marker};
pub use redactor::{MASK, Redactor};
pub use sealed::{Mask, Sealed};
pub use written::written_secrets;
