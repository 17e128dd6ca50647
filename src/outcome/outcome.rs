//! One test that is over: who it is, how it ended, and its transcript.

use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::identity::TestIdentity;
use super::problem::Problem;
use super::status::Status;
use super::test_end::TestEnd;
use super::test_verdict::TestVerdict;
use super::transcript::Transcript;
use super::turn::TurnOutcome;

/// One test that is over: its identity, its verdict and its transcript, apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which test it is.
    pub test: TestIdentity,
    /// What its rules and its setup came to.
    pub verdict: TestVerdict,
    /// What was said and done.
    pub transcript: Transcript,
    /// The attempts before the last, which all else is about, in order; none of them passed.
    pub earlier_attempts: Vec<Outcome>,
}

impl Outcome {
    /// The verdict: that of the test as a whole, or of its first turn that did not pass.
    pub fn status(&self) -> Status {
        match &self.verdict.end {
            TestEnd::Skipped(_) => Status::Skipped,
            TestEnd::Problem(problem, _) => problem.kind.status(),
            TestEnd::Evaluated(failures) => {
                let of_turns = self.transcript.turns.iter().map(TurnOutcome::status);
                let of_test = if failures.is_empty() { Status::Passed } else { Status::Failed };
                of_turns.chain([of_test]).find(|status| *status != Status::Passed).unwrap_or(Status::Passed)
            }
        }
    }

    /// Every failure with the number of its turn; 0 for the test as a whole.
    pub fn all_failures(&self) -> impl Iterator<Item = (u32, &Failure)> {
        let of_turns = self
            .transcript
            .turns
            .iter()
            .flat_map(|turn| turn.failures().iter().map(|failure| (turn.number, failure)));
        of_turns.chain(self.verdict.end.failures().iter().map(|failure| (0, failure)))
    }

    /// Whether a judge decided one of its rules.
    pub fn is_judged(&self) -> bool {
        let held = self.transcript.turns.iter().flat_map(|turn| &turn.held).chain(&self.verdict.held);
        held.map(|held| &held.ruling)
            .chain(self.all_failures().map(|(_, failure)| &failure.ruling))
            .any(Option::is_some)
    }

    /// The first problem with the number of its turn; 0 for the test as a whole.
    pub fn first_problem(&self) -> Option<(u32, &Problem)> {
        let of_turns = self.transcript.turns.iter().filter_map(|turn| Some((turn.number, turn.problem()?)));
        self.verdict.end.problem().map(|problem| (0, problem)).into_iter().chain(of_turns).next()
    }
}
