//! One turn of a test. What a file calls each kind of turn is the protocols' to say: `target` reads and describes it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::assert_block::AssertBlock;
use super::capture::Capture;
use super::content::{WrittenAttachment, WrittenContent};
use super::message_part::MessagePart;
use super::request_options::RequestOptions;
use super::respond::Respond;
use super::scalars::{Text, TimeoutMs};
use super::since::Since;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};

/// One turn: what is sent, and the assertions about the response.
#[derive(Clone, Debug)]
pub enum Turn {
    /// A user message.
    User(UserTurn),
    /// The agent replays the conversation's thread.
    Connect(ConnectTurn),
    /// Open interrupts are answered.
    Resume(ResumeTurn),
    /// A tool is called.
    CallTool(CallToolTurn),
    /// The tools are listed.
    ListTools(ListToolsTurn),
    /// A message of the user whose parts are written in the protocol's own words.
    Parts(PartsTurn),
    /// A resource is read.
    ReadResource(ReadResourceTurn),
    /// A prompt is filled.
    GetPrompt(GetPromptTurn),
    /// The agent goes on from the history, which ends with the result of a tool.
    Continue,
}

/// The kinds of turns, whatever a protocol calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// [`Turn::User`].
    User,
    /// [`Turn::Connect`].
    Connect,
    /// [`Turn::Resume`].
    Resume,
    /// [`Turn::CallTool`].
    CallTool,
    /// [`Turn::ListTools`].
    ListTools,
    /// [`Turn::Parts`].
    Parts,
    /// [`Turn::ReadResource`].
    ReadResource,
    /// [`Turn::GetPrompt`].
    GetPrompt,
}

impl Turn {
    /// The turn's own assertions.
    pub fn assert_block(&self) -> Option<&AssertBlock> {
        match self {
            Self::User(turn) => turn.assert.as_ref(),
            Self::Connect(turn) => turn.assert.as_ref(),
            Self::Resume(turn) => turn.assert.as_ref(),
            Self::CallTool(turn) => turn.assert.as_ref(),
            Self::ListTools(turn) => turn.assert.as_ref(),
            Self::Parts(turn) => turn.assert.as_ref(),
            Self::ReadResource(turn) => turn.assert.as_ref(),
            Self::GetPrompt(turn) => turn.assert.as_ref(),
            Self::Continue => None,
        }
    }

    /// The assertions on the turn before that an action of a walk needs.
    pub fn needs(&self) -> Option<&Spanned<AssertBlock>> {
        match self {
            Self::User(turn) => turn.needs.as_ref(),
            Self::Connect(turn) => turn.needs.as_ref(),
            Self::Resume(turn) => turn.needs.as_ref(),
            Self::CallTool(turn) => turn.needs.as_ref(),
            Self::ListTools(turn) => turn.needs.as_ref(),
            Self::Parts(turn) => turn.needs.as_ref(),
            Self::ReadResource(turn) => turn.needs.as_ref(),
            Self::GetPrompt(turn) => turn.needs.as_ref(),
            Self::Continue => None,
        }
    }

    /// The keys that every type of turn has, without its assertions.
    pub fn settings(&self) -> TurnSettings<'_> {
        macro_rules! settings {
            ($turn:expr, $props:expr, $options:expr) => {
                settings!($turn, $props, $options, None)
            };
            ($turn:expr, $props:expr, $options:expr, $respond:expr) => {
                TurnSettings {
                    options: $options,
                    respond: $respond,
                    id: $turn.id.as_ref(),
                    timeout_ms: $turn.timeout_ms.as_ref(),
                    props: $props,
                    capture: $turn.capture.as_ref(),
                }
            };
        }
        match self {
            Self::User(turn) => settings!(turn, turn.props.as_ref(), turn.options.as_ref()),
            Self::Connect(turn) => settings!(turn, turn.props.as_ref(), None),
            Self::Resume(turn) => settings!(turn, turn.props.as_ref(), None),
            Self::CallTool(turn) => settings!(turn, None, None, turn.respond.as_ref()),
            Self::ListTools(turn) => settings!(turn, None, None, turn.respond.as_ref()),
            Self::Parts(turn) => settings!(turn, turn.props.as_ref(), turn.options.as_ref()),
            Self::ReadResource(turn) => settings!(turn, None, None, turn.respond.as_ref()),
            Self::GetPrompt(turn) => settings!(turn, None, None, turn.respond.as_ref()),
            Self::Continue => TurnSettings::default(),
        }
    }
}

/// The keys that every type of turn has, without its assertions.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnSettings<'t> {
    /// The label of the turn.
    pub id: Option<&'t Text>,
    /// Its timeout.
    pub timeout_ms: Option<&'t TimeoutMs>,
    /// Passed to the agent with its runs.
    pub props: Option<&'t Node>,
    /// The options of the request to the agent.
    pub options: Option<&'t RequestOptions>,
    /// The values that it keeps for later turns.
    pub capture: Option<&'t FreeMap<Spanned<Capture>>>,
    /// The answers to a server that asks back.
    pub respond: Option<&'t Respond>,
}

