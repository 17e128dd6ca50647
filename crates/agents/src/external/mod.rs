//! An agent that is an object in the process of a test, which another program than ananke runs.
//!
//! A `session` hands over what the user says, and gets what the agent does as `turn_frame`s: events with times of the program, and
//! the end of the turn. The `external_reader` makes changes of them. `external_transport` is the way to the program: it is asked for a
//! turn as a server would be, so that a turn is recorded and replayed like every other exchange.
//!
//! **Invariant:** the program runs the agent and its tools: a call is a fact here, and
//! nothing answers it. An event that is not understood fails its turn.

mod agent_turn;
mod config;
mod external_event;
mod external_reader;
mod external_transport;
mod session;
mod target;
mod turn_frame;

pub use agent_turn::{AgentInput, AgentTurn, InterruptReply};
pub use config::ExternalConfig;
pub use external_event::{
    CallEvent, ExternalEvent, FactName, ReasoningEvent, ResultEvent, TextEvent, UnreadEvent,
    UsageEvent,
};
pub use external_transport::{ExternalTransport, ProgramTurn, TurnFunction, TurnNews};
pub use turn_frame::{ExternalOutcome, TurnAnswer, TurnInterrupt, TurnUsage};
