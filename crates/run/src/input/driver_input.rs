//! The input from a program after the written turns, and the client-side tools that it executes.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::judges::TestOracle;
use super::mocks::Mocks;
use crate::attempt::Attempt;
use crate::context::{
    ConversationDriver, DriverRequest, RequestPace, Run, UnwrittenInput, UnwrittenRequest,
    UnwrittenTurn, turn_count,
};
use ananke_base::context::lock;
use ananke_base::message::ToolAnswer;
use ananke_conversation::{ConversationSoFar, Handling, Oracle as _, ToolHost};
use ananke_trace::outcome::{Halt, InputOrigin, TurnOutcome};
use ananke_trace::trace::{ToolCall, Trace};

/// The input from a program.
pub(crate) struct DriverInput<'a> {
    pub(crate) attempt: &'a Attempt<'a>,
    pub(crate) pace: &'a RequestPace,
    pub(crate) driver: Arc<dyn ConversationDriver>,
    /// Answers what rules of the program ask.
    pub(crate) oracle: &'a TestOracle<'a>,
}

impl UnwrittenInput for DriverInput<'_> {
    /// The turn `number` with the next input from the program; `None` once the program has no more.
    fn next<'a>(
        &'a mut self,
        number: usize,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>> {
        Box::pin(async move {
            self.attempt.environment.begin_turn(turn_count(number));
            // Rules of the program can ask for any number of decisions before it says something.
            loop {
                // The time that the program takes between two turns does not count for the timeouts of the test, so `hold` stops
                // them while it waits. Its future returns nothing, so the request is put into a variable.
                let mut request = None;
                let next = async { request = self.driver.next().await };
                self.pace.hold(next).await;
                match request {
                    Some(DriverRequest::Decide(question, answer)) => {
                        // A program that is gone needs no answer.
                        let _is_gone = answer.send(self.oracle.decide(&question).await);
                    }
                    Some(DriverRequest::Say(input)) => {
                        return Ok(Some(UnwrittenTurn {
                            sends: UnwrittenRequest::Adds(input),
                            origin: InputOrigin::Human,
                            time_left: None,
                        }));
                    }
                    None => return Ok(None),
                }
            }
        })
    }

    fn ended(&mut self, trace: &Trace, turn: &TurnOutcome) {
        self.driver.ended(trace, turn);
    }
}

/// The client-side tools of a test, of which a program may execute some.
pub(crate) struct HostedTools<'s> {
    driver: Option<Arc<dyn ConversationDriver>>,
    mocks: Mocks<'s>,
    /// Is cancelled when the run stops: a program that executes a tool is not waited for then.
    stop: CancellationToken,
}

impl<'s> HostedTools<'s> {
    /// The client-side tools of a test of `shared`, of which `mocks` has those that no program executes.
    pub(crate) fn new(shared: &Run, mocks: Mocks<'s>) -> Self {
        Self {
            driver: shared.conversations.driver().cloned(),
            mocks,
            stop: shared.stopper.token().clone(),
        }
    }
}

impl ToolHost for HostedTools<'_> {
    fn handling(&self, tool: &str) -> Handling {
        match &self.driver {
            Some(driver) if driver.executes(tool) => Handling::Answered,
            _ => self.mocks.handling(tool),
        }
    }

    fn answer<'a>(
        &'a mut self,
        call: &'a ToolCall,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<ToolAnswer, Halt>> {
        Box::pin(async move {
            let answers = self.answer_all(vec![call], trace).await?;
            answers.into_iter().next().ok_or(Halt::Stopped)
        })
    }

    /// Answers the calls of one round, in the order in which the answers come: the program executes its tools, and mocks answer
    /// the other calls.
    fn answer_all<'a>(
        &'a mut self,
        calls: Vec<&'a ToolCall>,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<Vec<ToolAnswer>, Halt>> {
        Box::pin(async move {
            let Self {
                driver,
                mocks,
                stop,
            } = self;
            // Each call goes to the program if that executes its tool, else to the mocks.
            let mut executed = Vec::new();
            let mut mocked = Vec::new();
            let answers = Mutex::new(Vec::with_capacity(calls.len()));
            for call in calls {
                match &*driver {
                    Some(driver) if driver.executes(&call.name) => executed.push((driver, call)),
                    _ => mocked.push(call),
                }
            }

            // The program executes all calls of a round at once. Program and mocks add to the same list, so it has a lock.
            let execute = async {
                let executing = executed.iter().map(|(driver, call)| driver.execute(call));
                let mut executing: FuturesUnordered<_> = executing.collect();
                while let Some(answer) = executing.next().await {
                    lock(&answers).push(answer);
                }
            };
            // Mocks answer one after the other, since the answers of a mock can be a sequence.
            let mock = async {
                for call in mocked {
                    let answer = mocks.answer(call, trace).await?;
                    lock(&answers).push(answer);
                }
                Ok::<_, Halt>(())
            };
            // A stop of the run does not wait for the program, which may take any time.
            let all = async { tokio::join!(execute, mock) };
            let ((), mocks_result) = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Halt::Stopped),
                answered = all => answered,
            };
            mocks_result?;
            // A poisoned lock changes nothing: its list has every answer that was added.
            Ok(answers.into_inner().unwrap_or_else(PoisonError::into_inner))
        })
    }
}
