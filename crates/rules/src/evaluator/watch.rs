//! One rule while a test runs: its monitor, and what came of it so far.

use std::sync::Arc;

use crate::evaluation::{
    Bound, CallCounting, Captured, Evidence, Exclusions, Finding, Judgement, Measure, Moment,
    Monitor, NOT_SHOWN, Question, RuleOrigin, RuleScope, View, Writing, take_reason,
};
use crate::rule::{Rule, RuleEntry, RuleKind};
use ananke_trace::outcome::{ComparedValue, Measured, RuleCounts, RuleResult, Ruling};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Fact, Facts, Trace};

/// The most times that one rule may fail in one turn, or one scope: an agent may violate it without end.
const MOST_FINDINGS: usize = 100;

/// A rule, its monitor and its state.
#[derive(Debug)]
pub(super) struct RuleWatch {
    pub(crate) path: &'static str,
    pub(crate) origin: RuleOrigin,
    pub(crate) scope: RuleScope,
    /// The expectation, in words, until it is reported as passed.
    pub(crate) expected: Option<String>,
    pub(crate) monitor: Box<dyn Monitor>,
    /// Whether nothing that comes changes its judgement.
    pub(super) is_decided: bool,
    pub(super) has_failed: bool,
    /// Waiting for the answer of a script or a judge.
    pub(super) is_asking: bool,
    /// The number that is within its limit.
    pub(crate) measured: Option<Measured>,
    /// The value that it passed by, if that is not the one that it is about first.
    pub(super) looked_in: Option<ComparedValue>,
    /// The decision of a judge.
    pub(crate) ruling: Option<Ruling>,
    /// The reason why it cannot be evaluated.
    pub(crate) unknown: Option<String>,
    /// The rule; a limit is none.
    rule: Option<Arc<dyn Rule>>,
    /// The author's own sentence about its failure.
    message: Option<String>,
    kind: RuleKind,
    /// The facts that it rests on.
    needs: Facts,
    /// The items that were not read or are not shown, and may be what it is about: it neither passes nor fails.
    pub(crate) lacks: Option<String>,
    /// The reason why a value that it compared is neither right nor wrong.
    undecided: Option<String>,
    exclusions: Exclusions,
    /// The number of findings since failures were last reported.
    findings: usize,
    pub(super) activity: WatchActivity,
}

/// The activity of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchActivity {
    /// It waits for what happens.
    Waiting,
    /// It computes, or it did when it was given up.
    Computing,
}

/// The findings of the rules since they were last taken.
#[derive(Debug, Default)]
pub(super) struct NewFindings {
    pub(crate) violations: Vec<RuleViolation>,
    /// Whether a rule fails as far as is known now.
    pub(super) fails_so_far: bool,
    /// Snapshots to write.
    pub(crate) captured: Vec<Captured>,
    /// The snapshots that may be written.
    pub(crate) writing: Writing,
    /// Whether rules that the conversation does not show are reported apart from failures.
    pub(super) withholds: bool,
    /// The questions that scripts and judges have to decide.
    pub(crate) questions: Vec<Question>,
}

/// A failure before its texts are made.
#[derive(Debug)]
pub(super) struct RuleViolation {
    path: &'static str,
    kind: RuleKind,
    origin: RuleOrigin,
    scope: RuleScope,
    finding: Finding,
    counts: Option<RuleCounts>,
}

impl RuleWatch {
    /// Watches with `monitor`, which is that of `entry`.
    pub(super) fn of_rule(
        RuleEntry { path, rule, origin }: &RuleEntry,
        scope: RuleScope,
        exclusions: Exclusions,
        monitor: Box<dyn Monitor>,
    ) -> Self {
        let message = rule.message().map(str::to_owned);
        let watch = Self::new(path, origin, scope, rule.kind(), monitor, rule.describe());
        Self {
            rule: Some(Arc::clone(rule)),
            message,
            needs: rule.needs(),
            exclusions,
            ..watch
        }
    }

    /// Watches a limit with `monitor`.
    pub(super) fn of_limit(
        measure: Measure,
        bound: &Bound,
        scope: RuleScope,
        monitor: Box<dyn Monitor>,
    ) -> Self {
        let expected = bound.expectation(measure);
        let watch = Self::new(
            measure.path(),
            &bound.origin,
            scope,
            RuleKind::Limit,
            monitor,
            expected,
        );
        Self {
            needs: measure.needs(),
            ..watch
        }
    }

