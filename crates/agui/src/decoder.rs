//! Events to changes: here every peculiarity of the protocol ends.
//!
//! Events that mean nothing to the trace (steps, activities, subagents as such, raw events, and every type that a newer
//! server may send) have no effect; recordings and exchanges contain them nevertheless.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::annotations::{annotate, further_fields};
use super::assembler::Assembler;
use super::content::Content;
use super::conversation_settings::ConversationSettings;
use super::event::{DecodeError, FieldKey, WireEvent};
use super::event_kind::{Effect, EventKind, EventRef, ItemKind, facts_of_spelling, known};
use super::incoming::Incoming;
use super::listeners::{ChangeListener, Listeners, is_object};
use super::run_state::{RequestPurpose, RunState, failure};
use super::runs::Runs;
use super::sequence::{EventOrderRule, Validator};
use super::shared_results::{SharedResult, calls_of};
use super::snapshot;
use super::thread_state::ThreadState;
use super::warnings::{Warnings, shown};
use crate::messages::{Annotated, SentCall, identify};
use ananke_base::{context::At, source::received_json::without_marks, text::ShortText};
use ananke_trace::trace::{Change, Interrupt, ResultContent, RunEnd, Unread};

/// The name of the custom event of an interrupt.
const LEGACY_INTERRUPT: &str = "on_interrupt";

/// Decodes the events of one exchange.
#[derive(Debug)]
pub(super) struct Decoder {
    runs: Runs,
    /// The number of events of the turn that earlier responses brought.
    before: u32,
    /// The number of events that arrived.
    events: u32,
    /// Whether timestamps of events are passed on.
    has_stamps: bool,
    assembler: Assembler,
    validator: Validator,
    /// The call of each result, by the id of the result's message.
    results: HashMap<ShortText, ShortText>,
    pub(super) warnings: Warnings,
    /// The moment at which the last event came.
    pub(super) last: At,
}

impl Decoder {
    /// A decoder for the response to the request of the run `run_id`, which `before` events of its turn precede.
    pub(super) fn new(
        run_id: String,
        purpose: RequestPurpose,
        before: u32,
        settings: &ConversationSettings,
    ) -> Self {
        Self {
            runs: Runs::new(run_id, purpose),
            before,
            events: 0,
            has_stamps: settings.event_clock,
            assembler: Assembler::default(),
            validator: Validator::default(),
            results: HashMap::new(),
            warnings: Warnings::default(),
            last: At::default(),
        }
    }

    /// Whether a run within the requested one has failed, and the requested one is open.
    pub(super) fn has_failed_within(&self) -> bool {
        self.runs.has_failed_within()
    }

    /// The response is over: an error of a run within the requested one is that of the turn, if the latter never ended.
    pub(super) fn finish(&mut self) -> Option<RunEnd> {
        self.runs.take_failure_within()
    }

    /// Whether a terminal event ended the newest run.
    pub(super) fn is_ended(&self) -> bool {
        self.runs.state.has_ended()
    }

    /// Whether something has arrived, and no run is open.
    pub(super) fn is_between_runs(&self) -> bool {
        self.events > 0 && !matches!(self.runs.state, RunState::Open(_))
    }

    /// Whether the exchange replays a thread.
    pub(super) fn is_replay(&self) -> bool {
        self.runs.is_replay()
    }

    /// The number of the newest event in its turn.
    fn number(&self) -> u32 {
        self.before.saturating_add(self.events)
    }

    /// Passes on what an event means.
    pub(super) fn decode(
        &mut self,
        event: &WireEvent<'_>,
        conversation: &mut ThreadState,
        tell: &mut ChangeListener<'_>,
    ) -> Result<(), DecodeError> {
        self.events = self.events.saturating_add(1);
        if self.has_stamps
            && let Some(stamp) = event.stamp()
        {
            tell(Change::Stamped(stamp));
        }
        let Some((kind, effect)) = known(event.kind()) else {
            tell_of_unknown(event, self.number(), tell);
            tell_of_duplicates(event, Effect::Nothing, &mut self.warnings, tell);
            return Ok(());
        };
        if !effect.is_silent() {
            tell_of_keys(event, kind, effect, tell);
        }
        let at = EventRef {
            number: self.number(),
            kind,
        };
        let mut warnings = std::mem::take(&mut self.warnings);
        let listeners = &mut Listeners {
            at,
            conversation,
            warnings: &mut warnings,
            tell,
        };
        let decoded = Incoming::read(event, at, effect, listeners.warnings)
            .and_then(|incoming| self.take(&incoming, listeners));
        tell_of_duplicates(event, effect, listeners.warnings, listeners.tell);
        self.warnings = warnings;
        decoded
    }

