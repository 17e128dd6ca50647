//! What must hold: the same block on a target, a test and a turn.

use schemars::JsonSchema;
use serde::Deserialize;

use super::outcome::OutcomeRule;
use super::scalars::{Limit, OneOrMany, Text};
use super::script::ScriptRule;
use super::sequence::SequenceRule;
use super::since::Since;
use super::snapshot::SnapshotRule;
use super::toggle::Toggle;
use super::tool_rules::ToolRules;
use crate::diagnostic::Spanned;
use crate::source::Node;

/// What must hold. Written on a target, a test or a turn; inner levels inherit what outer ones say, and `false` switches
/// that off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct AssertBlock {
    /// Blocks of the config's `assertions`, by their names: their rules stand before those of this block, in order, as if
    /// they were written here.
    #[schemars(length(min = 1), example = &["no_errors"])]
    pub extends: Option<Vec<Text>>,
    /// Which tools the agent must and must not call.
    #[schemars(extend("x-since" = "1.0"))]
    pub tools: Option<Spanned<Toggle<ToolRules>>>,
    /// How long the agent may take.
    #[schemars(extend("x-since" = "1.0"))]
    pub timing: Option<Spanned<Toggle<TimingLimits>>>,
    /// What the agent must and must not say.
    #[schemars(extend("x-since" = "1.0"))]
    pub text: Option<Spanned<Toggle<TextRules>>>,
    /// In which order the agent must call tools, get their results, and speak: on a turn in it, on a test or target in the
    /// whole test. `false` switches an inherited one off, and leaves a turn out.
    pub sequence: Option<Spanned<Toggle<SequenceRule>>>,
    /// What must hold of the last message: of its text, or with a `path` of the JSON that it is or holds.
    #[schemars(example = serde_json::json!([{"path": "total", "equals": 89.5}]))]
    pub output: Option<Spanned<Toggle<Vec<Spanned<ValueRule>>>>>,
    /// What must hold of the agent's state.
    #[schemars(example = serde_json::json!([{"path": "cart.items", "equals": 2}]))]
    pub state: Option<Spanned<Toggle<Vec<Spanned<ValueRule>>>>>,
    /// How the turn must end, and on a test or target the last turn. An error that is expected here is none.
    #[schemars(example = &"interrupted")]
    pub outcome: Option<Spanned<OutcomeRule>>,
    /// How many tokens the agent may take.
    pub usage: Option<Spanned<Toggle<UsageLimits>>>,
    /// Compares what the agent did with a committed file: on a turn what it did in it, on a test or target the whole
    /// test. `true`, a name for the file, or a mapping; `false` switches an inherited one off, and leaves a turn out.
    #[schemars(example = true)]
    pub snapshot: Option<Spanned<SnapshotRule>>,
    /// Scripts of the project's own that say whether what the agent did is right. They are asked when all other rules
    /// hold: on a turn at its end, on a test or target at the end of the test.
    #[schemars(example = serde_json::json!([{"script": "check-total", "with": {"currency": "EUR"}}]))]
    pub script: Option<Spanned<Toggle<Vec<Spanned<ScriptRule>>>>>,
}

impl AssertBlock {
    /// The rules about tool calls, unless they are switched off.
    pub fn tools(&self) -> Option<&ToolRules> {
        self.tools.as_ref()?.value.on()
    }

    /// The limits of time, unless they are switched off.
    pub fn timing(&self) -> Option<&TimingLimits> {
        self.timing.as_ref()?.value.on()
    }

    /// The rules about what the agent says, unless they are switched off.
    pub fn text(&self) -> Option<&TextRules> {
        self.text.as_ref()?.value.on()
    }

    /// Which part of what the agent says they look at.
    pub fn text_of(&self) -> TextOf {
        self.text().and_then(|text| text.of.as_ref()).map(|of| of.value).unwrap_or_default()
    }

    /// The limits in tokens, unless they are switched off.
    pub fn usage(&self) -> Option<&UsageLimits> {
        self.usage.as_ref()?.value.on()
    }
}

