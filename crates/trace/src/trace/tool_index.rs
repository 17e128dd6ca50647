//! The positions at which each tool was first called and first answered, so that a rule about order does not search all calls.
//!
//! Positions are those of [`ToolCall::order`](super::ToolCall::order). The first position of a tool becomes an earlier one only
//! if a snapshot of the conversation shows an earlier call.

use std::collections::HashMap;

use super::Author;

/// The callers whose calls to a tool count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// Those of the agent and its subagents.
    All,
    /// Those of the agent alone.
    Agent,
}

/// The phase of a call that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPhase {
    /// The start of its first call.
    Called,
    /// The first result of a call to it.
    Answered,
}

/// The first positions of each tool, by its name.
#[derive(Debug, Default)]
pub(super) struct ToolIndex(HashMap<String, FirstOfTool>);

#[derive(Debug, Default)]
struct FirstOfTool {
    /// By the agent and its subagents.
    by_all: Positions,
    /// By the agent alone.
    by_agent: Positions,
}

#[derive(Debug, Default)]
struct Positions {
    called: Option<u64>,
    answered: Option<u64>,
}

impl ToolIndex {
    /// Notes a position if it is the first so far.
    pub(super) fn note(&mut self, name: &str, phase: CallPhase, author: &Author, order: u64) {
        let known = self.0.get_mut(name);
        let tool = match known {
            Some(tool) => tool,
            None => self.0.entry(name.to_owned()).or_default(),
        };
        tool.by_all.note(phase, order);
        if *author == Author::Agent {
            tool.by_agent.note(phase, order);
        }
    }

    /// The first position of a tool.
    pub(super) fn first(&self, name: &str, phase: CallPhase, callers: Callers) -> Option<u64> {
        let tool = self.0.get(name)?;
        let first = match callers {
            Callers::All => &tool.by_all,
            Callers::Agent => &tool.by_agent,
        };
        match phase {
            CallPhase::Called => first.called,
            CallPhase::Answered => first.answered,
        }
    }
}

impl Positions {
    fn note(&mut self, phase: CallPhase, order: u64) {
        let first = match phase {
            CallPhase::Called => &mut self.called,
            CallPhase::Answered => &mut self.answered,
        };
        *first = Some(first.map_or(order, |first| first.min(order)));
    }
}
