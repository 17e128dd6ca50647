//! Rules and problems of a test or a turn, as readers get them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, Value};

use super::omitted::{filled, listed};
use crate::report::part::part;
use crate::report::words::duration::milliseconds;
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::{parse, parse_json};
use ananke_trace::outcome::{
    ComparedValue, EvidenceLine, FailureReason, Level, Measured, MeasuredUnit, Problem, RuleResult,
    RuleStatus, Ruling, ValueDifference,
};
use ananke_trace::redact::Sealed;

part! {
    /// A rule and its result.
    #[derive(Debug, Serialize, JsonSchema)]
    pub(super) struct Assertion<'a> of (result: &'a RuleResult) {
        let written = yaml(&result.written);
        let named = written.get("path").and_then(Value::as_str).map(str::to_owned);
        let has_failed = result.has_failed();
        /// The rule's path in an assert block: `tools.require`, `timing.max_idle_ms`.
        #[serde(rename = "type")]
        rule: &'a str = &result.rule;
        /// The tool that the finding is about; omitted if it is about none, or if the rule passed.
        #[schemars(extend("x-since" = "1.1"))]
        tool?: &'a str = result.tool.as_deref();
        /// The result. Rules that were never evaluated are not listed: requirements of an aborted turn or test, and
        /// scripts and judges that were not asked because another rule failed.
        #[schemars(extend("x-since" = "1.1"))]
        status: RuleStatus = result.status;
        /// Whether it passed; omitted if it neither passed nor failed.
        passed?: bool = (result.status != RuleStatus::NotShown).then_some(!has_failed);
        /// The finding, on one line, or what is not shown; omitted if the rule passed.
        message?: &'a str = filled(&result.message);
        /// The rule as it is written, with variables not filled: any JSON value.
        #[schemars(with = "serde_json::Value")]
        value: Value = written;
        /// What the rule expects, in words; omitted if the message contains it.
        expected?: &'a str = filled(&result.expected);
        /// The path that the rule looks at: that of an entry of `output` or `state`.
        path?: String = named;
        /// For a limit: the number that was measured.
        #[schemars(with = "Option<f64>")]
        actual?: Number = result.measured.as_ref().and_then(actual);
        /// For a limit: the most that passes.
        limit?: u64 = result.measured.map(|measured| measured.limit);
        /// What both count: `ms`, `tokens`, `calls`.
        unit?: &'static str = result.measured.map(|measured| measured.unit.as_str());
        /// For a rule with triggers: how often it was triggered, so far if it failed.
        triggered?: u64 = result.counts.map(|counts| counts.triggered);
        /// For a rule with triggers: how often it could not be checked, so far if it failed.
        not_checkable?: u64 = result.counts.map(|counts| counts.not_checkable);
        /// What was seen instead: the closest calls or texts; omitted if the rule passed.
        seen?: Vec<&'a str> = has_failed.then(|| result.seen.iter().map(EvidenceLine::text).collect());
        /// The words in the agent's text that a text rule found; omitted if it found none.
        #[schemars(extend("x-since" = "1.1"))]
        found?: &'a str = result.found.as_deref();
        /// The values that differ from what was expected, those of the closest candidate first; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        differences?: Vec<DifferenceView<'a>> = listed(result.differences.iter().map(DifferenceView::of));
        /// For a snapshot or a sequence: the differences, line by line as `diff -u` writes them. Long differences are
        /// truncated, with a note.
        difference?: String = result.difference.as_ref().map(ToString::to_string);
        /// What a judge decided, of a rule that asks one; omitted for any other rule. A judge is an agent: its verdict is not
        /// deterministic.
        judge?: &'a Ruling = result.ruling.as_ref();
        /// What to do about it; omitted if that follows from the rule.
        help?: &'a str = result.help.as_deref();
        /// The key that equal failures share; omitted if the rule did not fail.
        #[schemars(extend("x-since" = "1.1"))]
        reason?: FailureReason = has_failed.then(|| result.reason());
        /// The level that the rule is defined on.
        level: Level = result.level;
        /// The file that contains the rule.
        file: &'a str = &result.place.file;
        /// The line of the rule, from 1.
        line: u32 = result.place.line;
    }
}

part! {
    /// A value that is not what a rule expects.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "ValueDifference")]
    pub(super) struct DifferenceView<'a> of (difference: &'a ValueDifference) {
        /// The number of the call's first event, as in `turns[].items`; omitted if it is not about a call.
        event?: u32 = difference.event;
        /// The value that the path leads into.
        of: ComparedValue = difference.of;
        /// The keys and indexes that lead to it, with `.` between them; empty for the whole value.
        path: String = difference.path();
        /// The value that was expected there, as JSON or in words.
        expected: &'a str = &difference.expected;
        /// The value that was found there, as short JSON; omitted if there is none.
        actual?: &'a str = difference.actual.as_deref();
        /// `true` if nothing is there; omitted otherwise.
        missing?: bool = difference.actual.is_none().then_some(true);
    }
}

part! {
    /// Why something could not be evaluated completely.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Error")]
    pub(super) struct ProblemView<'a> of (problem: &'a Problem) {
        /// Which part failed: `agent`, `protocol`, `setup`, `timeout`, `capture`. Later versions may add words.
        kind: &'a str = problem.kind.as_str();
        /// What went wrong.
        message: &'a str = &problem.message;
        /// What to do about it.
        help?: &'a str = problem.help.as_deref();
    }
}

/// The evaluated rules: first those that failed.
pub(super) fn assertions<'a>(
    failures: impl Iterator<Item = &'a RuleResult>,
    passed: impl Iterator<Item = &'a RuleResult>,
) -> Vec<Assertion<'a>> {
    failures.chain(passed).map(Assertion::of).collect()
}

/// Results of rules, as a result of a test contains them.
pub fn rule_results(results: &Sealed<Vec<RuleResult>>) -> Value {
    let views: Vec<Assertion<'_>> = results.iter().map(Assertion::of).collect();
    serde_json::to_value(views).unwrap_or_default()
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
