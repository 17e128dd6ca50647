//! The things that must always, or must never, come before or after something.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::model::{OneOrMany, Since, StepKeys, Text, form};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node, NodeValue};

/// A trigger, and what must or must not come before or after it. The trigger is a step: a call, a result or a message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct WheneverRule {
    /// The name of the rule, shown in its failures.
    #[schemars(example = &"claims are backed")]
    pub name: Option<Text>,
    /// The trigger.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub trigger: StepKeys,
    /// What must come before every trigger, in the whole test: a step, a list of steps that must all come, or `any_of`.
    pub preceded_by: Option<Spanned<OneOrMany<Spanned<CauseStep>>>>,
    /// What must not come before a trigger: a step, or a list of steps of which none may come.
    pub not_preceded_by: Option<Spanned<OneOrMany<Spanned<CauseStep>>>>,
    /// What must come after every trigger, by the end of the scope: a step, a list of steps that must all come, or `any_of`.
    pub followed_by: Option<Spanned<OneOrMany<Spanned<CauseStep>>>>,
    /// What must not come after a trigger: a step, or a list of steps of which none may come.
    pub not_followed_by: Option<Spanned<OneOrMany<Spanned<CauseStep>>>>,
    /// `turn`: only what happens in the turn of the trigger counts.
    pub within: Option<WithinScope>,
    /// Custom failure message.
    #[schemars(example = &"a refund is never claimed without one")]
    pub message: Option<Text>,
}

/// Where causes and effects are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WithinScope {
    /// In the turn of the trigger.
    Turn,
}

/// A step before or after a trigger: exactly one of `call`, `result`, `says`, `answered` and `any_of`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct CauseStep {
    /// A call, a result or a message. `call: same` is the tool of the trigger.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub keys: StepKeys,
    /// An interrupt that was answered.
    pub answered: Option<Spanned<AnsweredStep>>,
    /// With `call` or `result`: the arguments that must be the same as those of the trigger: a list of names or paths, or a
    /// mapping of an own path to the trigger's.
    pub same: Option<Spanned<SamePaths>>,
    /// Steps of which one is enough.
    #[schemars(length(min = 1), example = serde_json::json!([{"call": "lookup_order"}, {"says": "(?i)sorry"}]))]
    pub any_of: Option<Vec<Spanned<CauseStep>>>,
}

/// An interrupt that was answered.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct AnsweredStep {
    /// How it was answered (default: either way).
    pub status: Option<AnswerStatus>,
}

/// How an interrupt was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum AnswerStatus {
    /// With an answer.
    Resolved,
    /// It was cancelled.
    Cancelled,
}

/// Arguments of a call and those of the trigger that they must be the same as.
#[derive(Clone, Debug)]
pub enum SamePaths {
    /// The same paths in both.
    Paths(Vec<Text>),
    /// Own paths and the trigger's.
    Pairs(FreeMap<Text>),
}

impl<'de> Deserialize<'de> for SamePaths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Pairs),
            _ => form(&node).map(Self::Paths),
        }
    }
}

impl JsonSchema for SamePaths {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SamePaths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            { "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 1 },
        ]})
    }
}
