//! The options of a run.

use std::time::Duration;

use futures_util::future::BoxFuture;

use ananke_conversation::{AtFailure, AtViolation};
use ananke_model::model::{MissingInput, ReportedEvents};
use ananke_plan::project::RunCounts;
use ananke_rules::Writing;
use ananke_trace::outcome::AfterNoAnswer;

/// The effect of a test that does not pass on those after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// They run.
    #[default]
    Continue,
    /// The run stops.
    Stop,
}

/// Whether a retry may use the thread of an earlier attempt, which the agent may remember.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReusedThreads {
    /// No: the attempt has a problem.
    #[default]
    Rejected,
    /// Yes.
    Allowed,
}

/// Whether every test runs twice, so that the suite is compared with itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuiteComparison {
    /// No.
    #[default]
    Off,
    /// Yes.
    WithItself,
}

/// Whether what is sent and received is reported while a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExchangeReports {
    /// No.
    #[default]
    Off,
    /// Yes.
    On,
}

/// Whether it is reported which call a running test is in, and that its agent is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActivityReports {
    /// No.
    #[default]
    Off,
    /// Yes.
    On,
}

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of tests that run at once; at least one.
    pub parallel: usize,
    /// The effect of a test that does not pass on those after it.
    pub after_failure: AfterFailure,
    /// The effect on other tests if the first ones got no answer.
    pub after_no_answer: AfterNoAnswer,
    /// The moment at which a turn ends if a rule fails.
    pub at_failure: AtFailure,
    /// The effect of a violation of the protocol on its turn.
    pub at_violation: AtViolation,
    /// The timeout of one attempt at a test, with everything that it does but its teardown.
    pub timeout: Option<Duration>,
    /// The number of retries of a test that does not pass, of those that run once.
    pub retries: u32,
    /// The number of runs of tests.
    pub runs: RunCounts,
    /// Whether the suite is compared with itself.
    pub comparison: SuiteComparison,
    /// Whether a retry may use the thread of an earlier attempt.
    pub reused_threads: ReusedThreads,
    /// Whether a test that passed only on a retry fails the run.
    pub flaky_fails: bool,
    /// Whether a warning at the end of the run fails it.
    pub warnings_fail: bool,
    /// Whether people are asked when agents wait for input.
    pub people: People,
    /// The action if an agent waits for input and there is none, over that of the tests.
    pub on_missing_input: Option<MissingInput>,
    /// The snapshots that are written.
    pub writing: Writing,
    /// Whether what is sent and received is reported.
    pub exchanges: ExchangeReports,
    /// Whether it is reported what agents do.
    pub activity: ActivityReports,
    /// The tests whose outcomes contain what was sent and received.
    pub events: ReportedEvents,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            parallel: 1,
            after_failure: AfterFailure::default(),
            after_no_answer: AfterNoAnswer::default(),
            at_failure: AtFailure::default(),
            at_violation: AtViolation::default(),
            timeout: None,
            retries: 0,
            runs: RunCounts::default(),
            comparison: SuiteComparison::default(),
            reused_threads: ReusedThreads::default(),
            flaky_fails: false,
            warnings_fail: false,
            people: People::default(),
            on_missing_input: None,
            writing: Writing::default(),
            exchanges: ExchangeReports::default(),
            activity: ActivityReports::default(),
            events: ReportedEvents::default(),
        }
    }
}

/// Whether people are asked when agents wait for input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum People {
    /// If the test says so.
    #[default]
    OfTest,
    /// In every test.
    Asked,
    /// In none.
    LeftOut,
}

/// The question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonQuestion {
    /// The id of the test, masked.
    pub test: String,
    /// The text of the agent, masked; empty at the beginning of a conversation.
    pub said: String,
    /// The hint of the agent about the input that it expects, masked.
    pub hint: Option<String>,
    /// The time that the person may take.
    pub timeout: Duration,
}

/// The result of a question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonAnswer {
    /// The text of the person; never empty.
    Said(String),
    /// Nothing in time.
    Late,
    /// Nothing more will come.
    Ended,
    /// The person wants to stop the run.
    Stops,
}

/// A person who takes part in conversations, one question after the other.
pub trait Person: Send + Sync {
    /// The answer of the person to `question`. Several questions at once are asked one after the other; waiting for an
    /// earlier one is no time of the person.
    fn ask(&self, question: PersonQuestion) -> BoxFuture<'_, PersonAnswer>;
}
