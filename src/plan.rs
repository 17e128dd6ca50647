//! Plans of tests, with the protocols of the program.

use ananke_base::context::Context;
#[doc(hidden)]
pub use ananke_plan::{
    CaseEntry, ExplainedTest, Filter, FilterError, Fixed, FixedFiles, KEPT_TEXT, LateTurn,
    LoadedFile, LoadedTest, Plan, Planned, Preparation, PrepareError, Prepared, PreparedHelper,
    RunPurpose, Selection, ShardNumber, TargetDescription, TestEntry, TouchedTests, TurnDefaults,
    WrittenTurn, explain, file_hash, fix,
};
use ananke_trace::redact::Redactor;

use crate::protocols::install;

/// Finds, loads and checks everything that is selected; runs nothing. The secrets of every test are added to `redactor`.
pub fn plan(context: &Context, selection: &Selection, redactor: &Redactor) -> Planned {
    install();
    ananke_plan::plan(context, selection, redactor)
}
