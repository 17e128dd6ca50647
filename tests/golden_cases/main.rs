//! Golden cases: the program from outside, one test per folder under `tests/cases/CLASS/`, named `golden::CLASS::NAME`.
//!
//! ```sh
//! cargo test --test golden                          # all
//! cargo test --test golden fail::secrets-everywhere # one
//! ANANKE_UPDATE=1 cargo test --test golden fail::   # write the golden files of some
//! ```
//!
//! A case folder is copied to a temporary directory and the program is run there; its exit code, its output and the
//! files that it writes are compared with the golden files in the folder. [`case`] says what a folder may contain,
//! and [`outline`] what is compared of the output where the words are not the point. The words of each message are in one table, by
//! [`messages`].
//! Cases that run tests are run twice more, once recorded and once replayed, and must print and write the same.

#![allow(
    clippy::too_many_lines,
    reason = "what a case may contain is read from top to bottom"
)]

mod agent;
mod case;
mod golden_files;
mod messages;
#[path = "../support/normalise.rs"]
mod normalise;
mod outline;
#[path = "../support/page_outline.rs"]
mod page_outline;
mod program;
mod workplace;

use std::collections::BTreeSet;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use case::Case;

fn main() -> ExitCode {
    let (cases, problems) = case::all(&case::root());
    let titles: BTreeSet<String> = cases.iter().map(Case::title).collect();
    let checks = [
        Trial::test("golden::every-folder-is-a-case", move || {
            outcome(problems.join("\n"))
        }),
        Trial::test("golden::stray-files-are-noticed", || {
            outcome(case::notices_stray_files())
        }),
        Trial::test("golden::an-outline-has-no-words", || {
            outcome(outline::has_no_words())
        }),
        Trial::test("golden::reworded-messages-are-found", || {
            outcome(messages::finds_reworded_messages())
        }),
        Trial::test("golden::every-message-is-of-a-case", move || {
            outcome(messages::names_cases(&titles))
        }),
    ];
    let trial = |case: Case| Trial::test(case.title(), move || outcome(golden_files::check(&case)));
    let trials = checks
        .into_iter()
        .chain(cases.into_iter().map(trial))
        .collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    if golden_files::updating() {
        messages::update();
    }
    conclusion.exit_code()
}

/// Fails with `problems`, if there are any.
fn outcome(problems: String) -> Result<(), Failed> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.into())
    }
}