    fn new(
        path: &'static str,
        origin: &RuleOrigin,
        scope: RuleScope,
        kind: RuleKind,
        monitor: Box<dyn Monitor>,
        expected: String,
    ) -> Self {
        Self {
            path,
            origin: origin.clone(),
            scope,
            expected: Some(expected),
            monitor,
            is_decided: false,
            has_failed: false,
            is_asking: false,
            measured: None,
            looked_in: None,
            ruling: None,
            unknown: None,
            rule: None,
            message: None,
            kind,
            needs: Facts::NONE,
            lacks: None,
            undecided: None,
            exclusions: Exclusions::default(),
            findings: 0,
            activity: WatchActivity::Waiting,
        }
    }

    /// Feeds the monitor; a requirement that has failed is decided, a prohibition may be violated again.
    pub(super) fn feed(
        &mut self,
        trace: &Trace,
        redactor: &Redactor,
        moment: Moment,
        found: &mut NewFindings,
    ) {
        // What was violated in a turn is not reported again when the scope as a whole is checked.
        if self.is_decided || self.has_failed && moment.is_over() {
            return;
        }
        let view = View {
            trace,
            scope: self.scope,
            exclusions: &self.exclusions,
            redactor,
        };
        self.activity = WatchActivity::Computing;
        let judgement = self.monitor.watch(&view, moment);
        self.activity = WatchActivity::Waiting;
        let undecided = self.undecided(&judgement, take_reason());
        let lacks = match &judgement {
            // What an agent does not report is not its error, and until 1.3 such a limit was one of the test.
            Judgement::Unknown(why) if self.origin.source.is_since(NOT_SHOWN) => Some(why.clone()),
            _ => undecided.or_else(|| self.lacking(trace, &judgement)),
        };
        if let Some(lacks) = lacks {
            self.is_decided = true;
            if found.withholds {
                self.lacks = Some(lacks);
            } else {
                let expected = self.expected.clone().unwrap_or_default();
                self.fail(
                    Finding::in_words(lacks, expected, Vec::<Evidence>::new()),
                    found,
                );
            }
            return;
        }
        self.take(judgement, found);
    }

    /// Takes an answer of the monitor.
    fn take(&mut self, judgement: Judgement, found: &mut NewFindings) {
        match judgement {
            Judgement::Open => {}
            Judgement::FailsSoFar => found.fails_so_far = true,
            Judgement::Passed => self.is_decided = true,
            Judgement::PassedBy(value) => {
                (self.looked_in, self.is_decided) = (Some(value), true);
            }
            Judgement::Within(measured, words) => {
                (self.measured, self.is_decided) = (Some(measured), true);
                if let Some(expected) = &mut self.expected {
                    expected.push_str(&words);
                }
            }
            Judgement::Failed(findings) => {
                let room = MOST_FINDINGS.saturating_sub(self.findings);
                self.findings += findings.len();
                for finding in findings.into_iter().take(room) {
                    self.fail(finding, found);
                }
                self.has_failed = true;
                self.is_decided = self.is_requirement();
            }
            Judgement::SnapshotDiffers(captured) => {
                self.is_decided = true;
                if captured.may_be_written(found.writing) {
                    found.captured.push(*captured);
                } else if !captured.is_as_kept() {
                    self.fail(captured.failure(), found);
                }
            }
            Judgement::Asks(inquiry) => {
                (self.is_decided, self.is_asking) = (true, true);
                found.questions.push(Question {
                    inquiry: *inquiry,
                    path: self.path,
                    origin: self.origin.clone(),
                    scope: self.scope,
                });
            }
            Judgement::Unknown(why) => {
                self.unknown = Some(why);
                (self.has_failed, self.is_decided) = (true, true);
            }
        }
    }

    /// The reason why a value that could not be compared may turn this judgement into another one. `reason` is that of a value
    /// of this moment.
    fn undecided(&mut self, judgement: &Judgement, reason: Option<String>) -> Option<String> {
        let is_of_moment = reason.is_some();
        self.undecided = self.undecided.take().or(reason);
        let may_change = match judgement {
            Judgement::Open | Judgement::Unknown(_) => false,
            Judgement::Failed(_) => is_of_moment || self.is_requirement(),
            _ => is_of_moment || self.may_pass_wrongly(),
        };
        if may_change {
            self.undecided.clone()
        } else {
            None
        }
    }

