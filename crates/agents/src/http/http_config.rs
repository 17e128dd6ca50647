//! The keys that targets of every protocol over HTTP have, as a config writes them, and how they are filled.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{HttpOptions, TlsOptions};
use ananke_base::diagnostic::Code;
use ananke_derive::Fill;
use ananke_model::model::{Flag, Number, Since, Text};
use ananke_model::variables::{Fill, Interpolation, Leaf};

/// The keys that targets of every protocol over HTTP have.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = HttpOptions)]
pub struct HttpConfig {
    /// Certificates for `https://`.
    #[schemars(example = serde_json::json!({ "ca_file": "certificates/ca.pem" }))]
    #[fill(default)]
    pub tls: Option<TlsConfig>,
    /// How often a connection that cannot be made is retried (default 0, at most 100). No request has been sent then.
    #[schemars(example = 3)]
    #[fill(default = 0, within = 0..=100)]
    pub connect_retries: Option<Number>,
    /// Size limit for a response in bytes (default 67108864, which is 64 MiB). A larger one is an error.
    #[schemars(example = 1_000_000)]
    #[fill(within = 1..=u64::from(u32::MAX))]
    pub max_response_bytes: Option<Number>,
    /// Size limit for an event in bytes (default 16777216, which is 16 MiB). A larger one is an error.
    #[schemars(example = 100_000)]
    #[fill(within = 1..=u64::from(u32::MAX))]
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

impl Fill<TlsOptions> for TlsConfig {
    /// Replaces the variables of all keys, and checks that they go together.
    ///
    /// # Errors
    /// If a key is wrong, which is reported to `interpolation`, or if a variable has no value until the test runs.
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<TlsOptions> {
        let Self {
            ca_file,
            cert_file,
            key_file,
            insecure,
        } = self;
        // Every key is filled before the first error returns, so that the problems of all are reported.
        let filled_ca_file = ca_file.fill(interpolation);
        let certificate: Leaf<Option<_>> = cert_file.fill(interpolation);
        let key: Leaf<Option<_>> = key_file.fill(interpolation);
        let is_insecure: Leaf<Option<_>> = insecure.fill(interpolation);

        // A certificate and its key are of use only together: one without the other is reported at its place.
        let without_other = match cert_file {
            Some(cert_file) if key_file.is_none() => Some(cert_file),
            Some(_) => None,
            None => key_file.as_ref(),
        };
        if let Some(file) = without_other {
            let message = "a client's certificate needs `cert_file` and `key_file`";
            return Err(interpolation.report(Code::MissingKey, file.span, message, None));
        }
        Ok(TlsOptions {
            ca_file: filled_ca_file?,
            identity: certificate?.zip(key?),
            is_insecure: is_insecure?.unwrap_or_default(),
        })
    }
}
