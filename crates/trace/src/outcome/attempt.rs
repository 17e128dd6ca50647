//! A test that was retried.
//!
//! **Why:** The last attempt is the outcome and the earlier ones hang on it: reports that know nothing of retries are
//! right without a word about them. The earlier ones are shortened, since a test that is retried often is the one that
//! says most.

use super::{FailureReason, Outcome, RuleResult, Status, TurnOutcome};

/// The most bytes of what was said and called that are kept of an attempt that was not the last.
const MOST_SAID: usize = 16 << 10;

/// The most findings that are kept of a turn, or the whole test, of such an attempt.
const MOST_FAILURES: usize = 20;

impl Outcome {
    /// The number of this attempt, counted from 1.
    pub fn attempt(&self) -> usize {
        self.earlier_attempts.len() + 1
    }

    /// Whether it passed, but not at the first attempt.
    pub fn is_flaky(&self) -> bool {
        self.status() == Status::Passed && !self.earlier_attempts.is_empty()
    }

    /// Whether it fails the run by its status: a test in quarantine never does.
    pub fn fails_the_run(&self) -> bool {
        self.status().fails_the_run() && self.test.quarantine.is_none()
    }

    /// The finding in a few words: a kind, and the finding itself. For a failed test its first failed rule,
    /// for one that could not be evaluated the problem, for a skipped one the reason.
    pub fn headline(&self) -> Option<(&str, &str)> {
        let of_problem = self
            .first_problem()
            .map(|(_, problem)| (problem.kind.as_str(), problem.message.as_str()));
        let mut failures = self.all_failures();
        let of_rule = failures
            .next()
            .map(|(_, failure)| (&*failure.rule, failure.message.as_str()));
        match self.status() {
            Status::Failed => of_rule.or(of_problem),
            Status::Undecided => of_rule
                .or(of_problem)
                .map(|(_, message)| (Status::Undecided.as_str(), message)),
            Status::NotShown => self
                .verdict
                .not_shown()
                .next()
                .map(|rule| (Status::NotShown.as_str(), rule.message.as_str()))
                .or(of_problem),
            Status::Skipped => self
                .verdict
                .end
                .skip_reason()
                .map(|reason| (Status::Skipped.as_str(), reason)),
            Status::Passed | Status::Error | Status::Timeout => of_problem,
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
        if let (Status::NotShown, Some(rule)) = (self.status(), self.verdict.not_shown().next()) {
            return (&rule.place.file, rule.place.line);
        }
        let rule = self
            .all_failures()
            .next()
            .filter(|_| matches!(self.status(), Status::Failed | Status::Undecided));
        rule.map_or((self.test.file.as_str(), self.test.line), |(_, rule)| {
            (&*rule.place.file, rule.place.line)
        })
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
        let mut left = MOST_SAID;
        for turn in self.transcript.turns.iter_mut().rev() {
            shorten(turn, &mut left);
        }
        keep_failures(&mut self.verdict.rules);
        self.transcript.history.clear();
        self
    }
}

fn shorten(turn: &mut TurnOutcome, left: &mut usize) {
    turn.raw = None;
    let kept = turn.lines.iter().rev().take_while(|line| {
        let has_room = line.size() <= *left;
        *left = if has_room { *left - line.size() } else { 0 };
        has_room
    });
    let dropped = turn.lines.len() - kept.count();
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
    rules.retain(|rule| {
        failures += usize::from(rule.has_failed());
        !(rule.has_passed() || rule.has_failed() && failures > MOST_FAILURES)
    });
}
