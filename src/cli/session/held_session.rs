//! A session that a client holds.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ananke::run::{Reason, Stopper};
use ananke::testing::{
    AgentEvent, AgentRun, AnswerTo, Interrupt, MockedTools, PendingAnswer, SessionSetup,
    SessionTool, TestSession, TestingError,
};
use serde_json::{Value, json};
use tokio::sync::Mutex as AsyncMutex;

use super::callbacks::Callbacks;
use super::session_error::{SessionError, SessionErrorCode};
use super::session_messages::{CallerTool, ResumeAnswer, SessionInterrupt};

/// A session that a client holds. What changes its conversation waits for what was asked before.
pub(super) struct HeldSession {
    /// The setup with which judges and rules of events in place are asked.
    pub(super) setup: SessionSetup,
    pub(super) callbacks: Callbacks,
    stopper: Stopper,
    conversation: AsyncMutex<OpenConversation>,
    /// The mocks that were not ended, by name.
    mocks: Mutex<HashMap<String, MockedTools>>,
}

/// The conversation of a session.
struct OpenConversation {
    /// The session; `None` once it is over.
    session: Option<TestSession>,
    /// Everything that was said and done in a session that is over.
    history: Vec<AgentEvent>,
    /// The name of the last run.
    last_run: Option<String>,
    state: Value,
}

impl OpenConversation {
    /// Ends it, and gives its session if it was not over.
    fn end(&mut self) -> Option<TestSession> {
        let session = self.session.take()?;
        self.history = session.history().to_vec();
        Some(session)
    }
}

/// The input of the agent in a turn.
pub(super) enum HeldInput {
    /// The user says something.
    Text(String),
    /// The answers that the agent waits for.
    Answers(Vec<PendingAnswer>),
}

impl HeldSession {
    /// A session with these tools.
    ///
    /// # Errors
    /// If something is wrong with the target or a tool.
    pub(super) fn open(
        setup: SessionSetup,
        callbacks: Callbacks,
        tools: Vec<CallerTool>,
    ) -> Result<Self, SessionError> {
        let mut session = TestSession::with_setup(setup.clone())?;
        for CallerTool {
            name,
            description,
            parameters,
        } in tools
        {
            let function = callbacks.tool(&name, None);
            let parameters = parameters.map_or_else(
                || json!({ "type": "object", "properties": {} }),
                Value::Object,
            );
            let declaration = SessionTool {
                name,
                description,
                parameters,
            };
            session.add_tool(declaration, function)?;
        }
        Ok(Self {
            setup,
            callbacks,
            stopper: session.stopper(),
            conversation: AsyncMutex::new(OpenConversation {
                session: Some(session),
                history: Vec::new(),
                last_run: None,
                state: Value::Null,
            }),
            mocks: Mutex::default(),
        })
    }

    /// Makes a turn; `keep` names the run while no other one can begin.
    ///
    /// # Errors
    /// If the turn does not end as it should, or is cancelled, or the session is over.
    pub(super) async fn turn(
        &self,
        input: HeldInput,
        keep: impl FnOnce(&AgentRun) -> String,
    ) -> Result<(String, AgentRun), SessionError> {
        let mut conversation = self.conversation.lock().await;
        let session = self.going(&mut conversation)?;
        let run = match input {
            HeldInput::Text(text) => session.run(text).await,
            HeldInput::Answers(answers) => session.resume(answers).await,
        };
        match run {
            // A turn that was aborted has no problem of its own.
            Ok(_) if self.stopper.reason().is_some() => Err(SessionError::new(
                SessionErrorCode::Cancelled,
                "the run was cancelled",
            )),
            Ok(run) => {
                let name = keep(&run);
                conversation.last_run = Some(name.clone());
                conversation.state.clone_from(run.state());
                Ok((name, run))
            }
            Err(error) => {
                if matches!(error, TestingError::Agent(_)) {
                    // Its run has ended already.
                    drop(conversation.end());
                }
                Err(self.failed(error))
            }
        }
    }

    /// Sends the calls to these tools to the client as those of the mock `name`.
    ///
    /// # Errors
    /// If there is no such tool, or the session is over.
    pub(super) async fn mock(&self, name: &str, tools: Vec<String>) -> Result<(), SessionError> {
        let mut conversation = self.conversation.lock().await;
        let session = self.going(&mut conversation)?;
        let closure = |tool: String| {
            let function = self.callbacks.tool(&tool, Some(name));
            (tool, function)
        };
        let mocked = session.replace_tools(tools.into_iter().map(closure).collect());
        let mocked = mocked.await.map_err(|error| self.failed(error))?;
        self.mocks().insert(name.to_owned(), mocked);
        Ok(())
    }

