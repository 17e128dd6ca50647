//! The servers whose tools are declared to a model: they list them, and execute the calls that the test leaves to them.
//!
//! Names of targets flow in; out come the tools as a test declares them, and the answers of the servers to calls. **Invariant:** a
//! server has a lane of its own, so that it is recorded and replayed; nothing of it is an event of the agent under test.

use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::script_oracle::ScriptOracle;
use crate::attempt::Attempt;
use crate::context::RequestPace;
use ananke_agents::{
    Action, Ended, Limits, ObservedExchange, Session, SessionOptions, TargetError, ToolTurns,
};
use ananke_base::message::{DeclaredTool, Lane, ToolAnswer, ToolDeclaration};
use ananke_base::text::{duration, suggest};
use ananke_plan::PreparedHelper;
use ananke_plan::compile::{
    CompiledClientTool, CompiledClientTools, CompiledExecution, CompiledMock, ServedTools,
};
use ananke_trace::outcome::audit::AuditFinding;
use ananke_trace::outcome::coverage::ToolPicks;
use ananke_trace::outcome::{ErrorKind, Halt, Problem};
use ananke_trace::trace::{ResultContent, ToolCall};

/// The owner of hand-written tools, in the words of messages.
const CLIENT_TOOLS: &str = "`client_tools`";

/// The client-side tools of a conversation, and the servers of some of them.
pub(crate) struct OpenedTools {
    /// The tools that are declared: those that are written, then those of the servers.
    pub(crate) declared: Vec<CompiledClientTool>,
    /// The same with what is unclear in their declarations; empty if no server has tools here.
    pub(crate) offered: Vec<ToolPicks>,
    /// The sessions that answer calls.
    pub(crate) servers: ToolServers,
}

/// The servers of a conversation that execute some of its tools.
pub(crate) struct ToolServers(Vec<ToolServer>);

/// A server in a session.
struct ToolServer {
    /// The name of its target.
    name: String,
    turns: ToolTurns,
    session: Box<dyn Session>,
    /// The limits of each exchange.
    limits: Limits,
    /// The names that calls are compared with.
    executed: HashSet<String>,
    /// The tools that it would execute if they changed no data.
    withheld: BTreeSet<String>,
}

/// The way to the servers: whose test it is, and what their exchanges have in common.
#[derive(Clone, Copy)]
pub(crate) struct ServerAccess<'a> {
    pub(crate) scripts: ScriptOracle<'a>,
    /// The limits of an exchange, but for the timeout and the rate of its server.
    pub(crate) limits: &'a Limits,
    pub(crate) pace: &'a RequestPace,
}

impl OpenedTools {
    /// Lists the tools of the servers of `tools`. The server `number`, counted from 1, is recorded in `lane(number)`.
    ///
    /// # Errors
    /// If a server does not list its tools, if a tool that the test names does not exist, or if two tools have one name.
    pub(crate) async fn open(
        tools: CompiledClientTools,
        access: ServerAccess<'_>,
        lane: impl Fn(u32) -> Lane,
    ) -> Result<Self, Halt> {
        // A model knows tools by their names alone, so that each name may have one owner.
        let mut owners: HashMap<String, String> = HashMap::new();
        for tool in &tools.written {
            owners.insert(tool.declaration.name.clone(), CLIENT_TOOLS.to_owned());
        }
        let mut opened = Self {
            declared: tools.written,
            offered: Vec::new(),
            servers: ToolServers(Vec::new()),
        };
        let mut number = 0;
        for entry in tools.served {
            number += 1;
            let lane = lane(number);
            let (mut server, listed) = ToolServer::start(access, &entry, &lane).await?;
            for tool in &listed {
                let owner = format!("the server `{}`", entry.target);
                if let Some(other) = owners.insert(tool.name.clone(), owner) {
                    return Err(two_tools(&tool.name, &other, &entry.target).into());
                }
            }
            check_named(&entry, &listed)?;
            opened.add_tools(&mut server, &entry, listed, access)?;
            // A server that executes nothing has done its part, and its program need not wait for the end of the test.
            if server.executed.is_empty() {
                server.session.close().await;
            }
            opened.servers.0.push(server);
        }
        Ok(opened)
    }

