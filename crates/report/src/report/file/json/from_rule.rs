//! From a rule, its verdict and its problem to their views.

use std::sync::Arc;

use serde_json::{Number, Value};

use super::verdict_view::{
    Assertion, JudgeAnswerView, JudgeView, LevelView, NotShownView, ProblemView, StatusView,
};
use crate::report::words::duration::milliseconds;
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::{parse, parse_json};
use ananke_trace::outcome::{
    self, Failure, JudgeAnswer, Measured, MeasuredUnit, NotShownRule, PassedRule, Problem, Ruling,
};

/// The evaluated rules: first those that failed.
pub(super) fn assertions<'a>(
    failures: &'a [Failure],
    held: &'a [PassedRule],
) -> Vec<Assertion<'a>> {
    failures
        .iter()
        .map(broken)
        .chain(held.iter().map(kept))
        .collect()
}

/// The rules that a trace does not show; `None` if there are none.
pub(super) fn not_shown(rules: &[NotShownRule]) -> Option<Vec<NotShownView<'_>>> {
    (!rules.is_empty()).then(|| rules.iter().map(not_shown_rule).collect())
}

fn not_shown_rule(rule: &NotShownRule) -> NotShownView<'_> {
    let NotShownRule {
        rule,
        level,
        place,
        written,
        wanted,
        lacks,
    } = rule;
    NotShownView {
        rule,
        message: lacks,
        value: yaml(written),
        expected: wanted,
        level: (*level).into(),
        file: &place.file,
        line: place.line,
    }
}

fn broken(failure: &Failure) -> Assertion<'_> {
    let held = kept_by(&failure.rule, &failure.written, failure.measured.as_ref());
    Assertion {
        passed: false,
        message: Some(&failure.message),
        expected: filled(&failure.expected),
        seen: Some(&failure.seen),
        difference: failure.difference.as_ref().map(ToString::to_string),
        judge: failure.ruling.as_ref().map(judge),
        help: failure.help.as_deref(),
        triggered: failure.counts.map(|counts| counts.triggered),
        not_checkable: failure.counts.map(|counts| counts.not_checkable),
        level: failure.level.into(),
        file: &failure.place.file,
        line: failure.place.line,
        ..held
    }
}

fn kept(held: &PassedRule) -> Assertion<'_> {
    Assertion {
        expected: filled(&held.wanted),
        judge: held.ruling.as_ref().map(judge),
        triggered: held.counts.map(|counts| counts.triggered),
        not_checkable: held.counts.map(|counts| counts.not_checkable),
        level: held.level.into(),
        file: &held.place.file,
        line: held.place.line,
        ..kept_by(&held.rule, &held.written, held.measured.as_ref())
    }
}

/// A rule that passes, as it is written, with what was measured.
fn kept_by<'a>(rule: &'a str, written: &str, measured: Option<&Measured>) -> Assertion<'a> {
    let value = yaml(written);
    Assertion {
        rule,
        passed: true,
        path: value.get("path").and_then(Value::as_str).map(str::to_owned),
        value,
        actual: measured.and_then(actual),
        limit: measured.map(|measured| measured.limit),
        unit: measured.map(|measured| measured.unit.as_str()),
        message: None,
        triggered: None,
        not_checkable: None,
        expected: None,
        seen: None,
        difference: None,
        judge: None,
        help: None,
        level: LevelView::Test,
        file: "",
        line: 0,
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
