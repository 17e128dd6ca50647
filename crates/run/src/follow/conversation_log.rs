//! The log of one conversation, complete: a test is made from it afterwards.
//!
//! Flows in: every turn as it is sent, and every change with its moment. Flows out: the same, in the order of the
//! conversation. It is not bounded as an outcome is, and belongs to one attempt at one test.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::context::{ConversationBeginning, ConversationEnd, Follower, Tap};
use ananke_agents::Wire;
use ananke_base::context::{At, lock};
use ananke_base::message::{HistoryMessage, Lane, RequestAdditions, ToolAnswer, TurnInput};
use ananke_conversation::{
    ConditionalTurn, ConversationSoFar, InputSource, NextTurn, Observer, TurnReview,
};
use ananke_trace::outcome::{Halt, InputOrigin, TurnOutcome};
use ananke_trace::trace::{Change, RunEnd, Trace};

/// Collects one conversation. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ConversationLog(Arc<Mutex<LoggedConversation>>);

/// A conversation with an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedConversation {
    /// The variables that the test and its row gave, filled.
    pub variables: Map<String, Value>,
    /// The messages before the first turn.
    pub history: Vec<HistoryMessage>,
    /// The turns that were sent.
    pub turns: Vec<LoggedTurn>,
}

/// One turn of a logged conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedTurn {
    /// The input that was sent.
    pub input: TurnInput,
    /// The parts of its request that its target does not describe.
    pub request: RequestAdditions,
    /// The origin of the input.
    pub origin: InputOrigin,
    /// The changes by the agent, in their order.
    pub changes: Vec<LoggedChange>,
    /// The answers of the client to calls of its own tools, each with the number of changes before it.
    pub answers: Vec<(usize, ToolAnswer)>,
}

/// Something that an agent did.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedChange {
    /// The time after its request, or after the change before it, in microseconds.
    pub after_us: u64,
    /// The change.
    pub change: Change<'static>,
}

impl LoggedConversation {
    /// The number of events, as a measure of the size of the conversation. Every conversation has runs that begin and end, so
    /// these do not count, nor do notes about other events.
    pub fn events(&self) -> usize {
        let mut events = 0;
        for turn in &self.turns {
            for logged in &turn.changes {
                match logged.change {
                    // A stamp, which is the time of an event, a violation, unread data and a warning are notes about the event
                    // with which they came. A run that ends otherwise than `Finished` is no usual end, so it counts.
                    Change::Stamped(_)
                    | Change::RunStarted { .. }
                    | Change::RunEnded(RunEnd::Finished)
                    | Change::Violation { .. }
                    | Change::Unread(_)
                    | Change::Warning(_) => {}
                    _ => events += 1,
                }
            }
        }
        events
    }
}

impl ConversationLog {
    /// The conversation so far.
    pub fn take(&self) -> LoggedConversation {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, LoggedConversation> {
        lock(&self.0)
    }
}

impl Tap for ConversationLog {
    fn follow(&self, beginning: &ConversationBeginning<'_>) -> Option<Box<dyn Follower>> {
        *self.lock() = LoggedConversation {
            variables: (beginning.variables)(),
            history: beginning.start.history.clone(),
            turns: Vec::new(),
        };
        Some(Box::new(self.clone()))
    }
}

impl Follower for ConversationLog {
    fn inputs<'a>(&self, inputs: Box<dyn InputSource + 'a>) -> Box<dyn InputSource + 'a> {
        let log = self.clone();
        Box::new(LoggedInputs { inputs, log })
    }

    fn observer(&self) -> Option<Box<dyn Observer>> {
        Some(Box::new(ChangeObserver {
            log: self.clone(),
            last: At::default(),
        }))
    }

    fn ended(&self, end: &ConversationEnd<'_>) {
        // Secrets are known only now, and the test that is made of this must name them instead of containing them.
        for turn in &mut self.lock().turns {
            turn.input.map_texts(&end.marked);
            turn.request.map_texts(&end.marked);
        }
    }
}

/// Adds what an agent does to the last turn.
struct ChangeObserver {
    log: ConversationLog,
    /// The moment of the last change, or of the request.
    last: At,
}

impl Observer for ChangeObserver {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        if let Wire::Sent { .. } = wire {
            self.last = at;
        }
    }

    fn change(&mut self, _: &Lane, at: At, change: &Change<'_>) {
        let after_us = at.0.saturating_sub(self.last.0);
        self.last = self.last.max(at);
        if let Some(turn) = self.log.lock().turns.last_mut() {
            turn.changes.push(LoggedChange {
                after_us,
                change: change.clone().into_owned(),
            });
        }
    }

    fn answered(&mut self, answer: &ToolAnswer) {
        if let Some(turn) = self.log.lock().turns.last_mut() {
            turn.answers.push((turn.changes.len(), answer.clone()));
        }
    }
}

/// The turns of a conversation, each of which is logged.
struct LoggedInputs<'a> {
    inputs: Box<dyn InputSource + 'a>,
    log: ConversationLog,
}

impl InputSource for LoggedInputs<'_> {
    /// The next turn of the wrapped inputs. Its log begins here, before it is sent, and gets the changes and answers of the turn.
    fn next<'a>(
        &'a mut self,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            let next = self.inputs.next(so_far).await?;
            if let Some(turn) = &next {
                self.log.lock().turns.push(LoggedTurn {
                    input: turn.request.input.clone(),
                    request: turn.request.context.request.clone(),
                    origin: turn.origin,
                    changes: Vec::new(),
                    answers: Vec::new(),
                });
            }
            Ok(next)
        })
    }

    fn conditional(&mut self) -> Result<Option<ConditionalTurn>, Halt> {
        self.inputs.conditional()
    }

    fn pass_over(&mut self) {
        self.inputs.pass_over();
    }

    fn review(&mut self, trace: &Trace, turn: &TurnOutcome) -> TurnReview {
        self.inputs.review(trace, turn)
    }

    fn must_send(&self) -> bool {
        self.inputs.must_send()
    }

    fn remaining(&self) -> Option<usize> {
        self.inputs.remaining()
    }
}