    /// Declares the `listed` tools of `server`, each with the mock that `entry` has for it.
    ///
    /// # Errors
    /// If a tool has no name.
    fn add_tools(
        &mut self,
        server: &mut ToolServer,
        entry: &ServedTools,
        listed: Vec<DeclaredTool>,
        access: ServerAccess<'_>,
    ) -> Result<(), Problem> {
        // The hand-written tools are offered too, since a decoy is one of them. They come first, so that the order is that of the request.
        if self.offered.is_empty() {
            for tool in &self.declared {
                self.offered.push(ToolPicks::new(&tool.declaration.name));
            }
        }
        let findings = match access.scripts.attempt.case.shared.lint_tools {
            Some(lint) => lint(&listed),
            None => Vec::new(),
        };
        for tool in listed {
            if tool.name.is_empty() {
                let message = format!("the server `{}` lists a tool without a name", entry.target);
                return Err(Problem::new(ErrorKind::Setup, message));
            }
            self.offered.push(offered(&tool.name, &findings));
            let mock = server.mock_of(entry, &tool);
            // A server that declares no schema says nothing about the arguments.
            let parameters = match tool.input {
                Some(schema) => schema,
                None => json!({ "type": "object", "properties": Map::new() }),
            };
            let declaration = ToolDeclaration {
                name: tool.name,
                description: tool.description,
                parameters,
            };
            self.declared.push(CompiledClientTool { declaration, mock });
        }
        Ok(())
    }
}

impl ToolServer {
    /// Opens a session with the server of `entry`, and lists its tools.
    ///
    /// # Errors
    /// If it cannot be reached, or does not list them.
    async fn start(
        access: ServerAccess<'_>,
        entry: &ServedTools,
        lane: &Lane,
    ) -> Result<(Self, Vec<DeclaredTool>), Halt> {
        let attempt = access.scripts.attempt;
        // The target is filled as late as this, so that it has what the hooks of the test gave.
        let prepared = match access.scripts.preparation().helper(&entry.target) {
            Ok(prepared) => prepared,
            Err(error) => return Err(attempt.case.unprepared(error).into()),
        };
        attempt.environment.add_secrets(&prepared.secrets);
        let limits = access.limits_of(&prepared);
        let PreparedHelper {
            target,
            tool_turns: Some(turns),
            ..
        } = prepared
        else {
            let message = format!("the target `{}` does not list its tools", entry.target);
            return Err(Problem::new(ErrorKind::Setup, message).into());
        };

        // The server has a timeout of its own, by which the running step may take longer. The limit of the whole test stays.
        attempt.case.watchdog.extend(limits.timeout);
        let options = session_options(attempt, &entry.target, lane);
        let listing = async {
            let mut session = target.open(options).await?;
            let mut observed = ObservedExchange::default();
            let ended = session.exchange(turns.list().into(), &limits, &mut observed);
            let ended = ended.await;
            warn_of_oddities(attempt, &entry.target, &mut observed);
            if ended == Ok(Ended::Timeout) {
                return Err(TargetError::new(late(&entry.target, &limits)));
            }
            observed.end = Some(ended);
            Ok((session, observed.into_tools()?))
        };
        // An error of the server is a value here, because `within` ends with errors of the test alone.
        let listed = attempt.case.watchdog.within(async { Ok(listing.await) });
        let (session, listed) = match listed.await? {
            Ok(listed) => listed,
            Err(error) => return Err(unlisted(attempt, &entry.target, error)),
        };
        let started = Self {
            name: entry.target.clone(),
            turns,
            session,
            limits,
            executed: HashSet::new(),
            withheld: BTreeSet::new(),
        };
        Ok((started, listed))
    }

