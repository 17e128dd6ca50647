//! Runs tests: from a plan to a verdict.
//!
//! [`run`] runs the tests of a plan and reports what happens as [`RunEvent`]s; it prints nothing, and writes nothing but
//! recordings and snapshots. It decides which test runs when; [`crate::engine`] holds the conversation of a test, and gets
//! the test's turns (`written_turns`), mocks (`mocks`) and scripts (`oracle`) from here.

mod activity_log;
mod agent_contact;
mod answered_targets;
mod attempt;
mod attempt_series;
mod awaited_input;
mod capture_values;
mod case;
mod conversation;
mod conversation_driver;
mod conversation_log;
mod conversation_tape;
mod current_walk;
mod driver_input;
mod event;
mod event_channel;
mod exchange_log;
mod exchange_part;
mod failure_reasons;
#[cfg(test)]
mod fakes;
mod helpers;
mod hooks;
mod judges;
mod memory_recording;
mod mocks;
mod no_answer;
mod observe;
mod options;
mod oracle;
mod outcomes;
mod person;
mod prefetch;
mod project_hooks;
mod rate_limit;
mod raw_log;
mod recorder_sink;
mod repeated_runs;
mod request_pace;
mod retries;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod run;
mod run_all;
mod run_attempt;
mod run_attempts;
mod run_case;
mod run_helper;
mod run_one;
mod run_twice;
mod schedule;
mod script_oracle;
mod server_watch;
mod simulated_input;
mod simulator;
mod snapshots;
mod spool;
mod stopper;
mod suite;
mod target_limits;
mod teardown;
mod test_inputs;
mod thread_locks;
mod tool_names;
mod turn_count;
mod unanswered;
mod unwritten_input;
mod used_threads;
mod verify_recording;
mod walk_input;
mod walk_random;
mod walk_search;
mod watchdog;
mod worker;
mod written_turns;

pub use conversation_driver::{ConversationDriver, DriverRequest};
pub use conversation_log::{ConversationLog, LoggedChange, LoggedConversation, LoggedTurn};
pub use conversation_tape::{
    ConversationMutator, ConversationStart, ConversationTape, TapedConversation,
};
pub use event::RunEvent;
pub use event_channel::{EventReceiver, EventSender, event_channel};
pub use exchange_part::ExchangePart;
pub use memory_recording::MemoryRecording;
pub use no_answer::NoAnswer;
pub use options::{
    ActivityReports, AfterFailure, AfterNoAnswer, ExchangeReports, Options, ReusedThreads,
    SuiteComparison,
};
pub use person::{People, Person, PersonAnswer, PersonQuestion};
pub use project_hooks::{ProjectHooks, SetupError, SetupStep};
pub use run::Run;
pub use run_helper::RunHelpers;
pub use run_one::run_one;
pub use stopper::{Reason, Stopper};
pub use suite::run;
pub use walk_random::WalkRandom;
