//! Sends a response at its times.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{sleep, sleep_until};

use super::request_entry::RequestEnd;
use super::request_log::LogEntry;
use crate::http_server::SentResponse;
use crate::target::{ServedEnd, ServedFrame, ServedResponse};

/// How long what was sent has to leave before the connection breaks.
const BEFORE_BREAK: Duration = Duration::from_millis(20);

/// A response that is being sent.
struct Sending {
    frames: VecDeque<ServedFrame>,
    end: ServedEnd,
    log: LogEntry,
}

/// The response, whose head comes at its time.
pub(super) async fn response_stream(response: ServedResponse, log: LogEntry) -> SentResponse {
    let ServedResponse { status, headers, after, frames, end } = response;
    sleep_until(log.began() + after).await;
    let sending = Sending { frames: frames.into(), end, log };
    let body = futures_util::stream::unfold(Some(sending), |sending| async { sending?.next().await });
    SentResponse { status, headers, body: Box::pin(body) }
}

impl Sending {
    /// The next bytes, at their time.
    async fn next(mut self) -> Option<(io::Result<Bytes>, Option<Self>)> {
        if let Some(frame) = self.frames.pop_front() {
            sleep_until(self.log.began() + frame.after).await;
            self.log.sent();
            if self.frames.is_empty() && self.end == ServedEnd::Complete {
                self.log.ends(RequestEnd::Complete);
            }
            return Some((Ok(frame.bytes), Some(self)));
        }
        match self.end {
            ServedEnd::Complete => {
                self.log.ends(RequestEnd::Complete);
                None
            }
            ServedEnd::Breaks(after) => {
                sleep_until(self.log.began() + after).await;
                sleep(BEFORE_BREAK).await;
                self.log.ends(RequestEnd::Broken);
                Some((Err(io::Error::from(io::ErrorKind::ConnectionAborted)), None))
            }
            ServedEnd::Stalls => pending().await,
        }
    }
}
