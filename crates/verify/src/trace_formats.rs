//! The formats of traces: one line for each.

use super::TraceFormat;
use super::{openai_format::OpenAiFormat, otel::OtelFormat, recording_format::RecordingFormat};

/// Every format.
pub const TRACE_FORMATS: &[&dyn TraceFormat] = &[&OtelFormat, &OpenAiFormat, &RecordingFormat];

/// The format of this name.
pub fn trace_format(name: &str) -> Option<&'static dyn TraceFormat> {
    TRACE_FORMATS
        .iter()
        .copied()
        .find(|format| format.name() == name)
}
