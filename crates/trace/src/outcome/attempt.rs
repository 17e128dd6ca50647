//! One attempt at a test: what ended it, how it counts in its run, and what is kept of it once the test is retried.
//!
//! **Why:** The last attempt is the outcome and the earlier ones hang on it: reports that know nothing of retries are right
//! without a word about them. The earlier ones are shortened, since a test that is retried often is the one that says most.
//! What ends an attempt is decided in one function, since a hook, a rule, a recording and a teardown may all want to.

use super::{
    FailureReason, Outcome, Problem, Quarantine, RuleResult, RuleStatus, SkipCause, Status,
    TestEnd, TurnOutcome,
};

/// The most bytes of what was said and called that are kept of an attempt that was not the last.
const MOST_SAID: usize = 16 << 10;

/// The most findings that are kept of a turn, or the whole test, of such an attempt.
const MOST_FAILURES: usize = 20;

/// An event that ends an attempt at a test, or the test before its first attempt. Rules are none: an attempt whose rules
/// were evaluated has no other end, and its status follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// Something that the attempt needs does not work: a hook, a variable, its session, a judge, its time.
    Broken(Problem),
    /// The test is skipped: the cause, and in words.
    Skipped(SkipCause, String),
    /// The run stopped while the attempt ran: the reason in words.
    Aborted(String),
    /// The recording of an attempt that is over cannot be kept.
    NotRecorded(Problem),
    /// A command that cleans up after the attempt could not be started.
    NotCleanedUp(Problem),
}

impl Outcome {
    /// Sets the end of the attempt by `cause`. `Broken`, `Skipped` and `Aborted` are always its end. `NotRecorded` is its end
    /// unless it has a problem already, and `NotCleanedUp` only if it passed: both come afterwards, and are warnings otherwise.
    pub fn end(&mut self, cause: EndCause) {
        self.verdict.end = match cause {
            EndCause::Broken(problem) => TestEnd::Problem(problem),
            EndCause::Skipped(cause, why) => TestEnd::Skipped(cause, why),
            EndCause::Aborted(why) => {
                // Rules that failed are dropped: a rule of the whole test may have failed only because the rest of the test is
                // missing.
                self.verdict.rules.retain(|rule| !rule.has_failed());
                TestEnd::Skipped(SkipCause::RunStopped, why)
            }
            // A test that was to be recorded and was not does not pass, whatever its agent did. An earlier problem stays, since
            // this one may follow from it.
            EndCause::NotRecorded(problem) if self.verdict.end.problem().is_none() => {
                TestEnd::Problem(problem)
            }
            // The files or services that were not cleaned up may disturb the next test, and a pass would hide that. Any other
            // status stays, since it shows the agent's own failure.
            EndCause::NotCleanedUp(problem) if self.status() == Status::Passed => {
                TestEnd::Problem(problem)
            }
            // In all other cases the attempt has not passed anyway.
            EndCause::NotRecorded(problem) | EndCause::NotCleanedUp(problem) => {
                self.verdict.warnings.push(problem.message);
                return;
            }
        };
    }
}

/// The way a test counts in the result of its run. Every total, list and mark of a report, and the exit code, follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedStatus<'a> {
    /// By its status alone.
    As(Status),
    /// A pass on a retry, which fails the run only if the run says so.
    Flaky,
    /// No pass, but in quarantine, so that no run fails for it: the entry of the quarantine.
    Quarantined(&'a Quarantine),
}

impl CountedStatus<'_> {
    /// Whether the run fails for it; for a flaky test the run itself says that.
    pub fn fails_the_run(self) -> bool {
        match self {
            Self::As(status) => status.fails_the_run(),
            Self::Flaky | Self::Quarantined(_) => false,
        }
    }
}

impl Outcome {
    /// The way it counts in its run. A test in quarantine that passed on a retry counts as passed: its entry says already
    /// that it is not stable.
    pub fn counted(&self) -> CountedStatus<'_> {
        let status = self.status();
        match &self.test.quarantine {
            Some(entry) if status.fails_the_run() => CountedStatus::Quarantined(entry),
            None if self.is_flaky() => CountedStatus::Flaky,
            _ => CountedStatus::As(status),
        }
    }

    /// Whether it passed, but not at the first attempt.
    pub fn is_flaky(&self) -> bool {
        self.status() == Status::Passed && !self.earlier_attempts.is_empty()
    }

    /// Whether it fails the run by its status: a test in quarantine never does.
    pub fn fails_the_run(&self) -> bool {
        self.counted().fails_the_run()
    }
}

impl Outcome {
    /// The number of this attempt, counted from 1.
    pub fn attempt(&self) -> usize {
        self.earlier_attempts.len() + 1
    }

