//! Takes what tests declare and what happens in them, from any thread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use super::argument_values::{ArgumentPath, WrittenValue, declared, seen};
use super::call_ending::CallEnding;
use super::coverage_report::report;
use super::covered_items::CoveredItems;
use ananke_base::context::lock;
use ananke_base::message::ToolDeclaration;
use ananke_trace::outcome::coverage::{CoverageReport, CoverageState};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Args, EventNumber, InterruptStatus, RunEnd, Trace};

/// Takes what tests declare and what happens in them. What is secret in a test is masked before it is kept.
#[derive(Debug, Default)]
pub struct CoverageCollector {
    items: Mutex<CoveredItems>,
}

impl CoverageCollector {
    /// Takes tools that the agent of a test is known to have.
    pub fn declare<'t>(
        &self,
        tools: impl IntoIterator<Item = &'t ToolDeclaration>,
        redactor: &Redactor,
    ) {
        for tool in tools {
            let schema = Some(&tool.parameters);
            declare(&tool.name, schema, redactor, &mut self.items());
        }
    }

    /// Adds the finished conversation of a test to the coverage. `noticed` says which parts of it are asserted: the rules of the
    /// test fail if such a part changes. Names and values are masked before they are kept.
    pub fn observe(&self, trace: &Trace, noticed: &NoticedChanges, redactor: &Redactor) {
        let mut items = self.items();
        // Tools that are declared and never called are holes in the report.
        let declared = trace.declarations.iter();
        for tool in declared.flat_map(|declaration| &declaration.tools) {
            declare(&tool.name, tool.input.as_ref(), redactor, &mut items);
        }

        let mut previous_tool: Option<String> = None;
        for call in &trace.calls {
            // Calls of the history were not made in this test, so that they exercise nothing.
            if !call.origin.is_new() {
                continue;
            }
            let first_event = trace.numbered(call.first_event);
            let tool = redactor.text(&call.name).into_owned();
            let ending_state = noticed.of_call(first_event, &CallPart::Ending);
            items.call(&tool, CallEnding::of(call), ending_state);
            // Arguments that are not valid JSON have no values.
            if let Args::Json(args) = call.args() {
                for value in masked(seen(args), redactor) {
                    // Changes are tracked for each argument as a whole, whose name is the first part of the path: `a` in `a.b`
                    // and in `a[]`.
                    let path = &value.0;
                    let end = path.find(['.', '[']).unwrap_or(path.len());
                    let argument = CallPart::Argument(path[..end].to_owned());
                    let state = noticed.of_call(first_event, &argument);
                    items.value(&tool, value, state);
                }
            }
            if let Some(previous_tool) = &previous_tool {
                let order_state = noticed.of_call(first_event, &CallPart::Order);
                items.transition(previous_tool, &tool, order_state);
            }
            previous_tool = Some(tool);
        }
        add_interrupts(trace, noticed, redactor, &mut items);
    }

    /// The coverage so far.
    pub fn report(&self) -> CoverageReport {
        report(&self.items())
    }

    fn items(&self) -> MutexGuard<'_, CoveredItems> {
        lock(&self.items)
    }
}

/// Takes a tool with the schema of its arguments.
fn declare(name: &str, schema: Option<&Value>, redactor: &Redactor, items: &mut CoveredItems) {
    if !name.is_empty() {
        let values = masked(schema.map(declared).unwrap_or_default(), redactor);
        items.declare(&redactor.text(name), values);
    }
}

/// Adds the interrupts, and the answers that later turns give to them. An answer counts as asserted if a rule would fail without
/// its interrupt.
fn add_interrupts(
    trace: &Trace,
    noticed: &NoticedChanges,
    redactor: &Redactor,
    items: &mut CoveredItems,
) {
    // The interrupts without an answer so far, by their ids, each with its name and state in the report.
    let mut open: BTreeMap<&str, (String, CoverageState)> = BTreeMap::new();
    for (number, turn) in trace.turns.iter().enumerate() {
        // Answers come first, since the input of a turn can only answer interrupts of turns before it.
        for answer in &turn.input.answered {
            // `items` has no states for an interrupt for which it had no room, and then has marked the report as partial.
            if let Some((name, state)) = open.remove(answer.id.as_str())
                && let Some(states) = items.interrupt(&name)
            {
                match answer.status {
                    InterruptStatus::Resolved => states.resolved.raise(state),
                    InterruptStatus::Cancelled => states.cancelled.raise(state),
                }
            }
        }

        // Then the interrupts of the turn itself. `items` gets each of them at once, so that the report shows an interrupt that
        // is never answered as a hole.
        let exchanges = trace.exchanges.get(turn.exchanges.clone());
        for exchange in exchanges.unwrap_or_default() {
            let Some(RunEnd::Interrupted(interrupts)) = &exchange.run_end else {
                continue;
            };
            for interrupt in interrupts {
                // An interrupt is named after the tool that it asks about, or after its reason, if there is one.
                let tool = trace.tool_of(interrupt);
                let name = tool.or(interrupt.reason.as_deref());
                let name = redactor.text(name.unwrap_or("interrupt")).into_owned();
                items.interrupt(&name);
                open.insert(&interrupt.id, (name, noticed.of_interrupt(number)));
            }
        }
    }
}

fn masked(
    values: BTreeSet<(ArgumentPath, WrittenValue)>,
    redactor: &Redactor,
) -> BTreeSet<(ArgumentPath, WrittenValue)> {
    let values = values.into_iter().map(|(path, value)| {
        let path = redactor.text(&path).into_owned();
        (path, redactor.text(&value).into_owned())
    });
    values.collect()
}

/// Changes to one conversation that its rules notice: of its calls, by their first events, and of its interrupts, by turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticedChanges {
    calls: BTreeMap<EventNumber, BTreeSet<CallPart>>,
    interrupts: BTreeSet<usize>,
}

/// The part of a call that is changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallPart {
    /// The end of the call: its result, or that it is made at all.
    Ending,
    /// The order of the call among others, or that it is made at all.
    Order,
    /// An argument, by its name.
    Argument(String),
}

impl NoticedChanges {
    /// A change of this part of the call that begins with this event is noticed.
    pub fn call(&mut self, first_event: EventNumber, part: CallPart) {
        self.calls.entry(first_event).or_default().insert(part);
    }

    /// A change is noticed by which the interrupts of the turn, counted from 0, do not come.
    pub fn interrupt(&mut self, turn: usize) {
        self.interrupts.insert(turn);
    }

    /// The extent to which the test covers this part of a call that happens in it.
    pub(super) fn of_call(&self, first_event: EventNumber, part: &CallPart) -> CoverageState {
        match self.calls.get(&first_event) {
            Some(parts) if parts.contains(part) => CoverageState::Asserted,
            _ => CoverageState::Exercised,
        }
    }

    /// The extent to which the test covers the answer to an interrupt of this turn.
    pub(super) fn of_interrupt(&self, turn: usize) -> CoverageState {
        if self.interrupts.contains(&turn) {
            CoverageState::Asserted
        } else {
            CoverageState::Exercised
        }
    }
}
