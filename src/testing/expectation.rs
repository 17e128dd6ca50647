//! The expectations of a test about the events of a run. One that fails panics with the list of events.

use std::ops::Range;
use std::panic::Location;

use serde_json::Value;

use super::{
    JudgeVerdict, TestJudge, TestingError, run_events::RunEvents, test_judge::EMPTY_INTENT,
};
use ananke_trace::trace::{AgentEvent, EventRole, is_same_json};

/// The expectation of the events of a run, from the first one that was not looked at.
#[derive(Clone, Copy, Debug)]
pub struct RunExpectation<'a> {
    pub(super) run: &'a RunEvents,
}

/// The expectation of one event.
#[derive(Clone, Copy, Debug)]
pub struct EventExpectation<'a> {
    run: &'a RunEvents,
    index: usize,
}

/// The expectation of some of the events of a run.
#[derive(Clone, Debug)]
pub struct RangeExpectation<'a> {
    run: &'a RunEvents,
    range: Range<usize>,
}

impl<'a> RunExpectation<'a> {
    /// The next event.
    ///
    /// # Panics
    /// If none is left.
    #[track_caller]
    pub fn next_event(&self) -> EventExpectation<'a> {
        self.next("another event", |_| true)
    }

    /// The next message; other events are passed.
    ///
    /// # Panics
    /// If none is left.
    #[track_caller]
    pub fn next_message(&self) -> EventExpectation<'a> {
        self.next("another message", |event| {
            matches!(event, AgentEvent::Message { .. })
        })
    }

    /// The next function call; other events are passed.
    ///
    /// # Panics
    /// If none is left.
    #[track_caller]
    pub fn next_function_call(&self) -> EventExpectation<'a> {
        self.next("another function call", |event| {
            matches!(event, AgentEvent::FunctionCall { .. })
        })
    }

    /// The next output of a function call; other events are passed.
    ///
    /// # Panics
    /// If none is left.
    #[track_caller]
    pub fn next_function_call_output(&self) -> EventExpectation<'a> {
        let is_output = |event: &AgentEvent| matches!(event, AgentEvent::FunctionCallOutput { .. });
        self.next("another function call output", is_output)
    }

    #[track_caller]
    fn next(self, what: &str, is_it: impl Fn(&AgentEvent) -> bool) -> EventExpectation<'a> {
        let Self { run } = self;
        let begin = run.cursor.index();
        let found = run
            .events
            .iter()
            .enumerate()
            .skip(begin)
            .find(|(_, event)| is_it(event));
        let Some((index, _)) = found else {
            run.fail(&format!("expected {what}, but none left"), None)
        };
        run.cursor.pass(index + 1);
        EventExpectation { run, index }
    }

    /// Passes the next `count` events.
    ///
    /// # Panics
    /// If fewer are left.
    #[track_caller]
    pub fn skip_next(&self, count: usize) -> &Self {
        let Self { run } = *self;
        let left = run.events.len() - run.cursor.index();
        if count > left {
            run.fail(
                &format!("expected {count} more events to skip, but {left} left"),
                None,
            );
        }
        run.cursor.pass(run.cursor.index() + count);
        self
    }

    /// All events were looked at.
    ///
    /// # Panics
    /// If one is left.
    #[track_caller]
    pub fn no_more_events(&self) {
        let Self { run } = *self;
        let index = run.cursor.index();
        if let Some(event) = run.events.get(index) {
            let message = format!("expected no more events, but found {}", event.short());
            run.fail(&message, Some(index))
        }
    }

    /// The event at `index`, from the first; a negative index counts from the last, which is -1. The cursor stays.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn at(&self, index: isize) -> EventExpectation<'a> {
        let Self { run } = *self;
        let count = run.events.len();
        let found = if index < 0 {
            count.checked_sub(index.unsigned_abs())
        } else {
            Some(index.unsigned_abs())
        };
        let Some(index) = found.filter(|found| *found < count) else {
            run.fail(
                &format!("there is no event at index {index}: the run has {count}"),
                None,
            )
        };
        EventExpectation { run, index }
    }

    /// The events of a range of indices. The cursor stays.
    ///
    /// # Panics
    /// If the range goes beyond the last event.
    #[track_caller]
    pub fn range(&self, range: Range<usize>) -> RangeExpectation<'a> {
        let Self { run } = *self;
        let count = run.events.len();
        let Range { start, end } = range;
        if start > end || end > count {
            run.fail(
                &format!("there are no events at {start}..{end}: the run has {count}"),
                None,
            );
        }
        RangeExpectation { run, range }
    }

    fn all(self) -> RangeExpectation<'a> {
        RangeExpectation {
            run: self.run,
            range: 0..self.run.events.len(),
        }
    }

    /// A message of `role` is among the events. The cursor stays.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn contains_message(&self, role: EventRole) -> EventExpectation<'a> {
        self.all().contains_message(role)
    }

    /// A call to `name` with at least these arguments is among the events. The cursor stays.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn contains_function_call(
        &self,
        name: &str,
        arguments: impl Into<Option<Value>>,
    ) -> EventExpectation<'a> {
        self.all().contains_function_call(name, arguments)
    }

    /// This output of a function call is among the events. The cursor stays.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn contains_function_call_output(
        &self,
        output: impl Into<Option<Value>>,
        is_error: impl Into<Option<bool>>,
    ) -> EventExpectation<'a> {
        self.all().contains_function_call_output(output, is_error)
    }
}

