//! The secrets in addition to those in headers.

use schemars::JsonSchema;

use super::scalars::Text;
use super::text_or::TextOr;

/// Something to mask: the name of a variable, whatever sets it, or a pattern.
pub type RedactEntry = TextOr<RedactMatch>;

/// Regular expression for secrets to mask.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactMatch {
    /// Regular expression: what it matches is masked in all output.
    #[schemars(extend("x-since" = "1.3"), example = "sk-[A-Za-z0-9]{8,}")]
    #[serde(rename = "match")]
    pub pattern: Text,
}
