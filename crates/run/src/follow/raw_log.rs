//! The raw material of an attempt: what was sent and received, as it was, and how the agent's state changed.
//!
//! Flows in: what a session reports. Flows out: a [`RawTurn`] for each turn. **Invariant:** memory is bounded: the oldest is
//! dropped first; a secret that an agent sends in pieces is shown in none of them.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::event_texts::EventTexts;
use super::exchange_log::PART_OF_SECRET;
use super::limited_json::json_within;
use ananke_agents::Wire;
use ananke_base::context::{At, lock};
use ananke_base::message::Lane;
use ananke_conversation::Observer;
use ananke_rules::TurnRules;
use ananke_trace::outcome::{
    MOST_RAW, Outcome, RawEvent, RawExchange, RawStateChange, RawTurn, StateChangeKind,
    StateHistory, Status, bounded, bounded_bytes,
};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Change, EventNumber, Input, PiecedTexts, Trace};

/// The most bytes that wait for the end of an attempt; what is kept of them then is much less.
const MOST_WAITING: usize = 1 << 20;

/// The longest state, or patch of it, that is kept, in bytes.
const LONGEST_STATE: usize = 64 << 10;

/// The bytes that an entry takes apart from its texts: its own, as many that wait for more entries, and those of an allocation.
const ENTRY: usize = 2 * size_of::<RawEntry>() + 16;

/// The handling of the bodies of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestBodies {
    Dropped,
    Kept,
}

/// Collects the raw material of one attempt. Clones share it.
#[derive(Clone)]
pub(crate) struct RawLog {
    bodies: RequestBodies,
    collected: Arc<Mutex<CollectedRaw>>,
}

/// The data that was collected so far.
#[derive(Default)]
struct CollectedRaw {
    turns: Vec<CollectedTurn>,
    entries: VecDeque<RawEntry>,
    events: EventTexts,
    bytes: usize,
    /// The index of the next event among those of the test.
    next_event: u32,
    texts: PiecedTexts,
    /// The state before the running turn, and whether something changed it since.
    state: Option<Arc<str>>,
    is_changed: bool,
}

/// A turn, and what is counted of it.
#[derive(Default)]
struct CollectedTurn {
    sent: Option<At>,
    /// The index of its first event.
    first_event: u32,
    /// The state before it.
    before: Option<Arc<str>>,
    dropped: usize,
}

struct RawEntry {
    /// The index of its turn.
    turn: usize,
    /// The index of the event that it is, or that it belongs to.
    event: u32,
    size: usize,
    item: RawItem,
}

enum RawItem {
    Exchange(Box<RawExchange>),
    /// The moment of an event, and the place of its text.
    Event(At, Range<usize>),
    State(StateChangeKind, String),
}

impl RawLog {
    pub(crate) fn new(bodies: RequestBodies) -> Self {
        Self {
            bodies,
            collected: Arc::default(),
        }
    }

    /// Moves the collected data into the turns of `outcome`, without secrets: at most [`MOST_RAW`] bytes, of which the data that
    /// the results rest on comes first.
    pub(crate) fn put_into(&self, outcome: &mut Outcome, redactor: &Redactor) {
        let mut collected = lock(&self.collected);
        let mut collected = std::mem::take(&mut *collected);
        // Hiding secrets can drop events, which leaves more room for the rest, so it comes first.
        collected.hide_secrets_in_pieces(redactor);
        collected.keep_most_important(outcome);
        let mut raw_turns = collected.into_turns();
        for turn in &mut outcome.transcript.turns {
            // Turns count from 1. A turn for which nothing was collected has no raw data.
            turn.raw = None;
            if let Some(raw) = raw_turns.get_mut(turn.number.saturating_sub(1) as usize)
                && !raw.is_empty()
            {
                turn.raw = Some(Box::new(std::mem::take(raw)));
            }
        }
    }
}

