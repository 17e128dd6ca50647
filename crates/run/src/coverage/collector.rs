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
use ananke_trace::trace::{Args, EventNumber, Interrupt, InterruptStatus, RunEnd, Trace};

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
            declare(
                &tool.name,
                Some(&tool.parameters),
                redactor,
                &mut self.items(),
            );
        }
    }

    /// Takes the conversation of a test, which is over, and of what its rules notice a change.
    pub fn observe(&self, trace: &Trace, noticed: &NoticedChanges, redactor: &Redactor) {
        let calls = trace.calls.iter().filter(|call| call.origin.is_new());
        let mut items = self.items();
        for tool in trace
            .declarations
            .iter()
            .flat_map(|declaration| &declaration.tools)
        {
            declare(&tool.name, tool.input.as_ref(), redactor, &mut items);
        }
        let mut before: Option<String> = None;
        for call in calls {
            let state = |part| noticed.of_call(trace.numbered(call.first_event), &part);
            let tool = redactor.text(&call.name).into_owned();
            items.call(&tool, CallEnding::of(call), state(CallPart::Ending));
            if let Args::Json(args) = call.args() {
                for value in masked(seen(args), redactor) {
                    let argument = value
                        .0
                        .split(['.', '['])
                        .next()
                        .unwrap_or_default()
                        .to_owned();
                    items.value(&tool, value, state(CallPart::Argument(argument)));
                }
            }
            if let Some(before) = &before {
                items.transition(before, &tool, state(CallPart::Order));
            }
            before = Some(tool);
        }
        take_interrupts(trace, noticed, redactor, &mut items);
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

/// Takes the interrupts, and the answers of the turns after them. An answer is asserted if it is noticed that its interrupt
/// does not come.
fn take_interrupts(
    trace: &Trace,
    noticed: &NoticedChanges,
    redactor: &Redactor,
    items: &mut CoveredItems,
) {
    let named = |interrupt: &Interrupt| {
        let name = trace
            .tool_of(interrupt)
            .or(interrupt.reason.as_deref())
            .unwrap_or("interrupt");
        redactor.text(name).into_owned()
    };
    let mut open: BTreeMap<&str, (String, CoverageState)> = BTreeMap::new();
    for (number, turn) in trace.turns.iter().enumerate() {
        for answer in &turn.input.answered {
            let Some((name, state)) = open.remove(answer.id.as_str()) else {
                continue;
            };
            let Some(states) = items.interrupt(&name) else {
                continue;
            };
            match answer.status {
                InterruptStatus::Resolved => states.resolved.raise(state),
                InterruptStatus::Cancelled => states.cancelled.raise(state),
            }
        }
        for exchange in trace
            .exchanges
            .get(turn.exchanges.clone())
            .unwrap_or_default()
        {
            if let Some(RunEnd::Interrupted(interrupts)) = &exchange.run_end {
                for interrupt in interrupts {
                    let name = named(interrupt);
                    items.interrupt(&name);
                    open.insert(&interrupt.id, (name, noticed.of_interrupt(number)));
                }
            }
        }
    }
}

fn masked(
    values: BTreeSet<(ArgumentPath, WrittenValue)>,
    redactor: &Redactor,
) -> BTreeSet<(ArgumentPath, WrittenValue)> {
    let text = |text: String| redactor.text(&text).into_owned();
    values
        .into_iter()
        .map(|(path, value)| (text(path), text(value)))
        .collect()
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

    /// It is noticed if the interrupts of the turn, counted from 0, do not come.
    pub fn interrupt(&mut self, turn: usize) {
        self.interrupts.insert(turn);
    }

    /// The extent to which the test covers this part of a call that happens in it.
    pub(super) fn of_call(&self, first_event: EventNumber, part: &CallPart) -> CoverageState {
        let is_noticed = self
            .calls
            .get(&first_event)
            .is_some_and(|parts| parts.contains(part));
        if is_noticed {
            CoverageState::Asserted
        } else {
            CoverageState::Exercised
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
