//! How often a test is tried: retries, repetitions (`repeated_runs`) and random walks (`walk_search`, which shrinks one that fails).
//!
//! **Invariant:** the same results of attempts give the same next one.

mod repeated_runs;
mod retries;
mod walk_random;
mod walk_search;

pub(crate) use repeated_runs::RepeatedRuns;
pub(crate) use retries::Retries;
pub use walk_random::WalkRandom;
pub(crate) use walk_search::WalkSearch;
