//! HTTP URLs, and what is secret in them.

use std::ops::Range;

use url::Url;

use super::credentials::{forms, is_long};
use super::secret::{is_secret_parameter, is_secret_value};
use super::{Interpolation, Leaf, Lookup, Piece, Reference, Secret, credentials, scan};
use crate::model::Text;
use ananke_base::diagnostic::Code;

/// The least length of a part of a path that is taken for a key, if a variable gives the host as well.
const SHORTEST_KEY: usize = 12;

/// The HTTP URL of an agent: as [`http_url`], and no variable in it is empty.
///
/// # Errors
/// If a variable is known later, or something is wrong, which was reported.
pub fn endpoint_url(
    written: &Text,
    name: &str,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Url> {
    interpolation.require_values(&format!("`{name}`"), written)?;
    http_url(written, name, interpolation)
}

/// An HTTP URL that is needed only when requests are sent; messages call it `name`. Its user and password are secrets, and
/// so is what variables give behind its host.
///
/// # Errors
/// If a variable is known later, or something is wrong, which was reported.
pub fn http_url(written: &Text, name: &str, interpolation: &mut Interpolation<'_>) -> Leaf<Url> {
    let text = &interpolation.sent_text(written)?;
    let problem = match Url::parse(text) {
        Ok(url) => {
            add_secrets(text, &url, name, written, interpolation);
            if !matches!(url.scheme(), "http" | "https") {
                if url.cannot_be_a_base() {
                    format!(
                        "the {name} is not a valid URL: it must start with `http://` or `https://`"
                    )
                } else {
                    format!(
                        "the {name} has the scheme `{}`, expected `http` or `https`",
                        url.scheme()
                    )
                }
            } else if !url.has_host() {
                format!("the {name} has no host")
            } else {
                return Ok(url);
            }
        }
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            format!("the {name} is not a valid URL: it must start with `http://` or `https://`")
        }
        Err(error) => format!("the {name} is not a valid URL: {error}"),
    };
    let help = format!("write the full URL: `{}`", meant(text, written));
    Err(interpolation.report(Code::BadUrl, written.span, problem, Some(help)))
}

/// The URL that is probably meant by `text`: `localhost:8000/agent` lacks only its scheme. What contains a variable is not
/// repeated, since it may be secret.
fn meant(text: &str, written: &Text) -> String {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = host.split(':').all(|part| !part.is_empty())
        && !host.contains('@')
        && host.contains([':', '.']);
    let full = format!("http://{text}");
    let is_plain = written.value == text
        && text
            .chars()
            .all(|sign| sign.is_ascii_graphic() && sign != '`');
    match Url::parse(&full) {
        Ok(url) if is_host && is_plain && url.has_host() && !text.contains(['?', '#']) => full,
        _ => "http://127.0.0.1:8000/agent".to_owned(),
    }
}

fn add_secrets(
    text: &str,
    url: &Url,
    name: &str,
    written: &Text,
    interpolation: &mut Interpolation<'_>,
) {
    let known = interpolation.secrets.len();
    let of_url = Secret::written(name, "");
    let authority = authority(text);
    let (rest, path) = (authority.start, authority.end);
    let host = text[authority].rfind('@').map_or(rest, |at| rest + at);
    add_written_secrets(text, url, name, interpolation);
    for (reference, at) in inserted(text, written, interpolation) {
        let value = &text[at.clone()];
        if at.start >= path || at.end <= host && at.start >= rest {
            interpolation.add_given(&reference, value);
            let given = Secret::given(&reference, value);
            interpolation.secrets.extend(
                forms(value)
                    .into_iter()
                    .skip(1)
                    .map(|form| given.part(form)),
            );
        } else if at.end > path {
            interpolation.secrets.extend(
                keys(&text[path..at.end])
                    .into_iter()
                    .map(|key| of_url.part(key)),
            );
        }
    }
    interpolation.warn_of_short_secrets(known, name, written.span);
}

/// Adds the user and password of a URL, which messages call `name`, to the secrets, and the values of its query whose names say that
/// they are one.
pub fn add_written_secrets(
    text: &str,
    url: &Url,
    name: &str,
    interpolation: &mut Interpolation<'_>,
) {
    let of_url = Secret::written(name, "");
    let mut user_info = Vec::new();
    for part in [url.username(), url.password().unwrap_or_default()].map(forms) {
        user_info.extend(part.into_iter().filter(|part| !part.is_empty()));
    }
    if let (Some(_), Some((whole, _))) = (url.password(), text[authority(text)].rsplit_once('@')) {
        // As a header `Basic` carries it.
        user_info.extend(forms(whole));
    }
    let parts = user_info.into_iter().chain(named_values(text));
    interpolation
        .secrets
        .extend(parts.map(|part| of_url.part(part)));
}