    fn take(
        &mut self,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        let target = self.assembler.end_chunks(incoming, listeners);
        // The end of a run within another one ends nothing of the outer one.
        if !self.runs.is_end_within(incoming) {
            self.validator.check(
                incoming,
                target.as_ref(),
                self.runs.state,
                &self.assembler,
                listeners.tell,
            );
        }
        match incoming.effect {
            Effect::StartsRun => self.runs.start(incoming, &mut self.assembler, listeners)?,
            Effect::FinishesRun => self.runs.finish(incoming, &mut self.assembler, listeners)?,
            Effect::FailsRun => self.runs.fail(incoming, listeners)?,
            Effect::Begins(_) | Effect::Continues(_) | Effect::Ends(_) | Effect::Chunk(_) => {
                if let Some(id) = self.assembler.take(incoming, target, listeners)? {
                    annotate(incoming, &id, listeners.conversation);
                }
            }
            Effect::OldReasoning => self.assembler.old_reasoning(incoming, listeners),
            Effect::EndsOldReasoning => self.assembler.end_old_reasoning(),
            Effect::AnswersCall => self.answer_call(incoming, listeners)?,
            Effect::ReplacesState => replace_state(incoming.event, listeners)?,
            Effect::PatchesState => patch_state(incoming.event, listeners)?,
            Effect::ReplacesMessages => replace_messages(incoming.event, listeners)?,
            Effect::Custom => self.custom(incoming.event, listeners)?,
            Effect::Encrypts => self.encrypted_value(incoming.event, listeners),
            Effect::StartsStep
            | Effect::FinishesStep
            | Effect::StartsSubagent
            | Effect::EndsSubagent
            | Effect::SetsActivity
            | Effect::ChangesActivity
            | Effect::EndsChunks
            | Effect::Nothing => {}
        }
        Ok(())
    }

    fn answer_call(
        &mut self,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        let event = incoming.event;
        let id = event.required(FieldKey::ToolCallId, listeners.warnings)?;
        let message_id = event.id(FieldKey::MessageId, listeners.warnings)?;
        let mut key = FieldKey::Content;
        if !event.has(key) && event.has(FieldKey::Result) {
            listeners
                .warnings
                .add("a `TOOL_CALL_RESULT` has `result` instead of `content`");
            key = FieldKey::Result;
        }
        self.assembler.begin_answered(&id, incoming, listeners);
        let error = event.error(listeners.warnings);
        if !event.has(key) && error.is_some() {
            key = FieldKey::Error;
        }
        let result = if event.is_text(key) {
            ResultContent::Text(event.text(key, listeners.warnings).unwrap_or_default())
        } else if let Some(value) = event.value(key, listeners.warnings)? {
            ResultContent::Json(value)
        } else {
            listeners
                .warnings
                .add("a `TOOL_CALL_RESULT` has no `content`");
            ResultContent::Text(Cow::Borrowed(""))
        };
        let is_error = error.map(|_| true);
        if let Some(calls) = listeners.conversation.calls.shared_in_run(&id) {
            let is_open = self.assembler.items.is_open(ItemKind::Call, &id);
            let number = self.assembler.shared.next_number();
            let kept = SharedResult {
                number,
                at: self.last,
                message_id: message_id.map(Cow::into_owned),
                content: owned(result),
                is_error,
                is_denied: None,
                fields: further_fields(event),
                ended_calls: calls.count - u32::from(is_open),
            };
            self.assembler.shared.keep(&id, kept);
            (listeners.tell)(Change::ResultArrived { number });
            return Ok(());
        }
        let call = listeners.conversation.calls.answer(&id).to_owned();
        if let Some(message_id) = &message_id {
            self.results
                .insert(message_id.as_ref().into(), call.as_str().into());
        }
        let ThreadState { history, ids, .. } = &mut *listeners.conversation;
        history.answer(&call, message_id.as_deref(), sent_content(&result), &**ids);
        annotate(incoming, &call, listeners.conversation);
        (listeners.tell)(Change::CallAnswered {
            id: call.into(),
            result,
            is_error,
        });
        Ok(())
    }

