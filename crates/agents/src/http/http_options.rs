//! The options of the requests of a target in addition to their address and headers.

use std::path::PathBuf;

use crate::limits::Limits;

/// The options of a connection over TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TlsOptions {
    /// A file of authorities to trust in addition.
    pub ca_file: Option<PathBuf>,
    /// The files of the client's certificate and of its key.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// Whether any certificate of the server is accepted.
    pub is_insecure: bool,
}

/// The options of the requests of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpOptions {
    /// The options of a connection over TLS.
    pub tls: TlsOptions,
    /// The number of times that a connection that could not be made is retried. Nothing has been sent then.
    pub connect_retries: u32,
    /// The largest response, in bytes; `None` is the default.
    pub max_response_bytes: Option<usize>,
    /// The largest event, in bytes; `None` is the default.
    pub max_event_bytes: Option<usize>,
}

impl HttpOptions {
    /// `limits` with the sizes of the target.
    pub fn limits(&self, limits: &Limits) -> Limits {
        Limits {
            max_response_bytes: self.max_response_bytes.unwrap_or(limits.max_response_bytes),
            max_event_bytes: self.max_event_bytes.unwrap_or(limits.max_event_bytes),
            ..limits.clone()
        }
    }
}
