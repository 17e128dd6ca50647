//! From a project to a plan.
//!
//! [`plan`](plan()) reads the config (`planned`), and `read_project` finds, loads and chooses the tests. [`explain`](explain()) shows what a
//! test inherits, and [`fix`](fix()) writes the repairs of problems into their files.
//!
//! **Invariant:** nothing runs while one selected file has an error; every problem of every selected file is reported.

mod explain;
mod fix;
mod planned;
mod read_project;

pub use explain::{ExplainedTest, WrittenTurn, explain};
pub use fix::{Fixed, FixedFiles, fix};
pub use planned::{Planned, plan};
