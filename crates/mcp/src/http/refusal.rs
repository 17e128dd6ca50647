//! The errors of responses that are not what a server of MCP promises; they quote the response.

use std::time::Duration;

use super::incoming_reply::{IncomingReply, ReplyItem};
use ananke_agents::TargetError;
use ananke_agents::http::{BodyForm, ReceivedResponse, failure_help};
use ananke_base::context::At;

/// The time for which the body of a refusal is read: its status alone says that it is one.
const REFUSAL: Duration = Duration::from_secs(1);

/// The error of a response that is no message.
pub(super) fn no_message(received: &ReceivedResponse) -> TargetError {
    let status = received.head.status;
    if let (300..=399, Some(location)) = (status, &received.head.location) {
        return received
            .error(format!("the server redirects to {location}"))
            .with_help(
                "redirects are not followed for POST requests: set `endpoint` to the new URL",
            );
    }
    if (200..300).contains(&status) {
        let error = received.error("the response is not a message of MCP");
        return match received.form() {
            BodyForm::WebPage => {
                error.with_help("it is a web page: is `endpoint` the URL of the server?")
            }
            BodyForm::Empty => {
                error.with_help("a request of MCP is answered in the response to it")
            }
            BodyForm::JsonDocument | BodyForm::JsonLines => {
                error.with_help("it is JSON of another protocol: is `type: mcp` right?")
            }
            BodyForm::Other => error,
        };
    }
    refused(received, format!("the server responded with HTTP {status}"))
}

/// The error of a response that came at `at` and should be a stream; it quotes what comes of the body soon.
pub(super) async fn no_stream(reply: IncomingReply, at: At, until: At) -> TargetError {
    let message = match reply.status() {
        200..=299 => "the server opens no stream of events".to_owned(),
        status => format!("the server opens no stream of events: HTTP {status}"),
    };
    quoting_body(reply, message, at, until).await
}

/// The error of a response to a message that came at `at`; it quotes what comes of the body soon.
pub(super) async fn not_accepted(reply: IncomingReply, at: At, until: At) -> TargetError {
    let message = format!("the server refuses a message with HTTP {}", reply.status());
    quoting_body(reply, message, at, until).await
}

/// An error that quotes what comes of the body soon after `at`.
async fn quoting_body(mut reply: IncomingReply, message: String, at: At, until: At) -> TargetError {
    // The head may be what is there.
    while let Some(ReplyItem::Head(_)) = reply.take() {}
    let _late = reply.fill(until.min(at.plus(REFUSAL))).await;
    match &reply.received {
        Some(received) => refused(received, message),
        None => TargetError::new(message),
    }
}

/// The error of a stream that does not begin as one of two endpoints.
pub(super) fn no_endpoint(stream: &IncomingReply, message: &str) -> TargetError {
    quoting(stream, message).with_help("is `endpoint` the URL of the stream?")
}

/// The error of a message in a response that is wrong for this reason.
pub(super) fn wrong_message(reply: &IncomingReply, why: &str) -> TargetError {
    quoting(reply, &format!("a message of the server {why}"))
}

fn quoting(reply: &IncomingReply, message: &str) -> TargetError {
    reply.received.as_ref().map_or_else(
        || TargetError::new(message),
        |received| received.error(message),
    )
}

fn refused(received: &ReceivedResponse, message: String) -> TargetError {
    let help = match received.head.status {
        401 | 403 => Some("check the `headers` of the target, such as `authorization`"),
        200..=299 | 404 | 405 => Some("is `endpoint` the URL of the server?"),
        _ => failure_help(received),
    };
    received.refusal(message, help)
}
