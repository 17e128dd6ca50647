//! One test that is over: who it is, how it ended, and its transcript.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::held::Held;
use super::problem::Problem;
use super::quarantine::Quarantine;
use super::status::Status;
use super::test_end::TestEnd;
use super::turn::TurnOutcome;

/// A message of the history that the test begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierMessage {
    /// Its role, as the protocol calls it.
    pub role: Cow<'static, str>,
    /// Its text and calls, in words.
    pub text: String,
}

/// A snapshot that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotWritten {
    /// The file, as shown in messages.
    pub file: String,
    /// Whether there was none before.
    pub is_new: bool,
}

/// One test that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The test's id.
    pub id: String,
    /// The test's name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its tags.
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
    /// How it ended as a whole.
    pub end: TestEnd,
    /// The messages before the first turn.
    pub history: Vec<EarlierMessage>,
    /// The turns that were sent.
    pub turns: Vec<TurnOutcome>,
    /// How many turns were not run.
    pub turns_not_run: u32,
    /// Every rule of the whole test that passed, outer levels first.
    pub held: Vec<Held>,
    /// Warnings about its setup and teardown that the plan could not know; a turn's warnings are in its turn.
    pub warnings: Vec<String>,
    /// When it started, in Unix milliseconds.
    pub started_unix_ms: u64,
    /// When it was over, in Unix milliseconds; never before the end of its last turn.
    pub ended_unix_ms: u64,
    /// The snapshots that were written because the test passed.
    pub snapshots: Vec<SnapshotWritten>,
    /// The recording that it was written to or replayed from, as shown in messages.
    pub recording: Option<String>,
    /// How many messages its conversation has: those of the user and those of the agent that are not empty.
    pub messages_count: usize,
    /// The sum of its turns, in microseconds.
    pub duration_us: u64,
    /// The attempts before the last, which all else is about, in order; none of them passed.
    pub earlier_attempts: Vec<Outcome>,
    /// The entry of the quarantine that applies to it.
    pub quarantine: Option<Quarantine>,
}

impl Outcome {
    /// The verdict: that of the test as a whole, or of its first turn that did not pass.
    pub fn status(&self) -> Status {
        match &self.end {
            TestEnd::Skipped(_) => Status::Skipped,
            TestEnd::Problem(problem, _) => problem.kind.status(),
            TestEnd::Evaluated(failures) => {
                let of_turns = self.turns.iter().map(TurnOutcome::status);
                let of_test = if failures.is_empty() { Status::Passed } else { Status::Failed };
                of_turns.chain([of_test]).find(|status| *status != Status::Passed).unwrap_or(Status::Passed)
            }
        }
    }

    /// Every failure with the number of its turn; 0 for the test as a whole.
    pub fn all_failures(&self) -> impl Iterator<Item = (u32, &Failure)> {
        let of_turns =
            self.turns.iter().flat_map(|turn| turn.failures().iter().map(|failure| (turn.number, failure)));
        of_turns.chain(self.end.failures().iter().map(|failure| (0, failure)))
    }

    /// The first problem with the number of its turn; 0 for the test as a whole.
    pub fn first_problem(&self) -> Option<(u32, &Problem)> {
        let of_turns = self.turns.iter().filter_map(|turn| Some((turn.number, turn.problem()?)));
        self.end.problem().map(|problem| (0, problem)).into_iter().chain(of_turns).next()
    }
}