impl<'a> RangeExpectation<'a> {
    /// A message of `role` is in the range.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn contains_message(&self, role: EventRole) -> EventExpectation<'a> {
        self.find(&format!("a message of the {}", role.as_str()), |event| {
            is_message(event, role)
        })
    }

    /// A call to `name` with at least these arguments is in the range.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn contains_function_call(
        &self,
        name: &str,
        arguments: impl Into<Option<Value>>,
    ) -> EventExpectation<'a> {
        let arguments = arguments.into();
        let shown = arguments.as_ref().map(Value::to_string).unwrap_or_default();
        self.find(&format!("a call to {name}({shown})"), |event| {
            call_mismatch(event, name, arguments.as_ref()).is_none()
        })
    }

    /// This output of a function call is in the range.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn contains_function_call_output(
        &self,
        output: impl Into<Option<Value>>,
        is_error: impl Into<Option<bool>>,
    ) -> EventExpectation<'a> {
        let (output, is_error) = (output.into(), is_error.into());
        let shown = output
            .as_ref()
            .map(|output| format!(" {output}"))
            .unwrap_or_default();
        self.find(&format!("a function call output{shown}"), |event| {
            output_mismatch(event, output.as_ref(), is_error).is_none()
        })
    }

    #[track_caller]
    fn find(&self, what: &str, is_it: impl Fn(&AgentEvent) -> bool) -> EventExpectation<'a> {
        let Self { run, range } = self;
        let Some(index) = range.clone().find(|index| is_it(&run.events[*index])) else {
            let count = range.len();
            run.fail(
                &format!("expected {what} in {count} events, found none"),
                None,
            )
        };
        EventExpectation { run, index }
    }
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "an assertion is complete without what comes after it"
)]
impl<'a> EventExpectation<'a> {
    /// The event.
    pub fn event(&self) -> &'a AgentEvent {
        &self.run.events[self.index]
    }

    /// It is a message of `role`.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn is_message(&self, role: EventRole) -> Self {
        let found = self.event();
        self.check(is_message(found, role).then_some(()).ok_or_else(|| {
            format!(
                "expected a message of the {}, found {}",
                role.as_str(),
                found.short()
            )
        }))
    }

    /// It is a call to `name`, with at least these arguments. An argument that is missing is not `null`.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn is_function_call(&self, name: &str, arguments: impl Into<Option<Value>>) -> Self {
        let arguments = arguments.into();
        self.check(call_mismatch(self.event(), name, arguments.as_ref()).map_or(Ok(()), Err))
    }

    /// It is the output of a function call: this one, if it is given, and an error or not, if that is given.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn is_function_call_output(
        &self,
        output: impl Into<Option<Value>>,
        is_error: impl Into<Option<bool>>,
    ) -> Self {
        let (output, is_error) = (output.into(), is_error.into());
        self.check(output_mismatch(self.event(), output.as_ref(), is_error).map_or(Ok(()), Err))
    }

    /// `judge` decides whether the message does what `intent` says.
    ///
    /// # Errors
    /// If it is no message, the intent is empty, the judge is the agent itself, cannot be asked, or gives no verdict that can
    /// be read.
    ///
    /// # Panics
    /// If the judge rejects the message: when the future that is returned is awaited.
    #[track_caller]
    pub fn judge(
        self,
        judge: &TestJudge,
        intent: &str,
    ) -> impl Future<Output = Result<Self, TestingError>> {
        let (event, caller) = (self, Location::caller());
        async move {
            let AgentEvent::Message { content, .. } = event.event() else {
                let message = format!("a judge needs a message, this is {}", event.event().kind());
                return Err(TestingError::usage(message));
            };
            let run = event.run;
            if intent.trim().is_empty() {
                return Err(TestingError::usage(EMPTY_INTENT));
            }
            if run.project.has_agent(judge.target())? {
                return Err(TestingError::usage(
                    "the agent cannot judge itself: name another target",
                ));
            }
            let JudgeVerdict { is_passed, reason } =
                judge.decide(&run.input, content, intent).await?;
            if !is_passed {
                let rejected = event.mismatch(&format!("the judge rejects `{intent}`: {reason}"));
                panic!(
                    "{}",
                    run.failure(&rejected, Some(event.index), Some(caller))
                );
            }
            Ok(event)
        }
    }

    #[track_caller]
    fn check(&self, checked: Result<(), String>) -> Self {
        if let Err(message) = checked {
            self.run.fail(&self.mismatch(&message), Some(self.index));
        }
        *self
    }

    /// The mismatch, with the place of the event.
    fn mismatch(&self, message: &str) -> String {
        format!(
            "event {} of {}: {message}",
            self.index + 1,
            self.run.events.len()
        )
    }
}

