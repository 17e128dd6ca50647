//! An event of a run.
//!
//! **Why:** Reports get events and no result at the end: a run may be long, be killed, or have more outcomes than fit
//! into memory. The events that announce are for displays, the ones that finish are in the order of the plan, and a
//! report that only wants outcomes reads two of them.

use super::{ExchangePart, NoAnswer};
use crate::outcome::{Outcome, RunClose, RunFacts, Status};
use crate::trace::Usage;
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_derive::Mask;

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
        /// The test's id.
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
        /// The test's id.
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
        /// The outcome if the run fails for it and tests before it still run: it can be shown at once. `None` also if
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
    pub fn has_outcome(&self) -> bool {
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