    /// The most important finding of the test as two texts: its kind, and the finding in one sentence. A failed test has its
    /// first failed rule here, a test that could not be evaluated its problem, and a skipped test the reason. `None` if it
    /// passed.
    pub fn headline(&self) -> Option<(&str, &str)> {
        let status = self.status();
        if status == Status::Skipped {
            return Some((status.as_str(), self.verdict.end().skip_reason()?));
        }
        if let Some(rule) = self.deciding_rule() {
            let kind = match status {
                // The kind is the path of the rule: `tools.forbid`.
                Status::Failed => &*rule.rule,
                // The test did not fail by this rule, which failed only in some runs, or which the trace does not show. So the
                // status is the kind.
                _ => status.as_str(),
            };
            return Some((kind, &rule.message));
        }
        // No rule decided the status.
        let (_, problem) = self.first_problem()?;
        let kind = match status {
            // Only some runs of an undecided test have the problem.
            Status::Undecided => status.as_str(),
            _ => problem.kind.as_str(),
        };
        Some((kind, &problem.message))
    }

    /// The first rule for which it has its status; `None` if no rule decided that.
    fn deciding_rule(&self) -> Option<&RuleResult> {
        match self.status() {
            Status::Failed | Status::Undecided => Some(self.all_failures().next()?.1),
            Status::NotShown => self.verdict.not_shown().next(),
            Status::Passed | Status::Error | Status::Timeout | Status::Skipped => None,
        }
    }

    /// The reason that it did not pass for; `None` if nothing of it says one.
    pub fn reason(&self) -> Option<FailureReason> {
        let first = self.findings().into_iter().next();
        first.map(|finding| finding.reason)
    }

    /// Every reason that it did not pass for: two tests fail alike if these are equal.
    pub fn reasons(&self) -> Vec<FailureReason> {
        let findings = self.findings().into_iter();
        let mut reasons: Vec<FailureReason> = findings.map(|finding| finding.reason).collect();
        reasons.dedup();
        reasons
    }

    /// The place of its headline: the first rule that failed, else the test.
    pub fn headline_place(&self) -> (&str, u32) {
        match self.deciding_rule() {
            Some(rule) => (&rule.place.file, rule.place.line),
            None => (&self.test.file, self.test.line),
        }
    }

    /// The place that names it on the command line: that of its headline, if that is in its own file, else its own.
    pub fn place(&self) -> (&str, u32) {
        let (file, line) = self.headline_place();
        if file == self.test.file {
            (file, line)
        } else {
            (&self.test.file, self.test.line)
        }
    }

    /// The part of it that is kept once the test is retried: its end rather than its beginning, so that retries cost
    /// little memory.
    #[must_use]
    pub fn into_earlier(mut self) -> Self {
        let mut room = MOST_SAID;
        for turn in self.transcript.turns.iter_mut().rev() {
            shorten(turn, &mut room);
        }
        keep_failures(&mut self.verdict.rules);
        self.transcript.history.clear();
        self
    }
}

/// Shortens a turn of an attempt that was retried: only its last lines are kept, as many as fit in `room` bytes. `room` is what
/// all turns of the attempt share, so that the kept bytes are subtracted from it; the caller begins with the last turn.
fn shorten(turn: &mut TurnOutcome, room: &mut usize) {
    // Requests and responses are the largest part, and reports show them only for the last attempt.
    turn.raw = None;
    let mut dropped = turn.lines.len();
    for line in turn.lines.iter().rev() {
        let Some(remaining) = room.checked_sub(line.size()) else {
            // A shorter line before this one could still fit. But then the kept lines would have a gap, so nothing before it is
            // kept, in earlier turns either.
            *room = 0;
            break;
        };
        *room = remaining;
        dropped -= 1;
    }
    turn.lines.drain(..dropped);
    if dropped > 0 {
        let lines = if dropped == 1 { "line" } else { "lines" };
        turn.warnings.push(format!(
            "not kept, since the test was retried: {dropped} {lines} of this turn"
        ));
    }
    keep_failures(&mut turn.rules);
}

