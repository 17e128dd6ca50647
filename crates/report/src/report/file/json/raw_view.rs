//! The raw material of a turn as readers get it: requests, events as they were received, and changes of the state.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::json_text::json;
use crate::report::part::part;
use ananke_trace::outcome::{RawEvent, RawExchange, RawStateChange, StateChangeKind, StateHistory};

part! {
    /// A request, and the head of its response.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Exchange")]
    pub(super) struct ExchangeView<'a> of (exchange: &'a RawExchange) {
        /// The number of the first event after the request.
        event: u32 = exchange.event;
        /// The method of the request.
        method: &'a str = &exchange.method;
        /// The URL without its query.
        url: &'a str = &exchange.url;
        /// The headers of the request; the values of those that are usually secret are `***`.
        request_headers: BTreeMap<&'a str, String> = joined(&exchange.request_headers);
        /// The body of the request; only with `events: all`. Over 16 KiB it is truncated and says so.
        body?: &'a str = exchange.body.as_deref();
        /// The HTTP status; omitted if no response came.
        status?: u16 = exchange.status;
        /// The headers of the response; of a replay those that the recording contains.
        response_headers: BTreeMap<&'a str, String> = joined(&exchange.response_headers);
    }
}

part! {
    /// An event as it was received.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Event")]
    pub(super) struct EventView<'a> of (event: &'a RawEvent, started_unix_ms: Option<u64>) {
        /// Its number, as in `items`.
        n: u32 = event.number;
        /// When it arrived, in Unix milliseconds on the clock of its turn.
        at?: u64 = started_unix_ms.map(|started| started.saturating_add(event.at_us / 1000));
        /// Its text, secrets masked. Over 16 KiB it is truncated and says so.
        raw: &'a str = &event.raw;
    }
}

part! {
    /// The agent's state before a turn, and its changes.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "State")]
    pub(super) struct StateView of (state: &StateHistory) {
        /// The state before the turn; omitted if it is larger than 64 KiB.
        #[schemars(with = "Option<serde_json::Value>")]
        before?: Box<RawValue> = state.before.as_deref().map(json);
        /// Its changes, in their order.
        changes: Vec<StateChangeView> = state.changes.iter().map(StateChangeView::of).collect();
    }
}

part! {
    /// A change of the agent's state: a new state, or a patch.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "StateChange")]
    pub(super) struct StateChangeView of (change: &RawStateChange) {
        let value = |kind| (change.kind == kind).then(|| json(&change.value));
        /// The number of the event that brought it.
        event: u32 = change.event;
        /// The new state; omitted of a patch.
        #[schemars(with = "Option<serde_json::Value>")]
        snapshot?: Box<RawValue> = value(StateChangeKind::Snapshot);
        /// The JSON Patch (RFC 6902); omitted of a new state.
        #[schemars(with = "Option<serde_json::Value>")]
        patch?: Box<RawValue> = value(StateChangeKind::Patch);
    }
}

/// Headers as an object; the values of a name that comes several times are joined by `, ` (RFC 9110, section 5.3).
fn joined(headers: &[(String, String)]) -> BTreeMap<&str, String> {
    let mut joined: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in headers {
        let text = joined.entry(name).or_default();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(value);
    }
    joined
}
