//! Reads the chunks of one response, and puts the message and its calls together.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::chat_message::{ChatCall, ChatMessage};
use super::chunk::{Choice, Chunk, ShownResult};
use super::tool_calls::{CallChange, ToolCalls};
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{
    AnsweredCalls, CallKeys, EventReader, ModelReader, ModelReply, ModelStream, Rest, Sink, Stop,
    TargetError, ToolLoop,
};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::{HalfJoiner, Oddities, SentText, decoded};
use ananke_trace::trace::{Change, MessageKind, RunEnd, Unread, Usage};

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
    call_keys: &'a mut CallKeys,
    calls: ToolCalls<'a>,
    message: Option<Streamed>,
    complete_texts: Vec<String>,
    /// The results that may go on, in the order in which they began.
    results: Vec<StreamedResult>,
    /// The calls that the response itself answers.
    answered: AnsweredCalls,
    reasoning: Option<Streamed>,
    /// The model that was asked for: a server may name the one that answers otherwise, for example with a date.
    model: &'a str,
    usage: Option<Usage>,
    has_begun: bool,
    /// Whether a chunk of this API came: one with a choice, or with tokens.
    is_spoken: bool,
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
    /// Whether the trace has the text as it is now.
    is_reported: bool,
}

/// The way in which a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    Mark,
    /// No more was waited for, although the stream was open.
    GivenUp,
}

impl<'a> ReplyReader<'a> {
    /// A reader of one response of `model`. New messages get their ids from `ids`, and calls get keys that the conversation does not
    /// have yet.
    pub(super) fn new(ids: &'a dyn Ids, model: &'a str, tools: &'a mut ToolLoop) -> Self {
        Self {
            ids,
            call_keys: &mut tools.keys,
            calls: ToolCalls::new(&tools.declared),
            message: None,
            complete_texts: Vec::new(),
            results: Vec::new(),
            answered: AnsweredCalls::new(tools.execution),
            reasoning: None,
            model,
            usage: None,
            has_begun: false,
            is_spoken: false,
            has_stopped: false,
            end: None,
            error: None,
            last: At::default(),
        }
    }

    /// Whether `[DONE]` ended the answer. Other protocols have the same mark, so that it ends an answer only if there was one.
    fn is_marked(&self) -> bool {
        self.end == Some(StreamEnd::Mark) && self.is_spoken
    }

    /// Reads one chunk, and reports its changes with `report`.
    fn chunk(&mut self, chunk: &Chunk, report: &mut dyn FnMut(Change<'_>)) {
        // The API has no event for the start of a response, so that the first chunk is the start of the run.
        if !self.has_begun {
            self.has_begun = true;
            let run_id = chunk.id().map(Cow::Borrowed);
            report(Change::RunStarted {
                run_id,
                thread_id: None,
                is_replay: false,
            });
        }
        // Values that are odd but readable, such as NaN, are warnings.
        for words in chunk.oddities.of_values() {
            report(Change::Warning(words));
        }
        // An error ends the run in `finish`. The first one counts: servers repeat it, or report that the stream ends because of
        // it. A chunk with an error has no other content.
        if let Some(error) = chunk.error() {
            self.error.get_or_insert(error);
            return;
        }
        for unread in chunk.unread() {
            report(Change::Unread(unread));
        }
        if let Some(reported) = chunk.usage() {
            // If there are several, the last counts (SPEC 5).
            self.is_spoken = true;
            self.usage = Some(usage(reported, report));
        }
        if let Some(choice) = chunk.choice() {
            self.is_spoken = true;
            self.choice(&choice, report);
        }
        // An error within a choice comes after its content, which was sent before the model failed.
        if let Some(error) = chunk.choice_error() {
            self.error.get_or_insert(error);
        }
    }

    /// Reads the part of the response that one chunk adds: reasoning, then text or a result, then calls, then the stop. Reports
    /// have them in this order.
    fn choice(&mut self, choice: &Choice<'_>, report: &mut dyn FnMut(Change<'_>)) {
        // All reasoning of a response is one item: nothing in the chunks separates two.
        if let Some(piece) = choice.reasoning() {
            let reasoning = self.reasoning.get_or_insert_with(|| Streamed {
                id: self.ids.next("reasoning"),
                ..Streamed::default()
            });
            // Servers cut a text between the halves of a surrogate pair. A half without the other is a warning.
            let (delta, has_lone_half) = reasoning.joiner.join(piece);
            if has_lone_half {
                warn_of_half(report);
            }
            report(Change::Reasoning {
                id: Cow::Borrowed(&*reasoning.id),
                delta,
                subagent: None,
            });
        }
        // The content of a result is no text of the model.
        if let Some(shown) = choice.result() {
            self.result(shown, report);
        } else {
            self.close_if_role_differs(choice.role(), report);
            if let Some(piece) = choice.text() {
                self.text(choice.role(), piece, report);
            }
        }
        // A new call shows that the results before it are complete, so that reports have them in this order.
        for fragment in choice.calls() {
            if self.calls.is_new(&fragment) {
                self.report_results(report);
            }
            for change in self.calls.take(&fragment, self.call_keys) {
                // A fragment may have the result as well, if the server executed the call. `finish` then neither reports the
                // call as executed again nor sends it in the next request.
                if let CallChange::Answered(key, _) = &change {
                    self.answered.add(key.clone());
                }
                report(change.into());
            }
        }
        // Results and names of calls are complete now. Reading goes on, since gateways send this early and more may follow.
        if let Some(reason) = choice.finish_reason {
            self.report_results(report);
            self.begin_calls(report);
            if reason == TRUNCATED {
                report(Change::Truncated);
            }
            self.has_stopped = true;
        }
    }

