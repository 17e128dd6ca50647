//! When each tool was first called and first answered, so that a rule about order need not look through all calls.
//!
//! Flows in: the starts and results of live calls. Flows out: moments, counted over all calls together. The first
//! moment of a tool never changes once there is one.

use std::collections::HashMap;

/// What of a tool is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The start of its first call.
    Called,
    /// The first result that a call of it had.
    Answered,
}

/// The first moments of each tool.
#[derive(Debug, Default)]
pub(super) struct Firsts(HashMap<String, OfTool>);

#[derive(Debug, Default)]
struct OfTool {
    /// By the agent and its helpers.
    by_all: Moments,
    /// By the agent alone.
    by_agent: Moments,
}

#[derive(Debug, Default)]
struct Moments {
    called: Option<u32>,
    answered: Option<u32>,
}

impl Firsts {
    /// Notes a moment, where it is the first.
    pub(super) fn note(&mut self, name: &str, what: First, by_subagent: bool, moment: u32) {
        let known = self.0.get_mut(name);
        let tool = match known {
            Some(tool) => tool,
            None => self.0.entry(name.to_owned()).or_default(),
        };
        tool.by_all.of(what).get_or_insert(moment);
        if !by_subagent {
            tool.by_agent.of(what).get_or_insert(moment);
        }
    }

    /// The first moment of a tool.
    pub(super) fn get(&self, name: &str, what: First, with_subagents: bool) -> Option<u32> {
        let tool = self.0.get(name)?;
        let moments = if with_subagents { &tool.by_all } else { &tool.by_agent };
        match what {
            First::Called => moments.called,
            First::Answered => moments.answered,
        }
    }
}

impl Moments {
    fn of(&mut self, what: First) -> &mut Option<u32> {
        match what {
            First::Called => &mut self.called,
            First::Answered => &mut self.answered,
        }
    }
}
