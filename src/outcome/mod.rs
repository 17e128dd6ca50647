//! Inert data of one finished test: what happened, what was judged, counts and status.
//!
//! Reports are written from these values alone. They are bounded in size and hold no raw events.

mod attempt;
mod bounds;
mod quarantine;
mod status;
mod timing;
mod verdict;

use crate::diagnostic::{Difference, Excerpt, Place};
use crate::trace::Usage;

pub use bounds::bounded;
pub use quarantine::Quarantine;
pub use status::{Status, Totals};
pub use timing::{Gap, TimeLimits, Timing};
pub use verdict::Verdict;

/// A level of inheritance: who wrote a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The target of the config.
    Target,
    /// The test.
    Test,
    /// A turn.
    Turn,
}

impl Level {
    /// The word in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Test => "test",
            Self::Turn => "turn",
        }
    }
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: String,
    /// The level that wrote it.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// What stands there, as it was written: variables are not filled.
    pub excerpt: Excerpt,
    /// The whole finding on one line: `` `charge_card` was called 2 times, expected exactly 1 ``.
    pub message: String,
    /// What was wanted.
    pub expected: String,
    /// What was seen instead, a line each: the nearest candidates with arguments and results.
    pub seen: Vec<String>,
    /// How what is there differs from what was expected, where both are texts of many lines.
    pub difference: Option<Difference>,
    /// What to do about it, where that does not follow from the rule.
    pub help: Option<String>,
    /// The numbers of the events it rests on, ascending.
    pub events: Vec<u32>,
}

/// A rule that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: &'static str,
    /// The level that wrote it.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// What it wants.
    pub wanted: String,
}

/// Which part could not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The agent reported an error, cancelled the run unasked, or does not tell what a rule asks.
    Agent,
    /// The wire did not carry what the protocol promises.
    Protocol,
    /// A hook did not do its work.
    Hook,
    /// A script did not do its work.
    Script,
    /// The test could not be set up: a variable, a file that changed.
    Setup,
    /// The turn took longer than its time-out.
    Timeout,
    /// A turn does not hold what it was to keep for those behind it.
    Capture,
    /// There is no recording that could be played, or none could be written.
    Recording,
}

impl ErrorKind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Protocol => "protocol",
            Self::Hook => "hook",
            Self::Script => "script",
            Self::Setup => "setup",
            Self::Timeout => "timeout",
            Self::Capture => "capture",
            Self::Recording => "recording",
        }
    }
}

/// Why a test or turn could not be judged to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which part.
    pub kind: ErrorKind,
    /// What went wrong: `agent error: model unavailable`, `timeout after 30s`.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A tool call as reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOutcome {
    /// The number of the event that opened it.
    pub event: u32,
    /// The tool's name.
    pub name: String,
    /// The text of the arguments as sent.
    pub args: String,
    /// The result as text; `None` where none came.
    pub result: Option<String>,
    /// Whether the client carried it out: a mock answered it.
    pub is_clients: bool,
    /// From the start of the turn to the call's start, in microseconds.
    pub started_us: u64,
    /// From the call's start to its result, in microseconds.
    pub duration_us: Option<u64>,
    /// How it went wrong, where the agent or the client says that it did.
    pub failure: Option<CallFailure>,
}

/// How a call went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// It was carried out and failed.
    Failed,
    /// It was not carried out, since somebody said no.
    Denied,
}

impl CallFailure {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Denied => "denied",
        }
    }
}

/// The result of a call that started in an earlier turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateResult {
    /// The number of the event that brought it.
    pub event: u32,
    /// The tool's name.
    pub name: String,
    /// The turn that the call started in, counted from 1.
    pub called_in: u32,
    /// The result as text.
    pub result: String,
    /// From the start of the turn to the result, in microseconds.
    pub arrived_us: u64,
    /// How the call went wrong, where the agent says that it did.
    pub failure: Option<CallFailure>,
}

/// How a turn's last run ended, in the agent's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The agent was done.
    Finished,
    /// With an error, whose message and code these are.
    Error(String),
    /// The agent stopped it itself.
    Cancelled,
    /// The agent waits for answers.
    Interrupted(Vec<OpenInterrupt>),
}

/// Something the agent waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenInterrupt {
    /// Its id.
    pub id: String,
    /// Why, in a word of the agent's.
    pub reason: Option<String>,
    /// What it asks.
    pub message: Option<String>,
    /// The tool whose call waits, where it is about one.
    pub tool: Option<String>,
}

