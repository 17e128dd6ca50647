//! Events to changes: here every quirk of the protocol ends.
//!
//! Events that mean nothing to the neutral record (steps, activities, subagents as such, raw events, metadata, and every
//! type a newer server may send) pass without effect; they stay on the wire for whoever wants them.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::annotations;
use super::beside;
use super::conversation::Conversation;
use super::frame::{Fault, Frame, Key};
use super::lanes::{Ends, Kind, Lanes};
use super::sequence::Sequence;
use super::snapshot;
use super::speech::{Effects, Speech, Tell, answer_content, shown};
use super::warnings::Warnings;
use crate::trace::{Change, Interrupt, ResultContent, RunEnd};

/// The name of the custom event that tells an interrupt.
const LEGACY_INTERRUPT: &str = "on_interrupt";

/// How far the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    NotStarted,
    Open,
    Finished,
    Failed,
}

/// Decodes the events of one exchange.
#[derive(Debug)]
pub(super) struct Decoder {
    run: Run,
    /// The run that was asked for, until it has started.
    asked_for: Option<String>,
    /// Whether anything came at all.
    has_begun: bool,
    /// Whether the agent tells a thread again.
    connecting: bool,
    /// Whether it is told when events say that they came about.
    stamps: bool,
    /// What the open run waits for, told the way of agents from before the protocol had interrupts.
    legacy_interrupts: Vec<Interrupt>,
    sequence: Sequence,
    speech: Speech,
    lanes: Lanes,
    /// The calls that were answered, by the id of the answer's message.
    answers: HashMap<String, String>,
    pub(super) warnings: Warnings,
}

impl Decoder {
    /// A decoder for the answer to the request of the run `run_id`.
    /// To one that connects, earlier runs are told again.
    pub(super) fn new(run_id: String, connecting: bool, stamps: bool) -> Self {
        Self {
            run: Run::NotStarted,
            asked_for: Some(run_id),
            has_begun: false,
            connecting,
            stamps,
            legacy_interrupts: Vec::new(),
            sequence: Sequence::default(),
            speech: Speech::default(),
            lanes: Lanes::default(),
            answers: HashMap::new(),
            warnings: Warnings::default(),
        }
    }

    /// Whether a terminal event came, and no run began after it.
    pub(super) fn is_ended(&self) -> bool {
        matches!(self.run, Run::Finished | Run::Failed)
    }

    /// Whether a run is under way.
    pub(super) fn is_open(&self) -> bool {
        self.run == Run::Open
    }

    /// Whether the agent tells a thread again.
    pub(super) fn is_connecting(&self) -> bool {
        self.connecting
    }

    /// Tells what an event means.
    pub(super) fn decode(
        &mut self,
        frame: &Frame<'_>,
        conversation: &mut Conversation,
        tell: &mut Tell<'_>,
    ) -> Result<(), Fault> {
        self.sequence.check(frame, tell);
        let mut warnings = std::mem::take(&mut self.warnings);
        let effects = &mut Effects { conversation, warnings: &mut warnings, tell };
        if self.stamps
            && let Some(stamp) = frame.stamp()
        {
            (effects.tell)(Change::Stamped(stamp));
        }
        self.end_chunks(frame, effects);
        let decoded = self.dispatch(frame, effects);
        annotations::take(frame, &self.lanes, &mut effects.conversation.history);
        self.has_begun = true;
        self.warnings = warnings;
        decoded
    }

