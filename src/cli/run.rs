//! `ananke run`: plan, run, tell.

use std::io::{self, Write as _};
use std::sync::Arc;

use ananke::context::Context;
use ananke::plan::Plan;
use ananke::redact::Redactor;
use ananke::report::tell;
use ananke::run::{Run, run as run_plan};
use ananke::target::http::HttpTransport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::arguments::RunOptions;
use super::exit::Exit;
use super::problems;
use super::reports::reporters;

/// How many events may wait for the telling side.
const EVENTS_IN_FLIGHT: usize = 64;

/// Runs what is selected and tells it to the console and the reports.
pub(super) fn run(options: &RunOptions, context: &Context) -> Exit {
    let redactor = Redactor::default();
    let plan = match problems::load(&options.selection, !options.dry_run, context, &redactor) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if options.dry_run {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        // A closed pipe ends the printing, nothing else.
        let _ = plan.cases.iter().try_for_each(|case| writeln!(stdout, "{}", redactor.text(&case.id)));
        return Exit::Success;
    }
    match carry_out(&plan, options, context, redactor.clone()) {
        Ok(exit) => exit,
        Err(error) => {
            let error = error.to_string();
            let _ = writeln!(io::stderr().lock(), "error: {}", redactor.text(&error));
            Exit::Failure
        }
    }
}

fn carry_out(plan: &Plan, options: &RunOptions, context: &Context, redactor: Redactor) -> io::Result<Exit> {
    let reporters = reporters(&options.reports, options.selection.color, context)?;
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