    /// The items that were not read or are not shown, and may turn this judgement into another one.
    fn lacking(&self, trace: &Trace, judgement: &Judgement) -> Option<String> {
        let may_change = match judgement {
            Judgement::Passed
            | Judgement::PassedBy(_)
            | Judgement::Within(..)
            | Judgement::Asks(_)
            | Judgement::SnapshotDiffers(_) => self.may_pass_wrongly(),
            Judgement::Failed(_) => self
                .rule
                .as_ref()
                .is_some_and(|rule| rule.lacks_something()),
            Judgement::Open | Judgement::FailsSoFar | Judgement::Unknown(_) => false,
        };
        may_change.then(|| self.missing(trace))?
    }

    /// Whether more than was read could turn its pass into a failure.
    fn may_pass_wrongly(&self) -> bool {
        self.rule.as_ref().is_none_or(|rule| rule.is_exhaustive())
    }

    /// The items that were not read or are not shown, and may be what it is about.
    fn missing(&self, trace: &Trace) -> Option<String> {
        let turn = match self.scope {
            RuleScope::Test => None,
            RuleScope::Turn(index) => Some(index),
        };
        let is_about = |tool: &str, facts: Facts| {
            self.rule.as_ref().is_none_or(|rule| {
                if facts.has(Fact::Calls) {
                    rule.may_look_at_calls_to(tool)
                } else {
                    rule.may_rest_on_calls_to(tool)
                }
            })
        };
        trace.lacking(turn, self.needs, &is_about)
    }

    /// Withholds its pass if something was not read since that may turn it into a failure.
    pub(super) fn reconsider(&mut self, trace: &Trace) {
        if self.lacks.is_none() && self.may_pass_wrongly() {
            self.lacks = self.missing(trace);
        }
    }

    fn fail(&mut self, finding: Finding, found: &mut NewFindings) {
        self.has_failed = true;
        let finding = finding.in_words_of(self.message.as_deref());
        let counts = self.monitor.counts();
        let Self {
            path,
            kind,
            origin,
            scope,
            ..
        } = self;
        found.violations.push(RuleViolation {
            path,
            kind: *kind,
            origin: origin.clone(),
            scope: *scope,
            finding,
            counts,
        });
    }

    /// Says in the last of the rule's violations how many more there were than are listed.
    pub(super) fn count_unlisted(&mut self, violations: &mut [RuleViolation]) {
        let unlisted = std::mem::take(&mut self.findings).saturating_sub(MOST_FINDINGS);
        let is_own = |violation: &&mut RuleViolation| self.is_of(violation.path, &violation.origin);
        if unlisted > 0
            && let Some(last) = violations.iter_mut().rfind(is_own)
        {
            let message = &mut last.finding.message;
            *message = format!("{message} (and {unlisted} more times, which are not listed)");
        }
    }

    /// The rule, as messages call it.
    pub(crate) fn named(&self) -> String {
        self.origin.named(self.path)
    }

    /// Adds the calls that it counted, if it has passed.
    pub(super) fn count_calls(&self, counting: &mut CallCounting) {
        if self.is_decided && !self.has_failed && self.lacks.is_none() {
            counting.add(self.path, &self.origin, self.monitor.counted_calls());
        }
    }

    /// Whether it has to pass by the end of its scope: not judged where that was aborted (SPEC 5).
    pub(crate) fn is_requirement(&self) -> bool {
        self.kind == RuleKind::Requirement
    }

    /// Whether it is the rule at `path` and `origin`.
    pub(super) fn is_of(&self, path: &str, origin: &RuleOrigin) -> bool {
        self.path == path && self.origin == *origin
    }
}

impl RuleViolation {
    /// The failure; calls are shown as `trace` knows them now.
    pub(crate) fn failure(self, trace: &Trace) -> RuleResult {
        let is_prohibition = self.kind == RuleKind::Prohibition;
        RuleResult {
            is_prohibition,
            counts: self.counts,
            ..self
                .origin
                .failure(self.path, self.finding, trace, self.scope)
        }
    }
}