    fn dispatch(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        match frame.kind() {
            "RUN_STARTED" => self.run_started(frame, effects)?,
            "RUN_FINISHED" => self.run_finished(frame, effects)?,
            "RUN_ERROR" => self.run_error(frame, effects)?,
            "TEXT_MESSAGE_START" => {
                let id = required(frame, Key::MessageId, effects)?;
                let role = frame.id(Key::Role, effects.warnings)?.unwrap_or(Cow::Borrowed("assistant"));
                let owner = owner(frame, effects);
                self.speech.open_message(&id, &role, &owner, effects);
            }
            "TEXT_MESSAGE_CONTENT" => {
                let id = self.under_way(frame, Kind::Message, effects)?;
                let delta = delta(frame, effects);
                self.speech.add_text(&id, &delta, effects);
            }
            "TEXT_MESSAGE_END" => {
                let id = self.under_way(frame, Kind::Message, effects)?;
                self.speech.close_message(&id, effects);
            }
            "TEXT_MESSAGE_CHUNK" | "TOOL_CALL_CHUNK" | "REASONING_MESSAGE_CHUNK" => {
                self.chunk(frame, effects)?;
            }
            "TOOL_CALL_START" => {
                let id = required(frame, Key::ToolCallId, effects)?;
                let owner = owner(frame, effects);
                self.open_call(&id, &owner, frame, effects)?;
            }
            "TOOL_CALL_ARGS" => {
                let id = self.under_way(frame, Kind::Call, effects)?;
                let delta = delta(frame, effects);
                self.speech.add_arguments(&id, &delta, effects);
            }
            "TOOL_CALL_END" => {
                let id = self.under_way(frame, Kind::Call, effects)?;
                self.speech.close_call(&id, effects);
            }
            "TOOL_CALL_RESULT" => self.call_result(frame, effects)?,
            "STATE_SNAPSHOT" => {
                frame.raw(Key::Snapshot).ok_or_else(|| frame.missing(Key::Snapshot))?;
                let state = frame.value(Key::Snapshot, effects.warnings)?.unwrap_or_default();
                effects.conversation.state.replace(state.clone());
                effects.conversation.state_is_told = true;
                (effects.tell)(Change::StateReplaced(state));
            }
            "STATE_DELTA" => {
                let value = frame.value(Key::Delta, effects.warnings)?;
                let patch = value.ok_or_else(|| frame.missing(Key::Delta))?;
                effects.conversation.state_is_told = true;
                match effects.conversation.state.patch(&patch) {
                    Ok(()) => (effects.tell)(Change::StatePatched(patch)),
                    Err(reason) => effects
                        .warnings
                        .add(format!("a `STATE_DELTA` does not apply, the state stays as it was: {reason}")),
                }
            }
            "MESSAGES_SNAPSHOT" => {
                let value = frame.value(Key::Messages, effects.warnings)?;
                let value = value.ok_or_else(|| frame.missing(Key::Messages))?;
                let messages = snapshot::messages(value, &*effects.conversation.ids, effects.warnings)?;
                (effects.tell)(Change::Snapshot(snapshot::items(&messages, effects.warnings)));
                effects.conversation.history.replace(messages);
            }
            "CUSTOM" => self.custom(frame, effects)?,
            "REASONING_ENCRYPTED_VALUE" => self.encrypted_value(frame, effects),
            kind if kind.starts_with("REASONING_") || kind.starts_with("THINKING_") => {
                let owner = owner(frame, effects);
                self.speech.thoughts.take(frame, &owner, effects);
            }
            _ => {}
        }
        Ok(())
    }

    fn end_chunks(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) {
        match Ends::of(frame.kind()) {
            Ends::Nothing => {}
            Ends::Own => {
                if let Some(begun) = self.lanes.end(&owner(frame, effects)) {
                    self.speech.close(&begun, effects);
                }
            }
            Ends::All => {
                for begun in self.lanes.end_all() {
                    self.speech.close(&begun, effects);
                }
            }
        }
    }

