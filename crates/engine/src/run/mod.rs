//! The run of tests: from a plan to a verdict.
//!
//! [`run`] runs the tests of a plan and reports what happens as [`RunEvent`](ananke_trace::outcome::RunEvent)s, which wait in an `event_channel` for the
//! reports. `suite` is the spine. [`ananke_conversation`] holds the conversation of a test.
//!
//! - **When** a test runs: `schedule` (several at once, reported in the plan's order), `prefetch` (the next ones are loaded
//!   meanwhile), limits that targets share (`target_limits`, `rate_limit`), and fixed threads that tests do not share
//!   (`thread_locks`). Threads run one test after the other (`run_all`, `worker`, `run_case`). A `watchdog` watches each: if
//!   a test computes or blocks for too long, it ends without its thread, which another one replaces. Rules have a time of
//!   their own: schemas count steps and are given up between them; a pattern cannot be, so its thread is left behind, at most
//!   one for each job.
//! - **How often**: retries (`retries`), repetitions (`repeated_runs`) and random walks (`walk_search`, which shrinks one
//!   that fails) are an `attempt_series`; `run_twice` compares the suite with itself.
//! - **One attempt** (`run_attempt`, `attempt`): hooks, conversation, teardown. The turns of the test (`written_turns`, with
//!   `capture_values` for what later turns need) come first. A simulator, a person as long as the agent waits for input
//!   (`awaited_input`), a walk (`walk_input`) or a program (`driver_input`) says what comes after them (`test_inputs`).
//!   `mocks` execute client-side tools; scripts and judges answer what rules ask (`oracle`, `helpers`).
//! - **What is kept**: snapshots of tests that passed (`snapshots`), a recording (`run_answers`) that is verified before
//!   (`verify_recording`), what is sent and received for `--debug` (`exchange_log`) and for reports (`raw_log`), and names of
//!   tools in rules that no agent called (`tool_names`). Whatever else follows conversations is a [`Tap`]: a log and a tape, of
//!   which tests are made (`conversation_log`, `conversation_tape`), and coverage (`coverage_tap`).
//! - **What ends it early**: a person or a failure (`stopper`), a server that ends (`server_watch`), and a target that
//!   answers none of the first tests (`unanswered`).
//!
//! **Invariant:** it never prints, it never decides what a rule means, and nothing of a test but its file is touched before
//! it starts; no test can hold up another test, a signal or the end of the run.

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
mod conversation_start;
mod conversation_tape;
mod coverage_tap;
mod current_walk;
mod driver_input;
mod event_channel;
mod exchange_log;
mod failure_reasons;
#[cfg(test)]
mod fakes;
mod helpers;
mod hooks;
mod judges;
mod mocks;
mod observe;
mod options;
mod outcomes;
mod prefetch;
mod project_hooks;
mod rate_limit;
mod raw_log;
mod repeated_runs;
mod request_pace;
mod retries;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod run;
mod run_answers;
mod run_attempt;
mod run_attempts;
mod run_case;
mod run_helper;
mod schedule;
mod script_oracle;
mod server_watch;
mod simulated_input;
mod simulator;
mod snapshots;
mod spool;
mod stopper;
mod suite;
mod tap;
mod target_limits;
mod teardown;
mod test_inputs;
mod thread_locks;
mod tool_names;
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
pub use conversation_start::ConversationStart;
pub use conversation_tape::{ConversationMutator, ConversationTape, TapedConversation};
pub use coverage_tap::CoverageTap;
pub use event_channel::{EventReceiver, EventSender, event_channel};
pub use options::{
    ActivityReports, AfterFailure, ExchangeReports, Options, People, Person, PersonAnswer,
    PersonQuestion, ReusedThreads, SuiteComparison,
};
pub use project_hooks::{ProjectHooks, SetupError, SetupStep};
pub use run::{ConversationOrigin, Run};
pub use run_answers::{LiveAnswers, MemoryRecording, RunAnswers};
pub use run_helper::RunHelpers;
pub use stopper::{Reason, Stopper};
pub use suite::{run, run_one};
pub use tap::{AttemptPurpose, ConversationBeginning, ConversationEnd, Follower, Tap};
pub use walk_random::WalkRandom;