    /// Begins the calls whose names could still have become longer.
    fn begin_calls(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        let mut changes = Vec::new();
        self.calls.begin_all(&mut changes);
        for change in changes {
            report(change.into());
        }
    }

    /// Reports a piece of the model's text. The first piece begins a message with this `role`, which other roles do not continue.
    fn text(
        &mut self,
        role: Option<&str>,
        piece: SentText<'static>,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        // Results and calls that wait for more pieces began before this text, so that they are reported before it.
        self.report_results(report);
        self.begin_calls(report);
        let message = self.message.get_or_insert_with(|| {
            let id = self.ids.next("message");
            report(Change::MessageOpened {
                id: Cow::Borrowed(&id),
                role: MessageKind::Assistant,
                subagent: None,
            });
            Streamed {
                id,
                role: other_role(role),
                ..Streamed::default()
            }
        });
        // Servers cut a text between the halves of a surrogate pair. A half without the other is a warning.
        let (delta, has_lone_half) = message.joiner.join(piece);
        if has_lone_half {
            warn_of_half(report);
        }
        message.text.push_str(&delta);
        report(Change::MessageText {
            id: Cow::Borrowed(&message.id),
            delta,
        });
    }

    /// Closes the open message if the delta has another role. The same role or none continues it, since servers repeat the role
    /// or omit it.
    fn close_if_role_differs(&mut self, role: Option<&str>, report: &mut dyn FnMut(Change<'_>)) {
        if let Some(message) = &self.message
            && role.is_some()
            && message.role != other_role(role)
        {
            self.close(report);
        }
    }

    /// Adds a result that the server sends, or a part of one, to `results`. It is reported later, by `report_results`, when
    /// something else shows that it is complete.
    fn result(&mut self, shown: ShownResult<'_>, report: &mut dyn FnMut(Change<'_>)) {
        // The message of a tool ends the message of the model, and its call must begin before its result.
        self.close(report);
        self.begin_calls(report);

        // Deltas with the same id are parts of one result. Without ids, results of different tools are different results, and a
        // delta that names no tool continues the one before.
        let continued = self.results.iter().position(|earlier| {
            let is_same_id = earlier.id.as_deref() == shown.id.as_deref();
            let tool_matters = earlier.id.is_none() && shown.tool.is_some();
            is_same_id && (!tool_matters || earlier.tool.as_deref() == shown.tool)
        });
        let index = if let Some(index) = continued {
            index
        } else {
            self.results.push(StreamedResult {
                id: shown.id.as_deref().map(str::to_owned),
                tool: shown.tool.map(str::to_owned),
                ..StreamedResult::default()
            });
            self.results.len() - 1
        };
        // A result that grows after its report is reported again as a whole.
        self.results[index].is_reported = false;
        self.results[index].add(shown.content, report);
    }

