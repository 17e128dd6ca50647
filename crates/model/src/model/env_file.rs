//! A file of environment variables.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Flag, Text};
use super::since::Since;
use super::text_or::TextOr;

/// A file of environment variables: its path, or a mapping.
pub type EnvFileEntry = TextOr<EnvFile>;

/// A file of environment variables, which may be missing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct EnvFile {
    /// The file, relative to the directory of the config.
    #[schemars(example = &".env")]
    pub path: Text,
    /// Whether a missing file is an error (default `true`).
    #[schemars(example = false)]
    pub required: Option<Flag>,
}
