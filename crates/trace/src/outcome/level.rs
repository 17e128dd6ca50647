//! The scope that a rule is defined on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// The level that a rule is defined on.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
    )]
    pub enum Level {
        /// The target of the config.
        Target = "target",
        /// The test.
        #[default]
        Test = "test",
        /// A turn.
        Turn = "turn",
        /// A checkpoint.
        Checkpoint = "checkpoint",
    }
}
