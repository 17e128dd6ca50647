//! `ananke freeze --from`: the conversations of a trace as tests with their recordings.

use std::path::{Path, PathBuf};

use ananke::verify::{TraceFormat, TraceFreezeRequest, freeze_trace as freeze_conversations};
use ananke::{context::Context, plan::Selection, record::RecordRequest, run::Stopper};

use super::record::write;
use crate::cli::frame::{Exit, Failed, block_on};
use crate::cli::output::{ForceOption, OutputFiles, Outputs, named_path};

/// The directory of the recordings if none is named.
const FOLDER: &str = "recordings";

/// The trace to freeze, as the command line gives it.
pub(super) struct FrozenTrace<'a> {
    pub(crate) format: &'static dyn TraceFormat,
    pub(crate) file: &'a Path,
    /// The id of the conversation; without it, all of them.
    pub(crate) conversation: Option<String>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) recordings: Option<PathBuf>,
    pub(crate) selection: Selection,
}

/// Freezes the conversations of the trace that `options` name and says what was written.
///
/// # Errors
/// If the trace cannot be read, or cannot be replayed.
pub(super) fn freeze_trace(
    trace: FrozenTrace<'_>,
    force: ForceOption,
    context: &Context,
) -> Result<Exit, Failed> {
    let FrozenTrace {
        format,
        file,
        conversation,
        output,
        recordings,
        selection,
    } = trace;
    let output = output.unwrap_or_else(|| output_of(file));
    let folder = recordings.unwrap_or_else(|| PathBuf::from(FOLDER));
    let record = RecordRequest {
        selection,
        file: named_path(&output, context).0,
        folder: context.working_directory.join(folder),
        origin: "Frozen with `ananke freeze`",
    };
    let request = TraceFreezeRequest {
        format,
        file: named_path(file, context),
        conversation,
        record,
    };
    let frozen = block_on(freeze_conversations(context, &request))??;
    context.files.note(&request.file.0);
    OutputFiles::of(context, force).check_sources(frozen.files(), context)?;
    write(&frozen, &Outputs::of_program(&Stopper::default()), context)
}

/// The file of the tests if none is named: in the working directory, called as the trace is.
fn output_of(trace: &Path) -> PathBuf {
    let stem = trace.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{stem}.frozen.test.yaml"))
}
