//! What selects tests, and what of a test is under quarantine.
//!
//! A [`Selection`] has a filter, whose language `filter_parser` reads, and arguments that name tests (`named_tests`): paths,
//! lines (`named_line`, with the lines of each test from `file_lines`), ids and names (`named_test`).
//!
//! **Invariant:** what selects nothing is an error.

#[cfg(test)]
pub(crate) mod fakes;
mod file_lines;
mod filter;
mod filter_parser;
mod named_line;
mod named_place;
mod named_test;
mod named_tests;
mod quarantine;
mod select;
mod selection;

pub use filter::Filter;
pub use filter_parser::FilterError;
pub(crate) use named_place::NamedPlace;
pub(crate) use named_tests::NamedTests;
pub(crate) use quarantine::QuarantineList;
pub use selection::{RunPurpose, Selection};
