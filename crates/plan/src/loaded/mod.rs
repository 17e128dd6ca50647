//! A test as its file has it, and the part of it that stays in memory.
//!
//! A [`LoadedFile`] is read again for each run of its tests, unless it is small and there was room to keep it (`kept_files`);
//! only a [`CaseEntry`] for each row of a test stays. The leaves of a test are listed once (`filled_test`): a check keeps what is
//! wrong with them and their rules, a run the values, and [`TurnDefaults`] go with it for the turns that are not written. It is
//! filled twice because most values are known only after hooks, and those of a project of any size do not fit into memory.
//!
//! **Invariant:** a row that stays in memory has no value of its test.

mod filled_target;
mod filled_test;
mod kept_files;
mod loaded_file;
mod loaded_test;
mod needs;
mod prepare_error;
pub(crate) mod retries;
pub(crate) mod row_users;
mod secrets;
mod target_context;
mod test_entry;
mod test_head;
mod test_scope;
mod turn_defaults;

pub(crate) use filled_target::FilledTarget;
pub(crate) use filled_test::{FilledTest, FilledTurn, TestSurroundings};
pub use kept_files::KEPT_TEXT;
pub(crate) use kept_files::KeptFiles;
pub use loaded_file::LoadedFile;
pub use loaded_test::LoadedTest;
pub(crate) use needs::{
    Need, NeedingPart, needs_of_rules, needs_of_test, unmet, unseen_calls, unseen_models,
};
pub use prepare_error::PrepareError;
pub(crate) use row_users::{file_text, row_users};
pub use secrets::secrets_of;
pub(crate) use secrets::{secrets_of_hooks, secrets_of_programs};
pub(crate) use target_context::{TargetContext, TargetContexts};
pub use test_entry::{CaseEntry, TestEntry};
pub(crate) use test_entry::{Judging, of_older_versions, with_place};
pub(crate) use test_head::TestHead;
pub(crate) use test_scope::{THREAD, scope_at_start, with_row};
pub use turn_defaults::TurnDefaults;
