//! The parts that are sent and received, as `--debug` shows them.

use ananke_trace::outcome::mask_headers;
use ananke_trace::redact::{Mask, Redactor};

/// A part of an exchange. Bodies and events are truncated, and bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangePart {
    /// The destination of a request.
    Request {
        /// `POST http://127.0.0.1:8000/agent`; without its query.
        line: String,
        /// Its headers.
        headers: Vec<(String, String)>,
    },
    /// The body of a request.
    Sent(String),
    /// The HTTP status of a response.
    Response(u16),
    /// The headers of a response.
    Headers(Vec<(String, String)>),
    /// No response came in time; what was missing.
    Late(String),
    /// An event of a response.
    Event(String),
    /// So many events are not shown, since too many waited for the end of a text.
    LeftOut(usize),
    /// The response is over.
    Closed,
}

impl Mask for ExchangePart {
    fn mask(&mut self, redactor: &Redactor) {
        match self {
            Self::Request { line, headers } => {
                line.mask(redactor);
                mask_headers(headers, redactor);
            }
            Self::Headers(headers) => mask_headers(headers, redactor),
            Self::Sent(text) | Self::Late(text) | Self::Event(text) => text.mask(redactor),
            Self::Response(_) | Self::LeftOut(_) | Self::Closed => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_trace::redact::MASK;

    #[test]
    fn headers_that_are_usually_secret_are_masked() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut part = ExchangePart::Headers(vec![
            header("Set-Cookie", "a=b"),
            header("x-api-key", "abc"),
            header("authorization", "Bearer abc"),
            header("content-type", "text/plain"),
        ]);
        part.mask(&Redactor::default());
        let ExchangePart::Headers(headers) = part else {
            panic!("headers")
        };
        let values: Vec<&str> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [MASK, MASK, MASK, "text/plain"]);
    }
}
