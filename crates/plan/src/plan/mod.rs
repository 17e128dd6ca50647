//! The tests that run, in their order.
//!
//! A [`Plan`] has the entries of the selected tests. [`ShardNumber`] takes one shard of them, and [`TouchedTests`] those that a
//! changed file is part of.
//!
//! **Invariant:** ids are unique and contain no run-time value; the order is that of the paths.

mod file_hashes;
mod plan;
mod split;
mod target_description;
mod touched;
mod unpriced;

pub use file_hashes::file_hash;
pub use plan::Plan;
pub use split::ShardNumber;
pub use target_description::TargetDescription;
pub use touched::TouchedTests;
