//! The observers of a conversation while it goes on: a recorder, a live display.
//!
//! **Why:** An observer gets everything and answers nothing, so that a recorder, a live display and a log cannot change
//! what they look at. It sees a change before the rules do: what made a rule fail is always in the recording of it.

use super::conditional_turn::{ConditionalTurn, TurnDecision};
use ananke_agents::{TargetError, Wire};
use ananke_base::context::At;
use ananke_base::message::{Lane, ToolAnswer};
use ananke_recording::Recorder;
use ananke_rules::{Following, TurnRules};
use ananke_trace::trace::{Change, Input, Trace};

/// Follows a conversation. An observer sees everything in the order in which it happened, before the trace and the rules do, each
/// time with the lane that talks.
pub trait Observer: Send {
    /// Bytes were sent or received.
    fn wire(&mut self, lane: &Lane, at: At, wire: Wire<'_>) {
        let _ = (lane, at, wire);
    }

    /// The agent did this, as the bytes that were received say.
    fn change(&mut self, lane: &Lane, at: At, change: &Change<'_>) {
        let _ = (lane, at, change);
    }

    /// An exchange of the running turn failed with an error.
    fn failed(&mut self, error: &TargetError) {
        let _ = error;
    }

    /// The agent completed its response to a request of the running turn.
    fn completed(&mut self) {}

    /// An exchange of the running turn timed out: the response had begun, and nothing more of it came for most of the time.
    fn fell_silent(&mut self) {}

    /// An exchange of the running turn timed out, and nothing came for most of the time. Its time was too short to show that the
    /// target does not respond, because the test gave it less than the target does.
    fn hurried(&mut self) {}

    /// The condition of a turn was decided, and with it whether the turn is sent.
    fn decided(&mut self, turn: &ConditionalTurn, decision: &TurnDecision) {
        let _ = (turn, decision);
    }

    /// A turn begins with `input`, after the turns that are in `before`; `rules` are its own if they were not known when the
    /// conversation began.
    fn turn_began(&mut self, before: &Trace, input: &Input, rules: Option<&TurnRules>) {
        let _ = (before, input, rules);
    }

    /// The client answered a call.
    fn answered(&mut self, answer: &ToolAnswer) {
        let _ = answer;
    }

    /// The running turn has ended.
    fn turn_ended(&mut self, following: Following) {
        let _ = following;
    }
}

/// The recorder follows the conversation, so that it notices a secret that an agent sends in pieces.
impl Observer for Recorder {
    fn change(&mut self, lane: &Lane, _: At, change: &Change<'_>) {
        self.observe(lane, change);
    }
}
