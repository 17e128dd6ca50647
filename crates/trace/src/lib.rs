//! Facts: what an agent did, what a test came to, and what is masked in them; and programs as processes.
//!
//! **Invariant:** it knows no protocol and no rule.

// Derived code names this crate, also in it.
extern crate self as ananke_trace;

pub mod golden;
pub mod outcome;
pub mod process;
pub mod redact;
pub mod trace;
