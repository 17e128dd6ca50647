//! The raw material of a turn as readers get it: requests, events as they were received, and changes of the state.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::json_text::{json, other_text, sent_text};
use super::{duration::Milliseconds, event_numbers::UNSAID, part, part::present};
use ananke_trace::outcome::{RawEvent, RawExchange, RawStateChange, StateChangeKind, StateHistory};

part! {
    /// A request, and the head of its response.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Exchange")]
    pub(crate) struct ExchangeView<'a> of (exchange: &'a RawExchange) {
        /// The number of the first event after the request.
        event: u32 = exchange.event.number;
        /// The method of the request.
        method: Cow<'a, str> = Cow::Borrowed(&exchange.method);
        /// The URL without its query.
        url: Cow<'a, str> = Cow::Borrowed(&exchange.url);
        /// The headers of the request; the values of those that are usually secret are `***`.
        request_headers: BTreeMap<Cow<'a, str>, String> = joined(&exchange.request_headers);
        /// The body of the request; only with `events: all`. Over 16 KiB it is truncated and says so.
        body?: Cow<'a, str> = exchange.body.as_deref().map(Cow::Borrowed);
        /// The HTTP status; omitted if no response came.
        status?: u16 = exchange.status;
        /// The headers of the response; of a replay those that the recording contains.
        response_headers: BTreeMap<Cow<'a, str>, String> = joined(&exchange.response_headers);
    }
}

impl From<ExchangeView<'_>> for RawExchange {
    fn from(read: ExchangeView<'_>) -> Self {
        Self {
            event: (UNSAID, read.event).into(),
            method: read.method.into(),
            url: read.url.into(),
            request_headers: listed(read.request_headers),
            body: read.body.map(Into::into),
            status: read.status,
            response_headers: listed(read.response_headers),
        }
    }
}

part! {
    /// An event as it was received.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Event")]
    pub(crate) struct EventView<'a> of (event: &'a RawEvent, started_unix_ms: Option<u64>) {
        /// Its number, as in `items`.
        n: u32 = event.event.number;
        /// When it arrived, in Unix milliseconds on the clock of its turn.
        #[serde(skip_deserializing)]
        at?: u64 = started_unix_ms.map(|started| started.saturating_add(event.at_us / 1000));
        /// When it arrived, in milliseconds from the start of the turn, with up to three decimals.
        after_ms: Milliseconds = Milliseconds(event.at_us);
        /// Its text, secrets masked. Over 16 KiB it is truncated and says so.
        raw: Cow<'a, str> = Cow::Borrowed(&event.raw);
    }
}

impl From<EventView<'_>> for RawEvent {
    fn from(read: EventView<'_>) -> Self {
        Self {
            event: (UNSAID, read.n).into(),
            at_us: read.after_ms.0,
            raw: read.raw.into(),
        }
    }
}

part! {
    /// The agent's state before a turn, and its changes.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "State")]
    pub(crate) struct StateView<'a> of (state: &'a StateHistory) {
        let before = state.before.as_deref().map(|text| (json(text), text));
        let other = before.as_ref().and_then(|(value, text)| other_text(value, text));
        /// The state before the turn; omitted if it is larger than 64 KiB.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(default, deserialize_with = "present")]
        before?: Box<RawValue> = before.map(|(value, _)| value);
        /// The text of `before`, if it is another than that of the value; omitted otherwise.
        before_text?: Cow<'a, str> = other;
        /// Its changes, in their order.
        changes: Vec<StateChangeView<'a>> = state.changes.iter().map(StateChangeView::of).collect();
    }
}

impl From<StateView<'_>> for StateHistory {
    fn from(read: StateView<'_>) -> Self {
        Self {
            before: read
                .before
                .map(|before| sent_text(&before, read.before_text)),
            changes: read.changes.into_iter().map(Into::into).collect(),
        }
    }
}

part! {
    /// A change of the agent's state: a new state, or a patch.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "StateChange")]
    pub(crate) struct StateChangeView<'a> of (change: &'a RawStateChange) {
        let value = json(&change.value);
        let other = other_text(&value, &change.value);
        let values = match change.kind {
            StateChangeKind::Snapshot => (Some(value), None),
            StateChangeKind::Patch => (None, Some(value)),
        };
        /// The number of the event that brought it.
        event: u32 = change.event.number;
        /// The new state; omitted of a patch.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(default, deserialize_with = "present")]
        snapshot?: Box<RawValue> = values.0;
        /// The JSON Patch (RFC 6902); omitted of a new state.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(default, deserialize_with = "present")]
        patch?: Box<RawValue> = values.1;
        /// The text of either, if it is another than that of the value; omitted otherwise.
        text?: Cow<'a, str> = other;
    }
}

impl From<StateChangeView<'_>> for RawStateChange {
    fn from(read: StateChangeView<'_>) -> Self {
        let kind = if read.patch.is_some() {
            StateChangeKind::Patch
        } else {
            StateChangeKind::Snapshot
        };
        Self {
            event: (UNSAID, read.event).into(),
            kind,
            value: sent_text(&read.patch.or(read.snapshot).unwrap_or_default(), read.text),
        }
    }
}

/// Headers as an object; the values of a name that comes several times are joined by `, ` (RFC 9110, section 5.3).
fn joined(headers: &[(String, String)]) -> BTreeMap<Cow<'_, str>, String> {
    let mut joined: BTreeMap<Cow<'_, str>, String> = BTreeMap::new();
    for (name, value) in headers {
        let text = joined.entry(Cow::Borrowed(name)).or_default();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(value);
    }
    joined
}

fn listed(joined: BTreeMap<Cow<'_, str>, String>) -> Vec<(String, String)> {
    joined
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect()
}
