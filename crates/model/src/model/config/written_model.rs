//! A model that the code of an agent asks, as a config writes it: a server replaces its provider.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use crate::model::{EmbeddingAnswers, ModelRule, Number, OneOrMany, Since, Text, form};
use ananke_base::source::{FreeMap, Node, NodeValue};

/// A model that the agent's own code asks. A server on this machine replaces its provider while the tests run.
#[derive(Clone, Debug, Default, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct WrittenModel {
    /// The port of the server (default: one that is free). Name one if something else starts the agent.
    #[schemars(example = 8089)]
    pub port: Option<Number>,
    /// The environment variables that point the agent at the server: those that the SDKs of providers read (`default`), `none`, or
    /// names with values in which `${URL}` is the address.
    #[schemars(example = serde_json::json!({ "PLANNER_URL": "${URL}/v1" }))]
    pub env: Option<WrittenModelEnv>,
    /// The names of the models that it answers, as globs, if several models have one address.
    #[schemars(example = &"gpt-5*")]
    pub names: Option<OneOrMany<Text>>,
    /// The address to listen at (default `127.0.0.1`). Other machines can reach any other one.
    #[schemars(example = &"0.0.0.0")]
    pub listen: Option<Text>,
    /// The name by which the agent reaches the server (default: the address), for agents in containers.
    #[schemars(example = &"host.docker.internal")]
    pub host: Option<Text>,
    /// Answers for every test, after those of the test. They need not be used.
    #[schemars(length(min = 1), example = serde_json::json!([{ "when": { "user": "(?i)hello" }, "do": [{ "say": "Hello." }] }]))]
    pub rules: Option<Vec<ModelRule>>,
    /// Answers to requests that no test causes, such as those for the title of a conversation. No rule of a test sees them.
    #[schemars(length(min = 1), example = serde_json::json!([{ "when": { "system": "(?i)title" }, "do": [{ "say": "Order" }] }]))]
    pub background: Option<Vec<ModelRule>>,
    /// The answer to a request for embeddings: vectors made from a hash of each text (default), or an error.
    pub embeddings: Option<EmbeddingAnswers>,
    /// The source of the answers: the `script` of the model and its test, recordings (`replay`), or the provider, whose answers are
    /// recorded (`record`, `record-missing`) or not (`live`). The default is `script` if the model or the test has answers, and
    /// `replay` otherwise.
    pub answers: Option<ModelAnswerSource>,
    /// The addresses of the providers that are recorded or asked live, by their names.
    pub upstream: Option<FreeMap<Text>>,
    /// Regular expressions for texts that vary, such as dates. Requests are compared with recorded ones without them.
    #[schemars(example = &r"Today is [A-Z][a-z]+ \d+")]
    pub ignore: Option<OneOrMany<Text>>,
    /// Whether a request with other parameters of sampling is another request (default: it is a warning).
    pub strict_params: Option<bool>,
    /// The pace of recorded answers: at once (`none`, default), and the recorded waiting is added to the time of the turn, or as
    /// slowly as they were recorded (`recorded`).
    pub pace: Option<ModelPace>,
    /// The way in which tests share the model: at once (default), or one after the other, for agents whose requests do not show
    /// which test they are of.
    pub isolation: Option<ModelIsolation>,
}

/// The source of the answers of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ModelAnswerSource {
    /// The answers of the test and of the model.
    Script,
    /// Recorded answers.
    Replay,
    /// The provider, whose answers are recorded.
    Record,
    /// Recorded answers, and the provider for what is not recorded.
    RecordMissing,
    /// The provider, whose answers are not recorded.
    Live,
}

/// The pace of recorded answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ModelPace {
    /// At once. The recorded waiting passes on the clock of the test alone.
    #[default]
    None,
    /// As slowly as they were recorded.
    Recorded,
}

/// The way in which tests share a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ModelIsolation {
    /// At once: requests show which test they are of.
    #[default]
    Parallel,
    /// One after the other, because requests do not show which test they are of.
    Serial,
}

/// The variables that point an agent at a model.
#[derive(Clone, Debug)]
pub enum WrittenModelEnv {
    /// `default` or `none`; the schema allows nothing else.
    Word(Text),
    /// The variables themselves.
    Own(FreeMap<Text>),
}

impl WrittenModelEnv {
    /// The word for the variables that the SDKs of providers read.
    pub const DEFAULT: &'static str = "default";

    /// The word for no variables.
    pub const NONE: &'static str = "none";
}

impl<'de> Deserialize<'de> for WrittenModelEnv {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Own),
            _ => form(&node).map(Self::Word),
        }
    }
}

impl JsonSchema for WrittenModelEnv {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WrittenModelEnv".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<FreeMap<Text>>();
        json_schema!({ "anyOf": [{ "type": "string", "enum": [Self::DEFAULT, Self::NONE] }, own] })
    }
}