/// Keeps the first failures, and the rules that are not shown.
fn keep_failures(rules: &mut Vec<RuleResult>) {
    let mut failures = 0;
    rules.retain(|rule| match rule.status {
        RuleStatus::Failed => {
            failures += 1;
            failures <= MOST_FAILURES
        }
        RuleStatus::NotShown => true,
        RuleStatus::Passed => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{ErrorKind, Level, Totals};
    use ananke_base::context::Day;
    use ananke_base::diagnostic::Place;

    fn place() -> Place {
        Place {
            file: "a.test.yaml".into(),
            line: 1,
            column: 1,
        }
    }

    fn problem(message: &str) -> Problem {
        Problem::new(ErrorKind::Hook, message)
    }

    fn skipped(cause: SkipCause, why: &str) -> TestEnd {
        TestEnd::Skipped(cause, why.to_owned())
    }

    #[test]
    fn what_stops_an_attempt_decides_and_what_follows_is_a_warning() {
        let broken = || EndCause::Broken(problem("broken"));
        let not_recorded = || EndCause::NotRecorded(problem("not recorded"));
        let not_cleaned_up = || EndCause::NotCleanedUp(problem("not cleaned up"));
        let wanted = || EndCause::Skipped(SkipCause::Wanted, "wanted".to_owned());
        for (causes, end, warnings) in [
            (vec![], TestEnd::Evaluated, vec![]),
            (vec![broken()], TestEnd::Problem(problem("broken")), vec![]),
            (
                vec![broken(), not_recorded(), not_cleaned_up()],
                TestEnd::Problem(problem("broken")),
                vec!["not recorded", "not cleaned up"],
            ),
            (
                vec![not_recorded(), not_cleaned_up()],
                TestEnd::Problem(problem("not recorded")),
                vec!["not cleaned up"],
            ),
            (
                vec![not_cleaned_up()],
                TestEnd::Problem(problem("not cleaned up")),
                vec![],
            ),
            (
                vec![wanted(), not_cleaned_up()],
                skipped(SkipCause::Wanted, "wanted"),
                vec!["not cleaned up"],
            ),
            // A walk or a series of runs that had a problem, and was stopped then.
            (
                vec![broken(), EndCause::Aborted("stopped".to_owned())],
                skipped(SkipCause::RunStopped, "stopped"),
                vec![],
            ),
        ] {
            let mut outcome = Outcome::default();
            for cause in causes.clone() {
                outcome.end(cause);
            }
            assert_eq!(outcome.verdict.end(), &end, "{causes:?}");
            assert_eq!(outcome.verdict.warnings, warnings, "{causes:?}");
        }
    }

    #[test]
    fn a_rule_that_failed_counts_unless_the_attempt_was_aborted() {
        let failed = RuleResult {
            status: RuleStatus::Failed,
            ..RuleResult::passed("tools", Level::Test, place(), Default::default())
        };
        let mut outcome = Outcome::default();
        outcome.verdict.rules.push(failed);
        outcome.end(EndCause::NotCleanedUp(problem("not cleaned up")));
        assert_eq!(outcome.status(), Status::Failed);
        assert_eq!(outcome.verdict.warnings, ["not cleaned up"]);
        outcome.end(EndCause::Aborted("stopped".to_owned()));
        assert!(outcome.verdict.rules.is_empty());
        assert_eq!(outcome.status(), Status::Skipped);
    }

    fn entry() -> Quarantine {
        Quarantine {
            test: "a".to_owned(),
            owner: "b".to_owned(),
            expires: Day::try_from("2026-12-24".to_owned()).unwrap(),
            reason: None,
            place: place(),
        }
    }

    /// A test that passed or had an error, after so many retries, in quarantine or not.
    fn outcome(passes: bool, retries: usize, is_in_quarantine: bool) -> Outcome {
        let mut outcome = Outcome {
            earlier_attempts: vec![Outcome::default(); retries],
            ..Outcome::default()
        };
        outcome.test.quarantine = is_in_quarantine.then(entry);
        if !passes {
            let problem = Problem::new(ErrorKind::Agent, "no");
            outcome.end(EndCause::Broken(problem));
        }
        outcome
    }

    #[test]
    fn a_test_counts_in_one_way() {
        let entry = entry();
        let passed = CountedStatus::As(Status::Passed);
        let error = CountedStatus::As(Status::Error);
        for (passes, retries, is_in_quarantine, counted, fails) in [
            (true, 0, false, passed, false),
            (true, 1, false, CountedStatus::Flaky, false),
            (true, 2, true, passed, false),
            (false, 0, false, error, true),
            (false, 2, false, error, true),
            (false, 2, true, CountedStatus::Quarantined(&entry), false),
        ] {
            let outcome = outcome(passes, retries, is_in_quarantine);
            assert_eq!(
                outcome.counted(),
                counted,
                "{passes} {retries} {is_in_quarantine}"
            );
            assert_eq!(counted.fails_the_run(), fails, "{counted:?}");
            let mut totals = Totals::default();
            totals.add(&outcome);
            assert_eq!(totals.flaky, usize::from(counted == CountedStatus::Flaky));
            assert_eq!(
                totals.quarantined,
                usize::from(counted == CountedStatus::Quarantined(&entry))
            );
            assert_eq!(totals.tests(), 1);
        }
    }
}
