//! Reads the chunks of one response, and puts the message and its calls together.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chunk::Chunk;
use super::tool_calls::{CallChange, ToolCalls};
use ananke_agents::http::{BodyForm, ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError};
use ananke_base::context::{At, Ids};
use ananke_trace::trace::{Change, MessageKind, RunEnd, Usage};

/// Why a model stops whose answer has become too long.
const TRUNCATED: &str = "length";

/// How long a stream is read after its end mark (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// How long a stream without an end mark is read after the model has stopped: the tokens may still come.
const AFTER_THE_STOP: Duration = Duration::from_secs(1);

/// Reads the chunks of one response.
pub(super) struct ReplyReader<'a> {
    ids: &'a dyn Ids,
    /// The keys of the calls of the conversation so far.
    call_keys: &'a mut HashSet<String>,
    calls: ToolCalls,
    message: Option<ReplyMessage>,
    /// The id of the reasoning.
    reasoning: Option<String>,
    usage: Option<Usage>,
    has_begun: bool,
    /// Whether the model has stopped.
    has_stopped: bool,
    /// Whether the end mark has come.
    has_end_mark: bool,
    error: Option<(String, Option<String>)>,
    last: At,
}

/// The message of the model.
struct ReplyMessage {
    id: String,
    text: String,
}

/// What came of a response that is over.
pub(super) enum ModelReply {
    /// It is complete: what the next request sends of it, and its calls with their keys.
    Complete(ChatMessage, Vec<(String, ChatCall)>),
    /// The server reported an error in it.
    Failed,
    /// The sink wanted no more.
    Stopped,
}

impl<'a> ReplyReader<'a> {
    /// A reader that makes ids with `ids`, and adds the keys of its calls to `call_keys`.
    pub(super) fn new(ids: &'a dyn Ids, call_keys: &'a mut HashSet<String>) -> Self {
        Self {
            ids,
            call_keys,
            calls: ToolCalls::default(),
            message: None,
            reasoning: None,
            usage: None,
            has_begun: false,
            has_stopped: false,
            has_end_mark: false,
            error: None,
            last: At::default(),
        }
    }

    /// Whether the response may end here.
    pub(super) fn is_ended(&self) -> bool {
        self.has_stopped || self.has_end_mark || self.error.is_some()
    }

