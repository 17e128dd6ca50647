//! The coverage of tests, as programs read it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{AnswerStates, CoverageState, OutcomeStates};

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
    /// The count of things that have these states.
    pub fn of(states: impl IntoIterator<Item = CoverageState>) -> Self {
        states
            .into_iter()
            .fold(Self::default(), |count, state| Self {
                total: count.total + 1,
                exercised: count.exercised + usize::from(state != CoverageState::Never),
                asserted: count.asserted + usize::from(state == CoverageState::Asserted),
            })
    }
}
