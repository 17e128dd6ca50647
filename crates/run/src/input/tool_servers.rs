//! The servers whose tools are declared to a model: they list them, and execute the calls that the test leaves to them.
//!
//! Names of targets flow in; out come the tools as a test declares them, and the answers of the servers to calls. **Invariant:** a
//! server has a lane of its own, so that it is recorded and replayed; nothing of it is an event of the agent under test.

use std::collections::{BTreeSet, HashSet};

use futures_util::future::BoxFuture;
use serde_json::{Map, json};

use super::script_oracle::ScriptOracle;
use crate::attempt::Attempt;
use crate::context::RequestPace;
use ananke_agents::{
    Action, Ended, Limits, ObservedExchange, Session, SessionOptions, TargetError, ToolTurns,
};
use ananke_base::message::{DeclaredTool, Lane, ToolAnswer, ToolDeclaration};
use ananke_base::text::suggest;
use ananke_plan::PreparedHelper;
use ananke_plan::compile::{
    CompiledClientTool, CompiledClientTools, CompiledExecution, CompiledMock, ServedTools,
};
use ananke_trace::outcome::{ErrorKind, Halt, OfferedTool, Problem};
use ananke_trace::trace::{ResultContent, ToolCall};

/// The client-side tools of a conversation, and the servers of some of them.
pub(crate) struct OpenedTools<'a> {
    /// The tools that are declared: those that are written, then those of the servers.
    pub(crate) declared: Vec<CompiledClientTool>,
    /// The same with what is unclear in their declarations; empty if no server has tools here.
    pub(crate) offered: Vec<OfferedTool>,
    /// The servers.
    pub(crate) servers: ToolServers<'a>,
}

/// The servers of a conversation that execute some of its tools.
pub(crate) struct ToolServers<'a> {
    scripts: ScriptOracle<'a>,
    servers: Vec<ToolServer>,
}

/// A server in a session.
struct ToolServer {
    /// The name of its target.
    name: String,
    turns: ToolTurns,
    session: Box<dyn Session>,
    /// The limits of each exchange.
    limits: Limits,
    /// The tools that it executes.
    executed: HashSet<String>,
    /// The tools that it would execute if they changed no data.
    withheld: BTreeSet<String>,
}

impl<'a> OpenedTools<'a> {
    /// Lists the tools of the servers of `tools`. An exchange with a server has `limits`, but for the timeout and the rate of its
    /// target. The server `number`, counted from 1, is recorded in `lane(number)`.
    ///
    /// # Errors
    /// If a server does not list its tools, if a tool that the test names does not exist, or if two tools have one name.
    pub(crate) async fn open(
        tools: CompiledClientTools,
        scripts: ScriptOracle<'a>,
        (limits, pace): (&Limits, &RequestPace),
        lane: impl Fn(u32) -> Lane,
    ) -> Result<Self, Halt> {
        let CompiledClientTools { written, served } = tools;
        let mut opened = Self {
            declared: written,
            offered: Vec::new(),
            servers: ToolServers {
                scripts,
                servers: Vec::with_capacity(served.len()),
            },
        };
        // The owner of each tool, in the words of messages.
        let mut owners: Vec<(String, String)> = Vec::new();
        for tool in &opened.declared {
            owners.push((tool.declaration.name.clone(), "`client_tools`".to_owned()));
        }
        for (number, entry) in (1..).zip(served) {
            let prepared = ToolServer::prepared(scripts, &entry.target)?;
            let limits = Limits {
                timeout: prepared.timeout,
                pacer: scripts.attempt.pacer(pace, &prepared.pace),
                ..limits.clone()
            };
            let lane = lane(number);
            let started = ToolServer::start(scripts, &entry, prepared, limits, &lane);
            let (mut server, listed) = started.await?;
            for tool in &listed {
                if let Some((name, owner)) = owners.iter().find(|(name, _)| *name == tool.name) {
                    return Err(two_tools(name, owner, &entry.target).into());
                }
                owners.push((tool.name.clone(), format!("the server `{}`", entry.target)));
            }
            opened.take_tools(&mut server, &entry, listed)?;
            // A server that executes nothing has done its part.
            if server.executed.is_empty() {
                server.session.close().await;
            }
            opened.servers.servers.push(server);
        }
        Ok(opened)
    }

