//! One turn of a test.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AssertBlock, Text};

/// One turn: what is sent, and what must hold of the agent's answer. `type` is `user` where it is left out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(tag = "type")]
pub enum Turn {
    /// The user says something.
    #[serde(rename = "user")]
    #[schemars(extend("x-since" = "1.0"))]
    User(UserTurn),
}

impl Turn {
    /// The turn's own assertions.
    pub fn assert_block(&self) -> Option<&AssertBlock> {
        match self {
            Self::User(turn) => turn.assert.as_ref(),
        }
    }
}

/// A turn in which the user says something.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserTurn {
    /// What the user says.
    #[schemars(extend("x-since" = "1.0"), example = "I want to checkout")]
    pub user: Text,
    /// What must hold of this turn.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
}
