//! What each change does to the trace.

use std::borrow::Cow;

use super::{
    Change, First, Lane, Message, Origin, ResultContent, Role, SnapshotItem, ToolCall, ToolResult, Touch,
    Trace, Violation, snapshot,
};
use crate::context::At;

impl Trace {
    /// Applies one change; what it touched goes to `touched`.
    pub fn apply(&mut self, at: At, change: Change<'_>, touched: &mut Vec<Touch>) {
        if !self.framed {
            self.push_event(at, self.raw.len()..self.raw.len());
        }
        match change {
            Change::Stamped(stamp) => {
                if let Some(event) = self.events.last_mut() {
                    event.stamp = Some(stamp);
                }
            }
            Change::RunStarted { run_id, thread_id, is_replay } => {
                if let Some(id) = thread_id.filter(|id| self.thread_ids.last().is_none_or(|last| last != id))
                {
                    self.thread_ids.push(id.into_owned());
                }
                if let Some(exchange) = self.exchanges.last_mut() {
                    exchange.run_started(run_id.map(Cow::into_owned), is_replay);
                }
            }
            Change::RunEnded(outcome) => {
                let event = self.last_event();
                if let Some(exchange) = self.exchanges.last_mut() {
                    exchange.run_ended(at, event, outcome);
                }
            }
            Change::MessageOpened { id, role, subagent } => self.open_message(&id, role, lane(subagent)),
            Change::MessageText { id, delta } => self.add_text(at, &id, &delta),
            Change::MessageClosed { id } => {
                if let Some(index) = self.known.messages.get(&*id).copied() {
                    self.close_message(index, touched);
                }
            }
            Change::CallOpened { id, name, subagent } => {
                self.open_call(at, &id, &name, lane(subagent), touched);
            }
            Change::CallArgs { id, delta } => self.add_args(&id, &delta),
            Change::CallArgsDone { id } => self.finish_args(at, &id, touched),
            Change::CallAnswered { id, result, is_error } => self.answer(at, &id, result, is_error, touched),
            Change::CallFailed { id, is_denied } => self.call_failed(&id, is_denied, touched),
            Change::Reasoning { id, delta, subagent } => self.think(at, &id, &delta, lane(subagent)),
            Change::Custom { name, value } => self.keep_custom(name.into_owned(), value),
            Change::Usage(usage) => {
                if let Some(exchange) = self.exchanges.last_mut() {
                    exchange.add_usage(usage);
                }
            }
            Change::StateReplaced(value) => {
                self.state.replace(value);
                self.state_is_told();
            }
            Change::StatePatched(patch) => {
                self.state_is_told();
                if let Err(error) = self.state.patch(&patch) {
                    self.warn(format!("a change of the state does not apply: {error}"));
                }
            }
            Change::Snapshot(items) => self.snapshot(at, items, touched),
            Change::Violation { rule, message, events } => self.violate(rule, message.into_owned(), events),
            Change::Warning(text) => self.warn(text),
        }
    }

    fn state_is_told(&mut self) {
        if let Some(before) = &mut self.before {
            before.state = None;
        }
    }

    fn violate(&mut self, rule: &'static str, message: String, events: Vec<u32>) {
        let exchange = self.exchanges.len().saturating_sub(1);
        if let Some(turn) = self.turns.last_mut() {
            turn.violations.add(Violation { rule, message, exchange, events });
        }
    }

    fn current_turn(&self) -> usize {
        self.turns.len().saturating_sub(1)
    }

    fn open_message(&mut self, id: &str, role: Role, lane: Lane) {
        let turn = self.current_turn();
        if let Some(known) = self.known.messages.get(id).copied()
            && self.messages[known].turn == turn
            && self.messages[known].role == role
        {
            // Re-opened: the same message goes on.
            self.messages[known].reopen();
            return;
        }
        let mut message = Message::new(id.to_owned(), role, lane, turn, self.last_event());
        message.origin = self.origin();
        self.push_message(message);
    }

    fn add_text(&mut self, at: At, id: &str, delta: &str) {
        let turn = self.current_turn();
        let known = self.known.messages.get(id).copied().filter(|index| self.messages[*index].turn == turn);
        let index = if let Some(index) = known {
            index
        } else {
            self.open_message(id, Role::Assistant, Lane::Agent);
            self.messages.len() - 1
        };
        let event = self.last_event();
        self.messages[index].add_text(at, event, delta);
        if self.messages[index].is_closed() {
            // Text after the end is text all the same; the end of the turn closes the message again.
            self.messages[index].reopen();
        }
    }

