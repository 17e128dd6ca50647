//! The tools that rules name, with the place of each name.

use super::inherit::Inherited;
use super::rule::RuleEntry;
use ananke_base::diagnostic::{Place, Span};

/// A tool that a rule names, though the rule may pass without a call to it: a mistake in the name is not seen in its result.
#[derive(Clone, Copy, Debug)]
pub struct NamedTool<'r> {
    /// The exact name.
    pub name: &'r str,
    /// The rule: `tools.forbid`.
    pub rule: &'static str,
    entry: &'r RuleEntry,
    span: Span,
}

impl NamedTool<'_> {
    /// Where the name is written.
    pub fn place(&self) -> Place {
        self.entry.origin.source.place(self.span)
    }
}

impl Inherited {
    /// The tools that are named by rules that may pass without a call to them.
    pub fn named_tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        let entries = self
            .test
            .iter()
            .chain(self.turns.iter().flat_map(|turn| &turn.entries));
        entries.flat_map(|entry| {
            let names = entry.rule.named_tools().into_iter();
            names.map(move |(name, span)| NamedTool {
                name,
                rule: entry.path,
                entry,
                span: span.unwrap_or(entry.origin.span),
            })
        })
    }
}
