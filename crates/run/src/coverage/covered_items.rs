//! The declared and the observed items so far, within bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::argument_values::{ArgumentPath, WrittenValue};
use super::call_ending::CallEnding;
use ananke_trace::outcome::coverage::{AnswerStates, CoverageState, OutcomeStates};

/// The number of tools that are kept.
const MOST_TOOLS: usize = 1000;

/// The number of transitions, values or interrupts that are kept.
const MOST_ITEMS: usize = 50_000;

/// The longest name or value that is kept, in bytes.
const LONGEST: usize = 256;

/// The declared and the observed items so far.
#[derive(Debug, Default)]
pub(super) struct CoveredItems {
    pub(super) tools: BTreeMap<String, CoveredTool>,
    pub(super) transitions: BTreeMap<(String, String), CoverageState>,
    pub(super) interrupts: BTreeMap<String, AnswerStates>,
    /// The number of values of all tools together.
    values: usize,
    /// Something is missing, since there was too much of it.
    pub(super) is_partial: bool,
}

#[derive(Debug, Default)]
pub(super) struct CoveredTool {
    pub(super) is_declared: bool,
    pub(super) outcomes: OutcomeStates,
    /// The values that the schema lists.
    pub(super) listed: BTreeSet<(ArgumentPath, WrittenValue)>,
    /// The values that the calls had.
    pub(super) seen: BTreeMap<(ArgumentPath, WrittenValue), CoverageState>,
}

impl CoveredItems {
    /// Adds a tool that the agent has declared, with the values that the schema of its arguments lists. Without room for the tool
    /// or for a value, it is dropped, and the report is marked as partial.
    pub(super) fn declare(&mut self, tool: &str, values: BTreeSet<(ArgumentPath, WrittenValue)>) {
        // The count is a local until the end, since `tool` borrows all of `self`.
        let mut value_count = self.values;
        let mut is_partial = false;
        // Without room for the tool, `self.tool` marks the report.
        let Some(tool) = self.tool(tool) else { return };
        tool.is_declared = true;
        // Long values are not kept, and do not make the report partial: `value` does not keep them either.
        for value in values.into_iter().filter(is_short) {
            if value_count >= MOST_ITEMS {
                is_partial = true;
            } else if tool.listed.insert(value) {
                value_count += 1;
            }
        }
        self.values = value_count;
        self.is_partial |= is_partial;
    }

    pub(super) fn call(&mut self, tool: &str, ending: CallEnding, state: CoverageState) {
        if let Some(tool) = self.tool(tool) {
            ending.state_in(&mut tool.outcomes).raise(state);
        }
    }

    /// Adds a value that an argument of a call had. Without room for it, it is dropped, and the report is marked as partial.
    pub(super) fn value(
        &mut self,
        tool: &str,
        value: (ArgumentPath, WrittenValue),
        state: CoverageState,
    ) {
        let is_full = self.values >= MOST_ITEMS;
        let Some(covered) = self.tool(tool) else {
            // There was no room for the tool of the call, and `self.tool` has marked the report.
            return;
        };
        // The long values of schemas are not kept either. So no value that the report lists is missing here, and the report is
        // not partial for this.
        if !is_short(&value) {
            return;
        }
        if let Some(known) = covered.seen.get_mut(&value) {
            known.raise(state);
        } else if is_full {
            self.is_partial = true;
        } else {
            covered.seen.insert(value, state);
            self.values += 1;
        }
    }

    /// Takes two calls of which one comes right after the other.
    pub(super) fn transition(&mut self, from: &str, to: &str, state: CoverageState) {
        let key = (from.to_owned(), to.to_owned());
        if let Some(known) = self.transitions.get_mut(&key) {
            known.raise(state);
        } else if self.transitions.len() >= MOST_ITEMS || from.len() > LONGEST || to.len() > LONGEST
        {
            self.is_partial = true;
        } else {
            self.transitions.insert(key, state);
        }
    }

    /// The answers to interrupts of this name; `None` if there is no room for another name.
    pub(super) fn interrupt(&mut self, name: &str) -> Option<&mut AnswerStates> {
        if name.len() > LONGEST
            || self.interrupts.len() >= MOST_ITEMS && !self.interrupts.contains_key(name)
        {
            self.is_partial = true;
            return None;
        }
        Some(self.interrupts.entry(name.to_owned()).or_default())
    }

    /// The tool of this name; `None` if there is no room for another name.
    fn tool(&mut self, name: &str) -> Option<&mut CoveredTool> {
        if name.len() > LONGEST || self.tools.len() >= MOST_TOOLS && !self.tools.contains_key(name)
        {
            self.is_partial = true;
            return None;
        }
        Some(self.tools.entry(name.to_owned()).or_default())
    }
}

fn is_short((path, value): &(ArgumentPath, WrittenValue)) -> bool {
    path.len() <= LONGEST && value.len() <= LONGEST
}
