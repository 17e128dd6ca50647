//! A conversation that a Rust test holds with an agent.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::run_events::{Cursor, RunEvents};
use super::session_line::{SessionLine, SessionStart, TurnReport};
use super::session_project::{SessionProject, SessionRecording, SessionSetup, context_of_process};
use super::session_tools::{ClientCall, SessionTools, ToolClosure};
use super::{AgentRun, AgentTarget, MockedTools, TestingError};
use super::{agent_run::RunPrinting, session_requests::SessionRequests, tape::Tape};
use ananke_agents::UndeclaredCalls;
use ananke_base::message::{ContentPart, PendingAnswer, TurnInput, UserContent};
use ananke_model::variables::literal;
use ananke_run::{
    ConversationOrigin, DriverRequest, Options, Run, RunAnswers, Stopper, event_channel, run_one,
};
use ananke_trace::outcome::{Outcome, Problem};
use ananke_trace::trace::{AgentEvent, EventRole, Interrupt};

/// The system message of a bare model that has none.
const INSTRUCTIONS: &str = "You are a helpful assistant.";

/// A conversation with an agent. It begins with the first run, or with [`Self::start`], and ends with [`Self::close`] or when
/// it is dropped.
pub struct TestSession {
    project: Arc<SessionProject>,
    declared: Vec<Value>,
    tools: SessionTools,
    tape: Tape,
    history: Vec<AgentEvent>,
    /// The interrupts that the agent waits for.
    interrupts: Vec<Interrupt>,
    running: Option<RunningSession>,
    has_ended: bool,
    /// The system message of a bare model that has none.
    instructions: String,
    stopper: Stopper,
    printing: RunPrinting,
    recording: Option<SessionRecording>,
    /// The warnings of a run that has ended.
    warnings: Vec<String>,
}

/// A session that has begun.
struct RunningSession {
    /// It ends when this is dropped.
    requests: UnboundedSender<DriverRequest>,
    reports: UnboundedReceiver<TurnReport>,
    /// The messages of the user in the turns that are not reported yet; `None` if the input was not a message.
    unended: VecDeque<Option<String>>,
    start: SessionStart,
    /// Gives the outcome once the conversation is over.
    run: JoinHandle<Option<Outcome>>,
}

