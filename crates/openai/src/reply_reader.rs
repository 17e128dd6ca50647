//! Reads the chunks of one response, and puts the message and its calls together.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chunk::{Choice, Chunk, ShownResult};
use super::tool_calls::{CallChange, ToolCalls};
use ananke_agents::http::{BodyForm, ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError, ToolExecution};
use ananke_base::context::{At, Ids};
use ananke_base::message::ToolDeclaration;
use ananke_base::source::received_json::{HalfJoiner, Oddities, SentText, decoded};
use ananke_trace::trace::{Change, MessageKind, ResultContent, RunEnd, Unread, Usage};

/// The reason for the stop of a model whose answer became too long.
const TRUNCATED: &str = "length";

/// The time for which a stream is read after its end mark (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// The time for which a stream without an end mark is read after its last event, once the model has stopped: gateways
/// report that early, and calls, text and tokens may follow (SPEC 5).
const AFTER_THE_STOP: Duration = Duration::from_secs(15);

/// Reads the chunks of one response.
pub(super) struct ReplyReader<'a> {
    ids: &'a dyn Ids,
    /// The keys of the calls of the conversation so far.
    call_keys: &'a mut HashSet<String>,
    calls: ToolCalls<'a>,
    /// The side that executes the tools.
    tools: ToolExecution,
    message: Option<Streamed>,
    complete_texts: Vec<String>,
    /// The results that may go on, in the order in which they began.
    results: Vec<StreamedResult>,
    /// The keys of the calls that the response itself answers.
    answered: HashSet<String>,
    reasoning: Option<Streamed>,
    usage: Option<Usage>,
    has_begun: bool,
    has_stopped: bool,
    /// The end of the stream, apart from the end of the response.
    end: Option<StreamEnd>,
    error: Option<(String, Option<String>)>,
    last: At,
}

/// The message of the model, or its reasoning.
#[derive(Default)]
struct Streamed {
    id: String,
    text: String,
    joiner: HalfJoiner,
    /// The role that its deltas had last, if it is not that of the model.
    role: Option<String>,
}

/// The result of a call, as far as it has arrived.
#[derive(Default)]
struct StreamedResult {
    /// The server's id of the call.
    id: Option<String>,
    /// The tool, if it is named.
    tool: Option<String>,
    text: String,
    joiner: HalfJoiner,
    /// Whether it was reported as it is.
    is_reported: bool,
}

/// The way in which a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    Mark,
    /// No more was waited for, although the stream was open.
    GivenUp,
}

/// The content of a response that is over.
pub(super) enum ModelReply {
    /// A complete message: what the next request sends of it, and its calls with their keys.
    Complete(ChatMessage, Vec<(String, ChatCall)>),
    /// The server reported an error instead of the rest.
    Failed,
    /// The sink wanted no more.
    Stopped,
}

impl<'a> ReplyReader<'a> {
    /// A reader that makes ids with `ids`, and adds the keys of its calls to `call_keys`; `declared` are the tools that may be
    /// called, and `tools` says who executes them.
    pub(super) fn new(
        ids: &'a dyn Ids,
        call_keys: &'a mut HashSet<String>,
        declared: &'a [ToolDeclaration],
        tools: ToolExecution,
    ) -> Self {
        Self {
            ids,
            call_keys,
            calls: ToolCalls::new(declared),
            tools,
            message: None,
            complete_texts: Vec::new(),
            results: Vec::new(),
            answered: HashSet::new(),
            reasoning: None,
            usage: None,
            has_begun: false,
            has_stopped: false,
            end: None,
            error: None,
            last: At::default(),
        }
    }

    /// Whether the response may end here.
    pub(super) fn is_ended(&self) -> bool {
        self.has_stopped || self.end == Some(StreamEnd::Mark) || self.error.is_some()
    }

