//! The earlier run that a run is compared with.

use ananke::compare::{Baseline, Coverage};
use ananke::context::{Context, OutputStream};
use ananke::{redact::Redactor, report::Reporter, report::comparison::BaselineReport};

use crate::cli::frame::{Colour, Failed, colouring};
use crate::cli::options::ReportOptions;
use crate::cli::output::{Outputs, named_path};

/// The report that this run is compared with, where there is one.
///
/// # Errors
/// If it cannot be read, which `redactor` masks.
pub(crate) fn baseline(
    options: &ReportOptions,
    context: &Context,
    redactor: &Redactor,
) -> Result<Option<Baseline>, Failed> {
    let Some(path) = &options.baseline else {
        return Ok(None);
    };
    let read = Baseline::read(&[named_path(path, context)]).map(Some);
    read.map_err(|problems| Failed::Problems(problems, redactor.clone()))
}

/// The report of what changed since the run of `baseline`: after all others, not on the stream that is for programs.
pub(crate) fn baseline_report(
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