/// A client-side tool, as the agent's model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionTool {
    /// Its name.
    pub name: String,
    /// The description of the tool.
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
        Self::of(SessionProject::of_target(context_of_process(), target))
    }

    /// A session with the target `name` of the config at `path`, with the instructions, the headers and the client-side
    /// tools that it has there. Variables of the environment are those of this process.
    ///
    /// # Errors
    /// If something is wrong with the config, or it has no such target.
    pub fn from_config(path: impl AsRef<Path>, name: &str) -> Result<Self, TestingError> {
        let context = context_of_process();
        Self::of(SessionProject::of_config(
            context,
            path.as_ref(),
            Some(name),
        ))
    }

    /// A session that another program than a Rust test holds.
    ///
    /// # Errors
    /// If something is wrong with the config or the target.
    #[doc(hidden)]
    pub fn with_setup(setup: SessionSetup) -> Result<Self, TestingError> {
        let mut session = Self::of(setup.project())?;
        session.printing = RunPrinting::Never;
        session.recording = setup.recording;
        if setup.undeclared == UndeclaredCalls::Answered {
            session.tools.answer_undeclared();
        }
        if let Some(instructions) = setup.instructions {
            session.instructions = instructions;
        }
        Ok(session)
    }

    pub(super) fn of(project: SessionProject) -> Result<Self, TestingError> {
        let session = Self {
            project: Arc::new(project),
            declared: Vec::new(),
            tools: SessionTools::default(),
            tape: Tape::default(),
            history: Vec::new(),
            interrupts: Vec::new(),
            running: None,
            has_ended: false,
            instructions: INSTRUCTIONS.to_owned(),
            stopper: Stopper::default(),
            printing: RunPrinting::OfEnvironment,
            recording: None,
            warnings: Vec::new(),
        };
        session.project.plan(session.keys())?;
        Ok(session)
    }

    /// The keys of the test that the session is for the runner.
    fn keys(&self) -> Map<String, Value> {
        let mut keys = Map::from_iter([("interactive".to_owned(), json!({ "enabled": false }))]);
        if let Some(recording) = &self.recording {
            keys.insert("id".to_owned(), json!(literal(&recording.id)));
        }
        if !self.declared.is_empty() {
            keys.insert(
                "client_tools".to_owned(),
                Value::Array(self.declared.clone()),
            );
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
        let function: ToolClosure = Arc::new(move |call: ClientCall| {
            let answer = function(call.arguments);
            Box::pin(async { answer.await.map_err(Value::String) })
        });
        self.add_tool(declaration, function)
    }

    /// Adds a client-side tool: `function` gets each call, and gives the result, or what the agent gets if the call failed.
    ///
    /// # Errors
    /// As [`Self::tool`].
    #[doc(hidden)]
    pub fn add_tool(
        &mut self,
        declaration: SessionTool,
        function: ToolClosure,
    ) -> Result<(), TestingError> {
        let SessionTool {
            name,
            description,
            parameters,
        } = declaration;
        if self.running.is_some() || self.has_ended {
            return Err(TestingError::usage(format!(
                "the tool `{name}` comes too late: the session has begun"
            )));
        }
        if self
            .declared
            .iter()
            .any(|tool| tool["name"] == name.as_str())
        {
            return Err(TestingError::usage(format!(
                "there are two tools with the name `{name}`"
            )));
        }
        let description = literal(&description);
        self.declared
            .push(json!({ "name": name, "description": description, "parameters": parameters }));
        self.project
            .plan(self.keys())
            .inspect_err(|_| _ = self.declared.pop())?;
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
        let mocks = mocks.into_iter().map(|(name, function)| {
            let function: ToolClosure = Arc::new(move |call: ClientCall| {
                let answer = function(call.arguments).map_err(Value::String);
                Box::pin(std::future::ready(answer))
            });
            (name.into(), function)
        });
        self.replace_tools(mocks.collect()).await
    }

    /// The same with functions that get each call, as for [`Self::add_tool`].
    ///
    /// # Errors
    /// As [`Self::mock_tools`].
    #[doc(hidden)]
    pub async fn replace_tools(
        &mut self,
        mocks: Vec<(String, ToolClosure)>,
    ) -> Result<MockedTools, TestingError> {
        self.start().await?;
        self.tools.mock(mocks)
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
        let (requests, requested) = unbounded_channel();
        let (reported, reports) = unbounded_channel();
        let (begins, mut begun) = unbounded_channel();
        let line = SessionLine::new(
            requested,
            reported,
            begins,
            self.tools.clone(),
            self.instructions.clone(),
            self.tape.clone(),
        );
        let (events, received) = event_channel(1);
        let transport = self.project.transport();
        // The config of the session may list secrets, which its recording must not have.
        let redactor = plan.redactor.clone();
        let mut shared = Run::new(context, transport, redactor, Options::default(), events);
        shared.conversations = ConversationOrigin::Driver(Arc::new(line));
        shared.stopper = self.stopper.clone();
        if let Some(recording) = &self.recording {
            shared.answers = RunAnswers::Recordings(recording.recordings.clone());
        }
        let run = tokio::spawn(run_one(shared, plan, received));
        let begins = begun.recv().await;
        let start = begins.clone().unwrap_or_default();
        self.running = Some(RunningSession {
            requests,
            reports,
            unended: VecDeque::new(),
            start,
            run,
        });
        if begins.is_none() {
            return Err(self.ended_without_report().await);
        }
        Ok(())
    }

    /// Says `input` to the agent, and waits for the end of its turn. The agent knows what was said before.
    ///
    /// # Errors
    /// If the agent waits for answers to its interrupts; see [`Self::resume`]. Or if the turn does not end as it should: then
    /// the session is over.
    pub async fn run(&mut self, input: impl Into<SessionInput>) -> Result<AgentRun, TestingError> {
        if let Some(Interrupt { id, .. }) = self.interrupts.first() {
            let message = format!(
                "the agent waits for an answer to its interrupt `{id}`: give it with `resume`"
            );
            return Err(TestingError::usage(message));
        }
        let SessionInput(content) = input.into();
        self.turn(TurnInput::User(content)).await
    }

    /// Answers what the agent waits for, as a turn with `resume` of a YAML test does: every interrupt that is open, or calls
    /// without a result. Waits for the end of the turn.
    ///
    /// # Errors
    /// If an answer is for nothing that is open, an interrupt has no answer, or the turn does not end as it should. Then the
    /// session is over.
    pub async fn resume(
        &mut self,
        answers: impl IntoIterator<Item = PendingAnswer>,
    ) -> Result<AgentRun, TestingError> {
        self.turn(TurnInput::Resume(answers.into_iter().collect()))
            .await
    }

    async fn turn(&mut self, input: TurnInput) -> Result<AgentRun, TestingError> {
        self.start().await?;
        let text = input.describe();
        let said = match &input {
            TurnInput::User(content) => Some(content.text().into_owned()),
            _ => None,
        };
        let Some(running) = &mut self.running else {
            return Err(self.ended_without_report().await);
        };
        let mut report = None;
        if running.requests.send(input.into()).is_ok() {
            running.unended.push_back(said);
            // A run that the test has not waited for is reported before this one.
            while !running.unended.is_empty() {
                report = running.reports.recv().await;
                let Some(TurnReport { events, .. }) = &report else {
                    break;
                };
                let said = running.unended.pop_front().flatten();
                let said = said.map(|content| AgentEvent::Message {
                    role: EventRole::User,
                    content,
                });
                self.history
                    .extend(said.into_iter().chain(events.iter().cloned()));
            }
        }
        let Some(TurnReport {
            events,
            interrupts,
            state,
            is_complete,
            taped,
        }) = report
        else {
            return Err(self.ended_without_report().await);
        };
        let start = running.start.clone();
        let requests = SessionRequests::to(running.requests.downgrade());
        if !is_complete {
            return Err(self.ended_without_report().await);
        }
        self.interrupts.clone_from(&interrupts);
        let project = Arc::clone(&self.project);
        let cursor = Cursor::default();
        let run = RunEvents {
            events,
            interrupts,
            state,
            input: text,
            project,
            start,
            cursor,
        };
        let tape = self.tape.clone();
        Ok(AgentRun::new(run, tape, taped, requests, self.printing))
    }

    /// Stops the session: a run that goes on is aborted.
    #[doc(hidden)]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The requests that can be made while it goes on.
    pub(super) fn requests(&self) -> Option<SessionRequests> {
        let running = self.running.as_ref()?;
        Some(SessionRequests::to(running.requests.downgrade()))
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
            Some(problem) if !self.has_ended => Err(TestingError::of_agent(problem)),
            _ => Ok(()),
        }
    }

    /// The same, with the warnings of a session that is recorded or replayed: what its recording has and nothing asked for.
    ///
    /// # Errors
    /// As [`Self::close`].
    #[doc(hidden)]
    pub async fn close_with_warnings(mut self) -> Result<Vec<String>, TestingError> {
        let problem = self.end().await;
        let warnings = std::mem::take(&mut self.warnings);
        match problem {
            Some(problem) if !self.has_ended => Err(TestingError::of_agent(problem)),
            _ => Ok(warnings),
        }
    }

    /// Ends the run, and gives its problem.
    async fn end(&mut self) -> Option<Problem> {
        let RunningSession { requests, run, .. } = self.running.take()?;
        drop(requests);
        let outcome = match run.await {
            Ok(outcome) => outcome?,
            // A function of the test has panicked: so does the test.
            Err(broken) if broken.is_panic() => std::panic::resume_unwind(broken.into_panic()),
            Err(_) => return None,
        };
        if self.recording.is_some() {
            self.warnings.clone_from(&outcome.verdict.warnings);
        }
        outcome.first_problem().map(|(_, problem)| problem.clone())
    }

    async fn ended_without_report(&mut self) -> TestingError {
        let problem = self.end().await;
        self.has_ended = true;
        problem.map_or_else(
            || TestingError::Agent("the conversation ended".to_owned()),
            TestingError::of_agent,
        )
    }
}

/// The input of the user in a run: a text, or parts.
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
