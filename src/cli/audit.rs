//! `ananke audit`: calls the tools of an agent without any test, and says what is wrong.

use std::path::PathBuf;
use std::time::Duration;

use ananke::agents::TargetError;
use ananke::audit::{Audit, AuditOptions, AuditStep, CheckLevel, ToolKind, audit as audit_tools};
use ananke::context::Context;
use ananke::plan::PreparedHelper;
use ananke::run::Stopper;
use ananke::text::{escape, parse_duration};
use clap::Args;

use super::agent_project::{AgentProject, ServerNotes};
use super::audit_reports::{json_line, write_report};
use super::colour::is_dumb;
use super::exit::Exit;
use super::interrupt;
use super::output_files::ForceOption;
use super::permission::PermissionOptions;
use super::print::{print, print_now, say, say_styled};
use super::probe::{NamedAgent, PlaceOptions};
use super::recorded_selection::RecordedSelection;
use super::runtime::runtime;

#[derive(Debug, Args)]
pub(crate) struct AuditCommand {
    /// The target whose tools are called, or the URL of a server (default: the target of the config)
    #[arg(value_name = "TARGET | URL", conflicts_with = "target")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) place: PlaceOptions,
    /// Make the arguments with this number: the same number makes the same calls
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The most calls to one tool
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) calls: usize,
    /// Timeout for one call: `500ms`, `15s`
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Timeout for the whole audit
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub(crate) whole_timeout: Duration,
    /// Call only this tool (repeatable)
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    #[command(flatten)]
    pub(crate) permission: PermissionOptions,
    /// Warnings fail the audit too
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a report to a file (repeatable): `.json` for that JSON object, `.xml` for JUnit, `.md`, `.html`, `.tap`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) project: RecordedSelection,
}

impl AuditCommand {
    fn options(&self) -> AuditOptions {
        AuditOptions {
            seed: self.seed,
            most_calls: self.calls,
            timeout: self.timeout,
            whole_timeout: self.whole_timeout,
            only: self.tools.clone(),
            permitted: self.permission.permitted(),
        }
    }
}

/// Audits a target; the exit code says whether something is wrong.
pub(super) fn audit(command: &AuditCommand, context: &Context) -> Exit {
    let stopper = Stopper::default();
    let made = interrupt::listen(stopper.clone(), context, || {}).and_then(|()| runtime());
    let runtime = match made {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("error: {error}"));
            return Exit::Failure;
        }
    };
    let named = NamedAgent::of(
        command.name.as_deref(),
        &command.place,
        &command.project,
        context,
        &stopper,
    );
    let mut agent = match runtime.block_on(named) {
        Ok(named) if named.project.tool_kind() == ToolKind::Skill => {
            let speaks = named
                .found
                .map(|found| format!(", which speaks {},", found.speaks));
            say(&format!(
                "error: `{}`{} cannot be audited: the agent alone calls its tools\nhelp: name the target or the URL of a server that lets a test call them; `ananke init` writes tests of an agent",
                escape::line(&named.project.name),
                speaks.unwrap_or_default()
            ));
            return Exit::Failure;
        }
        Ok(named) => named.project,
        Err(exit) => return exit,
    };
    match runtime.block_on(audited(command, &mut agent, &stopper)) {
        _ if stopper.reason().is_some() => Exit::Interrupted,
        Ok(audit) => report(command, &audit, &agent),
        Err(Unaudited::Reported(exit)) => exit,
        Err(Unaudited::Message(message)) => {
            say(&format!("error: {}", agent.redactor.text(&message)));
            Exit::Failure
        }
    }
}

/// Why there is no audit.
enum Unaudited {
    /// It was reported.
    Reported(Exit),
    /// What went wrong.
    Message(String),
}

impl From<TargetError> for Unaudited {
    fn from(error: TargetError) -> Self {
        let help = error
            .help
            .as_ref()
            .map(|help| format!("\nhelp: {help}"))
            .unwrap_or_default();
        Self::Message(format!("{error}{help}"))
    }
}

/// The audit, while the servers of the project run.
async fn audited(
    command: &AuditCommand,
    agent: &mut AgentProject,
    stopper: &Stopper,
) -> Result<Audit, Unaudited> {
    let notes = if command.json {
        ServerNotes::Omitted
    } else {
        ServerNotes::Printed
    };
    let work = async |agent: &AgentProject, target: PreparedHelper| {
        let (helpers, options) = (agent.helpers(stopper), command.options());
        let mut progress = |step: AuditStep<'_>| show(step, command, agent);
        audit_tools(
            &agent.name,
            &helpers,
            &target,
            &options,
            &agent.context,
            &mut progress,
        )
        .await
    };
    let audited = agent
        .while_served(notes, command.project.color, stopper, work)
        .await;
    Ok(audited.map_err(Unaudited::Reported)??)
}

/// Shows a step: a finished tool, and on a terminal which call is made.
fn show(step: AuditStep<'_>, command: &AuditCommand, agent: &AgentProject) {
    /// Back to the start of the line, which is cleared.
    const CLEAR: &str = "\r\u{1b}[2K";
    let has_terminal = agent.context.stderr_is_terminal && !is_dumb(&agent.context);
    match step {
        _ if command.json => {}
        AuditStep::Calls { tool, call, of } if has_terminal => {
            let tool = escape::line(&agent.redactor.text(tool)).into_owned();
            say_styled(&format!("{CLEAR}  … {tool}  call {call} of {of}"));
        }
        AuditStep::Calls { .. } => {}
        AuditStep::Finished(audit) => {
            if has_terminal {
                say_styled(CLEAR);
            }
            let _lost = print_now(&audit.last_tool_text(&agent.redactor));
        }
    }
}

fn report(command: &AuditCommand, audit: &Audit, agent: &AgentProject) -> Exit {
    for file in &command.output {
        if let Err(error) = write_report(file, command.force, audit, agent) {
            say(&format!("error: {error}"));
            return Exit::Failure;
        }
    }
    let denied = if command.deny_warnings {
        audit.count(CheckLevel::Warning)
    } else {
        0
    };
    let is_good = audit.count(CheckLevel::Error) + denied == 0;
    let text = if command.json {
        json_line(audit, agent)
    } else {
        audit.end_text(&agent.redactor)
    };
    print(
        if is_good {
            Exit::Success
        } else {
            Exit::Failure
        },
        |out| out.write_all(text.as_bytes()),
    )
}