    /// Reports the results that have arrived. If more of one comes later, it is reported again, longer.
    fn report_results(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        for index in 0..self.results.len() {
            let result = &mut self.results[index];
            if result.is_reported {
                continue;
            }
            result.is_reported = true;
            // Half of a surrogate pair at the end waits for the other half in vain: it becomes U+FFFD.
            if let Some(lone) = result.joiner.finish() {
                warn_of_half(report);
                result.text.push(lone);
            }
            // Copies, because the result stays for what may follow, and the report changes the rest of `self`.
            let id = result.id.clone();
            let tool = result.tool.clone();
            let text = result.text.clone();
            self.answer_call(id.as_deref(), tool.as_deref(), text, report);
        }
        // A result without an id cannot be recognised later: the next one without an id is another result.
        self.results.retain(|result| result.id.is_some());
    }

    /// Gives a result to its call. If the response has no such call and the result names its tool, the call is added without
    /// arguments; if it names none, the result is unread.
    fn answer_call(
        &mut self,
        id: Option<&str>,
        tool: Option<&str>,
        text: String,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        let key = if let Some(key) = self.calls.key_of(id, tool, &self.answered) {
            key
        } else if let Some(tool) = tool {
            let why = "only the result of the call is in the response";
            report(Change::Unread(Unread::arguments(tool, why)));
            self.calls.add_answered(id, tool, self.call_keys)
        } else {
            let why = "the call is not in the response";
            return report(Change::Unread(Unread::results(id.unwrap_or_default(), why)));
        };
        // The arguments of a call are complete once there is a result.
        for change in self.calls.end(&key) {
            report(change.into());
        }
        self.answered.add(key.clone());
        report(CallChange::Answered(key, text).into());
    }

    /// Ends the open message, if there is one. Text that follows begins another message.
    fn close(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        let Some(mut message) = self.message.take() else {
            return;
        };
        // Half of a surrogate pair at the end waits for the other half in vain: it becomes U+FFFD.
        if let Some(lone) = message.joiner.finish() {
            warn_of_half(report);
            message.text.push(lone);
            report(Change::MessageText {
                id: Cow::Borrowed(&*message.id),
                delta: lone.to_string().into(),
            });
        }
        report(Change::MessageClosed {
            id: Cow::Borrowed(&*message.id),
        });
        // The next request sends the texts of all messages of the response as one.
        self.complete_texts.push(message.text);
    }

    /// Ends everything that is still open, since the response is over: the reasoning, the results, the message, and the calls.
    fn end(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        // Half of a surrogate pair at the end of the reasoning waits for the other half in vain: it becomes U+FFFD.
        if let Some(reasoning) = &mut self.reasoning
            && let Some(lone) = reasoning.joiner.finish()
        {
            warn_of_half(report);
            report(Change::Reasoning {
                id: Cow::Borrowed(&*reasoning.id),
                delta: lone.to_string().into(),
                subagent: None,
            });
        }
        self.report_results(report);
        self.close(report);
        for change in self.calls.end_all() {
            report(change.into());
        }
        self.report_nameless(report);
    }

    /// Calls without the name of their tool are unread, whatever else the response fails with.
    fn report_nameless(&self, report: &mut dyn FnMut(Change<'_>)) {
        for key in self.calls.nameless() {
            let why = "pieces of the call came, but no name";
            report(Change::Unread(Unread::call(key, why)));
        }
    }
}

impl StreamedResult {
    fn add(&mut self, piece: SentText<'_>, report: &mut dyn FnMut(Change<'_>)) {
        let (more, has_lone_half) = self.joiner.join(piece);
        if has_lone_half {
            warn_of_half(report);
        }
        self.text.push_str(&more);
    }
}

