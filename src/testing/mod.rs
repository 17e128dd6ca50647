//! Conversations with agents in Rust tests.
//!
//! A [`TestSession`] talks to an agent, and [`AgentRun::expect`] says what must have happened.
//!
//! ```
//! use ananke::testing::{AgentTarget, EventRole, TestSession, TestingError};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), TestingError> {
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(async {
//! let agent = AgentTarget::yaml(
//!     r"
//! type: scripted
//! rules:
//!   - do:
//!       - call: { tool: get_weather, args: { city: Paris, unit: C }, result: { degrees: 21 } }
//!       - say: It is 21 degrees in Paris.
//! ",
//! );
//! let mut session = TestSession::connect(agent)?;
//!
//! let result = session.run("How warm is it in Paris?").await?;
//! result.expect().next_function_call().is_function_call("get_weather", json!({ "city": "Paris" }));
//! result.expect().next_function_call_output().is_function_call_output(json!({ "degrees": 21 }), false);
//! result.expect().next_message().is_message(EventRole::Assistant);
//! result.expect().no_more_events();
//! result.assert_yaml("tools: { forbid: [delete_order] }").await?;
//! session.close().await
//! # })
//! # }
//! ```
//!
//! A session is a run of one test whose turns a program says: it hands the run a `ConversationDriver` (`session_line`), which
//! gets each turn's trace. A `tape` of all that was seen grows the trace again, so that the rules of an assert block
//! (`session_project` plans them in memory) watch it as they watch a test. What other programs than Rust tests need of it is
//! hidden in its documentation.
//!
//! **Invariant:** no rule applies while the session goes on; an assertion panics, with the list of events, and what a test
//! cannot find out is a [`TestingError`].

mod agent_run;
mod agent_target;
mod checked_run;
mod event_turn;
mod expectation;
mod run_events;
mod session_line;
mod session_project;
mod session_requests;
mod session_tools;
mod tape;
mod test_judge;
mod test_session;
mod testing_error;

pub use agent_run::AgentRun;
pub use agent_target::AgentTarget;
// What is hidden is no promise: the command uses it.
#[doc(hidden)]
pub use checked_run::CheckedRun;
#[doc(hidden)]
pub use event_turn::EventTurn;
#[doc(hidden)]
pub use session_project::{SessionAgent, SessionRecording, SessionSetup};
#[doc(hidden)]
pub use session_tools::{ClientCall, ToolClosure};

pub use ananke_base::message::{
    AnswerTo, Attachment, ContentPart, FileContent, MediaKind, PendingAnswer,
};
pub use ananke_trace::trace::{AgentEvent, EventRole, Interrupt};
pub use expectation::{EventExpectation, RangeExpectation, RunExpectation};
pub use session_tools::MockedTools;
pub use test_judge::{JudgeVerdict, TestJudge};
pub use test_session::{SessionInput, SessionTool, TestSession};
pub use testing_error::TestingError;