/// A turn with a user message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct UserTurn {
    /// What the user says: a text, or a list of parts, each a text, an image, audio, video or a document.
    #[schemars(extend("x-since" = "1.0"), example = "I want to checkout")]
    pub user: WrittenContent,
    /// Files sent after the user's text.
    #[schemars(length(min = 1), example = serde_json::json!([{"type": "image", "source": "file://receipt.png"}]))]
    pub attachments: Option<Vec<WrittenAttachment>>,
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

/// A turn that connects to the thread. Only this turn's own assertions see what the agent replays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ConnectTurn {
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
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions about what the agent replays. Nothing is inherited.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn that answers open interrupts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ResumeTurn {
    /// One answer for each open interrupt.
    #[schemars(length(min = 1), example = serde_json::json!([{"status": "resolved", "payload": {"approved": true}}]))]
    pub resume: Vec<Spanned<Resume>>,
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
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions for this turn.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn that calls a tool itself, without an agent that decides to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct CallToolTurn {
    /// The name of the tool.
    #[schemars(example = &"search")]
    pub tool: Text,
    /// The arguments of the call (default: none).
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"query": "shoes"})
    )]
    pub args: Option<Node>,
    /// The answers to what the server asks while it works on this turn. Without one, the request is declined.
    #[schemars(example = serde_json::json!({"elicitation": {"action": "accept", "content": {"size": 42}}}))]
    pub respond: Option<Respond>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), extend("x-since" = "1.3"), example = &"pay")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<TimeoutMs>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions for this turn.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn that lists the tools.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct ListToolsTurn {
    /// The answers to what the server asks while it works on this turn. Without one, the request is declined.
    #[schemars(example = serde_json::json!({"elicitation": {"action": "accept", "content": {"size": 42}}}))]
    pub respond: Option<Respond>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), extend("x-since" = "1.3"), example = &"tools")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<TimeoutMs>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"FIRST": {"text": "\"name\":\"([^\"]*)\""}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions about the list, whose text is its JSON.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn that reads a resource.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct ReadResourceTurn {
    /// The URI of the resource.
    #[schemars(example = &"file:///orders/1.txt")]
    pub uri: Text,
    /// The answers to what the server asks while it works on this turn. Without one, the request is declined.
    #[schemars(example = serde_json::json!({"elicitation": {"action": "accept", "content": {"size": 42}}}))]
    pub respond: Option<Respond>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), extend("x-since" = "1.3"), example = &"read")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<TimeoutMs>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"FIRST": {"text": "order ([0-9]+)"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions about the contents, whose text is that of the turn.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn that fills a prompt.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct GetPromptTurn {
    /// The name of the prompt.
    #[schemars(example = &"greeting")]
    pub prompt: Text,
    /// The arguments of the prompt, each a text (default: none).
    #[schemars(example = serde_json::json!({"name": "Ada"}))]
    pub args: Option<FreeMap<Text>>,
    /// The answers to what the server asks while it works on this turn. Without one, the request is declined.
    #[schemars(example = serde_json::json!({"elicitation": {"action": "accept", "content": {"size": 42}}}))]
    pub respond: Option<Respond>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), extend("x-since" = "1.3"), example = &"read")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<TimeoutMs>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"FIRST": {"text": "order ([0-9]+)"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions about the messages of the prompt, whose text is that of the turn.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// A turn with a message of the user whose parts are written in the protocol's own words.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"))]
pub struct PartsTurn {
    /// The parts of the message: each is a `text`, a `data`, a `url` or a `raw`.
    #[schemars(length(min = 1), example = serde_json::json!([{"text": "Check this cart."}, {"data": {"cart": "c-1"}}]))]
    pub parts: Vec<Spanned<MessagePart>>,
    /// The turn's label in reports; unique within the test.
    #[schemars(length(min = 1), extend("x-since" = "1.3"), example = &"pay")]
    pub id: Option<Text>,
    /// Timeout for this turn, in milliseconds; overrides the target's `timeout_ms`.
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<TimeoutMs>,
    /// Passed to the agent with the message of this turn; merged over the test's, key by key.
    #[serde(
        rename = "forwardedProps",
        default,
        deserialize_with = "super::scalars::optional_mapping"
    )]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", extend("x-since" = "1.3"))]
    pub props: Option<Node>,
    /// How the agent is asked in this turn; merged over the test's options, key by key.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"connector": "deepseek.v3"}))]
    pub options: Option<RequestOptions>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// Assertions for this turn.
    pub assert: Option<AssertBlock>,
    /// What must be true of the turn before, if this is an action of a walk.
    #[schemars(skip)]
    pub needs: Option<Spanned<AssertBlock>>,
}

/// The answer to one interrupt, selected by `id` or `tool`. Neither is needed if only one is open.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
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
