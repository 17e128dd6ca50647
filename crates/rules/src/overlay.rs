//! Blocks over blocks: what a later or inner one replaces of an earlier or outer one.

use std::collections::HashMap;
use std::sync::Arc;

use super::block::{Block, Expectation};
use super::rule::{DroppedRule, ReplacedRule, RuleEntry};
use super::snapshot::widened;
use crate::evaluation::RuleOrigin;

impl Block {
    /// Puts a later block of the same level over this one. Exact duplicates of one level count once.
    pub(crate) fn overlay(&mut self, later: Self) {
        let (replaced, kept) = divide(&self.entries, |entry| replaced_by(entry, &later));
        self.entries = kept;
        self.replaced.extend(replaced);
        self.replaced.extend(later.replaced);
        self.dropped.extend(later.dropped);
        let mut known: HashMap<_, _> = self
            .entries
            .iter()
            .map(|entry| (Arc::clone(&entry.rule), entry.origin.clone()))
            .collect();
        for entry in later.entries {
            if let Some(kept) = known.get(&entry.rule) {
                self.dropped.push(DroppedRule {
                    entry,
                    kept: kept.clone(),
                });
            } else {
                known.insert(Arc::clone(&entry.rule), entry.origin.clone());
                self.entries.push(entry);
            }
        }
        self.disabled.extend(later.disabled);
        self.subagents = later.subagents.or(self.subagents.take());
        for (measure, setting) in later.limits.iter() {
            self.replaced_limits.extend(
                self.limits
                    .get(measure)
                    .cloned()
                    .map(|outer| (measure, outer)),
            );
            self.limits.set(measure, Some(setting.clone()));
        }
        self.replaced_limits.extend(later.replaced_limits);
        self.outcome = later.outcome.or(self.outcome.take());
        self.snapshot = match (self.snapshot.take(), later.snapshot) {
            (outer, None) => outer,
            (Some(Expectation::Is(outer)), Some(Expectation::Is(own))) => {
                Some(Expectation::Is(widened(&own, &outer)))
            }
            (_, own) => own,
        };
    }
}

/// Divides rules into those that something replaces and the others.
pub(crate) fn divide<'b>(
    entries: &[RuleEntry],
    replaced_by: impl Fn(&RuleEntry) -> Option<&'b RuleOrigin>,
) -> (Vec<ReplacedRule>, Vec<RuleEntry>) {
    let (mut replaced, mut kept) = (Vec::new(), Vec::new());
    for entry in entries {
        match replaced_by(entry) {
            Some(by) => replaced.push(ReplacedRule {
                entry: entry.clone(),
                by: by.clone(),
            }),
            None => kept.push(entry.clone()),
        }
    }
    (replaced, kept)
}

/// The origin of the rule of a block that replaces one of an outer block, on the same scope.
pub(crate) fn replaced_by<'b>(entry: &RuleEntry, inner: &'b Block) -> Option<&'b RuleOrigin> {
    let instead = || {
        inner
            .entries
            .iter()
            .find(|own| own.path == entry.path && own.rule.of_model() == entry.rule.of_model())
            .map(|own| &own.origin)
    };
    inner
        .disables(entry.path)
        .or_else(|| entry.is_overridden().then(instead).flatten())
}

/// The origin of the rule of a turn that replaces one of the test.
pub(crate) fn replaced_on_turn<'b>(entry: &RuleEntry, turn: &'b Block) -> Option<&'b RuleOrigin> {
    let looser = || {
        turn.entries
            .iter()
            .find(|own| entry.rule.is_loosened_by(&*own.rule))
    };
    turn.disables(entry.path)
        .or_else(|| entry.is_overridden().then(looser)?.map(|own| &own.origin))
}
