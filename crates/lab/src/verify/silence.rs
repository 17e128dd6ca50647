//! An entry of the silent list (SPEC 13): what no rule is about.

use serde::{Deserialize, Deserializer};

use ananke_trace::trace::KnownName;

/// An entry of the silent list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct Silence {
    /// The name under which it is unread; a star is any text.
    #[serde(deserialize_with = "pattern")]
    pub(in crate::verify) name: KnownName,
    /// The reason.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(in crate::verify) why: String,
    /// The source of its description.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(in crate::verify) source: String,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<KnownName, D::Error> {
    String::deserialize(deserializer).map(KnownName::new)
}
