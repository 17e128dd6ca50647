//! Follows a conversation for the live area: which call runs, and when the agent was heard last.
//!
//! Flows in: what a session reports. Flows out: [`RunEvent::Activity`]. **Invariant:** after the first [`MANY`] events of an
//! attempt there is at most one in [`BETWEEN`], however much the agent sends.

use std::time::Duration;

use super::case::Case;
use ananke_base::context::At;
use ananke_base::message::{Lane, ToolAnswer};
use ananke_base::text::truncate;
use ananke_conversation::Observer;
use ananke_trace::outcome::RunEvent;
use ananke_trace::trace::Change;

/// The least time between two events that say only that the agent was heard.
const BETWEEN: Duration = Duration::from_millis(500);

/// The number of events that report at once the beginning or the end of calls.
const MANY: usize = 1000;

/// The number of running calls that are known by their names.
const MOST_OPEN: usize = 64;

/// The most bytes of a name.
const LONGEST_NAME: usize = 200;

/// Follows the conversation of one attempt with its agent.
pub(crate) struct ActivityLog<'a> {
    case: &'a Case,
    /// The calls that run, each with its id and its name.
    open_calls: Vec<(String, String)>,
    /// The moment at which the last event was sent.
    last: At,
    /// The number of events that were sent.
    sent: usize,
}

impl<'a> ActivityLog<'a> {
    pub(crate) fn new(case: &'a Case) -> Self {
        Self {
            case,
            open_calls: Vec::new(),
            last: At::default(),
            sent: 0,
        }
    }

    /// Reports the call that began last and runs, unless there were many events and one just now.
    fn report_call(&mut self) {
        if self.sent >= MANY {
            self.report_heard();
        } else {
            self.send();
        }
    }

    /// Reports that the agent was heard, unless there was an event just now.
    fn report_heard(&mut self) {
        if self.case.shared.context.clock.now().since(self.last) >= BETWEEN {
            self.send();
        }
    }

    fn send(&mut self) {
        self.last = self.case.shared.context.clock.now();
        self.sent += 1;
        self.case.tell(RunEvent::Activity {
            id: self.case.entry.id().into_owned(),
            call: self.open_calls.last().map(|(_, name)| name.clone()),
        });
    }

    fn close_call(&mut self, id: &str) {
        let before = self.open_calls.len();
        self.open_calls.retain(|(open, _)| open != id);
        if self.open_calls.len() < before {
            self.report_call();
        }
    }
}

impl Observer for ActivityLog<'_> {
    /// Reports the call that runs if `change` begins or ends one, and else only that the agent was heard.
    fn change(&mut self, _: &Lane, _: At, change: &Change<'_>) {
        match change {
            // An agent can open any number of calls, so only the first `MOST_OPEN` of those that run at once are listed.
            Change::CallOpened { id, name, .. } if self.open_calls.len() < MOST_OPEN => {
                let name = truncate::bytes(name, LONGEST_NAME).into_owned();
                self.open_calls.push((id.clone().into_owned(), name));
                self.report_call();
            }
            Change::CallAnswered { id, .. }
            | Change::CallExecuted { id, .. }
            | Change::CallFailed { id, .. } => self.close_call(id),
            // The end of a run ends its calls, also those without a result.
            Change::RunEnded(_) => {
                self.open_calls.clear();
                self.report_call();
            }
            // Any other change, and a call that is not listed, shows only that the agent was heard.
            _ => self.report_heard(),
        }
    }

    fn answered(&mut self, answer: &ToolAnswer) {
        self.close_call(&answer.call);
    }
}
