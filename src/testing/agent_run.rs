//! The actions of the agent in one run, and the assertions about them.

use std::fmt;
use std::panic::Location;

use serde_json::Value;

use super::run_events::RunEvents;
use super::session_line::SessionStart;
use super::session_project::RuleScopes;
use super::session_requests::SessionRequests;
use super::tape::{Tape, UnshownRules};
use super::{RunExpectation, TestingError};
use ananke_trace::outcome::RuleResult;
use ananke_trace::trace::{AgentEvent, Interrupt};

/// The actions of the agent in one run.
pub struct AgentRun {
    pub(super) run: RunEvents,
    pub(super) tape: Tape,
    pub(super) taped: usize,
    pub(super) requests: SessionRequests,
}

/// Whether the events of a run are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunPrinting {
    /// They are, if the environment asks for it.
    OfEnvironment,
    /// They are not: another program prints them.
    Never,
}

impl AgentRun {
    pub(super) fn new(
        run: RunEvents,
        tape: Tape,
        taped: usize,
        requests: SessionRequests,
        printing: RunPrinting,
    ) -> Self {
        if printing == RunPrinting::OfEnvironment && is_verbose() {
            let text = run.shown(&format!("user: {}\n{}", run.input, run.listed(None)));
            #[expect(
                clippy::print_stderr,
                reason = "test harnesses capture what this prints"
            )]
            {
                eprintln!("{text}");
            }
        }
        Self {
            run,
            tape,
            taped,
            requests,
        }
    }

    /// The actions of the agent, in their order.
    pub fn events(&self) -> &[AgentEvent] {
        &self.run.events
    }

    /// The interrupts that the agent waits for at the end; [`TestSession::resume`](super::TestSession::resume) answers
    /// it.
    pub fn interrupts(&self) -> &[Interrupt] {
        &self.run.interrupts
    }

    /// The agent's state at the end; null if it has none.
    pub fn state(&self) -> &Value {
        &self.run.state
    }

    /// The expectation of the events. There is one cursor per result: events that were looked at are passed.
    pub fn expect(&self) -> RunExpectation<'_> {
        RunExpectation { run: &self.run }
    }

    /// Applies an assert block, as YAML, to the run: `tools: { forbid: [delete_order] }`. The rules are those of a turn of a
    /// YAML test, and so are the findings; the rules of the target apply too. Scripts and judges are those of the session's
    /// project; they are asked while the session goes on, after all other rules have passed.
    ///
    /// # Errors
    /// If the block is wrong, or a script or a judge cannot be asked.
    ///
    /// # Panics
    /// If a rule fails, with every finding: when the future that is returned is awaited.
    #[track_caller]
    pub fn assert_yaml(&self, block: &str) -> impl Future<Output = Result<(), TestingError>> {
        let caller = Location::caller();
        async move {
            let failures = self.findings(block).await?;
            if !failures.is_empty() {
                let findings: Vec<String> = failures.iter().map(RuleResult::in_words).collect();
                panic!(
                    "{}",
                    self.run.failure(&findings.join("\n"), None, Some(caller))
                );
            }
            Ok(())
        }
    }

    /// The findings of the rules of an assert block in the run; empty if all pass.
    ///
    /// # Errors
    /// As [`Self::assert_yaml`].
    pub async fn findings(&self, block: &str) -> Result<Vec<RuleResult>, TestingError> {
        let SessionStart {
            thread_id,
            redactor,
        } = &self.run.start;
        let (rules, state) = self
            .run
            .project
            .rules(block, thread_id, RuleScopes::WithTarget)?;
        let (end, unshown) = (self.taped, UnshownRules::Fail);
        let evaluated = self
            .tape
            .evaluate(end, state, rules, redactor.clone(), unshown);
        let evaluated = evaluated.map_err(|error| TestingError::usage(error.to_string()))?;
        evaluated.findings(&self.requests).await
    }
}

impl fmt::Debug for AgentRun {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentRun")
            .field("events", &self.run.events)
            .finish_non_exhaustive()
    }
}

/// Whether the events of every run are printed.
#[expect(
    clippy::disallowed_methods,
    reason = "a Rust test has no other options"
)]
fn is_verbose() -> bool {
    std::env::var_os("ANANKE_TESTING_VERBOSE").is_some_and(|value| value == "1")
}
