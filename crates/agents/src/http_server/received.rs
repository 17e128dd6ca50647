//! A request as a server receives it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::{fmt, io};

use bytes::{Bytes, BytesMut};
use hyper::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// A request whose body may still be arriving.
pub struct ReceivedRequest {
    /// `GET`, `POST` or another method.
    pub method: String,
    /// The path with its query: `/agent?user=1`.
    pub target: String,
    /// The headers in their order: names in lower case, values made readable.
    pub headers: Vec<(String, String)>,
    /// The content, which the handler of the request reads, or does not.
    pub body: ReceivedBody,
}

/// The body of a request as it arrives.
pub struct ReceivedBody {
    incoming: Incoming,
    watch: Option<BodyWatch>,
}

/// Gets the bytes of a body as they are read.
pub type BodyWatch = Box<dyn FnMut(&Bytes) + Send + Sync>;

/// The reason why a body is not there as a whole.
#[derive(Debug)]
pub enum BodyError {
    /// More bytes came than this limit allows.
    TooLarge(usize),
    /// The client has gone away, or does not speak HTTP any more.
    Broken(io::Error),
}

impl ReceivedRequest {
    /// A request as the library read it: its head in owned text, and its body still to be read.
    pub(super) fn of(request: Request<Incoming>) -> Self {
        let (head, body) = request.into_parts();
        // A request to a proxy may have a host instead of a path.
        let target = match head.uri.path_and_query() {
            Some(target) => target.to_string(),
            None => "/".to_owned(),
        };
        let mut headers = Vec::new();
        for (name, value) in &head.headers {
            // HTTP allows values that are not UTF-8. Such bytes are replaced, since requests are shown and recorded as text.
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            headers.push((name.as_str().to_owned(), value));
        }
        Self {
            method: head.method.as_str().to_owned(),
            target,
            headers,
            body: ReceivedBody {
                incoming: body,
                watch: None,
            },
        }
    }

    /// The path without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The first header of this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(known, _)| known == name)?;
        Some(value)
    }
}

impl ReceivedBody {
    /// The same body, of which `watch` gets the bytes as they are read.
    #[must_use]
    pub fn watched(self, watch: BodyWatch) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// The next bytes; `None` when it is complete.
    ///
    /// # Errors
    /// If the client has gone away.
    pub async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut *self).poll_frame(context)).await?;
            match frame.map(Frame::into_data) {
                Ok(Ok(bytes)) => return Some(Ok(bytes)),
                // Trailers mean nothing here.
                Ok(Err(_)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// The whole body, of at most so many bytes.
    ///
    /// # Errors
    /// If it has more, or the client has gone away.
    pub async fn whole(mut self, most: usize) -> Result<Bytes, BodyError> {
        let mut whole = BytesMut::new();
        while let Some(bytes) = self.next().await {
            let bytes = bytes.map_err(BodyError::Broken)?;
            if whole.len() + bytes.len() > most {
                return Err(BodyError::TooLarge(most));
            }
            whole.extend_from_slice(&bytes);
        }
        Ok(whole.freeze())
    }
}

impl Body for ReceivedBody {
    type Data = Bytes;
    type Error = io::Error;

    /// The next frame of the incoming body. The watch of this body, if it has one, gets the frame's bytes before they are
    /// returned, so that it has seen all that was passed on.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let polled = Pin::new(&mut self.incoming).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(bytes) = frame.data_ref()
            && let Some(watch) = &mut self.watch
        {
            watch(bytes);
        }
        polled.map(|next| next.map(|frame| frame.map_err(io::Error::other)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(most) => write!(formatter, "the body has more than {most} bytes"),
            Self::Broken(error) => write!(formatter, "the body is not complete: {error}"),
        }
    }
}
