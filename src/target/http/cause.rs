//! Why a connection failed: known by kind, said in words of our own.

use std::error::Error;
use std::fmt;
use std::io;

use rustls::CertificateError;

/// Why a connection failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// The server does not speak TLS.
    NotTls,
    /// This machine does not trust who signed the certificate.
    UnknownIssuer,
    /// The certificate is not valid for this connection.
    BadCertificate(CertificateError),
    /// What came is not HTTP.
    NotHttp,
    /// The server ended the connection.
    Closed,
    /// Something else that the system reports.
    System(io::ErrorKind),
    /// Anything else, in the words of its library.
    Other(String),
}

impl Cause {
    /// The cause of `failure`.
    pub(super) fn of(failure: &reqwest::Error) -> Self {
        let mut innermost: &dyn Error = failure;
        loop {
            if let Some(cause) = Self::known(innermost) {
                return cause;
            }
            match innermost.source() {
                Some(source) => innermost = source,
                None => return Self::Other(in_lower_case(&innermost.to_string())),
            }
        }
    }

    fn known(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            // What it wraps is no `source` of it.
            let wrapped = error.get_ref().and_then(|wrapped| Self::known(wrapped));
            return wrapped.or_else(|| Self::of_system(error.kind()));
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            return match error {
                error if error.is_parse() => Some(Self::NotHttp),
                error if error.is_incomplete_message() => Some(Self::Closed),
                _ => None,
            };
        }
        match error.downcast_ref::<rustls::Error>()? {
            rustls::Error::InvalidMessage(_) => Some(Self::NotTls),
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Some(Self::UnknownIssuer),
            rustls::Error::InvalidCertificate(wrong) => Some(Self::BadCertificate(wrong.clone())),
            _ => None,
        }
    }

    fn of_system(kind: io::ErrorKind) -> Option<Self> {
        use io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
            NetworkUnreachable, TimedOut, UnexpectedEof,
        };
        match kind {
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => Some(Self::Closed),
            ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut => Some(Self::System(kind)),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTls => write!(formatter, "what it sends is not TLS"),
            Self::UnknownIssuer => write!(formatter, "its certificate is signed by an unknown issuer"),
            Self::BadCertificate(wrong) => write!(formatter, "its certificate is not valid ({wrong})"),
            Self::NotHttp => write!(formatter, "what it sends is not HTTP"),
            Self::Closed => write!(formatter, "the server closed it"),
            Self::System(kind) => write!(formatter, "{kind}"),
            Self::Other(words) => write!(formatter, "{words}"),
        }
    }
}

/// A sentence without its first capital; an abbreviation stays.
fn in_lower_case(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