    fn run_started(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        let run_id = frame.id(Key::RunId, effects.warnings)?;
        let thread_id = frame.id(Key::ThreadId, effects.warnings)?;
        self.legacy_interrupts.clear();
        let is_replay = self.connecting && run_id.as_deref() != self.asked_for.as_deref();
        if self.connecting {
            earlier_messages(frame, effects);
        } else if let Some(asked_for) = self.asked_for.take() {
            // Only the first run of an answer is the one that was asked for.
            let thread_asked_for = &effects.conversation.thread_id;
            let ids = [("run", &run_id, &asked_for), ("thread", &thread_id, thread_asked_for)];
            for (what, given, asked_for) in ids {
                if let Some(given) = given.as_deref().filter(|given| given != asked_for) {
                    let (given, asked_for) = (shown(given), shown(asked_for));
                    effects
                        .warnings
                        .add(format!("the agent's {what} is `{given}`, not `{asked_for}` as asked for"));
                }
            }
        }
        self.run = Run::Open;
        (effects.tell)(Change::RunStarted { run_id, thread_id, is_replay });
        Ok(())
    }

    /// An event of the application's own; one of them is how interrupts were told before the protocol had them.
    fn custom(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        let Some(name) = frame.id(Key::Name, effects.warnings).ok().flatten() else { return Ok(()) };
        if name == LEGACY_INTERRUPT {
            let raw = frame.value(Key::RawEvent, effects.warnings)?;
            let id = raw.as_ref().and_then(|raw| raw.get("id")).and_then(Value::as_str);
            let nth = self.legacy_interrupts.len() + 1;
            let id = id.map_or_else(|| format!("{LEGACY_INTERRUPT}-{nth}"), str::to_owned);
            let message = frame.text(Key::Value, effects.warnings).map(Cow::into_owned);
            self.legacy_interrupts.push(Interrupt { id, message, ..Interrupt::default() });
        }
        let value = frame.value(Key::Value, effects.warnings).unwrap_or_else(|fault| {
            effects.warnings.add(format!("a `CUSTOM` {}", fault.0));
            None
        });
        (effects.tell)(Change::Custom { name, value: value.unwrap_or_default() });
        Ok(())
    }

    /// A value that only the agent understands goes back to it; what one of them says of a call is told.
    fn encrypted_value(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) {
        let id = |key: Key, effects: &mut Effects<'_, '_>| frame.id(key, effects.warnings).ok().flatten();
        let (Some(entity), Some(value)) = (id(Key::EntityId, effects), id(Key::EncryptedValue, effects))
        else {
            return;
        };
        let is_of_call = id(Key::Subtype, effects).as_deref() == Some("tool-call");
        effects.conversation.history.attach(is_of_call, &entity, &value);
        if let Some(call) = self.answers.get(&*entity)
            && let Some(is_denied) = beside::failure(&value)
        {
            (effects.tell)(Change::CallFailed { id: Cow::Borrowed(call), is_denied });
        }
    }

    /// The first terminal event of a run counts; only an error still counts after a finish.
    fn run_finished(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        if self.is_ended() {
            return Ok(());
        }
        if !self.has_begun {
            // A runtime sends this where somebody stopped the run before the agent had said a word.
            return Err(Fault("ends a run that never began".to_owned()));
        }
        let outcome = frame.value(Key::Outcome, effects.warnings)?;
        self.speech.close_all(effects);
        self.run = Run::Finished;
        let outcome = outcome.map_or(RunEnd::Finished, |outcome| finish(&outcome, effects.warnings));
        let legacy = std::mem::take(&mut self.legacy_interrupts);
        // Newer agents tell their interrupts both ways.
        let is_legacy = outcome == RunEnd::Finished && !legacy.is_empty();
        effects.conversation.legacy_interrupts = is_legacy;
        tell_usage(frame, effects);
        let outcome = if is_legacy { RunEnd::Interrupted(legacy) } else { outcome };
        (effects.tell)(Change::RunEnded(outcome));
        Ok(())
    }

    fn run_error(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        if self.run == Run::Failed {
            return Ok(());
        }
        let message = frame.text(Key::Message, effects.warnings).unwrap_or_else(|| {
            effects.warnings.add("a `RUN_ERROR` has no `message`");
            Cow::Borrowed("")
        });
        let code = frame.id(Key::Code, effects.warnings)?.map(Cow::into_owned);
        self.run = Run::Failed;
        tell_usage(frame, effects);
        (effects.tell)(Change::RunEnded(RunEnd::Error { message: message.into_owned(), code }));
        Ok(())
    }

