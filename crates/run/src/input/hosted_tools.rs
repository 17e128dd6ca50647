//! The client-side tools of a conversation: mocks, servers and a program execute them.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::mocks::Mocks;
use super::tool_servers::ToolServers;
use crate::attempt::Attempt;
use crate::context::ConversationDriver;
use ananke_base::context::lock;
use ananke_base::message::ToolAnswer;
use ananke_conversation::{Handling, ToolHost};
use ananke_trace::outcome::Halt;
use ananke_trace::trace::{ToolCall, Trace};

/// The client-side tools of a test, of which a program may execute some, and servers others.
pub(crate) struct HostedTools<'s> {
    driver: Option<Arc<dyn ConversationDriver>>,
    servers: ToolServers,
    mocks: Mocks<'s>,
    attempt: &'s Attempt<'s>,
    /// Is cancelled when the run stops: a program that executes a tool is not waited for then.
    stop: CancellationToken,
}

impl<'s> HostedTools<'s> {
    /// The client-side tools of a conversation: `mocks` has those that neither the `driver` nor one of the `servers` executes.
    pub(crate) fn new(
        driver: Option<Arc<dyn ConversationDriver>>,
        servers: ToolServers,
        mocks: Mocks<'s>,
        attempt: &'s Attempt<'s>,
    ) -> Self {
        Self {
            driver,
            servers,
            mocks,
            attempt,
            stop: attempt.case.shared.stopper.token().clone(),
        }
    }

    /// The servers that execute some of the tools.
    pub(crate) fn servers(&mut self) -> &mut ToolServers {
        &mut self.servers
    }
}

impl ToolHost for HostedTools<'_> {
    fn handling(&self, tool: &str) -> Handling {
        match &self.driver {
            Some(driver) if driver.executes(tool) => Handling::Answered,
            _ if self.servers.executes(tool) => Handling::Answered,
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

    /// Answers the calls of one round, in the order in which the answers come: the program and the servers execute their tools, and
    /// mocks answer the other calls.
    fn answer_all<'a>(
        &'a mut self,
        calls: Vec<&'a ToolCall>,
        trace: &'a Trace,
    ) -> BoxFuture<'a, Result<Vec<ToolAnswer>, Halt>> {
        Box::pin(async move {
            let Self {
                driver,
                servers,
                mocks,
                attempt,
                stop,
            } = self;
            // Each call goes to the program if that executes its tool, else to a server or to the mocks.
            let mut executed = Vec::new();
            let mut others = Vec::new();
            let answers = Mutex::new(Vec::with_capacity(calls.len()));
            for call in calls {
                match &*driver {
                    Some(driver) if driver.executes(&call.name) => executed.push((driver, call)),
                    _ => others.push(call),
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
            // Servers and mocks answer one call after the other: a server has one session, and the answers of a mock can be a sequence.
            let answer_others = async {
                for call in others {
                    let answer = if servers.executes(&call.name) {
                        servers.answer(call, attempt).await?
                    } else {
                        mocks.answer(call, trace).await?
                    };
                    lock(&answers).push(answer);
                }
                Ok::<_, Halt>(())
            };
            // A stop of the run does not wait for the program, which may take any time.
            let all = async { tokio::join!(execute, answer_others) };
            let ((), others_answered) = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(Halt::Stopped),
                answered = all => answered,
            };
            others_answered?;
            // A poisoned lock changes nothing: its list has every answer that was added.
            Ok(answers.into_inner().unwrap_or_else(PoisonError::into_inner))
        })
    }
}
