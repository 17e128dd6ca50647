//! What every test of a run shares, and what a part of an attempt is asked for.
//!
//! [`Run`] is the context of a whole run, [`Case`] that of one test. Limits that targets share (`target_limits`, `rate_limit`)
//! and fixed threads that tests do not share (`thread_locks`) say when a test may go on. A `watchdog` watches each: if a test
//! computes or blocks for too long, it ends without its thread, which another one replaces. Rules have a time of their own:
//! schemas count steps and are given up between them; a pattern cannot be, so its thread is left behind, at most one for each
//! job. What ends a run early is a person or a failure (`stopper`), a server that ends (`watch_servers`), or a target that
//! answers none of the first tests (`unanswered`). An [`AttemptSeries`] says how often a test is tried, an [`UnwrittenInput`]
//! what the user says that no test has written, a [`ConversationDriver`] is a program that says it, and a [`Tap`] follows
//! conversations.
//!
//! **Invariant:** no test can hold up another test, a signal or the end of the run.

mod activity_log;
mod agent_contact;
mod answered_targets;
mod attempt_series;
mod case;
mod conversation_driver;
mod conversation_start;
mod current_walk;
mod event_channel;
mod failure_reasons;
mod options;
mod outcomes;
mod prefetch;
mod rate_limit;
mod request_pace;
mod run;
mod run_answers;
mod spent_cost;
mod stopper;
mod tap;
mod target_limits;
mod thread_locks;
mod tool_names;
mod unanswered;
mod unwritten_input;
mod used_threads;
mod watchdog;

pub(crate) use activity_log::ActivityLog;
pub(crate) use agent_contact::{AgentContact, ContactObserver};
pub(crate) use attempt_series::AttemptSeries;
pub(crate) use case::Case;
pub use conversation_driver::{ConversationDriver, DriverRequest};
pub use conversation_start::ConversationStart;
pub(crate) use current_walk::{CurrentWalk, SharedWalk, WalkRoute};
pub use event_channel::{EventReceiver, EventSender, event_channel};
pub(crate) use failure_reasons::{FailureReasons, ReasonNovelty};
pub use options::{Options, People, Person, PersonAnswer, PersonQuestion};
pub(crate) use outcomes::{aborted, blank, complete, lost, not_begun, not_run, turn_count};
pub(crate) use prefetch::{Loading, Prefetch};
pub(crate) use request_pace::RequestPace;
pub use run::{ConversationOrigin, Run, ToolLint};
pub use run_answers::{LiveAnswers, MemoryRecording, RunAnswers};
pub use stopper::{Reason, Stopper};
pub use tap::{AttemptPurpose, ConversationBeginning, ConversationEnd, Follower, Tap};
pub(crate) use unwritten_input::{
    UnwrittenInput, UnwrittenRequest, UnwrittenTurn, failed, input_of, too_many_turns,
};
pub(crate) use used_threads::UsedThreads;
pub(crate) use watchdog::{ConversationLocks, Overdue, TestStep, Watchdog};
