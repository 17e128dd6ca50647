//! The tests that run: selected from a project, checked, and filled for their run.
//!
//! [`plan`](plan()) reads the config (`planned`), and `read_project` finds, loads and chooses the tests; every problem of every
//! selected file is reported (`check`). Only a [`CaseEntry`] for each row of a good test stays in memory, which loads its file
//! again for its run, unless the file is small and there was room to keep it (`kept_files`); a [`Preparation`] then gives out
//! the hooks of the test one by one and fills all the rest (`prepared`). The leaves of a test are listed once (`filled_test`):
//! a check keeps what is wrong with them and their rules, a run the values, and [`TurnDefaults`] go with it for the turns that
//! are not written. It is filled twice because most values are known only after hooks, and those of a project of any size do
//! not fit into memory. `quarantine` says which tests may fail.
//!
//! What selects tests: a filter, whose language `filter_parser` reads, and arguments that name tests (`named_tests`): paths,
//! lines (`named_line`, with the lines of each test from `file_lines`), ids and names (`named_test`). `split` takes one shard of
//! what is selected.
//!
//! **Invariant:** nothing runs while one selected file has an error; ids are unique and contain no run-time value; the order
//! is that of the paths.

mod check;
mod check_cases;
mod check_conditions;
mod check_config;
mod check_file;
mod check_walk;
mod checked_file;
mod entry;
mod explain;
#[cfg(test)]
mod fakes;
mod file_hashes;
mod file_lines;
mod filled_target;
mod filled_test;
mod filter;
mod filter_parser;
mod fix;
mod kept_files;
mod late_turn;
mod lint_test;
mod load;
mod loaded_file;
mod named_line;
mod named_place;
mod named_test;
mod named_tests;
mod needs;
mod older_versions;
#[expect(clippy::module_inception, reason = "the file of the type `Plan`")]
mod plan;
mod planned;
mod preparation;
mod prepare_error;
mod prepared;
mod prepared_helper;
mod quarantine;
mod read_project;
mod retries;
mod row_users;
mod secrets;
mod select;
mod selection;
mod split;
mod target_context;
mod target_description;
mod test;
mod test_head;
mod test_scope;
mod thread;
mod touched;
mod turn_defaults;

pub use entry::{CaseEntry, Judging, TestEntry};
pub use explain::{ExplainedTest, WrittenTurn, explain};
pub use file_hashes::file_hash;
pub use filter::Filter;
pub use filter_parser::FilterError;
pub use fix::{Fixed, FixedFiles, fix};
pub use kept_files::KEPT_TEXT;
pub use late_turn::LateTurn;
pub use loaded_file::LoadedFile;
pub use plan::Plan;
pub use planned::{Planned, plan};
pub use preparation::Preparation;
pub use prepare_error::PrepareError;
pub use prepared::Prepared;
pub use prepared_helper::PreparedHelper;
pub(crate) use secrets::secrets_of;
pub use selection::{RunPurpose, Selection};
pub use split::ShardNumber;
pub use target_description::TargetDescription;
pub use test::LoadedTest;
pub use touched::TouchedTests;
pub use turn_defaults::TurnDefaults;