impl CollectedRaw {
    /// Adds an entry to the running turn; `size` is the bytes of its texts, and `event` the index of the event that it belongs
    /// to. The oldest entries are dropped if all together take too much memory.
    fn add(&mut self, event: u32, size: usize, item: RawItem) {
        // Reports show the data of turns, so the data before the first turn is not kept.
        let Some(turn) = self.turns.len().checked_sub(1) else {
            return;
        };
        // Entries without texts take memory, too.
        let size = size + ENTRY;
        self.bytes += size;
        self.entries.push_back(RawEntry {
            turn,
            event,
            size,
            item,
        });
        while self.bytes > MOST_WAITING
            && let Some(oldest) = self.entries.pop_front()
        {
            self.drop_entry(&oldest);
            // The text of an event is in a buffer of all events, in their order.
            if let RawItem::Event(_, place) = oldest.item {
                self.events.drop_before(place.end);
            }
        }
    }

    fn drop_entry(&mut self, entry: &RawEntry) {
        self.bytes -= entry.size;
        self.turns[entry.turn].dropped += 1;
    }

    /// Drops the entries that `is_kept` refuses, by their index.
    fn retain(&mut self, is_kept: impl Fn(usize, &RawEntry) -> bool) {
        for (index, entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            if is_kept(index, &entry) {
                self.entries.push_back(entry);
            } else {
                self.drop_entry(&entry);
            }
        }
    }

    /// Applies `change`, which returns the number of bytes that it adds, to the last exchange of the running turn.
    fn change_exchange(&mut self, change: impl FnOnce(&mut RawExchange) -> usize) {
        for entry in self.entries.iter_mut().rev() {
            // The exchange may have been dropped to save memory. The last one that is left is then of an earlier turn, and must
            // not be changed.
            if entry.turn + 1 != self.turns.len() {
                return;
            }
            if let RawItem::Exchange(exchange) = &mut entry.item {
                let added = change(exchange);
                entry.size += added;
                self.bytes += added;
                return;
            }
        }
    }

