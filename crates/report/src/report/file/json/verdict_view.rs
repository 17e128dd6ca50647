//! Rules and problems of a test or a turn, as readers get them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, Value};

use ananke_trace::outcome::{ComparedValue, FailureReason, Level, RuleStatus, Ruling};

/// A rule and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assertion<'a> {
    /// The rule's path in an assert block: `tools.require`, `timing.max_idle_ms`.
    #[serde(rename = "type")]
    pub(super) rule: &'a str,
    /// The tool that the finding is about; omitted if it is about none, or if the rule passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.1"))]
    pub(super) tool: Option<&'a str>,
    /// The result. Rules that were never evaluated are not listed: requirements of an aborted turn or test, and
    /// scripts and judges that were not asked because another rule failed.
    #[schemars(extend("x-since" = "1.1"))]
    pub(super) status: RuleStatus,
    /// Whether it passed; omitted if it neither passed nor failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passed: Option<bool>,
    /// The finding, on one line, or what is not shown; omitted if the rule passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// The rule as it is written, with variables not filled: any JSON value.
    #[schemars(with = "serde_json::Value")]
    pub(super) value: Value,
    /// What the rule expects, in words; omitted if the message contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected: Option<&'a str>,
    /// The path that the rule looks at: that of an entry of `output` or `state`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// For a limit: the number that was measured.
    #[schemars(with = "Option<f64>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actual: Option<Number>,
    /// For a limit: the most that passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<u64>,
    /// What both count: `ms`, `tokens`, `calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unit: Option<&'static str>,
    /// For a rule with triggers: how often it was triggered, so far if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) triggered: Option<u64>,
    /// For a rule with triggers: how often it could not be checked, so far if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_checkable: Option<u64>,
    /// What was seen instead: the closest calls or texts; omitted if the rule passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<Vec<&'a str>>,
    /// The words in the agent's text that a text rule found; omitted if it found none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.1"))]
    pub(super) found: Option<&'a str>,
    /// The values that differ from what was expected, those of the closest candidate first; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.1"))]
    pub(super) differences: Option<Vec<DifferenceView<'a>>>,
    /// For a snapshot or a sequence: the differences, line by line as `diff -u` writes them. Long differences are
    /// truncated, with a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<String>,
    /// What a judge decided, of a rule that asks one; omitted for any other rule. A judge is an agent: its verdict is not
    /// deterministic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) judge: Option<&'a Ruling>,
    /// What to do about it; omitted if that follows from the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
    /// The key that equal failures share; omitted if the rule did not fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-since" = "1.1"))]
    pub(super) reason: Option<FailureReason>,
    /// The level that the rule is defined on.
    pub(super) level: Level,
    /// The file that contains the rule.
    pub(super) file: &'a str,
    /// The line of the rule, from 1.
    pub(super) line: u32,
}

/// A value that is not what a rule expects.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ValueDifference")]
pub(super) struct DifferenceView<'a> {
    /// The number of the call's first event, as in `turns[].items`; omitted if it is not about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<u32>,
    /// The value that the path leads into.
    pub(super) of: ComparedValue,
    /// The keys and indexes that lead to it, with `.` between them; empty for the whole value.
    pub(super) path: String,
    /// The value that was expected there, as JSON or in words.
    pub(super) expected: &'a str,
    /// The value that was found there, as short JSON; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actual: Option<&'a str>,
    /// `true` if nothing is there; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<bool>,
}

/// Why something could not be evaluated completely.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct ProblemView<'a> {
    /// Which part failed: `agent`, `protocol`, `setup`, `timeout`, `capture`. Later versions may add words.
    pub(super) kind: &'a str,
    /// What went wrong.
    pub(super) message: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<&'a str>,
}