    /// Declares the `listed` tools of `server`, each with the mock that `entry` has for it.
    ///
    /// # Errors
    /// If `entry` names a tool that is not listed, or if one has no name.
    fn take_tools(
        &mut self,
        server: &mut ToolServer,
        entry: &ServedTools,
        listed: Vec<DeclaredTool>,
    ) -> Result<(), Problem> {
        let mut unmocked_names: Vec<&str> = Vec::new();
        if let CompiledExecution::Named(names) = &entry.executed {
            unmocked_names.extend(names.iter().map(String::as_str));
        }
        let named = entry.mocks.iter().map(|(name, _)| name.as_str());
        for name in named.chain(unmocked_names) {
            if !listed.iter().any(|tool| tool.name == name) {
                return Err(unknown_tool(&entry.target, name, &listed));
            }
        }

        // The hand-written tools are offered too, since a decoy is one of them.
        if self.offered.is_empty() {
            for tool in &self.declared {
                self.offered.push(OfferedTool::new(&tool.declaration.name));
            }
        }
        let findings = match self.servers.scripts.attempt.case.shared.lint_tools {
            Some(lint) => lint(&listed),
            None => Vec::new(),
        };
        for tool in listed {
            if tool.name.is_empty() {
                let message = format!("the server `{}` lists a tool without a name", entry.target);
                return Err(Problem::new(ErrorKind::Setup, message));
            }
            let mut offered = OfferedTool::new(&tool.name);
            for finding in &findings {
                if finding.tool.as_deref() == Some(tool.name.as_str()) {
                    offered.unclear.push(finding.message.clone());
                }
            }
            self.offered.push(offered);
            let mock = server.mock_of(entry, &tool);
            let any_object = || json!({ "type": "object", "properties": Map::new() });
            self.declared.push(CompiledClientTool {
                declaration: ToolDeclaration {
                    name: tool.name,
                    description: tool.description,
                    parameters: tool.input.unwrap_or_else(any_object),
                },
                mock,
            });
        }
        Ok(())
    }
}

impl ToolServer {
    /// The target `name`, filled with what is known by now.
    ///
    /// # Errors
    /// If it cannot be filled.
    fn prepared(scripts: ScriptOracle<'_>, name: &str) -> Result<PreparedHelper, Problem> {
        let Attempt {
            case, environment, ..
        } = scripts.attempt;
        let prepared = scripts.preparation().helper(name);
        let server = prepared.map_err(|error| case.unprepared(error))?;
        environment.add_secrets(&server.secrets);
        Ok(server)
    }

    /// Opens a session with a server, and lists its tools.
    ///
    /// # Errors
    /// If it cannot be reached, or does not list them.
    async fn start(
        scripts: ScriptOracle<'_>,
        entry: &ServedTools,
        prepared: PreparedHelper,
        limits: Limits,
        lane: &Lane,
    ) -> Result<(ToolServer, Vec<DeclaredTool>), Halt> {
        let case = scripts.attempt.case;
        let PreparedHelper {
            target,
            tool_turns: Some(turns),
            timeout,
            ..
        } = prepared
        else {
            let message = format!("the target `{}` does not list its tools", entry.target);
            return Err(Problem::new(ErrorKind::Setup, message).into());
        };
        // The server has a timeout of its own, by which the running step may take longer.
        case.watchdog.extend(timeout);
        let options = Self::session_options(scripts.attempt, &entry.target, lane);
        let listing = async {
            let mut session = target.open(options).await?;
            let mut observed = ObservedExchange::default();
            let ended = session.exchange(turns.list().into(), &limits, &mut observed);
            observed.end = Some(ended.await);
            let oddities = std::mem::take(&mut observed.oddities);
            Ok::<_, TargetError>((session, observed.into_tools()?, oddities))
        };
        let listed = case.watchdog.within(async { Ok(listing.await) }).await?;
        let (session, listed, oddities) = match listed {
            Ok(listed) => listed,
            Err(_) if case.shared.stopper.token().is_cancelled() => return Err(Halt::Stopped),
            Err(error) => return Err(Self::unlisted(scripts.attempt, &entry.target, error).into()),
        };
        for oddity in oddities {
            case.warn(vec![format!("the server `{}`: {oddity}", entry.target)]);
        }
        let server = ToolServer {
            name: entry.target.clone(),
            turns,
            session,
            limits,
            executed: HashSet::new(),
            withheld: BTreeSet::new(),
        };
        Ok((server, listed))
    }

    /// The problem of a server whose tools are not known.
    fn unlisted(attempt: &Attempt<'_>, name: &str, error: TargetError) -> Problem {
        // A replay that cannot go on is the true reason.
        if let Some(problem) = attempt.environment.error() {
            return problem;
        }
        let message = format!("the tools of the server `{name}` are not known: {error}");
        Problem {
            kind: ErrorKind::Setup,
            message,
            help: error.help,
        }
    }

    /// The options of a session with the server `name`.
    fn session_options(attempt: &Attempt<'_>, name: &str, lane: &Lane) -> SessionOptions {
        let Attempt {
            environment, key, ..
        } = attempt;
        let title = format!("the server `{name}`");
        let ids = environment.helper_ids(lane);
        let thread_id = ids.next("thread");
        SessionOptions {
            ids,
            transport: environment.helper_transport(lane, &title),
            programs: environment.helper_programs(lane, &title),
            ..environment.session_options((*key).clone(), thread_id)
        }
    }

