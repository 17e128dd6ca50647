//! Sends a response at its times.

use std::collections::VecDeque;
use std::future::pending;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{sleep, sleep_until};

use super::{RequestEnd, request_log::LogEntry};
use ananke_agents::{ServedEnd, ServedFrame, ServedResponse, http_server::SentResponse};

/// The time for the sent bytes to leave before the connection breaks.
const BEFORE_BREAK: Duration = Duration::from_millis(20);

/// A response that is being sent.
struct Sending {
    frames: VecDeque<ServedFrame>,
    end: ServedEnd,
    log: LogEntry,
}

/// The response, whose head comes at its time.
pub(super) async fn response_stream(response: ServedResponse, log: LogEntry) -> SentResponse {
    let ServedResponse {
        status,
        headers,
        after,
        frames,
        end,
    } = response;
    sleep_until(log.began() + after).await;
    let sending = Sending {
        frames: frames.into(),
        end,
        log,
    };
    let body =
        futures_util::stream::unfold(Some(sending), |sending| async { sending?.next().await });
    SentResponse {
        status,
        headers,
        body: Box::pin(body),
    }
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures_util::StreamExt as _;
    use tokio::time::Instant;

    use super::super::request_log::{EntryBody, RequestEntry, RequestListener};
    use super::super::speed::Speed;
    use super::*;

    /// The time that the last request took, and its end.
    #[derive(Default)]
    struct Last(Mutex<Option<(u64, RequestEnd)>>);

    impl RequestListener for Last {
        fn request(&self, entry: &RequestEntry) {
            *self.0.lock().unwrap() = Some((entry.took_ms, entry.end));
        }
    }

    fn entry() -> RequestEntry {
        RequestEntry {
            request: 1,
            method: "POST".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            protocol: None,
            asks: None,
            body: EntryBody::Nothing(()),
            fault: None,
            status: Some(200),
            problem: None,
            events: 0,
            took_ms: 0,
            end: RequestEnd::ClientLeft,
        }
    }

    /// The moments at which the head and each event of a response came at this speed, in milliseconds, and the entry of
    /// the log.
    async fn times(speed: &str, end: ServedEnd) -> (Vec<u128>, Option<(u64, RequestEnd)>) {
        let frame = |after| ServedFrame {
            after: Duration::from_millis(after),
            bytes: Bytes::from_static(b"x"),
        };
        let mut response =
            ServedResponse::new(200, "text/event-stream", vec![frame(100), frame(400)]);
        response.after = Duration::from_millis(50);
        response.end = end;
        let response = speed.parse::<Speed>().unwrap().applied_to(response);
        let (began, listener) = (Instant::now(), Arc::new(Last::default()));
        let log = LogEntry::new(entry(), listener.clone());
        let mut sent = response_stream(response, log).await;
        let mut times = vec![began.elapsed().as_millis()];
        while let Some(Ok(_)) = sent.body.next().await {
            times.push(began.elapsed().as_millis());
        }
        drop(sent);
        let logged = *listener.0.lock().unwrap();
        (times, logged)
    }

    #[tokio::test(start_paused = true)]
    async fn each_event_comes_at_its_time() {
        let complete = |ms| Some((ms, RequestEnd::Complete));
        assert_eq!(
            times("1", ServedEnd::Complete).await,
            (vec![50, 100, 400], complete(400))
        );
        assert_eq!(
            times("10", ServedEnd::Complete).await,
            (vec![5, 10, 40], complete(40))
        );
        assert_eq!(
            times("0.5", ServedEnd::Complete).await,
            (vec![100, 200, 800], complete(800))
        );
        assert_eq!(
            times("max", ServedEnd::Complete).await,
            (vec![0, 0, 0], complete(0))
        );
        let breaks = ServedEnd::Breaks(Duration::from_millis(600));
        assert_eq!(
            times("1", breaks).await,
            (vec![50, 100, 400], Some((620, RequestEnd::Broken)))
        );
    }
}
