//! The tests that a command is about: those of the project, a shard of them, and those that are given on the command line.
//!
//! **Invariant:** no test that is selected has run.

pub(crate) mod generate;
mod listed_test;
mod load;
mod shard;
mod test_input;

pub(crate) use generate::{Asking, FILE, GeneratedCases, refuse_unpriced};
pub(crate) use listed_test::ListedTest;
pub(crate) use load::load;
pub(crate) use shard::{ShardNote, keep_shard};
pub(crate) use test_input::{GivenTests, TestInput};
