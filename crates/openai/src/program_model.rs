//! A model that is another program: what goes to it is handed over in this process, and nothing is sent.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, select};
use serde::Deserialize;
use serde_json::{Value, json};

use ananke_agents::TargetError;
use ananke_agents::http::{Body, ClientEvent, HttpRequest, Next, Reply, ResponseHead, Transport};
use ananke_base::context::{At, Clock};

/// The host of the endpoints of such models. No name ends with `.invalid` (RFC 6761).
const HOST: &str = "program.invalid";

/// Asks the program: the lane of the question, its messages and its tools; gives the message that the model replies, or in words
/// why there is none.
pub type ModelFunction =
    Arc<dyn Fn(String, Value, Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

/// The way to models that are programs, and over the network to all others.
pub struct ProgramTransport {
    network: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ask: ModelFunction,
}

/// The keys of a target that is a program, whose questions have the lane `lane`.
pub fn program_target(lane: &str) -> Value {
    json!({ "type": "openai", "endpoint": format!("http://{HOST}/{lane}"), "model": lane, "retry_429": false })
}

/// The message that a model replies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyMessage {
    role: Option<String>,
    content: Option<String>,
    tool_calls: Option<Vec<ReplyCall>>,
}

#[derive(Deserialize)]
struct ReplyCall {
    id: Option<String>,
    function: ReplyFunction,
}

#[derive(Deserialize)]
struct ReplyFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl ProgramTransport {
    /// Asks `ask`; what is for others goes over `network`.
    pub fn new(network: Arc<dyn Transport>, clock: Arc<dyn Clock>, ask: ModelFunction) -> Self {
        Self {
            network,
            clock,
            ask,
        }
    }

    /// The reply of the program to a request, as the response of a server that streams. `None` if the program does not reply
    /// before `until`.
    ///
    /// # Errors
    /// If the program reports an error, or its reply is not a message.
    async fn answer(&self, request: HttpRequest, until: At) -> Result<Option<Reply>, TargetError> {
        // The program gets only the messages and the tools: the other keys of the body are for servers.
        let mut body: Value = serde_json::from_slice(&request.body)
            .map_err(|error| TargetError::new(error.to_string()))?;
        let messages = body["messages"].take();
        let tools = match body["tools"].take() {
            Value::Null => json!([]),
            tools => tools,
        };
        // The endpoint of such a target is `http://HOST/LANE`, and a path of the API may follow.
        let mut path = request.url.path().trim_start_matches('/').split('/');
        let lane = path.next().unwrap_or_default();
        let reply = (self.ask)(lane.to_owned(), messages, tools);
        // The wait is that of `network`, because a transport that replays does not wait.
        let timeout = self.network.wait(until.since(self.clock.now()));
        let Either::Left((reply, _)) = select(reply, timeout).await else {
            return Ok(None);
        };
        let message = reply.map_err(TargetError::new)?;

        // The reply goes on as a stream of events, so that one reader serves programs and servers.
        let chunks = chunks(message).map_err(TargetError::new)?;
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let body = ReplyBody {
            clock: Arc::clone(&self.clock),
            chunks: chunks.into(),
        };
        Ok(Some(Reply {
            at: self.clock.now(),
            head,
            body: Box::new(body),
        }))
    }
}

impl Transport for ProgramTransport {
    fn moment(&self, event: ClientEvent) -> At {
        self.network.moment(event)
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        if request.url.host_str() == Some(HOST) {
            Box::pin(self.answer(request, until))
        } else {
            self.network.send(request, until)
        }
    }

    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.network.wait(time)
    }
}

/// The chunks of a reply as a server streams them: its text, its calls, and its end.
///
/// # Errors
/// If the reply is not a message, in words that describe the expected form.
fn chunks(message: Value) -> Result<Vec<Bytes>, String> {
    let reply: ReplyMessage = serde_json::from_value(message).map_err(|error| wrong(&error))?;
    // A program may omit the role, since only the model replies.
    if let Some(role) = &reply.role
        && role != "assistant"
    {
        return Err(wrong(&"its `role` is not `assistant`"));
    }
    let calls = reply.tool_calls.unwrap_or_default();
    // An empty text is a reply, but a message without both keys is more likely a mistake in the program.
    if reply.content.is_none() && calls.is_empty() {
        return Err(wrong(&"it has neither `content` nor `tool_calls`"));
    }

    let finish_reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let content = reply.content.unwrap_or_default();
    let mut chunks = vec![chunk(
        &json!({ "role": "assistant", "content": content }),
        None,
    )];
    for (index, ReplyCall { id, function }) in calls.into_iter().enumerate() {
        // A program may give the arguments as any JSON, while a chunk has them as a text.
        let arguments = match function.arguments {
            Value::String(text) => text,
            Value::Null => "{}".to_owned(),
            value => value.to_string(),
        };
        let mut call = json!({
            "index": index, "type": "function", "function": { "name": function.name, "arguments": arguments },
        });
        // A call without an id gets one from the reader of the chunks.
        if let Some(id) = id {
            call["id"] = id.into();
        }
        chunks.push(chunk(&json!({ "tool_calls": [call] }), None));
    }
    chunks.push(chunk(&json!({}), Some(finish_reason)));
    chunks.push(Bytes::from_static(b"data: [DONE]\n\n"));
    Ok(chunks)
}

/// A chunk as an event of a stream.
fn chunk(delta: &Value, finish_reason: Option<&str>) -> Bytes {
    let chunk =
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }] });
    Bytes::from(format!("data: {chunk}\n\n"))
}

fn wrong(problem: &dyn std::fmt::Display) -> String {
    format!(
        "the reply of the model is not a message: {problem}; expected `content` (a text), `tool_calls`, or both"
    )
}

/// A reply as the body of a response.
struct ReplyBody {
    clock: Arc<dyn Clock>,
    chunks: VecDeque<Bytes>,
}

impl Body for ReplyBody {
    fn next(&mut self, _: At) -> BoxFuture<'_, Next> {
        let next = match self.chunks.pop_front() {
            Some(bytes) => Next::Bytes(self.clock.now(), bytes),
            None => Next::End,
        };
        Box::pin(std::future::ready(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(message: Value) -> Result<String, String> {
        chunks(message).map(|chunks| {
            let texts = chunks
                .iter()
                .map(|chunk| String::from_utf8_lossy(chunk).into_owned());
            texts.collect()
        })
    }

    #[test]
    fn a_reply_is_a_text_or_calls() {
        let stream = text(json!({ "content": "Hi" })).unwrap();
        assert!(
            stream.contains(r#""content":"Hi""#) && stream.contains("[DONE]"),
            "{stream}"
        );
        let function = json!({ "name": "book", "arguments": { "seat": 2 } });
        let stream = text(json!({ "tool_calls": [{ "function": function }] })).unwrap();
        assert!(stream.contains(r#""arguments":"{\"seat\":2}""#), "{stream}");
    }

    #[test]
    fn what_is_no_reply_says_what_a_reply_is() {
        for (wrong, why) in [
            (json!({}), "neither `content` nor `tool_calls`"),
            (json!(null), "invalid type: null"),
            (json!({ "content": 3 }), "invalid type: number"),
            (json!({ "text": "Hi" }), "unknown field `text`"),
            (
                json!({ "role": "user", "content": "Hi" }),
                "not `assistant`",
            ),
        ] {
            let error = text(wrong.clone()).unwrap_err();
            assert!(
                error.contains(why) && error.contains("expected `content`"),
                "{wrong}: {error}"
            );
        }
    }
}
