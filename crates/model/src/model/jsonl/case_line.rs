//! One case of a JSONL file, as the files of `yao agent test` have it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{
    CaseAssertions, CaseCheckpoint, CaseInput, CaseInteractive, CaseParts, CaseSimulator, CaseType,
    File, MissingInput, RequestOptions, Short, Since, Skip, TAG_DEFAULTS, Text,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{self, Node, TypeMismatch};

/// One case of a JSONL file: what is sent to the agent, and what the answer must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseLine {
    /// The id of the test: unique in the run.
    #[schemars(length(min = 1), example = &"T001")]
    pub id: Text,
    /// Short name of the test (default: the `id`).
    #[schemars(length(min = 1), example = &"greets politely")]
    pub name: Option<Text>,
    /// What is sent: a text, a message, or the messages of a conversation whose last one is sent.
    #[schemars(example = &"Extract keywords from: AI and ML")]
    pub input: Option<Spanned<CaseInput>>,
    /// The same as `input`, for several messages; it takes precedence.
    #[schemars(example = serde_json::json!([{"role": "user", "content": "Hello"}]))]
    pub messages: Option<Spanned<CaseInput>>,
    /// Assertions about the agent's last message and its tool calls. Also `assertions` or `assertion`.
    #[schemars(example = serde_json::json!({"type": "contains", "value": "Berlin"}))]
    pub assert: Option<Spanned<CaseAssertions>>,
    /// Another name of `assert`.
    pub assertions: Option<Spanned<CaseAssertions>>,
    /// Another name of `assert`.
    pub assertion: Option<Spanned<CaseAssertions>>,
    /// The expected output, which must be equal; an `assert` takes precedence.
    #[schemars(with = "Option<serde_json::Value>", example = &"Berlin")]
    pub expected: Option<Node>,
    /// Assertions about the whole conversation, in addition to `assert`.
    pub final_assertions: Option<Spanned<CaseAssertions>>,
    /// The turns of the conversation, after the `input` if there is one.
    #[schemars(length(min = 1), example = serde_json::json!([{"input": "I want to checkout"}, {"input": "Express, please"}]))]
    pub turns: Option<Vec<Spanned<CaseTurn>>>,
    /// Whether the conversation has several turns.
    #[serde(rename = "type")]
    pub kind: Option<Spanned<CaseType>>,
    /// An agent or a script that plays the user, after what is written.
    pub simulator: Option<Spanned<CaseSimulator>>,
    /// What a simulated conversation must come by.
    pub checkpoints: Option<Spanned<Vec<CaseCheckpoint>>>,
    /// The largest number of turns of a conversation that a simulator or a person continues, those that are written included (default 20).
    pub max_turns: Option<Spanned<u64>>,
    /// Whether a person at the terminal answers when the agent waits for input after what is written.
    #[schemars(example = true, example = serde_json::json!({"timeout": "5m"}))]
    pub interactive: Option<Spanned<Short<CaseInteractive>>>,
    /// What to do if the agent waits for input and there is none (default `skip`).
    pub on_missing_input: Option<Spanned<MissingInput>>,
    /// The user on whose behalf the agent is asked.
    #[schemars(example = &"test-user")]
    pub user: Option<Text>,
    /// The team of that user.
    #[schemars(example = &"test-team")]
    pub team: Option<Text>,
    /// Time limit for the whole test: `30s`, `2m30s`.
    #[schemars(length(min = 1), example = &"30s")]
    pub timeout: Option<Text>,
    /// Skip the test: `true` or a reason.
    pub skip: Option<Spanned<Skip>>,
    /// Data about the case, for reports.
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"ticket": "4711"}))]
    pub metadata: Option<Node>,
    /// How the agent is asked.
    #[schemars(example = serde_json::json!({"connector": "fast.small"}))]
    pub options: Option<RequestOptions>,
}

impl File for CaseLine {
    fn read(root: &Node) -> Result<Self, TypeMismatch> {
        source::from_node(root, TAG_DEFAULTS)
    }
}

/// One turn of a case: what the user says, and what the answer must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseTurn {
    /// What the user says: a text or a message.
    #[schemars(example = &"Express, please")]
    pub input: Spanned<CaseInput>,
    /// Files sent after the user's text.
    pub attachments: Option<CaseParts>,
    /// Assertions about the answer. Also `assert` or `assertion`.
    pub assertions: Option<Spanned<CaseAssertions>>,
    /// Another name of `assertions`.
    pub assert: Option<Spanned<CaseAssertions>>,
    /// Another name of `assertions`.
    pub assertion: Option<Spanned<CaseAssertions>>,
    /// The expected output, which must be equal; `assertions` take precedence.
    #[schemars(with = "Option<serde_json::Value>", example = &"Order confirmed.")]
    pub expected: Option<Node>,
    /// How the agent is asked in this turn; merged over the options of the case, key by key.
    pub options: Option<RequestOptions>,
}
