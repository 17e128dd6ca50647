//! Responses at the pace at which they were recorded, or at once.

use std::time::Duration;

use futures_util::StreamExt as _;

use ananke_agents::ServedResponse;
use ananke_agents::http_server::{BodyStream, SentResponse};
use ananke_model::model::ModelPace;

/// The response as it is sent: all of it at once, or each frame at its time at the recorded `pace`.
pub(crate) fn sent(response: ServedResponse, pace: ModelPace) -> SentResponse {
    let mut frames = Vec::new();
    let mut before = Duration::ZERO;
    for frame in response.frames {
        let pause = frame.after.saturating_sub(before);
        before = before.max(frame.after);
        frames.push((pause, frame.bytes));
    }
    let frames = futures_util::stream::iter(frames);
    let body: BodyStream = Box::pin(frames.then(move |(pause, bytes)| async move {
        if pace == ModelPace::Recorded {
            tokio::time::sleep(pause).await;
        }
        Ok(bytes)
    }));
    SentResponse {
        status: response.status,
        headers: response.headers,
        body,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn frames_come_at_once_or_at_their_times() {
        for (pace, expected) in [
            (ModelPace::None, [0, 0, 0]),
            (ModelPace::Recorded, [20, 20, 70]),
        ] {
            let mut frames = Vec::new();
            for after in [20, 10, 70] {
                frames.push(ananke_agents::ServedFrame {
                    after: Duration::from_secs(after),
                    bytes: Bytes::from_static(b"x"),
                });
            }
            let response = ServedResponse::new(200, "text/event-stream", frames);
            let begun = tokio::time::Instant::now();
            let mut body = sent(response, pace).body;
            let mut arrived = Vec::new();
            while body.next().await.is_some() {
                arrived.push(begun.elapsed().as_secs());
            }
            assert_eq!(arrived, expected);
        }
    }
}
