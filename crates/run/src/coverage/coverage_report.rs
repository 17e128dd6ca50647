//! From what was declared and observed to the report of it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::covered_items::CoveredItems;
use ananke_trace::outcome::coverage::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};

/// For how many tools every possible transition is listed.
const MOST_PAIRED: usize = 100;

/// The report on `items`.
pub(super) fn report(items: &CoveredItems) -> CoverageReport {
    let tools: Vec<ToolCoverage> = items
        .tools
        .iter()
        .map(|(name, tool)| ToolCoverage {
            name: name.clone(),
            declared: tool.is_declared,
            outcomes: tool.outcomes,
        })
        .collect();
    let arguments: Vec<ArgumentCoverage> = items
        .tools
        .iter()
        .flat_map(|(name, tool)| {
            tool.listed.iter().map(move |key| ArgumentCoverage {
                tool: name.clone(),
                path: key.0.clone(),
                value: serde_json::from_str(&key.1).unwrap_or_else(|_| Value::from(key.1.as_str())),
                state: tool.seen.get(key).copied().unwrap_or_default(),
            })
        })
        .collect();
    let interrupts: Vec<InterruptCoverage> = items
        .interrupts
        .iter()
        .map(|(name, answers)| InterruptCoverage {
            name: name.clone(),
            answers: *answers,
        })
        .collect();
    let transitions = transitions(items);
    let totals = CoverageTotals {
        partial: items.is_partial,
        ..totals(&tools, &transitions, &arguments, &interrupts)
    };
    CoverageReport {
        tools,
        transitions,
        arguments,
        interrupts,
        totals,
    }
}

fn transitions(items: &CoveredItems) -> Vec<TransitionCoverage> {
    let mut pairs: BTreeSet<(&str, &str)> = items
        .transitions
        .keys()
        .map(|(from, to)| (&**from, &**to))
        .collect();
    if items.tools.len() <= MOST_PAIRED {
        let names = || items.tools.keys().map(String::as_str);
        pairs.extend(names().flat_map(|from| names().map(move |to| (from, to))));
    }
    let state = |from: &str, to: &str| {
        items
            .transitions
            .get(&(from.to_owned(), to.to_owned()))
            .copied()
    };
    let listed = pairs.into_iter().map(|(from, to)| TransitionCoverage {
        from: from.to_owned(),
        to: to.to_owned(),
        state: state(from, to).unwrap_or_default(),
    });
    listed.collect()
}

fn totals(
    tools: &[ToolCoverage],
    transitions: &[TransitionCoverage],
    arguments: &[ArgumentCoverage],
    interrupts: &[InterruptCoverage],
) -> CoverageTotals {
    let best = |tool: &ToolCoverage| {
        tool.outcomes
            .all()
            .into_iter()
            .map(|(_, state)| state)
            .max()
            .unwrap_or_default()
    };
    let outcomes = tools
        .iter()
        .flat_map(|tool| tool.outcomes.all())
        .map(|(_, state)| state);
    let answers = interrupts
        .iter()
        .flat_map(|interrupt| interrupt.answers.all())
        .map(|(_, state)| state);
    let outcomes = CoverageCount::of(outcomes);
    let arguments = CoverageCount::of(arguments.iter().map(|argument| argument.state));
    let interrupts = CoverageCount::of(answers);
    let counted = [outcomes, arguments, interrupts];
    let sum = |of: fn(&CoverageCount) -> usize| counted.iter().map(of).sum::<usize>();
    let total = sum(|count| count.total);
    CoverageTotals {
        tools: CoverageCount::of(tools.iter().map(best)),
        outcomes,
        transitions: CoverageCount::of(transitions.iter().map(|transition| transition.state)),
        arguments,
        interrupts,
        exercised_percent: percent(sum(|count| count.exercised), total),
        asserted_percent: percent(sum(|count| count.asserted), total),
        partial: false,
    }
}

/// A share in percent with one digit, rounded down, so that 100 means all; of nothing it is 0.
fn percent(part: usize, whole: usize) -> f64 {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}
