//! One test, alone in its file or one of several.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    AssertBlock, BrokenProhibitions, Caller, Cases, ClientTool, Excludes, Hook, Interactive,
    MessageDefinition, MissingInput, ModelScript, RequestOptions, Short, Simulate, Since, Skip,
    TestRuns, Text, TimeoutMs, Turn, Walk,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};

/// One test: a conversation with the agent, and its assertions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = serde_json::json!([{ "required": ["turns"] }, { "required": ["messages"] }, { "required": ["simulate"] }, { "required": ["interactive"] }, { "required": ["walk"] }])))]
#[schemars(transform = Since("1.3"), transform = Excludes(&[("simulate", "walk"), ("interactive", "walk"), ("runs", "walk"), ("prohibitions", "walk"), ("model", "models")]))]
pub struct Test {
    /// Short name of the test. `path::name` is the test's id, unless it has an `id`.
    #[schemars(extend("x-since" = "1.0"), length(min = 1), example = "checkout flow with validation")]
    pub name: Text,
    /// The test's id, instead of its path and name. It stays the same if the file is moved or the test is renamed.
    #[schemars(length(min = 1), example = "checkout-validation")]
    pub id: Option<Text>,
    /// What the test is about, for `ananke list` and reports.
    #[schemars(length(min = 1))]
    pub description: Option<Text>,
    /// Words to select tests by: `--tag smoke`, `--filter 'tag(smoke) and not tag(slow)'`.
    #[schemars(length(min = 1), example = serde_json::json!(["smoke", "checkout"]))]
    pub tags: Option<Vec<Text>>,
    /// Skip the test: `true` or a reason. It is reported as skipped and does not fail the run.
    #[schemars(example = "waits for the new search, ticket 4711")]
    pub skip: Option<Spanned<Skip>>,
    /// Test variables, referenced as `${NAME}` (types are preserved). Rows, hooks and `--var` take precedence.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"CITY": "Berlin", "GUESTS": 2}))]
    pub vars: Option<FreeMap<Node>>,
    /// Rows of data: the test runs once per row, with its columns as variables. A list of mappings, or the path of a
    /// `.csv`, `.jsonl`, `.yaml` or `.yml` file, relative to this file. The column `id` identifies the row.
    #[schemars(example = serde_json::json!([{"id": "berlin", "city": "Berlin"}]), example = &"cities.csv")]
    pub cases: Option<Spanned<Cases>>,
    /// Time limit for the whole test, in milliseconds, with its hooks, scripts and rules; a smaller `--timeout` takes precedence.
    pub timeout_ms: Option<TimeoutMs>,
    /// How often the test runs, each time with fresh hooks and a new thread: a number, or until it is known whether its pass
    /// rate is good or bad. `--runs` takes precedence.
    #[schemars(example = 10, example = serde_json::json!({"good": "95%", "bad": "80%", "error": "5%", "max": 60}))]
    pub runs: Option<Spanned<Short<TestRuns>>>,
    /// The weight of a run that breaks a prohibition: it fails the test (default), or counts as any run that fails.
    #[schemars(extend("x-since" = "1.4"), example = &"rate")]
    pub prohibitions: Option<Spanned<BrokenProhibitions>>,
    /// Name of the target to run this test against (from the config's `targets`, or `default`).
    #[schemars(length(min = 1), example = &"staging")]
    pub target: Option<Text>,
    /// Commands that run before the first turn, in order. Their JSON output becomes variables.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!([{"cmd": ["bash", "scripts/seed-cart.sh"]}]))]
    pub hooks: Option<Vec<Hook>>,
    /// Commands that run when the test is over, however it ended, in order. They can use every variable; a failing
    /// command is a warning.
    #[schemars(example = serde_json::json!([{"cmd": ["bash", "scripts/drop-cart.sh", "${THREAD_ID}"]}]))]
    pub teardown: Option<Vec<Hook>>,
    /// Passed to the agent with every run; merged over the target's, key by key.
    #[serde(
        rename = "forwardedProps",
        default,
        deserialize_with = "super::scalars::optional_mapping"
    )]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// On whose behalf the agent is asked.
    #[schemars(example = serde_json::json!({"user": "test-user", "team": "test-team"}))]
    pub caller: Option<Caller>,
    /// How the agent is asked. AG-UI agents get it as `forwardedProps.options`.
    #[schemars(example = serde_json::json!({"mode": "chat", "metadata": {"scenario": "join"}}))]
    pub options: Option<RequestOptions>,
    /// The answers of the model that the agent's own code asks, if the config has one under `models`.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({ "replies": [{ "call": { "tool": "charge_card" } }, { "say": "Paid." }] }))]
    pub model: Option<Spanned<ModelScript>>,
    /// The answers of several models, by their names under `models` in the config.
    #[schemars(
        extend("x-since" = "1.4"),
        with = "Option<std::collections::BTreeMap<String, ModelScript>>",
        example = serde_json::json!({ "planner": { "replies": [{ "say": "Charge the card." }] } })
    )]
    pub models: Option<FreeMap<ModelScript>>,
    /// Client-side (frontend) tools; they override the target's tools of the same name, others are added.
    #[schemars(example = serde_json::json!([{ "name": "get_location", "mock": { "result": { "city": "Berlin" } } }]))]
    pub client_tools: Option<Vec<ClientTool>>,
    /// Conversation history before the first turn. Sent to the agent, not checked by rules. If there are no `turns`, it
    /// ends with a user message, which is the one turn, or with the result of a tool, from which the agent continues.
    #[schemars(length(min = 1), example = serde_json::json!([{"role": "user", "content": "A mug, please"}, {"role": "assistant", "content": "Which size?"}]))]
    pub messages: Option<Vec<Spanned<MessageDefinition>>>,
    /// The conversation, in order; at least one turn.
    #[schemars(
        extend("x-since" = "1.0"),
        length(min = 1),
        example = serde_json::json!([{"user": "I want to checkout", "assert": {"tools": {"require": [{"name": "checkout"}]}}}])
    )]
    pub turns: Option<Vec<Spanned<Turn>>>,
    /// Another agent, or a script, plays the user after the written turns.
    pub simulate: Option<Spanned<Simulate>>,
    /// Whether a person at the terminal goes on with the conversation as long as the agent waits for input after the written
    /// turns.
    #[schemars(example = true, example = serde_json::json!({"timeout_ms": 60000}))]
    pub interactive: Option<Spanned<Short<Interactive>>>,
    /// What to do if the agent waits for input after the written turns and there is none: `skip` the test (default), `fail`
    /// it, or `end` the conversation. `--on-missing-input` takes precedence.
    pub on_missing_input: Option<MissingInput>,
    /// Many random conversations, made of what a user may do.
    pub walk: Option<Spanned<Walk>>,
    /// Assertions for the test as a whole. Prohibitions and limits also apply to each of its turns.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}

impl Test {
    /// Whether the conversation can begin without written turns.
    pub fn says_unwritten_input(&self) -> bool {
        self.simulate.is_some() || self.interactive.is_some() || self.walk.is_some()
    }
}
