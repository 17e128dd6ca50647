//! What must not be told: values that headers carry, and the names under which they are known.
//!
//! A secret is known by its value, and by what gave it, so that a recording can name it where it stood.

use super::scan::Reference;

/// The shortest secret that is masked, in characters: shorter ones would shred every text (SPEC 2).
pub const SHORTEST_SECRET: usize = 4;

/// A value that must be masked wherever it is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    /// What gave it: a variable as it is referred to, `TOKEN`, `LOGIN.token`, `ENV.API_KEY`; or `headers.cookie`, a header
    /// that holds it written out.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether it is written out in a header: it is all of the header's value, or the last part of it.
    pub is_written: bool,
}

impl Secret {
    /// A secret that a variable gives.
    pub(super) fn given(reference: &Reference<'_>, value: &str) -> Self {
        let name = [&[reference.name], reference.path.as_slice()].concat().join(".");
        Self { name, value: value.to_owned(), is_written: false }
    }

    /// A secret that stands in the file itself.
    pub(super) fn written(header: &str, value: &str) -> Self {
        Self {
            name: format!("headers.{}", header.to_ascii_lowercase()),
            value: value.to_owned(),
            is_written: true,
        }
    }

    /// Whether it is too short to be masked.
    pub fn is_short(&self) -> bool {
        self.value.chars().count() < SHORTEST_SECRET
    }
}

impl AsRef<str> for Secret {
    fn as_ref(&self) -> &str {
        &self.value
    }
}

/// Whether a header of this name carries a secret even where it is written out (SPEC 2).
pub(super) fn is_in_header(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    matches!(name.as_str(), "authorization" | "proxy-authorization" | "cookie")
        || name.contains("api-key")
        || name.contains("token")
}
