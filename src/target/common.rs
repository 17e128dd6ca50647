//! The keys that targets of every protocol have.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{AssertBlock, ClientTool, Number, Since, Text};

/// The keys that targets of every protocol have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct TargetCommon {
    /// The conversation's thread. Without it every test gets a new one; `${THREAD_ID}` names it elsewhere.
    #[serde(rename = "threadId")]
    #[schemars(example = "${THREAD_ID}")]
    pub thread_id: Option<Text>,
    /// How long one turn may take, in milliseconds (default 120000). A slower turn has the status timeout.
    pub timeout_ms: Option<Number>,
    /// Tools that the agent's client carries out: declared to the agent, answered by their mocks.
    #[schemars(extend("x-since" = "1.3"))]
    pub client_tools: Option<Vec<ClientTool>>,
    /// The assertions every test of this target inherits.
    pub assert: Option<AssertBlock>,
}

impl TargetCommon {
    /// Its keys.
    pub const KEYS: [&'static str; 4] = ["threadId", "timeout_ms", "client_tools", "assert"];
}
