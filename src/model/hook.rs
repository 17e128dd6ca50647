//! A command that prepares a test.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Number, Text};
use super::since::Since;
use crate::source::FreeMap;

/// A command that runs before the first turn. What it prints to stdout, one JSON object, becomes variables.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct Hook {
    /// The program and its arguments, a word an entry. No shell reads them; `~`, `*` and `$NAME` mean nothing here.
    #[schemars(length(min = 1), example = serde_json::json!(["bash", "scripts/seed-cart.sh", "${THREAD_ID}"]))]
    pub cmd: Vec<Text>,
    /// How long it may take, in milliseconds (default 30000). Then it is killed, with every process it started.
    pub timeout_ms: Option<Number>,
    /// Environment variables it gets beside those of ananke itself and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(example = serde_json::json!({"CART_SIZE": "2"}))]
    pub env: Option<FreeMap<Text>>,
    /// The folder it runs in, from the config's folder (default that folder). `~` is the home folder.
    #[schemars(example = &"scripts")]
    pub cwd: Option<Text>,
}
