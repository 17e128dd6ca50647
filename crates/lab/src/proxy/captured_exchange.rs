//! A request that passed, and its response as far as it came; the exchanges of one conversation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};

use ananke_agents::{
    PassedTurn, RequestStep, ServedEnd, ServedFrame, ServedProtocol, ServedRequest, ServedResponse,
    Target,
};

/// The most bytes of a response that are kept: 64 MiB.
const MOST_BYTES: usize = 64 << 20;

/// A request of a conversation, and its response.
pub struct CapturedExchange {
    /// The request.
    pub request: CapturedRequest,
    /// The response as far as it came.
    pub response: Result<ServedResponse, Incomplete>,
}

/// A request of a conversation.
pub enum CapturedRequest {
    /// One that a protocol reads by its body.
    OfProtocol(&'static dyn ServedProtocol, Box<dyn ServedRequest>),
    /// One that the target of the agent describes.
    OfTarget(Box<DescribedRequest>),
}

/// A request that the target of the agent describes.
pub struct DescribedRequest {
    /// The request among those of the target.
    pub step: RequestStep,
    /// The id of the thread in it.
    pub thread: Option<String>,
    /// The turn that begins with it, if one does.
    pub turn: Option<PassedTurn>,
}

impl CapturedExchange {
    /// Takes it that the response to the request is this one, as far as it came: a later request may name it.
    pub(super) fn answered_by(&self, response: &ServedResponse) {
        if let CapturedRequest::OfProtocol(_, request) = &self.request {
            request.answered_by(response);
        }
    }
}

/// The reason that a response is incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// A response that is still arriving.
    Arriving,
    /// There was none, for this reason.
    NoResponse(String),
    /// A response that was too large to be kept.
    TooLarge,
    /// The client has gone away before it was complete.
    ClientLeft,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arriving => {
                formatter.write_str("a response was still arriving when the proxy ended")
            }
            Self::NoResponse(why) => write!(formatter, "the agent did not respond: {why}"),
            Self::TooLarge => {
                write!(
                    formatter,
                    "a response has more than {} MiB, which is not kept",
                    MOST_BYTES >> 20
                )
            }
            Self::ClientLeft => {
                formatter.write_str("the client went away before a response was complete")
            }
        }
    }
}

/// A response that is being kept.
pub(super) struct KeptResponse {
    response: ServedResponse,
    kept: usize,
    /// The bytes since the last end of an event.
    open: BytesMut,
    is_too_large: bool,
}

impl KeptResponse {
    pub(super) fn new(status: u16, headers: Vec<(String, String)>, after: Duration) -> Self {
        let end = ServedEnd::Complete;
        let response = ServedResponse {
            status,
            headers,
            after,
            frames: Vec::new(),
            end,
        };
        Self {
            response,
            kept: 0,
            open: BytesMut::new(),
            is_too_large: false,
        }
    }

    /// The response as far as it came, without an event that is still arriving.
    pub(super) fn so_far(&self) -> &ServedResponse {
        &self.response
    }

    /// Bytes that came so long after the request.
    pub(super) fn add(&mut self, after: Duration, bytes: &Bytes) {
        self.kept += bytes.len();
        if self.kept > MOST_BYTES {
            self.is_too_large = true;
            self.response.frames = Vec::new();
            self.open = BytesMut::new();
            return;
        }
        self.open.extend_from_slice(bytes);
        // An event stays whole in one frame, because an id that is cut in two is not replaced when the conversation is held again.
        if self.open.ends_with(b"\n") || !self.response.is_event_stream() {
            let bytes = self.open.split().freeze();
            self.response.frames.push(ServedFrame { after, bytes });
        }
    }

    /// The whole response, which ended like this.
    pub(super) fn ended(
        mut self,
        after: Duration,
        end: ServedEnd,
    ) -> Result<ServedResponse, Incomplete> {
        if self.is_too_large {
            return Err(Incomplete::TooLarge);
        }
        if !self.open.is_empty() {
            self.response.frames.push(ServedFrame {
                after,
                bytes: self.open.freeze(),
            });
        }
        self.response.end = end;
        Ok(self.response)
    }
}

/// The exchanges of one conversation, in the order in which they were asked for.
#[derive(Default)]
pub struct CapturedConversation {
    /// The exchanges.
    pub exchanges: Vec<CapturedExchange>,
    /// The target, if it describes their requests.
    pub target: Option<Arc<dyn Target>>,
}

impl CapturedConversation {
    /// Whether a request goes on with this conversation.
    pub(super) fn continues_with(&self, request: &dyn ServedRequest) -> bool {
        let Some(CapturedExchange {
            request: CapturedRequest::OfProtocol(_, last),
            ..
        }) = self.exchanges.last()
        else {
            return false;
        };
        match (last.thread(), request.thread()) {
            (Some(known), Some(thread)) => known == thread && !request.begins(),
            // The request has everything that the last one had, and more.
            (None, None) => {
                let known = last.actions();
                let actions = request.actions();
                actions.len() > known.len() && actions.starts_with(known)
            }
            _ => false,
        }
    }
}
