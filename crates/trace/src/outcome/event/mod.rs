//! Events of a run: the only thing a report is made from.
//!
//! Tests start, take turns and end in any order, and are finished in the order of the plan. The events are here and not where
//! tests run, so that a report can be built without what runs them.
//!
//! **Invariant:** an event is data alone; whatever an agent sent is in it bounded, and can be masked.

mod exchange_part;
mod no_answer;
mod run_event;

pub use exchange_part::ExchangePart;
pub use no_answer::{AgentHost, NoAnswer};
pub use run_event::RunEvent;
