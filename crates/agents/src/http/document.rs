//! Reads a response that is one document, to its end.

use super::{Next, ReceivedResponse, Response};
use crate::error::TargetError;
use crate::limits::{Limits, in_words};
use crate::sink::{Sink, Wire};
use ananke_base::context::At;

/// A response that was read to its end.
pub struct Document {
    /// The start of the response, for errors.
    pub received: ReceivedResponse,
    /// The moment at which the last of it came.
    pub at: At,
    /// The whole body.
    pub bytes: Vec<u8>,
}

/// Reads a response to its end, but not longer than the exchange may take; `None` if it takes longer. The document is a
/// frame of the connection. `closed` gets when the connection broke, or the time was up.
///
/// # Errors
/// If the connection breaks, or the response is too large.
pub async fn read_document(
    response: Response,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Option<Document>, TargetError> {
    let mut at = response.came_at();
    let until = response.until;
    let Response {
        mut received,
        mut body,
        ..
    } = response;
    let mut bytes = Vec::new();
    loop {
        match body.next(until).await {
            Next::Bytes(came, more) => {
                at = came;
                received.add(&more);
                if received.bytes > limits.max_response_bytes {
                    let message = format!(
                        "the response is larger than {} (`max_response_bytes`)",
                        in_words(limits.max_response_bytes)
                    );
                    return Err(received.error(message));
                }
                bytes.extend_from_slice(&more);
            }
            Next::Broken(at, cause) => {
                *closed = Some(at);
                return Err(received
                    .broken_off(format!("the connection broke inside the response: {cause}")));
            }
            Next::End => break,
            Next::Late | Next::After(..) => {
                *closed = Some(until);
                return Ok(None);
            }
        }
        // A cancellation must be noticed between two chunks, however much is there to read.
        tokio::task::yield_now().await;
    }
    // One frame, since the network cuts a document into chunks at random, and recordings of one answer would differ.
    sink.wire(at, Wire::Frame(&bytes));
    Ok(Some(Document {
        received,
        at,
        bytes,
    }))
}
