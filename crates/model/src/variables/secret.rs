//! Values that must not be shown: what headers and URLs carry, and the names under which they are known.
//!
//! A secret is known by its value, and by what gave it, so that a recording can name it where it was.

use std::borrow::Cow;

use super::Reference;

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

/// Words with which a name that ends in `tokens` is that of a count: `input_tokens`, `maxTokens`.
const COUNTED_TOKENS: [&str; 16] = [
    "audio",
    "cache",
    "cached",
    "completion",
    "context",
    "count",
    "input",
    "max",
    "min",
    "output",
    "prompt",
    "reasoning",
    "remaining",
    "thinking",
    "total",
    "used",
];

/// Headers that are called like one and are none.
const NO_SECRETS: [&str; 2] = ["idempotency-key", "surrogate-key"];

/// Words of a name whose value is a secret, in queries, bodies and environments (SPEC 14).
const NAMED_SECRETS: [&str; 7] = [
    "token",
    "secret",
    "password",
    "credential",
    "authorization",
    "cookie",
    "apikey",
];

/// The words before `key` that make it one.
const SECRET_KEYS: [&str; 3] = ["api", "access", "private"];

/// Words with which a name counts or limits something: `max_token`, `page_token`.
const COUNTS: [&str; 5] = ["max", "total", "count", "limit", "page"];

/// The fewest characters of a secret that its name alone makes one.
const SHORTEST_NAMED: usize = 8;

/// A value that must be masked wherever it is shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    /// The origin of the secret: a variable as it is referred to, `TOKEN`, `LOGIN.token`, `ENV.API_KEY`; or
    /// `headers.cookie`, a header that contains it as text, or `endpoint.password`, a part of a URL.
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
    is_like_one && !NO_SECRETS.contains(&name.as_str()) && !counts_tokens(header)
}

/// Whether a name is that of a number of tokens.
fn counts_tokens(name: &str) -> bool {
    let words = words(name);
    words.last().is_some_and(|last| last == "tokens")
        && words
            .iter()
            .any(|word| COUNTED_TOKENS.contains(&word.as_str()))
}

/// A test of the name of a secret in a query, a body or an environment (SPEC 14): `API_KEY`, `sessionToken`.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let is_key = words
        .windows(2)
        .any(|pair| pair[1] == "key" && SECRET_KEYS.contains(&pair[0].as_str()));
    let is_one = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    (is_key || is_one(&NAMED_SECRETS)) && !is_one(&COUNTS)
}

/// A test of a value with such a name: a secret has eight characters and is no number, boolean or path.
pub fn is_secret_value(value: &str) -> bool {
    let is_path = ["/", "./", "../", "~/"]
        .iter()
        .any(|start| value.starts_with(start));
    value.chars().count() >= SHORTEST_NAMED && !is_path && value.parse::<f64>().is_err()
}

/// The target of a request, or a URL, with `***` for the values of its query that are secret by their names.
pub fn masked_query(target: &str) -> Cow<'_, str> {
    let Some((path, query)) = target.split_once('?') else {
        return Cow::Borrowed(target);
    };
    let masked = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret_parameter(name) => {
            Cow::Owned(format!("{name}=***"))
        }
        _ => Cow::Borrowed(pair),
    });
    Cow::Owned(format!("{path}?{}", masked.collect::<Vec<_>>().join("&")))
}

/// A test of the name of a parameter of a query, which may be encoded.
pub(super) fn is_secret_parameter(name: &str) -> bool {
    url::form_urlencoded::parse(name.as_bytes())
        .next()
        .is_some_and(|(name, _)| is_secret_name(&name))
}

/// The words of a name, in lower case: `X-Api-Key`, `apiKey` and `API_KEY` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let begins =
            !character.is_alphanumeric() || character.is_uppercase() && before.is_lowercase();
        if begins {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_secret_in_queries_bodies_and_environments() {
        for name in [
            "API_KEY",
            "apiKey",
            "x-api-key",
            "OPENAI_API_KEY",
            "privateKey",
            "access_key",
            "session_token",
            "accessToken",
            "password",
            "client-secret",
            "credential",
            "Authorization",
            "set-cookie",
            "apikey",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "max_token",
            "tokens",
            "total_tokens",
            "tokenizer",
            "page_token",
            "token_count",
            "token_limit",
            "key",
            "primary_key",
            "keyboard",
            "monkey",
            "secretary",
            "passwords_of",
            "",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        for value in ["5ecret-0001", "correct horse", "12345678a"] {
            assert!(is_secret_value(value), "{value}");
        }
        for value in [
            "short",
            "1234567890",
            "1.5e300000",
            "/etc/app/key.pem",
            "./key.pem",
            "~/secrets",
            "",
        ] {
            assert!(!is_secret_value(value), "{value}");
        }
    }

    #[test]
    fn queries_are_masked_by_the_names_of_their_values() {
        for (target, masked) in [
            ("/a", "/a"),
            ("/a?page=3&session_token=abc", "/a?page=3&session_token=***"),
            ("/a?x%2Dapi%2Dkey=abc&b", "/a?x%2Dapi%2Dkey=***&b"),
            ("/a?token=&apikey=1#x", "/a?token=&apikey=***"),
            ("https://h/?page_token=7", "https://h/?page_token=7"),
        ] {
            assert_eq!(masked_query(target), masked);
        }
    }

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
            "access_tokens",
            "x-token",
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
            "input_tokens",
            "max_output_tokens",
            "totalTokens",
            "x-ratelimit-remaining-tokens",
        ] {
            assert!(!is_secret_header(name), "{name}");
        }
    }
}
