//! A call to a model in its place among what an agent does.

use crate::trace::{CostGap, ModelCall, Usage};

/// Whether the requests of an agent to its models are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::trace) enum ModelSight {
    /// The requests go to a provider, so that nothing here sees them.
    #[default]
    Unseen,
    /// The requests go to the models of the test.
    Seen,
}

/// A call to a model, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedModelCall {
    /// The call. Without its contents, the request has nothing but the name of its model.
    pub call: ModelCall,
    /// The number of times that the agent sent the request: more than 1 if it was repeated.
    pub attempts: u32,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The place in the order in which everything began.
    pub order: u64,
    /// The index of the event of the agent that comes next in [`Trace::events`](crate::trace::Trace::events).
    pub next_event: u32,
    /// Whether the contents of its request are there.
    pub has_contents: bool,
    /// The tokens with their cost; `None` if they are neither recorded nor scripted.
    pub usage: Option<Usage>,
    /// The reason why the cost is not known, or not all of it.
    pub cost_gap: Option<CostGap>,
}
