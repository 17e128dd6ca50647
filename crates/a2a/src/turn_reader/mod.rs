//! Reads what comes of a message: a stream of events, or documents, of which the last may be the tenth poll.
//!
//! **Invariant:** what several responses contain, as polls of a task do with its history and its artifacts, is reported once.

mod contents;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};

use super::a2a_conversation::A2aConversation;
use super::artifacts::ArtifactUpdate;
use super::call_log::CallParts;
use super::config::ToolCallConvention;
use super::conventions;
use super::dialect::{Dialect, OLD_HTTP};
use super::history::{SaidMessage, is_of_user};
use super::incoming::{Payload, ReportedError, open_envelope, payloads, reported};
use super::part::{list, text_of, unwrap_data};
use super::task_state::TaskState;
use super::teller::Teller;
use super::turn_end::{self, AfterTurn};
use super::unread::UnreadCollector;
use ananke_agents::http::{BodyForm, ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::{self, HalfJoiner, Halves, JsonError, Oddities, decoded};
use ananke_trace::trace::{Change, Facts, Unread};

/// The time for which a stream is read after the event that ends the turn.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// The time for which a stream is read that may end the turn at any moment: as long as it goes on.
const AS_LONG_AS_IT_GOES_ON: Duration = Duration::from_secs(u32::MAX as u64);

/// The reason why an answer is none.
pub(super) const NO_PAYLOAD: &str = "has neither a task, nor a message, nor an update of a task";

/// Reads what comes of one message.
pub(super) struct A2aReader<'a> {
    dialect: Dialect,
    conventions: &'a [ToolCallConvention],
    ids: &'a dyn Ids,
    conversation: &'a mut A2aConversation,
    /// The message that began the turn.
    said: SaidMessage,
    /// The id of the request that waits; `None` if responses have no envelope.
    awaited: Option<String>,
    /// Whether a task that waits for the user does so now, and not since before the message.
    is_current: bool,
    /// The number of payloads that came.
    payloads: usize,
    task_id: Option<String>,
    last_status: LastStatus,
    has_message: bool,
    /// Whether the agent said something that is text.
    has_spoken: bool,
    /// The messages that artifacts became and that may still grow, by the ids of the artifacts.
    open: HashMap<String, String>,
    /// Joins characters that are cut between two pieces of an artifact, by its id.
    joiners: HashMap<String, HalfJoiner>,
    /// The halves of surrogate pairs in the texts of the event.
    halves: Halves,
    /// The message that text without an id of its own is added to.
    streamed: Option<String>,
    error: Option<ReportedError>,
    /// The error with which the agent refused to be asked in a newer version.
    refused: Option<ReportedError>,
    last: At,
}

/// The last status of the task.
#[derive(Default)]
struct LastStatus {
    state: Option<TaskState>,
    written: Value,
    /// Whether it is that with which the task began to wait before this message.
    is_stale: bool,
    /// Whether it ends the turn.
    is_end: bool,
}

/// The sender of a status.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatusOf {
    /// A whole task.
    Task,
    /// An update.
    Update,
    /// An update whose message a convention has read.
    ConventionUpdate,
}

/// An event as it was read.
struct ReadEvent {
    event: Value,
    /// The first of its keys that is duplicated with another value.
    duplicate_key: Option<String>,
    warnings: Vec<Cow<'static, str>>,
}

impl<'a> A2aReader<'a> {
    pub(super) fn new(
        dialect: Dialect,
        conventions: &'a [ToolCallConvention],
        ids: &'a dyn Ids,
        conversation: &'a mut A2aConversation,
        said: SaidMessage,
    ) -> Self {
        Self {
            dialect,
            conventions,
            ids,
            conversation,
            said,
            awaited: None,
            is_current: false,
            payloads: 0,
            task_id: None,
            last_status: LastStatus::default(),
            has_message: false,
            has_spoken: false,
            open: HashMap::new(),
            joiners: HashMap::new(),
            halves: Halves::Replaced,
            streamed: None,
            error: None,
            refused: None,
            last: At::default(),
        }
    }

    /// The request with this id waits for its response now, if responses have ids.
    pub(super) fn await_response(&mut self, id: Option<String>) {
        (self.awaited, self.is_current) = (id, false);
    }

    /// The same, of a response in which a task is as it is after the message.
    pub(super) fn await_final_response(&mut self, id: Option<String>) {
        (self.awaited, self.is_current) = (id, true);
    }

    /// Whether nothing of the agent's answer was understood so far.
    pub(super) fn is_without_payload(&self) -> bool {
        self.payloads == 0 && self.error.is_none()
    }

