//! The neutral record of what an agent did.
//!
//! A [`Trace`] is fed events and [`Change`]s in the order they arrived. Each change returns what it added ([`Delta`]), so
//! that rules look only at what is new. All that happened is one log in the order in which it began ([`Trace::log`]), and
//! whatever is about order reads it. What a decoder did not understand is [`Unread`], with the facts that it may be. The
//! [`Ledger`] keeps it, and [`Trace::lacking`] answers a rule that rests on one of these facts.
//!
//! **Invariant:** it knows no protocol and is valid after every change, so that a rule can be checked in the middle of a
//! turn; values that agents send are compared by [`is_same_json`] alone (`tests/real/value-comparisons/` checks it).

mod agent_event;
mod apply;
mod aside;
mod call;
mod change;
mod event_clock;
mod event_number;
mod exchange;
mod facts;
mod gaps;
mod history;
mod known;
mod log;
mod message;
mod model;
mod order;
mod owned_change;
mod path;
mod peer;
mod pieced_texts;
mod received_bytes;
mod reported_item;
mod same_json;
mod snapshot;
mod state;
mod tool_index;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod trace;
mod trace_item;
mod turn;
mod turn_totals;

pub use agent_event::{AgentEvent, EventRole, events_of_last_turn};
pub use aside::{Aside, AsideSource};
pub use call::{Args, ToolCall, ToolResult};
pub use change::{
    Change, Interrupt, MessageKind, ResultContent, RunEnd, SnapshotCall, SnapshotItem,
};
pub use event_number::{EventNumber, replace_events};
pub use exchange::{Event, Exchange};
pub use facts::{
    Fact, Facts, JsonKinds, KnownKey, KnownName, Ledger, Unread, UnreadCall, UnreadForm,
    UnreadKind, UnreadViolation, call_ids, facts_of_item, facts_of_key, is_arguments_key, is_call,
    is_name_key, may_hold_call, unread_items, unread_keys, written_arguments,
};
pub use gaps::CallGap;
pub use message::{Author, Message, Origin};
pub use model::{
    AnsweredBy, AskedAgain, Cost, CostGap, FinishReason, LoggedModelCall, ModelAnswer, ModelCall,
    ModelRequest, ModelToolCall, ModelUsage, ModelUse, OfferedTool, Price, Prices, PromptMessage,
    Tokens, Usage,
};
pub use path::{ANY, Path, QUOTED_NAMES};
pub use peer::{AgentTime, Peer};
pub use pieced_texts::{PiecedText, PiecedTexts};
pub use reported_item::ReportedItem;
pub use same_json::{is_same_json, json_key, read_json};
pub use state::State;
pub use tool_index::{CallPhase, Callers};
pub use trace::Trace;
pub use trace_item::{
    CustomEvent, Declaration, Delta, StateEvent, TraceItem, Violation, Violations,
};
pub use turn::{AnsweredInterrupt, Input, InterruptStatus, TurnRanges};
