//! Responses of real servers that refuse: head and body as they were received, over a real socket.

use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::context::ManualClock;
use ananke::redact::Redactor;

use super::read;
use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::summary::Summary;

/// A refusal and the message about it.
pub(super) struct Refusal {
    pub(super) file: &'static str,
    message: &'static str,
    help: Option<&'static str>,
}

pub(super) const REFUSALS: [Refusal; 4] = [
    Refusal {
        file: "pydantic-err-422-nothread.sse",
        message: r#"the agent responded with HTTP 422; received: application/json, 269 bytes, starting `[{"type":"missing","loc":["threadId"],"msg":"Field required","input":{"runId":"r-1","protocolVersion":"1.0","state":{},"messages":[{"id":"u1","role":"user","content":"x"}],"tools":[],"context":[],"for…`"#,
        help: None,
    },
    Refusal {
        file: "pydantic-msg-noid.sse",
        message: r#"the agent responded with HTTP 422; received: application/json, 169 bytes, starting `[{"type":"missing","loc":["messages",0,"user","id"],"msg":"Field required","input":{"role":"user","content":"no id"},"url":"https://errors.pydantic.dev/2.14/v/missing"}]`"#,
        help: None,
    },
    Refusal {
        file: "pydantic-err-contenttype.http",
        message: "the agent responded with HTTP 415; received: text/plain; charset=utf-8, 57 bytes, starting `Expected `Content-Type: application/json`, got text/plain`",
        help: None,
    },
    Refusal {
        file: "pydantic-err-get.http",
        message: "the agent responded with HTTP 405; received: text/plain; charset=utf-8, 18 bytes, starting `Method Not Allowed`",
        help: Some("is `endpoint` the URL that runs the agent?"),
    },
];

#[tokio::test]
async fn captured_refusals_say_why() {
    for refusal in &REFUSALS {
        let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(read(refusal.file))]]).await;
        let transport = Arc::new(HttpTransport::new(Arc::new(ManualClock::default())));
        let mut session = session(settings(&agent.url()), transport, 1).await;
        let ended = session
            .exchange(user(1, "x"), &limits(), &mut Summary::default())
            .await;
        let failure = ended.expect_err(refusal.file);
        let message = failure.to_string();
        assert_eq!(
            Redactor::default().text(&message),
            refusal.message,
            "{}",
            refusal.file
        );
        assert_eq!(failure.help.as_deref(), refusal.help, "{}", refusal.file);
    }
}
