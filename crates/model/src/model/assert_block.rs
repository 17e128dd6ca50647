//! The requirements on an agent: the same block on a target, a test and a turn.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::Deserialize;

use super::short::ShortForm;
use super::{
    CostLimit, FormsSince, JudgeRule, Limit, ModelRules, OneOrMany, OutcomeRule, ProvenanceRule,
    ScriptRule, SequenceRule, Short, Since, SnapshotRule, Text, Toggle, ToolRules, ValueCondition,
    WheneverRule,
};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::text::TextForm;

/// An example in the schema.
const BLOCK_NAMES: [&str; 1] = ["no_errors"];
/// An example in the schema.
const WORDS_OF_FAILURE: [&str; 2] = ["exception", "fatal"];
/// An example in the schema.
const UNWANTED_TEXTS: [&str; 2] = ["(beta)", "as an AI"];
/// An example in the schema.
const TEXT_FORMS: [&str; 2] = ["nfc", "invisible"];
/// An example in the schema.
const ANSWERS: [&str; 2] = ["yes", "no"];

/// Assertions for a target, test or turn. Inner levels inherit outer ones; `false` disables an inherited rule.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = Since("1.3"),
    example = serde_json::json!({"tools": {"require": [{"name": "checkout"}]}, "text": {"must_match": ["(?i)order confirmed"]}})
)]
pub struct AssertBlock {
    /// Names of `assertions` from the config whose rules are applied here, before this block's own.
    #[schemars(length(min = 1), example = BLOCK_NAMES)]
    pub extends: Option<Vec<Text>>,
    /// Which tools the agent must and must not call.
    #[schemars(
        extend("x-since" = "1.0"),
        example = serde_json::json!({"require": [{"name": "checkout"}], "forbid": ["delete_order"]})
    )]
    pub tools: Option<Spanned<Toggle<ToolRules>>>,
    /// Time limits.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"max_duration_ms": 10_000}))]
    pub timing: Option<Spanned<Toggle<TimingLimits>>>,
    /// What the agent must and must not say; a text alone is one that it must contain.
    #[schemars(
        extend("x-since" = "1.0"),
        example = serde_json::json!({"must_match": ["(?i)order confirmed"], "must_not_match": ["(?i)error"]})
    )]
    pub text: Option<Spanned<Toggle<Short<TextRules>>>>,
    /// The expected order of calls, results and messages: on a turn in that turn, on a test or target in the whole
    /// test. `false` disables an inherited sequence; on a turn it excludes the turn.
    #[schemars(example = serde_json::json!({"mode": "in_order", "steps": [{"call": "get_cart"}, {"call": "checkout"}]}))]
    pub sequence: Option<Spanned<Toggle<SequenceRule>>>,
    /// What must or must not come before or after something, whatever the conversation: a trigger, and steps.
    #[schemars(
        extend("x-since" = "1.4"),
        example = serde_json::json!([{"says": "(?i)refund (was|has been) issued", "preceded_by": {"call": "refund", "status": "executed", "is_error": false}}])
    )]
    pub whenever: Option<Spanned<Toggle<Vec<Spanned<WheneverRule>>>>>,
    /// Where values must come from, and where they must not: arguments of calls, and what the agent says.
    #[schemars(
        extend("x-since" = "1.4"),
        example = serde_json::json!([{"of": {"call": "refund", "arg": "order_id"}, "from": ["user", {"result": "lookup_order"}]}])
    )]
    pub provenance: Option<Spanned<Toggle<Vec<Spanned<ProvenanceRule>>>>>,
    /// Checks of the agent's last message: its text or, with a `path`, the JSON in it.
    #[schemars(example = serde_json::json!([{"path": "total", "equals": 89.5}]))]
    pub output: Option<Spanned<Toggle<Vec<Spanned<ValueRule>>>>>,
    /// Checks of the agent's state.
    #[schemars(example = serde_json::json!([{"path": "cart.items", "equals": 2}]))]
    pub state: Option<Spanned<Toggle<Vec<Spanned<ValueRule>>>>>,
    /// How the turn must end; on a test or target the last turn. An expected error does not fail the test.
    #[schemars(example = &"interrupted")]
    pub outcome: Option<Spanned<OutcomeRule>>,
    /// Limits of tokens, of their cost, and of requests to a model.
    #[schemars(example = serde_json::json!({"max_total_tokens": 5_000}))]
    pub usage: Option<Spanned<Toggle<UsageLimits>>>,
    /// Requests of the agent to its model, for agents whose model is one of `models`: a mapping, or a list of them.
    #[schemars(
        extend("x-since" = "1.4"),
        transform = FormsSince("1.4"),
        example = serde_json::json!({"calls": 2, "prompt": {"of": "system", "contains": "Never charge twice"}})
    )]
    pub model: Option<Spanned<Toggle<OneOrMany<Spanned<ModelRules>>>>>,
    /// Compares what the agent did with a committed file: on a turn in that turn, on a test or target in the whole
    /// test. `true`, a name for the file, or a mapping. `false` disables an inherited snapshot; on a turn it excludes
    /// the turn.
    #[schemars(example = true)]
    pub snapshot: Option<Spanned<SnapshotRule>>,
    /// Custom check scripts. They run only if all other rules pass: on a turn at its end, on a test or target at the
    /// end of the test.
    #[schemars(example = serde_json::json!([{"script": "check-total", "with": {"currency": "EUR"}}]))]
    pub script: Option<Spanned<Toggle<Vec<Spanned<ScriptRule>>>>>,
    /// Checks that other agents decide. They are asked only if all other rules pass: on a turn at its end, on a test or
    /// target at the end of the test.
    #[schemars(example = serde_json::json!([{"agent": "strict", "criteria": "The answer names the total."}]))]
    pub judge: Option<Spanned<Toggle<Vec<Spanned<JudgeRule>>>>>,
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
        self.text.as_ref()?.value.on().map(Deref::deref)
    }

    /// The part of the agent's messages that the rules look at, if it is written.
    pub fn text_of(&self) -> Option<TextOf> {
        Some(self.text()?.of.as_ref()?.value)
    }

    /// The form in which they compare texts.
    pub fn text_form(&self) -> TextForm {
        let forms = self.text().and_then(|text| text.normalise.as_ref());
        let has = |form| forms.is_some_and(|forms| forms.value.contains(&form));
        TextForm {
            is_composed: has(TextNormalisation::Nfc),
            is_visible: has(TextNormalisation::Invisible),
        }
    }

    /// The rules about requests to models, unless they are switched off.
    pub fn model(&self) -> &[Spanned<ModelRules>] {
        match &self.model {
            Some(Spanned {
                value: Toggle::On(rules),
                ..
            }) => &rules.0,
            _ => &[],
        }
    }

    /// The limits in tokens, unless they are switched off.
    pub fn usage(&self) -> Option<&UsageLimits> {
        self.usage.as_ref()?.value.on()
    }
}

