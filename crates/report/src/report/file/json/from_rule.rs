//! From a rule, its verdict and its problem to their views.

use std::sync::Arc;

use serde_json::{Number, Value};

use super::verdict_view::{
    Assertion, ComparedView, DifferenceView, JudgeAnswerView, JudgeView, LevelView, ProblemView,
    ReasonView, RuleStatusView, StatusView,
};
use crate::report::words::duration::milliseconds;
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::{parse, parse_json};
use ananke_trace::outcome::{
    self, ComparedValue, EvidenceLine, FailureReason, JudgeAnswer, Measured, MeasuredUnit, Problem,
    RuleResult, RuleStatus, Ruling, ValueDifference,
};
use ananke_trace::redact::Sealed;

/// The evaluated rules: first those that failed.
pub(super) fn assertions<'a>(
    failures: impl Iterator<Item = &'a RuleResult>,
    passed: impl Iterator<Item = &'a RuleResult>,
) -> Vec<Assertion<'a>> {
    failures.chain(passed).map(assertion).collect()
}

/// The rules that are not shown; `None` if there are none.
pub(super) fn not_shown<'a>(
    rules: impl Iterator<Item = &'a RuleResult>,
) -> Option<Vec<Assertion<'a>>> {
    let views: Vec<Assertion<'a>> = rules.map(assertion).collect();
    (!views.is_empty()).then_some(views)
}

/// Results of rules, as a result of a test contains them.
pub fn rule_results(results: &Sealed<Vec<RuleResult>>) -> Value {
    let views: Vec<Assertion<'_>> = results.iter().map(assertion).collect();
    serde_json::to_value(views).unwrap_or_default()
}

fn assertion(result: &RuleResult) -> Assertion<'_> {
    let value = yaml(&result.written);
    let has_failed = result.has_failed();
    Assertion {
        rule: &result.rule,
        tool: result.tool.as_deref(),
        status: result.status.into(),
        passed: match result.status {
            RuleStatus::Passed => Some(true),
            RuleStatus::Failed => Some(false),
            RuleStatus::NotShown => None,
        },
        message: filled(&result.message),
        path: value.get("path").and_then(Value::as_str).map(str::to_owned),
        value,
        expected: filled(&result.expected),
        actual: result.measured.as_ref().and_then(actual),
        limit: result.measured.map(|measured| measured.limit),
        unit: result.measured.map(|measured| measured.unit.as_str()),
        triggered: result.counts.map(|counts| counts.triggered),
        not_checkable: result.counts.map(|counts| counts.not_checkable),
        seen: has_failed.then(|| result.seen.iter().map(EvidenceLine::text).collect()),
        found: result.found.as_deref(),
        differences: (!result.differences.is_empty())
            .then(|| result.differences.iter().map(difference).collect()),
        difference: result.difference.as_ref().map(ToString::to_string),
        judge: result.ruling.as_ref().map(judge),
        help: result.help.as_deref(),
        reason: has_failed.then(|| reason(result.reason())),
        level: result.level.into(),
        file: &result.place.file,
        line: result.place.line,
    }
}

fn difference(difference: &ValueDifference) -> DifferenceView<'_> {
    let ValueDifference {
        event,
        of,
        path: _,
        expected,
        actual,
    } = difference;
    DifferenceView {
        event: *event,
        of: match of {
            ComparedValue::Arguments => ComparedView::Arguments,
            ComparedValue::Result => ComparedView::Result,
            ComparedValue::State => ComparedView::State,
            ComparedValue::Output => ComparedView::Output,
        },
        path: difference.path(),
        expected,
        actual: actual.as_deref(),
        missing: actual.is_none().then_some(true),
    }
}

/// The key that equal failures share.
pub(super) fn reason(reason: FailureReason) -> ReasonView {
    let FailureReason {
        kind,
        tool,
        path,
        about,
    } = reason;
    ReasonView {
        kind,
        tool,
        path,
        about,
    }
}

/// What a judge decided.
fn judge(ruling: &Ruling) -> JudgeView<'_> {
    let Ruling {
        judge,
        lane,
        threshold,
        quorum,
        is_negated,
        answers,
    } = ruling;
    JudgeView {
        agent: judge,
        lane,
        threshold: threshold.as_ref(),
        quorum: *quorum,
        not: is_negated.then_some(true),
        answers: answers.iter().map(judge_answer).collect(),
    }
}

fn judge_answer(answer: &JudgeAnswer) -> JudgeAnswerView<'_> {
    let JudgeAnswer {
        passed,
        score,
        reason,
        suggestions,
    } = answer;
    JudgeAnswerView {
        passed: *passed,
        score: score.as_ref(),
        reason: filled(reason),
        suggestions,
    }
}

fn actual(measured: &Measured) -> Option<Number> {
    match measured.unit {
        MeasuredUnit::Milliseconds => Number::from_f64(milliseconds(measured.actual)),
        MeasuredUnit::Tokens | MeasuredUnit::Calls => Some(measured.actual.into()),
    }
}

/// A part of a YAML file, or of a case file, as a value; its text if it cannot be read by itself.
fn yaml(text: &str) -> Value {
    let source = Arc::new(SourceFile::new("", "", text));
    // YAML has no surrogate pairs, and JSON has.
    let node = parse(&source).ok().or_else(|| parse_json(&source).0);
    node.map_or_else(|| Value::from(text), |node| node.to_json())
}

impl From<outcome::Level> for LevelView {
    fn from(level: outcome::Level) -> Self {
        match level {
            outcome::Level::Target => Self::Target,
            outcome::Level::Test => Self::Test,
            outcome::Level::Turn => Self::Turn,
            outcome::Level::Checkpoint => Self::Checkpoint,
        }
    }
}

impl From<RuleStatus> for RuleStatusView {
    fn from(status: RuleStatus) -> Self {
        match status {
            RuleStatus::Passed => Self::Passed,
            RuleStatus::Failed => Self::Failed,
            RuleStatus::NotShown => Self::NotShown,
        }
    }
}

/// A problem.
pub(super) fn problem_view(problem: &Problem) -> ProblemView<'_> {
    ProblemView {
        kind: problem.kind.as_str(),
        message: &problem.message,
        help: problem.help.as_deref(),
    }
}

impl From<outcome::Status> for StatusView {
    fn from(status: outcome::Status) -> Self {
        match status {
            outcome::Status::Passed => Self::Passed,
            outcome::Status::Failed => Self::Failed,
            outcome::Status::Error => Self::Error,
            outcome::Status::Timeout => Self::Timeout,
            outcome::Status::Skipped => Self::Skipped,
            outcome::Status::Undecided => Self::Undecided,
            outcome::Status::NotShown => Self::NotShown,
        }
    }
}

/// A text that is omitted if it is empty.
pub(super) fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