    /// Whether the event ends the run, or starts the next one.
    pub(super) fn ends_run(&self, event: &WireEvent<'_>) -> bool {
        let is_end = matches!(
            known(event.kind()),
            Some((
                _,
                Effect::StartsRun | Effect::FinishesRun | Effect::FailsRun
            ))
        );
        is_end && !self.runs.goes_on_after(event)
    }

    /// The run is over: gives the results of ids that several calls share to their calls, each when it came.
    pub(super) fn give_shared_results(
        &mut self,
        conversation: &mut ThreadState,
        tell: &mut dyn FnMut(At, Change<'static>),
    ) {
        let ThreadState {
            calls,
            history,
            ids,
            ..
        } = conversation;
        for (id, results, order) in self.assembler.shared.take() {
            let Some(of_run) = calls.shared_in_run(&id) else {
                continue;
            };
            let numbers = calls_of(of_run, &results, order);
            if numbers.is_none() {
                let message = format!(
                    "which of the {} calls with the id `{}` each of their {} results is for cannot be known",
                    of_run.count,
                    shown(&id),
                    results.len() + of_run.answered as usize,
                );
                let unread = Unread::results(&id, message);
                tell(self.last, Change::Unread(unread));
            }
            for (place, mut result) in (0..).zip(results) {
                let number = numbers
                    .as_ref()
                    .and_then(|numbers| numbers.get(place as usize));
                // The next request has a result for each call as far as there are results.
                let call = calls
                    .answer_in_run(&id, number.copied().unwrap_or(of_run.answered + place))
                    .to_owned();
                history.answer(
                    &call,
                    result.message_id.as_deref(),
                    sent_content(&result.content),
                    &**ids,
                );
                let fields = std::mem::take(&mut result.fields);
                history.annotate(Annotated::ResultOf(&call), fields);
                if numbers.is_some() {
                    give_result(call, result, &mut self.results, tell);
                }
            }
        }
    }

    /// A custom event, which may be an interrupt from before the protocol had them.
    fn custom(
        &mut self,
        event: &WireEvent<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        let Some(name) = event.id(FieldKey::Name, listeners.warnings).ok().flatten() else {
            return Ok(());
        };
        if name == LEGACY_INTERRUPT {
            let raw = event.value(FieldKey::RawEvent, listeners.warnings)?;
            let id = raw
                .as_ref()
                .and_then(|raw| raw.get("id"))
                .and_then(Value::as_str);
            let nth = self.runs.legacy_interrupts.len() + 1;
            let id = id.map_or_else(|| format!("{LEGACY_INTERRUPT}-{nth}"), str::to_owned);
            let message = event
                .text(FieldKey::Value, listeners.warnings)
                .map(Cow::into_owned);
            self.runs.legacy_interrupts.push(Interrupt {
                id,
                message,
                ..Interrupt::default()
            });
        }
        let value = event
            .value(FieldKey::Value, listeners.warnings)
            .unwrap_or_else(|error| {
                listeners.warnings.add(format!("a `CUSTOM` {}", error.0));
                None
            });
        (listeners.tell)(Change::Custom {
            name,
            value: without_marks(&value.unwrap_or_default()).into_owned(),
        });
        Ok(())
    }

    /// A value that only the agent can read goes back to it; known servers say in it whether a call failed.
    fn encrypted_value(&mut self, event: &WireEvent<'_>, listeners: &mut Listeners<'_, '_>) {
        let mut id = |key: FieldKey| event.id(key, listeners.warnings).ok().flatten();
        let (Some(entity), Some(value)) = (id(FieldKey::EntityId), id(FieldKey::EncryptedValue))
        else {
            return;
        };
        let subtype = id(FieldKey::Subtype);
        let ThreadState { calls, history, .. } = &mut *listeners.conversation;
        match subtype.as_deref() {
            Some("tool-call") => history.attach_to_call(calls.key(&entity), &value),
            _ => history.attach_to_message(&entity, &value),
        }
        let Some(is_denied) = failure(&value) else {
            return;
        };
        if let Some(waiting) = self.assembler.shared.find(&entity) {
            waiting.is_denied = Some(is_denied);
            return;
        }
        if let Some(call) = self.results.get(&*entity) {
            (listeners.tell)(Change::CallFailed {
                id: Cow::Borrowed(call),
                is_denied,
            });
        }
    }
}

/// Reports an event of an unknown type that may be something that a rule is about.
fn tell_of_unknown(event: &WireEvent<'_>, number: u32, tell: &mut ChangeListener<'_>) {
    let name = format!("event:{}", shown(event.kind()));
    let rule = EventOrderRule::UnknownEvent.as_str();
    match event.meanings() {
        Ok(meanings) => {
            // It violates the rule once.
            let items = meanings
                .iter()
                .map(|value| Unread::item(name.clone(), value));
            let together = items.reduce(|first, other| Unread {
                facts: first.facts | other.facts,
                ..first
            });
            if let Some(mut unread) = together {
                unread.facts = unread.facts | facts_of_spelling(event.kind());
                tell(Change::Unread(unread.violating(rule, number)));
            }
        }
        Err(error) => {
            let unread = Unread::anything(name, error.0);
            tell(Change::Unread(unread.violating(rule, number)));
        }
    }
}

/// Reports the keys that are duplicated with another value, in the event or in a value of it.
fn tell_of_duplicates(
    event: &WireEvent<'_>,
    effect: Effect,
    warnings: &mut Warnings,
    tell: &mut ChangeListener<'_>,
) {
    let kind = event.kind();
    for key in event.duplicates() {
        let place = format!("{}.{}", shown(kind), key.name());
        let unread = Unread::duplicate_key(&place, effect.facts_of(*key));
        tell(Change::Unread(unread));
    }
    if let Some(key) = warnings.take_duplicate_key() {
        let place = format!("{}.{}", shown(kind), shown(&key));
        let unread = Unread::duplicate_key(&place, effect.facts());
        tell(Change::Unread(unread));
    }
}

/// Reports the keys of an event that have no meaning there and may hold a call.
fn tell_of_keys(
    event: &WireEvent<'_>,
    kind: EventKind,
    effect: Effect,
    tell: &mut ChangeListener<'_>,
) {
    let misnamed = match effect.payload() {
        Some(payload) => event.misnamed_payload(payload, |key| effect.reads(key)),
        None => Ok(Vec::new()),
    };
    let keys = event.unread_keys(|key| effect.reads(key));
    match misnamed.and_then(|misnamed| Ok((misnamed, keys?))) {
        Ok((misnamed, keys)) => {
            for (key, value) in &misnamed {
                let name = format!("key:{kind}.{}", shown(key));
                tell(Change::Unread(Unread::spelled(name, effect.facts(), value)));
            }
            let unread = keys.iter().filter_map(|(key, value)| {
                Unread::key(format!("key:{kind}.{}", shown(key)), value)
            });
            unread.for_each(|unread| tell(Change::Unread(unread)));
        }
        Err(error) => tell(Change::Unread(Unread::anything(
            format!("event:{kind}"),
            error.0,
        ))),
    }
}

fn replace_state(
    event: &WireEvent<'_>,
    listeners: &mut Listeners<'_, '_>,
) -> Result<(), DecodeError> {
    event
        .raw(FieldKey::Snapshot)
        .ok_or_else(|| event.missing(FieldKey::Snapshot))?;
    let state = event
        .as_sent(FieldKey::Snapshot, listeners.warnings)?
        .unwrap_or_default();
    listeners.conversation.state.replace(state.clone());
    listeners.conversation.state_is_known = true;
    (listeners.tell)(Change::StateReplaced(state));
    Ok(())
}

fn patch_state(
    event: &WireEvent<'_>,
    listeners: &mut Listeners<'_, '_>,
) -> Result<(), DecodeError> {
    let patch = event
        .as_sent(FieldKey::Delta, listeners.warnings)?
        .ok_or_else(|| event.missing(FieldKey::Delta))?;
    listeners.conversation.state_is_known = true;
    match listeners.conversation.state.patch(&patch) {
        Ok(()) => (listeners.tell)(Change::StatePatched(patch)),
        Err(reason) => {
            let words = format!("does not apply, the state stays as it was: {reason}");
            listeners.violation(EventOrderRule::DeltaNotApplied, &words);
            let why = format!("a change of it does not apply: {reason}");
            (listeners.tell)(Change::Unread(Unread::state(why)));
        }
    }
    Ok(())
}

fn replace_messages(
    event: &WireEvent<'_>,
    listeners: &mut Listeners<'_, '_>,
) -> Result<(), DecodeError> {
    let value = event
        .value(FieldKey::Messages, listeners.warnings)?
        .ok_or_else(|| event.missing(FieldKey::Messages))?;
    let mut messages = snapshot::messages(value, &*listeners.conversation.ids, listeners.warnings)?;
    let ThreadState {
        calls,
        history,
        user_message,
        ..
    } = &mut *listeners.conversation;
    let live = user_message
        .as_ref()
        .map_or(0, |said| snapshot::first_live(said, &messages));
    let shared = identify(&mut messages, live, calls, |key, listed| {
        history.is_listed(key, listed)
    });
    let contradiction = history.contradiction(&mut messages[live..]);
    let is_new_call = |call: &&SentCall| history.call(call.key()).is_none();
    let calls = messages[live..]
        .iter()
        .flat_map(|message| &message.tool_calls)
        .filter(is_new_call);
    let no_objects = calls
        .filter(|call| !is_object(&call.function.arguments))
        .map(|call| call.id.clone());
    for id in no_objects.collect::<Vec<_>>() {
        listeners.arguments_are_no_object("lists", &id);
    }
    for id in shared {
        listeners.shares_id("lists", &id);
    }
    for unread in snapshot::unread(&messages[live..]) {
        (listeners.tell)(Change::Unread(unread));
    }
    if let Some(words) = contradiction {
        listeners.violation(EventOrderRule::SnapshotContradicts, &words);
    }
    (listeners.tell)(Change::Snapshot(snapshot::items(&messages)));
    listeners.conversation.history.replace(messages);
    Ok(())
}

/// Gives a result that waited for the end of the run to its call.
fn give_result(
    call: String,
    result: SharedResult,
    results: &mut HashMap<ShortText, ShortText>,
    tell: &mut dyn FnMut(At, Change<'static>),
) {
    if let Some(message_id) = &result.message_id {
        results.insert(message_id.as_str().into(), call.as_str().into());
    }
    let id: Cow<'static, str> = call.into();
    let number = result.number;
    tell(
        result.at,
        Change::ResultFollows {
            id: id.clone(),
            number,
        },
    );
    tell(
        result.at,
        Change::CallAnswered {
            id: id.clone(),
            result: result.content,
            is_error: result.is_error,
        },
    );
    if let Some(is_denied) = result.is_denied {
        tell(result.at, Change::CallFailed { id, is_denied });
    }
}

/// A result that outlives its event.
fn owned(result: ResultContent<'_>) -> ResultContent<'static> {
    match result {
        ResultContent::Text(text) => ResultContent::Text(Cow::Owned(text.into_owned())),
        ResultContent::Json(value) => ResultContent::Json(value),
        ResultContent::Structured { value, text } => ResultContent::Structured { value, text },
    }
}

/// A result as the content of a message: text or content parts; any other value as its JSON.
fn sent_content(result: &ResultContent<'_>) -> Content {
    let is_part = |value: &Value| value.get("type").is_some_and(Value::is_string);
    match result {
        ResultContent::Text(text) => Content::text(text),
        ResultContent::Json(Value::Array(parts))
            if !parts.is_empty() && parts.iter().all(is_part) =>
        {
            Content::from(Value::Array(parts.clone()))
        }
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => {
            Content::text(&value.to_string())
        }
    }
}
