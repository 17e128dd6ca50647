//! The coverage of tests, as programs read it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::coverage_state::{AnswerStates, CoverageState, OutcomeStates};
use super::covered_items::CoveredItems;

/// For how many tools every possible transition is listed.
const MOST_PAIRED: usize = 100;

/// What tests cover, as `ananke coverage --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CoverageReport {
    /// The tools, sorted by name.
    pub tools: Vec<ToolCoverage>,
    /// The transitions from one call to the next: every pair of up to 100 tools, of more tools those that occur.
    pub transitions: Vec<TransitionCoverage>,
    /// The values that schemas list.
    pub arguments: Vec<ArgumentCoverage>,
    /// The interrupts, by the tool that they are about, or by their reason.
    pub interrupts: Vec<InterruptCoverage>,
    /// How much is covered: the summary of the document.
    #[serde(skip)]
    pub totals: CoverageTotals,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
pub struct ToolCoverage {
    /// The name of the tool.
    pub name: String,
    /// Whether a test or a server declares it, so that it is known without a call.
    pub declared: bool,
    /// The endings of its calls, each with its state.
    pub outcomes: OutcomeStates,
}

/// Two calls of which one comes right after the other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Transition")]
pub struct TransitionCoverage {
    /// The tool of the first call.
    pub from: String,
    /// The tool of the second call.
    pub to: String,
    /// The state: an order that occurs is exercised.
    pub state: CoverageState,
}

/// A value that the schema of an argument lists.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Argument")]
pub struct ArgumentCoverage {
    /// The name of the tool.
    pub tool: String,
    /// The place in the arguments; `[]` is any item of a list.
    pub path: String,
    /// The listed value.
    #[schemars(with = "Value")]
    pub value: Value,
    /// The state: a value that a call has is exercised.
    pub state: CoverageState,
}

/// An interrupt.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub struct InterruptCoverage {
    /// The tool that it is about, or its reason.
    pub name: String,
    /// The answers to it, each with its state.
    pub answers: AnswerStates,
}

/// How many things of one kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Count")]
pub struct CoverageCount {
    /// The number of all of them.
    pub total: usize,
    /// The number of those that happen in a test.
    pub exercised: usize,
    /// The number of those of which rules notice a change.
    pub asserted: usize,
}

/// How much is covered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Totals")]
pub struct CoverageTotals {
    /// Tools; one is exercised by any call.
    pub tools: CoverageCount,
    /// Outcomes of tools, four of each.
    pub outcomes: CoverageCount,
    /// Transitions that are listed.
    pub transitions: CoverageCount,
    /// Values of arguments.
    pub arguments: CoverageCount,
    /// Answers to interrupts, two for each.
    pub interrupts: CoverageCount,
    /// The share of outcomes, values and answers that are exercised, in percent.
    pub exercised_percent: f64,
    /// The share of them that are asserted, in percent.
    pub asserted_percent: f64,
    /// Whether there was more than is kept, so that something is missing here.
    pub partial: bool,
}

impl CoverageCount {
    fn of(states: impl IntoIterator<Item = CoverageState>) -> Self {
        states
            .into_iter()
            .fold(Self::default(), |count, state| Self {
                total: count.total + 1,
                exercised: count.exercised + usize::from(state != CoverageState::Never),
                asserted: count.asserted + usize::from(state == CoverageState::Asserted),
            })
    }
}

impl CoverageReport {
    pub(super) fn of(items: &CoveredItems) -> Self {
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
                    value: serde_json::from_str(&key.1)
                        .unwrap_or_else(|_| Value::from(key.1.as_str())),
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
        Self {
            tools,
            transitions,
            arguments,
            interrupts,
            totals,
        }
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