    fn open_call(
        &mut self,
        id: &str,
        owner: &str,
        frame: &Frame<'_>,
        effects: &mut Effects<'_, '_>,
    ) -> Result<(), Fault> {
        let name = required(frame, Key::ToolCallName, effects)?;
        let parent = frame.id(Key::ParentMessageId, effects.warnings)?;
        self.speech.open_call(id, &name, parent.as_deref(), owner, effects);
        Ok(())
    }

    fn call_result(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        let call = required(frame, Key::ToolCallId, effects)?;
        let message_id = frame.id(Key::MessageId, effects.warnings)?;
        if let Some(message_id) = &message_id {
            self.answers.insert(message_id.to_string(), call.to_string());
        }
        let mut key = Key::Content;
        if frame.raw(key).is_none() && frame.raw(Key::Result).is_some() {
            effects.warnings.add("a `TOOL_CALL_RESULT` has `result` instead of `content`");
            key = Key::Result;
        }
        let result = if frame.is_text(key) {
            ResultContent::Text(frame.text(key, effects.warnings).unwrap_or_default())
        } else if let Some(value) = frame.value(key, effects.warnings)? {
            ResultContent::Json(value)
        } else {
            effects.warnings.add("a `TOOL_CALL_RESULT` has no `content`");
            ResultContent::Text(Cow::Borrowed(""))
        };
        let Conversation { history, ids, .. } = effects.conversation;
        history.answer(&call, message_id.as_deref(), answer_content(&result), &**ids);
        (effects.tell)(Change::CallAnswered { id: call, result, is_error: None });
        Ok(())
    }

    /// A chunk begins its message, call or thoughts if their id is new, and goes on with the one under way if it names none.
    fn chunk(&mut self, frame: &Frame<'_>, effects: &mut Effects<'_, '_>) -> Result<(), Fault> {
        let kind = match frame.kind() {
            "TEXT_MESSAGE_CHUNK" => Kind::Message,
            "TOOL_CALL_CHUNK" => Kind::Call,
            _ => Kind::Thoughts,
        };
        let owner = owner(frame, effects);
        let named = match kind {
            Kind::Message | Kind::Call => frame.id(id_key(kind), effects.warnings)?,
            Kind::Thoughts => {
                let current = self.lanes.current(&owner, kind);
                Some(self.speech.thoughts.id(frame, current, effects))
            }
        };
        let current = self.lanes.current(&owner, kind);
        // Some servers say only with the first chunk whose it is.
        let only = || self.lanes.only(kind).filter(|_| owner.is_empty() && named.is_none());
        let current = current.or_else(only);
        let id = match (named, current) {
            (Some(named), Some(current)) if named == current => named,
            (None, Some(current)) => Cow::Owned(current.to_owned()),
            (None, None) => self.only_open(frame, kind)?,
            (Some(named), _) => {
                if let Some(begun) = self.lanes.end(&owner) {
                    self.speech.close(&begun, effects);
                }
                if !self.speech.is_open(kind, &named) {
                    match kind {
                        Kind::Message => {
                            let role = frame.id(Key::Role, effects.warnings)?;
                            let role = role.unwrap_or(Cow::Borrowed("assistant"));
                            self.speech.open_message(&named, &role, &owner, effects);
                        }
                        Kind::Call => self.open_call(&named, &owner, frame, effects)?,
                        Kind::Thoughts => self.speech.thoughts.open(&named, effects),
                    }
                    self.lanes.begin(&owner, kind, &named);
                }
                named
            }
        };
        if let Some(delta) = frame.text(Key::Delta, effects.warnings) {
            match kind {
                Kind::Message => self.speech.add_text(&id, &delta, effects),
                Kind::Call => self.speech.add_arguments(&id, &delta, effects),
                Kind::Thoughts => self.speech.thoughts.add(&id, &delta, &owner, effects),
            }
        }
        Ok(())
    }

