//! Verifies what something else recorded: traces, lists of messages and recordings, by the rules of tests.
//!
//! A [`TraceFormat`] opens files ([`TraceFile`]), whose conversations are read one at a time. [`verify_plan()`] makes a plan of them
//! that is run like any other. **Invariant:** a rule whose facts a trace does not contain neither passes nor fails.

mod call_reader;
mod conventions;
mod conversation_builder;
mod freeze_trace;
mod hold_trace;
mod json_documents;
mod known_facts;
mod message_item;
mod message_names;
mod message_reader;
mod openai;
mod otel;
mod recording_format;
mod rules_file;
mod silence;
mod span_shape;
mod trace_file;
mod trace_format;
mod trace_formats;
mod verify_plan;

pub use freeze_trace::{TraceFreezeRequest, freeze_trace};
pub use trace_file::{TraceContext, TraceError, TraceFile};
pub use trace_format::TraceFormat;
pub use trace_formats::{TRACE_FORMATS, trace_format};
pub use verify_plan::{VerifyError, VerifyPlan, VerifyRequest, verify_plan};