    /// Whether the agent may be one of an older version.
    pub(super) fn may_be_older(&self) -> bool {
        self.payloads == 0 && self.error.as_ref().is_some_and(turn_end::may_be_older)
    }

    /// The agent is asked once more, in this dialect.
    pub(super) fn ask_again(&mut self, dialect: Dialect) {
        (self.refused, self.dialect) = (self.error.take(), dialect);
    }

    /// Whether the turn may end here.
    pub(super) fn is_ended(&self) -> bool {
        let LastStatus {
            state,
            is_stale,
            is_end,
            ..
        } = self.last_status;
        let is_waiting = state.is_some_and(TaskState::is_interrupted) && !is_stale;
        is_end || is_waiting || self.error.is_some() || self.is_message_alone()
    }

    /// Whether there is a message and no task.
    fn is_message_alone(&self) -> bool {
        self.has_message && self.last_status.state.is_none()
    }

    /// The task that has to be asked for again, if it is not done.
    pub(super) fn unfinished_task(&self) -> Option<&str> {
        self.task_id.as_deref().filter(|_| !self.is_ended())
    }

    /// Ends the turn.
    ///
    /// # Errors
    /// If the agent refuses to be asked like this.
    pub(super) fn finish(self, sink: &mut dyn Sink) -> Result<ControlFlow<Stop>, TargetError> {
        let mut teller = Teller::new(self.last, sink);
        match (&self.refused, &self.error) {
            (Some(first), Some(error)) if turn_end::may_be_older(error) => {
                return Err(turn_end::refusal_of_both(first, error));
            }
            (None, Some(error)) if turn_end::is_refusal(error) => {
                return Err(turn_end::refusal(error, self.dialect));
            }
            _ => {}
        }
        if self.payloads == 0 {
            teller.tell(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
        let LastStatus {
            state,
            written,
            is_stale,
            ..
        } = &self.last_status;
        let state = *state;
        let message = written.get("message").filter(|message| message.is_object());
        let id = message
            .and_then(|message| message.get("messageId"))
            .and_then(Value::as_str);
        let text = message.map(text_of).unwrap_or_default();
        // What an agent says when it is done is a status, unless it has said nothing else.
        let is_answer = state == Some(TaskState::Completed)
            || (*is_stale && state == Some(TaskState::InputRequired));
        if is_answer && !self.has_spoken && !text.is_empty() {
            let id = id.map_or_else(|| self.ids.next("message"), str::to_owned);
            teller.say(&id, &text);
        } else if is_answer && self.conversation.asides.insert(text.clone()) {
            teller.aside(&text);
        }
        for id in self.open.values().chain(&self.streamed) {
            teller.close(id);
        }
        teller.tell(Change::RunEnded(turn_end::run_end(
            self.error, state, &text,
        )));
        match turn_end::after(state) {
            AfterTurn::TaskWaits => self.conversation.wait(self.task_id, written),
            AfterTurn::TaskIsOver => self.conversation.end_task(),
            AfterTurn::Unchanged => {}
        }
        Ok(teller.flow)
    }

    /// Takes one payload.
    ///
    /// # Errors
    /// The reason that it has no meaning; the text follows `event 3 `.
    fn take(&mut self, payload: Payload, teller: &mut Teller<'_>) -> Result<(), String> {
        let of = match &payload {
            Payload::Task(value)
            | Payload::Message(value)
            | Payload::Status(value)
            | Payload::Artifact(value)
            | Payload::ArtifactAlone(value)
            | Payload::Unknown(value) => value,
        };
        let unread = UnreadCollector::of_payload(&payload, self.conventions, &self.said);
        if matches!(payload, Payload::Unknown(_)) {
            for unread in unread {
                teller.tell(Change::Unread(unread));
            }
            return Ok(());
        }
        let text = |key: &str| {
            of.get(key)
                .and_then(Value::as_str)
                .filter(|id| !id.is_empty())
                .map(str::to_owned)
        };
        let context_id = text("contextId");
        // A message of its own belongs to no task, whatever id it has.
        let task_id = match &payload {
            Payload::Task(_) => text("id"),
            Payload::Message(_) | Payload::ArtifactAlone(_) | Payload::Unknown(_) => None,
            Payload::Status(_) | Payload::Artifact(_) => text("taskId"),
        };
        self.begin(context_id, task_id, teller);
        for unread in unread {
            teller.tell(Change::Unread(unread));
        }
        for change in conventions::of_metadata(self.conventions, of) {
            self.call(change, teller);
        }
        match payload {
            Payload::Task(task) => self.task(&task, teller)?,
            Payload::Message(message) => {
                self.has_message = true;
                // Ids of messages without a task may come again.
                let calls = if self.is_new(&message, teller) {
                    CallParts::Taken
                } else {
                    CallParts::Known
                };
                self.message(&message, calls, teller);
            }
            Payload::Status(update) => self.status_update(&update, teller)?,
            Payload::Artifact(update) => self.artifact_update(&update, teller)?,
            Payload::ArtifactAlone(artifact) => {
                self.artifact(&artifact, ArtifactUpdate::Replace, teller);
            }
            Payload::Unknown(_) => {}
        }
        self.payloads += 1;
        Ok(())
    }

    /// Reads an event as JSON.
    fn read(&mut self, data: &[u8]) -> Result<ReadEvent, String> {
        let text = decoded(data).map_err(|error| error.0)?;
        let wrong = |error: JsonError| format!("is not JSON: {error}");
        let read = received_json::read(&text).map_err(wrong)?;
        let mut event = read.value;
        let is_other_kind = event.get("id").is_some_and(Value::is_number) && self.awaited.is_some();
        let odd_id = is_other_kind
            .then_some("the `id` of a response is a number, not the text of the request".into());
        let mut oddities = Oddities {
            is_lossy: matches!(text, Cow::Owned(_)),
            ..read.oddities
        };
        let duplicate_key = oddities.duplicate_key.take();
        // Only artifacts are sent in pieces, which may end within a character.
        self.halves = if is_piece(&event) {
            oddities.halves()
        } else {
            Halves::Replaced
        };
        if self.halves == Halves::Kept {
            event = received_json::read_event(&text).map_err(wrong)?.0;
        }
        let half =
            (oddities.has_half && self.halves == Halves::Replaced).then_some(Oddities::HALF.into());
        if self.dialect == OLD_HTTP {
            unwrap_data(&mut event);
        }
        Ok(ReadEvent {
            event,
            duplicate_key,
            warnings: oddities.of_values().chain(half).chain(odd_id).collect(),
        })
    }

    fn status_update(&mut self, update: &Value, teller: &mut Teller<'_>) -> Result<(), String> {
        let changes = conventions::of_status(self.conventions, update);
        let of = if changes.is_empty() {
            StatusOf::Update
        } else {
            StatusOf::ConventionUpdate
        };
        for change in changes {
            self.call(change, teller);
        }
        let status = update
            .get("status")
            .ok_or("has a status update without a `status`")?;
        self.status(status, of, teller)
    }

    fn artifact_update(&mut self, update: &Value, teller: &mut Teller<'_>) -> Result<(), String> {
        let artifact = update
            .get("artifact")
            .filter(|artifact| !artifact.is_null())
            .ok_or("has an artifact update without an `artifact`")?;
        let flag = |key: &str| update.get(key) == Some(&Value::Bool(true));
        let kind = if flag("append") {
            ArtifactUpdate::Append
        } else {
            ArtifactUpdate::Replace
        };
        let id = self.artifact(artifact, kind, teller);
        if flag("lastChunk")
            && let Some(message) = self.open.remove(&id)
        {
            teller.close(&message);
        }
        Ok(())
    }

    /// Notes which context and task this is about. The first time, it begins the run.
    fn begin(
        &mut self,
        context_id: Option<String>,
        task_id: Option<String>,
        teller: &mut Teller<'_>,
    ) {
        if self.payloads == 0 {
            let (run_id, thread_id) = (task_id.as_deref(), context_id.as_deref());
            let (run_id, thread_id) = (run_id.map(Into::into), thread_id.map(Into::into));
            teller.tell(Change::RunStarted {
                run_id,
                thread_id,
                is_replay: false,
            });
        }
        if let Some(context_id) = context_id {
            self.conversation.context_id = Some(context_id);
        }
        if let Some(task_id) = task_id {
            self.task_id = Some(task_id);
        }
    }

    fn task(&mut self, task: &Value, teller: &mut Teller<'_>) -> Result<(), String> {
        self.history(task, teller);
        for artifact in list(task, "artifacts") {
            self.artifact(artifact, ArtifactUpdate::Replace, teller);
        }
        let status = task.get("status").ok_or("has a task without a `status`")?;
        self.status(status, StatusOf::Task, teller)
    }

    /// Takes the status of the task.
    fn status(
        &mut self,
        status: &Value,
        of: StatusOf,
        teller: &mut Teller<'_>,
    ) -> Result<(), String> {
        let word = status
            .get("state")
            .and_then(Value::as_str)
            .ok_or("has a status without a `state`")?;
        let state = TaskState::parse(word);
        let is_first = self.payloads == 0;
        let is_stale = of == StatusOf::Task
            && !self.is_current
            && state.is_interrupted()
            && self.conversation.is_stale(status);
        let is_waiting = state.is_interrupted() && (of != StatusOf::Task || !is_first) && !is_stale;
        let is_end = state.is_terminal() || is_waiting;
        let is_question = state == TaskState::InputRequired && !is_stale;
        let is_open = state == TaskState::Open && of != StatusOf::ConventionUpdate;
        if is_end {
            self.end_pieces(teller);
        }
        if self.last_status.is_end {
            // It was not the last word: the end of the turn does not say it.
            self.aside(&said_with(&self.last_status.written), teller);
        }
        self.last_status = LastStatus {
            state: Some(state),
            written: status.clone(),
            is_stale,
            is_end,
        };
        let message = status.get("message").filter(|message| message.is_object());
        if let Some(message) = message
            && !is_stale
        {
            let is_new = self.is_new(message, teller);
            let text = text_of(message);
            if is_new && !is_question {
                self.calls_of(message, teller);
            }
            if is_new && is_question {
                self.conversation.asides.insert(text.clone());
                self.message(message, CallParts::Taken, teller);
            } else if !is_end && !is_of_user(message) && of != StatusOf::ConventionUpdate {
                self.aside(&text, teller);
            }
            if is_new && is_open && !text.is_empty() {
                let value = json!({ "state": "working", "message": text });
                teller.tell(Change::Custom {
                    name: "status".into(),
                    value,
                });
            }
        }
        Ok(())
    }
}

impl EventReader for A2aReader<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.last = at;
        let ReadEvent {
            event,
            duplicate_key,
            warnings,
        } = self.read(data)?;
        for words in warnings {
            if sink.change(at, Change::Warning(words)).is_break() {
                return Ok(ControlFlow::Break(Stop));
            }
        }
        let mut unread = match &self.awaited {
            Some(_) => UnreadCollector::of_envelope(&event),
            None => Vec::new(),
        };
        let result = match &self.awaited {
            Some(id) => open_envelope(event, id)?,
            None => match event.get("error").filter(|error| error.is_object()) {
                Some(error) => Err(reported(error)),
                None => Ok(event),
            },
        };
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                self.error = Some(error);
                return Ok(ControlFlow::Continue(()));
            }
        };
        unread.extend(duplicate_key.map(|key| Unread::duplicate_key(&key, Facts::OF_AGENT)));
        unread.extend(UnreadCollector::of_result(&result));
        let mut teller = Teller::new(at, sink);
        for payload in payloads(result)? {
            self.take(payload, &mut teller)?;
        }
        for unread in unread {
            teller.tell(Change::Unread(unread));
        }
        Ok(teller.flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.last_status.is_end || self.error.is_some() || self.is_message_alone() {
            return Some(Rest::AfterEnd(AFTER_THE_END));
        }
        // A task as it was before the message; if nothing more comes, that is what it is now.
        let is_waiting = self
            .last_status
            .state
            .is_some_and(TaskState::is_interrupted);
        is_waiting.then_some(Rest::AfterLastEvent(AS_LONG_AS_IT_GOES_ON))
    }
}

