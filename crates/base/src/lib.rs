//! The ground of everything: text, time, YAML with positions, and what a user can fix.
//!
//! **Invariant:** it knows nothing of tests and agents; `context` is the only way to the outside world.

pub mod context;
pub mod diagnostic;
pub mod message;
pub mod reduction;
pub mod source;
pub mod statistics;
pub mod text;
