//! A number of calls that is lower than what is required.

use std::collections::BTreeMap;

use super::lists::meet;
use super::{Homed, Surroundings};
use crate::assertion::inherit::Inherited;
use crate::assertion::judge::Home;
use crate::assertion::rule::{Entry, Rule};
use crate::assertion::select::ToolName;
use crate::assertion::sequence::Wants;
use crate::assertion::tools::MaxCalls;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn lint(
    all: &[Homed<'_>],
    merged: &Inherited,
    surroundings: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for homed @ (home, entry) in all {
        let Rule::MaxCalls(limit @ MaxCalls { written: None, .. }) = &entry.rule else { continue };
        let mut homes = [Home::Test].into_iter().chain((0..merged.turns.len()).map(Home::Turn));
        // What a later turn requires may have begun in a turn before it.
        let may_be_earlier = |owed| matches!((home, owed), (Home::Turn(_), Home::Turn(turn)) if turn > 0);
        let excess = homes
            .find_map(|owed| too_many(limit, *homed, owed, all, merged).filter(|_| !may_be_earlier(owed)));
        found.extend(excess.map(|(needed, required)| {
            let message = format!(
                "`max_calls` of {} is below the {needed} calls that are required: the test can never pass",
                limit.most
            );
            let places = ((&entry.origin, ""), (&required.origin, "required"));
            surroundings
                .warning(Code::ForbiddenRequirement, message, places.0, places.1)
                .help("raise `max_calls`, or require fewer calls")
        }));
    }
}

fn exact(name: &ToolName) -> Option<&str> {
    match name {
        ToolName::Exact(name) => Some(name),
        ToolName::Matching(_) => None,
    }
}

/// The tools that a rule needs calls of, and how many.
fn needs(rule: &Rule) -> Vec<(&str, u64)> {
    match rule {
        Rule::Require(required) => {
            exact(&required.selector.name).map(|name| (name, required.count.min)).into_iter().collect()
        }
        Rule::Sequence(sequence) => {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            for step in sequence.owed() {
                if let Wants::Call(selector) = &step.wants
                    && let Some(name) = exact(&selector.name)
                {
                    *counts.entry(name).or_default() += 1;
                }
            }
            counts.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// How many calls the rules of one home need together, where they are too many, and the last of these rules.
fn too_many<'e>(
    limit: &MaxCalls,
    homed: Homed<'e>,
    owed: Home,
    all: &[Homed<'e>],
    merged: &Inherited,
) -> Option<(u64, &'e Entry)> {
    // One call may satisfy several rules about its tool, but none about another.
    let mut needed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last = None;
    for (home, entry) in all {
        for (name, count) in needs(&entry.rule) {
            if *home == owed && count > 0 && !name.contains("${") && meet(homed, (*home, entry), merged) {
                let most = needed.entry(name).or_default();
                *most = (*most).max(count);
                last = Some(*entry);
            }
        }
    }
    let sum = needed.values().fold(0_u64, |sum, count| sum.saturating_add(*count));
    last.filter(|_| sum > limit.most).map(|last| (sum, last))
}
