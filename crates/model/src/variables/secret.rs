//! Values that must not be shown: what headers and URLs carry, and the names under which they are known.
//!
//! A secret is known by its value, and by what gave it, so that a recording can name it where it was.

use super::scan::Reference;

/// The shortest secret that is masked, in characters: shorter ones would shred every text (SPEC 2).
pub const SHORTEST_SECRET: usize = 4;

/// Headers whose names contain one of these carry a secret even if it is a literal (SPEC 2).
const SECRET_PARTS: [&str; 13] = [
    "authorization",
    "authentication",
    "cookie",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "signature",
    "session",
    "apikey",
    "jwt",
];

/// The same where one of these is a whole word of the name: `x-functions-key`, `ocp-apim-subscription-key`.
const SECRET_WORDS: [&str; 4] = ["key", "auth", "sig", "pwd"];

/// Headers that are called like one and are none.
const NO_SECRETS: [&str; 2] = ["idempotency-key", "surrogate-key"];

/// A value that must be masked wherever it is shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    /// What gave it: a variable as it is referred to, `TOKEN`, `LOGIN.token`, `ENV.API_KEY`; or `headers.cookie`, a header
    /// that holds it written out, or `endpoint.password`, a part of a URL.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether it is a literal in a header or a URL: it is all of the value, or a part of it.
    pub is_written: bool,
}

impl Secret {
    /// A secret that a variable gives.
    pub(super) fn given(reference: &Reference<'_>, value: &str) -> Self {
        let name = [&[reference.name], reference.path.as_slice()]
            .concat()
            .join(".");
        Self {
            name,
            value: value.to_owned(),
            is_written: false,
        }
    }

    /// A secret that is written in the file itself: in `place`, such as `headers.cookie`.
    pub(super) fn written(place: &str, value: &str) -> Self {
        Self {
            name: place.to_ascii_lowercase(),
            value: value.to_owned(),
            is_written: true,
        }
    }

    /// Another value that is secret together with this one, and has its name.
    pub(super) fn part(&self, value: String) -> Self {
        Self {
            value,
            ..self.clone()
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

/// Whether a header of this name carries a secret even if it is a literal (SPEC 2).
pub fn is_secret_header(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    let is_like_one = SECRET_PARTS.iter().any(|part| name.contains(part))
        || name
            .split(['-', '_'])
            .any(|word| SECRET_WORDS.contains(&word));
    is_like_one && !NO_SECRETS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_carry_secrets_are_known_by_their_names() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "apikey",
            "X-API-Key",
            "x-functions-key",
            "Ocp-Apim-Subscription-Key",
            "password",
            "client-secret",
            "x-hub-signature-256",
            "x-auth-user",
            "X-Session-Id",
        ] {
            assert!(is_secret_header(name), "{name}");
        }
        for name in [
            "accept",
            "x-author",
            "x-tenant",
            "content-type",
            "Idempotency-Key",
            "x-monkey",
        ] {
            assert!(!is_secret_header(name), "{name}");
        }
    }
}
