//! The runs of a response: how they start and end.

use std::borrow::Cow;

use super::assembler::Assembler;
use super::event::{DecodeError, FieldKey, WireEvent};
use super::event_kind::{Effect, known};
use super::incoming::Incoming;
use super::listeners::Listeners;
use super::run_state::{RequestPurpose, RunState, run_end, unread_interrupts};
use super::sequence::EventOrderRule;
use super::snapshot;
use super::thread_state::ThreadState;
use super::usage::{unread_usage, usage};
use super::warnings::shown;
use ananke_trace::trace::{Change, Interrupt, ModelUsage, RunEnd};

/// The runs of one exchange.
#[derive(Debug)]
pub(super) struct Runs {
    /// The state of the newest run.
    pub(super) state: RunState,
    /// The ids of the outermost run: as requested, and as the agent gave it.
    outer_ids: [Option<String>; 2],
    /// The ids of the runs that started within it and are open, the innermost last.
    inner: Vec<Option<String>>,
    /// The error of a run within an outermost one that is open.
    failure_within: Option<RunEnd>,
    /// The id of the requested run, until it has started.
    requested: Option<String>,
    /// The purpose of the request.
    purpose: RequestPurpose,
    /// Interrupts of the open run that were sent as custom events, as before the protocol had interrupts.
    pub(super) legacy_interrupts: Vec<Interrupt>,
    /// Whether the newest run waits for answers.
    is_interrupted: bool,
}

impl Runs {
    pub(super) fn new(requested: String, purpose: RequestPurpose) -> Self {
        let state = RunState::NotStarted;
        Self {
            state,
            outer_ids: [Some(requested.clone()), None],
            inner: Vec::new(),
            failure_within: None,
            requested: Some(requested),
            purpose,
            legacy_interrupts: Vec::new(),
            is_interrupted: false,
        }
    }

    /// Whether the exchange replays a thread.
    pub(super) fn is_replay(&self) -> bool {
        self.purpose == RequestPurpose::Connect
    }

    /// Whether a run within the outermost one has failed, and the outermost one is open.
    pub(super) fn has_failed_within(&self) -> bool {
        self.failure_within.is_some()
    }

    /// The error of a run within the outermost one, which is open and has no end.
    pub(super) fn take_failure_within(&mut self) -> Option<RunEnd> {
        self.failure_within.take()
    }

    /// Whether the event ends a run within the outermost one.
    pub(super) fn is_end_within(&self, incoming: &Incoming<'_>) -> bool {
        matches!(incoming.effect, Effect::FinishesRun | Effect::FailsRun)
            && self.goes_on_after(incoming.event)
    }

    /// Whether the outermost run goes on after this start or end of a run.
    pub(super) fn goes_on_after(&self, event: &WireEvent<'_>) -> bool {
        let id = event.quiet_id(FieldKey::RunId);
        match known(event.kind()) {
            Some((_, Effect::StartsRun)) => matches!(self.state, RunState::Open(_)),
            Some((_, Effect::FailsRun)) => !self.inner.is_empty(),
            _ => self.ended_within(id.as_deref()).is_some(),
        }
    }

    /// The place of the inner run that a terminal event with this id ends: the one of this id, else the innermost, unless it
    /// is the id of the outermost.
    fn ended_within(&self, id: Option<&str>) -> Option<usize> {
        let last = self.inner.len().checked_sub(1)?;
        let Some(id) = id else { return Some(last) };
        let has_id = |run: &Option<String>| run.as_deref() == Some(id);
        match self.inner.iter().rposition(has_id) {
            None if self.outer_ids.iter().any(has_id) => None,
            found => Some(found.unwrap_or(last)),
        }
    }

    /// Whether a run that starts with this id is one within the open run; a known run may be announced again.
    fn is_within(&self, id: Option<&str>) -> bool {
        let is_known = |run: &Option<String>| run.is_some() && run.as_deref() == id;
        matches!(self.state, RunState::Open(_))
            && !self.inner.iter().chain(&self.outer_ids).any(is_known)
    }

    pub(super) fn start(
        &mut self,
        incoming: &Incoming<'_>,
        assembler: &mut Assembler,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        let event = incoming.event;
        let run_id = event.id(FieldKey::RunId, listeners.warnings)?;
        let thread_id = event.id(FieldKey::ThreadId, listeners.warnings)?;
        if self.is_within(run_id.as_deref()) {
            self.inner.push(run_id.as_deref().map(str::to_owned));
            return Ok(());
        }
        self.outer_ids[1] = run_id.as_deref().map(str::to_owned);
        self.legacy_interrupts.clear();
        let is_replay = self.is_replay() && run_id.as_deref() != self.requested.as_deref();
        if self.is_replay() {
            earlier_messages(event, listeners);
        } else if let Some(requested_run) = self.requested.take() {
            // Only the first run of a response is the requested one.
            let requested_thread = &listeners.conversation.thread_id;
            let ids = [
                ("run", &run_id, &requested_run),
                ("thread", &thread_id, requested_thread),
            ];
            for (what, given, requested) in ids {
                if let Some(given) = given.as_deref().filter(|given| given != requested) {
                    let (given, requested) = (shown(given), shown(requested));
                    listeners.warnings.add(format!(
                        "the agent reported the {what} `{given}` instead of the requested `{requested}`"
                    ));
                }
            }
        }
        if self.state.has_ended() {
            assembler.start_run(listeners);
            let calls = &mut listeners.conversation.calls;
            if std::mem::take(&mut self.is_interrupted) {
                calls.continue_run();
            } else {
                calls.start_run();
            }
        }
        self.state = RunState::Open(incoming.at);
        (listeners.tell)(Change::RunStarted {
            run_id,
            thread_id,
            is_replay,
        });
        Ok(())
    }

