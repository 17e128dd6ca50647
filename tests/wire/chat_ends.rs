//! How a response of a model ends, and texts that are cut between two chunks of it.

use std::sync::Arc;
use std::time::Duration;

use ananke::agents::{
    Body, ClientEvent, Ended, HttpRequest, Limits, Next, Reply, ResponseHead, TargetError,
    Transport,
};
use ananke::context::At;
use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::openai::{calls, finish, fragment, model, read, say, stream, unmarked};
use crate::support::canned::{limits, user};
use crate::support::conformance::opened;
use crate::support::summary::Summary;

#[tokio::test]
async fn what_follows_a_finish_reason_belongs_to_the_response() {
    let chunks = [
        say("a"),
        finish("stop"),
        say("b"),
        calls(&fragment(0, "c", "f", "{}")),
        finish("tool_calls"),
    ];
    for body in [stream(&chunks), unmarked(&chunks)] {
        let exchanged = read("late", &body).await;
        assert_eq!(
            exchanged.changes,
            "run\nassistant: ab\ncall c: f({})\nfinished"
        );
    }
}

#[tokio::test]
async fn a_character_may_be_cut_between_two_chunks() {
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    let call = |arguments: &str| {
        chunk(&format!(
            "{{\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"function\":{{\"name\":\"f\",\"arguments\":\"{arguments}\"}}}}]}}"
        ))
    };
    let half = "! half of a surrogate pair is alone in a string and is read as U+FFFD";
    for (body, expected) in [
        (
            chunk("{\"content\":\"a\\ud83d\"}") + &chunk("{\"content\":\"\\ude00b\"}"),
            "assistant: a😀b".to_owned(),
        ),
        (
            call("[\\\"\\ud83d") + &call("\\ude00\\\"]"),
            "call c: f([\"😀\"])".to_owned(),
        ),
        (
            chunk("{\"content\":\"a\\ud83d\"}"),
            format!("assistant: a\u{fffd}\n{half}"),
        ),
    ] {
        let body = body + &stream(&[finish("stop")]);
        let exchanged = read("halves", &body).await;
        assert_eq!(exchanged.changes, format!("run\n{expected}\nfinished"));
    }
}

/// Responds with these bytes and stays open.
struct StaysOpen(Vec<u8>);

struct OpenBody(Option<Bytes>);

impl Body for OpenBody {
    fn next(&mut self, _until: At) -> BoxFuture<'_, Next> {
        let next = match self.0.take() {
            Some(bytes) => Next::Bytes(At(1000), bytes),
            None => Next::Late,
        };
        Box::pin(async { next })
    }
}

impl Transport for StaysOpen {
    fn moment(&self, event: ClientEvent) -> At {
        match event {
            ClientEvent::Closes(Some(at)) => at,
            ClientEvent::Sends | ClientEvent::Closes(None) => At(0),
        }
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let body = Box::new(OpenBody(Some(self.0.clone().into())));
        Box::pin(async move {
            Ok(Some(Reply {
                at: At(0),
                head,
                body,
            }))
        })
    }

    fn wait(&self, _time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_stream_without_an_end_is_given_up_and_is_no_timeout() {
    let missing = "! end-missing: the stream was still open after the model had stopped: neither `[DONE]` nor its end came";
    for (timeout, chunks, ended, expected) in [
        (60, vec![say("a"), finish("stop")], Ended::Terminal, missing),
        (5, vec![say("a"), finish("stop")], Ended::Terminal, missing),
        (5, vec![say("a")], Ended::Timeout, ""),
    ] {
        let transport = Arc::new(StaysOpen(unmarked(&chunks).into_bytes()));
        let target = model();
        let mut session = opened(&target, transport, 1).await;
        let limits = Limits {
            timeout: Duration::from_secs(timeout),
            ..limits()
        };
        let mut summary = Summary::default();
        let came = session.exchange(user(1, "hi"), &limits, &mut summary).await;
        assert_eq!(came, Ok(ended));
        let said = summary.text();
        assert!(said.contains(expected), "{said}");
        assert_eq!(
            said.contains("finished"),
            ended == Ended::Terminal,
            "{said}"
        );
    }
}
