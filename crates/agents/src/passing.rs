//! Requests of the clients of an agent, as a proxy sees them pass, and what a target makes of them: conversations.
//!
//! A protocol reads a request by its body alone. A target that describes its requests recognizes them by what it describes, and
//! some belong to a conversation only by a value of an earlier response. So it gets everything that passed at once, in its order.

use bytes::Bytes;

use super::http::HttpRequest;
use super::served::ServedResponse;
use ananke_base::message::{RequestAdditions, TurnInput};

/// A request of a client as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedRequest {
    /// `POST`.
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// The headers in their order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, not compressed.
    pub body: Bytes,
}

impl From<&HttpRequest> for PassedRequest {
    fn from(request: &HttpRequest) -> Self {
        let mut target = request.url.path().to_owned();
        if let Some(query) = request.url.query() {
            target.push('?');
            target.push_str(query);
        }
        Self {
            method: request.method.as_str().to_owned(),
            target,
            headers: request.headers.clone(),
            body: request.body.clone(),
        }
    }
}

/// A request that passed, and its response.
#[derive(Clone, Debug)]
pub struct PassedExchange {
    /// The request as the client sent it, not as it was sent on.
    pub request: PassedRequest,
    /// The response; `None` if it is not complete.
    pub response: Option<ServedResponse>,
}

/// Recognizes the requests of a target's agent, also those of other clients.
pub trait PassingRequests: Send + Sync {
    /// Recognizes one request.
    ///
    /// # Errors
    /// If it is none that the target describes.
    fn recognize(&self, request: &PassedRequest) -> Result<RecognizedRequest, OtherRequest>;

    /// Sorts exchanges into conversations; they are in the order in which they passed.
    fn sort(&self, exchanges: &[PassedExchange]) -> SortedExchanges;
}

/// A request that a target describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecognizedRequest {
    /// The request among those that the target describes.
    pub step: RequestStep,
    /// The message of the user, or the request instead, in words.
    pub words: String,
    /// The id of the thread in it.
    pub thread: Option<String>,
}

/// A request among those that a target describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestStep {
    /// One before the first turn, counted from 0.
    Start(usize),
    /// The one of a turn.
    Main,
    /// The one of a turn that answers an interrupt.
    Resume,
    /// One after that of a turn, counted from 0.
    Then(usize),
}

/// A request that is no part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRequest {
    /// The reason, in words that follow the request.
    pub reason: String,
    /// Whether it seems to be a turn all the same, so that a conversation lacks it.
    pub is_turn: bool,
}

/// The conversations among exchanges.
#[derive(Debug, Default)]
pub struct SortedExchanges {
    /// The conversations in the order in which they began.
    pub conversations: Vec<Vec<SortedExchange>>,
    /// The numbers of the exchanges that are in no conversation, each with the reason.
    pub others: Vec<(usize, OtherRequest)>,
}

/// An exchange of a conversation.
#[derive(Debug)]
pub struct SortedExchange {
    /// Position among all that passed, from 0.
    pub number: usize,
    /// The request among those that the target describes.
    pub step: RequestStep,
    /// The id of the thread in its request.
    pub thread: Option<String>,
    /// The turn that begins with it, if one does.
    pub turn: Option<PassedTurn>,
}

/// A turn of a conversation that passed.
#[derive(Clone, Debug, PartialEq)]
pub struct PassedTurn {
    /// The input of the user.
    pub input: TurnInput,
    /// The headers, parameters and keys that its request had in addition to what the target describes.
    pub additions: RequestAdditions,
    /// The parts of its request that no turn can send, in words.
    pub left_out: Vec<String>,
}
