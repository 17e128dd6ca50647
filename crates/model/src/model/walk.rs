//! Walks: what a user may do, of which many random conversations are made.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Number;
use super::since::Since;
use super::turn::Turn;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_derive::Bounds;

/// Random conversations of actions, each on a thread of its own. The rules of the target and the test apply to each. A
/// walk that fails is shrunk to the fewest turns that violate the same rule.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Walk::bounds)]
pub struct Walk {
    /// What the user may do: each action is a turn with a name of your choice.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 100))]
    #[schemars(with = "std::collections::BTreeMap<String, WalkAction>",
        example = serde_json::json!({"ask": {"user": "Where is my order?"}, "confirm": {"user": "Yes", "needs": {"text": {"contains": "Are you sure"}}}}))]
    pub actions: FreeMap<Spanned<WalkAction>>,
    /// The largest number of actions in a walk, from 1 to 1000 (default 8).
    #[schemars(example = 8)]
    #[bounds(default = 8, within = 1..=1000)]
    pub steps: Option<Number>,
    /// The number of walks, from 1 to 10000 (default 100).
    #[schemars(example = 200)]
    #[bounds(default = 100, within = 1..=10_000)]
    pub walks: Option<Number>,
    /// Where the random choices begin (default 1). The same seed and the same answers of the agent give the same walks.
    #[schemars(example = 7)]
    #[bounds(default = 1, within = 0..=u64::MAX)]
    pub seed: Option<Number>,
}

/// Something that a user may do: a turn, which may have `needs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct WalkAction(pub Turn);
