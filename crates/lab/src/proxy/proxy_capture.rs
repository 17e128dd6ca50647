//! The exchanges that have passed so far.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::passing_exchanges::PassingExchanges;
use super::{
    CapturedConversation, CapturedExchange, CapturedRequest, ExchangeSpool, Incomplete,
    OtherRequests,
};
use ananke_agents::http_server::ServerNotice;
use ananke_agents::{
    Action, OtherRequest, PassedRequest, PassingRequests, RecognizedRequest, ServedProtocol,
    ServedRequest, ServedResponse, Target,
};
use ananke_base::context::lock;
use ananke_trace::redact::Redactor;

/// The most conversations that are kept.
const MOST_CONVERSATIONS: usize = 10_000;

/// The conversations that have passed so far, and the secrets in them. Clones share them.
#[derive(Clone)]
pub struct ProxyCapture {
    conversations: Arc<Mutex<Vec<CapturedConversation>>>,
    /// The exchanges of a target that describes its requests.
    passing: Arc<Mutex<PassingExchanges>>,
    /// The target, once it is known.
    target: Arc<OnceLock<Arc<dyn Target>>>,
    /// Every secret that passed, in no order.
    secrets: Arc<Mutex<HashSet<String>>>,
    redactor: Redactor,
    /// The file of what passed; `None` if it is in memory alone.
    spool: Option<Arc<ExchangeSpool>>,
    /// Set once it was said that no more conversations are kept.
    is_full: Arc<AtomicBool>,
}

/// The place of an exchange.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExchangePlace {
    /// The conversation, and the number of the exchange in it.
    InConversation(usize, usize),
    /// The number among the exchanges that are not sorted yet.
    Unsorted(usize),
}

impl ProxyCapture {
    /// Nothing has passed. What is printed is masked by `redactor`, which gets to know the secrets that pass.
    pub fn new(redactor: Redactor) -> Self {
        Self {
            conversations: Arc::default(),
            passing: Arc::default(),
            target: Arc::default(),
            secrets: Arc::default(),
            redactor,
            spool: None,
            is_full: Arc::default(),
        }
    }

    /// The same, which writes each exchange to `spool` when it ends.
    #[must_use]
    pub fn spooled(mut self, spool: ExchangeSpool) -> Self {
        self.spool = Some(Arc::new(spool));
        self
    }

    /// Reads requests as `target` describes them, if it does; otherwise protocols read them.
    pub fn read_with(&self, target: Arc<dyn Target>) {
        // A proxy has one target for all of its time.
        let _is_known = self.target.set(target);
    }

    /// The reader of the target, if it describes its requests.
    pub(super) fn described(&self) -> Option<&dyn PassingRequests> {
        self.target.get()?.passing()
    }

    /// Keeps a request that the target describes. One that it does not is named in the end.
    pub(super) fn begin_described(
        &self,
        request: PassedRequest,
        recognized: Result<RecognizedRequest, OtherRequest>,
        notice: &ServerNotice,
    ) -> Option<ExchangePlace> {
        let mut passing = lock(&self.passing);
        if let Err(other) = recognized {
            passing.name(&request, other);
            return None;
        }
        let place = passing.begin(request);
        if place.is_none() && !self.is_full.swap(true, Ordering::Relaxed) {
            notice("warning: no more requests are kept: others pass and are not recorded");
        }
        place.map(ExchangePlace::Unsorted)
    }

    /// The requests that are in no conversation.
    pub fn take_others(&self) -> Vec<OtherRequests> {
        lock(&self.passing).take_others()
    }

    /// The path of the spool, which stays from now on; `None` if nothing is in it, or there is none.
    pub fn keep_spool(&self) -> Option<&Path> {
        self.spool.as_ref()?.keep()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CapturedConversation>> {
        self.conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps secrets, before anything is printed or written that may repeat them.
    pub(super) fn learn(&self, secrets: Vec<String>) {
        self.redactor.add(&secrets);
        self.secrets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(secrets);
    }

    /// Every secret that passed, in no order.
    pub fn secrets(&self) -> Vec<String> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secrets.iter().cloned().collect()
    }

    /// Keeps a request whose response is still to come; `None` if it belongs to no conversation that is kept.
    pub(super) fn begin(
        &self,
        protocol: &'static dyn ServedProtocol,
        request: Box<dyn ServedRequest>,
        notice: &ServerNotice,
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
            None if all.len() == MOST_CONVERSATIONS => {
                if !self.is_full.swap(true, Ordering::Relaxed) {
                    notice(&format!(
                        "warning: {MOST_CONVERSATIONS} conversations are kept: others pass and are not recorded"
                    ));
                }
                return None;
            }
            None => {
                all.push(CapturedConversation::default());
                all.len() - 1
            }
        };
        let exchanges = &mut all[place].exchanges;
        exchanges.push(CapturedExchange {
            request: CapturedRequest::OfProtocol(protocol, request),
            response: Err(Incomplete::Arriving),
        });
        Some(ExchangePlace::InConversation(place, exchanges.len() - 1))
    }

    /// Takes it that the response to a request has begun like this. A later request may name it before its end has passed, since
    /// a client goes on after the last event.
    pub(super) fn begun(&self, place: ExchangePlace, so_far: &ServedResponse) {
        let ExchangePlace::InConversation(place, number) = place else {
            return;
        };
        let all = self.lock();
        let conversation = all.get(place);
        if let Some(exchange) = conversation.and_then(|known| known.exchanges.get(number)) {
            exchange.answered_by(so_far);
        }
    }

    /// The response to a request with this body is over.
    ///
    /// # Errors
    /// If it cannot be written to the spool; it is kept in memory.
    pub(super) fn end(
        &self,
        place: ExchangePlace,
        body: &[u8],
        response: Result<ServedResponse, Incomplete>,
    ) -> io::Result<()> {
        // The error of the spool comes last, so that the exchange is in memory before anything is said about it.
        let spooled = if let Some(spool) = &self.spool
            && let Ok(response) = &response
        {
            spool.add(body, response, &self.redactor)
        } else {
            Ok(())
        };
        match place {
            ExchangePlace::Unsorted(number) => lock(&self.passing).end(number, response),
            ExchangePlace::InConversation(place, number) => {
                let mut all = self.lock();
                let exchange = all
                    .get_mut(place)
                    .and_then(|conversation| conversation.exchanges.get_mut(number));
                if let Some(exchange) = exchange {
                    if let Ok(response) = &response {
                        exchange.answered_by(response);
                    }
                    exchange.response = response;
                }
            }
        }
        spooled
    }

    /// Everything that has passed.
    pub fn take(&self) -> Vec<CapturedConversation> {
        if let Some(target) = self.target.get()
            && let Some(passing) = target.passing()
        {
            return lock(&self.passing).take_sorted(target, passing);
        }
        std::mem::take(&mut *self.lock())
    }
}
