//! Facts: what an agent did, what a test came to, and what is masked in them.
//!
//! It knows no protocol and no rule.

pub mod golden;
pub mod outcome;
pub mod process;
pub mod redact;
pub mod trace;
