//! An agent of a project and its tools, for commands that run no test.

use std::path::Path;
use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::agents::{AgentTurns, TargetError, Transport, tool_turns};
use ananke::compile::{CompiledClientTool, CompiledClientTools, ServedTools};
use ananke::context::Context;
use ananke::diagnostic::{Diagnostic, Severity};
use ananke::message::DeclaredTool;
use ananke::model::NEWEST_VERSION;
use ananke::plan::{Plan, Planned, PreparedHelper, Selection, plan};
use ananke::project::CONFIG_NAME;
use ananke::redact::Redactor;
use ananke::run::{RunHelpers, Stopper};
use serde_json::{Map, json};

use super::services::Services;
use crate::cli::frame::{Colour, Failed};
use crate::cli::options::RecordedSelection;
use crate::cli::output::{DocumentForm, Outputs, Screen};

/// The file of a test that only names the agent; it is never written.
const FILE: &str = "tools.test.yaml";

/// An agent whose tools can be listed and called.
pub(crate) struct AgentProject {
    pub(crate) plan: Plan,
    pub(crate) context: Context,
    pub(crate) redactor: Redactor,
    /// The name of its target.
    pub(crate) name: String,
    /// The turns by which it is asked.
    pub(crate) turns: AgentTurns,
}

/// The side that executes the tools of an agent, which decides who calls them.
pub(crate) enum AgentTools {
    /// A server of MCP has such tools: the agent lists them, and a client calls them.
    Listed(Vec<DeclaredTool>),
    /// A client declares them, and the agent calls them.
    OfClient(Vec<DeclaredTool>),
}

/// Notes about the state of servers on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerNotes {
    /// They are printed.
    Printed,
    /// They are not: a program reads the output.
    Omitted,
}

impl ServerNotes {
    /// The notes of a command whose output has this form.
    pub(crate) fn of(form: DocumentForm) -> Self {
        if form.json {
            Self::Omitted
        } else {
            Self::Printed
        }
    }
}

impl AgentProject {
    /// The target that `options` name.
    ///
    /// # Errors
    /// If there is no such target, or its tools cannot be listed and called.
    pub(crate) fn of(options: &RecordedSelection, context: &Context) -> Result<Self, Failed> {
        let path = context.working_directory.join(FILE);
        let planned = |turns| {
            let turns = AgentTurns::Tools(turns);
            Self::try_planned(&path, turns, options.selection(), context)
        };
        // The first that its protocol takes; if it takes none, each says so.
        let mut unplanned = None;
        for turns in tool_turns() {
            match planned(turns) {
                Ok(project) => return Ok(project),
                Err(why) => unplanned = unplanned.or(Some(why)),
            }
        }
        Err(unplanned.unwrap_or(Failed::REPORTED))
    }

    /// The target that `options` name, whatever it can do.
    ///
    /// # Errors
    /// If there is no such target.
    pub(crate) fn of_any(options: &RecordedSelection, context: &Context) -> Result<Self, Failed> {
        let path = context.working_directory.join(FILE);
        let turns = AgentTurns::User;
        let planned = Self::try_planned(&path, turns, options.selection(), context);
        planned.or_else(|_cannot_talk| Self::of(options, context))
    }

    /// The target of a config that is not written, as if it were in the working directory; its tests have these turns.
    ///
    /// # Errors
    /// If it cannot be a target.
    pub(crate) fn written(
        config: &str,
        turns: AgentTurns,
        context: &Context,
    ) -> Result<Self, Failed> {
        let folder = &context.working_directory;
        let (path, test) = (folder.join(CONFIG_NAME), folder.join(FILE));
        let context = Context {
            files: context.files.with_unsaved(path.clone(), config.as_bytes()),
            ..context.clone()
        };
        let selection = Selection {
            config: Some(path),
            ..Selection::default()
        };
        Self::try_planned(&test, turns, selection, &context)
    }

