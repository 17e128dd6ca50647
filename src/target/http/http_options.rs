//! What the requests of a target need in addition to their address and headers.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diagnostic::Code;
use crate::model::{Flag, Number, Since, Text};
use crate::target::limits::Limits;
use crate::variables::Interpolation;

/// Certificates for a connection over TLS. Files are in PEM format; paths are relative to the directory of the config.
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

/// What a connection over TLS needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TlsOptions {
    /// A file of authorities to trust in addition.
    pub ca_file: Option<PathBuf>,
    /// The files of the client's certificate and of its key.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Whether any certificate of the server is accepted.
    pub is_insecure: bool,
}

/// What the requests of a target need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpOptions {
    /// What a connection over TLS needs.
    pub tls: TlsOptions,
    /// How often a connection that could not be made is retried. Nothing has been sent then.
    pub connect_retries: u32,
    /// The largest response, in bytes; `None` is the default.
    pub max_response_bytes: Option<usize>,
    /// The largest event, in bytes; `None` is the default.
    pub max_event_bytes: Option<usize>,
}

/// The most attempts that `connect_retries` can ask for.
const MOST_RETRIES: u64 = 100;

impl HttpOptions {
    /// Fills the keys of a target; `None` if something is known later or was reported.
    pub fn fill(
        tls: Option<&TlsConfig>,
        connect_retries: Option<&Number>,
        max_response_bytes: Option<&Number>,
        max_event_bytes: Option<&Number>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let tls = tls.map_or_else(|| Some(TlsOptions::default()), |tls| tls.fill(interpolation));
        let mut number = |written: Option<&Number>, least, most| {
            written.map(|written| interpolation.number_within(written, least, most)).transpose()
        };
        let connect_retries = number(connect_retries, 0, MOST_RETRIES);
        let most = u64::from(u32::MAX);
        let max_response_bytes = number(max_response_bytes, 1, most);
        let max_event_bytes = number(max_event_bytes, 1, most);
        let bytes = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        Some(Self {
            tls: tls?,
            connect_retries: connect_retries
                .ok()?
                .and_then(|count| u32::try_from(count).ok())
                .unwrap_or_default(),
            max_response_bytes: bytes(max_response_bytes.ok()?),
            max_event_bytes: bytes(max_event_bytes.ok()?),
        })
    }

    /// `limits` with the sizes of the target.
    pub fn limits(&self, limits: &Limits) -> Limits {
        Limits {
            max_response_bytes: self.max_response_bytes.unwrap_or(limits.max_response_bytes),
            max_event_bytes: self.max_event_bytes.unwrap_or(limits.max_event_bytes),
            ..limits.clone()
        }
    }
}

impl TlsConfig {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Option<TlsOptions> {
        let folder = interpolation.source().path.parent().map(Path::to_path_buf).unwrap_or_default();
        let mut path = |written: &Option<Text>| match written {
            None => Some(None),
            Some(written) => interpolation.text(written).ok().map(|path| Some(folder.join(path))),
        };
        let (ca_file, cert_file, key_file) =
            (path(&self.ca_file), path(&self.cert_file), path(&self.key_file));
        let is_insecure = self.insecure.as_ref().map_or(Some(false), |flag| interpolation.flag(flag).ok());
        if let (Some(alone), None) | (None, Some(alone)) = (&self.cert_file, &self.key_file) {
            let message = "a client's certificate needs `cert_file` and `key_file`";
            interpolation.report(Code::MissingKey, alone.span, message, None);
            return None;
        }
        Some(TlsOptions { ca_file: ca_file?, identity: cert_file?.zip(key_file?), is_insecure: is_insecure? })
    }
}
