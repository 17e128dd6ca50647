//! `ananke audit`: calls the tools of an agent without any test, and says what is wrong.

use std::path::PathBuf;
use std::time::Duration;

use ananke::agents::TargetError;
use ananke::audit::{Audit, AuditOptions, CheckLevel, audit as audit_tools};
use ananke::context::Context;
use ananke::run::Stopper;
use ananke::text::parse_duration;
use clap::Args;

use super::agent_project::AgentProject;
use super::audit_reports::{json_line, write_report};
use super::exit::Exit;
use super::interrupt;
use super::output_files::ForceOption;
use super::outputs::Outputs;
use super::permission::PermissionOptions;
use super::print::{print, say};
use super::recorded_selection::RecordedSelection;
use super::runtime::runtime;
use super::screen::Screen;
use super::services::Services;

#[derive(Debug, Args)]
pub(crate) struct AuditCommand {
    /// The target whose tools are called (default: that of the config)
    #[arg(value_name = "TARGET", conflicts_with = "target")]
    pub(crate) name: Option<String>,
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
    let mut project = command.project.clone();
    project.target = command.name.clone().or(project.target);
    let mut agent = match AgentProject::of(&project, context) {
        Ok(agent) => agent,
        Err(exit) => return exit,
    };
    let stopper = Stopper::default();
    let made = interrupt::listen(stopper.clone(), context, || {}).and_then(|()| runtime());
    let audited = match made {
        Ok(runtime) => runtime.block_on(audited(command, &mut agent, &stopper)),
        Err(error) => Err(Unaudited::Message(error.to_string())),
    };
    match audited {
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
    let outputs = Outputs::of_program(stopper);
    let (context, redactor) = (agent.context.clone(), agent.redactor.clone());
    let colour = command.project.color;
    let screen = Screen {
        live: None,
        is_quiet: command.json,
        colour,
        context: &context,
        redactor: &redactor,
        outputs: &outputs,
    };
    let services = Services::start(&mut agent.plan, &context, stopper.token(), screen).await;
    let services = services.map_err(|_reported| Unaudited::Reported(Exit::Failure))?;
    let audited = match agent.target(colour) {
        Ok(target) => {
            let (helpers, options) = (agent.helpers(stopper), command.options());
            audit_tools(&agent.name, &helpers, &target, &options, &context)
                .await
                .map_err(Unaudited::from)
        }
        Err(exit) => Err(Unaudited::Reported(exit)),
    };
    services.stop(screen).await;
    audited
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
        audit.text(&agent.redactor)
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
