//! The tests that run: a project is read, its tests are selected and checked, and each is filled for its run.
//!
//! [`plan`](read::plan()) reads the config (`project`) and the files of the tests (`compile` for what they contain, `cases` for
//! those that are JSONL), and answers with a [`Plan`] of those that are selected, or with every problem. Rooms in the order in
//! which they may know each other: `loaded` has a test as its file has it, `select` what chooses tests, `check` finds what is
//! wrong, `plan` is the result, `prepare` fills a test for its run, and `read` puts all of it together.
//!
//! **Invariant:** nothing runs while one selected file has an error; it knows no exchange, no clock and no recording.

pub mod cases;
mod check;
pub mod compile;
mod loaded;
mod plan;
mod prepare;
pub mod project;
mod read;
mod select;

pub use loaded::{
    CaseEntry, KEPT_TEXT, LoadedFile, LoadedTest, PrepareError, TestEntry, TurnDefaults, secrets_of,
};
pub use plan::{Plan, ShardNumber, TargetDescription, TouchedTests, file_hash};
pub use prepare::{LateTurn, Preparation, Prepared, PreparedHelper};
pub use read::{ExplainedTest, Fixed, FixedFiles, Planned, WrittenTurn, explain, fix, plan};
pub use select::{Filter, FilterError, RunPurpose, Selection};