    /// Ends a mock.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(super) fn unmock(&self, name: &str) -> Result<(), SessionError> {
        match self.mocks().remove(name) {
            Some(_) => Ok(()),
            None => Err(SessionError::params(format!(
                "`mock`: there is no mock `{name}` in this session, or it has ended"
            ))),
        }
    }

    /// Everything that was said and done so far.
    pub(super) async fn history(&self) -> Vec<AgentEvent> {
        let conversation = self.conversation.lock().await;
        let going = conversation.session.as_ref().map(TestSession::history);
        going.unwrap_or(&conversation.history).to_vec()
    }

    /// The agent's state after the last run.
    pub(super) async fn state(&self) -> Value {
        self.conversation.lock().await.state.clone()
    }

    /// The name of the last run, after the runs that wait.
    pub(super) async fn last_run(&self) -> Option<String> {
        self.conversation.lock().await.last_run.clone()
    }

    /// Aborts what it does; it is over then.
    pub(super) fn cancel(&self) {
        self.stopper.stop(Reason::Interrupted);
    }

    /// Ends it, after what waits, and gives the warnings of its recording.
    ///
    /// # Errors
    /// If it cannot be ended in order.
    pub(super) async fn close(&self) -> Result<Vec<String>, SessionError> {
        let session = self.conversation.lock().await.end();
        self.mocks().clear();
        match session {
            Some(session) if self.stopper.reason().is_none() => {
                Ok(session.close_with_warnings().await?)
            }
            Some(session) => {
                // It was aborted: that it did not end in order is no news.
                let _aborted = session.close().await;
                Ok(Vec::new())
            }
            None => Ok(Vec::new()),
        }
    }

    /// The session, if it is not over.
    fn going<'c>(
        &self,
        conversation: &'c mut OpenConversation,
    ) -> Result<&'c mut TestSession, SessionError> {
        if self.stopper.reason().is_some() {
            return Err(SessionError::new(
                SessionErrorCode::Cancelled,
                "the session was cancelled",
            ));
        }
        let message =
            "the session is over, since a turn did not end as it should; open another one";
        let is_over = || SessionError::new(SessionErrorCode::Over, message);
        conversation.session.as_mut().ok_or_else(is_over)
    }

    /// The error that the session could not do something.
    fn failed(&self, error: TestingError) -> SessionError {
        if self.stopper.reason().is_some() {
            return SessionError::new(SessionErrorCode::Cancelled, "the run was cancelled");
        }
        error.into()
    }

    fn mocks(&self) -> MutexGuard<'_, HashMap<String, MockedTools>> {
        self.mocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answers as the session takes them.
///
/// # Errors
/// If one names both an id and a tool, or has both a payload and is cancelled.
pub(super) fn pending_answers(
    answers: Vec<ResumeAnswer>,
) -> Result<Vec<PendingAnswer>, SessionError> {
    let answer = |answer: ResumeAnswer| {
        let to = match (answer.id, answer.tool) {
            (None, None) => AnswerTo::TheOnlyOne,
            (Some(id), None) => AnswerTo::Id(id),
            (None, Some(tool)) => AnswerTo::Tool(tool),
            (Some(_), Some(_)) => {
                let message = "`answers`: an answer names an `id` or a `tool`, not both";
                return Err(SessionError::params(message));
            }
        };
        if answer.cancelled && answer.payload.is_some() {
            let message = "`answers`: an answer that is `cancelled` has no `payload`";
            return Err(SessionError::params(message));
        }
        Ok(PendingAnswer {
            to,
            is_resolved: !answer.cancelled,
            payload: answer.payload,
        })
    };
    answers.into_iter().map(answer).collect()
}

/// The interrupts that the agent waits for, in the form of the protocol.
pub(super) fn open_interrupts(interrupts: &[Interrupt]) -> Vec<SessionInterrupt> {
    let open = |interrupt: &Interrupt| SessionInterrupt {
        id: interrupt.id.clone(),
        reason: interrupt.reason.clone(),
        message: interrupt.message.clone(),
        tool_call_id: interrupt.call.clone(),
    };
    interrupts.iter().map(open).collect()
}
