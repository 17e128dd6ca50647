//! The formats of traces: one line for each.

use super::openai_format::OpenAiFormat;
use super::otel::OtelFormat;
use super::recording_format::RecordingFormat;
use super::trace_file::TraceFormat;

/// Every format.
pub const TRACE_FORMATS: &[&dyn TraceFormat] = &[&OtelFormat, &OpenAiFormat, &RecordingFormat];

/// The format of this name.
pub fn trace_format(name: &str) -> Option<&'static dyn TraceFormat> {
    TRACE_FORMATS
        .iter()
        .copied()
        .find(|format| format.name() == name)
}
