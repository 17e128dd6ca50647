//! The earlier run that a run is compared with.

use std::io;

use ananke::compare::Baseline;
use ananke::context::Context;
use ananke::redact::Redactor;
use ananke::report::Reporter;
use ananke::report::comparison::BaselineReport;

use super::colour::{Colour, is_coloured};
use super::exit::Exit;
use super::named_path::named_path;
use super::print_problems::print_problems;
use super::report_options::ReportOptions;

/// The report that this run is compared with, where there is one.
pub(super) fn baseline(
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
    redactor: &Redactor,
) -> Result<Option<Baseline>, Exit> {
    let Some(path) = &options.baseline else { return Ok(None) };
    let (path, name) = named_path(path, context);
    Baseline::read(&path, &name).map(Some).map_err(|problem| {
        print_problems(&[problem], colour, context, redactor);
        Exit::Failure
    })
}

/// What tells people what changed since the run of `baseline`: below everything else, and beside what is for programs.
pub(super) fn baseline_report(
    baseline: Baseline,
    of_everything: bool,
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
) -> Box<dyn Reporter> {
    let (out, is_terminal, size): (Box<dyn io::Write + Send>, _, _) = if options.json {
        (Box::new(io::stderr()), context.stderr_is_terminal, context.stderr_size())
    } else {
        (Box::new(io::stdout()), context.stdout_is_terminal, context.stdout_size())
    };
    let coloured = is_coloured(colour, is_terminal, context);
    Box::new(BaselineReport::new(out, coloured, size, baseline, of_everything))
}
