//! Notifications of a server: those that a trace shows, and those that say nothing about an answer.
//!
//! **Invariant:** a notification that the protocol does not have is silent only if no rule can be about it.

use std::ops::ControlFlow;

use serde_json::Value;

use ananke_agents::{Sink, Stop};
use ananke_base::context::At;
use ananke_base::source::printable;
use ananke_trace::trace::{Change, Facts, Unread};

/// Notifications that a trace shows: how far a request is, and what the server logs.
const SHOWN: [&str; 2] = ["notifications/progress", "notifications/message"];

/// Notifications that say nothing about an answer (MCP 2025-11-25, "Notifications").
const SILENT: [&str; 7] = [
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/prompts/list_changed",
    "notifications/elicitation/complete",
];

/// Shows a notification, or reports one that is none of the protocol, if a rule may be about it (SPEC 13).
pub(super) fn notified(
    at: At,
    method: String,
    params: Value,
    sink: &mut dyn Sink,
) -> ControlFlow<Stop> {
    if SHOWN.contains(&method.as_str()) {
        let name = method.into();
        let value = params;
        return sink.change(at, Change::Custom { name, value });
    }
    let unread = Unread::item(format!("notification:{}", printable(&method)), &params);
    if SILENT.contains(&method.as_str()) || unread.facts == Facts::NONE {
        return ControlFlow::Continue(());
    }
    sink.change(at, Change::Unread(unread))
}
