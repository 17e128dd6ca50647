//! From what was declared and observed to the report of it.

use serde_json::Value;

use super::covered_items::CoveredItems;
use ananke_trace::outcome::coverage::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};

/// The number of tools of which every possible transition is listed: there are as many as its square.
const MOST_PAIRED: usize = 100;

/// The report on `items`, with as a hole whatever could happen and did in no test.
pub(super) fn report(items: &CoveredItems) -> CoverageReport {
    let mut tools = Vec::new();
    let mut arguments = Vec::new();
    for (name, tool) in &items.tools {
        tools.push(ToolCoverage {
            name: name.clone(),
            declared: tool.is_declared,
            outcomes: tool.outcomes,
        });
        // Only values that a schema lists: of others it is not known which a test should have.
        for key in &tool.listed {
            let (path, value) = key;
            arguments.push(ArgumentCoverage {
                tool: name.clone(),
                path: path.clone(),
                // A value is JSON unless a mask replaced it.
                value: serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str())),
                state: tool.seen.get(key).copied().unwrap_or_default(),
            });
        }
    }
    let interrupts = items.interrupts.iter();
    let interrupts: Vec<InterruptCoverage> = interrupts
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
    // Transitions that happened, and as holes all others that could.
    let mut listed = items.transitions.clone();
    if items.tools.len() <= MOST_PAIRED {
        for from in items.tools.keys() {
            for to in items.tools.keys() {
                listed.entry((from.clone(), to.clone())).or_default();
            }
        }
    }
    let listed = listed.into_iter();
    let listed = listed.map(|((from, to), state)| TransitionCoverage { from, to, state });
    listed.collect()
}

fn totals(
    tools: &[ToolCoverage],
    transitions: &[TransitionCoverage],
    arguments: &[ArgumentCoverage],
    interrupts: &[InterruptCoverage],
) -> CoverageTotals {
    // A tool is covered as well as the best of its outcomes.
    let mut best = Vec::new();
    let mut outcomes = Vec::new();
    for tool in tools {
        let states = tool.outcomes.all().map(|(_, state)| state);
        best.push(states.into_iter().max().unwrap_or_default());
        outcomes.extend(states);
    }
    let mut answers = Vec::new();
    for interrupt in interrupts {
        answers.extend(interrupt.answers.all().map(|(_, state)| state));
    }
    let outcomes = CoverageCount::of(outcomes);
    let arguments = CoverageCount::of(arguments.iter().map(|argument| argument.state));
    let interrupts = CoverageCount::of(answers);

    // Transitions do not count, since most pairs of tools make no sense.
    let mut total = 0;
    let mut exercised = 0;
    let mut asserted = 0;
    for count in [outcomes, arguments, interrupts] {
        total += count.total;
        exercised += count.exercised;
        asserted += count.asserted;
    }
    CoverageTotals {
        tools: CoverageCount::of(best),
        outcomes,
        transitions: CoverageCount::of(transitions.iter().map(|transition| transition.state)),
        arguments,
        interrupts,
        exercised_percent: percent(exercised, total),
        asserted_percent: percent(asserted, total),
        partial: false,
    }
}

/// A share in percent with one digit, rounded down, so that 100 means all; of nothing it is 0.
fn percent(part: usize, whole: usize) -> f64 {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}
