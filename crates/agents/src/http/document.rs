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

/// Reads a response to its end, and reports it to `sink` as one frame. `None` if the time of the exchange is up before the end.
/// `closed_at` is set to the moment at which the connection broke or the time was up; it stays as it is after a complete
/// response.
///
/// # Errors
/// If the connection breaks, or the response is too large.
pub async fn read_document(
    response: Response,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed_at: &mut Option<At>,
) -> Result<Option<Document>, TargetError> {
    // A document without a body came with its head.
    let mut last_at = response.came_at();
    let until = response.until;
    let Response {
        mut received,
        mut body,
        ..
    } = response;
    let mut bytes = Vec::new();
    loop {
        match body.next(until).await {
            Next::Bytes(at, more) => {
                last_at = at;
                // Errors quote the start of what was received.
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
                *closed_at = Some(at);
                return Err(received
                    .broken_off(format!("the connection broke inside the response: {cause}")));
            }
            Next::End => break,
            // Nothing came in time. Bytes that came after it do not count.
            Next::Late | Next::After(..) => {
                *closed_at = Some(until);
                return Ok(None);
            }
        }
        // A cancellation is noticed only when this task yields, and chunks that are there already do not make it wait.
        tokio::task::yield_now().await;
    }
    // The document is one frame: the network splits it into chunks at random, by which two recordings of one response would
    // differ.
    sink.wire(last_at, Wire::Frame(&bytes));
    Ok(Some(Document {
        received,
        at: last_at,
        bytes,
    }))
}