    /// Ends the run.
    ///
    /// # Errors
    /// If a call has no name.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) -> Result<ModelReply, TargetError> {
        let error = self.error.take();
        let (at, has_failed) = (self.last, error.is_some());
        let mut flow = ControlFlow::Continue(());
        let mut tell = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        self.stop(&mut tell);
        if let Some(usage) = self.usage {
            tell(Change::Usage(usage));
        }
        let end = error.map_or(RunEnd::Finished, |(message, code)| RunEnd::Error {
            message,
            code,
        });
        tell(Change::RunEnded(end));
        if flow.is_break() {
            return Ok(ModelReply::Stopped);
        }
        if has_failed {
            return Ok(ModelReply::Failed);
        }
        if self.calls.has_nameless() {
            return Err(TargetError::new(
                "the model called a tool without naming it",
            ));
        }
        let calls = self.calls.into_calls();
        let sent = calls.iter().map(|(_, call)| call.clone()).collect();
        let text = self.message.map(|message| message.text).unwrap_or_default();
        Ok(ModelReply::Complete(
            ChatMessage::assistant(text, sent),
            calls,
        ))
    }

    fn chunk(&mut self, chunk: &Chunk, tell: &mut dyn FnMut(Change<'_>)) {
        if !std::mem::replace(&mut self.has_begun, true) {
            let run_id = chunk.id().map(Cow::Borrowed);
            tell(Change::RunStarted {
                run_id,
                thread_id: None,
                is_replay: false,
            });
        }
        if let Some(error) = chunk.error() {
            self.error = Some(error);
            return;
        }
        if !chunk.is_known() {
            tell(Change::Warning(
                "a chunk has neither `choices` nor `usage`: it is ignored".into(),
            ));
        }
        if let Some(reported) = chunk.usage() {
            // If there are several, the last counts (SPEC 5).
            self.usage = Some(usage(reported, tell));
        }
        let Some(choice) = chunk.choice() else { return };
        if let Some(delta) = choice.reasoning() {
            let id = self
                .reasoning
                .get_or_insert_with(|| self.ids.next("reasoning"));
            tell(Change::Reasoning {
                id: Cow::Borrowed(&*id),
                delta: delta.into(),
                subagent: None,
            });
        }
        if let Some(delta) = choice.text() {
            let message = self.message.get_or_insert_with(|| {
                let id = self.ids.next("message");
                let role = MessageKind::Assistant;
                tell(Change::MessageOpened {
                    id: Cow::Borrowed(&id),
                    role,
                    subagent: None,
                });
                ReplyMessage {
                    id,
                    text: String::new(),
                }
            });
            message.text.push_str(&delta);
            tell(Change::MessageText {
                id: Cow::Borrowed(&message.id),
                delta: delta.into(),
            });
        }
        for fragment in choice.calls() {
            for change in self.calls.take(&fragment, self.call_keys) {
                tell(match change {
                    CallChange::Begins(id, name) => Change::CallOpened {
                        id: id.into(),
                        name: name.into(),
                        subagent: None,
                    },
                    CallChange::Arguments(id, delta) => Change::CallArgs {
                        id: id.into(),
                        delta: delta.into(),
                    },
                });
            }
        }
        if let Some(reason) = choice.finish_reason {
            if reason == TRUNCATED {
                tell(Change::Truncated);
            }
            self.stop(tell);
        }
    }

    /// The model has stopped: its message and its calls are complete.
    fn stop(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        if std::mem::replace(&mut self.has_stopped, true) {
            return;
        }
        if let Some(message) = &self.message {
            tell(Change::MessageClosed {
                id: Cow::Borrowed(&message.id),
            });
        }
        for key in self.calls.keys() {
            tell(Change::CallArgsDone {
                id: Cow::Borrowed(key),
            });
        }
    }
}

impl EventReader for ReplyReader<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.last = at;
        let mut flow = ControlFlow::Continue(());
        let mut tell = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        let text = String::from_utf8_lossy(data);
        if matches!(text, Cow::Owned(_)) {
            tell(Change::Warning(
                "a chunk holds bytes that are not UTF-8: U+FFFD is taken for them".into(),
            ));
        }
        let chunk = Chunk::parse(&text)?;
        self.chunk(&chunk, &mut tell);
        Ok(flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.has_end_mark || self.error.is_some() {
            return Some(Rest::AfterEnd(AFTER_THE_END));
        }
        self.has_stopped
            .then_some(Rest::AfterLastEvent(AFTER_THE_STOP))
    }
}

impl StreamReader for ReplyReader<'_> {
    fn end_mark(&mut self, at: At) {
        self.last = at;
        self.has_end_mark = true;
    }

    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() > 0 {
            return response
                .broken_off("the stream ended without a `finish_reason` and without `[DONE]`");
        }
        let (message, help) = match response.form() {
            BodyForm::JsonDocument => (
                "the response is a JSON document, not a stream of chunks",
                "does the server support `stream: true`?",
            ),
            BodyForm::WebPage => (
                "the response is a web page, not a stream of chunks",
                "is `endpoint` the address of the API?",
            ),
            BodyForm::Empty => ("the response is empty", "do the server's logs say why?"),
            BodyForm::JsonLines | BodyForm::Other => (
                "the response contains no chunk",
                "is `endpoint` that of an OpenAI-compatible API?",
            ),
        };
        response.error(message).with_help(help)
    }
}

/// The tokens of a response.
fn usage(reported: &Value, tell: &mut dyn FnMut(Change<'_>)) -> Usage {
    let mut number = |key: &str| {
        let value = reported.get(key).filter(|value| !value.is_null())?;
        let number = value.as_u64();
        if number.is_none() {
            tell(Change::Warning(
                format!("`{key}` of `usage` is not a count: it is taken as unknown").into(),
            ));
        }
        number
    };
    Usage::reported(
        number("prompt_tokens"),
        number("completion_tokens"),
        number("total_tokens"),
    )
}