    fn state_changed(&mut self, kind: StateChangeKind, value: &Value) {
        self.is_changed = true;
        let event = self.next_event.saturating_sub(1);
        match json_within(value, LONGEST_STATE) {
            Some(text) => self.add(event, text.len(), RawItem::State(kind, text)),
            None => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.dropped += 1;
                }
            }
        }
    }

    /// Hides the events of each text in which a secret is spread over several of them. A secret in one event is masked like in
    /// any other text.
    fn hide_secrets_in_pieces(&mut self, redactor: &Redactor) {
        if redactor.is_empty() {
            return;
        }
        // Texts beyond the limit were not collected, so any event may be a piece of a secret, and all are dropped.
        if self.texts.bytes() > MOST_WAITING {
            self.retain(|_, entry| !matches!(entry.item, RawItem::Event(..)));
            return;
        }
        // The place of a piece is the index of its event.
        let mut hidden_events = HashSet::new();
        for text in self.texts.take() {
            if redactor.is_in_pieces(&text.text, &text.cuts) {
                hidden_events.extend(text.places);
            }
        }
        for entry in &mut self.entries {
            if let RawItem::Event(_, place) = &mut entry.item
                && hidden_events.contains(&(entry.event as usize))
            {
                // The text of the event stays in the buffer, but no entry refers to it any more.
                *place = self.events.add(PART_OF_SECRET);
            }
        }
    }

    /// Drops entries until the rest takes at most [`MOST_RAW`] bytes. The most important stay: those of events that a result
    /// rests on, then those of turns that did not pass, and among these the ones near such events or near the end.
    fn keep_most_important(&mut self, outcome: &Outcome) {
        if self.bytes <= MOST_RAW {
            return;
        }
        let cited = self.cited_events(outcome);
        // A turn without a result counts as one that did not pass.
        let mut passed_turns = vec![false; self.turns.len()];
        for turn in &outcome.transcript.turns {
            let index = turn.number.saturating_sub(1) as usize;
            if let Some(has_passed) = passed_turns.get_mut(index) {
                *has_passed = turn.status() == Status::Passed;
            }
        }

        // A reader of a failure looks at the events that it names, and then at those around them; without such events, at the
        // end. The smallest key is the most important entry, and `false` is smaller than `true`.
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_cached_key(|index| {
            let entry = &self.entries[*index];
            let distance = distance_to_nearest(&cited, entry.event);
            let from_end = self.next_event.saturating_sub(entry.event);
            let is_uncited = distance != Some(0);
            (
                is_uncited,
                passed_turns[entry.turn],
                distance.unwrap_or(from_end),
                from_end,
            )
        });

        // An entry that is too large for the remaining bytes is dropped, but smaller ones after it may still fit.
        let mut remaining_bytes = MOST_RAW;
        let mut fits = vec![false; self.entries.len()];
        for index in order {
            if let Some(rest) = remaining_bytes.checked_sub(self.entries[index].size) {
                remaining_bytes = rest;
                fits[index] = true;
            }
        }
        self.retain(|index, _| fits[index]);
    }

    /// The indices of the events that are named in the results of rules that did not pass, in ascending order.
    fn cited_events(&self, outcome: &Outcome) -> Vec<u32> {
        let mut cited = Vec::new();
        let turn_rules = outcome.transcript.turns.iter().map(|turn| &turn.rules);
        for rule in turn_rules.chain([&outcome.verdict.rules]).flatten() {
            if rule.has_passed() {
                continue;
            }
            // A result names an event by its turn and its number in the turn, each counted from 1.
            for event in &rule.events {
                if let Some(turn) = self.turns.get(event.turn.saturating_sub(1) as usize) {
                    cited.push(turn.first_event + event.number.saturating_sub(1));
                }
            }
        }
        cited.sort_unstable();
        cited
    }

    /// The collected data as reports show it: by turn, and in each turn exchanges, events and changes of the state in their
    /// order.
    fn into_turns(self) -> Vec<RawTurn> {
        let turns = self.turns.iter().map(|turn| RawTurn {
            dropped: turn.dropped,
            ..RawTurn::default()
        });
        let mut turns: Vec<RawTurn> = turns.collect();
        for entry in self.entries {
            let collected = &self.turns[entry.turn];
            let turn = &mut turns[entry.turn];
            // Entries have indices from 0 over the whole attempt. Results of rules name a turn and an event in it, both from 1.
            let event = EventNumber {
                turn: u32::try_from(entry.turn + 1).unwrap_or(u32::MAX),
                number: entry.event.saturating_sub(collected.first_event) + 1,
            };
            match entry.item {
                RawItem::Exchange(exchange) => {
                    turn.exchanges.push(RawExchange { event, ..*exchange });
                }
                // The time counts from the first request of the turn. Without one, it is 0.
                RawItem::Event(at, place) => turn.events.push(RawEvent {
                    event,
                    at_us: at.0.saturating_sub(collected.sent.unwrap_or(at).0),
                    raw: self.events.text(&place),
                }),
                RawItem::State(kind, value) => {
                    // The first change of a turn brings the state before it, from which a reader can follow all changes.
                    let state = turn.state.get_or_insert_with(|| StateHistory {
                        before: collected.before.as_deref().map(str::to_owned),
                        changes: Vec::new(),
                    });
                    state.changes.push(RawStateChange { event, kind, value });
                }
            }
        }
        turns
    }
}

/// The number of events between `event` and the nearest one of `cited`, which are sorted.
fn distance_to_nearest(cited: &[u32], event: u32) -> Option<u32> {
    let (before, after) = cited.split_at(cited.partition_point(|cited| *cited < event));
    let nearest = [before.last(), after.first()];
    let distances = nearest.iter().flatten().map(|cited| cited.abs_diff(event));
    distances.min()
}

