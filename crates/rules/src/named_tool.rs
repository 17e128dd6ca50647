//! The tools that rules name, with the place of each name.

use std::borrow::Cow;

use super::inherit::{Inherited, TurnRules};
use super::rule::RuleEntry;
use super::select::RuleTool;
use super::turn_condition::{TurnCondition, WantedOfTurn};
use crate::evaluation::RuleOrigin;
use ananke_base::diagnostic::{Place, Span};

/// A tool that a rule names, though the rule may pass without a call to it: a mistake in the name is not seen in its result.
#[derive(Clone, Debug)]
pub struct NamedTool<'r> {
    /// The name.
    pub name: Cow<'r, str>,
    /// Whether tools have it that have something before it which ends with `__` or `.`.
    pub is_suffix: bool,
    /// The arguments that the rule looks at.
    pub arguments: Vec<String>,
    /// The rule: `tools.forbid`.
    pub rule: &'static str,
    origin: &'r RuleOrigin,
    span: Span,
}

impl NamedTool<'_> {
    /// The place where the name is written.
    pub fn place(&self) -> Place {
        self.origin.source.place(self.span)
    }
}

impl Inherited {
    /// The tools that are named by rules that may pass without a call to them.
    pub fn named_tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        let turns = self.turns.iter().flat_map(TurnRules::named_tools);
        self.test.iter().flat_map(named_tools).chain(turns)
    }
}

impl TurnRules {
    /// The tools that are named by rules that may pass without a call to them.
    pub fn named_tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        self.entries.iter().flat_map(named_tools)
    }
}

impl TurnCondition {
    /// The tools that it names: without a call to them the turn is not sent.
    pub fn named_tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        let tools = match &self.wanted {
            WantedOfTurn::Step(step) => step.named_tools(),
            WantedOfTurn::Awaits | WantedOfTurn::Interrupted => Vec::new(),
        };
        let tools = tools.into_iter();
        tools.map(|tool| NamedTool::of(tool, Self::PATH, &self.origin))
    }
}

impl<'r> NamedTool<'r> {
    fn of(tool: RuleTool<'r>, rule: &'static str, origin: &'r RuleOrigin) -> Self {
        Self {
            name: tool.name,
            is_suffix: tool.is_suffix,
            arguments: tool.arguments,
            rule,
            origin,
            span: tool.span.unwrap_or(origin.span),
        }
    }
}

fn named_tools(entry: &RuleEntry) -> impl Iterator<Item = NamedTool<'_>> {
    let tools = entry.rule.named_tools().into_iter();
    tools.map(|tool| NamedTool::of(tool, entry.path, &entry.origin))
}