/// Something a person sees in the transcript of a turn, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A message of the agent.
    Says {
        /// The number of the event that opened it.
        event: u32,
        /// Its text.
        text: String,
    },
    /// A tool call.
    Calls(CallOutcome),
    /// A call of an earlier turn got its result.
    Answered(LateResult),
    /// The agent's thoughts.
    Thinks {
        /// The number of the event that began them.
        event: u32,
        /// Their text.
        text: String,
    },
    /// An event of the application's own.
    Custom {
        /// The number of the event.
        event: u32,
        /// Its name.
        name: String,
        /// What it carries, as JSON.
        value: String,
    },
}

/// A message of before the first turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierMessage {
    /// Who said it, in the protocol's word.
    pub role: &'static str,
    /// What was said and called, in words.
    pub text: String,
}

/// One turn that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnOutcome {
    /// Counted from 1.
    pub number: u32,
    /// What the test calls it.
    pub id: Option<String>,
    /// What was sent, in words: of a file its type and size.
    pub input: String,
    /// What the agent said, called and thought, in the order it began.
    pub lines: Vec<Line>,
    /// When it was sent, in Unix milliseconds on the agent's clock, which for a scripted agent is virtual.
    pub started_unix_ms: u64,
    /// When its answer ended, on the same clock.
    pub ended_unix_ms: u64,
    /// The agent's time, in microseconds.
    pub duration_us: u64,
    /// When the agent let its user wait.
    pub timing: Timing,
    /// How its last run ended, as far as the agent told.
    pub end: Option<RunEnd>,
    /// What it took in tokens, as far as the agent told.
    pub usage: Option<Usage>,
    /// How it ended.
    pub status: Status,
    /// Every rule that does not hold in this turn.
    pub failures: Vec<Failure>,
    /// Every rule of this turn that was judged and holds, outer levels first.
    pub held: Vec<Held>,
    /// Why it could not be judged to its end.
    pub problem: Option<Problem>,
    /// What is odd about the wire: violations of the protocol by the rule's name, and what fails nothing.
    pub warnings: Vec<String>,
}

/// A snapshot that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotWritten {
    /// The file, as shown in messages.
    pub file: String,
    /// Whether there was none before.
    pub is_new: bool,
}

/// One test that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The test's id.
    pub id: String,
    /// The test's name.
    pub name: String,
    /// What the test is about.
    pub description: Option<String>,
    /// What the test can be selected by.
    pub tags: Vec<String>,
    /// The test file, as shown in messages.
    pub file: String,
    /// The line of the test's name, counted from 1.
    pub line: u32,
    /// The name of the target.
    pub target: String,
    /// The name of the agent.
    pub agent: String,
    /// The conversation's thread; empty where none was opened.
    pub thread_id: String,
    /// The verdict.
    pub status: Status,
    /// What was said before the first turn.
    pub history: Vec<EarlierMessage>,
    /// The turns that were sent.
    pub turns: Vec<TurnOutcome>,
    /// How many turns were not run.
    pub turns_not_run: u32,
    /// Rules that the test as a whole does not keep, found when it was over.
    pub failures: Vec<Failure>,
    /// Every rule of the test as a whole that was judged and holds, outer levels first.
    pub held: Vec<Held>,
    /// Why the test could not be set up, a hook of it included; a turn's problem is in its turn.
    pub problem: Option<Problem>,
    /// Oddities of its set-up and teardown that fail nothing and that the plan could not know; a turn's warnings are in its turn.
    pub warnings: Vec<String>,
    /// When it started, in Unix milliseconds.
    pub started_unix_ms: u64,
    /// When it was over, in Unix milliseconds; never before the end of its last turn.
    pub ended_unix_ms: u64,
    /// The snapshots that were written because the test passed.
    pub snapshots: Vec<SnapshotWritten>,
    /// The recording that it was kept in or played from, as shown in messages.
    pub recording: Option<String>,
    /// How many messages its conversation has: those of the user and those of the agent that are not empty.
    pub messages_count: usize,
    /// The sum of its turns, in microseconds.
    pub duration_us: u64,
    /// The attempts before the one that all else tells of, in order; none of them passed.
    pub earlier_attempts: Vec<Outcome>,
    /// The entry of the quarantine that is in force for it.
    pub quarantine: Option<Quarantine>,
}

impl Outcome {
    /// Every failure with the number of its turn; 0 for the test as a whole.
    pub fn all_failures(&self) -> impl Iterator<Item = (u32, &Failure)> {
        let of_turns =
            self.turns.iter().flat_map(|turn| turn.failures.iter().map(|failure| (turn.number, failure)));
        of_turns.chain(self.failures.iter().map(|failure| (0, failure)))
    }

    /// The first problem with the number of its turn; 0 for the set-up.
    pub fn first_problem(&self) -> Option<(u32, &Problem)> {
        let of_turns =
            self.turns.iter().filter_map(|turn| turn.problem.as_ref().map(|problem| (turn.number, problem)));
        self.problem.iter().map(|problem| (0, problem)).chain(of_turns).next()
    }
}

mod mask;
