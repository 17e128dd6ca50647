//! Records exchanges over HTTP, while a protocol has them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::exchange::{BodyEnd, RecordedResponse};
use super::frames::Frames;
use super::recorder::Recorder;
use ananke_agents::{Body, ClientEvent, HttpRequest, Next, Reply, TargetError, Transport};
use ananke_base::context::At;
use ananke_base::message::Lane;

/// The transport of one lane, recorded.
pub(super) struct RecordedTransport {
    pub(super) recorder: Recorder,
    pub(super) lane: Lane,
    pub(super) transport: Arc<dyn Transport>,
}

impl Transport for RecordedTransport {
    fn is_network(&self) -> bool {
        self.transport.is_network()
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.transport.wait(time)
    }

    fn moment(&self, event: ClientEvent) -> At {
        let at = self.transport.moment(event);
        match event {
            ClientEvent::Sends => self.recorder.announce(&self.lane, at),
            ClientEvent::Closes(_) => self.recorder.close(&self.lane, at),
        }
        at
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let reply = self.transport.send(request.clone(), until);
        let recorder = self.recorder.clone();
        let index = recorder.add_exchange(&self.lane, &request);
        let progress = request.progress;
        Box::pin(async move {
            let reply = reply.await;
            let answer = match &reply {
                Ok(Some(Reply { at, head, .. })) => RecordedResponse::Received {
                    at: recorder.since(*at),
                    head: head.clone(),
                    pieces: Vec::new(),
                    end: BodyEnd::Left,
                },
                Ok(None) => RecordedResponse::Late(progress.words()),
                Err(error) => RecordedResponse::Failed(error.message.clone(), error.help.clone()),
            };
            recorder.change_exchange(index, 0, |exchange| exchange.answer = answer);
            Ok(reply?.map(|Reply { at, head, body }| {
                let body = RecordedBody {
                    body,
                    index,
                    frames: recorder.frames(),
                    recorder,
                    last: at,
                };
                Reply {
                    at,
                    head,
                    body: Box::new(body),
                }
            }))
        })
    }
}

/// A response body that is recorded while it is read.
struct RecordedBody {
    body: Box<dyn Body>,
    recorder: Recorder,
    index: usize,
    frames: Frames,
    last: At,
}

impl RecordedBody {
    fn note(&mut self, next: &Next) {
        let (recorder, frames) = (&self.recorder, &mut self.frames);
        let bytes = match next {
            Next::Bytes(at, bytes) | Next::After(at, bytes) => {
                self.last = *at;
                bytes.len()
            }
            Next::Broken(..) | Next::End | Next::Late => 0,
        };
        recorder.change_exchange(self.index, bytes, |exchange| {
            let RecordedResponse::Received { pieces, end, .. } = &mut exchange.answer else {
                return;
            };
            match next {
                Next::Bytes(at, bytes) | Next::After(at, bytes) => {
                    let at = recorder.since(*at);
                    frames.add(bytes, |piece| pieces.push((at, piece)));
                }
                Next::Broken(at, cause) => {
                    *end = BodyEnd::Broken(recorder.since(*at), cause.clone());
                }
                Next::End => *end = BodyEnd::Complete,
                Next::Late => {}
            }
        });
    }
}

impl Body for RecordedBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(async move {
            let next = self.body.next(until).await;
            self.note(&next);
            next
        })
    }
}

/// Whatever came last and completed no event is part of the answer.
impl Drop for RecordedBody {
    fn drop(&mut self) {
        let (rest, at) = (self.frames.rest(), self.recorder.since(self.last));
        if rest.is_empty() {
            return;
        }
        self.recorder.change_exchange(self.index, 0, |exchange| {
            if let RecordedResponse::Received { pieces, .. } = &mut exchange.answer {
                pieces.push((at, rest));
            }
        });
    }
}
