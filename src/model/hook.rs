//! A command that prepares a test.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Number, Text};
use crate::source::FreeMap;

/// A command that runs before the first turn. What it prints to stdout, one JSON object, becomes variables.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// The program and its arguments, a word an entry. No shell reads them; `~`, `*` and `$NAME` mean nothing here.
    #[schemars(
        extend("x-since" = "1.0"),
        length(min = 1),
        example = serde_json::json!(["bash", "scripts/seed-cart.sh", "${THREAD_ID}"])
    )]
    pub cmd: Vec<Text>,
    /// How long it may take, in milliseconds (default 30000). Then it is killed, with every process it started.
    #[schemars(extend("x-since" = "1.0"))]
    pub timeout_ms: Option<Number>,
    /// Environment variables it gets beside those of ananke itself and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"CART_SIZE": "2"}))]
    pub env: Option<FreeMap<Text>>,
    /// The folder it runs in, from the config's folder (default that folder). `~` is the home folder.
    #[schemars(extend("x-since" = "1.0"), example = &"scripts")]
    pub cwd: Option<Text>,
}
