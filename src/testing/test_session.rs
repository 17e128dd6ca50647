//! A conversation that a Rust test holds with an agent.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::agent_run::AgentRun;
use super::agent_target::AgentTarget;
use super::run_events::{Cursor, RunEvents};
use super::session_line::{SessionLine, TurnReport};
use super::session_project::SessionProject;
use super::session_tools::{MockedTools, SessionTools, ToolClosure};
use super::tape::Tape;
use super::testing_error::TestingError;
use crate::message::{ContentPart, TurnInput, UserContent};
use crate::outcome::Outcome;
use crate::redact::Redactor;
use crate::run::{Options, Run, event_channel, run_one};
use crate::target::http::HttpTransport;
use crate::trace::{AgentEvent, EventRole};
use crate::variables::literal;

/// A conversation with an agent. It begins with the first run, or with [`Self::start`], and ends with [`Self::close`] or when
/// it is dropped.
pub struct TestSession {
    project: Arc<SessionProject>,
    /// What the session talks to, if it is not a target of a config.
    target: Option<AgentTarget>,
    declared: Vec<Value>,
    tools: SessionTools,
    tape: Tape,
    history: Vec<AgentEvent>,
    running: Option<RunningSession>,
    has_ended: bool,
}

/// A session that has begun.
struct RunningSession {
    inputs: UnboundedSender<TurnInput>,
    reports: UnboundedReceiver<TurnReport>,
    /// Gives the outcome once the conversation is over.
    run: JoinHandle<Option<Outcome>>,
}

