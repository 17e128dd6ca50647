//! `ananke contract`: which recorded calls the tools of a target would refuse now.

use std::path::PathBuf;

use ananke::contract::{recorded_calls, recordings_below, refusals};
use ananke::outcome::contract::ContractReport;
use ananke::plan::{PreparedHelper, Selection};
use ananke::report::{CommandDocument, contract_conclusion};
use ananke::{context::Context, message::DeclaredTool, run::Stopper};
use clap::Args;

use crate::cli::contact::{AgentProject, AgentTools, ServerNotes};
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, interruptible};
use crate::cli::options::RecordedSelection;
use crate::cli::output::{
    DocumentFile, DocumentForm, DocumentOutput, ForceOption, named_path, shown_path,
};
use crate::cli::reporting::run_facts;

#[derive(Debug, Args)]
pub(crate) struct ContractOptions {
    /// Recordings, or directories of recordings
    #[arg(value_name = "RECORDINGS", required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// The target that the recordings are of, if it was chosen on the command line
    #[arg(long, value_name = "NAME")]
    pub(crate) recorded_target: Option<String>,
    #[command(flatten)]
    pub(crate) form: DocumentForm,
    /// Also write the report to a file; `.json` as `--json`; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = DocumentFile::parse::<ContractReport>)]
    pub(crate) output: Vec<DocumentFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) project: RecordedSelection,
}

impl CommandOptions for ContractOptions {
    /// Compares recorded calls with the tools that a target lists now; the exit code says whether one would be refused.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let mut agent = AgentProject::of_any(&self.project, context)?;
        let output = DocumentOutput {
            form: self.form,
            colour: self.project.color,
            files: &self.output,
            force: self.force,
            context,
        };
        output.check()?;
        let found = interruptible(context, async |stopper| {
            compared(self, &mut agent, context, stopper).await
        })?;
        let facts = run_facts(std::env::args_os(), &agent.plan, &agent.context);
        let (found, facts) = (agent.redactor.seal(found), agent.redactor.seal(facts));
        output.write(&CommandDocument {
            facts: &facts,
            found: &*found,
            conclusion: contract_conclusion(&found),
        })
    }

    fn colour(&self) -> Colour {
        self.project.color
    }
}

async fn compared(
    options: &ContractOptions,
    agent: &mut AgentProject,
    context: &Context,
    stopper: &Stopper,
) -> Result<ContractReport, Failed> {
    let given = options.project.selection();
    let selection = Selection {
        target: options.recorded_target.clone().into(),
        ..given
    };
    let (mut calls, mut recordings) = (Vec::new(), 0);
    for path in &options.recordings {
        let (path, shown) = named_path(path, context);
        let found = recordings_below(&path);
        if found.is_empty() {
            let message = format!("there is no recording in `{shown}`");
            return Err(Failed::new(message).help("record tests with `ananke run --record DIR`"));
        }
        for file in found {
            let shown = shown_path(&file, context);
            calls.extend(recorded_calls(context, &selection, &file, &shown).await?);
            recordings += 1;
        }
    }
    let tools = listed(options, agent, stopper).await?;
    Ok(ContractReport {
        target: agent.name.clone(),
        recordings,
        calls: calls.len(),
        refusals: refusals(&calls, &tools),
    })
}

/// The tools of the target, listed while the servers of the project run.
async fn listed(
    options: &ContractOptions,
    agent: &mut AgentProject,
    stopper: &Stopper,
) -> Result<Vec<DeclaredTool>, Failed> {
    let work = async |agent: &AgentProject, target: PreparedHelper| {
        let (AgentTools::Listed(tools) | AgentTools::OfClient(tools)) =
            agent.tools(target, stopper).await?;
        if tools.is_empty() {
            let message = format!(
                "the target `{}` neither lists tools nor has `client_tools`",
                agent.name
            );
            return Err(Failed::new(message).help("name a target that has tools with `--target`"));
        }
        Ok(tools)
    };
    let notes = ServerNotes::of(options.form);
    agent
        .while_served(notes, options.project.color, stopper, work)
        .await
}
