//! A conversation with a server: it is started and initialized with the first turn; each turn is a request, or as many as a list
//! has pages.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::declared::declared_tools;
use super::incoming::{McpResponse, RpcError, ServerMessages};
use super::outgoing::{self, KNOWN_VERSIONS};
use super::result::{CallResult, ToolsPage, chosen_version};
use crate::context::{At, Clock};
use crate::target::ended::Ended;
use crate::target::error::TargetError;
use crate::target::limits::Limits;
use crate::target::pipe::{Pipe, PipeLauncher, PipeNext, PipeProgram, RequestOrder, read_events};
use crate::target::request::{Action, Request};
use crate::target::session::{Session, SessionOptions};
use crate::target::sink::{Sink, Stop, Wire};
use crate::trace::{Change, MessageKind, RunEnd};

/// How long a server may take to end after its stdin was closed.
const GRACE: Duration = Duration::from_secs(5);

/// How many lines are read after the last response.
const MOST_STRAY: usize = 100;

/// How many requests of a server are answered while it is asked one thing.
const MOST_ASKED: usize = 1000;

/// One conversation with a server.
pub(super) struct McpSession {
    program: PipeProgram,
    max_response_bytes: usize,
    programs: Arc<dyn PipeLauncher>,
    clock: Arc<dyn Clock>,
    /// The server, from the first exchange on.
    server: Option<Box<dyn Pipe>>,
    /// The id of the last request.
    last_id: u64,
    /// Whether every response so far was complete.
    is_complete: bool,
    /// Whether the tools must be known.
    declares_tools: bool,
}

/// A turn: what it needs to ask a server.
struct McpTurn<'a> {
    server: &'a mut dyn Pipe,
    last_id: &'a mut u64,
    incoming: ServerMessages,
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
    /// When its first request was sent.
    began: Option<At>,
    closed: &'a mut Option<At>,
}

/// Why a turn is over before its response.
enum Break {
    Ended(Ended),
    Failed(TargetError),
}

impl From<TargetError> for Break {
    fn from(error: TargetError) -> Self {
        Self::Failed(error)
    }
}

impl McpSession {
    pub(super) fn new(program: PipeProgram, max_response_bytes: usize, options: SessionOptions) -> Self {
        let SessionOptions { programs, clock, declares_tools, .. } = options;
        let (server, last_id, is_complete) = (None, 0, true);
        Self { program, max_response_bytes, programs, clock, server, last_id, is_complete, declares_tools }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let limits = &Limits {
            max_event_bytes: self.program.max_line_bytes,
            max_response_bytes: self.max_response_bytes,
            ..limits.clone()
        };
        if limits.cancel.run_until_cancelled(limits.admit_request()).await.is_none() {
            return Ok(Ended::Cancelled);
        }
        let is_first = self.server.is_none();
        let server = match &mut self.server {
            Some(server) => server,
            none => none.insert(self.programs.start(&self.program)?),
        };
        self.is_complete = false;
        let declares_tools = self.declares_tools && request.action != Action::ListTools;
        let mut closed = None;
        let mut turn = McpTurn {
            server: &mut **server,
            last_id: &mut self.last_id,
            incoming: ServerMessages::new(self.max_response_bytes),
            limits,
            sink,
            began: None,
            closed: &mut closed,
        };
        let talk = async {
            if is_first {
                turn.initialize().await?;
                if declares_tools {
                    turn.declare_tools().await?;
                }
            }
            turn.run(request.action).await
        };
        let ended = limits.cancel.run_until_cancelled(talk).await;
        let ended = match ended {
            Some(Ok(())) => Ok(Ended::Terminal),
            Some(Err(Break::Ended(ended))) => Ok(ended),
            Some(Err(Break::Failed(error))) => Err(error),
            None => Ok(Ended::Cancelled),
        };
        sink.wire(closed.unwrap_or_else(|| self.clock.now()), Wire::Closed);
        self.is_complete = ended == Ok(Ended::Terminal);
        ended
    }

