//! The keys that select tool calls, wherever calls are selected.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;
use crate::diagnostic::{Span, Spanned};
use crate::source::{FreeMap, Node};

/// Selects the calls of a tool that match all conditions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CallSelector {
    /// The tool's exact name. An entry has this or `name_match`.
    #[schemars(extend("x-since" = "1.0"))]
    pub name: Option<Text>,
    /// Instead of `name`: a regex that the tool's name matches somewhere.
    #[schemars(extend("format" = "regex"), example = &"^cart_")]
    pub name_match: Option<Text>,
    /// Selects the calls whose arguments hold all of this: of a mapping the keys that are written, of a list every entry in its order.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR", "card": {"type": "debit"}}))]
    pub args: Option<Node>,
    /// Selects the calls whose arguments match: argument name or path (`user.name`, `items[0].id`) to regex; all must match.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"amount": "^10", "items[0].id": "sku-.*"}))]
    pub args_match: Option<FreeMap<Text>>,
    /// Selects the calls whose result holds all of this, any JSON value. A text is compared with the text of the result.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"status": "paid"}))]
    pub result: Option<Node>,
    /// Selects the calls whose result matches this regex somewhere. No result is no match.
    #[schemars(extend("x-since" = "1.0", "format" = "regex"))]
    pub result_match: Option<Text>,
    /// Whether `args` and `result` are all there may be (default false: there may be more keys).
    pub exact: Option<Spanned<bool>>,
    /// Selects the calls with a result that is an error (`true`), or with one that is none (`false`).
    pub is_error: Option<bool>,
    /// Selects the calls that have come this far.
    pub status: Option<Spanned<CallStatus>>,
}

impl CallSelector {
    /// Whether `args` and `result` are all there may be.
    pub fn is_exact(&self) -> bool {
        self.exact.as_ref().is_some_and(|exact| exact.value)
    }

    /// Where the tool is named.
    pub fn name_span(&self) -> Option<Span> {
        self.name.as_ref().or(self.name_match.as_ref()).map(|name| name.span)
    }
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CallStatus {
    /// It has no result when the level that wrote the rule ends.
    Pending,
    /// It has a result and was not denied.
    Executed,
    /// It was denied.
    Denied,
}
