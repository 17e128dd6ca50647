//! One test that is over: who it is, how it ended, and its transcript.
//!
//! **Why:** An outcome is data without behaviour of an agent, a rule or a file: reports, `compare`, `show` and a run
//! that was kept all read the same, and one that is read back from disk is equal to one that was just made. Its status
//! is derived each time it is asked for, since a status that is stored can contradict the fields next to it.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::{
    FailedRuns, HelperTotals, Problem, RuleResult, SelfComparison, SkipCause, Stability,
    StabilityVerdict, Status, StatusChange, TestEnd, TestIdentity, TestVerdict, TokenTotals,
    Transcript, TurnOutcome, Walks, coverage::Picks,
};
use ananke_derive::Mask;

/// One test that is over: its identity, its verdict and its transcript, apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Mask, Serialize, Deserialize)]
#[mask(then = Self::bound)]
pub struct Outcome {
    /// The identity of the test.
    pub test: TestIdentity,
    /// The result of its rules and its setup.
    pub verdict: TestVerdict,
    /// The conversation.
    pub transcript: Transcript,
    /// The number of this run, counted from 1; 0 if it did not run.
    pub run: u32,
    /// The attempts before the last, which all else is about, in order; none of them passed.
    pub earlier_attempts: Vec<Outcome>,
    /// The result of all its runs, if it runs several times; all else is about the one that shows it best.
    pub stability: Option<Box<Stability>>,
    /// The result of all its walks, of a test with a walk.
    pub walks: Option<Box<Walks>>,
    /// Other runs, shortened: the first with each other reason, and the side of a comparison that did not pass if the other did.
    pub other_runs: Vec<Outcome>,
    /// Both verdicts, if the suite is compared with itself; all else is about the one that passed, or the second.
    #[mask(skip)]
    pub self_comparison: Option<Box<SelfComparison>>,
    /// The change against an earlier run, if one is known and it matters.
    #[mask(skip)]
    pub change: Option<StatusChange>,
    /// The tokens of the helpers of all runs and attempts, no part of those that it spent. Boxed, since outcomes are moved.
    #[serde(default)]
    #[mask(skip)]
    pub helpers: Box<HelperTotals>,
    /// The tools that its model was offered and picked, in all its runs; `None` if no server's tools were offered.
    #[serde(default)]
    pub picks: Option<Box<Picks>>,
}

impl Outcome {
    /// The status of the test. The first of these decides: the verdict of all its runs, its own end, its first turn that did not
    /// pass, and the rules of the whole test.
    pub fn status(&self) -> Status {
        // If a test runs several times, this outcome is of one run and has the verdict of all. If they did not pass, this is a
        // run that did not, so that its own status below is that of the test.
        if let Some(stability) = &self.stability {
            match stability.verdict {
                StabilityVerdict::Passed => return Status::Passed,
                StabilityVerdict::Undecided => return Status::Undecided,
                StabilityVerdict::Failed
                | StabilityVerdict::Violated
                | StabilityVerdict::Broken
                | StabilityVerdict::Stopped => {}
            }
        }
        match self.verdict.end() {
            TestEnd::Skipped(..) => return Status::Skipped,
            TestEnd::Problem(problem) => return problem.kind.status(),
            TestEnd::Evaluated => {}
        }
        // Turns come before the rules of the whole test, because the first turn that does not pass leaves those without facts.
        let mut turn_statuses = self.transcript.turns.iter().map(TurnOutcome::status);
        if let Some(status) = turn_statuses.find(|status| *status != Status::Passed) {
            status
        } else if self.verdict.failures().next().is_some() {
            Status::Failed
        } else if self.verdict.not_shown().next().is_some() {
            Status::NotShown
        } else {
            Status::Passed
        }
    }

    /// A test that it could not start: something of the whole run is wrong.
    pub fn could_not_start(&self) -> bool {
        self.run == 0 && self.verdict.end().problem().is_some()
    }

