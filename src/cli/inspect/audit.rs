//! `ananke audit`: calls the tools of an agent without any test, and says what is wrong.

use std::time::Duration;

use ananke::agents::{AgentTurns, ToolTurns};
use ananke::audit::{AuditOptions, AuditStep, audit as audit_tools};
use ananke::outcome::audit::Audit;
use ananke::report::{
    CommandDocument, DeniedLevels, DocumentText, audit_conclusion, write_audit_end,
    write_audited_tool,
};
use ananke::text::{all_of, escape, parse_duration};
use ananke::{context::Context, model::ReportFormat, plan::PreparedHelper, run::Stopper};
use clap::Args;

use super::audit_reports::write_reports;
use crate::cli::contact::{AgentProject, NamedAgent, PlaceOptions, ServerNotes};
use crate::cli::frame::{
    Colour, CommandOptions, Exit, Failed, interruptible, is_dumb, print_now, say_styled,
};
use crate::cli::options::{PermissionOptions, RecordedSelection};
use crate::cli::output::{DocumentFile, DocumentForm, DocumentOutput, ForceOption, OutputFiles};
use crate::cli::reporting::run_facts;

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

impl CommandOptions for AuditCommand {
    /// Audits a target; the exit code says whether something is wrong.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let is_document = |file: &&DocumentFile| file.format == ReportFormat::Json;
        let files: Vec<DocumentFile> = self.output.iter().filter(is_document).cloned().collect();
        let output = DocumentOutput {
            form: self.form,
            colour: self.project.color,
            files: &files,
            force: self.force,
            context,
        };
        let mut text = output.text();
        let (audit, agent) = interruptible(context, async |stopper| {
            let name = self.name.as_deref();
            let named = NamedAgent::of(name, &self.place, &self.project, context, stopper).await?;
            let turns = audited_turns(&named)?;
            let files = self.output.iter().map(DocumentFile::named);
            OutputFiles::of(context, self.force).check_named(files, context)?;
            let mut agent = named.project;
            let audit = audited(self, &mut agent, turns, stopper, &mut text).await?;
            Ok((audit, agent))
        })?;
        report(self, audit, &agent, &output, text)
    }

    fn colour(&self) -> Colour {
        self.project.color
    }
}

/// The turns by which a test calls the tools of an agent.
///
/// # Errors
/// If the agent alone calls them.
fn audited_turns(named: &NamedAgent) -> Result<ToolTurns, Failed> {
    match named.project.turns {
        AgentTurns::Tools(turns) => Ok(turns),
        AgentTurns::User => {
            let speaks = named.found.as_ref();
            let speaks = speaks.map(|found| format!(", which speaks {},", found.speaks));
            let message = format!(
                "`{}`{} cannot be audited: the agent alone calls its tools",
                escape::line(&named.project.name),
                speaks.unwrap_or_default()
            );
            // The tools that a model is given may be those of servers, which can be audited.
            let servers = tool_servers(&named.project);
            let help = if servers.is_empty() {
                "name the target or the URL of a server that lets a test call them; `ananke init` writes tests of an agent".to_owned()
            } else {
                format!(
                    "its tools are those of {}: audit the server itself",
                    all_of(&servers)
                )
            };
            Err(Failed::new(message).help(help))
        }
    }
}

/// The servers whose tools the target of `agent` declares, in code spans.
fn tool_servers(agent: &AgentProject) -> Vec<String> {
    let mut servers = Vec::new();
    for case in &agent.plan.cases {
        for name in &case.test.tool_servers {
            servers.push(format!("`{}`", escape::line(name)));
        }
    }
    servers
}

/// The audit, while the servers of the project run. Its tools are printed one by one, from `text`.
async fn audited(
    command: &AuditCommand,
    agent: &mut AgentProject,
    turns: ToolTurns,
    stopper: &Stopper,
    text: &mut DocumentText,
) -> Result<Audit, Failed> {
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
    agent
        .while_served(
            ServerNotes::of(command.form),
            command.project.color,
            stopper,
            work,
        )
        .await
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
) -> Result<Exit, Failed> {
    let facts = run_facts(std::env::args_os(), &agent.plan, &agent.context);
    let (audit, facts) = (agent.redactor.seal(audit), agent.redactor.seal(facts));
    let denied = if command.deny_warnings {
        DeniedLevels::ErrorsAndWarnings
    } else {
        DeniedLevels::Errors
    };
    write_reports(&command.output, &audit, &facts, denied, agent)?;
    write_audit_end(&mut text, &audit);
    let document = CommandDocument {
        facts: &facts,
        found: &*audit,
        conclusion: audit_conclusion(&audit, denied),
    };
    output.write_rest(&document, text)
}
