//! `ananke model`: a server that replaces the model that an agent's own code asks.

use std::fs::File;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::{Context, Environment};
use ananke::http_server::{AnsweredPages, HttpListener, ServerNotice};
use ananke::process::{ExitStatus, Foreground, Program, StartError, start_in_foreground};
use ananke::provider::{
    ControlledServer, KeptRequests, ModelLanes, ModelListener, ModelProblem, ModelProblemKind,
    ModelRequestEntry, ModelServer, PROVIDER_KEYS, provider_environment,
};
use clap::Args;

use super::mock::open_log;
use super::model_answer_options::ModelAnswerOptions;
use crate::cli::frame::{
    Colour, CommandOptions, Exit, Failed, Signals, StopSignal, block_on, print_now, say,
};
use crate::cli::options::AccessOptions;

/// Added to the number of a signal that ended a program, as shells do.
const ENDED_BY_SIGNAL: i32 = 128;

#[derive(Debug, Args)]
pub(crate) struct ModelCommand {
    #[command(flatten)]
    pub(crate) answers: ModelAnswerOptions,
    /// Listen on this port; 0 lets the system choose one
    #[arg(short, long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Listen at this address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Append an entry of each request to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) access: AccessOptions,
    /// Run this command with the model's address in its environment, and end with its exit code; without one, serve until Ctrl-C
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl CommandOptions for ModelCommand {
    /// Serves until the command ends or a signal comes, and reports what went wrong.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        block_on(serve(self, context))?
    }

    fn colour(&self) -> Colour {
        Colour::Auto
    }
}

async fn serve(options: &ModelCommand, context: &Context) -> Result<Exit, Failed> {
    let lanes = Arc::new(options.answers.open_lanes(&options.command, context)?);
    let listener = Arc::new(RequestLog::open(options, context)?);
    let mut signals = Signals::listen(context)?;
    let port = HttpListener::bind(options.host, options.port).await;
    let port = port.map_err(|error| {
        Failed::new(format!(
            "cannot listen on {}, port {}: {error}",
            options.host, options.port
        ))
        .help("choose another port, or 0 for one that is free")
    })?;
    let url = url_of(port.address());
    if !port.address().ip().is_loopback() {
        say("warning: other machines can reach this port");
    }
    let requests = Arc::new(KeptRequests::new(Arc::clone(&listener) as _));
    let server = ControlledServer {
        server: ModelServer::new(Arc::clone(&lanes), Arc::new([]), Arc::clone(&requests) as _),
        lanes: Arc::clone(&lanes),
        requests,
    };
    let access = options.access.access(AnsweredPages::Nobodys);
    let notice: ServerNotice = Arc::new(say);
    let serving = port.serve(Arc::new(server), access, notice);
    let ended = if options.command.is_empty() {
        print_now(&format!("{url}\n"))?;
        tokio::select! {
            () = serving => Exit::Success,
            () = signals.next() => Exit::Success,
        }
    } else {
        say(&format!("the model is at {url}"));
        let mut program = start(options, &url, context)?;
        tokio::select! {
            () = serving => Exit::Success,
            ended = follow(&mut program, &mut signals, context) => exit_of(ended?),
        }
    };
    Ok(verdict(&lanes, &listener, ended))
}

/// The address at which programs on this machine reach the port.
fn url_of(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        let loopback = match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        address.set_ip(loopback);
    }
    format!("http://{address}")
}

/// Starts the command, which finds the model in its environment.
fn start(options: &ModelCommand, url: &str, context: &Context) -> Result<Foreground, Failed> {
    let mut environment = Environment::clone(&context.environment);
    let no_proxy = environment.text("NO_PROXY").map(str::to_owned);
    for (name, value) in provider_environment(url, no_proxy.as_deref()) {
        // The provider that is recorded needs the keys.
        if options.answers.asks_provider() && PROVIDER_KEYS.contains(&name) {
            continue;
        }
        match value {
            Some(value) => environment.set(name, value),
            None => environment.remove(name),
        }
    }
    let program = Program {
        argv: &options.command,
        environment: &environment,
        folder: &context.working_directory,
        folder_name: ".",
    };
    let started = start_in_foreground(&program);
    started.map_err(|StartError { message, help }| {
        Failed::new(format!("the command {message}")).help(help)
    })
}

/// Waits for the end of the program. A signal is passed on, and the program decides what it means.
async fn follow(
    program: &mut Foreground,
    signals: &mut Signals,
    context: &Context,
) -> std::io::Result<ExitStatus> {
    // The keys of a terminal send their signal to the program as well.
    let has_terminal =
        context.stdin_is_terminal || context.stdout_is_terminal || context.stderr_is_terminal;
    loop {
        let signal = tokio::select! {
            ended = program.ends() => return ended,
            signal = signals.next_signal() => signal,
        };
        match signal {
            StopSignal::Interrupt if has_terminal => {}
            StopSignal::Interrupt => program.interrupt(),
            StopSignal::Terminate => program.terminate(),
        }
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    let code = match status {
        ExitStatus::Exit(code) => code,
        ExitStatus::Signal(signal) => ENDED_BY_SIGNAL + signal,
    };
    match u8::try_from(code) {
        Ok(0) => Exit::Success,
        Ok(code) => Exit::OfProgram(code),
        // Some systems have larger codes, and a shell shows none of them.
        Err(_) => Exit::Failure,
    }
}

/// Prints the problems of all lanes. One of them makes a failure of what ended well.
fn verdict(lanes: &ModelLanes, log: &RequestLog, ended: Exit) -> Exit {
    let lanes = lanes.all();
    let mut printed: Vec<ModelProblem> = Vec::new();
    for lane in &lanes {
        lane.finish();
        let happened = lane.take();
        for warning in &happened.warnings {
            say(&warning.to_string());
        }
        if let Some(recorded) = lane.recorded() {
            say(&recorded);
        }
        for problem in happened.problems {
            // A request of no certain lane is a problem of every lane that it may be of.
            if printed.contains(&problem) {
                continue;
            }
            if lanes.len() > 1 && problem.kind != ModelProblemKind::Unattributed {
                say(&format!("lane `{}`", lane.name()));
            }
            say(&problem.to_string());
            printed.push(problem);
        }
        if happened.more_problems > 0 {
            let more = happened.more_problems;
            say(&format!(
                "and {more} more problems of lane `{}`",
                lane.name()
            ));
        }
    }
    let has_problem = log.has_problem() || !printed.is_empty();
    if has_problem && ended == Exit::Success {
        return Exit::Failure;
    }
    ended
}

/// Writes an entry of each request to the log, and prints what belongs to no lane.
struct RequestLog {
    file: Option<Mutex<File>>,
    has_problem: Mutex<bool>,
}

impl RequestLog {
    fn open(options: &ModelCommand, context: &Context) -> Result<Self, Failed> {
        let file = match &options.log {
            Some(log) => Some(open_log(log, context)?),
            None => None,
        };
        Ok(Self {
            file,
            has_problem: Mutex::new(false),
        })
    }

    fn has_problem(&self) -> bool {
        *self
            .has_problem
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelListener for RequestLog {
    fn request(&self, entry: &ModelRequestEntry) {
        let Some(file) = &self.file else {
            return;
        };
        if let Ok(mut line) = serde_json::to_string(entry) {
            line.push('\n');
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            // A log that takes nothing more ends nothing else, because the agent needs its answers.
            let _lost = file.write_all(line.as_bytes());
        }
    }

    fn unattributed(&self, problem: &ModelProblem) {
        say(&problem.to_string());
        *self
            .has_problem
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
    }
}
