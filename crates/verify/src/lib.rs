//! The rules of tests over what something else recorded: traces of OpenTelemetry, lists of messages and recordings.
//!
//! A [`TraceFormat`] opens files ([`TraceFile`]), whose conversations are read one at a time. [`verify_plan()`] makes a plan
//! of them that is run like any other. What is known about vendors is data (`conventions.yaml`). `freeze_trace` makes tests
//! of conversations: `hold_trace` holds each again with an agent that does what the trace shows, in the protocol of the
//! target.
//!
//! **Invariant:** a rule whose facts a trace does not contain neither passes nor fails.

mod call_reader;
mod call_result;
mod conventions;
mod conversation_builder;
mod freeze_trace;
mod history_item;
mod hold_trace;
mod json_documents;
mod known_facts;
mod message_item;
mod message_lists;
mod message_names;
mod message_reader;
mod openai_format;
mod otel;
mod part_reader;
mod recording_format;
mod rules_file;
mod same_facts;
mod span_shape;
mod tool_end;
mod trace_file;
mod trace_formats;
mod verify_plan;

pub use freeze_trace::{TraceFreezeRequest, freeze_trace};
pub use trace_file::{TraceContext, TraceError, TraceFile, TraceFormat};
pub use trace_formats::{TRACE_FORMATS, trace_format};
pub use verify_plan::{VerifyError, VerifyPlan, VerifyRequest, verify_plan};
