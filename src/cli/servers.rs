//! The servers of the config: started if something is sent to them; if one cannot start, that is reported.

use std::io::Write as _;

use ananke::context::{Context, OutputStream, TerminalSize};
use ananke::plan::{CaseEntry, Plan};
use ananke::project::ServerCommand;
use ananke::recording::{RecordingMode, Recordings};
use ananke::redact::Redactor;
use ananke::report::terminal::LiveArea;
use ananke::report::terminal::last_words;
use ananke::server::{ServerStartError, Servers};
use tokio_util::sync::CancellationToken;

use super::colour::Colour;
use super::outputs::Outputs;
use super::print_problems::print_problems_above;
use super::report_options::ReportOptions;

/// The servers that the tests of `plan` need: none where none of them talks to an agent.
pub(super) fn needed(plan: &mut Plan, recordings: Option<&Recordings>) -> Vec<ServerCommand> {
    let is_live = |case: &CaseEntry| match recordings {
        None => true,
        Some(recordings) => match recordings.mode {
            RecordingMode::Record => true,
            RecordingMode::Replay => false,
            RecordingMode::RecordMissing => !recordings.has(&case.id()),
        },
    };
    let mut running = plan.cases.iter().filter(|case| case.test.skip.is_none());
    if running.any(is_live) { std::mem::take(&mut plan.servers) } else { Vec::new() }
}

/// Where people see what becomes of the servers.
#[derive(Clone, Copy)]
pub(super) struct Screen<'a> {
    pub(super) live: Option<&'a LiveArea>,
    pub(super) options: &'a ReportOptions,
    pub(super) colour: Colour,
    pub(super) context: &'a Context,
    pub(super) redactor: &'a Redactor,
    pub(super) outputs: &'a Outputs,
}

/// Starts the servers, which the live area shows; `None` if one failed, which is reported. A run that is stopped
/// meanwhile has none.
pub(super) async fn start(
    needed: &[ServerCommand],
    cancel: &CancellationToken,
    screen: Screen<'_>,
) -> Option<Servers> {
    let Screen { live, options, colour, context, redactor, outputs } = screen;
    let show = |what: Option<&str>| live.into_iter().for_each(|live| live.wait_for(what));
    let started = Servers::start(needed, cancel, |what| show(Some(&redactor.text(what)))).await;
    show(None);
    let error = match started {
        Ok(servers) => {
            for note in servers.notes().iter().filter(|_| !options.quiet) {
                let _ = writeln!(outputs.stderr.clone(), "note: {}", redactor.text(note));
            }
            return Some(servers);
        }
        Err(ServerStartError::Stopped) => return Some(Servers::default()),
        Err(ServerStartError::Broken(error)) => error,
    };
    let (problem, printed) = (
        error.problem,
        last_words(&error.printed, TerminalSize::width(context.size_of(OutputStream::Stderr))),
    );
    print_problems_above(&[problem], &printed, colour, context, redactor);
    None
}
