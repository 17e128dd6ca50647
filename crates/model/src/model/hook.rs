//! A command that prepares a test.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Text, TimeoutMs};
use super::since::Since;
use ananke_base::source::FreeMap;

/// A command that runs before the first turn. It prints one JSON object, whose keys become variables.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct Hook {
    /// Program and arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["bash", "scripts/seed-cart.sh", "${THREAD_ID}"]), extend("x-spelling" = "command"))]
    pub cmd: Vec<Text>,
    /// Timeout in milliseconds (default 30000), after which it is killed with every process it started.
    pub timeout_ms: Option<TimeoutMs>,
    /// Environment variables, in addition to ananke's own and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(example = serde_json::json!({"CART_SIZE": "2"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"scripts")]
    pub cwd: Option<Text>,
}
