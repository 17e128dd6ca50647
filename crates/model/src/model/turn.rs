//! One turn of a test: what it sends, the settings that turns share, and the values that later turns can use (captures). What
//! a file calls each kind of turn is the protocols' to say (`turn_type`).

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    AssertBlock, Excludes, RequestOptions, Respond, Since, Text, TimeoutMs, WrittenAttachment,
    WrittenCondition, WrittenContent,
};
use ananke_base::diagnostic::Spanned;
use ananke_base::message::OwnTurnKind;
use ananke_base::source::{FreeMap, Node};

/// One turn: what is sent, and the assertions about the response.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The keys that turns share.
    pub settings: TurnSettings,
    /// The request, as it is written.
    pub sent: SentByTurn,
}

/// The request of a turn, as it is written.
#[derive(Clone, Debug, Default)]
pub enum SentByTurn {
    /// A message of the user.
    User(Box<UserTurn>),
    /// A request to replay the conversation's thread.
    Connect,
    /// Answers to open interrupts.
    Resume(ResumeTurn),
    /// A request of a protocol's own, and its keys.
    Own(&'static OwnTurnKind, Node),
    /// Nothing: the agent goes on from the history, which ends with the result of a tool.
    #[default]
    Continue,
}

/// The keys that turns share. Which of them a type of turn takes is in its [`TurnType`](super::TurnType).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(transform = Since("1.3"))]
pub struct TurnSettings {
    /// The answers to what the server asks while it works on this turn. Without one, the request is declined.
    #[schemars(
        extend("x-since" = "1.2"),
        example = serde_json::json!({"elicitation": {"action": "accept", "content": {"size": 42}}})
    )]
    pub respond: Option<Respond>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), example = &"pay")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    pub timeout_ms: Option<TimeoutMs>,
    /// Passed to the agent with the runs of this turn; merged over the test's and the target's, key by key.
    #[serde(
        rename = "forwardedProps",
        default,
        deserialize_with = "super::scalars::optional_mapping"
    )]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// How the agent is asked in this turn; merged over the test's options, key by key.
    #[schemars(example = serde_json::json!({"connector": "deepseek.v3"}))]
    pub options: Option<RequestOptions>,
    /// What this turn adds to the request of a target that describes its request: headers, parameters of the query, keys of the body.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"headers": {"x-tenant": "b"}}))]
    pub request: Option<Spanned<TurnHttpRequest>>,
    /// The condition on which the turn is sent: `awaits` (the agent waits for input), `interrupted` (an interrupt is open), or a
    /// step as in `sequence` that the previous turn that was sent must contain. If the condition is not met, the turn is
    /// reported as not needed.
    #[serde(rename = "if")]
    #[schemars(extend("x-since" = "1.4"), example = &"awaits", example = serde_json::json!({"says": "(?i)which size"}), example = serde_json::json!({"call": "check_out"}))]
    pub condition: Option<Spanned<WrittenCondition>>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions for this turn.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

impl TurnSettings {
    /// Its keys, in the order of the schema; `needs` is that of an action of a walk.
    pub const KEYS: [&'static str; 10] = [
        "respond",
        "id",
        "timeout_ms",
        "forwardedProps",
        "options",
        "request",
        "if",
        "capture",
        "assert",
        "needs",
    ];
}

/// What a turn adds to the request that its target describes. Keys that the target has too are replaced, and mappings in the body are
/// added key by key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct TurnHttpRequest {
    /// HTTP headers. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"x-tenant": "b"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Parameters of the query of the URL.
    #[schemars(example = serde_json::json!({"version": "2"}))]
    pub query: Option<FreeMap<Text>>,
    /// Keys of the body, or fields of the form.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"locale": "de"}))]
    pub body: Option<Node>,
}

/// The message of a turn with a user message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(transform = Since("1.3"))]
pub struct UserTurn {
    /// What the user says: a text, or a list of parts, each a text, an image, audio, video or a document.
    #[schemars(extend("x-since" = "1.0"), example = "I want to checkout")]
    pub user: WrittenContent,
    /// Files sent after the user's text.
    #[schemars(length(min = 1), example = serde_json::json!([{"type": "image", "source": "file://receipt.png"}]))]
    pub attachments: Option<Vec<WrittenAttachment>>,
}

/// The answers of a turn that answers open interrupts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(transform = Since("1.3"))]
pub struct ResumeTurn {
    /// One answer for each open interrupt.
    #[schemars(length(min = 1), example = serde_json::json!([{"status": "resolved", "payload": {"approved": true}}]))]
    pub resume: Vec<Spanned<Resume>>,
}

/// The answer to one interrupt, selected by `id` or `tool`. Neither is needed if only one is open.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Excludes(&[("id", "tool")]))]
pub struct Resume {
    /// The id of the interrupt or of the pending call.
    pub id: Option<Text>,
    /// The tool whose call is pending, for agents with generated ids.
    #[schemars(example = &"delete_account")]
    pub tool: Option<Text>,
    /// Whether the interrupt is resolved or cancelled.
    pub status: ResumeStatus,
    /// The answer, in the shape that the agent expects.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"approved": true}))]
    pub payload: Option<Node>,
}

/// The status of an answered interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResumeStatus {
    /// Resolved.
    Resolved,
    /// Cancelled.
    Cancelled,
}

/// Where to find the value: in the last call to a `tool`, in the `text`, or in the `state`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Capture {
    /// The tool whose last call in this turn contains the value; with `args` or `result`.
    #[schemars(example = &"create_order")]
    pub tool: Option<Text>,
    /// The path of the value in the call's arguments; `$` is all of them.
    #[schemars(example = &"cart.id")]
    pub args: Option<Text>,
    /// The path of the value in the call's result; `$` is all of it.
    #[schemars(example = &"order.id")]
    pub result: Option<Text>,
    /// Regular expression with one capture group for the value, matched against the agent's text of this turn.
    #[schemars(example = r"order (\w+)")]
    pub text: Option<Text>,
    /// The path of the value in the agent's state after this turn; `$` is all of it.
    #[schemars(example = &"cart.total")]
    pub state: Option<Text>,
}
