//! When each tool was first called and first answered, so that a rule about order does not search all calls.
//!
//! Positions are those of [`ToolCall::order`](super::ToolCall::order). The first position of a tool never changes.

use std::collections::HashMap;

/// What to find of a tool.
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
    called: Option<u32>,
    answered: Option<u32>,
}

impl ToolIndex {
    /// Notes a position if it is the first.
    pub(super) fn note(&mut self, name: &str, what: CallPhase, by_subagent: bool, order: u32) {
        let known = self.0.get_mut(name);
        let tool = match known {
            Some(tool) => tool,
            None => self.0.entry(name.to_owned()).or_default(),
        };
        tool.by_all.of(what).get_or_insert(order);
        if !by_subagent {
            tool.by_agent.of(what).get_or_insert(order);
        }
    }

    /// The first position of a tool.
    pub(super) fn first(&self, name: &str, what: CallPhase, with_subagents: bool) -> Option<u32> {
        let tool = self.0.get(name)?;
        let first = if with_subagents { &tool.by_all } else { &tool.by_agent };
        match what {
            CallPhase::Called => first.called,
            CallPhase::Answered => first.answered,
        }
    }
}

impl Positions {
    fn of(&mut self, what: CallPhase) -> &mut Option<u32> {
        match what {
            CallPhase::Called => &mut self.called,
            CallPhase::Answered => &mut self.answered,
        }
    }
}
