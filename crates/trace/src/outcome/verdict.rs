//! The verdict of a run, and what is known at its end.
//!
//! **Why:** What fails a run is more than its tests: an expired quarantine, a test that is gone, a name that no agent calls. All
//! of it is collected here, and the exit code, the last line and JUnit ask the same function, so that they cannot disagree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NearNames, Quarantine, Totals};
use ananke_derive::Mask;

/// The server, agent or money that tests could not run without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// A server that they need ended.
    Server,
    /// An agent that answered no test before them.
    Agent,
    /// The rest of what the run may cost (`--max-cost`).
    #[schemars(extend("x-since" = "1.2"))]
    Budget,
}

/// Everything that decides whether a run passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask)]
pub struct Verdict {
    /// The number of tests per status.
    #[mask(skip)]
    pub totals: Totals,
    /// Whether a test that passed only on a retry fails the run.
    pub flaky_fails: bool,
    /// The reason why some tests were not run.
    #[mask(skip)]
    pub lost: Option<Lost>,
    /// Expired quarantine entries, in the order of the config: each fails the run.
    pub expired: Vec<Quarantine>,
    /// The ids of tests that failed last time and are in no file any more: each fails a run of `--last-failed`, once.
    pub gone: Vec<String>,
    /// Names in rules that are probably misspelled.
    pub near_names: NearNames,
    /// Whether warnings fail the run: `--deny-warnings`.
    pub warnings_fail: bool,
    /// Whether selected tests are in other shards, which may evaluate what this run does not.
    pub is_part: bool,
}

impl Verdict {
    /// The exit code of a run that could not decide a test, and in which nothing else is wrong.
    pub const UNDECIDED: u8 = 3;

    /// The exit code of a run in which no rule failed, whose traces do not show some.
    pub const NOT_SHOWN: u8 = 4;

    /// The exit code of a run that was not interrupted (SPEC 10): 3 if it does not pass for undecided tests alone, and 4 for
    /// rules alone that are not shown.
    pub fn exit_code(&self) -> u8 {
        let has_one_reason = self.totals.failing() == 0 && self.reasons().len() == 1;
        if self.is_pass() {
            0
        } else if has_one_reason && self.totals.undecided > 0 {
            Self::UNDECIDED
        } else if has_one_reason && self.totals.not_shown > 0 {
            Self::NOT_SHOWN
        } else {
            1
        }
    }

    /// Whether the run passes.
    pub fn is_pass(&self) -> bool {
        self.reasons().is_empty()
    }

    /// Whether the run fails because each of its tests was skipped for want of input.
    pub fn lacks_input(&self) -> bool {
        !self.is_part && self.totals.is_all_without_input()
    }

    /// The number of warnings that fail the run, of tests and of the run itself.
    pub fn failing_warnings(&self) -> usize {
        if self.warnings_fail {
            self.near_names.found.len() + self.totals.denied_warnings
        } else {
            0
        }
    }

    /// The reasons that the run does not pass, each as a part of a sentence; empty if it passes.
    pub fn reasons(&self) -> Vec<String> {
        // All fields are named, so that the compiler asks for a decision here when a field is added. Those with `_` are no reason
        // by themselves: `failing_warnings` and `lacks_input` use them.
        let Self {
            totals,
            flaky_fails,
            lost,
            expired,
            gone,
            near_names: _,
            warnings_fail: _,
            is_part: _,
        } = self;
        let mut reasons = Vec::new();

        // The tests come first, since most runs fail for them.
        let failing = totals.failing();
        if failing > 0 {
            reasons.push(format!(
                "{failing} of {} tests did not pass",
                totals.tests()
            ));
        }
        if totals.undecided > 0 {
            let tests = counted(totals.undecided, "test is", "tests are");
            reasons.push(format!("{tests} undecided"));
        }
        if totals.not_shown > 0 {
            let tests = counted(totals.not_shown, "test has", "tests have");
            reasons.push(format!("{tests} rules that are not shown"));
        }

        // A run that did not get far enough does not pass, although none of its tests failed.
        if self.lacks_input() {
            let reason = "nothing was evaluated: every agent waited for input that is missing";
            reasons.push(reason.to_owned());
        }
        match lost {
            Some(Lost::Server) => {
                reasons.push("a server of the config ended before all tests had run".to_owned());
            }
            Some(Lost::Agent) => reasons.push("no test got an answer".to_owned()),
            Some(Lost::Budget) => {
                reasons.push("`--max-cost` stopped the run before all tests had run".to_owned());
            }
            None => {}
        }

        // The remaining reasons may apply although every test passed.
        if *flaky_fails && totals.flaky > 0 {
            let tests = counted(totals.flaky, "test is", "tests are");
            reasons.push(format!("{tests} flaky"));
        }
        if !expired.is_empty() {
            let entries = counted(expired.len(), "entry", "entries");
            reasons.push(format!("{entries} of the quarantine expired"));
        }
        if !gone.is_empty() {
            let tests = counted(gone.len(), "test that failed is", "tests that failed are");
            reasons.push(format!("{tests} in no file any more"));
        }
        let warnings = self.failing_warnings();
        if warnings > 0 {
            let warnings = counted(warnings, "warning", "warnings");
            reasons.push(format!("{warnings} (`--deny-warnings`)"));
        }
        reasons
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask)]
pub struct RunClose {
    /// The verdict of the run.
    pub verdict: Verdict,
    /// The duration on the wall clock, in microseconds.
    pub elapsed_us: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
}