    /// Reports what has arrived of a response that is not complete, and is no longer read.
    pub(super) fn abandon(mut self, sink: &mut dyn Sink) {
        let at = self.last;
        // A sink that wants no more gets the rest all the same, so that a report shows what had arrived.
        let mut tell = |change: Change<'_>| {
            let _over = sink.change(at, change);
        };
        self.begin_calls(&mut tell);
        self.answer(&mut tell);
        self.tell_of_nameless(&mut tell);
    }

    /// Ends the run.
    ///
    /// # Errors
    /// If a call has no name.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) -> Result<ModelReply, TargetError> {
        let error = self.error.take();
        let has_failed = error.is_some();
        let at = self.last;
        let mut flow = ControlFlow::Continue(());
        let mut tell = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        self.end(&mut tell);

        // The server executes its tools before it ends the response, whether it shows their results or not.
        if self.tools == ToolExecution::Observed {
            for key in self.calls.keys() {
                if !self.answered.contains(key) {
                    tell(Change::CallExecuted { id: key.into() });
                }
            }
        }
        if self.end == Some(StreamEnd::GivenUp) {
            let words = "end-missing: the stream was still open after the model had stopped: neither `[DONE]` nor its end came";
            tell(Change::Warning(words.into()));
        }
        if let Some(usage) = self.usage {
            tell(Change::Usage(usage));
        }
        tell(Change::RunEnded(match error {
            Some((message, code)) => RunEnd::Error { message, code },
            None => RunEnd::Finished,
        }));

        if flow.is_break() {
            return Ok(ModelReply::Stopped);
        }
        if has_failed {
            return Ok(ModelReply::Failed);
        }
        if self.calls.nameless().next().is_some() {
            return Err(TargetError::new(
                "the model called a tool without naming it",
            ));
        }
        // A call that the server executes does not go back, since a request with a call must have the result as well.
        let mut calls = self.calls.into_calls();
        calls.retain(|(key, _)| self.tools == ToolExecution::Run && !self.answered.contains(key));
        let sent = calls.iter().map(|(_, call)| call.clone()).collect();
        let message = ChatMessage::assistant(self.complete_texts.join("\n"), sent);
        Ok(ModelReply::Complete(message, calls))
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
        for words in chunk.oddities.of_values() {
            tell(Change::Warning(words));
        }
        // The first error counts: servers repeat it, or report that the stream ends because of it.
        if let Some(error) = chunk.error() {
            self.error.get_or_insert(error);
            return;
        }
        for unread in chunk.unread() {
            tell(Change::Unread(unread));
        }
        if let Some(reported) = chunk.usage() {
            // If there are several, the last counts (SPEC 5).
            self.usage = Some(usage(reported, tell));
        }
        if let Some(choice) = chunk.choice() {
            self.choice(&choice, tell);
        }
        if let Some(error) = chunk.choice_error() {
            self.error.get_or_insert(error);
        }
    }

    fn choice(&mut self, choice: &Choice<'_>, tell: &mut dyn FnMut(Change<'_>)) {
        if let Some(piece) = choice.reasoning() {
            let reasoning = self.reasoning.get_or_insert_with(|| Streamed {
                id: self.ids.next("reasoning"),
                ..Streamed::default()
            });
            let (delta, is_lone) = reasoning.joiner.join(piece);
            if is_lone {
                warn_of_half(tell);
            }
            tell(Change::Reasoning {
                id: Cow::Borrowed(&*reasoning.id),
                delta,
                subagent: None,
            });
        }
        // The content of a result is no text of the model.
        if let Some(shown) = choice.result() {
            self.result(shown, tell);
        } else {
            self.separate(choice.role(), tell);
            if let Some(piece) = choice.text() {
                self.text(choice.role(), piece, tell);
            }
        }
        // A new call shows that the results before it are complete, so that reports have them in this order.
        for fragment in choice.calls() {
            if self.calls.is_new(&fragment) {
                self.answer(tell);
            }
            for change in self.calls.take(&fragment, self.call_keys) {
                if let CallChange::Answered(key, _) = &change {
                    self.answered.insert(key.clone());
                }
                tell(change.into());
            }
        }
        if let Some(reason) = choice.finish_reason {
            self.answer(tell);
            self.begin_calls(tell);
            if reason == TRUNCATED {
                tell(Change::Truncated);
            }
            self.has_stopped = true;
        }
    }

    /// Begins the calls whose names could still have become longer.
    fn begin_calls(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        let mut changes = Vec::new();
        self.calls.begin_all(&mut changes);
        for change in changes {
            tell(change.into());
        }
    }

    /// Text of the model. What a name could still have become is before it.
    fn text(
        &mut self,
        role: Option<&str>,
        piece: SentText<'static>,
        tell: &mut dyn FnMut(Change<'_>),
    ) {
        self.answer(tell);
        self.begin_calls(tell);
        let message = self.message.get_or_insert_with(|| {
            let id = self.ids.next("message");
            tell(Change::MessageOpened {
                id: Cow::Borrowed(&id),
                role: MessageKind::Assistant,
                subagent: None,
            });
            Streamed {
                id,
                role: of_another(role),
                ..Streamed::default()
            }
        });
        let (delta, is_lone) = message.joiner.join(piece);
        if is_lone {
            warn_of_half(tell);
        }
        message.text.push_str(&delta);
        tell(Change::MessageText {
            id: Cow::Borrowed(&message.id),
            delta,
        });
    }

    /// A role begins a new message if it is not that of the open one: servers repeat it, or leave it out.
    fn separate(&mut self, role: Option<&str>, tell: &mut dyn FnMut(Change<'_>)) {
        if let Some(message) = &self.message
            && role.is_some()
            && message.role != of_another(role)
        {
            self.close(tell);
        }
    }

    /// A result that the server shows, or a part of it: deltas with one id are one result. A tool's message ends that of the
    /// model.
    fn result(&mut self, shown: ShownResult<'_>, tell: &mut dyn FnMut(Change<'_>)) {
        self.close(tell);
        self.begin_calls(tell);
        let known = self.results.iter().position(|known| {
            let is_same_id = known.id.as_deref() == shown.id.as_deref();
            // Without ids, the tool is all by which two results differ.
            let is_named = known.id.is_some() || shown.tool.is_none();
            is_same_id && (is_named || known.tool.as_deref() == shown.tool)
        });
        let index = if let Some(index) = known {
            index
        } else {
            self.results.push(StreamedResult {
                id: shown.id.as_deref().map(str::to_owned),
                tool: shown.tool.map(str::to_owned),
                ..StreamedResult::default()
            });
            self.results.len() - 1
        };
        self.results[index].is_reported = false;
        self.results[index].add(shown.content, tell);
    }

    /// The results that came are complete, as far as is known: what comes later for one of them makes it longer.
    fn answer(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        for index in 0..self.results.len() {
            let result = &mut self.results[index];
            if std::mem::replace(&mut result.is_reported, true) {
                continue;
            }
            if let Some(lone) = result.joiner.finish() {
                warn_of_half(tell);
                result.text.push(lone);
            }
            let id = result.id.clone();
            let tool = result.tool.clone();
            let text = result.text.clone();
            self.answer_with(id.as_deref(), tool.as_deref(), text, tell);
        }
        // Without an id, the next result is another one.
        self.results.retain(|result| result.id.is_some());
    }

    /// Gives a result to its call. If the response has no such call and the result names its tool, the call is added without
    /// arguments; if it names none, the result is unread.
    fn answer_with(
        &mut self,
        id: Option<&str>,
        tool: Option<&str>,
        text: String,
        tell: &mut dyn FnMut(Change<'_>),
    ) {
        let key = if let Some(key) = self.calls.key_of(id, tool, &self.answered) {
            key
        } else if let Some(tool) = tool {
            let why = "only the result of the call is in the response";
            tell(Change::Unread(Unread::arguments(tool, why)));
            self.calls.add_answered(id, tool, self.call_keys)
        } else {
            let why = "the call is not in the response";
            return tell(Change::Unread(Unread::results(id.unwrap_or_default(), why)));
        };
        for change in self.calls.end(&key) {
            tell(change.into());
        }
        self.answered.insert(key.clone());
        tell(CallChange::Answered(key, text).into());
    }

    /// The message is complete, and the model may go on with another.
    fn close(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        let Some(mut message) = self.message.take() else {
            return;
        };
        if let Some(lone) = message.joiner.finish() {
            warn_of_half(tell);
            message.text.push(lone);
            tell(Change::MessageText {
                id: Cow::Borrowed(&*message.id),
                delta: lone.to_string().into(),
            });
        }
        tell(Change::MessageClosed {
            id: Cow::Borrowed(&*message.id),
        });
        self.complete_texts.push(message.text);
    }

    /// The response is over: its message and its calls are complete.
    fn end(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        if let Some(reasoning) = &mut self.reasoning
            && let Some(lone) = reasoning.joiner.finish()
        {
            warn_of_half(tell);
            tell(Change::Reasoning {
                id: Cow::Borrowed(&*reasoning.id),
                delta: lone.to_string().into(),
                subagent: None,
            });
        }
        self.answer(tell);
        self.close(tell);
        for change in self.calls.end_all() {
            tell(change.into());
        }
        self.tell_of_nameless(tell);
    }

    /// Calls without the name of their tool are unread, whatever else the response fails with.
    fn tell_of_nameless(&self, tell: &mut dyn FnMut(Change<'_>)) {
        for key in self.calls.nameless() {
            let why = "pieces of the call came, but no name";
            tell(Change::Unread(Unread::call(key, why)));
        }
    }
}

impl StreamedResult {
    fn add(&mut self, piece: SentText<'_>, tell: &mut dyn FnMut(Change<'_>)) {
        let (more, is_lone) = self.joiner.join(piece);
        if is_lone {
            warn_of_half(tell);
        }
        self.text.push_str(&more);
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
        let text = decoded(data).map_err(|error| error.0)?;
        // A text that had to be changed shows that its bytes were not UTF-8.
        if matches!(text, Cow::Owned(_)) {
            let words = "a chunk holds bytes that are not UTF-8: U+FFFD is taken for them";
            flow = sink.change(at, Change::Warning(words.into()));
        }
        let chunk = Chunk::parse(&text)?;
        self.chunk(&chunk, &mut |change| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        });
        Ok(flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.end == Some(StreamEnd::Mark) || self.error.is_some() {
            Some(Rest::AfterEnd(AFTER_THE_END))
        } else if self.has_stopped {
            Some(Rest::AfterLastEvent(AFTER_THE_STOP))
        } else {
            None
        }
    }
}

impl StreamReader for ReplyReader<'_> {
    fn end_mark(&mut self, at: At) {
        self.last = at;
        self.end = Some(StreamEnd::Mark);
    }

    fn give_up(&mut self) {
        self.end.get_or_insert(StreamEnd::GivenUp);
    }

    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() > 0 {
            return response
                .broken_off("the stream ended without a `finish_reason` and without `[DONE]`");
        }
        let (message, help) = match response.form() {
            BodyForm::JsonDocument if response.contains("\"choices\"") => (
                "the server does not stream: the response is a JSON document",
                "switch streaming on in the server (it was asked for with `stream: true`), or wrap the agent in a program: `ananke init --for python`",
            ),
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

impl From<CallChange> for Change<'static> {
    fn from(change: CallChange) -> Self {
        match change {
            CallChange::Begins(id, name) => Self::CallOpened {
                id: id.into(),
                name: name.into(),
                subagent: None,
            },
            CallChange::Arguments(id, delta) => Self::CallArgs {
                id: id.into(),
                delta: delta.into(),
            },
            CallChange::Ends(id) => Self::CallArgsDone { id: id.into() },
            CallChange::Answered(id, result) => Self::CallAnswered {
                id: id.into(),
                result: ResultContent::Text(result.into()),
                is_error: None,
            },
            CallChange::HasLoneHalf => Self::Warning(Oddities::HALF.into()),
        }
    }
}

/// A role, if it is not that of the model.
fn of_another(role: Option<&str>) -> Option<String> {
    match role {
        Some("assistant") | None => None,
        Some(role) => Some(role.to_owned()),
    }
}

fn warn_of_half(tell: &mut dyn FnMut(Change<'_>)) {
    tell(Change::Warning(Oddities::HALF.into()));
}

/// The tokens of a response.
fn usage(reported: &Value, tell: &mut dyn FnMut(Change<'_>)) -> Usage {
    Usage::reported(
        tokens(reported, "prompt_tokens", tell),
        tokens(reported, "completion_tokens", tell),
        tokens(reported, "total_tokens", tell),
    )
}

/// The number under a key; `None` if it is not reported, or is no count.
fn tokens(reported: &Value, key: &str, tell: &mut dyn FnMut(Change<'_>)) -> Option<u64> {
    let value = reported.get(key)?;
    if !value.is_null() && value.as_u64().is_none() {
        let words = format!("`{key}` of `usage` is not a count: it is taken as unknown");
        tell(Change::Warning(words.into()));
    }
    value.as_u64()
}
