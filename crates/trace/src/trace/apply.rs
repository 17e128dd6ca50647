//! The effect of each change on the trace.

use std::borrow::Cow;

use serde_json::Value;

use super::aside::changed_texts;
use super::call::{ArgsEnd, ArgsPiece};
use super::log::LogPlace;
use super::received_bytes::{MAX_CUSTOM_BYTES, MAX_REASONING_BYTES};
use super::{
    Aside, AsideSource, Author, CallPhase, Change, CustomEvent, Declaration, Delta, Message,
    MessageKind, Origin, ResultContent, RunEnd, StateEvent, ToolCall, ToolResult, Trace, TraceItem,
    Usage, Violation,
};
use crate::trace::facts::{Entered, Fact, Facts, Unread, UnreadCall, UnreadForm, UnreadViolation};
use ananke_base::context::At;

/// The reason why a piece of a call is unread that nothing announced.
const UNSTARTED: &str = "the call never started";

impl Trace {
    /// Applies one change; what it added goes to `deltas`.
    #[expect(clippy::too_many_lines, reason = "an arm for each change")]
    pub fn apply(&mut self, at: At, change: Change<'_>, deltas: &mut Vec<Delta>) {
        // A request to a model is no event of the agent.
        if !change.is_of_model() {
            self.ensure_event(at);
        }
        match change {
            Change::Stamped(stamp) => {
                self.stamps.resize(self.last_event() as usize, None);
                self.stamps.push(Some(stamp));
            }
            Change::RunStarted {
                run_id,
                thread_id,
                is_replay,
            } => {
                self.add_thread(thread_id);
                if let Some(exchange) = self.exchanges.last_mut() {
                    exchange.run_started(run_id.map(Cow::into_owned));
                    exchange.running.is_replay = is_replay;
                }
            }
            Change::RunEnded(outcome) => self.end_run(at, outcome, deltas),
            Change::MessageOpened { id, role, subagent } => {
                self.open_message(&id, role, author(subagent), deltas);
            }
            Change::MessageText { id, delta } => self.add_text(at, &id, &delta, deltas),
            Change::MessageClosed { id } => {
                if let Some(index) = self.known.messages.get(&*id).copied() {
                    self.close_message(index, deltas);
                }
            }
            Change::MessageRetracted { id } => {
                if let Some(index) = self.streamed_message(&id) {
                    self.messages[index].text.clear();
                    self.close_message(index, deltas);
                }
            }
            Change::CallOpened { id, name, subagent } => {
                self.open_call(at, &id, &name, author(subagent), deltas);
            }
            Change::CallArgs { id, delta } => self.add_args(&id, &delta),
            Change::CallArgsDone { id } => self.finish_args(at, &id, deltas),
            Change::CallAnswered {
                id,
                result,
                is_error,
            } => self.answer(at, &id, (result, is_error), LogPlace::End, deltas),
            Change::ResultArrived { number } => self.log.arrive(number),
            Change::ResultFollows { id, number } => {
                if let Some(call) = self.known_call(&id) {
                    self.log.take_arrived(call, number);
                }
            }
            Change::CallExecuted { id } => self.hide_result(&id, deltas),
            Change::CallFailed { id, is_denied } => {
                if let Some(result) = self.failed_result(&id, deltas) {
                    result.is_denied |= is_denied;
                }
            }
            Change::ToolsDeclared { tools, is_answer } => {
                self.declarations.push(Declaration {
                    tools,
                    turn: self.current_turn(),
                    event: self.last_event(),
                    is_answer,
                });
                deltas.push(Delta::ToolsDeclared);
            }
            Change::Reasoning {
                id,
                delta,
                subagent,
            } => self.reason(at, &id, &delta, author(subagent)),
            Change::ModelCalled(call) => self.add_model_call(*call, deltas),
            Change::ModelAskedAgain(again) => self.count_attempt(&again, deltas),
            Change::Custom { name, value } => self.add_custom(name.into_owned(), value),
            Change::Aside { text, source } => self.add_aside(&text, source, deltas),
            Change::Truncated => {
                if let Some(exchange) = self.exchanges.last_mut() {
                    exchange.is_truncated = true;
                }
            }
            Change::Usage { usage, model } => self.add_usage(usage, model.as_deref()),
            Change::StateReplaced(value) => {
                self.keep_state();
                self.state.replace(value);
                self.note_state_change(deltas);
                self.forget_earlier_state();
            }
            Change::StatePatched(patch) => self.patch_state(&patch, deltas),
            Change::Snapshot(items) => self.snapshot(at, items, deltas),
            Change::Violation {
                rule,
                message,
                events,
            } => self.violate(rule, message.into_owned(), events),
            Change::Unread(unread) => self.enter(unread),
            Change::Warning(text) => self.warn(text),
        }
    }