fn size_of_headers(headers: &[(String, String)]) -> usize {
    let sizes = headers.iter().map(|(name, value)| name.len() + value.len());
    sizes.sum()
}

impl Observer for RawLog {
    /// Collects data that is sent or received.
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        let mut collected = lock(&self.collected);
        let collected = &mut *collected;
        match wire {
            // A request begins the entry of an exchange, to which the arms below add the other parts. The exchange is shown
            // before the next event.
            Wire::Request {
                method,
                url,
                headers,
            } => {
                let exchange = RawExchange {
                    method: method.to_owned(),
                    url: bounded(url),
                    request_headers: headers.to_vec(),
                    ..RawExchange::default()
                };
                let size = exchange.url.len() + size_of_headers(headers);
                let event = collected.next_event;
                collected.add(event, size, RawItem::Exchange(Box::new(exchange)));
            }
            Wire::Sent { body } => {
                // Times are counted from the first request of the turn, as everywhere in reports.
                if let Some(turn) = collected.turns.last_mut() {
                    turn.sent.get_or_insert(at);
                }
                if self.bodies == RequestBodies::Kept {
                    let body = bounded_bytes(body).into_owned();
                    collected.change_exchange(|exchange| {
                        let added = body.len();
                        exchange.body = Some(body);
                        added
                    });
                }
            }
            Wire::Head { status, .. } => {
                collected.change_exchange(|exchange| {
                    exchange.status = Some(status);
                    // A status has a place in the entry already, so it adds no bytes.
                    0
                });
            }
            Wire::Headers(headers) => collected.change_exchange(|exchange| {
                exchange.response_headers = headers.to_vec();
                size_of_headers(headers)
            }),
            Wire::Frame(frame) => {
                let number = collected.next_event;
                collected.next_event += 1;
                let raw = bounded_bytes(frame);
                let place = collected.events.add(&raw);
                collected.add(number, raw.len(), RawItem::Event(at, place));
            }
            // A late or closed response and a sign of life have no data of the agent.
            Wire::Late { .. } | Wire::Closed | Wire::Taken(_) | Wire::Alive => {}
        }
    }

    /// Collects a change of the agent's state, and the pieces of texts in which secrets are looked for at the end.
    fn change(&mut self, _: &Lane, _: At, change: &Change<'_>) {
        let mut collected = lock(&self.collected);
        match change {
            Change::StateReplaced(state) => {
                collected.state_changed(StateChangeKind::Snapshot, state);
            }
            Change::StatePatched(patch) => collected.state_changed(StateChangeKind::Patch, patch),
            // The change belongs to the event that came last. `next_event` is the index of the one after it.
            _ if collected.texts.bytes() <= MOST_WAITING => {
                let event = collected.next_event.saturating_sub(1) as usize;
                collected.texts.add(change, event);
            }
            // Texts beyond the limit are not collected. All events are dropped then if there are secrets.
            _ => {}
        }
    }

    /// Begins a turn, with the state of the agent before it.
    fn turn_began(&mut self, before: &Trace, _: &Input, _: Option<&TurnRules>) {
        let mut collected = lock(&self.collected);
        // Writing a state as text takes time, so it is only written again if a change of the state has set `is_changed`. A state
        // that is too long is not kept.
        if collected.turns.is_empty() || std::mem::take(&mut collected.is_changed) {
            collected.state = json_within(before.state.value(), LONGEST_STATE).map(Arc::from);
        }
        // Turns that were not needed are in the trace, but never began here. Empty ones take their indices, so that this turn
        // gets its own.
        let passed_over = before.turns.len().max(collected.turns.len());
        collected
            .turns
            .resize_with(passed_over, CollectedTurn::default);
        let turn = CollectedTurn {
            first_event: collected.next_event,
            before: collected.state.clone(),
            ..CollectedTurn::default()
        };
        collected.turns.push(turn);
    }
}

#[cfg(test)]
#[path = "raw_log_tests.rs"]
mod tests;