/// What a JSON value must be: exactly one of `equals`, `match`, `type`, `exists` and `schema`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ValueRule {
    /// Where the value stands (`cart.total`, `items[0].id`, `$` for all of it); without it the whole is meant, which of
    /// `output` is the text.
    #[schemars(example = "items[0].id")]
    pub path: Option<Text>,
    /// The value must be this one; the order of keys does not matter.
    #[schemars(with = "Option<serde_json::Value>")]
    pub equals: Option<Node>,
    /// A regex that the value must match somewhere: a string as it is, any other value as compact JSON.
    #[serde(rename = "match")]
    #[schemars(extend("format" = "regex"), example = "^sku-")]
    pub matches: Option<Text>,
    /// The type the value must have.
    #[serde(rename = "type")]
    pub value_type: Option<ValueType>,
    /// Whether anything must stand there; `null` is something.
    pub exists: Option<bool>,
    /// A JSON Schema that the value must fit.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"type": "array", "minItems": 1}))]
    pub schema: Option<Node>,
    /// Turns the rule round (default false). What is not there then passes.
    pub not: Option<bool>,
    /// What a failure says, instead of the rule's own words.
    #[schemars(example = "the cart must not be empty")]
    pub message: Option<Text>,
}

/// A type of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ValueType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `null`.
    Null,
}

/// Limits in tokens, as the agent reports them; equal to the limit passes. `false` switches an inherited limit off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct UsageLimits {
    /// How many tokens the models may read in a turn, and on a test or target in the test as a whole.
    pub max_input_tokens: Option<Spanned<Limit>>,
    /// How many tokens the models may write; counted likewise.
    pub max_output_tokens: Option<Spanned<Limit>>,
    /// How many tokens the models may read and write together; counted likewise.
    pub max_total_tokens: Option<Spanned<Limit>>,
}

/// Limits in milliseconds of the agent's time; equal to the limit passes. `false` switches an inherited limit off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct TimingLimits {
    /// How long a turn may take, and on a test or target the test as a whole.
    pub max_duration_ms: Option<Spanned<Limit>>,
    /// How long the agent may go without a tool call in progress: before the first, between two, after the last.
    pub max_idle_ms: Option<Spanned<Limit>>,
    /// How long it may take until the first text of a turn comes; of a turn without text, until its end.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_first_token_ms: Option<Spanned<Limit>>,
    /// How long each tool call may take, from its start to its result, without one to the end of its arguments.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_tool_ms: Option<Spanned<Limit>>,
}

/// Rules about what the agent says: all its messages, joined by newlines, or the last of them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct TextRules {
    /// Regexes that must match somewhere.
    #[schemars(extend("x-since" = "1.0"), example = "(?i)order confirmed")]
    pub must_match: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Regexes that must not match anywhere.
    #[schemars(extend("x-since" = "1.0"), example = ["exception", "fatal"])]
    pub must_not_match: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Texts that must all stand somewhere, letter by letter.
    #[schemars(example = &"Order confirmed.")]
    pub contains: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Texts that must not stand anywhere.
    #[schemars(example = ["(beta)", "as an AI"])]
    pub not_contains: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// What the agent must say, and nothing else: a text, or a list of which one is enough.
    #[schemars(example = ["yes", "no"])]
    pub equals: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// What the rules beside this key look at: all that the agent says (default), or its last message.
    #[schemars(example = &"final")]
    pub of: Option<Spanned<TextOf>>,
}

impl TextRules {
    /// The `of` of a block that has no other key.
    pub fn only_of(&self) -> Option<&Spanned<TextOf>> {
        let Self { must_match, must_not_match, contains, not_contains, equals, of } = self;
        let lists = [must_match, must_not_match, contains, not_contains, equals];
        of.as_ref().filter(|_| lists.iter().all(|list| list.is_none()))
    }
}

/// Which part of what the agent says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TextOf {
    /// All messages.
    #[default]
    All,
    /// The last message that is not empty.
    Final,
}
