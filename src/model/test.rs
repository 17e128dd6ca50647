//! A test file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AssertBlock, ClientTool, Hook, Text, Turn};
use crate::diagnostic::Spanned;

/// One test: a conversation with the agent, and what must hold of what the agent does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = super::leaf::homes()))]
pub struct TestFile {
    /// The schema version this file is written for, as a quoted string: "1.0" to "1.3".
    #[schemars(extend("x-since" = "1.0"))]
    pub version: Text,
    /// What the test shows, in a few words. With the file's path it is the test's id.
    #[schemars(extend("x-since" = "1.0"), length(min = 1), example = "checkout flow with validation")]
    pub name: Text,
    /// The name of the target of this test, whatever the target of the others is: one of the config's `targets`, or
    /// `default` for the one that the config writes at `target`.
    #[schemars(extend("x-since" = "1.3"), length(min = 1), example = &"staging")]
    pub target: Option<Text>,
    /// Commands that run before the first turn, in order. What they print as JSON becomes variables.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!([{"cmd": ["bash", "scripts/seed-cart.sh"]}]))]
    pub hooks: Option<Vec<Hook>>,
    /// Tools that the agent's client carries out, in the places of the target's of the same name or beside them.
    #[schemars(extend("x-since" = "1.3"))]
    pub client_tools: Option<Vec<ClientTool>>,
    /// The conversation, in order; at least one turn.
    #[schemars(extend("x-since" = "1.0"), length(min = 1))]
    pub turns: Vec<Spanned<Turn>>,
    /// What must hold of the test as a whole. Prohibitions and limits also apply to each of its turns.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}
