//! `provenance`: where values must come from, and where they must not.
//!
//! Written values and sources flow in; a prohibition that looks at each value when its call is complete, or its message.
//! **Invariant:** a value that cannot be traced is counted, never silently passed.

mod monitor;
pub(crate) mod provenance;
mod source;
mod source_texts;
mod traced_value;
mod word;