    /// The mock of `tool`; `None` if the server executes it.
    fn mock_of(&mut self, entry: &ServedTools, tool: &DeclaredTool) -> Option<CompiledMock> {
        // A mock comes first, so that one tool of a server that executes all others can be mocked.
        if let Some((_name, mock)) = entry.mocks.iter().find(|(name, _)| *name == tool.name) {
            return Some(mock.clone());
        }
        let is_executed = match &entry.executed {
            CompiledExecution::Nothing => false,
            CompiledExecution::Unmocked => !tool.may_change_data,
            CompiledExecution::Named(names) => names.contains(&tool.name),
        };
        if is_executed {
            self.executed.insert(tool.name.clone());
            return None;
        }
        if entry.executed == CompiledExecution::Unmocked {
            self.withheld.insert(tool.name.clone());
        }
        Some(CompiledMock::LeftOpen)
    }
}

impl ToolServers<'_> {
    /// Whether a server executes `tool`.
    pub(crate) fn executes(&self, tool: &str) -> bool {
        let mut servers = self.servers.iter();
        servers.any(|server| server.executed.contains(tool))
    }

    /// The reason that `tool` was not executed, if its server executes all tools that change no data, and this one may.
    pub(crate) fn why_withheld(&self, tool: &str) -> Option<String> {
        let mut servers = self.servers.iter();
        let server = servers.find(|server| server.withheld.contains(tool))?;
        Some(format!(
            "the call to `{tool}` was not executed: by what the server `{}` declares, it may change data; name it in `execute: [{tool}]`, or give it a mock",
            server.name
        ))
    }

    /// The answer of its server to a call.
    ///
    /// # Errors
    /// If the server gives none.
    pub(crate) fn answer<'c>(
        &'c mut self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<ToolAnswer, Halt>> {
        Box::pin(async move {
            let Attempt {
                case, environment, ..
            } = self.scripts.attempt;
            let mut servers = self.servers.iter_mut();
            let found = servers.find(|server| server.executed.contains(call.name.as_str()));
            let Some(server) = found else {
                let message = format!("no server executes the tool `{}`", call.name);
                return Err(Problem::new(ErrorKind::Conversation, message).into());
            };
            // The server has a timeout of its own, by which the running step may take longer.
            case.watchdog.extend(server.limits.timeout);
            let request = server.turns.call(&call.name, &call.args_value());
            let mut observed = ObservedExchange::default();
            let exchange = async {
                let action = Action::from(request);
                let ended = server
                    .session
                    .exchange(action.into(), &server.limits, &mut observed);
                Ok(ended.await)
            };
            let ended = case.watchdog.within_turn(exchange).await?;
            if let Some(problem) = environment.error() {
                return Err(problem.into());
            }
            for oddity in std::mem::take(&mut observed.oddities) {
                case.warn(vec![format!("the server `{}`: {oddity}", server.name)]);
            }
            let why = match ended {
                Ok(Ended::Terminal) => match answer_of(call, observed) {
                    Some(answer) => return Ok(answer),
                    None => "it sent no result".to_owned(),
                },
                Ok(Ended::Timeout) => "it did not answer in time".to_owned(),
                Ok(Ended::Cancelled) => return Err(Halt::Stopped),
                Err(error) => error.to_string(),
            };
            let message = format!(
                "the server `{}` did not execute the call to `{}`: {why}",
                server.name, call.name
            );
            Err(Problem::new(ErrorKind::Setup, message).into())
        })
    }

    /// Ends the sessions that are still open.
    pub(crate) async fn close(&mut self) {
        for server in &mut self.servers {
            if !server.executed.is_empty() {
                server.session.close().await;
            }
        }
    }
}

/// The answer to `call` that was `observed`: its result, or the error with which the server refused it. `None` if there is neither.
fn answer_of(call: &ToolCall, observed: ObservedExchange) -> Option<ToolAnswer> {
    let (content, is_error) = match (observed.result, observed.refusal) {
        // Clients of MCP give a model the text of a result, and what is structured beside it is for programs.
        (
            Some(ResultContent::Structured {
                text: Some(text), ..
            }),
            _,
        ) => (text.into(), observed.is_error),
        (Some(ResultContent::Text(text)), _) => (text.into_owned().into(), observed.is_error),
        (Some(ResultContent::Json(value) | ResultContent::Structured { value, .. }), _) => {
            (value, observed.is_error)
        }
        (None, Some(refusal)) => (refusal.to_string().into(), true),
        (None, None) => return None,
    };
    Some(ToolAnswer {
        call: call.wire_id.to_string(),
        content,
        is_error,
    })
}

/// The problem of two tools with one name, of which the first is of `owner`.
fn two_tools(name: &str, owner: &str, server: &str) -> Problem {
    let message = format!(
        "two tools have the name `{name}`: one of {owner} and one of the server `{server}`"
    );
    let help = "a model tells tools apart by their names: rename the tool in `client_tools`, or leave it out and answer calls with `mocks`";
    Problem::new(ErrorKind::Setup, message).help(help)
}

/// The problem of a tool that a test names and its server does not have.
fn unknown_tool(server: &str, name: &str, listed: &[DeclaredTool]) -> Problem {
    let message = format!("the server `{server}` has no tool `{name}`");
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_str()).collect();
    Problem::new(ErrorKind::Setup, message).help(suggest(name, &names, "its tools are"))
}