    /// The first terminal event of a run counts; only an error still counts after a finish.
    pub(super) fn finish(
        &mut self,
        incoming: &Incoming<'_>,
        assembler: &mut Assembler,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        if self.state.has_ended() {
            return Ok(());
        }
        let run_id = incoming.event.quiet_id(FieldKey::RunId);
        if let Some(ended) = self.ended_within(run_id.as_deref()) {
            self.inner.truncate(ended);
            report_usage(incoming.event, listeners);
            return Ok(());
        }
        self.end_within();
        if incoming.at.number == 1 {
            // A runtime sends this if the run was stopped before the agent sent anything.
            return Err(DecodeError("ends a run that never began".to_owned()));
        }
        let outcome = incoming
            .event
            .value(FieldKey::Outcome, listeners.warnings)?;
        assembler.close_all(listeners);
        self.state = RunState::Finished(incoming.at);
        let end = outcome.as_ref().map_or(Some(RunEnd::Finished), |value| {
            run_end(value, listeners.warnings)
        });
        for unread in outcome.iter().flat_map(unread_interrupts) {
            (listeners.tell)(Change::Unread(unread));
        }
        let end = end.unwrap_or_else(|| {
            let value = shown(&outcome.unwrap_or_default().to_string());
            let words =
                format!("has the unknown outcome `{value}`, which no `outcome` rule expects");
            listeners.violation(EventOrderRule::UnknownOutcome, &words);
            RunEnd::Unknown(value)
        });
        let legacy = std::mem::take(&mut self.legacy_interrupts);
        // Newer agents send their interrupts both ways.
        let is_legacy = end == RunEnd::Finished && !legacy.is_empty();
        listeners.conversation.legacy_interrupts = is_legacy;
        report_usage(incoming.event, listeners);
        let mut end = if is_legacy {
            RunEnd::Interrupted(legacy)
        } else {
            end
        };
        if let RunEnd::Interrupted(interrupts) = &mut end {
            self.is_interrupted = true;
            for call in interrupts
                .iter_mut()
                .filter_map(|interrupt| interrupt.call.as_mut())
            {
                *call = listeners.conversation.calls.key(call).to_owned();
            }
        }
        (listeners.tell)(Change::RunEnded(end));
        Ok(())
    }

    pub(super) fn fail(
        &mut self,
        incoming: &Incoming<'_>,
        listeners: &mut Listeners<'_, '_>,
    ) -> Result<(), DecodeError> {
        if matches!(self.state, RunState::Failed(_)) {
            return Ok(());
        }
        let event = incoming.event;
        let message = event
            .text(FieldKey::Message, listeners.warnings)
            .unwrap_or_else(|| {
                listeners.warnings.add("a `RUN_ERROR` has no `message`");
                Cow::Borrowed("")
            });
        let code = event
            .id(FieldKey::Code, listeners.warnings)?
            .map(Cow::into_owned);
        report_usage(event, listeners);
        let end = RunEnd::Error {
            message: message.into_owned(),
            code,
        };
        if self.inner.pop().is_some() {
            listeners.warnings.add(format!(
                "{} ended a run within the requested one: {}",
                incoming.at,
                shown(&end.to_string())
            ));
            self.failure_within = Some(end);
            return Ok(());
        }
        self.end_within();
        self.state = RunState::Failed(incoming.at);
        (listeners.tell)(Change::RunEnded(end));
        Ok(())
    }

    /// The outermost run ends, and the runs within it.
    fn end_within(&mut self) {
        self.inner.clear();
        self.failure_within = None;
    }
}

/// The messages that a replayed run was requested with: its user's messages are nowhere else.
fn earlier_messages(event: &WireEvent<'_>, listeners: &mut Listeners<'_, '_>) {
    let Ok(Some(mut input)) = event.value(FieldKey::Input, listeners.warnings) else {
        return;
    };
    let Some(messages) = input.get_mut("messages").map(serde_json::Value::take) else {
        return;
    };
    let ThreadState { history, ids, .. } = &mut *listeners.conversation;
    match snapshot::messages(messages, &**ids, listeners.warnings) {
        Ok(messages) => history.add_earlier(messages),
        Err(error) => listeners
            .warnings
            .add(format!("the `input` of a `RUN_STARTED` {}", error.0)),
    }
}

fn report_usage(event: &WireEvent<'_>, listeners: &mut Listeners<'_, '_>) {
    if let Some(unread) = unread_usage(event) {
        (listeners.tell)(Change::Unread(unread));
    }
    for ModelUsage { usage, model } in usage(event, listeners.warnings) {
        let model = model.map(Cow::Owned);
        (listeners.tell)(Change::Usage { usage, model });
    }
}