/// A check of a JSON value: its path, and at least one condition on the value. With several, all must be met.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ValueRule {
    /// Where the value is (`cart.total`, `items[0].id`, `['first.name']`, `$` for the whole value). Default: the whole state; for
    /// `output`, the message text.
    #[schemars(example = "items[0].id")]
    pub path: Option<Text>,
    /// The conditions on it. With `not`, a missing value passes.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub condition: ValueCondition,
    /// For `output` with `not`: which messages the entry looks at: the final one (default), or all, as `text.must_not_match`
    /// does without `of`.
    #[schemars(extend("x-since" = "1.4"), example = &"all")]
    pub of: Option<Spanned<TextOf>>,
}

/// Limits of tokens, as reported by the agent, of their cost, and of requests to a model. A value equal to the limit passes; `false` disables an inherited limit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct UsageLimits {
    /// Maximum number of tokens that the models may read in a turn; on a test or target in the whole test.
    pub max_input_tokens: Option<Spanned<Limit>>,
    /// Maximum number of tokens that the models may write; counted in the same way.
    pub max_output_tokens: Option<Spanned<Limit>>,
    /// Maximum number of tokens that the models may read and write together; counted in the same way.
    pub max_total_tokens: Option<Spanned<Limit>>,
    /// Maximum cost of the tokens in US dollars, by the `prices` of the config; counted in the same way.
    #[schemars(extend("x-since" = "1.4"), example = 0.05)]
    pub max_cost_usd: Option<Spanned<CostLimit>>,
    /// Maximum number of requests to the model in a turn: one, and one more for each round of answers to its calls. For targets
    /// that are a model.
    #[schemars(extend("x-since" = "1.4"), example = 5)]
    pub max_rounds: Option<Spanned<Limit>>,
}

