//! The earlier run that a run is compared with.

use ananke::compare::{Baseline, Coverage};
use ananke::context::{Context, OutputStream};
use ananke::redact::Redactor;
use ananke::report::Reporter;
use ananke::report::comparison::BaselineReport;

use super::colour::{Colour, colouring};
use super::exit::Exit;
use super::named_path::named_path;
use super::outputs::Outputs;
use super::print_problems::print_problems;
use super::report_options::ReportOptions;

/// The report that this run is compared with, where there is one.
pub(super) fn baseline(
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
    redactor: &Redactor,
) -> Result<Option<Baseline>, Exit> {
    let Some(path) = &options.baseline else {
        return Ok(None);
    };
    let (path, name) = named_path(path, context);
    Baseline::read(&path, &name).map(Some).map_err(|problem| {
        print_problems(&[problem], colour, context, redactor);
        Exit::Failure
    })
}

/// The report of what changed since the run of `baseline`: after all others, not on the stream that is for programs.
pub(super) fn baseline_report(
    baseline: Baseline,
    coverage: Coverage,
    stream: OutputStream,
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
) -> Box<dyn Reporter> {
    let (colour, size) = (colouring(colour, stream, context), context.size_of(stream));
    Box::new(BaselineReport::new(
        Box::new(outputs.of(stream).clone()),
        colour,
        size,
        baseline,
        coverage,
    ))
}
