//! Passes requests on to the agent, and responses back to its clients.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;

use super::captured_exchange::KeptResponse;
use super::passing_secrets::passing_secrets;
use super::proxy_capture::ExchangePlace;
use super::{Incomplete, ProxyCapture};
use ananke_agents::http::{ForwardedResponse, Forwarder};
use ananke_agents::http_server::{
    BodyWatch, ReceivedRequest, RequestHandler, SentResponse, ServerNotice,
};
use ananke_agents::{
    OtherRequest, PassedRequest, RecognizedRequest, ServedEnd, ServedProtocol, ServedRequest,
    served_protocols_at,
};
use ananke_base::source::received_json;
use ananke_model::variables::masked_query;

/// The most bytes of a request that are looked at: 16 MiB. Every request passes.
const MOST_BYTES: usize = 16 << 20;

/// Passes requests on.
pub struct ProxyServer {
    forwarder: Forwarder,
    capture: ProxyCapture,
    notice: ServerNotice,
}

/// The beginning of a body that has been read so far; `None` if it has become too large.
type SeenBody = Arc<Mutex<Option<BytesMut>>>;

impl ProxyServer {
    /// A proxy in front of the server of `forwarder`. `capture` gets what passes, and `notice` a line about each exchange.
    pub fn new(forwarder: Forwarder, capture: ProxyCapture, notice: ServerNotice) -> Self {
        Self {
            forwarder,
            capture,
            notice,
        }
    }

    async fn pass(&self, request: ReceivedRequest) -> SentResponse {
        let ReceivedRequest {
            method,
            target,
            headers,
            body,
        } = request;
        let seen: SeenBody = Arc::new(Mutex::new(Some(BytesMut::new())));
        let body = body.watched(watch(&seen));
        let began = Instant::now();
        let answered = self
            .forwarder
            .forward(&method, &target, &headers, body)
            .await;
        let body = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        let json = body
            .as_ref()
            .and_then(|body| received_json::read_as::<Value>(body).ok());
        self.capture
            .learn(passing_secrets(&headers, &target, json.as_ref()));
        let body = body.map(BytesMut::freeze);
        let unread = format!("{method} {}", masked_query(&target));
        let request = PassedRequest {
            method,
            target,
            headers,
            body: body.clone().unwrap_or_default(),
        };
        // A request that has not reached the agent is in no conversation, and its body was not read to its end.
        let (asks, place) = match self.capture.described() {
            Some(passing) if answered.is_ok() => {
                let recognized = match &body {
                    Some(_) => passing.recognize(&request),
                    None => Err(too_large()),
                };
                self.begin_described(request, recognized)
            }
            None if request.method == "POST" => self.begin(&request.target, &request.body),
            Some(_) | None => (None, None),
        };
        let line = asks.unwrap_or(unread);
        let mut passing = Passing {
            capture: self.capture.clone(),
            notice: Arc::clone(&self.notice),
            place,
            body: body.unwrap_or_default(),
            line,
            began,
            kept: None,
            left: None,
        };
        match answered {
            Ok(response) => passing.respond(response),
            Err(why) => {
                passing.end(Err(Incomplete::NoResponse(why.clone())));
                let text = format!("the agent cannot be reached: {why}\n");
                SentResponse::whole(502, "text/plain; charset=utf-8", text)
            }
        }
    }
}

impl ProxyServer {
    /// Keeps a request that a protocol reads: the request in words, and its place.
    fn begin(&self, target: &str, body: &Bytes) -> (Option<String>, Option<ExchangePlace>) {
        let Some((protocol, request)) = read(target, body) else {
            return (None, None);
        };
        let asks = format!("{}: {}", protocol.name(), request.describe());
        let place = self.capture.begin(protocol, request, &self.notice);
        (Some(asks), place)
    }

    /// Keeps a request that the target describes: the request in words, and its place.
    fn begin_described(
        &self,
        request: PassedRequest,
        recognized: Result<RecognizedRequest, OtherRequest>,
    ) -> (Option<String>, Option<ExchangePlace>) {
        let asks = match &recognized {
            Ok(recognized) => Some(format!("HTTP: {}", recognized.words)),
            Err(_) => None,
        };
        let place = self
            .capture
            .begin_described(request, recognized, &self.notice);
        (asks, place)
    }
}

impl RequestHandler for ProxyServer {
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>> {
        Box::pin(async { Some(self.pass(request).await) })
    }
}

/// The reason that a request is not looked at.
fn too_large() -> OtherRequest {
    OtherRequest {
        reason: format!("its body has more than {} MiB", MOST_BYTES >> 20),
        is_turn: true,
    }
}

