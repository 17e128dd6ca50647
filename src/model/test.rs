//! One test, alone in its file or one of several.

use schemars::JsonSchema;
use serde::Deserialize;

use super::assert_block::AssertBlock;
use super::cases::{Cases, Skip};
use super::client_tool::ClientTool;
use super::hook::Hook;
use super::message::MessageDefinition;
use super::scalars::{Number, Text};
use super::since::Since;
use super::turn::Turn;
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// One test: a conversation with the agent, and what must hold of what the agent does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = serde_json::json!([{ "required": ["turns"] }, { "required": ["messages"] }])))]
#[schemars(transform = Since("1.3"))]
pub struct Test {
    /// What the test shows, in a few words. With the file's path it is the test's id, unless it has an `id`.
    #[schemars(extend("x-since" = "1.0"), length(min = 1), example = "checkout flow with validation")]
    pub name: Text,
    /// The test's id, in the place of its path and name: it stays when the file is moved or the test gets another name.
    #[schemars(length(min = 1), example = "checkout-validation")]
    pub id: Option<Text>,
    /// What the test is about, for people: shown by `ananke list` and in reports.
    #[schemars(length(min = 1))]
    pub description: Option<Text>,
    /// Words to select tests by: `--tag smoke`, `--filter 'tag(smoke) and not tag(slow)'`.
    #[schemars(length(min = 1), example = serde_json::json!(["smoke", "checkout"]))]
    pub tags: Option<Vec<Text>>,
    /// Leaves the test out: `true`, or why. It is reported as skipped and does not fail the run.
    #[schemars(example = "waits for the new search, ticket 4711")]
    pub skip: Option<Spanned<Skip>>,
    /// Variables of the test: each `${NAME}` gives its value, of whatever type it is. Rows, hooks and `--var` win over them.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"CITY": "Berlin", "GUESTS": 2}))]
    pub vars: Option<FreeMap<Node>>,
    /// Rows of data: the test runs once for each, with its columns as variables. A list of mappings, or the path of a
    /// `.csv`, `.jsonl`, `.yaml` or `.yml` file, from the folder of this one. A column `id` names the row.
    #[schemars(example = serde_json::json!([{"id": "berlin", "city": "Berlin"}]), example = &"cities.csv")]
    pub cases: Option<Spanned<Cases>>,
    /// How much of the agent's time the whole test may take, in milliseconds; a smaller `--timeout` wins.
    pub timeout_ms: Option<Number>,
    /// The name of the target of this test, whatever the target of the others is: one of the config's `targets`, or
    /// `default` for the one that the config writes at `target`.
    #[schemars(length(min = 1), example = &"staging")]
    pub target: Option<Text>,
    /// Commands that run before the first turn, in order. What they print as JSON becomes variables.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!([{"cmd": ["bash", "scripts/seed-cart.sh"]}]))]
    pub hooks: Option<Vec<Hook>>,
    /// Commands that run when the test is over, however it ended, in order. They see every variable; one that fails is a
    /// warning.
    #[schemars(example = serde_json::json!([{"cmd": ["bash", "scripts/drop-cart.sh", "${THREAD_ID}"]}]))]
    pub teardown: Option<Vec<Hook>>,
    /// Passed to the agent with every run, over the target's: key by key, this one wins.
    #[serde(rename = "forwardedProps", default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// Tools that the agent's client carries out, in the places of the target's of the same name or beside them.
    pub client_tools: Option<Vec<ClientTool>>,
    /// Conversation history before the first turn. It is sent to the agent and not checked by rules. If it ends with a
    /// user message and there are no `turns`, that message is the one turn.
    #[schemars(length(min = 1), example = serde_json::json!([{"role": "user", "content": "A mug, please"}, {"role": "assistant", "content": "Which size?"}]))]
    pub messages: Option<Vec<Spanned<MessageDefinition>>>,
    /// The conversation, in order; at least one turn.
    #[schemars(extend("x-since" = "1.0"), length(min = 1))]
    pub turns: Option<Vec<Spanned<Turn>>>,
    /// What must hold of the test as a whole. Prohibitions and limits also apply to each of its turns.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}
