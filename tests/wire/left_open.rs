//! What comes later than 100 ms after the end of a run is not read; the warning names the first event of it (SPEC 5).

use std::sync::Arc;
use std::time::Duration;

use ananke::agents::{
    Chunks, ClientEvent, HttpRequest, Next, Reply, ResponseHead, TargetError, Transport,
};
use ananke::context::{At, ManualClock};
use ananke::outcome::Status;
use ananke::recording::RecordingMode;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::replay::{outcomes, recordings};
use crate::support::project::Project;

/// Responds with these parts, each at its time, and stays open.
struct Timed(Vec<(At, &'static str)>);

impl Transport for Timed {
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
        let (sender, receiver) = mpsc::channel(self.0.len() + 1);
        for (at, part) in &self.0 {
            let next = Next::Bytes(*at, part.as_bytes().into());
            sender.try_send(next).expect("room for every part");
        }
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let body = Box::new(Chunks::new(receiver, Arc::new(ManualClock::default())));
        Box::pin(async move {
            let reply = Reply {
                at: At(0),
                head,
                body,
            };
            // The connection is open as long as somebody may send.
            tokio::spawn(async move {
                sender.closed().await;
            });
            Ok(Some(reply))
        })
    }

    fn wait(&self, _time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

const RUN: &str = "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n";
const CALL: &str =
    "data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c\",\"toolCallName\":\"pay\"}\n\n";
const LEFT_OPEN: &str = "left-open: the stream was still open 100 ms after the run had ended: what comes later is not read";

#[tokio::test]
async fn the_first_event_that_came_too_late_is_named() {
    let named = format!(
        "{LEFT_OPEN}; the first event of it is `{}`",
        &CALL[6..CALL.len() - 2]
    );
    for (parts, status, warning) in [
        // In time, it is read.
        (
            vec![(At(0), RUN), (At(100_000), CALL)],
            Status::Failed,
            LEFT_OPEN,
        ),
        (
            vec![(At(0), RUN), (At(100_001), CALL)],
            Status::Passed,
            &*named,
        ),
        (
            vec![(At(0), RUN), (At(200_000), ": still here\n\n")],
            Status::Passed,
            LEFT_OPEN,
        ),
    ] {
        let config = "version: \"1.4\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";
        let test = "version: \"1.4\"\nname: a\nturns: [{ user: hi, assert: { tools: { forbid: [pay] } } }]\n";
        let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
        let folder = project.folder().join("kept");
        for mode in [RecordingMode::Record, RecordingMode::Replay] {
            let kept = recordings(&folder, mode);
            let transport = Arc::new(Timed(parts.clone()));
            let outcome = outcomes(&project, transport, &kept).await.remove(0);
            let warnings = &outcome.transcript.turns[0].warnings;
            let found = warnings.iter().find(|words| words.starts_with("left-open"));
            assert_eq!(outcome.status(), status, "{mode:?} {warnings:?}");
            assert_eq!(
                found.map(String::as_str),
                Some(warning),
                "{mode:?} {warnings:?}"
            );
        }
    }
}
