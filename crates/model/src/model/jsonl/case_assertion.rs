//! The assertions of a case of a JSONL file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{OneOrMany, Since, Text, TextOr};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::Node;

/// Assertions of a case: one, or a list. A text alone is the expected output.
pub type CaseAssertions = OneOrMany<Spanned<TextOr<CaseAssertion>>>;

/// One assertion. Without a `type` it is `equals`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseAssertion {
    /// What is asserted (default `equals`).
    #[serde(rename = "type")]
    pub kind: Option<Spanned<AssertionType>>,
    /// The expected value, text, pattern or type; for `tool_called` the tool or `{name, arguments}`; for `tool_result`
    /// `{tool, result}`; for `agent` the criteria.
    #[schemars(with = "Option<serde_json::Value>", example = &"Berlin")]
    pub value: Option<Node>,
    /// Where in the JSON of the last message the value is: `field.nested`, `items[0].id`.
    #[schemars(example = &"items[0].id")]
    pub path: Option<Text>,
    /// For `regex`: another name of `value`.
    #[schemars(example = &"\\d+")]
    pub pattern: Option<Text>,
    /// For `tool_called`: another name of `value`.
    #[schemars(with = "Option<serde_json::Value>", example = &"charge_card")]
    pub name: Option<Node>,
    /// For `script`: the script, `scripts.a.B` is the file `scripts/a/B.*`.
    #[schemars(length(min = 1), example = &"scripts.checks.total")]
    pub script: Option<Text>,
    /// Instead of `script`: `scripts:NAME`. For `agent`: `agents:NAME`, the target that decides.
    #[schemars(length(min = 1), example = &"agents:tests.validator")]
    #[serde(rename = "use")]
    pub used: Option<Text>,
    /// How the agent of an `agent` assertion is asked, or what the script gets.
    pub options: Option<AssertionOptions>,
    /// Custom failure message.
    #[schemars(example = &"the answer must name the city")]
    pub message: Option<Text>,
    /// Negate the assertion (default false). What cannot be evaluated still fails.
    pub negate: Option<Spanned<bool>>,
}

/// What an assertion asserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AssertionType {
    /// The last message is equal to the value, as text or as JSON.
    Equals,
    /// The last message contains the value.
    Contains,
    /// No message contains the value, or a text of a list.
    NotContains,
    /// The value at a path in the JSON of the last message is equal to the value, or one of a list.
    JsonPath,
    /// The last message matches a regular expression.
    Regex,
    /// The last message, or the value at a path in its JSON, is of a type.
    Type,
    /// A tool was called.
    ToolCalled,
    /// The first call to a tool had a result.
    ToolResult,
    /// A script accepts the answer.
    Script,
    /// Another agent accepts the answer.
    Agent,
}

/// How another agent is asked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct AssertionOptions {
    /// Which model the agent uses.
    #[schemars(example = &"fast.small")]
    pub connector: Option<Text>,
    /// Extra keys of the question; `criteria` is what must be true.
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"criteria": "The answer is polite."}))]
    pub metadata: Option<Node>,
}
