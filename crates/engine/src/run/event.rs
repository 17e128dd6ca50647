//! Events of a run: the only thing a report is made from. Tests start, take turns and end in any order, and are finished in
//! the order of the plan.

use super::options::AfterNoAnswer;
use ananke_base::context::At;
use ananke_base::diagnostic::Place;
use ananke_base::message::Lane;
use ananke_derive::Mask;
use ananke_trace::outcome::{Outcome, RunClose, RunFacts, Status};
use ananke_trace::redact::mask_headers;
use ananke_trace::trace::Usage;

/// Something that happened in a run.
#[derive(Clone, Debug, Mask)]
pub enum RunEvent {
    /// The run begins.
    RunStarted {
        /// The number of tests that were selected.
        tests: usize,
        /// The moment, in Unix milliseconds.
        unix_ms: u64,
        /// The facts of the run.
        facts: Box<RunFacts>,
    },
    /// A test begins.
    CaseStarted {
        /// Its id.
        id: String,
        /// The moment.
        #[mask(skip)]
        at: At,
    },
    /// A turn of a running test is sent.
    TurnStarted {
        /// The test's id.
        id: String,
        /// The turn, counted from 1.
        turn: usize,
        /// The number of turns of the test.
        of: usize,
    },
    /// A running test did not pass and is retried.
    Retrying {
        /// The test's id.
        id: String,
        /// The number of the retry that begins, counted from 1.
        retry: u32,
        /// The largest number of retries.
        of: u32,
        /// The status with which the attempt before ended.
        #[mask(skip)]
        status: Status,
        /// The problem of it, in a few words.
        why: String,
    },
    /// Another run of a running test begins, of a test that runs several times.
    NextRun {
        /// The test's id.
        id: String,
        /// The number of the run that begins, counted from 1.
        run: u32,
        /// The most runs that there may be.
        most: u32,
        /// The number of runs that did not pass so far.
        failed: u32,
    },
    /// Another walk of a running test begins.
    NextWalk {
        /// The test's id.
        id: String,
        /// Whether it is a part of one that failed, tried to find a shorter one.
        is_shorter: bool,
        /// The number of the one that begins, counted from 1.
        number: u32,
        /// The largest number of them.
        of: u32,
    },
    /// The agent of a running test is heard; only if that is asked for.
    Activity {
        /// The test's id.
        id: String,
        /// The name of the call that runs; of several, of the one that began last.
        call: Option<String>,
    },
    /// A running test sends or receives something; only if that is asked for.
    Exchange {
        /// The test's id.
        id: String,
        /// With whom: the agent or a helper.
        #[mask(skip)]
        lane: Lane,
        /// The time since the start of the attempt, in microseconds.
        after_us: u64,
        /// The part of the exchange.
        part: ExchangePart,
    },
    /// A server that the tests need has ended by itself: no further test begins.
    ServerEnded {
        /// The name of the server, and the way in which it ended.
        what: String,
        /// The last lines that it printed; may be empty.
        printed: String,
    },
    /// The first tests of a target got no answer; sent once for each target.
    NoAnswer(Box<NoAnswer>),
    /// A test is over, though those before it may not be.
    CaseEnded {
        /// Its id.
        id: String,
        /// The moment.
        #[mask(skip)]
        at: At,
        /// The status with which it ended.
        #[mask(skip)]
        status: Status,
        /// The agent's time, in microseconds; `None` if a trace does not show it.
        duration_us: Option<u64>,
        /// Whether the run fails for it.
        fails_the_run: bool,
        /// The tokens of all its attempts.
        #[mask(skip)]
        usage: Usage,
        /// Its outcome if the run fails for it and tests before it still run: it can be shown at once. `None` also if
        /// the reports have no room; `CaseFinished` brings every outcome.
        failed: Option<Box<Outcome>>,
    },
    /// The outcome of a test, in the order of the plan.
    CaseFinished(Box<Outcome>),
    /// There are snapshots that no rule refers to; sent when all tests are over.
    ObsoleteSnapshots {
        /// The number of those that are still there.
        left: usize,
        /// The number of those that were deleted.
        deleted: usize,
        /// The first of those that are still there, as shown in messages.
        listed: Vec<String>,
    },
    /// The run is over.
    RunFinished(RunClose),
}

impl RunEvent {
    /// Whether it contains the outcome of a test.
    pub(super) fn has_outcome(&self) -> bool {
        match self {
            Self::CaseFinished(_) => true,
            Self::CaseEnded { failed, .. } => failed.is_some(),
            _ => false,
        }
    }
}

impl From<Outcome> for RunEvent {
    fn from(outcome: Outcome) -> Self {
        Self::CaseFinished(Box::new(outcome))
    }
}

/// A part of an exchange. Bodies and events are truncated, and bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq, Mask)]
pub enum ExchangePart {
    /// The destination of a request.
    Request {
        /// `POST http://127.0.0.1:8000/agent`; without its query.
        line: String,
        /// Its headers.
        #[mask(with = mask_headers)]
        headers: Vec<(String, String)>,
    },
    /// The body of a request.
    Sent(String),
    /// The HTTP status of a response.
    Response(u16),
    /// The headers of a response.
    Headers(#[mask(with = mask_headers)] Vec<(String, String)>),
    /// No response came in time; what was missing.
    Late(String),
    /// An event of a response.
    Event(String),
    /// So many events are not shown, since too many waited for the end of a text.
    LeftOut(usize),
    /// The response is over.
    Closed,
}

/// The first tests of a target got no complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Mask)]
pub struct NoAnswer {
    /// The number of those tests.
    pub tests: usize,
    /// Whether an answer to one of them began, with nothing but silence after it.
    pub begins: bool,
    /// The place of the agent's address in the config.
    pub place: Place,
    /// That line of the config.
    pub line: String,
    /// Whether the agent is a program that is started for each conversation.
    pub is_program: bool,
    /// The programs of the config that run as servers, each as it is called.
    pub servers: Vec<String>,
    /// The effect on the other tests.
    #[mask(skip)]
    pub after: AfterNoAnswer,
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::redact::{MASK, Mask as _, Redactor};

    #[test]
    fn headers_that_are_usually_secret_are_masked() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut part = ExchangePart::Headers(vec![
            header("Set-Cookie", "a=b"),
            header("x-api-key", "abc"),
            header("authorization", "Bearer abc"),
            header("content-type", "text/plain"),
        ]);
        part.mask(&Redactor::default());
        let ExchangePart::Headers(headers) = part else {
            panic!("headers")
        };
        let values: Vec<&str> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [MASK, MASK, MASK, "text/plain"]);
    }
}
