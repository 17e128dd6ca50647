//! Reads what a server says while it is asked something: messages of JSON-RPC, whatever carries them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Map, Value};

use super::notifications::notified;
use super::rpc_response::{McpResponse, RpcError, has_error, is_same_answer, own_id, result};
use super::server_requests::Asked;
use super::unrecognised::{OtherLines, UnrecognisedAnswer, UnrecognisedForm, is_utf16_json};
use ananke_agents::{EventReader, Received, Rest, Sink, Stop, TargetError, in_words};
use ananke_base::context::At;
use ananke_base::source::printable;
use ananke_base::source::received_json::{is_utf16, read_bytes};
use ananke_trace::trace::{Change, Facts, Unread};

/// The time that an answer without `jsonrpc` waits for one that has it.
pub(super) const AFTER_BARE: Duration = Duration::from_millis(100);

/// The time that an answer may take after one that is not recognised: most servers have no other.
pub(super) const AFTER_UNRECOGNISED: Duration = Duration::from_secs(2);

/// The messages of a server in one turn.
pub(super) struct ServerMessages {
    /// The ids of the requests that wait, the last one last.
    awaited: Vec<u64>,
    /// The ids of requests whose response does not matter any more.
    pub(super) abandoned: Vec<u64>,
    /// Whether an error is that of the last request whatever its id is: it is the body of the response over HTTP.
    pub(super) takes_any_error: bool,
    /// Whether the messages are lines of a program, which may print other lines too.
    has_lines: bool,
    responses: VecDeque<McpResponse>,
    /// An answer that does not say that it is JSON-RPC: it counts if none comes that does.
    bare: Option<McpResponse>,
    /// The last answer that was taken.
    answered: Option<(u64, Result<Value, RpcError>)>,
    /// The requests of the server that have no answer yet.
    asked: VecDeque<Asked>,
    bytes: usize,
    max_bytes: usize,
    /// Whether a message came.
    has_messages: bool,
    /// The beginning of the first line that is not a message.
    noise: Option<String>,
    /// The lines that are not messages.
    other: OtherLines,
    /// The first answer that is not the one that is waited for, while that is the only one.
    unrecognised: Option<UnrecognisedAnswer>,
    /// The time for which the answer is waited for after one that is not recognised.
    pub(super) patience: Duration,
    /// The same after a line that is not a message; `None` if that changes nothing.
    pub(super) after_noise: Option<Duration>,
}