    /// The id of the message or call an event goes on with; where it names none, the only one under way is meant.
    fn under_way<'a>(
        &self,
        frame: &Frame<'a>,
        kind: Kind,
        effects: &mut Effects<'_, '_>,
    ) -> Result<Cow<'a, str>, Fault> {
        let key = id_key(kind);
        if let Some(id) = frame.id(key, effects.warnings)? {
            return Ok(id);
        }
        let only = self.only_open(frame, kind)?;
        effects.warnings.add(format!(
            "a `{}` has no `{}`: the only one under way is taken",
            frame.kind(),
            key.name()
        ));
        Ok(only)
    }

    fn only_open<'a>(&self, frame: &Frame<'a>, kind: Kind) -> Result<Cow<'a, str>, Fault> {
        let only = self.speech.only_open(kind).ok_or_else(|| frame.missing(id_key(kind)))?;
        Ok(Cow::Owned(only.to_owned()))
    }
}

/// What a run that is told again was sent: the only place where its user's messages stand.
fn earlier_messages(frame: &Frame<'_>, effects: &mut Effects<'_, '_>) {
    let Ok(Some(mut input)) = frame.value(Key::Input, effects.warnings) else { return };
    let Some(messages) = input.get_mut("messages").map(Value::take) else { return };
    match snapshot::messages(messages, &*effects.conversation.ids, effects.warnings) {
        Ok(messages) => effects.conversation.history.add_earlier(messages),
        Err(fault) => effects.warnings.add(format!("the `input` of a `RUN_STARTED` {}", fault.0)),
    }
}

fn tell_usage(frame: &Frame<'_>, effects: &mut Effects<'_, '_>) {
    if let Some(usage) = beside::usage(frame, effects.warnings) {
        (effects.tell)(Change::Usage(usage));
    }
}

fn id_key(kind: Kind) -> Key {
    match kind {
        Kind::Message | Kind::Thoughts => Key::MessageId,
        Kind::Call => Key::ToolCallId,
    }
}

fn owner<'a>(frame: &Frame<'a>, effects: &mut Effects<'_, '_>) -> Cow<'a, str> {
    frame.id(Key::SubagentRunId, effects.warnings).ok().flatten().unwrap_or_default()
}

fn required<'a>(frame: &Frame<'a>, key: Key, effects: &mut Effects<'_, '_>) -> Result<Cow<'a, str>, Fault> {
    frame.id(key, effects.warnings)?.ok_or_else(|| frame.missing(key))
}

fn delta<'a>(frame: &Frame<'a>, effects: &mut Effects<'_, '_>) -> Cow<'a, str> {
    frame.text(Key::Delta, effects.warnings).unwrap_or_else(|| {
        effects.warnings.add(format!("a `{}` has no `delta`", frame.kind()));
        Cow::Borrowed("")
    })
}

/// What the `outcome` of a finished run says.
fn finish(outcome: &Value, warnings: &mut Warnings) -> RunEnd {
    let kind = outcome.get("type").unwrap_or(outcome);
    match kind.as_str() {
        Some("success") => RunEnd::Finished,
        Some("cancelled") => RunEnd::Cancelled,
        Some("interrupt") => {
            let interrupts =
                outcome.get("interrupts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let named: Vec<Interrupt> = interrupts.iter().filter_map(interrupt).collect();
            if named.is_empty() || named.len() < interrupts.len() {
                warnings.add("a `RUN_FINISHED` is interrupted without naming its interrupts");
            }
            RunEnd::Interrupted(named)
        }
        _ => {
            warnings.add(format!("a `RUN_FINISHED` has the unknown outcome `{}`", shown(&kind.to_string())));
            RunEnd::Finished
        }
    }
}

fn interrupt(value: &Value) -> Option<Interrupt> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let call = text("toolCallId").or_else(|| text("tool_call_id"));
    Some(Interrupt { id: text("id")?, reason: text("reason"), message: text("message"), call })
}