fn watch(seen: &SeenBody) -> BodyWatch {
    let seen = Arc::clone(seen);
    Box::new(move |bytes| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *seen {
            Some(known) if known.len() + bytes.len() <= MOST_BYTES => {
                known.extend_from_slice(bytes);
            }
            _ => *seen = None,
        }
    })
}

/// The request that a protocol reads in a body that was sent to `target`, and the protocol.
fn read(
    target: &str,
    body: &[u8],
) -> Option<(&'static dyn ServedProtocol, Box<dyn ServedRequest>)> {
    let mut protocols = served_protocols_at(target).into_iter();
    protocols.find_map(|protocol| Some((protocol, protocol.read(body).ok()?)))
}

/// A response that is passing. If it is dropped before its end, the client has gone away.
struct Passing {
    capture: ProxyCapture,
    notice: ServerNotice,
    place: Option<ExchangePlace>,
    /// The body of the request.
    body: Bytes,
    line: String,
    began: Instant,
    kept: Option<KeptResponse>,
    /// The number of bytes of the body that are still to come, if that is known.
    left: Option<usize>,
}

impl Passing {
    /// The response to the client, which passes as it comes.
    fn respond(mut self, response: ForwardedResponse) -> SentResponse {
        let (status, headers) = (response.status, response.headers.clone());
        let began = self.began.elapsed();
        let kept = self
            .place
            .map(|_| KeptResponse::new(status, headers.clone(), began));
        self.kept = kept;
        self.capture.learn(passing_secrets(&headers, "", None));
        self.line = format!("{}: {status}", self.line);
        let length = headers.iter().find(|(name, _)| name == "content-length");
        self.left = length.and_then(|(_, length)| length.parse().ok());
        let state = Some((response, self));
        let body = futures_util::stream::unfold(state, |state| async { next(state?).await });
        SentResponse {
            status,
            headers,
            body: Box::pin(body),
        }
    }

    /// Bytes have come.
    fn passed(&mut self, bytes: &Bytes) {
        let after = self.began.elapsed();
        if let Some(kept) = &mut self.kept {
            let was_empty = kept.so_far().frames.is_empty();
            kept.add(after, bytes);
            // The first event of a response has its id. The whole response is looked at once more when it ends.
            if let Some(place) = self.place
                && was_empty
                && !kept.so_far().frames.is_empty()
            {
                self.capture.begun(place, kept.so_far());
            }
        }
        // The end of a body whose length is known is not asked for.
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(bytes.len());
            if *left == 0 {
                self.complete(ServedEnd::Complete);
            }
        }
    }

    /// The response is over.
    fn end(&mut self, response: Result<ananke_agents::ServedResponse, Incomplete>) {
        let ms = self.began.elapsed().as_millis();
        let how = response
            .as_ref()
            .err()
            .map(|why| format!(", {why}"))
            .unwrap_or_default();
        let broke = response
            .as_ref()
            .is_ok_and(|response| matches!(response.end, ServedEnd::Breaks(_)));
        let broke = if broke {
            ", the connection of the agent broke"
        } else {
            ""
        };
        (self.notice)(&format!("{}, {ms} ms{how}{broke}", self.line));
        if let Some(place) = self.place.take() {
            let body = std::mem::take(&mut self.body);
            if let Err(error) = self.capture.end(place, &body, response) {
                (self.notice)(&format!(
                    "warning: an exchange is in memory alone, since it cannot be written: {error}"
                ));
            }
        }
        self.line.clear();
    }

    fn complete(&mut self, end: ServedEnd) {
        let after = self.began.elapsed();
        match self.kept.take() {
            Some(kept) => self.end(kept.ended(after, end)),
            None if !self.line.is_empty() => {
                let empty = KeptResponse::new(0, Vec::new(), after);
                self.end(empty.ended(after, end));
            }
            None => {}
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.kept = None;
            self.end(Err(Incomplete::ClientLeft));
        }
    }
}

/// The next bytes, as they come.
async fn next(
    (mut response, mut passing): (ForwardedResponse, Passing),
) -> Option<(io::Result<Bytes>, Option<(ForwardedResponse, Passing)>)> {
    match response.next().await {
        Ok(Some(bytes)) => {
            passing.passed(&bytes);
            Some((Ok(bytes), Some((response, passing))))
        }
        Ok(None) => {
            passing.complete(ServedEnd::Complete);
            None
        }
        Err(why) => {
            passing.complete(ServedEnd::Breaks(passing.began.elapsed()));
            Some((Err(io::Error::other(why)), None))
        }
    }
}