impl StreamReader for A2aReader<'_> {
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() > 0 && self.is_without_payload() {
            return response.broken_off(format!("the stream {NO_PAYLOAD}"));
        }
        if response.events() > 0 {
            let state = self
                .last_status
                .written
                .get("state")
                .and_then(Value::as_str)
                .unwrap_or("unknown");
            return response.broken_off(format!(
                "the stream ended while the task was not done (its state: `{}`)",
                ananke_base::source::printable(state)
            ));
        }
        let (message, help) = match response.form() {
            BodyForm::WebPage => (
                "the response is a web page, not a stream of events",
                "is this the URL of the agent itself?",
            ),
            BodyForm::Empty => ("the response is empty", "do the agent's logs say why?"),
            BodyForm::JsonDocument => (
                "the response is a JSON document with another content type",
                "`blocking: true` asks for one document instead of a stream",
            ),
            BodyForm::JsonLines | BodyForm::Other => (
                "the response contains no event",
                "is this the URL of the agent itself?",
            ),
        };
        response.error(message).with_help(help)
    }
}

/// The text of the message that comes with a status.
fn said_with(status: &Value) -> String {
    status.get("message").map(text_of).unwrap_or_default()
}

/// Whether an event is a piece of an artifact that goes on.
fn is_piece(event: &Value) -> bool {
    let result = event.get("result").unwrap_or(event);
    let update = result.get("artifactUpdate").unwrap_or(result);
    update.get("artifact").is_some() && update.get("lastChunk") != Some(&Value::Bool(true))
}
