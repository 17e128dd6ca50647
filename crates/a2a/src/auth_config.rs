//! The credentials of a client of A2A: the keys of `auth`, and the headers and certificates that they become.

use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use ananke_agents::http::HttpOptions;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_model::model::{Since, Text};
use ananke_model::variables::Interpolation;

/// How the agent knows who asks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"))]
pub struct A2aAuth {
    /// The kind of security scheme. `apiKey` needs `name` and `value`; `bearer` and `oauth2` need `token`; `mtls` needs
    /// `cert_file` and `key_file`.
    pub scheme: AuthScheme,
    /// The name of the header, query parameter or cookie of an API key.
    #[schemars(example = &"x-api-key")]
    pub name: Option<Text>,
    /// Where an API key is sent (default `header`).
    #[serde(rename = "in")]
    pub place: Option<KeyPlace>,
    /// The API key.
    #[schemars(example = "${ENV.AGENT_KEY}")]
    pub value: Option<Text>,
    /// The token. For `oauth2`: an access token that was obtained before, such as by a hook.
    #[schemars(example = "${ENV.AGENT_TOKEN}")]
    pub token: Option<Text>,
    /// The client's certificate in PEM format, relative to the directory of the config.
    #[schemars(example = "certificates/client.pem")]
    pub cert_file: Option<Text>,
    /// The key of the client's certificate.
    #[schemars(example = "certificates/client.key")]
    pub key_file: Option<Text>,
}

/// A kind of security scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum AuthScheme {
    /// An API key.
    #[serde(rename = "apiKey")]
    ApiKey,
    /// A bearer token of HTTP authentication.
    #[serde(rename = "bearer")]
    Bearer,
    /// An access token of OAuth 2.0.
    #[serde(rename = "oauth2")]
    Oauth2,
    /// A certificate of the client.
    #[serde(rename = "mtls")]
    Mtls,
}

/// Where an API key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum KeyPlace {
    /// In a header.
    Header,
    /// In the query of the URL.
    Query,
    /// In a cookie.
    Cookie,
}

/// The credentials that are sent with every request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials {
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// A query parameter.
    pub query: Option<(String, String)>,
}

impl Credentials {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.query.is_none()
    }

    /// `url` with the query parameter.
    pub(super) fn on(&self, mut url: Url) -> Url {
        if let Some((name, value)) = &self.query {
            url.query_pairs_mut().append_pair(name, value);
        }
        url
    }
}

/// Whether the scheme has every key that it needs, and none that has no effect with it. What is wrong is reported.
fn has_right_keys(auth: &Spanned<A2aAuth>, interpolation: &mut Interpolation<'_>) -> bool {
    let written = &auth.value;
    let span = |text: &Option<Text>| text.as_ref().map(|text| text.span);
    let token = [AuthScheme::Bearer, AuthScheme::Oauth2];
    let (key, certificate) = ([AuthScheme::ApiKey], [AuthScheme::Mtls]);
    let keys = [
        ("name", span(&written.name), &key[..]),
        ("value", span(&written.value), &key),
        ("token", span(&written.token), &token),
        ("cert_file", span(&written.cert_file), &certificate),
        ("key_file", span(&written.key_file), &certificate),
        ("in", written.place.map(|_| auth.span), &key),
    ];
    let scheme = written.scheme.as_str();
    let mut is_right = true;
    for (name, place, schemes) in keys {
        let (code, span, message) = match (place, schemes.contains(&written.scheme)) {
            (None, true) if name != "in" => (
                Code::MissingKey,
                auth.span,
                format!("`scheme: {scheme}` needs `{name}`"),
            ),
            (Some(span), false) => (
                Code::Contradiction,
                span,
                format!("`{name}` has no effect with `scheme: {scheme}`"),
            ),
            _ => continue,
        };
        interpolation.report(code, span, message, None);
        is_right = false;
    }
    is_right
}

/// Checks and fills `auth`, whose certificate goes into `options`; `None` if something is known later or was reported.
pub(super) fn fill_auth(
    auth: &Spanned<A2aAuth>,
    options: &mut HttpOptions,
    interpolation: &mut Interpolation<'_>,
) -> Option<Credentials> {
    let written = &auth.value;
    // Secrets are known before anything is reported, which may show the lines that they are in.
    let mut secret = |text: &Option<Text>, place| {
        text.as_ref()
            .map(|text| interpolation.credential(place, text))
            .transpose()
    };
    let value = secret(&written.value, "auth.value");
    let token = secret(&written.token, "auth.token");
    if !has_right_keys(auth, interpolation) {
        return None;
    }
    match written.scheme {
        AuthScheme::Bearer | AuthScheme::Oauth2 => {
            let span = written.token.as_ref()?.span;
            let bearer = format!("Bearer {}", token.ok()??);
            header("authorization", bearer, span, interpolation)
        }
        AuthScheme::ApiKey => {
            let span = written.value.as_ref()?.span;
            let name = written.name.as_ref()?;
            interpolation.require_values("`auth.name`", name).ok()?;
            let name = interpolation.text(name).ok()?;
            let value = value.ok()??;
            match written.place.unwrap_or(KeyPlace::Header) {
                KeyPlace::Query => Some(Credentials {
                    query: Some((name, value)),
                    ..Credentials::default()
                }),
                KeyPlace::Cookie => {
                    header("cookie", format!("{name}={value}"), span, interpolation)
                }
                KeyPlace::Header => header(&name, value, span, interpolation),
            }
        }
        AuthScheme::Mtls => {
            let files = [
                ("`auth.cert_file`", written.cert_file.as_ref()?),
                ("`auth.key_file`", written.key_file.as_ref()?),
            ];
            let [certificate, key] = files.map(|(place, file)| {
                interpolation.require_values(place, file)?;
                interpolation.path(file)
            });
            options.tls.identity = Some((certificate.ok()?, key.ok()?));
            Some(Credentials::default())
        }
    }
}

/// A header with a secret, which is not shown if it cannot be sent.
fn header(
    name: &str,
    value: String,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<Credentials> {
    if !ananke_agents::http::is_header(name, &value) {
        let message = format!(
            "the header `{}` cannot be sent with this name or this value",
            name.escape_debug()
        );
        let help = "names consist of letters, digits and `-`; a variable that is read from a file often ends with a line break";
        interpolation.report(Code::BadValue, span, message, Some(help.to_owned()));
        return None;
    }
    let headers = vec![(name.to_ascii_lowercase(), value)];
    Some(Credentials {
        headers,
        query: None,
    })
}

impl A2aAuth {
    /// The texts whose variables are secrets.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Text> {
        [&self.value, &self.token].into_iter().flatten()
    }
}

impl AuthScheme {
    fn as_str(self) -> &'static str {
        match self {
            Self::ApiKey => "apiKey",
            Self::Bearer => "bearer",
            Self::Oauth2 => "oauth2",
            Self::Mtls => "mtls",
        }
    }
}
