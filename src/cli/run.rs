//! `ananke run`: plan, run, tell.

use std::io::{self, Write as _};
use std::sync::Arc;

use ananke::context::Context;
use ananke::plan::Plan;
use ananke::redact::Redactor;
use ananke::report::console::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::report::junit::JunitReport;
use ananke::report::{Reporter, tell};
use ananke::run::{Run, run as run_plan};
use ananke::target::http::HttpTransport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::arguments::RunOptions;
use super::exit::Exit;
use super::problems::{self, Purpose};
use super::style::is_coloured;

/// How many events may wait for the telling side.
const EVENTS_IN_FLIGHT: usize = 64;

/// Runs what is selected and tells it to the console and the reports.
pub(super) fn run(options: &RunOptions, context: &Context) -> Exit {
    let redactor = Redactor::default();
    let purpose = Purpose { sends: !options.dry_run, deny_warnings: options.strictness.deny_warnings };
    let plan = match problems::load(&options.selection, purpose, context, &redactor) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if options.dry_run {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        // A closed pipe ends the printing, nothing else.
        let _ = plan.cases.iter().try_for_each(|case| writeln!(stdout, "{}", redactor.text(&case.id)));
        return Exit::Success;
    }
    match carry_out(&plan, options, context, redactor) {
        Ok(exit) => exit,
        Err(error) => {
            let _ = writeln!(io::stderr().lock(), "error: {error}");
            Exit::Failure
        }
    }
}

fn carry_out(plan: &Plan, options: &RunOptions, context: &Context, redactor: Redactor) -> io::Result<Exit> {
    let reporters = reporters(options, context)?;
    let shared = Run {
        context,
        transport: Arc::new(HttpTransport::new(context.clock.clone())),
        redactor: redactor.clone(),
        cancel: CancellationToken::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let totals = runtime.block_on(async {
        let (sender, receiver) = mpsc::channel(EVENTS_IN_FLIGHT);
        let telling = tokio::spawn(tell(receiver, redactor, reporters));
        let totals = run_plan(&shared, plan, sender).await;
        let told = telling.await.map_err(io::Error::other)?;
        told.map(|()| totals)
    })?;
    Ok(if totals.all_passed() { Exit::Success } else { Exit::Failure })
}

fn reporters(options: &RunOptions, context: &Context) -> io::Result<Vec<Box<dyn Reporter>>> {
    let verbosity = match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let colour = is_coloured(options.selection.color, context.stdout_is_terminal, context);
    let console = ConsoleOptions { colour, verbosity };
    let mut reporters: Vec<Box<dyn Reporter>> =
        vec![Box::new(ConsoleReport::new(Box::new(io::stdout()), console))];
    if let Some(path) = &options.junit {
        let junit = JunitReport::create(context.working_directory.join(path)).map_err(|error| {
            let folder = path.parent().filter(|folder| context.working_directory.join(folder).is_file());
            let reason = match folder {
                Some(folder) => format!("`{}` is a file, not a folder", folder.display()),
                None => error.to_string(),
            };
            io::Error::new(error.kind(), format!("cannot write `{}`: {reason}", path.display()))
        })?;
        reporters.push(Box::new(junit));
    }
    Ok(reporters)
}
