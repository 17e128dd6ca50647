//! `ananke mock`: a server that answers as an agent does.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::Context;
use ananke::http_server::{AnsweredPages, HttpListener, ServerNotice};
use ananke::mock::{
    EmbeddedAgent, Fault, MockAgent, MockOptions, MockServer, RecordedAgent, RequestEntry,
    RequestListener, Speed,
};
use ananke::run::{Reason, Stopper};
use ananke::source::reason;
use clap::Args;

use super::freeze::open_recording;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, Signals, block_on, print_now};
use crate::cli::options::{AccessOptions, RecordedSelection};
use crate::cli::output::{ForceOption, OutputFiles, OutputKind, OutputThread, Outputs, named_path};

#[derive(Debug, Args)]
pub(crate) struct MockCommand {
    /// Answer as in this recording (default: as the target of the config does, if it is scripted)
    #[arg(value_name = "RECORDING")]
    pub(crate) recording: Option<PathBuf>,
    /// Listen on this port; 0 lets the system choose one
    #[arg(short, long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Listen at this address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// How fast the agent answers: 1 as it did, 10 ten times faster, `max` at once
    #[arg(long, value_name = "TIMES", default_value = "1")]
    pub(crate) speed: Speed,
    /// What goes wrong with every response: `delay=MS`, `cut`, `error`, `malformed` or `order`, at event N with `@N` (repeatable).
    /// The header `x-ananke-fault` asks for one response
    #[arg(long = "fault", value_name = "FAULT")]
    pub(crate) faults: Vec<Fault>,
    /// Only the first N requests have the fault
    #[arg(long, value_name = "N", requires = "faults")]
    pub(crate) fault_requests: Option<u64>,
    /// Append an entry of each request to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) access: AccessOptions,
    #[command(flatten)]
    pub(crate) recorded: RecordedSelection,
}

impl CommandOptions for MockCommand {
    /// Serves until a signal comes.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        block_on(serve(self, context))??;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.recorded.color
    }
}

async fn serve(options: &MockCommand, context: &Context) -> Result<(), Failed> {
    let agent = agent(options, context).await?;
    let stopper = Stopper::default();
    let stderr = Outputs::of_program(&stopper).stderr;
    let listener = RequestPrinter {
        stderr: stderr.clone(),
        file: options
            .log
            .as_ref()
            .map(|log| open_log(log, context))
            .transpose()?,
    };
    let described = agent.describe();
    let server = MockOptions {
        speed: options.speed,
        faults: options.faults.clone(),
        fault_requests: options.fault_requests,
    };
    let server = MockServer::new(agent, server, Arc::new(listener));
    let mut signals = Signals::listen(context)?;
    let port = HttpListener::bind(options.host, options.port).await;
    let port = port.map_err(|error| {
        let (host, port) = (options.host, options.port);
        Failed::new(format!("cannot listen on {host}, port {port}: {error}"))
            .help("choose another port, or 0 for one that is free")
    })?;
    print_now(&format!("http://{}\n", port.address()))?;
    if !port.address().ip().is_loopback() {
        stderr.note("warning: other machines can reach this port, and pages of any site");
    }
    stderr.note(&format!("serving {described}; Ctrl-C ends it"));
    let access = options.access.access(AnsweredPages::OfThisMachine);
    let notices = stderr.clone();
    let notice: ServerNotice = Arc::new(move |line| notices.note(line));
    tokio::select! {
        () = port.serve(Arc::new(server), access, notice) => {}
        () = signals.next() => {}
    }
    // A reader that has stopped is not waited for.
    stopper.stop(Reason::Interrupted);
    let _lost = stderr.finish();
    Ok(())
}

/// The agent that answers.
async fn agent(options: &MockCommand, context: &Context) -> Result<Box<dyn MockAgent>, Failed> {
    let selection = options.recorded.selection();
    let Some(file) = &options.recording else {
        return Ok(Box::new(EmbeddedAgent::of_project(context, &selection)?));
    };
    let (path, shown) = named_path(file, context);
    let recording = open_recording(&path, &shown)?;
    context.files.note(&path);
    Ok(Box::new(
        RecordedAgent::of(context, &recording, &shown, &selection).await?,
    ))
}

/// The log of a server, at whose end entries are added.
pub(super) fn open_log(log: &Path, context: &Context) -> Result<Mutex<File>, Failed> {
    let (path, shown) = named_path(log, context);
    OutputFiles::of(context, ForceOption::default()).check(&path, log, OutputKind::Log)?;
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.map(Mutex::new).map_err(|error| {
        Failed::new(format!(
            "the log `{shown}` cannot be written: {}",
            reason(&error)
        ))
        .help("name a file in a directory that exists")
    })
}

/// Prints a line for each request to standard error, and writes an entry to the log.
struct RequestPrinter {
    stderr: OutputThread,
    file: Option<Mutex<File>>,
}

impl RequestListener for RequestPrinter {
    fn request(&self, entry: &RequestEntry) {
        self.stderr.note(&entry.line());
        // A log that takes nothing more ends nothing else.
        if let (Some(file), Ok(mut line)) = (&self.file, serde_json::to_string(entry)) {
            line.push('\n');
            let _ = file
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .write_all(line.as_bytes());
        }
    }
}
