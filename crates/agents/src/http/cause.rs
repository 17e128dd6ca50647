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

    /// The cause that one error of a chain names by itself. `None` if it only says which step failed: the caller then goes on
    /// with the error that it wraps.
    fn known(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            // An `io::Error` often wraps an error of TLS, which names the cause more exactly. `source` skips the wrapped error
            // itself, so the chain of the caller would not contain it.
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
            // The error for an authority's certificate that a server uses as its own is one of the `Other` errors, and the only
            // common one.
            rustls::Error::InvalidCertificate(CertificateError::Other(_)) => {
                Some(Self::NotOfServer)
            }
            rustls::Error::InvalidCertificate(wrong) => Some(Self::BadCertificate(wrong.clone())),
            _ => None,
        }
    }

    /// The cause for a kind of error that the operating system reports. `None` for kinds that do not say why a connection failed.
    fn of_system(kind: io::ErrorKind) -> Option<Self> {
        use io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
            NetworkUnreachable, TimedOut, UnexpectedEof,
        };
        match kind {
            // Systems report in different ways that the server has ended a connection.
            UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => Some(Self::Closed),
            // The name of each of these kinds is clear enough for a message: "connection refused".
            ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut => {
                Some(Self::System(kind))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    /// Writes the cause in words that follow a colon, as in `could not connect to http://h: what it sends is not TLS`. The subject
    /// is the server before the colon.
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

/// The error of a request to `place` that got no response, after so many `attempts` to connect. The help is a guess, as good as
/// the cause allows.
pub(super) fn not_answered(failure: &reqwest::Error, place: &str, attempts: u32) -> TargetError {
    let cause = Cause::of(failure);
    // Without a connection the agent may not be there at all, which needs other help than an agent that fails.
    if failure.is_connect() {
        let attempts = if attempts > 1 {
            format!(" ({attempts} attempts)")
        } else {
            String::new()
        };
        let message = format!("{NO_CONNECTION}{place}: {cause}{attempts}");
        return TargetError::new(message).with_help(not_connected(&cause));
    }
    // A server that speaks TLS and gets plain HTTP responds with bytes that are not HTTP, or closes the connection.
    let is_plain = place.starts_with("http:");
    let help = match cause {
        Cause::NotHttp if is_plain => {
            "does the server speak TLS? Then it is `https://` instead of `http://`; or is `endpoint` not the address of an HTTP server?"
        }
        Cause::NotHttp => "is `endpoint` the address of a server that speaks HTTP?",
        Cause::Closed if is_plain => {
            "did the agent crash or restart? Its own log may say; or does it speak TLS (`https://`)?"
        }
        // The connection was made and then ended: with TLS or without a known cause, a crash is the likeliest reason.
        _ => "did the agent crash or restart? Its own log may say",
    };
    let message = format!("the connection to {place} ended before an answer came: {cause}");
    TargetError::new(message).with_help(help)
}

/// The help for a connection that could not be made.
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
        // Every other cause says only that nothing usable is at the address.
        _ => {
            "is the agent running, and is `endpoint` correct? `server` in the config can start it before the tests"
        }
    }
}