/// Limits in milliseconds of the agent's time. A value equal to the limit passes; `false` disables an inherited limit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct TimingLimits {
    /// Maximum duration of a turn; on a test or target of the whole test.
    pub max_duration_ms: Option<Spanned<Limit>>,
    /// Maximum time without a tool call in progress: before the first call, between two, after the last.
    pub max_idle_ms: Option<Spanned<Limit>>,
    /// Maximum time to the first text of a turn; for a turn without text, to its end.
    #[schemars(extend("x-since" = "1.3"))]
    pub max_first_token_ms: Option<Spanned<Limit>>,
    /// Maximum duration of each tool call, from its start to its result (or to the end of its arguments if there is no
    /// result).
    #[schemars(extend("x-since" = "1.3"))]
    pub max_tool_ms: Option<Spanned<Limit>>,
}

/// Rules about what the agent says: all its messages, joined by newlines, or the last one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct TextRules {
    /// Regular expressions that must all match somewhere.
    #[schemars(extend("x-since" = "1.0"), example = "(?i)order confirmed")]
    pub must_match: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Regular expressions that must not match anywhere.
    #[schemars(extend("x-since" = "1.0"), example = WORDS_OF_FAILURE)]
    pub must_not_match: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Literal texts that must all occur.
    #[schemars(example = &"Order confirmed.")]
    pub contains: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Literal texts that must not occur.
    #[schemars(example = UNWANTED_TEXTS)]
    pub not_contains: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// The agent's exact text, or a list of alternatives.
    #[schemars(example = ANSWERS)]
    pub equals: Option<Spanned<Toggle<OneOrMany<Text>>>>,
    /// Which text the rules in this block apply to: all messages, the final one, or everything (default: all messages, and for
    /// what must not occur also status messages, error messages and structured results).
    #[schemars(example = &"final")]
    pub of: Option<Spanned<TextOf>>,
    /// How the texts of the rules in this block, and those of the agent, are changed before they are compared (default: not
    /// at all).
    #[schemars(extend("x-since" = "1.4"), length(min = 1), example = TEXT_FORMS)]
    pub normalise: Option<Spanned<Vec<TextNormalisation>>>,
}

impl ShortForm for TextRules {
    const KEY: &'static str = "contains";
    const SINCE: &'static str = "1.4";
    type Value = OneOrMany<Text>;
}

impl TextRules {
    /// The name and the place of the first setting of a block without a rule.
    pub fn only_setting(&self) -> Option<(&'static str, Span)> {
        let Self {
            must_match,
            must_not_match,
            contains,
            not_contains,
            equals,
            of,
            normalise,
        } = self;
        let lists = [must_match, must_not_match, contains, not_contains, equals];
        let of = of.as_ref().map(|of| ("of", of.span));
        let normalise = normalise.as_ref().map(|forms| ("normalise", forms.span));
        of.or(normalise)
            .filter(|_| lists.iter().all(|list| list.is_none()))
    }
}

/// How texts are changed before they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TextNormalisation {
    /// Letters composed with their marks (NFC): `e` with a combining acute accent is `é`.
    Nfc,
    /// Without characters that are not visible, such as zero-width spaces and soft hyphens.
    Invisible,
}

/// Which part of the agent's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TextOf {
    /// All messages, as without the key; until 1.3 what must not occur is looked for in them alone.
    #[default]
    All,
    /// The last non-empty message.
    Final,
    /// All messages, and for what must not occur every text next to them: status messages, error messages, structured results
    /// and the state.
    #[schemars(extend("x-since" = "1.4"))]
    Everything,
}
