//! Replays exchanges over HTTP: nothing is sent.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::exchange::{BodyEnd, RecordedResponse};
use super::replay::{Replay, ReplayedLane};
use ananke_agents::{
    Body, ClientEvent, HttpRequest, Next, Received, Reply, TargetError, Transport,
};
use ananke_base::context::At;
use ananke_base::message::Lane;

impl Transport for ReplayedLane {
    fn is_network(&self) -> bool {
        false
    }

    fn wait(&self, _time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn moment(&self, event: ClientEvent) -> At {
        self.replay.moment(&self.lane, event)
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async move {
            let Self {
                replay,
                lane,
                helper,
            } = self;
            let body = String::from_utf8_lossy(&request.body);
            let exchange = replay
                .exchange(lane, helper.as_deref(), request.method, &body)
                .map_err(|problem| replay.refuse(problem))?;
            let closed = exchange.closed.map(|micros| replay.at(micros));
            replay.close(lane, closed);
            match exchange.answer {
                RecordedResponse::Failed(message, help) => Err(TargetError {
                    message,
                    received: Received::default(),
                    help,
                }),
                RecordedResponse::Late(missing) => {
                    if let Some(missing) = missing {
                        request.progress.set(missing);
                    }
                    replay.wait_until(until, closed);
                    Ok(None)
                }
                RecordedResponse::Received { at, .. } if replay.at(at) > until => {
                    replay.close(lane, Some(until));
                    Ok(None)
                }
                RecordedResponse::Received {
                    at,
                    head,
                    pieces,
                    end,
                } => {
                    let at = replay.at(at);
                    let (replay, lane) = (replay.clone(), lane.clone());
                    let body = ReplayedBody {
                        pieces: pieces.into(),
                        end,
                        closed,
                        replay,
                        lane,
                    };
                    Ok(Some(Reply {
                        at,
                        head,
                        body: Box::new(body),
                    }))
                }
            }
        })
    }
}

/// A recorded response body.
struct ReplayedBody {
    pieces: VecDeque<(u64, Bytes)>,
    end: BodyEnd,
    closed: Option<At>,
    replay: Replay,
    lane: Lane,
}

impl ReplayedBody {
    fn take(&mut self, until: At) -> Next {
        let replay = &self.replay;
        if let Some((at, _)) = self.pieces.front() {
            let at = replay.at(*at);
            if let Some((_, bytes)) = self.pieces.pop_front() {
                if at <= until {
                    return Next::Bytes(at, bytes);
                }
                self.replay.close(&self.lane, Some(until));
                return Next::After(at, bytes);
            }
        }
        match &self.end {
            BodyEnd::Complete => Next::End,
            BodyEnd::Broken(at, cause) if replay.at(*at) <= until => {
                Next::Broken(replay.at(*at), cause.clone())
            }
            BodyEnd::Broken(..) => self.late(until),
            BodyEnd::Left => {
                self.replay.wait_until(until, self.closed);
                Next::Late
            }
        }
    }

    /// More was recorded, but later than it is waited for now.
    fn late(&self, until: At) -> Next {
        self.replay.close(&self.lane, Some(until));
        Next::Late
    }
}

impl Body for ReplayedBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        let next = self.take(until);
        Box::pin(std::future::ready(next))
    }
}
