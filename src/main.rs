//! The command `ananke`: fills the [`Context`], parses the arguments, calls `cli`, returns the exit code.
//!
//! Nothing else in the program touches globals.

mod cli;

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use ananke::context::{Context, Files, RandomIds, SystemClock, TerminalSize};
#[cfg(unix)]
use ananke::process::{GUARD, guard};
use ananke::process::{guard_with, raise_open_files_limit, report_file_size_limit};

fn main() -> ExitCode {
    #[cfg(unix)]
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == GUARD)
    {
        guard(std::io::stdin().lock());
        return ExitCode::SUCCESS;
    }
    ananke::install();
    let arguments: Vec<_> = std::env::args_os().collect();
    let own = context();
    match cli::complete(&arguments, context, &own.working_directory) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => error.exit(),
    }
    raise_open_files_limit();
    report_file_size_limit();
    if let Ok(program) = std::env::current_exe() {
        guard_with(program);
    }
    cli::parse(arguments).execute(&own).into()
}

/// The outside world as it is.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment and the working directory"
)]
fn context() -> Context {
    Context {
        files: Files::default(),
        working_directory: std::env::current_dir().unwrap_or_default(),
        home: std::env::home_dir(),
        environment: Arc::new(std::env::vars_os().collect()),
        clock: Arc::new(SystemClock::start()),
        ids: Arc::new(RandomIds),
        stdin_is_terminal: std::io::stdin().is_terminal(),
        stdout_is_terminal: std::io::stdout().is_terminal(),
        stderr_is_terminal: std::io::stderr().is_terminal(),
        terminal_size,
        parallelism: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    }
}

/// The size of the first of standard output, standard error and standard input that is a terminal.
fn terminal_size() -> Option<TerminalSize> {
    let (columns, rows) = terminal_size::terminal_size()?;
    Some(TerminalSize {
        columns: usize::from(columns.0),
        rows: usize::from(rows.0),
    })
}
