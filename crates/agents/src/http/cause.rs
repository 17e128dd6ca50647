//! The cause of a failed connection: known by kind, said in words of our own.

use std::error::Error;
use std::{fmt, io};

use rustls::CertificateError;

use crate::error::{NO_CONNECTION, TargetError};
use ananke_trace::process::{OUT_OF_FILES_HELP, is_out_of_files};

/// The cause of a failed connection.
#[derive(Debug)]
pub(super) enum Cause {
    /// The server does not speak TLS.
    NotTls,
    /// This machine does not trust who signed the certificate, which may be the server itself.
    UnknownIssuer,
    /// The certificate is not one of a server: as a rule, one that signs itself and was made as an authority.
    NotOfServer,
    /// The certificate is not valid for this connection.
    BadCertificate(CertificateError),
    /// The response is not HTTP.
    NotHttp,
    /// The server ended the connection.
    Closed,
    /// This process has too many files open.
    OutOfFiles,
    /// Something else that the system reports.
    System(io::ErrorKind),
    /// Anything else, in the words of its library.
    Other(String),
}

impl Cause {
    /// The cause that the innermost known error names: those around it only say which step failed.
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

    /// The cause of an error of the system.
    pub(super) fn of_io(error: &io::Error) -> Self {
        Self::known(error).unwrap_or_else(|| Self::Other(in_lower_case(&error.to_string())))
    }

    fn known(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            // An error that is wrapped in one of the system is no `source` of it, so it is asked for here.
            if let Some(wrapped) = error.get_ref()
                && let Some(cause) = Self::known(wrapped)
            {
                return Some(cause);
            }
            if is_out_of_files(error) {
                return Some(Self::OutOfFiles);
            }
            return Self::of_system(error.kind());
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
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
                Some(Self::UnknownIssuer)
            }
            rustls::Error::InvalidCertificate(CertificateError::Other(_)) => {
                Some(Self::NotOfServer)
            }
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
            ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut => {
                Some(Self::System(kind))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTls => write!(formatter, "what it sends is not TLS"),
            Self::UnknownIssuer => {
                write!(
                    formatter,
                    "its certificate is signed by itself or by an unknown issuer"
                )
            }
            Self::NotOfServer => {
                write!(
                    formatter,
                    "its certificate is not that of a server, but perhaps of an authority"
                )
            }
            Self::BadCertificate(wrong) => {
                write!(formatter, "its certificate is not valid ({wrong})")
            }
            Self::NotHttp => write!(formatter, "what it sends is not HTTP"),
            Self::Closed => write!(formatter, "the server closed it"),
            Self::OutOfFiles => write!(formatter, "this process has too many files open"),
            Self::System(kind) => write!(formatter, "{kind}"),
            Self::Other(words) => write!(formatter, "{words}"),
        }
    }
}

/// A sentence without its first capital; an abbreviation stays.
fn in_lower_case(text: &str) -> String {
    let mut letters = text.chars();
    if let Some(first) = letters.next()
        && let Some(second) = letters.clone().next()
        && second.is_lowercase()
    {
        let mut lower: String = first.to_lowercase().collect();
        lower.push_str(letters.as_str());
        return lower;
    }
    text.to_owned()
}

/// The error of a request to `place` that got no response, after so many `attempts` to connect.
pub(super) fn not_answered(failure: &reqwest::Error, place: &str, attempts: u32) -> TargetError {
    let cause = Cause::of(failure);
    if failure.is_connect() {
        let attempts = if attempts > 1 {
            format!(" ({attempts} attempts)")
        } else {
            String::new()
        };
        let message = format!("{NO_CONNECTION}{place}: {cause}{attempts}");
        return TargetError::new(message).with_help(not_connected(&cause));
    }
    // A server of TLS that gets plain HTTP answers something else, or closes the connection.
    let is_plain = place.starts_with("http:");
    let help = match cause {
        Cause::NotHttp if is_plain => {
            "does the server speak TLS? Then it is `https://` instead of `http://`; or is `endpoint` not the address of an HTTP server?"
        }
        Cause::NotHttp => "is `endpoint` the address of a server that speaks HTTP?",
        Cause::Closed if is_plain => {
            "did the agent crash or restart? Its own log may say; or does it speak TLS (`https://`)?"
        }
        _ => "did the agent crash or restart? Its own log may say",
    };
    let message = format!("the connection to {place} ended before an answer came: {cause}");
    TargetError::new(message).with_help(help)
}

/// The remedy for a connection that did not come about.
fn not_connected(cause: &Cause) -> &'static str {
    match cause {
        Cause::NotTls => {
            "the server does not seem to speak TLS: is it `http://` instead of `https://`?"
        }
        Cause::UnknownIssuer => {
            "this machine does not trust who signed the server's certificate: name it in the target's `tls: { ca_file: … }`, or add it to the roots of the operating system"
        }
        Cause::NotOfServer => {
            "did the server sign its certificate itself? Make one with `basicConstraints=CA:FALSE`, and name it in the target's `tls: { ca_file: … }`"
        }
        Cause::OutOfFiles => OUT_OF_FILES_HELP,
        Cause::BadCertificate(_) => {
            "is the server's certificate made for the host of `endpoint`, and valid today?"
        }
        _ => {
            "is the agent running, and is `endpoint` correct? `server` in the config can start it before the tests"
        }
    }
}
