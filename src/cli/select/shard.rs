//! `--shard`: of what is selected only the tests that this machine runs.

use ananke::outcome::{Shard, ShardBy};
use ananke::plan::{CaseEntry, Plan, ShardNumber};
use ananke::{
    context::Context, redact::Redactor, report::ci::BuildJob, report::history::RunHistory,
};

use crate::cli::frame::say;

/// Whether the note on how many tests a shard has is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardNote {
    Always,
    /// Only if it has none.
    IfEmpty,
}

/// Keeps the tests of one shard, and says on standard error how many there are. Time splits by the history of other commits:
/// a shard that ends before another one begins changes nothing.
pub(crate) fn keep_shard(
    plan: &mut Plan,
    number: ShardNumber,
    by: ShardBy,
    note: ShardNote,
    context: &Context,
    redactor: &Redactor,
) -> Shard {
    let history = match by {
        ShardBy::Count => RunHistory::default(),
        ShardBy::Time => {
            let commit = BuildJob::of(context).commit;
            RunHistory::read_without(&plan.config.folder, commit.as_deref())
        }
    };
    let usual = |case: &CaseEntry| history.usual_duration(&redactor.text(&case.id()));
    let known = plan.cases.iter().filter(|case| usual(case).is_some());
    let known = known.count();
    let shard = plan.keep_shard(number, by, usual);
    let tests = shard.tests;
    let selected = if tests == 1 {
        "1 selected test".to_owned()
    } else {
        format!("{tests} selected tests")
    };
    match (tests, plan.cases.len()) {
        (0, _) => {}
        (_, 0) => say(&format!("note: shard {shard} has none of the {selected}")),
        _ if note == ShardNote::IfEmpty => {}
        (_, count) => {
            let times = match by {
                ShardBy::Count => String::new(),
                ShardBy::Time => format!("; the history has the times of {known}"),
            };
            say(&format!(
                "note: shard {shard} has {count} of the {selected}{times}"
            ));
        }
    }
    shard
}