    /// Adds an id of the thread, unless it is the last one again.
    fn add_thread(&mut self, id: Option<Cow<'_, str>>) {
        if let Some(id) = id
            && self.thread_ids.last().map(String::as_str) != Some(&*id)
        {
            self.thread_ids.push(id.into_owned());
        }
    }

    /// Adds tokens of the running run, which are of `model`. Without prices their cost stays unknown, for no reason of theirs.
    fn add_usage(&mut self, usage: Usage, model: Option<&str>) {
        let mut priced = usage;
        let mut gap = None;
        if let Some(prices) = &self.prices {
            (priced, gap) = prices.price(usage, model);
        }
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.add_usage(priced, gap);
        }
    }

    fn end_run(&mut self, at: At, outcome: RunEnd, deltas: &mut Vec<Delta>) {
        let event = self.last_event();
        if let RunEnd::Error { message, .. } = &outcome {
            self.add_aside(message, AsideSource::Error, deltas);
        }
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.run_ended(at, event, outcome);
        }
    }

    /// A call that the agent executed is answered, although its result is not shown.
    fn hide_result(&mut self, id: &str, deltas: &mut Vec<Delta>) {
        if let Some(index) = self.known_call(id) {
            self.calls[index].is_executed_unseen = true;
            self.hides_results = true;
            deltas.push(Delta::Answered(index));
        }
    }

    fn patch_state(&mut self, patch: &Value, deltas: &mut Vec<Delta>) {
        self.forget_earlier_state();
        self.keep_state();
        if let Err(error) = self.state.patch(patch) {
            let why = format!("a change of the state does not apply: {error}");
            self.enter(Unread::state(why));
        } else {
            self.note_state_change(deltas);
        }
    }

    fn note_state_change(&mut self, deltas: &mut Vec<Delta>) {
        let index = self.state_changes.len();
        let order = self.add_to_log(TraceItem::State(index), LogPlace::End);
        self.state_changes.push(StateEvent {
            order,
            turn: self.current_turn(),
            event: self.last_event(),
        });
        deltas.push(Delta::StateChanged);
    }

    /// Keeps the state as it was before the turn.
    fn keep_state(&mut self) {
        let state = self.state.value();
        self.state_before.get_or_insert_with(|| state.clone());
    }

    /// Adds the texts that the turn changed in the state.
    pub(super) fn add_asides_of_state(&mut self, deltas: &mut Vec<Delta>) {
        let Some(before) = self.state_before.take() else {
            return;
        };
        for text in changed_texts(&before, self.state.value()) {
            self.add_aside(&text, AsideSource::State, deltas);
        }
    }

    fn add_aside(&mut self, text: &str, source: AsideSource, deltas: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        deltas.push(Delta::Aside(self.asides.len()));
        self.asides.push(Aside {
            text: text.to_owned(),
            source,
            turn: self.current_turn(),
            event: self.last_event(),
        });
    }

    /// Enters something in the ledger, and warns of the first of its name.
    pub(super) fn enter(&mut self, mut unread: Unread<'_>) {
        if let UnreadForm::Unknown(UnreadCall { id: Some(id), tool }) = &unread.form
            && let Some(index) = self.known.call(id, &self.calls)
        {
            // Extra events of a vendor about a call that is known, such as its progress, are no other call.
            match tool {
                Some(tool) if **tool != *self.calls[index].name => {}
                Some(_) | None => unread.facts = Facts::NONE,
            }
        }
        let warning = unread.warning();
        let violates = unread.violates;
        // An agent that does not stream lacks one measure and no event, so that only a rule about this measure speaks of it.
        let is_missed = unread.facts != Facts::of(&[Fact::FirstText]);
        let place = self.numbered(self.last_event());
        if self.ledger.enter(unread, place) == Entered::Again {
            return;
        }
        match violates {
            None if is_missed => self.warn(warning),
            None => {}
            Some(UnreadViolation { rule, event }) => {
                self.violate(rule, warning, vec![event]);
            }
        }
    }

    fn violate(&mut self, rule: &'static str, message: String, events: Vec<u32>) {
        let exchange = self.exchanges.len().saturating_sub(1);
        if let Some(turn) = self.turns.last_mut() {
            turn.violations.add(Violation {
                rule,
                message,
                exchange,
                events,
            });
        }
    }

    /// The agent sent a state: the one from before a replay is obsolete.
    fn forget_earlier_state(&mut self) {
        if let Some(before) = &mut self.before_replay {
            before.state = None;
        }
    }

    fn open_message(
        &mut self,
        id: &str,
        role: MessageKind,
        author: Author,
        deltas: &mut Vec<Delta>,
    ) {
        let turn = self.current_turn();
        if let Some(known) = self.known.messages.get(id).copied()
            && self.messages[known].turn == turn
            && self.messages[known].role == role
        {
            // Re-opened: the same message goes on.
            self.reopen_message(known, deltas);
            return;
        }
        let mut message = Message::new(id.into(), role, author, turn, self.last_event());
        message.origin = self.origin();
        self.push_message(message);
    }

    /// A message goes on after its end; the end of the turn closes it at the latest.
    fn reopen_message(&mut self, index: usize, deltas: &mut Vec<Delta>) {
        let message = &mut self.messages[index];
        if message.is_closed() {
            message.reopen();
            if message.has_begun() {
                deltas.push(Delta::MessageBegan(index));
            }
        }
    }

    fn add_text(&mut self, at: At, id: &str, delta: &str, deltas: &mut Vec<Delta>) {
        let index = if let Some(known) = self.streamed_message(id) {
            known
        } else {
            self.open_message(id, MessageKind::Assistant, Author::Agent, deltas);
            self.messages.len() - 1
        };
        let event = self.last_event();
        // Text after the end is text all the same.
        self.reopen_message(index, deltas);
        let had_begun = self.messages[index].has_begun();
        self.messages[index].add_text(at, event, delta);
        if !had_begun && self.messages[index].first_text.is_some() {
            self.begin_message(index, LogPlace::End);
            deltas.push(Delta::MessageBegan(index));
        }
    }

    /// The message of this id in the running turn.
    fn streamed_message(&self, id: &str) -> Option<usize> {
        let turn = self.current_turn();
        // Nearly every piece goes on with the newest message.
        if let Some(newest) = self.messages.last()
            && newest.wire_id == id
            && newest.turn == turn
            && newest.role != MessageKind::Reasoning
        {
            return Some(self.messages.len() - 1);
        }
        let known = self.known.messages.get(id).copied()?;
        if self.messages[known].turn != turn {
            return None;
        }
        Some(known)
    }

    /// A call that waits for its result may be announced again, with its arguments or without (SPEC 6).
    fn open_call(&mut self, at: At, id: &str, name: &str, author: Author, deltas: &mut Vec<Delta>) {
        if let Some(known) = self.known_call(id) {
            let call = &self.calls[known];
            if call.results.is_empty() && call.name == name {
                let last_event = self.last_event();
                self.calls[known].announce_again(last_event);
                return;
            }
            self.warn(format!(
                "the call id `{id}` is used again for another call: counted as a new call"
            ));
        }
        let turn = self.current_turn();
        let event = self.last_event();
        let mut call = ToolCall::new(id.into(), name.into(), author, turn, at, event);
        call.origin = self.origin();
        self.push_call(call, LogPlace::End);
        deltas.push(Delta::CallStarted(self.calls.len() - 1));
    }

    fn add_args(&mut self, id: &str, delta: &str) {
        let last_event = self.last_event();
        let Some(index) = self.known_call(id) else {
            return self.enter(Unread::call(id, UNSTARTED));
        };
        let call = &mut self.calls[index];
        call.last_event = last_event;
        if call.add_args(delta) == ArgsPiece::AfterTheEnd {
            let why = "more of them came after their end";
            let unread = Unread::arguments(call.name.to_string(), why);
            self.enter(unread);
        }
    }

    fn finish_args(&mut self, at: At, id: &str, deltas: &mut Vec<Delta>) {
        let last_event = self.last_event();
        let Some(index) = self.known_call(id) else {
            return self.enter(Unread::call(id, UNSTARTED));
        };
        self.calls[index].last_event = last_event;
        self.complete_args(index, at, deltas);
    }

    /// The arguments of a call are as complete as they will be.
    pub(super) fn complete_args(&mut self, index: usize, at: At, deltas: &mut Vec<Delta>) {
        let event = self.last_event();
        let call = &mut self.calls[index];
        match call.finish_args(at, event) {
            ArgsEnd::Complete => {
                self.take_args(index);
                deltas.push(Delta::ArgsDone(index));
            }
            ArgsEnd::Again => {}
            ArgsEnd::AgainWithOthers => {
                let why = "they are others where the call is announced again";
                let unread = Unread::arguments(call.name.to_string(), why);
                self.enter(unread);
            }
        }
    }

    /// Takes complete arguments: what cannot be read of them is unread, what is odd is a warning.
    pub(super) fn take_args(&mut self, index: usize) {
        let call = &self.calls[index];
        if call.origin != Origin::History
            && let Some(reason) = call.unread_args()
        {
            let unread = Unread::arguments(call.name.to_string(), reason);
            return self.enter(unread);
        }
        for words in call.odd_args() {
            let id = &self.calls[index].wire_id;
            let warning = format!("the arguments of the call `{id}`: {words}");
            self.warn(warning);
        }
    }

    /// Several results of one call: the last is its result. A result without a call is unread.
    pub(super) fn answer(
        &mut self,
        at: At,
        id: &str,
        (result, is_error): (ResultContent<'_>, Option<bool>),
        place: LogPlace,
        deltas: &mut Vec<Delta>,
    ) {
        let Some(index) = self.known_call(id) else {
            let why = if self.known_ids.contains(id) {
                "the call is one of the history, which is not evaluated"
            } else {
                UNSTARTED
            };
            return self.enter(Unread::results(id, why));
        };

        // The place of a result is that of its arrival, also if its call was known only later.
        let place = self.log.place_of_result(index, place);
        let turn = self.current_turn();
        let event = self.last_event();
        let nth = u32::try_from(self.calls[index].results.len()).unwrap_or(u32::MAX);
        let order = self.add_to_log(TraceItem::Result { call: index, nth }, place);
        let call = &mut self.calls[index];
        if call.origin.is_new() {
            self.tools
                .note(&call.name, CallPhase::Answered, &call.author, order);
        }

        // Some agents never say that arguments have ended: they have where there is a result.
        self.complete_args(index, at, deltas);
        let (result, oddities) = ToolResult::new(result, is_error, at, event);
        for words in oddities.warnings() {
            self.warn(format!("the result of the call `{id}`: {words}"));
        }
        let call = &mut self.calls[index];
        call.answer(ToolResult { order, ..result }, turn);
        if call.counted_in != turn
            && let Some(turn) = self.turns.last_mut()
        {
            turn.late_results.insert(index);
        }
        deltas.push(Delta::Answered(index));
    }

    /// Marks the last result of a call as failed. A rule that looks at failures has to look at the call again.
    fn failed_result(&mut self, id: &str, deltas: &mut Vec<Delta>) -> Option<&mut ToolResult> {
        let index = self.known_call(id)?;
        let result = self.calls[index].results.last_mut()?;
        result.is_error = Some(true);
        deltas.push(Delta::Answered(index));
        Some(result)
    }

    fn reason(&mut self, at: At, id: &str, delta: &str, author: Author) {
        if !self.kept.add_reasoning(delta) {
            return self.warn_once(format!(
                "reasoning beyond {MAX_REASONING_BYTES} bytes is not kept"
            ));
        }
        let turn = self.current_turn();
        let event = self.last_event();
        let index = match self.known.reasoning.get(id).copied() {
            Some(known) if self.messages[known].turn == turn => known,
            // An id of an earlier turn begins another message.
            Some(_) | None => {
                let kind = MessageKind::Reasoning;
                let mut message = Message::new(id.into(), kind, author, turn, event);
                message.origin = self.origin();
                self.known.reasoning.insert(id.into(), self.messages.len());
                self.add_message(message)
            }
        };
        self.messages[index].add_text(at, event, delta);
        if !self.messages[index].has_begun() && !delta.is_empty() {
            self.begin_message(index, LogPlace::End);
        }
    }

    fn add_custom(&mut self, name: String, value: Value) {
        if !self.kept.add_custom(&name, &value) {
            return self.warn_once(format!(
                "custom events beyond {MAX_CUSTOM_BYTES} bytes are not kept"
            ));
        }
        let event = self.last_event();
        self.custom.push(CustomEvent { name, value, event });
        if let Some(turn) = self.turns.last_mut() {
            turn.custom.end = self.custom.len();
        }
    }

    /// Adds a warning that a turn contains once, however often its cause repeats.
    fn warn_once(&mut self, text: String) {
        if let Some(turn) = self.turns.last()
            && !turn.warnings.contains(&text)
        {
            self.warn(text);
        }
    }
}

fn author(subagent: Option<Cow<'_, str>>) -> Author {
    match subagent {
        Some(id) => Author::Subagent(id.into_owned()),
        None => Author::Agent,
    }
}