    /// The mock of `tool`; `None` if the server executes it.
    fn mock_of(&mut self, entry: &ServedTools, tool: &DeclaredTool) -> Option<CompiledMock> {
        // A mock comes first, so that one tool of a server that executes all others can be mocked.
        for (name, mock) in &entry.mocks {
            if *name == tool.name {
                return Some(mock.clone());
            }
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
        // A test that lets a server execute its tools gets a warning, since it would not expect this call to stay open.
        if entry.executed == CompiledExecution::Unmocked {
            self.withheld.insert(tool.name.clone());
        }
        Some(CompiledMock::LeftOpen)
    }

    /// The answer of the server to a call, or in words the reason that there is none.
    ///
    /// # Errors
    /// If the run stops meanwhile, or the time of the turn is over.
    async fn call(
        &mut self,
        call: &ToolCall,
        attempt: &Attempt<'_>,
    ) -> Result<Result<ToolAnswer, String>, Halt> {
        // A server of MCP takes an object, and some take whatever comes: a call that no client would make must not be executed.
        let arguments = call.args_value();
        if !arguments.is_object() {
            return Ok(Ok(ToolAnswer {
                call: call.wire_id.to_string(),
                content: "the arguments are not a JSON object".into(),
                is_error: true,
            }));
        }

        // The server has a timeout of its own, by which the running step may take longer. All tools of a turn together may take as
        // long as the turn, since a model can call them without end.
        attempt.case.watchdog.extend(self.limits.timeout);
        let request = Action::from(self.turns.call(&call.name, &arguments));
        let mut observed = ObservedExchange::default();
        let exchange = self
            .session
            .exchange(request.into(), &self.limits, &mut observed);
        let exchange = async { Ok(exchange.await) };
        let ended = attempt.case.watchdog.within_turn(exchange).await?;
        warn_of_oddities(attempt, &self.name, &mut observed);

        // A replay that cannot go on is the true reason for whatever came of the call.
        if let Some(problem) = attempt.environment.error() {
            return Err(problem.into());
        }
        match ended {
            Ok(Ended::Terminal) => Ok(match answer_of(call, observed) {
                Some(answer) => Ok(answer),
                None => Err("it sent no result".to_owned()),
            }),
            Ok(Ended::Timeout) => Ok(Err(late(&self.name, &self.limits))),
            Ok(Ended::Cancelled) => Err(Halt::Stopped),
            Err(error) => Ok(Err(error.to_string())),
        }
    }
}

impl ServerAccess<'_> {
    /// The limits of each exchange with the server `prepared`.
    fn limits_of(&self, prepared: &PreparedHelper) -> Limits {
        Limits {
            timeout: prepared.timeout,
            pacer: self.scripts.attempt.pacer(self.pace, &prepared.pace),
            ..self.limits.clone()
        }
    }
}

impl ToolServers {
    /// Whether calls to `tool` are answered here, and not by a mock.
    pub(crate) fn executes(&self, tool: &str) -> bool {
        for server in &self.0 {
            if server.executed.contains(tool) {
                return true;
            }
        }
        false
    }

    /// The reason that `tool` was not executed, if its server executes all tools that change no data, and this one may.
    pub(crate) fn why_withheld(&self, tool: &str) -> Option<String> {
        for server in &self.0 {
            if server.withheld.contains(tool) {
                let name = &server.name;
                return Some(format!(
                    "the call to `{tool}` was not executed: by what the server `{name}` declares, it may change data; name it in `execute: [{tool}]`, or give it a mock"
                ));
            }
        }
        None
    }

    /// The answer of its server to a call in a test of `attempt`.
    ///
    /// # Errors
    /// If the server gives none.
    pub(crate) fn answer<'c>(
        &'c mut self,
        call: &'c ToolCall,
        attempt: &'c Attempt<'_>,
    ) -> BoxFuture<'c, Result<ToolAnswer, Halt>> {
        Box::pin(async move {
            for server in &mut self.0 {
                // Names are unique, so that the first server with the tool is the only one.
                if !server.executed.contains(call.name.as_str()) {
                    continue;
                }
                let why = match server.call(call, attempt).await? {
                    Ok(answer) => return Ok(answer),
                    Err(why) => why,
                };
                let message = format!(
                    "the server `{}` did not answer the call to `{}`: {why}",
                    server.name, call.name
                );
                return Err(Problem::new(ErrorKind::Setup, message).into());
            }
            // Calls come here only if a server executes their tool.
            let message = format!("no server executes the tool `{}`", call.name);
            Err(Problem::new(ErrorKind::Setup, message).into())
        })
    }

    /// Ends the sessions that are still open: those of servers that execute tools.
    pub(crate) async fn close(&mut self) {
        for server in &mut self.0 {
            if !server.executed.is_empty() {
                server.session.close().await;
            }
        }
    }
}

/// The options of a session with the server `name`.
fn session_options(attempt: &Attempt<'_>, name: &str, lane: &Lane) -> SessionOptions {
    let environment = &attempt.environment;
    let title = format!("the server `{name}`");
    let ids = environment.helper_ids(lane);
    let thread_id = ids.next("thread");
    SessionOptions {
        ids,
        transport: environment.helper_transport(lane, &title),
        programs: environment.helper_programs(lane, &title),
        ..environment.session_options((*attempt.key).clone(), thread_id)
    }
}

