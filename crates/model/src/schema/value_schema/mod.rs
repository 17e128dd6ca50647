//! JSON Schemas that people write into their rules, and values that are checked with them.
//!
//! `value` compiles one. Its patterns are those of ECMA-262 (`schema_patterns`, `ecma_pattern`), a validation that takes too long
//! is given up (`interruptible`), and `idle_words` finds the words that check nothing.
//!
//! **Invariant:** it knows nothing of the schemas of ananke's own files.

#[cfg(feature = "json-schema")]
mod ecma_pattern;
mod idle_words;
#[cfg(feature = "json-schema")]
mod interruptible;
mod schema_error;
#[cfg(feature = "json-schema")]
mod schema_patterns;
mod value;

pub use idle_words::{IdleWord, idle_words};
pub use schema_error::SchemaError;
pub use value::{NO_VALIDATOR, SchemaMismatch, Undecided, ValueSchema};
