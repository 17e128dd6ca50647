//! A response as a server sends it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use hyper::Response;
use hyper::body::{Body, Frame};
use hyper::header::{HeaderName, HeaderValue};

/// Bytes that are sent as they are made; an error breaks the connection.
pub type BodyStream = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A response whose body may still be made while its start is sent.
pub struct SentResponse {
    /// HTTP status.
    pub status: u16,
    /// The headers in their order. One that HTTP does not allow is not sent.
    pub headers: Vec<(String, String)>,
    /// The content, piece by piece.
    pub body: BodyStream,
}

impl SentResponse {
    /// A response whose body is known.
    pub fn whole(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let body = futures_util::stream::iter((!body.is_empty()).then_some(Ok(body)));
        Self {
            status,
            headers,
            body: Box::pin(body),
        }
    }

    /// The response as the library sends it. A status or header that HTTP does not allow may come from a recording or a config.
    /// It is omitted, and the rest of the response is sent.
    pub(super) fn into_hyper(self) -> Response<StreamedBody> {
        let mut response = Response::new(StreamedBody(self.body));
        // Without a valid status, the library's default of 200 stays.
        if let Ok(status) = hyper::StatusCode::from_u16(self.status) {
            *response.status_mut() = status;
        }
        for (name, value) in self.headers {
            if let Ok(name) = HeaderName::try_from(name)
                && let Ok(value) = HeaderValue::try_from(value)
            {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}

/// A stream of bytes as hyper takes it.
pub(super) struct StreamedBody(BodyStream);

impl Body for StreamedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.0
            .as_mut()
            .poll_next(context)
            .map(|next| next.map(|bytes| bytes.map(Frame::data)))
    }
}
