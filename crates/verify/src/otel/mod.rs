//! Traces of OpenTelemetry as JSON of OTLP: spans of agents, models and tools become conversations.
//!
//! **Invariant:** a span that no convention knows says nothing, and what it may have said is unread.

mod model_answers;
mod nested_spans;
mod observed_span;
mod otel_file;
mod otlp_scanner;
mod otlp_span;
mod span_messages;
mod spans_of_conversation;

pub(crate) use otel_file::OtelFormat;
