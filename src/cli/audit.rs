//! `ananke audit`: calls the tools of an agent without any test, and says what is wrong.

use std::time::Duration;

use ananke::agents::TargetError;
use ananke::agents::{AgentTurns, ToolTurns};
use ananke::audit::{Audit, AuditOptions, AuditStep, audit as audit_tools};
use ananke::context::Context;
use ananke::model::ReportFormat;
use ananke::plan::PreparedHelper;
use ananke::report::{
    CommandDocument, DeniedLevels, DocumentText, audit_conclusion, write_audit_end,
    write_audited_tool,
};
use ananke::run::Stopper;
use ananke::text::{escape, parse_duration};
use clap::Args;

use super::agent_project::{AgentProject, ServerNotes};
use super::audit_reports::write_reports;
use super::colour::is_dumb;
use super::document_file::DocumentFile;
use super::document_output::{DocumentForm, DocumentOutput};
use super::exit::Exit;
use super::interrupt;
use super::output_files::ForceOption;
use super::permission::PermissionOptions;
use super::print::{print_now, say, say_styled};
use super::probe::{NamedAgent, PlaceOptions};
use super::recorded_selection::RecordedSelection;
use super::run_facts::run_facts;
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
    #[command(flatten)]
    pub(crate) form: DocumentForm,
    /// Also write a report to a file (repeatable): `.json` for that JSON object, `.xml` for JUnit, `.md`, `.html`, `.tap`
    #[arg(short, long, value_name = "FILE", value_parser = DocumentFile::parse::<Audit>)]
    pub(crate) output: Vec<DocumentFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) project: RecordedSelection,
}

impl AuditCommand {
    fn options(&self, turns: ToolTurns) -> AuditOptions {
        AuditOptions {
            turns,
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
    let named = match runtime.block_on(named) {
        Ok(named) => named,
        Err(exit) => return exit,
    };
    let mut agent = named.project;
    let turns = match agent.turns {
        AgentTurns::Tools(turns) => turns,
        AgentTurns::User => {
            let speaks = named
                .found
                .map(|found| format!(", which speaks {},", found.speaks));
            say(&format!(
                "error: `{}`{} cannot be audited: the agent alone calls its tools\nhelp: name the target or the URL of a server that lets a test call them; `ananke init` writes tests of an agent",
                escape::line(&agent.name),
                speaks.unwrap_or_default()
            ));
            return Exit::Failure;
        }
    };
    let is_document = |file: &&DocumentFile| file.format == ReportFormat::Json;
    let files: Vec<DocumentFile> = command.output.iter().filter(is_document).cloned().collect();
    let output = DocumentOutput {
        form: command.form,
        colour: command.project.color,
        files: &files,
        force: command.force,
        context,
    };
    let mut text = output.text();
    match runtime.block_on(audited(command, &mut agent, turns, &stopper, &mut text)) {
        _ if stopper.reason().is_some() => Exit::Interrupted,
        Ok(audit) => report(command, audit, &agent, &output, text),
        Err(Unaudited::Reported(exit)) => exit,
        Err(Unaudited::Message(message)) => {
            say(&format!("error: {}", agent.redactor.text(&message)));
            Exit::Failure
        }
    }
}

/// The reason that there is no audit.
enum Unaudited {
    /// It was reported.
    Reported(Exit),
    /// The error, in words.
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

/// The audit, while the servers of the project run. Its tools are printed one by one, from `text`.
async fn audited(
    command: &AuditCommand,
    agent: &mut AgentProject,
    turns: ToolTurns,
    stopper: &Stopper,
    text: &mut DocumentText,
) -> Result<Audit, Unaudited> {
    let notes = if command.form.json {
        ServerNotes::Omitted
    } else {
        ServerNotes::Printed
    };
    let work = async |agent: &AgentProject, target: PreparedHelper| {
        let (helpers, options) = (agent.helpers(stopper), command.options(turns));
        let mut progress = |step: AuditStep<'_>| show(step, command, agent, text);
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
fn show(
    step: AuditStep<'_>,
    command: &AuditCommand,
    agent: &AgentProject,
    text: &mut DocumentText,
) {
    /// Back to the start of the line, which is cleared.
    const CLEAR: &str = "\r\u{1b}[2K";
    let has_terminal = agent.context.stderr_is_terminal && !is_dumb(&agent.context);
    match step {
        _ if command.form.json => {}
        AuditStep::Calls { tool, call, of } if has_terminal => {
            let tool = escape::line(&agent.redactor.text(tool)).into_owned();
            say_styled(&format!("{CLEAR}  … {tool}  call {call} of {of}"));
        }
        AuditStep::Calls { .. } => {}
        AuditStep::Finished(audit) => {
            if has_terminal {
                say_styled(CLEAR);
            }
            let audit = agent.redactor.seal(audit.clone());
            write_audited_tool(text, &audit, audit.tools.len() - 1);
            let _lost = print_now(&text.take());
        }
    }
}

/// Writes the reports, and prints what is left of `text`.
fn report(
    command: &AuditCommand,
    audit: Audit,
    agent: &AgentProject,
    output: &DocumentOutput<'_>,
    mut text: DocumentText,
) -> Exit {
    let facts = run_facts(std::env::args_os(), &agent.plan, &agent.context);
    let (audit, facts) = (agent.redactor.seal(audit), agent.redactor.seal(facts));
    let denied = if command.deny_warnings {
        DeniedLevels::ErrorsAndWarnings
    } else {
        DeniedLevels::Errors
    };
    if let Err(error) = write_reports(&command.output, command.force, &audit, &facts, agent) {
        say(&format!("error: {error}"));
        return Exit::Failure;
    }
    write_audit_end(&mut text, &audit);
    let document = CommandDocument {
        facts: &facts,
        found: &*audit,
        conclusion: audit_conclusion(&audit, denied),
    };
    output.write_rest(&document, text)
}
