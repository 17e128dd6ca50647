//! One turn of a test. What a file calls each kind of turn is the protocols' to say: `target` reads and describes it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::assert_block::AssertBlock;
use super::capture::Capture;
use super::content::{WrittenAttachment, WrittenContent};
use super::scalars::{Number, Text};
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// One turn: what is sent, and what must hold of the agent's answer.
#[derive(Clone, Debug)]
pub enum Turn {
    /// The user says something.
    User(UserTurn),
    /// The agent replays the conversation's thread.
    Connect(ConnectTurn),
    /// What the agent waits for is answered.
    Resume(ResumeTurn),
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
}

impl Turn {
    /// The turn's own assertions.
    pub fn assert_block(&self) -> Option<&AssertBlock> {
        match self {
            Self::User(turn) => turn.assert.as_ref(),
            Self::Connect(turn) => turn.assert.as_ref(),
            Self::Resume(turn) => turn.assert.as_ref(),
        }
    }

    /// What every type of turn may say beside its assertions.
    pub fn settings(&self) -> TurnSettings<'_> {
        macro_rules! settings {
            ($turn:expr) => {
                TurnSettings {
                    id: $turn.id.as_ref(),
                    timeout_ms: $turn.timeout_ms.as_ref(),
                    props: $turn.props.as_ref(),
                    capture: $turn.capture.as_ref(),
                }
            };
        }
        match self {
            Self::User(turn) => settings!(turn),
            Self::Connect(turn) => settings!(turn),
            Self::Resume(turn) => settings!(turn),
        }
    }
}

/// What every type of turn may say beside its assertions.
#[derive(Clone, Copy, Debug)]
pub struct TurnSettings<'t> {
    /// What the turn is called.
    pub id: Option<&'t Text>,
    /// How long it may take.
    pub timeout_ms: Option<&'t Number>,
    /// Passed to the agent with its runs.
    pub props: Option<&'t Node>,
    /// What it keeps for those behind it.
    pub capture: Option<&'t FreeMap<Spanned<Capture>>>,
}

/// A turn in which the user says something.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct UserTurn {
    /// What the user says: a text, or a list of parts in their order, each a text, an image, audio, video or a document.
    #[schemars(extend("x-since" = "1.0"), example = "I want to checkout")]
    pub user: WrittenContent,
    /// Files that go with what the user says, behind it.
    #[schemars(length(min = 1), example = serde_json::json!([{"type": "image", "source": "file://receipt.png"}]))]
    pub attachments: Option<Vec<WrittenAttachment>>,
    /// What the turn is called in reports; no two turns of a test have the same.
    #[schemars(length(min = 1), example = &"pay")]
    pub id: Option<Text>,
    /// How long this turn may take, in milliseconds, in the place of the target's `timeout_ms`.
    pub timeout_ms: Option<Number>,
    /// Passed to the agent with the runs of this turn, over the test's and the target's: key by key, this one wins.
    #[serde(rename = "forwardedProps", default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// What must hold of this turn.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}

/// A turn that connects to the thread. What the agent replays is seen by this turn's own assertions alone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ConnectTurn {
    /// What the turn is called in reports; no two turns of a test have the same.
    #[schemars(length(min = 1), example = &"pay")]
    pub id: Option<Text>,
    /// How long this turn may take, in milliseconds, in the place of the target's `timeout_ms`.
    pub timeout_ms: Option<Number>,
    /// Passed to the agent with the runs of this turn, over the test's and the target's: key by key, this one wins.
    #[serde(rename = "forwardedProps", default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// What must hold of what the agent replays. Nothing is inherited.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}

/// A turn that answers what the agent waits for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ResumeTurn {
    /// One answer for each open interrupt.
    #[schemars(length(min = 1), example = serde_json::json!([{"status": "resolved", "payload": {"approved": true}}]))]
    pub resume: Vec<Spanned<Resume>>,
    /// What the turn is called in reports; no two turns of a test have the same.
    #[schemars(length(min = 1), example = &"pay")]
    pub id: Option<Text>,
    /// How long this turn may take, in milliseconds, in the place of the target's `timeout_ms`.
    pub timeout_ms: Option<Number>,
    /// Passed to the agent with the runs of this turn, over the test's and the target's: key by key, this one wins.
    #[serde(rename = "forwardedProps", default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub props: Option<Node>,
    /// Values of this turn that become variables for later turns and for `teardown`.
    #[schemars(example = serde_json::json!({"ORDER": {"tool": "create_order", "result": "id"}}))]
    pub capture: Option<FreeMap<Spanned<Capture>>>,
    /// What must hold of this turn.
    pub assert: Option<AssertBlock>,
}

/// The answer to one interrupt. `id` or `tool` says to which; neither is needed where one is open.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Resume {
    /// The interrupt's id, or that of the call that waits.
    pub id: Option<Text>,
    /// The tool whose call waits, for agents that make up their ids.
    #[schemars(example = &"delete_account")]
    pub tool: Option<Text>,
    /// Whether it is answered or cancelled.
    pub status: ResumeStatus,
    /// The answer, in the shape the agent expects.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"approved": true}))]
    pub payload: Option<Node>,
}

/// What becomes of an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResumeStatus {
    /// It is answered.
    Resolved,
    /// It is cancelled.
    Cancelled,
}
