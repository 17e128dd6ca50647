//! The command `ananke record`: options, and the way from a conversation to a file.

use std::path::PathBuf;
use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::context::Context;
use ananke::plan::{Plan, Selection};
use ananke::process::TerminalMode;
use ananke::project::Variables;
use ananke::record::{HeldConversation, RecordRequest, hold, record as record_conversations};
use ananke::run::{ConversationOrigin, Options, Run, Stopper, event_channel};
use clap::Args;

use super::{dialog::Dialog, proxy::ProxyRecording, write};
use crate::cli::contact::Services;
use crate::cli::frame::{
    Colour, CommandOptions, Exit, Failed, block_on, interruptible_at_terminal,
};
use crate::cli::options::{AccessOptions, variable};
use crate::cli::output::{ForceOption, OutputFiles, Outputs, Screen, named_path};

/// The file of the tests if none is named.
const FILE: &str = "recorded.test.yaml";

/// The directory of the recordings if none is named.
const FOLDER: &str = "recordings";

#[derive(Debug, Args)]
pub(crate) struct RecordOptions {
    /// Write the test to this file
    #[arg(short, long, value_name = "FILE", default_value = FILE)]
    pub(crate) output: PathBuf,
    /// Write its recording below this directory
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    pub(crate) recordings: PathBuf,
    /// Record what a front end says to the agent: listen on this port, and pass everything on; 0 lets the system choose the port
    #[arg(long, value_name = "PORT")]
    pub(crate) proxy: Option<u16>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) access: AccessOptions,
    /// The agent: one of the config's `targets`, or its `agentId` (default: that of the config)
    #[arg(short = 'n', long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// Set a variable (string); the test gets it, unless it is secret (repeatable)
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// A file of environment variables (`NAME=value` lines), for `${ENV.NAME}` and for programs that are started (repeatable)
    #[arg(long = "env-file", value_name = "FILE")]
    pub(crate) env_files: Vec<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl RecordOptions {
    fn request(&self, context: &Context) -> RecordRequest {
        let given = self.variables.iter().cloned().collect();
        let selection = Selection {
            config: self.config.clone(),
            target: self.target.clone().into(),
            env_files: self.env_files.clone(),
            variables: Variables {
                given,
                ..Variables::default()
            },
            ..Selection::default()
        };
        let file = named_path(&self.output, context).0;
        let folder = context.working_directory.join(&self.recordings);
        RecordRequest {
            selection,
            file,
            folder,
            origin: "Recorded with `ananke record`",
        }
    }

    /// The name of the test: that of its file, in words.
    fn name(&self) -> String {
        let name = self
            .output
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let endings = [".test.yaml", ".test.yml", ".yaml", ".yml"];
        let stem = endings
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(&name);
        stem.replace(['-', '_'], " ")
    }
}

impl CommandOptions for RecordOptions {
    /// Holds a conversation, and writes it as a test.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let (request, name) = (self.request(context), self.name());
        if let Some(port) = self.proxy {
            return ProxyRecording {
                request,
                name,
                port,
                force: self.force,
                access: self.access.clone(),
                colour: self.color,
                context,
            }
            .carry_out();
        }
        let (plan, unsaved) = request.blank_test(context, &name, &[])?;
        let files = request.files(&plan);
        let output = OutputFiles::of(context, self.force);
        output.check_sources(files.iter().map(PathBuf::as_path), context)?;
        let mode = Arc::new(TerminalMode::now());
        let restored = Arc::clone(&mode);
        let clear = move || restored.restore();
        let (held, dialog, outputs) = interruptible_at_terminal(context, clear, async |stopper| {
            let outputs = Outputs::of_program(stopper);
            let dialog = Arc::new(Dialog::new(context, &outputs, stopper));
            dialog.begin(&plan, &self.output);
            let held = converse(&dialog, plan, &unsaved, stopper, &outputs, self.color);
            let held = Box::pin(held).await;
            mode.restore();
            Ok((held?, dialog, outputs))
        })?;
        let file = block_on(record_conversations(context, &request, vec![(name, held)]))??;
        let exit = write(&file, &outputs, context)?;
        Ok(if dialog.is_complete() {
            exit
        } else {
            Exit::Failure
        })
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

/// Holds the conversation, while the servers of the project run.
async fn converse(
    dialog: &Arc<Dialog>,
    mut plan: Plan,
    context: &Context,
    stopper: &Stopper,
    outputs: &Outputs,
    colour: Colour,
) -> Result<HeldConversation, Failed> {
    let context = Context {
        environment: Arc::clone(&plan.environment),
        ..context.clone()
    };
    let redactor = plan.redactor.clone();
    let screen = Screen {
        live: None,
        is_quiet: false,
        colour,
        context: &context,
        redactor: &redactor,
        outputs,
    };
    let services = Services::start(&mut plan, &context, stopper.token(), screen).await;
    let services = services.map_err(|_why| Failed::REPORTED)?;
    let (sender, events) = event_channel(1);
    let transport = Arc::new(HttpTransport::new(context.clock.clone()));
    let mut shared = Run::new(
        context.clone(),
        transport,
        redactor.clone(),
        Options::default(),
        sender,
    );
    shared.stopper = stopper.clone();
    shared.servers = services.watch();
    shared.conversations = ConversationOrigin::Driver(Arc::clone(dialog) as _);
    let held = hold(shared, events, plan).await;
    let is_torn_down = services.stop(screen).await;
    let held = held?;
    if is_torn_down {
        Ok(held)
    } else {
        Err(Failed::REPORTED)
    }
}
