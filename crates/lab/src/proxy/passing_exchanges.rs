//! Exchanges of a target that describes its requests, before they are sorted into conversations.
//!
//! **Invariant:** an exchange that is in no conversation is named, with the reason.

use std::sync::Arc;

use super::{
    CapturedConversation, CapturedExchange, CapturedRequest, DescribedRequest, Incomplete,
};
use ananke_agents::{
    OtherRequest, PassedExchange, PassedRequest, PassingRequests, ServedResponse, Target,
};
use ananke_base::text::escape;

/// The most exchanges that are kept.
const MOST_EXCHANGES: usize = 100_000;

/// The most kinds of other requests that are named.
const MOST_KINDS: usize = 1_000;

/// Requests of one kind that are in no test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRequests {
    /// The method and path, without the query.
    pub place: String,
    /// The reason, and whether they seem to be turns.
    pub request: OtherRequest,
    /// The number of requests with this place and reason.
    pub count: usize,
}

/// The exchanges of a target so far.
#[derive(Default)]
pub(super) struct PassingExchanges {
    exchanges: Vec<(PassedRequest, Result<ServedResponse, Incomplete>)>,
    others: Vec<OtherRequests>,
}

impl PassingExchanges {
    /// Keeps a request, and returns its number; `None` if there are too many.
    pub(super) fn begin(&mut self, request: PassedRequest) -> Option<usize> {
        if self.exchanges.len() == MOST_EXCHANGES {
            return None;
        }
        self.exchanges.push((request, Err(Incomplete::Arriving)));
        Some(self.exchanges.len() - 1)
    }

    /// The response to a request is over.
    pub(super) fn end(&mut self, number: usize, response: Result<ServedResponse, Incomplete>) {
        if let Some((_, own)) = self.exchanges.get_mut(number) {
            *own = response;
        }
    }

    /// Names a request that is in no conversation.
    pub(super) fn name(&mut self, request: &PassedRequest, other: OtherRequest) {
        let (path, _query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
        let place = format!("{} {}", request.method, escape::line(path));
        let known = self
            .others
            .iter_mut()
            .find(|known| known.place == place && known.request == other);
        if let Some(known) = known {
            known.count += 1;
        } else if self.others.len() < MOST_KINDS {
            self.others.push(OtherRequests {
                place,
                request: other,
                count: 1,
            });
        }
    }

    /// The requests that are in no conversation.
    pub(super) fn take_others(&mut self) -> Vec<OtherRequests> {
        std::mem::take(&mut self.others)
    }

    /// The conversations of everything so far.
    pub(super) fn take_sorted(
        &mut self,
        target: &Arc<dyn Target>,
        passing: &dyn PassingRequests,
    ) -> Vec<CapturedConversation> {
        let mut passed = Vec::new();
        let mut responses = Vec::new();
        for (request, response) in std::mem::take(&mut self.exchanges) {
            let complete = response.as_ref().ok().cloned();
            passed.push(PassedExchange {
                request,
                response: complete,
            });
            responses.push(Some(response));
        }
        let sorted = passing.sort(&passed);
        for (number, other) in sorted.others {
            self.name(&passed[number].request, other);
        }
        let mut conversations = Vec::new();
        for exchanges in sorted.conversations {
            let mut conversation = CapturedConversation {
                exchanges: Vec::new(),
                target: Some(Arc::clone(target)),
            };
            for exchange in exchanges {
                let response = responses.get_mut(exchange.number).and_then(Option::take);
                conversation.exchanges.push(CapturedExchange {
                    request: CapturedRequest::OfTarget(Box::new(DescribedRequest {
                        step: exchange.step,
                        thread: exchange.thread,
                        turn: exchange.turn,
                    })),
                    response: response.unwrap_or(Err(Incomplete::Arriving)),
                });
            }
            conversations.push(conversation);
        }
        conversations
    }
}
