//! One exchange up to the head of its response: the request goes out, and a refusal becomes an error that quotes it.

use std::time::Duration;

use super::received::START_BYTES;
use super::{Body, ClientEvent, HttpRequest, Next, ReceivedResponse, Transport, shown};
use crate::error::TargetError;
use crate::limits::Limits;
use crate::sink::{Sink, Wire};
use ananke_base::context::At;

/// The time for which the body of an HTTP error is read: its status alone says that the exchange failed.
const REFUSAL: Duration = Duration::from_secs(1);

/// A response; its body is still to be read.
pub struct Response {
    /// The part that was received so far: the head.
    pub received: ReceivedResponse,
    /// The part that is still to come.
    pub body: Box<dyn Body>,
    /// The moment at which the time of the exchange is up.
    pub until: At,
    /// The moment at which the head came.
    at: At,
}

impl Response {
    /// The moment at which the head came.
    pub(super) fn came_at(&self) -> At {
        self.at
    }

    /// The response, if its status is success.
    ///
    /// # Errors
    /// If it has another status.
    pub async fn accepted(self) -> Result<Self, TargetError> {
        if (200..300).contains(&self.received.head.status) {
            Ok(self)
        } else {
            Err(self.refusal().await)
        }
    }

    /// The error of a response that is no success; it quotes the body.
    pub async fn refusal(self) -> TargetError {
        let until = self.until.min(self.at.plus(REFUSAL));
        refusal(self.received, self.body, until).await
    }
}

/// Sends a request, and waits for the head of its response, whatever its status. `None` if the time of the exchange is up before
/// the head comes: `closed_at` is then set to that moment. Request and head are reported to `sink`.
///
/// # Errors
/// If the connection fails before a response comes.
pub async fn send(
    transport: &dyn Transport,
    request: HttpRequest,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed_at: &mut Option<At>,
) -> Result<Option<Response>, TargetError> {
    // A target may limit the rate of requests. The time of the exchange begins after the wait. A replay has the recorded moments,
    // so the transport is asked for the time, and not a clock.
    limits.admit_request().await;
    let sent = transport.moment(ClientEvent::Sends);
    let until = limits.until(sent);

    // The transport sends the request at once, before `reply` is awaited. So the time that the sink takes to record the request
    // is not measured as time of the agent. The sink gets a clone, because the transport takes the request.
    let reported = request.clone();
    let reply = transport.send(request, until);
    sink.wire(
        sent,
        Wire::Request {
            method: reported.method.as_str(),
            url: &shown(&reported.url),
            headers: &reported.headers,
        },
    );
    let body = &reported.body;
    sink.wire(sent, Wire::Sent { body });

    // The clone shares the progress of the request, which names the step that did not end: no connection, or no response.
    let progress = reported.progress;
    let Some(reply) = reply.await? else {
        *closed_at = Some(until);
        if let Some(missing) = progress.words() {
            sink.wire(until, Wire::Late { missing: &missing });
        }
        return Ok(None);
    };
    sink.wire(
        reply.at,
        Wire::Head {
            status: reply.head.status,
            content_type: &reply.head.content_type,
        },
    );
    // The network notes all headers. In a replay there are only those that the protocol reads, because a recording has no others.
    let all_headers = progress.response_headers();
    let headers = all_headers.as_deref().unwrap_or(&reply.head.headers);
    sink.wire(reply.at, Wire::Headers(headers));
    let received = ReceivedResponse::new(reply.head);
    Ok(Some(Response {
        received,
        body: reply.body,
        until,
        at: reply.at,
    }))
}

/// The remedy for a response with a status of 500 or more; none for others. A response in JSON is none of a proxy, and says
/// itself why the server is overloaded or has failed.
pub fn failure_help(received: &ReceivedResponse) -> Option<&'static str> {
    match received.head.status {
        ..500 => None,
        502..=504 if received.head.content_type.contains("json") => None,
        502..=504 => Some(
            "a proxy or a load balancer answers so if the agent or the server does not respond: is it running?",
        ),
        _ => Some("the logs of the agent or the server say why"),
    }
}

/// The error of a response with another status than success. It quotes the start of the body, as far as that comes before
/// `until`.
async fn refusal(
    mut received: ReceivedResponse,
    mut body: Box<dyn Body>,
    until: At,
) -> TargetError {
    // A body that breaks or takes too long is no error of its own: the status says that the exchange failed.
    while received.bytes < START_BYTES
        && let Next::Bytes(_, bytes) = body.next(until).await
    {
        received.add(&bytes);
    }
    refused(&received)
}

/// The error of a response whose status is no success. All that it quotes of the body was read.
pub fn refused(received: &ReceivedResponse) -> TargetError {
    let status = received.head.status;
    // Redirects are not followed, because the rules of HTTP may turn a POST into a GET on the way. The user has to decide whether
    // the new URL is the right one.
    if let 300..=399 = status
        && let Some(location) = &received.head.location
    {
        return received
            .error(format!("the agent redirects to {location}"))
            .with_help(
                "redirects are not followed for POST requests: set `endpoint` to the new URL",
            );
    }
    let help = match status {
        401 | 403 => Some("check the `headers` of the target, such as `authorization`"),
        404 | 405 => Some("is `endpoint` the URL that runs the agent?"),
        // For a status of 500 or more, the fault is on the side of the server; for others, nothing helpful is known.
        _ => failure_help(received),
    };
    received.refusal(format!("the agent responded with HTTP {status}"), help)
}
