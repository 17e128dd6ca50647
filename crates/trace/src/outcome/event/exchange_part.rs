//! A part of an exchange, as it is shown while a test runs.

use crate::redact::mask_headers;
use ananke_derive::Mask;

/// A part of an exchange. Bodies and events are truncated, and bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq, Mask)]
pub enum ExchangePart {
    /// The destination of a request.
    Request {
        /// `POST http://127.0.0.1:8000/agent`; without its query.
        line: String,
        /// Its headers.
        #[mask(with = mask_headers)]
        headers: Vec<(String, String)>,
    },
    /// The body of a request.
    Sent(String),
    /// The HTTP status of a response.
    Response(u16),
    /// The headers of a response.
    Headers(#[mask(with = mask_headers)] Vec<(String, String)>),
    /// No response came in time; what was missing.
    Late(String),
    /// An event of a response.
    Event(String),
    /// What a path of the target takes of the event before it.
    Taken(String),
    /// So many events are not shown, since too many waited for the end of a text.
    LeftOut(usize),
    /// The response is over.
    Closed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{MASK, Mask as _, Redactor};

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
