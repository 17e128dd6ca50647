//! The requests to an agent and its answers in a recording, for a server that answers the same.

use std::time::Duration;

use super::exchange::{BodyEnd, RecordedExchange, RecordedResponse};
use ananke_agents::{ServedEnd, ServedFrame, ServedResponse};

/// One request to the agent, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentExchange {
    /// `POST`.
    pub method: String,
    /// The path that it was sent to, without its query.
    pub path: String,
    /// The body of the request.
    pub body: String,
    /// The answer.
    pub answer: AgentAnswer,
}

/// The answer to a request to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentAnswer {
    /// A response, which may break off.
    Response(ServedResponse),
    /// Nothing, and the connection stays.
    Nothing,
    /// The connection breaks before a response.
    NoConnection,
}

impl AgentExchange {
    pub(super) fn of(exchange: &RecordedExchange) -> Self {
        Self {
            method: exchange.method.as_str().to_owned(),
            path: exchange.path.clone(),
            body: exchange.body.clone(),
            answer: answer(exchange),
        }
    }
}

fn answer(exchange: &RecordedExchange) -> AgentAnswer {
    let after = |at: u64| Duration::from_micros(at.saturating_sub(exchange.sent));
    let (at, head, pieces, end) = match &exchange.answer {
        RecordedResponse::Late(_) => return AgentAnswer::Nothing,
        RecordedResponse::Failed(..) => return AgentAnswer::NoConnection,
        RecordedResponse::Received {
            at,
            head,
            pieces,
            end,
        } => (at, head, pieces, end),
    };
    let frames = pieces.iter().map(|(at, bytes)| ServedFrame {
        after: after(*at),
        bytes: bytes.clone(),
    });
    let mut response = ServedResponse::new(head.status, &head.content_type, frames.collect());
    if let Some(location) = &head.location {
        response
            .headers
            .push(("location".to_owned(), location.clone()));
    }
    // A response without a type has no header for it.
    response.headers.retain(|(_, value)| !value.is_empty());
    response.headers.extend(head.headers.iter().cloned());
    response.after = after(*at);
    response.end = match end {
        BodyEnd::Complete => ServedEnd::Complete,
        BodyEnd::Broken(at, _) => ServedEnd::Breaks(after(*at)),
        BodyEnd::Left => ServedEnd::Stalls,
    };
    AgentAnswer::Response(response)
}
