//! `ananke freeze`: a conversation as a static test with its recording.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::freeze::{FreezeRequest, FrozenTest, freeze as freeze_conversation};
use ananke::recording::{KeptRecording, is_recording};
use ananke::verify::{TRACE_FORMATS, trace_format};
use ananke::{LabError, context::Context};
use clap::Args;

use super::freeze_trace::{FrozenTrace, freeze_trace};
use super::report_recording::recording_of_report;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, block_on, print, say};
use crate::cli::options::RecordedSelection;
use crate::cli::output::{ForceOption, OutputFiles, named_path, shown_path};

#[derive(Debug, Args)]
pub(crate) struct FreezeOptions {
    /// A recording of the test, a JSON report of a run that was recorded or replayed, or a trace (with `--from`)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What wrote the trace: `otel` (JSON of OTLP) or `openai` (lists of messages); each conversation becomes a test
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub(crate) from: Option<String>,
    /// The test of the report, or the conversation of the trace, by its id
    #[arg(long, value_name = "ID")]
    pub(crate) test: Option<String>,
    /// Write the test to this file (default: next to the test that was recorded, `NAME.frozen.test.yaml`; for a trace,
    /// in the working directory)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write its recording below this directory (default: where the recording is)
    #[arg(long, value_name = "DIR")]
    pub(crate) recordings: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) recorded: RecordedSelection,
}

/// The names of the formats of traces.
fn format_names() -> Vec<&'static str> {
    TRACE_FORMATS.iter().map(|format| format.name()).collect()
}

impl CommandOptions for FreezeOptions {
    /// Freezes a conversation and says what was written.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let format = self.from.as_deref().and_then(trace_format);
        if let Some(format) = format.filter(|format| !format.is_of_tests()) {
            let trace = FrozenTrace {
                format,
                file: &self.file,
                conversation: self.test.clone(),
                output: self.output.clone(),
                recordings: self.recordings.clone(),
                selection: self.recorded.selection(),
            };
            return freeze_trace(trace, self.force, context);
        }
        freeze_recording(self, context)
    }

    fn colour(&self) -> Colour {
        self.recorded.color
    }
}

fn freeze_recording(options: &FreezeOptions, context: &Context) -> Result<Exit, Failed> {
    let (path, shown) = conversation_file(&options.file, options.test.as_deref(), context)?;
    let recording = open_recording(&path, &shown)?;
    let folder = match &options.recordings {
        Some(folder) => context.working_directory.join(folder),
        None => recording.folder(&path).ok_or_else(|| {
            let message = format!("the file of the recording `{shown}` was renamed or moved");
            Failed::new(message)
                .help("name the directory for the recording of the test: `--recordings DIR`")
        })?,
    };
    let output = options
        .output
        .as_ref()
        .map(|output| named_path(output, context).0);
    let request = FreezeRequest {
        recording,
        selection: options.recorded.selection(),
        output,
        folder,
    };
    let frozen = block_on(freeze_conversation(context, &request))??;
    context.files.note(&path);
    OutputFiles::of(context, options.force).check_sources(frozen.files(), context)?;
    frozen
        .write()
        .map_err(|error| Failed::new(format!("the test cannot be written: {error}")))?;
    for note in &frozen.notes {
        say(&format!("note: {note}"));
    }
    print(|out| summarize(&frozen, out, context))?;
    Ok(Exit::Success)
}

/// The recording in a file. One that was changed by hand can be what its user wants, so that is a note.
pub(crate) fn open_recording(path: &Path, shown: &str) -> Result<Arc<KeptRecording>, LabError> {
    let recording = KeptRecording::open(path, shown)?;
    if recording.is_edited() {
        say(&format!(
            "note: the recording `{shown}` was changed after it was recorded"
        ));
    }
    Ok(Arc::new(recording))
}

/// The file of the recording that is meant, and what messages call it.
fn conversation_file(
    file: &Path,
    test: Option<&str>,
    context: &Context,
) -> Result<(PathBuf, String), Failed> {
    let (path, shown) = named_path(file, context);
    if is_recording(&path) || !path.is_file() {
        return Ok((path, shown));
    }
    let recording = recording_of_report(&path, &shown, test)?;
    Ok(named_path(Path::new(&recording), context))
}

fn summarize(frozen: &FrozenTest, out: &mut dyn io::Write, context: &Context) -> io::Result<()> {
    let counted = |count: usize| format!("{count} turn{}", if count == 1 { "" } else { "s" });
    let [file, recording] = frozen.files().map(|file| shown_path(file, context));
    let others = match frozen.said_by_others {
        0 => String::new(),
        count => format!(", {count} of them said by the simulator or a person"),
    };
    writeln!(out, "wrote {file}: {}{others}", counted(frozen.turns))?;
    writeln!(out, "wrote {recording}: its recording")?;
    writeln!(out, "replayed it: {}, as recorded", frozen.status.as_str())
}
