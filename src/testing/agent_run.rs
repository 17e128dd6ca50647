//! What the agent did in one run, and what is asserted of it.

use std::fmt;
use std::sync::Arc;

use super::expectation::RunExpectation;
use super::run_events::RunEvents;
use super::session_project::SessionProject;
use super::tape::{Evaluation, Tape};
use super::testing_error::TestingError;
use crate::outcome::Failure;
use crate::text::escape;
use crate::trace::AgentEvent;

/// What the agent did in one run.
pub struct AgentRun {
    run: RunEvents,
    project: Arc<SessionProject>,
    tape: Tape,
    taped: usize,
}

impl AgentRun {
    pub(super) fn new(run: RunEvents, project: Arc<SessionProject>, tape: Tape, taped: usize) -> Self {
        let result = Self { run, project, tape, taped };
        if is_verbose() {
            #[expect(clippy::print_stderr, reason = "test harnesses capture what this prints")]
            {
                eprintln!("user: {}\n{}", escape::terminal(&result.run.input), result.run.listed(None));
            }
        }
        result
    }

    /// What the agent did, in its order.
    pub fn events(&self) -> &[AgentEvent] {
        &self.run.events
    }

    /// What is expected of the events. There is one cursor per result: what was looked at is passed.
    pub fn expect(&self) -> RunExpectation<'_> {
        RunExpectation { run: &self.run }
    }

    /// Applies an assert block, as YAML, to the run: `tools: { forbid: [delete_order] }`. The rules are those of a turn of a
    /// YAML test, and so are the findings; the rules of the target apply too.
    ///
    /// # Errors
    /// If the block is wrong, or contains rules that ask a script or a judge.
    ///
    /// # Panics
    /// If a rule fails: with every finding.
    #[track_caller]
    pub fn assert_yaml(&self, block: &str) -> Result<(), TestingError> {
        let failures = self.findings(block)?;
        let findings = failures.iter().map(finding).collect::<Vec<_>>().join("\n");
        assert!(failures.is_empty(), "{findings}\n\n{}", self.run.listed(None));
        Ok(())
    }

    /// What the rules of an assert block find in the run; empty if all hold.
    ///
    /// # Errors
    /// As [`Self::assert_yaml`].
    pub fn findings(&self, block: &str) -> Result<Vec<Failure>, TestingError> {
        let (rules, state) = self.project.rules(block)?;
        let evaluated = self.tape.evaluate(self.taped, state, rules);
        let Evaluation { failures, unjudged, asks } =
            evaluated.map_err(|error| TestingError::usage(error.to_string()))?;
        if let Some(problem) = unjudged {
            return Err(TestingError::usage(problem.message));
        }
        if asks {
            let message = "rules that ask a script or a judge cannot be applied here: use `judge`";
            return Err(TestingError::usage(message));
        }
        Ok(failures)
    }
}

impl fmt::Debug for AgentRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AgentRun").field("events", &self.run.events).finish_non_exhaustive()
    }
}

/// Whether the events of every run are printed.
#[expect(clippy::disallowed_methods, reason = "a Rust test has no other options")]
fn is_verbose() -> bool {
    std::env::var_os("ANANKE_TESTING_VERBOSE").is_some_and(|value| value == "1")
}

fn finding(failure: &Failure) -> String {
    let expected = failure.expectation().map(|expected| format!(", expected {expected}")).unwrap_or_default();
    let seen: String = failure.evidence().map(|seen| ["\n  seen ", seen].concat()).collect();
    format!("{}: {}{expected}{seen}", failure.rule, failure.message)
}