/// The values of the query of a URL that are secrets by their names, as they are written and decoded.
fn named_values(text: &str) -> Vec<String> {
    let before_fragment = text.split('#').next().unwrap_or_default();
    let Some((_, query)) = before_fragment.split_once('?') else {
        return Vec::new();
    };
    let mut values = Vec::new();
    for pair in query.split('&') {
        if let Some((name, value)) = pair.split_once('=')
            && is_secret_parameter(name)
            && is_secret_value(value)
        {
            values.extend(forms(value));
        }
    }
    values
}

/// The range of the user, password, host and port of a URL.
fn authority(text: &str) -> Range<usize> {
    let start = text.find("://").map_or(0, |end| end + 3);
    start
        ..text[start..]
            .find(['/', '?', '#'])
            .map_or(text.len(), |at| start + at)
}

/// The references of `written`, each with where `text` holds its value; none of those that gave their defaults.
fn inserted<'t>(
    text: &str,
    written: &'t Text,
    interpolation: &Interpolation<'_>,
) -> Vec<(Reference<'t>, Range<usize>)> {
    let (mut inserted, mut end) = (Vec::new(), 0);
    for piece in scan(&written.value).unwrap_or_default() {
        let start = end;
        match piece {
            Piece::Literal(literal) => end += literal.len(),
            Piece::Reference(reference) => {
                let Lookup::Value(value) = interpolation.scope.look_up(&reference) else {
                    return Vec::new();
                };
                let value = interpolation.text_of(&value);
                end += value.len();
                if reference.default != Some(value.as_str())
                    && !value.is_empty()
                    && !is_public(&reference)
                {
                    inserted.push((reference, start..end));
                }
            }
        }
    }
    // In a replay something else may replace the URL.
    if end == text.len() {
        inserted
    } else {
        Vec::new()
    }
}

/// Whether everybody may know the value: the name and file of the test, which reports and recordings are named after, and
/// its thread.
fn is_public(reference: &Reference<'_>) -> bool {
    matches!(reference.name, "TEST_NAME" | "TEST_FILE" | "THREAD_ID")
}

/// The parts of the path of a URL that look like keys, and every value in its query.
fn keys(tail: &str) -> Vec<String> {
    let tail = tail.split('#').next().unwrap_or_default();
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let is_key = |part: &&str| {
        let has =
            |is_sought: fn(&char) -> bool| part.chars().any(|character| is_sought(&character));
        part.len() >= SHORTEST_KEY && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
    };
    let mut keys: Vec<String> = path.split('/').filter(is_key).flat_map(forms).collect();
    keys.extend(credentials(query).into_iter().filter(|part| is_long(part)));
    keys
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::variables::{Mode, Scope};
    use ananke_base::context::Environment;
    use ananke_base::diagnostic::{SourceFile, Span};

    #[test]
    fn user_password_and_what_variables_give_are_secret() {
        let mut environment = Environment::default();
        for (name, value) in [
            ("HOST", "shop.example"),
            ("PW", "hunter%322"),
            (
                "URL",
                "https://me:pass1@shop.example/agent/T0123456789ab?key=k3y-1234&v=1",
            ),
        ] {
            environment.set(name, value);
        }
        let mut scope = Scope::new(Arc::new(environment));
        scope.set("TEST_NAME", "checkout");
        let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", ""));
        for (written, expected) in [
            ("http://${ENV.HOST}/agent", &[][..]),
            ("http://${ENV.HOST}/?key=literal", &[]),
            (
                "http://x/a?v=1&api_key=k3y%2D1234&page_token=abcdefgh&token=12345678#token=no-secret",
                &["k3y%2D1234", "k3y-1234"],
            ),
            ("http://x/?session%5Ftoken=k3y-1234", &["k3y-1234"]),
            (
                "http://me:p%61ss@x/",
                &["me", "p%61ss", "pass", "me:p%61ss", "me:pass"],
            ),
            ("http://x/?key=${ENV.PW}", &["hunter%322", "hunter22"]),
            ("http://x/${ENV.PW}/run", &["hunter%322", "hunter22"]),
            ("http://x/${ENV.NONE:-agent}/run", &[]),
            ("http://x/${TEST_NAME}/run", &[]),
            (
                "${ENV.URL}",
                &["me", "pass1", "me:pass1", "T0123456789ab", "k3y-1234"],
            ),
        ] {
            let mut problems = Vec::new();
            let mut interpolation = Interpolation::new(&scope, &source, Mode::Send, &mut problems);
            let written = Text {
                value: written.to_owned(),
                span: Span::new(0, 0),
            };
            http_url(&written, "endpoint", &mut interpolation).unwrap();
            let found: Vec<String> = interpolation
                .into_secrets()
                .into_iter()
                .map(|secret| secret.value)
                .collect();
            assert_eq!(found, expected, "{}", written.value);
        }
    }
}
