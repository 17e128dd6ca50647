//! The keys that targets of every protocol over HTTP have, as a config writes them, and how they are filled.

use schemars::JsonSchema;
use serde::Deserialize;

use super::http_options::{HttpOptions, TlsOptions};
use ananke_base::diagnostic::Code;
use ananke_model::model::{Flag, Number, Since, Text};
use ananke_model::variables::Interpolation;

/// The keys that targets of every protocol over HTTP have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct HttpConfig {
    /// Certificates for `https://`.
    #[schemars(example = serde_json::json!({ "ca_file": "certificates/ca.pem" }))]
    pub tls: Option<TlsConfig>,
    /// How often a connection that cannot be made is retried (default 0, at most 100). No request has been sent then.
    #[schemars(example = 3)]
    pub connect_retries: Option<Number>,
    /// Size limit for a response in bytes (default 67108864, which is 64 MiB). A larger one is an error.
    #[schemars(example = 1_000_000)]
    pub max_response_bytes: Option<Number>,
    /// Size limit for an event in bytes (default 16777216, which is 16 MiB). A larger one is an error.
    #[schemars(example = 100_000)]
    pub max_event_bytes: Option<Number>,
}

/// Certificates for a connection over TLS. Files are in PEM format; paths are relative to the directory of the config,
/// and `~` at their start is the home directory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct TlsConfig {
    /// Certificates of authorities to trust, in addition to those of the operating system.
    #[schemars(example = "certificates/ca.pem")]
    pub ca_file: Option<Text>,
    /// The client's certificate, for a server that asks for one. Needs `key_file`.
    #[schemars(example = "certificates/client.pem")]
    pub cert_file: Option<Text>,
    /// The key of the client's certificate.
    #[schemars(example = "certificates/client.key")]
    pub key_file: Option<Text>,
    /// Whether any certificate of the server is accepted (default `false`). Only for tests on your own machine.
    #[schemars(example = true)]
    pub insecure: Option<Flag>,
}

/// The most attempts that `connect_retries` can ask for.
const MOST_RETRIES: u64 = 100;

impl HttpConfig {
    /// Fills the keys; `None` if something is known later or was reported.
    pub fn fill(&self, interpolation: &mut Interpolation<'_>) -> Option<HttpOptions> {
        let tls = self.tls.as_ref().map_or_else(
            || Some(TlsOptions::default()),
            |tls| tls.fill(interpolation),
        );
        let mut number = |written: &Option<Number>, least, most| {
            written
                .as_ref()
                .map(|written| interpolation.number_within(written, least, most))
                .transpose()
        };
        let connect_retries = number(&self.connect_retries, 0, MOST_RETRIES);
        let most = u64::from(u32::MAX);
        let max_response_bytes = number(&self.max_response_bytes, 1, most);
        let max_event_bytes = number(&self.max_event_bytes, 1, most);
        let bytes = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        Some(HttpOptions {
            tls: tls?,
            connect_retries: connect_retries
                .ok()?
                .and_then(|count| u32::try_from(count).ok())
                .unwrap_or_default(),
            max_response_bytes: bytes(max_response_bytes.ok()?),
            max_event_bytes: bytes(max_event_bytes.ok()?),
        })
    }
}

impl TlsConfig {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Option<TlsOptions> {
        let mut path = |written: &Option<Text>| match written {
            None => Some(None),
            Some(written) => interpolation.path(written).ok().map(Some),
        };
        let (ca_file, cert_file, key_file) = (
            path(&self.ca_file),
            path(&self.cert_file),
            path(&self.key_file),
        );
        let is_insecure = self
            .insecure
            .as_ref()
            .map_or(Some(false), |flag| interpolation.flag(flag).ok());
        if let (Some(alone), None) | (None, Some(alone)) = (&self.cert_file, &self.key_file) {
            let message = "a client's certificate needs `cert_file` and `key_file`";
            interpolation.report(Code::MissingKey, alone.span, message, None);
            return None;
        }
        Some(TlsOptions {
            ca_file: ca_file?,
            identity: cert_file?.zip(key_file?),
            is_insecure: is_insecure?,
        })
    }
}