impl EventReader for ReplyReader<'_> {
    /// Reads the data of one event, which is a chunk. The flow is `Break` once `sink` wants no more.
    ///
    /// # Errors
    /// The reason that the data is not a chunk.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // The end of the response is reported with the time of its last event.
        self.last = at;
        let mut flow = ControlFlow::Continue(());
        let text = decoded(data).map_err(|error| error.0)?;
        // The decoder borrows valid UTF-8. An owned text shows that it had to replace bytes.
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
        if self.is_marked() || self.error.is_some() {
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
        let cut = if self.end == Some(StreamEnd::Mark) {
            "the stream ended with `[DONE]`, and no chunk with `choices` came"
        } else {
            "the stream ended without a `finish_reason` and without `[DONE]`"
        };
        let stream = ModelStream {
            cut,
            piece: "chunk",
            document: "\"choices\"",
            api: "an OpenAI-compatible API",
        };
        stream.unfinished(response)
    }
}

impl ModelReader for ReplyReader<'_> {
    /// The message as the next request sends it, and its calls with their keys.
    type Reply = (ChatMessage, Vec<(String, ChatCall)>);

    fn is_ended(&self) -> bool {
        self.has_stopped || self.is_marked() || self.error.is_some()
    }

    fn abandon(mut self, sink: &mut dyn Sink) {
        let at = self.last;
        // A sink that wants no more gets the rest all the same, so that a report shows what had arrived.
        let mut report = |change: Change<'_>| {
            let _over = sink.change(at, change);
        };
        self.begin_calls(&mut report);
        self.report_results(&mut report);
        self.report_nameless(&mut report);
    }

    fn finish(mut self, sink: &mut dyn Sink) -> Result<ModelReply<Self::Reply>, TargetError> {
        let error = self.error.take();
        let has_failed = error.is_some();

        // All changes have the time of the last event, because the end of a stream is no event of its own. A sink that wants no
        // more, for example after a violated rule, gets no further change.
        let at = self.last;
        let mut flow = ControlFlow::Continue(());
        let mut report = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        self.end(&mut report);

        for key in self.calls.keys() {
            if self.answered.is_executed_unseen(key) {
                report(Change::CallExecuted { id: key.into() });
            }
        }
        // A stream that the server left open is a warning, not an error: the model had stopped before (SPEC 5).
        if self.end == Some(StreamEnd::GivenUp) {
            let words = "end-missing: the stream was still open after the model had stopped: neither `[DONE]` nor its end came";
            report(Change::Warning(words.into()));
        }
        if let Some(usage) = self.usage {
            let model = Some(Cow::Borrowed(self.model));
            report(Change::Usage { usage, model });
        }
        report(Change::RunEnded(match error {
            Some((message, code)) => RunEnd::Error { message, code },
            None => RunEnd::Finished,
        }));

        // After a stop or an error of the model there is no next request, so that nameless calls do not matter then.
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
        // The next request has only the calls that the runner answers.
        let mut open_calls = self.calls.into_calls();
        open_calls.retain(|(key, _)| self.answered.is_sent_back(key));
        let sent_calls = open_calls.iter().map(|(_, call)| call.clone()).collect();
        let message = ChatMessage::assistant(self.complete_texts.join("\n"), sent_calls);
        Ok(ModelReply::Complete((message, open_calls)))
    }
}

/// The role of a delta, if it is not that of the model.
fn other_role(role: Option<&str>) -> Option<String> {
    match role {
        Some("assistant") | None => None,
        Some(role) => Some(role.to_owned()),
    }
}

fn warn_of_half(report: &mut dyn FnMut(Change<'_>)) {
    report(Change::Warning(Oddities::HALF.into()));
}

/// The tokens of a response.
fn usage(reported: &Value, report: &mut dyn FnMut(Change<'_>)) -> Usage {
    // Without the details, all of the input costs what input costs.
    let cached = match reported.get("prompt_tokens_details") {
        Some(details) => tokens(details, "cached_tokens", report),
        None => None,
    };
    Usage::reported(
        tokens(reported, "prompt_tokens", report),
        tokens(reported, "completion_tokens", report),
        tokens(reported, "total_tokens", report),
    )
    .with_cached(cached)
}

/// The number under a key; `None` if it is not reported, or is no count.
fn tokens(reported: &Value, key: &str, report: &mut dyn FnMut(Change<'_>)) -> Option<u64> {
    let value = reported.get(key)?;
    if !value.is_null() && value.as_u64().is_none() {
        let words = format!("`{key}` of `usage` is not a count: it is taken as unknown");
        report(Change::Warning(words.into()));
    }
    value.as_u64()
}