    /// Closes the server's stdin, waits until it has ended, and returns what is odd about that.
    async fn finish(&mut self) -> Vec<String> {
        let Some(mut server) = self.server.take() else { return Vec::new() };
        let mut warnings = Vec::new();
        if self.is_complete {
            let until = server.close().plus(GRACE);
            for _ in 0..MOST_STRAY {
                match server.next(until).await {
                    // Notifications, which are not needed any more.
                    PipeNext::Line(..) => {}
                    PipeNext::Late => {
                        let grace = GRACE.as_secs();
                        warnings.push(format!(
                            "the server did not end within {grace} s after its stdin was closed: it was killed"
                        ));
                        break;
                    }
                    PipeNext::TooLarge(_) | PipeNext::End(..) => break,
                }
            }
        }
        server.end().await;
        warnings
    }
}

impl McpTurn<'_> {
    async fn run(&mut self, action: Action) -> Result<(), Break> {
        match action {
            Action::CallTool { tool, args } => self.call_tool(&tool, &args).await,
            Action::ListTools => self.list_tools().await,
            // A test with such a turn does not load.
            Action::User { .. }
            | Action::Connect
            | Action::Continue
            | Action::Resume(_)
            | Action::ToolResults(_) => {
                Err(TargetError::new("a server of MCP is not talked to: its tools are listed and called")
                    .into())
            }
        }
    }

    async fn initialize(&mut self) -> Result<(), Break> {
        let id = self.next_id();
        let line = outgoing::initialize(id);
        self.ask(&line)?;
        let response = self.response(id).await?;
        let version = match response.result {
            Ok(result) => chosen_version(result)?,
            Err(error) => {
                return Err(
                    TargetError::new(format!("the server refuses `initialize`: {}", error.end())).into()
                );
            }
        };
        if !KNOWN_VERSIONS.contains(&version.as_str()) {
            let known: Vec<String> = KNOWN_VERSIONS.iter().map(|known| format!("`{known}`")).collect();
            let message = format!(
                "the server speaks version `{}` of MCP, which is unknown",
                crate::source::printable(&version)
            );
            return Err(TargetError::new(message)
                .with_help(format!("known are {}", known.join(", ")))
                .into());
        }
        self.server.send(&outgoing::initialized())?;
        Ok(())
    }

    async fn call_tool(&mut self, tool: &str, args: &Map<String, Value>) -> Result<(), Break> {
        let id = self.next_id();
        let sent = self.ask(&outgoing::call_tool(id, tool, args))?;
        let call = id.to_string();
        self.change(sent, Change::RunStarted { run_id: None, thread_id: None, is_replay: false })?;
        self.change(sent, Change::CallOpened { id: (&call).into(), name: tool.into(), subagent: None })?;
        let delta = Value::Object(args.clone()).to_string().into();
        self.change(sent, Change::CallArgs { id: (&call).into(), delta })?;
        self.change(sent, Change::CallArgsDone { id: (&call).into() })?;
        let McpResponse { at, result } = self.response(id).await?;
        let CallResult { content, text, is_error } = match result {
            Ok(result) => CallResult::read(result)?,
            Err(error) => {
                let result = crate::trace::ResultContent::Text((&error.message).into());
                self.change(at, Change::CallAnswered { id: (&call).into(), result, is_error: Some(true) })?;
                return self.change(at, Change::RunEnded(error.end()));
            }
        };
        self.change(at, Change::CallAnswered { id: call.into(), result: content, is_error: Some(is_error) })?;
        self.say(at, id, text)
    }

    /// Lists the tools, which is what the turn is about.
    async fn list_tools(&mut self) -> Result<(), Break> {
        let (id, sent) = self.ask_for_tools(None)?;
        self.change(sent, Change::RunStarted { run_id: None, thread_id: None, is_replay: false })?;
        let (McpResponse { at, result }, tools) = self.tools(id).await?;
        if let Err(error) = result {
            return self.change(at, Change::RunEnded(error.end()));
        }
        let declared = declared_tools(&tools);
        self.change(at, Change::ToolsDeclared { tools: declared, is_answer: true })?;
        let id = *self.last_id;
        self.say(at, id, Value::Array(tools).to_string())
    }

    /// Finds out the tools before the first turn. A server that has none may refuse.
    async fn declare_tools(&mut self) -> Result<(), Break> {
        let (id, _) = self.ask_for_tools(None)?;
        let (McpResponse { at, .. }, tools) = self.tools(id).await?;
        self.change(at, Change::ToolsDeclared { tools: declared_tools(&tools), is_answer: false })
    }

    /// Asks for a page of the tools; the id of the request, and when it was sent.
    fn ask_for_tools(&mut self, cursor: Option<&str>) -> Result<(u64, At), TargetError> {
        let id = self.next_id();
        Ok((id, self.ask(&outgoing::list_tools(id, cursor))?))
    }

    /// The tools of all pages with the last response; the first page was asked for as `id`.
    async fn tools(&mut self, mut id: u64) -> Result<(McpResponse, Vec<Value>), Break> {
        let (mut tools, mut seen) = (Vec::new(), HashSet::new());
        loop {
            let McpResponse { at, result } = self.response(id).await?;
            let page = match result {
                Ok(result) => ToolsPage::read(result)?,
                Err(error) => return Ok((McpResponse { at, result: Err(error) }, tools)),
            };
            tools.extend(page.tools);
            let Some(next) = page.next else {
                return Ok((McpResponse { at, result: Ok(Value::Null) }, tools));
            };
            if !seen.insert(next.clone()) {
                let message = "the list of tools has no end: the server names the same page again";
                return Err(TargetError::new(message).into());
            }
            (id, _) = self.ask_for_tools(Some(&next))?;
        }
    }

    /// Reports the text of a result, and the end.
    fn say(&mut self, at: At, id: u64, text: String) -> Result<(), Break> {
        let id = id.to_string();
        let role = MessageKind::Assistant;
        self.change(at, Change::MessageOpened { id: (&id).into(), role, subagent: None })?;
        self.change(at, Change::MessageText { id: (&id).into(), delta: text.into() })?;
        self.change(at, Change::MessageClosed { id: id.into() })?;
        self.change(at, Change::RunEnded(RunEnd::Finished))
    }

    fn next_id(&mut self) -> u64 {
        *self.last_id += 1;
        *self.last_id
    }

    /// Sends a request; a turn begins with its first.
    fn ask(&mut self, line: &[u8]) -> Result<At, TargetError> {
        let sent = self.server.send(line)?;
        if self.began.is_none() {
            self.began = Some(sent);
            self.sink.wire(sent, Wire::Sent { body: line });
        }
        Ok(sent)
    }

    /// Waits for the response to a request, and declines what the server asks meanwhile.
    async fn response(&mut self, id: u64) -> Result<McpResponse, Break> {
        self.incoming.await_response(id);
        for _ in 0..=MOST_ASKED {
            // What comes without being asked for comes at any time.
            let began = (self.began.unwrap_or_default(), RequestOrder::First);
            let read =
                read_events(self.server, &mut self.incoming, self.limits, began, self.sink, self.closed);
            match read.await? {
                Ended::Terminal => {}
                ended => return Err(Break::Ended(ended)),
            }
            while let Some((id, method)) = self.incoming.take_asked() {
                self.server.send(&outgoing::reply(&id, &method))?;
            }
            if let Some(response) = self.incoming.take_response() {
                return Ok(response);
            }
        }
        let message = format!("the server asked more than {MOST_ASKED} things before it answered");
        Err(TargetError::new(message).into())
    }

    fn change(&mut self, at: At, change: Change<'_>) -> Result<(), Break> {
        match self.sink.change(at, change) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(Stop) => Err(Break::Ended(Ended::Cancelled)),
        }
    }
}

impl RpcError {
    /// The end that it is of a run.
    fn end(self) -> RunEnd {
        RunEnd::Error { message: self.message, code: self.code }
    }
}

impl Session for McpSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(self.run(request, limits, sink))
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(self.finish())
    }
}
