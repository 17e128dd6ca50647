//! The run of tests: from a plan to a verdict.
//!
//! [`run()`] runs the tests of a plan and reports what happens as [`RunEvent`](ananke_trace::outcome::RunEvent)s, which wait in an
//! `event_channel` for the reports. Rooms in the order in which they may know each other: `context` is what every test shares, `follow`
//! what follows conversations, `models` the models that agents ask, `series` how often a test is tried, `attempt` the parts of one attempt, `input` what the user
//! says, `converse` the conversation of an attempt, and `schedule` the spine. `hook/` and `server/` are the programs of a project,
//! `coverage/` counts what tests exercise.
//!
//! **Invariant:** it never prints, it never decides what a rule means, and it knows agents through their seam alone.

mod attempt;
mod context;
mod converse;
pub mod coverage;
#[cfg(test)]
mod fakes;
mod follow;
pub mod hook;
mod input;
mod models;
mod schedule;
mod series;
pub mod server;

pub use context::{
    AttemptPurpose, ConversationBeginning, ConversationDriver, ConversationEnd, ConversationOrigin,
    ConversationStart, DriverRequest, EventReceiver, EventSender, Follower, LiveAnswers,
    MemoryRecording, Options, People, Person, PersonAnswer, PersonQuestion, Reason, Run,
    RunAnswers, Stopper, Tap, ToolLint, event_channel,
};
pub use follow::{
    ConversationLog, ConversationMutator, ConversationTape, CoverageTap, LoggedChange,
    LoggedConversation, LoggedTurn, TapedConversation,
};
pub use input::RunHelpers;
pub use schedule::{ProjectHooks, SetupError, SetupStep, run, run_one};
pub use series::WalkRandom;