fn is_message(event: &AgentEvent, expected: EventRole) -> bool {
    matches!(event, AgentEvent::Message { role, .. } if *role == expected)
}

fn call_mismatch(event: &AgentEvent, expected: &str, partial: Option<&Value>) -> Option<String> {
    let AgentEvent::FunctionCall {
        name, arguments, ..
    } = event
    else {
        return Some(format!(
            "expected a call to {expected}, found {}",
            event.short()
        ));
    };
    if name != expected {
        return Some(format!(
            "expected a call to {expected}, found a call to {name}"
        ));
    }
    let partial = partial?;
    let Some(expected_arguments) = partial.as_object() else {
        return (!is_same_json(partial, arguments))
            .then(|| format!("expected the arguments {partial}, found {arguments}"));
    };
    expected_arguments
        .iter()
        .find_map(|(key, value)| match arguments.get(key) {
            None => Some(format!(
                "expected the argument `{key}` of {name} to be {value}, it is missing"
            )),
            Some(found) if !is_same_json(found, value) => Some(format!(
                "expected the argument `{key}` of {name} to be {value}, found {found}"
            )),
            Some(_) => None,
        })
}

fn output_mismatch(
    event: &AgentEvent,
    expected: Option<&Value>,
    expected_error: Option<bool>,
) -> Option<String> {
    let AgentEvent::FunctionCallOutput {
        output, is_error, ..
    } = event
    else {
        return Some(format!(
            "expected a function call output, found {}",
            event.short()
        ));
    };
    if let Some(expected) = expected.filter(|expected| !is_same_json(expected, output)) {
        return Some(format!("expected the output {expected}, found {output}"));
    }
    let what = |is_error| if is_error { "an error" } else { "no error" };
    let expected = expected_error.filter(|expected| expected != is_error)?;
    Some(format!(
        "expected {}, found {}: {output}",
        what(expected),
        what(*is_error)
    ))
}
