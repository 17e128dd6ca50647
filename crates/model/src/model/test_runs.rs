//! The number of runs of a test, the percentage of them that must pass, and the weight of runs that break a prohibition.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::{Excludes, Number, Since, short::ShortForm, tree::no_form};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{Node, NodeValue};
use ananke_derive::Bounds;

/// How often a test runs: a number of runs (`count`), or until it is known whether its pass rate is `good` or `bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Runs", transform = Since("1.3"), transform = TestRuns::bounds, transform = Excludes(&[("count", "good"), ("count", "bad"), ("count", "error"), ("count", "max")]))]
pub struct TestRuns {
    /// The number of runs, from 1 to 10000. A number alone is `count`. Cannot be combined with the other keys.
    #[schemars(example = 10)]
    #[bounds(within = 1..=10_000)]
    pub count: Option<Number>,
    /// The pass rate of an agent that is good enough, such as `95%` (default). Above `bad`.
    #[schemars(example = &"95%")]
    pub good: Option<Spanned<Percent>>,
    /// The pass rate of an agent that must fail the test, such as `80%` (default).
    #[schemars(example = &"80%")]
    pub bad: Option<Spanned<Percent>>,
    /// How often either verdict may be wrong, such as `5%` (default). Below 50%.
    #[schemars(example = &"5%")]
    pub error: Option<Spanned<Percent>>,
    /// The most runs, from 1 to 10000 (default 60). A test that is not decided then is `undecided`.
    #[schemars(example = 60)]
    #[bounds(default = 60, within = 1..=10_000)]
    pub max: Option<Number>,
}

impl ShortForm for TestRuns {
    const KEY: &'static str = "count";

    type Value = Number;
}

/// A percentage as it is written, which may contain a variable: `95%`, `99.5%`, or a number of per cent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percent(pub String);

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match &node.value {
            NodeValue::String(text) => Ok(Self(text.clone())),
            NodeValue::Number(number) => Ok(Self(number.to_string())),
            _ => Err(no_form(&node, "a percentage such as `95%`")),
        }
    }
}

impl JsonSchema for Percent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Percent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "number" }] })
    }
}

/// The weight of runs that break a prohibition, of a test that runs several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum BrokenProhibitions {
    /// One such run fails the test, whatever its pass rate.
    #[default]
    Fail,
    /// Such a run counts as any run that fails.
    Rate,
}