    /// A re-announced id is the same call as long as it has no result (SPEC 6).
    fn open_call(&mut self, at: At, id: &str, name: &str, lane: Lane, touched: &mut Vec<Touch>) {
        if let Some(known) = self.known.calls.get(id).copied() {
            let call = &self.calls[known];
            if call.results.is_empty() {
                if call.args_done.is_some() {
                    // The arguments come again with the announcement.
                    self.calls[known].args_text.clear();
                    self.calls[known].add_args("");
                }
                self.calls[known].last_event = self.last_event();
                return;
            }
            self.warn(format!("the call id `{id}` is used again after its result: counted as a new call"));
        }
        let (turn, event) = (self.current_turn(), self.last_event());
        let mut call = ToolCall::new(id.to_owned(), name.to_owned(), lane, turn, at, event);
        call.origin = self.origin();
        self.push_call(call);
        touched.push(Touch::CallStarted(self.calls.len() - 1));
    }

    pub(super) fn push_call(&mut self, mut call: ToolCall) {
        let index = self.calls.len();
        self.known.calls.insert(call.wire_id.clone(), index);
        call.began = self.next_moment();
        if is_new(call.origin) {
            self.firsts.note(&call.name, First::Called, call.is_by_subagent(), call.began);
        }
        self.calls.push(call);
        if let Some(turn) = self.turns.last_mut() {
            turn.calls.end = self.calls.len();
        }
    }

    fn add_args(&mut self, id: &str, delta: &str) {
        let last_event = self.last_event();
        match self.known.calls.get(id).copied() {
            Some(index) => {
                self.calls[index].add_args(delta);
                self.calls[index].last_event = last_event;
            }
            None => self.warn(format!("arguments for the call `{id}`, which never started")),
        }
    }

    fn finish_args(&mut self, at: At, id: &str, touched: &mut Vec<Touch>) {
        let last_event = self.last_event();
        if let Some(index) = self.known.calls.get(id).copied() {
            self.calls[index].last_event = last_event;
            if self.calls[index].finish_args(at, last_event) {
                touched.push(Touch::ArgsDone(index));
            }
        }
    }

    /// Several results of one call: the last is its result. A result without a call matches no rule.
    pub(super) fn answer(
        &mut self,
        at: At,
        id: &str,
        result: ResultContent<'_>,
        is_error: Option<bool>,
        touched: &mut Vec<Touch>,
    ) {
        let Some(index) = self.known.calls.get(id).copied() else {
            self.warn(format!("a result for the call `{id}`, which never started"));
            return;
        };
        let (turn, event, came) = (self.current_turn(), self.last_event(), self.next_moment());
        let call = &mut self.calls[index];
        if is_new(call.origin) {
            self.firsts.note(&call.name, First::Answered, call.is_by_subagent(), came);
        }
        if call.finish_args(at, event) {
            touched.push(Touch::ArgsDone(index));
        }
        call.answer(ToolResult { came, ..ToolResult::new(result, is_error, at, event) }, turn);
        if call.counted_in != turn
            && let Some(turn) = self.turns.last_mut()
        {
            turn.answered.insert(index);
        }
        touched.push(Touch::Answered(index));
    }

    pub(super) fn next_moment(&mut self) -> u32 {
        self.moments = self.moments.saturating_add(1);
        self.moments
    }

    /// Told again as answered: whoever looks at whether a call failed has to look once more.
    fn call_failed(&mut self, id: &str, is_denied: bool, touched: &mut Vec<Touch>) {
        let Some(index) = self.known.calls.get(id).copied() else { return };
        if let Some(result) = self.calls[index].results.last_mut() {
            result.is_error = Some(true);
            result.is_denied |= is_denied;
            touched.push(Touch::Answered(index));
        }
    }

    fn snapshot(&mut self, at: At, items: Vec<SnapshotItem>, touched: &mut Vec<Touch>) {
        let live = snapshot::first_live(self, &items);
        for (position, item) in items.into_iter().enumerate() {
            match live {
                snapshot::Live::From(first) => self.snapshot_item(at, item, position >= first, touched),
                snapshot::Live::Unknown => self.snapshot_item(at, item, true, touched),
            }
        }
    }
}

/// Whether it belongs to this conversation and is told for the first time.
fn is_new(origin: Origin) -> bool {
    matches!(origin, Origin::Streamed | Origin::SnapshotOnly)
}

fn lane(subagent: Option<Cow<'_, str>>) -> Lane {
    subagent.map_or(Lane::Agent, |id| Lane::Subagent(id.into_owned()))
}
