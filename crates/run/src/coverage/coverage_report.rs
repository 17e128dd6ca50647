//! From what was declared and observed to the report of it.

use serde_json::Value;

use super::covered_items::CoveredItems;
use ananke_trace::outcome::coverage::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};

/// The number of tools of which every possible transition is listed: there are as many as its square.
const MOST_PAIRED: usize = 100;

/// The report on `items`. Items that are possible but happened in no test are in it as holes, with the state `Never`.
pub(super) fn report(items: &CoveredItems) -> CoverageReport {
    let mut tools = Vec::new();
    let mut arguments = Vec::new();
    for (name, tool) in &items.tools {
        tools.push(ToolCoverage {
            name: name.clone(),
            declared: tool.is_declared,
            outcomes: tool.outcomes,
        });
        // Only values that a schema lists are reported. For other values, nothing says which of them a test should have.
        for key in &tool.listed {
            let (path, value) = key;
            arguments.push(ArgumentCoverage {
                tool: name.clone(),
                path: path.clone(),
                // A kept value is JSON text. If a mask replaced a secret in it, it may no longer parse, and is shown as a text.
                value: serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str())),
                // A value that no call had is a hole, which is the default state.
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
    // The totals of the lists above cannot show that an item was dropped for lack of room.
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

/// The transitions from one tool to the next that happened, and as holes all others that are possible.
fn transitions(items: &CoveredItems) -> Vec<TransitionCoverage> {
    let mut states = items.transitions.clone();
    // The number of possible transitions is the square of the number of tools, so that many tools would make a huge report.
    if items.tools.len() <= MOST_PAIRED {
        for from in items.tools.keys() {
            for to in items.tools.keys() {
                // The default state is a hole. A transition that happened keeps its state.
                states.entry((from.clone(), to.clone())).or_default();
            }
        }
    }
    let transitions = states.into_iter();
    let transitions = transitions.map(|((from, to), state)| TransitionCoverage { from, to, state });
    transitions.collect()
}

/// The number of items of each kind, and how many of them are exercised and asserted.
fn totals(
    tools: &[ToolCoverage],
    transitions: &[TransitionCoverage],
    arguments: &[ArgumentCoverage],
    interrupts: &[InterruptCoverage],
) -> CoverageTotals {
    // Each outcome of a tool counts by itself. The tool as a whole has the best state of its outcomes, so that one call covers
    // it.
    let mut tool_states = Vec::new();
    let mut outcomes = Vec::new();
    for tool in tools {
        let states = tool.outcomes.all().map(|(_, state)| state);
        tool_states.push(states.into_iter().max().unwrap_or_default());
        outcomes.extend(states);
    }
    let mut answers = Vec::new();
    for interrupt in interrupts {
        answers.extend(interrupt.answers.all().map(|(_, state)| state));
    }
    let outcomes = CoverageCount::of(outcomes);
    let arguments = CoverageCount::of(arguments.iter().map(|argument| argument.state));
    let interrupts = CoverageCount::of(answers);

    // The percentages leave transitions aside, since most pairs of tools make no sense in a row, and tools, since their outcomes
    // count already.
    let mut total = 0;
    let mut exercised = 0;
    let mut asserted = 0;
    for count in [outcomes, arguments, interrupts] {
        total += count.total;
        exercised += count.exercised;
        asserted += count.asserted;
    }
    CoverageTotals {
        tools: CoverageCount::of(tool_states),
        outcomes,
        transitions: CoverageCount::of(transitions.iter().map(|transition| transition.state)),
        arguments,
        interrupts,
        exercised_percent: percent(exercised, total),
        asserted_percent: percent(asserted, total),
        // The caller sets this, since the lists here do not show it.
        partial: false,
    }
}

/// A share in percent with one digit, rounded down, so that 100 means all; of nothing it is 0.
fn percent(part: usize, whole: usize) -> f64 {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}
