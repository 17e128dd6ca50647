//! A server over HTTP that could not be spoken to: whether it could be with the other transport. It is tried once, and no further
//! than the handshake, which changes nothing.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::talk::{Talk, TalkEnd};
use super::{client::Client, config::McpProtocol, connection::Connection};
use ananke_agents::{Limits, Sink, Stop, TargetError, Wire};
use ananke_base::context::At;
use ananke_trace::trace::Change;

/// The time that the attempt may take.
const ATTEMPT: Duration = Duration::from_secs(5);

/// The error of a handshake that failed, with what came of the other transport.
pub(super) async fn with_hint(
    error: TargetError,
    client: &mut Client,
    talk: &mut Talk<'_>,
) -> TargetError {
    let Connection::Http(connection) = &client.connection else {
        return error;
    };
    let (other, name) = connection.by_other_transport();
    if !may_speak(&error, name) {
        return error;
    }
    let protocol = if name == "sse" {
        McpProtocol::Legacy
    } else {
        McpProtocol::Auto
    };
    let mut other = Client::new(
        Connection::Http(Box::new(other)),
        protocol,
        Arc::clone(&client.offered),
    );
    let latest = talk.until(talk.began.unwrap_or_default());
    let limits = Limits {
        timeout: ATTEMPT,
        deadline: Some(latest),
        ..talk.limits.clone()
    };
    let is_connected = other
        .connect(&mut Talk::new(limits, &mut NoSink))
        .await
        .is_ok();
    other.close(TalkEnd::Complete).await;
    if is_connected {
        return error.with_help(format!(
            "the server speaks with `transport: {name}`: set it"
        ));
    }
    let either = format!("`transport: {name}` was tried too, and does not work");
    let help = match &error.help {
        Some(help) if help.ends_with('?') => format!("{help} {either}"),
        Some(help) => format!("{help}; {either}"),
        None => either,
    };
    error.with_help(help)
}

/// Whether the transport with this name may do better: the server responded, and not with a redirect or a question for a password. A
/// server with two endpoints refuses what is sent to its stream, so success is no sign of one.
fn may_speak(error: &TargetError, name: &str) -> bool {
    match error.received.status {
        None | Some(300..=399 | 401 | 403 | 407 | 429) => false,
        Some(200..=299) => name == "http",
        Some(_) => true,
    }
}

/// Nothing of the attempt is part of the turn.
struct NoSink;

impl Sink for NoSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}
