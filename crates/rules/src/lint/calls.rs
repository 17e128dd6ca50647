//! A limit on the number of calls that is lower than what is required.

use std::collections::BTreeMap;

use super::rules::{Rules, Scoped};
use crate::evaluation::RuleScope;
use crate::rule::{Claim, RuleEntry};
use ananke_base::diagnostic::{Code, Diagnostic};

pub(super) fn lint(rules: &Rules<'_>, found: &mut Vec<Diagnostic>) {
    for (scoped @ (scope, entry), claim) in rules.claims() {
        let Claim::LimitsCalls(most) = claim else {
            continue;
        };
        let mut scopes = [RuleScope::Test]
            .into_iter()
            .chain((0..rules.merged.turns.len()).map(RuleScope::Turn));
        // What a later turn requires may have begun in a turn before it.
        let may_be_earlier = |required| matches!((scope, required), (RuleScope::Turn(_), RuleScope::Turn(turn)) if turn > 0);
        let excess = scopes.find_map(|required| {
            too_many(most, scoped, required, rules).filter(|_| !may_be_earlier(required))
        });
        found.extend(excess.map(|(needed, required)| {
            let message = format!(
                "`max_calls` of {most} is below the {needed} calls that are required: the test can never pass"
            );
            let places = ((&entry.origin, ""), (&required.origin, "required"));
            rules
                .surroundings
                .warning(Code::ForbiddenRequirement, message, places.0, places.1)
                .help("raise `max_calls`, or require fewer calls")
        }));
    }
}

/// The tools that a rule needs calls of, and how many.
fn needs(entry: &RuleEntry) -> BTreeMap<&str, u64> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for claim in entry.rule.claims() {
        let (name, count) = match claim {
            Claim::Requires { selector, min, .. } => (selector.name.exact(), min),
            Claim::Step {
                selector,
                is_result: false,
            } => (selector.name.exact(), 1),
            _ => continue,
        };
        if let Some(name) = name {
            *counts.entry(name).or_default() += count;
        }
    }
    counts
}

/// The number of calls that the rules of one scope need together, if they are too many, and the last of these rules.
fn too_many<'e>(
    most: u64,
    scoped: Scoped<'e>,
    required: RuleScope,
    rules: &Rules<'e>,
) -> Option<(u64, &'e RuleEntry)> {
    // One call may satisfy several rules about its tool, but none about another.
    let mut needed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last = None;
    for (scope, entry) in rules.all.iter().filter(|(scope, _)| *scope == required) {
        for (name, count) in needs(entry) {
            if count > 0 && !name.contains("${") && rules.overlap(scoped, (*scope, entry)) {
                let known = needed.entry(name).or_default();
                *known = (*known).max(count);
                last = Some(*entry);
            }
        }
    }
    let sum = needed
        .values()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    last.filter(|_| sum > most).map(|last| (sum, last))
}