/// A client-side tool, as the agent's model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl TestSession {
    /// A session with `target`.
    ///
    /// # Errors
    /// If something is wrong with the target.
    pub fn connect(target: AgentTarget) -> Result<Self, TestingError> {
        Self::of(SessionProject::of_target(&target), Some(target))
    }

    /// A session with the target `name` of the config at `path`, with the instructions, the headers and the client-side
    /// tools that it has there. Variables of the environment are those of this process.
    ///
    /// # Errors
    /// If something is wrong with the config, or it has no such target.
    pub fn from_config(path: impl AsRef<Path>, name: &str) -> Result<Self, TestingError> {
        Self::of(SessionProject::of_config(path.as_ref(), name), None)
    }

    fn of(project: SessionProject, target: Option<AgentTarget>) -> Result<Self, TestingError> {
        let session = Self {
            project: Arc::new(project),
            target,
            declared: Vec::new(),
            tools: SessionTools::default(),
            tape: Tape::default(),
            history: Vec::new(),
            running: None,
            has_ended: false,
        };
        session.project.plan(session.keys())?;
        Ok(session)
    }

    /// The keys of the test that the session is for the runner.
    fn keys(&self) -> Map<String, Value> {
        let mut keys = Map::from_iter([("interactive".to_owned(), json!({ "enabled": false }))]);
        if !self.declared.is_empty() {
            keys.insert("client_tools".to_owned(), Value::Array(self.declared.clone()));
        }
        keys
    }

    /// Adds a client-side tool that `function` executes: it gives the result, or in words why the call failed. Agents whose
    /// tools the client executes can call it: `openai` targets, and those of AG-UI.
    ///
    /// # Errors
    /// If the session has begun, the name is taken, or the agent takes no client-side tools.
    pub fn tool<F, R>(&mut self, declaration: SessionTool, function: F) -> Result<(), TestingError>
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        let SessionTool { name, description, parameters } = declaration;
        if self.running.is_some() || self.has_ended {
            return Err(TestingError::usage(format!(
                "the tool `{name}` comes too late: the session has begun"
            )));
        }
        if self.declared.iter().any(|tool| tool["name"] == name.as_str()) {
            return Err(TestingError::usage(format!("there are two tools with the name `{name}`")));
        }
        let description = literal(&description);
        self.declared.push(json!({ "name": name, "description": description, "parameters": parameters }));
        self.project.plan(self.keys()).inspect_err(|_| _ = self.declared.pop())?;
        let function: ToolClosure = Arc::new(move |arguments| Box::pin(function(arguments)));
        self.tools.add(&name, function);
        Ok(())
    }

    /// Replaces client-side tools by name, until what is returned is dropped. The agent still sees their declarations.
    ///
    /// # Errors
    /// If there is no such tool, or the session cannot begin.
    pub async fn mock_tools<N, F>(
        &mut self,
        mocks: impl IntoIterator<Item = (N, F)>,
    ) -> Result<MockedTools, TestingError>
    where
        N: Into<String>,
        F: Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
    {
        self.start().await?;
        let mocks = mocks.into_iter().map(|(name, function)| {
            let function: ToolClosure = Arc::new(move |arguments| {
                let answer = function(arguments);
                Box::pin(std::future::ready(answer))
            });
            (name.into(), function)
        });
        self.tools.mock(mocks.collect())
    }

    /// Begins the conversation, unless it has begun.
    ///
    /// # Errors
    /// If it cannot begin, or has ended.
    pub async fn start(&mut self) -> Result<(), TestingError> {
        if self.has_ended {
            return Err(TestingError::usage("the session has ended"));
        }
        if self.running.is_some() {
            return Ok(());
        }
        let (plan, context) = self.project.plan(self.keys())?;
        let (inputs, said) = unbounded_channel();
        let (reported, reports) = unbounded_channel();
        let (begins, mut begun) = unbounded_channel();
        let line = SessionLine::new(said, reported, begins, self.tools.clone(), self.tape.clone());
        let (events, received) = event_channel(1);
        let transport = Arc::new(HttpTransport::new(Arc::clone(&context.clock)));
        let redactor = Redactor::default();
        let mut shared = Run::new(context, transport, redactor, Options::default(), events);
        shared.driver = Some(Arc::new(line));
        let run = tokio::spawn(run_one(shared, plan, received));
        self.running = Some(RunningSession { inputs, reports, run });
        if begun.recv().await.is_none() {
            return Err(self.ended_without_report().await);
        }
        Ok(())
    }

    /// Says `input` to the agent, and waits for the end of its turn. The agent knows what was said before.
    ///
    /// # Errors
    /// If the turn does not end as it should. Then the session is over.
    pub async fn run(&mut self, input: impl Into<SessionInput>) -> Result<AgentRun, TestingError> {
        self.start().await?;
        let SessionInput(content) = input.into();
        let text = content.text().into_owned();
        let report = match &mut self.running {
            Some(running) if running.inputs.send(TurnInput::User(content)).is_ok() => {
                running.reports.recv().await
            }
            _ => None,
        };
        let Some(TurnReport { events, is_complete, taped }) = report else {
            return Err(self.ended_without_report().await);
        };
        self.history.push(AgentEvent::Message { role: EventRole::User, content: text.clone() });
        self.history.extend(events.iter().cloned());
        if !is_complete {
            return Err(self.ended_without_report().await);
        }
        let run = RunEvents { events, input: text, target: self.target.clone(), cursor: Cursor::default() };
        Ok(AgentRun::new(run, Arc::clone(&self.project), self.tape.clone(), taped))
    }

    /// Everything that was said and done so far, in its order, with what the user said.
    pub fn history(&self) -> &[AgentEvent] {
        &self.history
    }

    /// Ends the conversation.
    ///
    /// # Errors
    /// If it cannot be ended in order.
    pub async fn close(mut self) -> Result<(), TestingError> {
        match self.end().await {
            Some(problem) if !self.has_ended => Err(TestingError::Agent(problem)),
            _ => Ok(()),
        }
    }

    /// Ends the run, and gives its problem in words.
    async fn end(&mut self) -> Option<String> {
        let RunningSession { inputs, run, .. } = self.running.take()?;
        drop(inputs);
        let outcome = run.await.ok().flatten()?;
        let (_, problem) = outcome.first_problem()?;
        Some(match &problem.help {
            Some(help) => format!("{}\nhelp: {help}", problem.message),
            None => problem.message.clone(),
        })
    }

    async fn ended_without_report(&mut self) -> TestingError {
        let problem = self.end().await;
        self.has_ended = true;
        TestingError::Agent(problem.unwrap_or_else(|| "the conversation ended".to_owned()))
    }
}

/// What the user says in a run: a text, or parts.
#[derive(Clone, Debug)]
pub struct SessionInput(UserContent);

impl From<&str> for SessionInput {
    fn from(text: &str) -> Self {
        Self(UserContent::Text(text.into()))
    }
}

impl From<String> for SessionInput {
    fn from(text: String) -> Self {
        Self(UserContent::Text(text.into()))
    }
}

impl From<Vec<ContentPart>> for SessionInput {
    fn from(parts: Vec<ContentPart>) -> Self {
        Self(UserContent::Parts(parts.into()))
    }
}