impl ServerMessages {
    /// Nothing so far; all of it may be this large.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            awaited: Vec::new(),
            abandoned: Vec::new(),
            takes_any_error: false,
            has_lines: false,
            responses: VecDeque::new(),
            bare: None,
            answered: None,
            asked: VecDeque::new(),
            bytes: 0,
            max_bytes,
            has_messages: false,
            noise: None,
            other: OtherLines::default(),
            unrecognised: None,
            patience: AFTER_UNRECOGNISED,
            after_noise: None,
        }
    }

    /// Waits from now on for the response to this request too.
    pub(super) fn await_response(&mut self, id: u64) {
        self.awaited.push(id);
    }

    /// The next request of the server.
    pub(super) fn take_asked(&mut self) -> Option<Asked> {
        self.asked.pop_front()
    }

    /// The next response, if one is there.
    pub(super) fn take_response(&mut self) -> Option<McpResponse> {
        let response = self.responses.pop_front().or_else(|| self.bare.take())?;
        self.awaited.retain(|awaited| *awaited != response.id);
        self.unrecognised = None;
        self.answered = Some((response.id, response.result.clone()));
        Some(response)
    }

    /// The answer that came instead of that to the request that waits.
    pub(super) fn take_unrecognised(&mut self) -> Option<UnrecognisedAnswer> {
        if self.has_news() || self.bare.is_some() {
            return None;
        }
        self.unrecognised.take()
    }

    /// Takes an answer that cannot be the one to the request that waits.
    fn recognise_nothing(&mut self, form: UnrecognisedForm, quote: String) {
        if let [awaited] = self.awaited[..] {
            self.unrecognised.get_or_insert(UnrecognisedAnswer {
                form,
                awaited,
                quote,
            });
        }
    }

    /// Ignores the responses to the requests that wait, and returns their ids.
    pub(super) fn abandon(&mut self) -> Vec<u64> {
        let awaited = std::mem::take(&mut self.awaited);
        self.abandoned.extend(&awaited);
        awaited
    }

    /// An error, with what else was printed: it may say what the server is.
    pub(super) fn with_noise(&self, error: TargetError) -> TargetError {
        match &self.noise {
            Some(noise) if error.received == Received::default() => {
                let received = Received {
                    first_bytes: noise.clone(),
                    ..Received::default()
                };
                TargetError { received, ..error }
            }
            _ => error,
        }
    }

    /// The part of the answer that is missing if time is up and nothing that came is a message.
    pub(super) fn missing(&self) -> Option<String> {
        let noise = self.noise.as_ref()?;
        if self.has_messages {
            return None;
        }
        Some(format!("what the server wrote is not a message: `{noise}`"))
    }

    /// Whether there is something to do: a response, or a question of the server.
    pub(super) fn has_news(&self) -> bool {
        !self.responses.is_empty() || !self.asked.is_empty()
    }

    /// Takes a response to `id`.
    fn answer(
        &mut self,
        at: At,
        id: u64,
        message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        let result = result(message)?;
        self.awaited.retain(|awaited| *awaited != id);
        self.responses.push_back(McpResponse { id, at, result });
        match self.bare.take_if(|bare| bare.id == id) {
            None => Ok(ControlFlow::Continue(())),
            Some(_) => Ok(warn(
                at,
                format!(
                    "the server also answered the request `{id}` without `jsonrpc`: that answer is not read"
                ),
                sink,
            )),
        }
    }

    /// Takes an answer without `jsonrpc` to a request that waits.
    fn bare_answer(&mut self, at: At, id: u64, message: Map<String, Value>) -> Result<(), String> {
        let result = result(message)?;
        self.bare.get_or_insert(McpResponse { id, at, result });
        Ok(())
    }

    /// A response to a request of which an answer was taken, or to one of an earlier turn: the first answer counts.
    fn answer_again(
        &mut self,
        at: At,
        id: u64,
        message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<Stop> {
        let known = self.answered.as_ref().filter(|(known, _)| *known == id);
        let other = match (known, result(message)) {
            (Some((_, first)), Ok(again)) if is_same_answer(first, &again) => "",
            (Some(_), _) => ", with another answer",
            (None, _) => ", whose answer was read before",
        };
        let words =
            format!("the server answered the request `{id}` again{other}: the first answer counts");
        warn(at, words, sink)
    }

    /// Whether a response is another one to a request: an answer to that was taken, or it is of an earlier turn.
    fn is_repeated(&self, id: u64, message: &Map<String, Value>) -> bool {
        let is_known = self
            .answered
            .as_ref()
            .is_some_and(|(known, _)| *known == id);
        let is_earlier = self.awaited.first().is_none_or(|first| id < *first);
        let is_error_of_last = self.takes_any_error && message.contains_key("error");
        is_known || is_earlier && self.has_lines && id > 0 && !is_error_of_last
    }

    fn message(
        &mut self,
        at: At,
        mut message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // Ids count in each direction by themselves: a request is never taken for a response.
        match message.remove("method") {
            Some(Value::String(method)) => Ok(self.request(at, method, message, sink)),
            Some(_) => Err("has a `method` that is not a text".to_owned()),
            None => self.response(at, message, sink),
        }
    }

    /// Takes a request or a notification.
    fn request(
        &mut self,
        at: At,
        method: String,
        mut message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<Stop> {
        let params = message.remove("params").unwrap_or(Value::Null);
        match message.remove("id") {
            Some(id) => {
                // It is at work on what it was asked.
                self.unrecognised = None;
                self.asked.push_back(Asked { id, method, params });
                ControlFlow::Continue(())
            }
            None => notified(at, method, params, sink),
        }
    }

    fn response(
        &mut self,
        at: At,
        message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        match message.get("id").and_then(own_id) {
            Some((id, is_other_kind)) if self.awaited.contains(&id) => {
                let words = format!(
                    "the `id` of the response to the request `{id}` is not the number that was sent"
                );
                if is_other_kind && warn(at, words, sink).is_break() {
                    return Ok(ControlFlow::Break(Stop));
                }
                if message.contains_key("jsonrpc") {
                    return self.answer(at, id, message, sink);
                }
                self.bare_answer(at, id, message)?;
                Ok(ControlFlow::Continue(()))
            }
            Some((id, _)) if self.abandoned.contains(&id) => Ok(ControlFlow::Continue(())),
            Some((id, _)) if self.is_repeated(id, &message) => {
                Ok(self.answer_again(at, id, message, sink))
            }
            _ => self.other_response(at, message, sink),
        }
    }

    /// Takes a response whose id is not that of a request of ours.
    fn other_response(
        &mut self,
        at: At,
        mut message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        match (message.remove("id"), self.awaited.last().copied()) {
            // What could not be read has no id that it could repeat.
            (Some(Value::Null) | None, Some(last)) if has_error(&message) => {
                self.answer(at, last, message, sink)
            }
            (Some(_), Some(last)) if self.takes_any_error && has_error(&message) => {
                self.answer(at, last, message, sink)
            }
            (None, _) => Err("is neither a request nor a response".to_owned()),
            (Some(id), last) => {
                let id = id.to_string();
                let id = printable(&id);
                match last {
                    // A line with an id that was never given is not for us.
                    _ if self.has_lines => {
                        let words = format!(
                            "the server answered the request `{id}`, which was not sent: it is ignored"
                        );
                        let quote = Received::quoted(Value::Object(message).to_string().as_bytes());
                        self.recognise_nothing(UnrecognisedForm::OtherId(id), quote);
                        Ok(warn(at, words, sink))
                    }
                    Some(last) => Err(format!(
                        "answers the request `{id}`, but the request that waits is `{last}`"
                    )),
                    None => Err(format!("answers the request `{id}`, but no request waits")),
                }
            }
        }
    }

    /// Whether a value is a message. A program may leave out what says so in the answer to a request that waits.
    fn is_message(&self, message: &Value) -> bool {
        if message
            .get("jsonrpc")
            .is_some_and(|version| version == "2.0")
        {
            return true;
        }
        let has = |key: &str| message.get(key).is_some();
        let own = message.get("id").and_then(own_id);
        self.has_lines
            && !has("method")
            && (has("result") || has("error") || has("jsonrpc"))
            && own.is_some_and(|(id, _)| self.awaited.contains(&id))
    }

    /// A line that is not a message.
    fn ignore(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> ControlFlow<Stop> {
        match self.other.take(data) {
            Some((form, quote)) => self.recognise_nothing(form, quote),
            None if self.after_noise.is_some() => {
                self.recognise_nothing(UnrecognisedForm::Noise, Received::quoted(data));
            }
            None => {}
        }
        if self.noise.is_some() {
            return ControlFlow::Continue(());
        }
        self.noise = Some(Received::quote(data));
        let warning = format!(
            "the server printed a line to stdout that is not a message of MCP, and was ignored: {}",
            Received::quoted(data)
        );
        sink.change(at, Change::Warning(warning.into()))
    }

    /// Takes messages out of `data`. Some versions put several into a list.
    pub(super) fn take(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<Option<ControlFlow<Stop>>, String> {
        self.bytes = self.bytes.saturating_add(data.len());
        if self.bytes > self.max_bytes {
            let limit = in_words(self.max_bytes);
            return Err(format!(
                "makes what the server said in this turn larger than {limit}"
            ));
        }
        let mut read = match read_bytes(data) {
            Ok(read) => read,
            Err(error) if is_utf16_json(data) || !self.has_lines && is_utf16(data) => {
                return Err(error.0);
            }
            Err(_) => return Ok(None),
        };
        let messages = match read.value {
            Value::Array(messages) => messages,
            message => vec![message],
        };
        if messages.is_empty() || !messages.iter().all(|message| self.is_message(message)) {
            return Ok(None);
        }
        if let Some(key) = read.oddities.duplicate_key.take() {
            let unread = Unread::duplicate_key(&key, Facts::OF_AGENT);
            if sink.change(at, Change::Unread(unread)).is_break() {
                return Ok(Some(ControlFlow::Break(Stop)));
            }
        }
        for words in read.oddities.warnings() {
            if warn(at, words, sink).is_break() {
                return Ok(Some(ControlFlow::Break(Stop)));
            }
        }
        self.has_messages = true;
        for message in messages {
            let Value::Object(message) = message else {
                return Ok(None);
            };
            let flow = self.message(at, message, sink)?;
            if flow.is_break() {
                return Ok(Some(flow));
            }
        }
        Ok(Some(ControlFlow::Continue(())))
    }
}

impl EventReader for ServerMessages {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.has_lines = true;
        let flow = match self.take(at, data, sink)? {
            Some(flow) => {
                self.other.clear();
                flow
            }
            None => self.ignore(at, data, sink),
        };
        Ok(flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.has_news() {
            return Some(Rest::AfterEnd(Duration::ZERO));
        }
        if self.bare.is_some() {
            return Some(Rest::AfterEnd(AFTER_BARE));
        }
        let answer = self.unrecognised.as_ref()?;
        let patience = match (&answer.form, self.after_noise) {
            (UnrecognisedForm::Noise, Some(after_noise)) => after_noise,
            _ => self.patience,
        };
        Some(Rest::AfterEnd(patience))
    }
}

fn warn(at: At, words: impl Into<Cow<'static, str>>, sink: &mut dyn Sink) -> ControlFlow<Stop> {
    sink.change(at, Change::Warning(words.into()))
}
