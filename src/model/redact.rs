//! What is secret in addition to what headers carry.

use schemars::JsonSchema;

use super::scalars::Text;
use super::text_or::TextOr;

/// Something to mask: the name of a variable, whatever sets it, or a pattern.
pub type RedactEntry = TextOr<RedactMatch>;

/// A pattern for secrets that are masked.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactMatch {
    /// A pattern: what it matches is masked wherever it stands.
    #[schemars(extend("x-since" = "1.3"), example = "sk-[A-Za-z0-9]{8,}")]
    #[serde(rename = "match")]
    pub pattern: Text,
}