/// The reason that there is no answer of the server `name` after the time of its `limits`.
fn late(name: &str, limits: &Limits) -> String {
    let time = duration::chosen(limits.timeout);
    format!("no answer within {time}, which `timeout_ms` of the target `{name}` sets")
}

/// Turns what is odd about an exchange with the server `name` into warnings of the test, since no rule is about the server.
fn warn_of_oddities(attempt: &Attempt<'_>, name: &str, observed: &mut ObservedExchange) {
    let mut warnings = Vec::new();
    for oddity in std::mem::take(&mut observed.oddities) {
        warnings.push(format!("the server `{name}`: {oddity}"));
    }
    attempt.case.warn(warnings);
}

/// The end of a test whose server `name` does not list its tools.
fn unlisted(attempt: &Attempt<'_>, name: &str, error: TargetError) -> Halt {
    if attempt.case.shared.stopper.token().is_cancelled() {
        return Halt::Stopped;
    }
    // A replay that cannot go on is the true reason.
    if let Some(problem) = attempt.environment.error() {
        return problem.into();
    }
    Halt::Broken(Problem {
        kind: ErrorKind::Setup,
        message: format!("the tools of the server `{name}` are not known: {error}"),
        help: error.help,
    })
}

/// Checks that the server lists each tool that `entry` names, because a misspelled name would leave the calls to the real tool open.
///
/// # Errors
/// The problem of the first that it does not.
fn check_named(entry: &ServedTools, listed: &[DeclaredTool]) -> Result<(), Problem> {
    for (name, _mock) in &entry.mocks {
        check_name(&entry.target, name, listed)?;
    }
    if let CompiledExecution::Named(names) = &entry.executed {
        for name in names {
            check_name(&entry.target, name, listed)?;
        }
    }
    Ok(())
}

/// Checks that `server` has the tool `name`.
///
/// # Errors
/// If it does not, with the names that it has.
fn check_name(server: &str, name: &str, listed: &[DeclaredTool]) -> Result<(), Problem> {
    let known: Vec<&str> = listed.iter().map(|tool| tool.name.as_str()).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let message = format!("the server `{server}` has no tool `{name}`");
    Err(Problem::new(ErrorKind::Setup, message).help(suggest(name, &known, "its tools are")))
}

/// The tool `name` as it is offered, with what `findings` say about it.
fn offered(name: &str, findings: &[AuditFinding]) -> ToolPicks {
    let mut offered = ToolPicks::new(name);
    for finding in findings {
        if finding.tool.as_deref() == Some(name) {
            offered.unclear.push(finding.message.clone());
        }
    }
    offered
}

/// The answer to `call` that was `observed`: its result, or the error with which the server refused it. `None` if there is neither.
fn answer_of(call: &ToolCall, observed: ObservedExchange) -> Option<ToolAnswer> {
    let mut is_error = observed.is_error;
    let content = if let Some(result) = observed.result {
        content_for_model(result)
    } else {
        // A program that executes tools gives such a refusal to its model as the error of the call, so that it can try again.
        is_error = true;
        observed.refusal?.to_string().into()
    };
    Some(ToolAnswer {
        call: call.wire_id.to_string(),
        content,
        is_error,
    })
}

/// The content of a result that a model gets. Clients of MCP give it the text; the structured form of the same is for programs.
fn content_for_model(result: ResultContent<'_>) -> Value {
    match result {
        ResultContent::Text(text) => text.into_owned().into(),
        ResultContent::Structured {
            text: Some(text), ..
        } => text.into(),
        ResultContent::Structured { value, text: None } | ResultContent::Json(value) => value,
    }
}

/// The problem of two tools with one name, of which the first is of `owner`.
fn two_tools(name: &str, owner: &str, server: &str) -> Problem {
    let message = format!(
        "two tools have the name `{name}`: one of {owner} and one of the server `{server}`"
    );
    // A tool of `client_tools` is the test's own to rename, and those of servers are not.
    let help = if owner == CLIENT_TOOLS {
        "a model knows tools by their names alone: rename the tool in `client_tools`, or leave it out and answer calls with `mocks`"
    } else {
        "a model knows tools by their names alone: declare one of the servers"
    };
    Problem::new(ErrorKind::Setup, message).help(help)
}
