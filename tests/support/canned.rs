//! Responses that exist from the start: no socket, no time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ananke::agents::{
    Action, Chunks, ClientEvent, HttpRequest, Limits, Next, Reply, Request, ResponseHead,
    TargetError, Transport,
};
use ananke::context::{At, Ids, ManualClock};
use ananke::message::UserContent;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Answers every request with the next of its bodies, in chunks of one size.
pub(crate) struct Canned {
    pub(crate) bodies: Mutex<Vec<Vec<u8>>>,
    pub(crate) chunk: usize,
}

impl Transport for Canned {
    fn moment(&self, _event: ClientEvent) -> At {
        At(0)
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let body = self
            .bodies
            .lock()
            .expect("no other test failed here")
            .remove(0);
        let (sender, receiver) = mpsc::channel(body.len() + 1);
        for (number, chunk) in body.chunks(self.chunk).enumerate() {
            let at = At(number as u64);
            sender
                .try_send(Next::Bytes(at, Bytes::copy_from_slice(chunk)))
                .expect("room for every chunk");
        }
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
        Box::pin(async move {
            Ok(Some(Reply {
                at: At(0),
                head,
                body,
            }))
        })
    }
}

/// `r-1`, `r-2`, … for runs and `x-1`, … for everything else.
pub(crate) struct ShortIds {
    runs: AtomicU64,
    others: AtomicU64,
}

impl ShortIds {
    pub(crate) fn starting_with_run(number: u64) -> Self {
        Self {
            runs: AtomicU64::new(number),
            others: AtomicU64::new(1),
        }
    }
}

impl Ids for ShortIds {
    fn next(&self, kind: &str) -> String {
        let (letter, counter) = if kind == "run" {
            ("r", &self.runs)
        } else {
            ("x", &self.others)
        };
        format!("{letter}-{}", counter.fetch_add(1, Ordering::SeqCst))
    }
}

pub(crate) fn limits() -> Limits {
    Limits {
        after_noise: None,
        deadline: None,
        timeout: Duration::from_secs(10),
        max_event_bytes: Limits::MAX_EVENT_BYTES,
        max_response_bytes: Limits::MAX_RESPONSE_BYTES,
        cancel: CancellationToken::new(),
        pacer: None,
    }
}

pub(crate) fn user(number: u32, text: &str) -> Request {
    Action::User {
        message_id: format!("u{number}"),
        name: None,
        content: UserContent::Text(text.into()),
    }
    .into()
}