    /// Every failure with the number of its turn; 0 for the test as a whole.
    pub fn all_failures(&self) -> impl Iterator<Item = (u32, &RuleResult)> {
        let turns = self.transcript.turns.iter();
        let of_turns = turns.flat_map(|turn| turn.failures().map(|rule| (turn.number, rule)));
        of_turns.chain(self.verdict.failures().map(|failure| (0, failure)))
    }

    /// The first of the runs that failed for one reason, unless it is this one.
    pub fn example(&self, failed: &FailedRuns) -> Option<&Self> {
        let mut others = self.other_runs.iter();
        others.find(|other| failed.runs.first() == Some(&other.run))
    }

    /// The side of a comparison that did not pass, if this one did.
    pub fn other_side(&self) -> Option<&Self> {
        match &self.self_comparison {
            Some(both) if both.is_flip() => self.other_runs.last(),
            Some(_) | None => None,
        }
    }

    /// The share of its runs that passed, in per cent: 100 or 0 for a test that runs once; 100 if it is skipped on purpose, since
    /// pipelines compare the number of every test; `None` if it is skipped otherwise and has no complete run.
    pub fn pass_rate(&self) -> Option<f64> {
        if let Some(stability) = &self.stability {
            return Some(stability.pass_rate());
        }
        match self.status() {
            Status::Skipped if !self.is_skipped_on_purpose() => None,
            Status::Skipped | Status::Passed => Some(100.0),
            _ => Some(0.0),
        }
    }

    /// Whether its file or the command line says that it is skipped.
    pub fn is_skipped_on_purpose(&self) -> bool {
        self.verdict.end().skip_cause() == Some(SkipCause::Wanted)
    }

    /// The number of turns that its runs sent, without those of earlier attempts, and the tokens of all attempts.
    pub fn spent(&self) -> (usize, TokenTotals) {
        let (turns, tokens) = self.spent_by_this_side();
        match &self.self_comparison {
            Some(compared) => (turns + compared.turns, tokens + compared.tokens),
            None => (turns, tokens),
        }
    }

    /// The same without the other side of a comparison.
    fn spent_by_this_side(&self) -> (usize, TokenTotals) {
        // For several runs or walks the sums are there, because their transcripts are not kept.
        if let Some(stability) = &self.stability {
            return (stability.turns, stability.tokens);
        }
        if let Some(walks) = &self.walks {
            return (walks.turns, walks.tokens);
        }
        let attempts = self.earlier_attempts.iter().chain([self]);
        let used = attempts.map(|attempt| TokenTotals::of(&attempt.transcript));
        let tokens = used.fold(TokenTotals::default(), TokenTotals::add);
        (self.transcript.sent_turns().count(), tokens)
    }

    /// Whether a judge decided one of its rules.
    pub fn is_judged(&self) -> bool {
        self.all_passed().any(|rule| rule.ruling.is_some())
            || self.all_failures().any(|(_, rule)| rule.ruling.is_some())
    }

    /// The rules of the whole test that passed; none if an error or a timeout ended it: what came after is not known.
    pub fn passed_rules(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        let known = match self.first_problem() {
            Some((_, problem)) if problem.kind.status() != Status::Failed => &[],
            Some(_) | None => self.verdict.rules.as_slice(),
        };
        known.iter().filter(|rule| rule.has_passed())
    }

    /// The rules that passed, those of the turns first.
    pub fn all_passed(&self) -> impl Iterator<Item = &RuleResult> {
        let turns = self.transcript.turns.iter();
        turns
            .flat_map(TurnOutcome::passed_rules)
            .chain(self.passed_rules())
    }

    /// The first problem with the number of its turn; 0 for the test as a whole.
    pub fn first_problem(&self) -> Option<(u32, &Problem)> {
        if let Some(problem) = self.verdict.end().problem() {
            return Some((0, problem));
        }
        let mut turns = self.transcript.turns.iter();
        turns.find_map(|turn| Some((turn.number, turn.problem()?)))
    }
}
