//! A span of a conversation, and where it is among the others.

use super::observed_span::ObservedSpan;

/// A span with its place among the others.
#[derive(Debug)]
pub(super) struct PlacedSpan {
    pub(super) span: ObservedSpan,
    /// The run of the agent that it is in, the outermost one.
    pub(super) run: Option<u64>,
    /// The subagent that it is of.
    pub(super) subagent: Option<String>,
    /// The number of spans that it is in.
    pub(super) depth: usize,
    /// The span of a model, a tool or an agent that it is in, the innermost one.
    pub(super) within: Option<u64>,
    /// Its own id.
    pub(super) id: u64,
}
