//! What has passed so far.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::captured_conversation::CapturedConversation;
use super::captured_exchange::{CapturedExchange, Incomplete};
use ananke_agents::{Action, ServedProtocol, ServedRequest, ServedResponse};

/// The most conversations that are kept.
const MOST_CONVERSATIONS: usize = 1000;

/// What a person reads while requests pass.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// The conversations that have passed so far. Clones share them.
#[derive(Clone, Default)]
pub struct ProxyCapture(Arc<Mutex<Vec<CapturedConversation>>>);

/// The place of an exchange: its conversation, and its number in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangePlace(usize, usize);

impl ProxyCapture {
    fn lock(&self) -> MutexGuard<'_, Vec<CapturedConversation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a request whose response is still to come; `None` if it belongs to no conversation that is kept.
    pub(super) fn begin(
        &self,
        protocol: &'static dyn ServedProtocol,
        request: Box<dyn ServedRequest>,
    ) -> Option<ExchangePlace> {
        if matches!(request.actions(), [Action::Connect]) {
            return None;
        }
        let mut all = self.lock();
        let known = all
            .iter()
            .rposition(|conversation| conversation.continues_with(&*request));
        let place = match known {
            Some(place) => place,
            None if all.len() == MOST_CONVERSATIONS => return None,
            None => {
                all.push(CapturedConversation::default());
                all.len() - 1
            }
        };
        let exchanges = &mut all[place].exchanges;
        exchanges.push(CapturedExchange {
            protocol,
            request,
            response: Err(Incomplete::Arriving),
        });
        Some(ExchangePlace(place, exchanges.len() - 1))
    }

    /// The response to a request is over.
    pub(super) fn end(
        &self,
        ExchangePlace(place, number): ExchangePlace,
        response: Result<ServedResponse, Incomplete>,
    ) {
        let mut all = self.lock();
        let exchange = all
            .get_mut(place)
            .and_then(|conversation| conversation.exchanges.get_mut(number));
        if let Some(exchange) = exchange {
            exchange.response = response;
        }
    }

    /// Everything that has passed.
    pub fn take(&self) -> Vec<CapturedConversation> {
        std::mem::take(&mut *self.lock())
    }
}
