//! Captures: values of a turn that later turns can use.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;

/// Where to find the value: in the last call to a `tool`, in the `text`, or in the `state`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Capture {
    /// The tool whose last call in this turn contains the value; with `args` or `result`.
    #[schemars(example = &"create_order")]
    pub tool: Option<Text>,
    /// The path of the value in the call's arguments; `$` is all of them.
    #[schemars(example = &"cart.id")]
    pub args: Option<Text>,
    /// The path of the value in the call's result; `$` is all of it.
    #[schemars(example = &"order.id")]
    pub result: Option<Text>,
    /// Regular expression with one capture group for the value, matched against the agent's text of this turn.
    #[schemars(example = r"order (\w+)")]
    pub text: Option<Text>,
    /// The path of the value in the agent's state after this turn; `$` is all of it.
    #[schemars(example = &"cart.total")]
    pub state: Option<Text>,
}
