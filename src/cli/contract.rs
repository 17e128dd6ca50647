//! `ananke contract`: which recorded calls the tools of a target would refuse now.

use std::path::PathBuf;

use ananke::context::Context;
use ananke::contract::{ContractReport, recorded_calls, recordings_below, refusals};
use ananke::freeze::FreezeError;
use ananke::plan::{PreparedHelper, Selection};
use ananke::report::{CommandDocument, contract_conclusion};
use ananke::run::Stopper;
use clap::Args;

use super::agent_project::{AgentProject, ServerNotes};
use super::document_file::DocumentFile;
use super::document_output::{DocumentForm, DocumentOutput};
use super::exit::Exit;
use super::freeze::report;
use super::interrupt;
use super::named_path::named_path;
use super::output_files::ForceOption;
use super::recorded_selection::RecordedSelection;
use super::run_facts::run_facts;
use super::runtime::runtime;
use super::shown_path::shown_path;

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

/// Compares recorded calls with the tools that a target lists now; the exit code says whether one would be refused.
pub(super) fn contract(options: &ContractOptions, context: &Context) -> Exit {
    let mut agent = match AgentProject::of(&options.project, context) {
        Ok(agent) => agent,
        Err(exit) => return exit,
    };
    let stopper = Stopper::default();
    let made = interrupt::listen(stopper.clone(), context, || {}).and_then(|()| runtime());
    let compared = match made {
        Ok(runtime) => runtime.block_on(compared(options, &mut agent, context, &stopper)),
        Err(error) => Err(Uncompared::Refused(FreezeError::Refused {
            message: error.to_string(),
            help: None,
        })),
    };
    match compared {
        _ if stopper.reason().is_some() => Exit::Interrupted,
        Err(Uncompared::Reported(exit)) => exit,
        Err(Uncompared::Refused(error)) => report(&error, options.project.color, context),
        Ok(found) => {
            let facts = run_facts(std::env::args_os(), &agent.plan, &agent.context);
            let (found, facts) = (agent.redactor.seal(found), agent.redactor.seal(facts));
            let output = DocumentOutput {
                form: options.form,
                colour: options.project.color,
                files: &options.output,
                force: options.force,
                context,
            };
            output.write(&CommandDocument {
                facts: &facts,
                found: &*found,
                conclusion: contract_conclusion(&found),
            })
        }
    }
}

/// The reason that nothing was compared.
enum Uncompared {
    /// It was reported.
    Reported(Exit),
    /// The error.
    Refused(FreezeError),
}

impl From<FreezeError> for Uncompared {
    fn from(error: FreezeError) -> Self {
        Self::Refused(error)
    }
}

async fn compared(
    options: &ContractOptions,
    agent: &mut AgentProject,
    context: &Context,
    stopper: &Stopper,
) -> Result<ContractReport, Uncompared> {
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
            return Err(FreezeError::refused(
                message,
                "record tests with `ananke run --record DIR`",
            )
            .into());
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
) -> Result<Vec<ananke::message::DeclaredTool>, Uncompared> {
    let notes = if options.form.json {
        ServerNotes::Omitted
    } else {
        ServerNotes::Printed
    };
    let work = async |agent: &AgentProject, target: PreparedHelper| {
        let declared = agent.helpers(stopper).declared_tools(&target).await;
        declared.map_err(|error| {
            let message = format!(
                "the tools of the target `{}` are not known: {error}",
                agent.name
            );
            FreezeError::Refused {
                message,
                help: error.help,
            }
        })
    };
    let declared = agent
        .while_served(notes, options.project.color, stopper, work)
        .await
        .map_err(Uncompared::Reported)?
        .map_err(Uncompared::Refused);
    Ok(declared?.unwrap_or_default())
}
