//! A response of a server over HTTP as it arrives: its head, and the data of its messages, each with the moment at which it
//! came. It is one JSON document, or a stream of events.

use std::collections::VecDeque;

use futures_util::future::BoxFuture;

use ananke_agents::http::{Body, Next, ReceivedResponse, Reply};
use ananke_agents::{TargetError, in_words, sse::SseDecoder};
use ananke_base::context::At;
use ananke_base::source::received_json::{decoded, is_json};

/// A response that arrives, or will.
pub(super) struct IncomingReply {
    head: Option<BoxFuture<'static, Result<Option<Reply>, TargetError>>>,
    body: Option<Box<dyn Body>>,
    /// The part of the response that was received so far, once the head is there.
    pub(super) received: Option<ReceivedResponse>,
    events: SseDecoder,
    /// A document that is not a stream.
    document: Vec<u8>,
    max_event_bytes: usize,
    ready: VecDeque<ReplyItem>,
    last: At,
}

/// The items of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReplyItem {
    /// Its head.
    Head(At),
    /// The data of an event, or a whole document.
    Data(At, Vec<u8>),
    /// The connection broke.
    Broken(At, String),
    /// It is complete.
    End(At),
}

impl ReplyItem {
    /// The moment at which it came.
    pub(super) fn at(&self) -> At {
        match self {
            Self::Head(at) | Self::Data(at, _) | Self::Broken(at, _) | Self::End(at) => *at,
        }
    }
}

impl IncomingReply {
    /// The response to a request that is on its way.
    pub(super) fn new(
        head: BoxFuture<'static, Result<Option<Reply>, TargetError>>,
        max_event_bytes: usize,
    ) -> Self {
        Self {
            head: Some(head),
            body: None,
            received: None,
            events: SseDecoder::with_fields(max_event_bytes),
            document: Vec::new(),
            max_event_bytes,
            ready: VecDeque::new(),
            last: At::default(),
        }
    }

    /// Its status; 0 before its head.
    pub(super) fn status(&self) -> u16 {
        self.received
            .as_ref()
            .map_or(0, |received| received.head.status)
    }

    /// Whether it was accepted.
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status())
    }

    /// Whether it is a stream of events.
    pub(super) fn is_stream(&self) -> bool {
        let content_type = self
            .received
            .as_ref()
            .map_or("", |received| &received.head.content_type);
        self.is_success()
            && content_type
                .trim_start()
                .to_ascii_lowercase()
                .starts_with("text/event-stream")
    }

    /// The id of its last event, from which it can be continued.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.events.last_id()
    }

    /// After how many milliseconds it may be continued, as the server says.
    pub(super) fn retry_ms(&self) -> Option<u64> {
        self.events.retry_ms()
    }

    /// The moment at which the next item came, if it is there.
    pub(super) fn next_at(&self) -> Option<At> {
        self.ready.front().map(ReplyItem::at)
    }

    /// The next item, if it is there.
    pub(super) fn take(&mut self) -> Option<ReplyItem> {
        self.ready.pop_front()
    }

    /// Waits until the next item is there, but not longer than that. It may be asked again.
    ///
    /// # Errors
    /// If there is no response, or it is too large.
    pub(super) async fn fill(&mut self, until: At) -> Result<(), TargetError> {
        while self.ready.is_empty() {
            if let Some(head) = &mut self.head {
                let reply = head.await;
                self.head = None;
                let Some(Reply { at, head, body }) = reply? else {
                    return Ok(());
                };
                (self.received, self.body) = (Some(ReceivedResponse::new(head)), Some(body));
                self.last = at;
                self.ready.push_back(ReplyItem::Head(at));
                return Ok(());
            }
            let Some(body) = &mut self.body else {
                return Ok(());
            };
            match body.next(until).await {
                Next::Bytes(at, bytes) => self.add(at, &bytes)?,
                Next::Broken(at, cause) => {
                    self.body = None;
                    self.ready.push_back(ReplyItem::Broken(at, cause));
                }
                Next::End => {
                    self.body = None;
                    self.finish();
                }
                Next::Late | Next::After(..) => return Ok(()),
            }
        }
        Ok(())
    }

    fn add(&mut self, at: At, bytes: &[u8]) -> Result<(), TargetError> {
        self.last = at;
        let is_stream = self.is_stream();
        let Some(received) = &mut self.received else {
            return Ok(());
        };
        received.add(bytes);
        let limit = self.max_event_bytes;
        let too_large = |received: &ReceivedResponse| {
            received.error(format!("a message is larger than {}", in_words(limit)))
        };
        if !is_stream {
            self.document.extend_from_slice(bytes);
            return if self.document.len() > limit {
                Err(too_large(received))
            } else {
                Ok(())
            };
        }
        let mut rest = bytes;
        loop {
            match self.events.next_event(&mut rest) {
                Ok(Some(data)) => self.ready.push_back(ReplyItem::Data(at, data.to_vec())),
                Ok(None) => return Ok(()),
                Err(_) => return Err(too_large(received)),
            }
        }
    }

    fn finish(&mut self) {
        if self.is_stream() {
            let last = self.events.finish().map(<[u8]>::to_vec);
            // The start of a message is none.
            let is_whole = |data: &Vec<u8>| decoded(data).is_ok_and(|text| is_json(&text));
            self.ready.extend(
                last.filter(is_whole)
                    .map(|data| ReplyItem::Data(self.last, data)),
            );
        } else {
            let document = std::mem::take(&mut self.document);
            self.ready.push_back(ReplyItem::Data(self.last, document));
        }
        self.ready.push_back(ReplyItem::End(self.last));
    }
}
