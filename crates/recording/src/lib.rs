//! Recordings: what came from outside while a test ran, kept in files and replayed (SPEC 12).
//!
//! An [`AttemptEnvironment`] hands in the clock, ids, transports, hook results and script answers of one attempt: live,
//! recorded, replayed, or copied, which is both at once. Its users do not know which. Exchanges over HTTP and runs of
//! programs are keyed by turn, lane (the agent, or a helper) and their number; `file` is their format. An [`AttemptStore`]
//! keeps the recordings of a run that is kept, and gives back those of an earlier one.
//!
//! **Invariant:** every byte of a response is in its recording, split where its events end; no recording contains a known
//! secret or has a different verdict than the live run; during a replay nothing leaves the program.

mod agent_exchange;
mod attempt_store;
mod diff;
mod environment;
mod exchange;
mod file;
mod frames;
mod kept_recording;
mod marked_secrets;
mod name;
mod recorded_launcher;
mod recorded_models;
mod recorded_transport;
mod recorder;
mod recording_limits;
mod recordings;
mod replay;
mod replayed_launcher;
mod replayed_models;
mod replayed_transport;
mod request_match;
mod stream_fault;

pub use agent_exchange::{AgentAnswer, AgentExchange};
pub use attempt_store::{AttemptStore, EarlierAnswers, RecordedAttempt};
pub use environment::AttemptEnvironment;
pub use kept_recording::{KeptRecording, is_recording};
pub use name::path as recording_path;
pub use recorded_models::AFTER_LAST_STEP;
pub use recorder::Recorder;
pub use recording_limits::RecordingLimits;
pub use recordings::{RecordingMode, Recordings};
pub use replayed_models::ReplayedModels;
pub use request_match::RequestMatch;
pub use stream_fault::StreamFault;