    /// The agent of a test that is at `path`, and is never written.
    fn try_planned(
        path: &Path,
        turns: AgentTurns,
        selection: Selection,
        context: &Context,
    ) -> Result<Self, Failed> {
        let written = match turns {
            AgentTurns::User => json!({ "user": "Hello" }),
            AgentTurns::Tools(turns) => json!({ "type": turns.list.name }),
        };
        let test = json!({ "version": NEWEST_VERSION, "name": "tools", "turns": [written] });
        let test = test.to_string();
        let files = context
            .files
            .with_unsaved(path.to_path_buf(), test.as_bytes());
        let unsaved = Context {
            files,
            ..context.clone()
        };
        let selection = Selection {
            paths: vec![path.to_path_buf()],
            sends: true,
            ..selection
        };
        let Planned {
            plan,
            mut problems,
            redactor,
            ..
        } = plan(&unsaved, &selection, &Redactor::default());
        problems.retain(|problem| problem.severity == Severity::Error);
        let Some(plan) = plan else {
            for problem in &mut problems {
                hide_file(problem, path);
            }
            return Err(Failed::Problems(problems, redactor));
        };
        let name = plan.target_description(&unsaved).target;
        let name = plan
            .cases
            .first()
            .map_or(name, |case| case.test.target.clone());
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..unsaved
        };
        Ok(Self {
            plan,
            context,
            redactor,
            name,
            turns,
        })
    }

    /// Does `work` with the agent, filled, while the servers of its project run; `notes` says whether their state is noted.
    ///
    /// # Errors
    /// If a server or the agent cannot be had; or that of the work, masked.
    pub(crate) async fn while_served<T, E: Into<Failed>>(
        &mut self,
        notes: ServerNotes,
        colour: Colour,
        stopper: &Stopper,
        work: impl AsyncFnOnce(&Self, PreparedHelper) -> Result<T, E>,
    ) -> Result<T, Failed> {
        let outputs = Outputs::of_program(stopper);
        let (context, redactor) = (self.context.clone(), self.redactor.clone());
        let screen = Screen {
            live: None,
            is_quiet: notes == ServerNotes::Omitted,
            colour,
            context: &context,
            redactor: &redactor,
            outputs: &outputs,
        };
        let services = Services::start(&mut self.plan, &context, stopper.token(), screen).await;
        let services = services.map_err(|_why| Failed::REPORTED)?;
        let done = match self.target() {
            Ok(target) => work(self, target).await.map_err(Into::into),
            Err(failed) => Err(failed),
        };
        services.stop(screen).await;
        done.map_err(|failed| failed.masked(&redactor))
    }

    /// Asks the agent.
    pub(crate) fn helpers(&self, stopper: &Stopper) -> RunHelpers {
        let transport: Arc<dyn Transport> =
            Arc::new(HttpTransport::new(self.context.clock.clone()));
        RunHelpers::new(&self.context, &transport, &self.plan.redactor, stopper)
    }

    /// The tools of `target`, which is the agent, and the side that calls them: those that it lists, which a client calls; else its
    /// client tools with those of their servers, which the agent itself calls.
    ///
    /// # Errors
    /// If the agent or a server cannot be asked, or does not list its tools.
    pub(crate) async fn tools(
        &self,
        target: PreparedHelper,
        stopper: &Stopper,
    ) -> Result<AgentTools, Failed> {
        let helpers = self.helpers(stopper);
        if let Some(tools) = helpers.declared_tools(&target).await? {
            return Ok(AgentTools::Listed(tools));
        }
        let CompiledClientTools { written, served } = target.client_tools;
        let mut tools: Vec<DeclaredTool> = written.into_iter().map(client_tool).collect();
        for ServedTools { target, .. } in served {
            let server = self.plan.helper(&target, &self.context);
            let server =
                server.map_err(|problems| Failed::Problems(problems, self.redactor.clone()))?;
            let listed = helpers.declared_tools(&server).await;
            let listed = listed.map_err(|error| TargetError {
                message: format!(
                    "the tools of the server `{target}` are not known: {}",
                    error.message
                ),
                ..error
            })?;
            tools.extend(listed.unwrap_or_default());
        }
        Ok(AgentTools::OfClient(tools))
    }

    /// The agent, filled.
    ///
    /// # Errors
    /// If something of it cannot be filled.
    pub(crate) fn target(&self) -> Result<PreparedHelper, Failed> {
        let filled = self.plan.helper(&self.name, &self.context);
        filled.map_err(|problems| Failed::Problems(problems, self.redactor.clone()))
    }
}

/// A client tool as a declaration: its call is answered by the test.
fn client_tool(tool: CompiledClientTool) -> DeclaredTool {
    DeclaredTool {
        name: tool.declaration.name,
        description: tool.declaration.description,
        input: Some(tool.declaration.parameters),
        output: None,
        may_change_data: false,
        is_read_only: false,
        rest: Map::new(),
    }
}

/// Removes the quote of the file at `path` from a problem: the file is made by this program.
fn hide_file(problem: &mut Diagnostic, path: &Path) {
    let source = problem.source.as_ref();
    if source.is_some_and(|source| source.path == path) {
        (problem.source, problem.labels) = (None, Vec::new());
        problem.help = vec!["name another target".to_owned()];
    }
}
