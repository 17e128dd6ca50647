//! The result of a conversation.
//!
//! **Why:** A conversation returns facts and never fails: a problem is the end of a turn, and what came before it stays
//! there to be read. Its caller decides what this is for a test.

use ananke_rules::{Captured, RuleProperties};
use ananke_trace::outcome::{CheckpointOutcome, Halt, RuleResult, Status, TurnOutcome};
use ananke_trace::trace::Trace;

/// The result of a conversation.
#[derive(Debug, Default)]
pub struct ConversationResult {
    /// The turns that were sent, and those that were not needed.
    pub turns: Vec<TurnOutcome>,
    /// The number of turns that were known to follow and were not sent.
    pub turns_not_run: usize,
    /// The rules of the whole conversation with their results, and those of its turns that are not shown.
    pub rules: Vec<RuleResult>,
    /// The checkpoints that it was to reach.
    pub checkpoints: Vec<CheckpointOutcome>,
    /// The rules that were not evaluated, because their judges were not to be asked: a warning each.
    pub not_asked: Vec<String>,
    /// The reason that it ended before its time, apart from the problem of its last turn.
    pub halt: Option<Halt>,
    /// The rules of the whole conversation that nothing decided, in words, if it was skipped.
    pub open_rules: Vec<String>,
    /// Everything that was observed.
    pub trace: Trace,
    /// The snapshots to write.
    pub snapshots: Vec<Captured>,
    /// The number of messages that came before the agent's last one, those before the first turn apart.
    pub messages_count: usize,
    /// The agent's state at the end, as JSON; `None` where it has none.
    pub state: Option<String>,
    /// The oddities of the way in which the agent ended the conversation.
    pub warnings: Vec<String>,
    /// The number of warnings, here and in turns, that `--deny-warnings` makes failures.
    pub denied_warnings: usize,
    /// The time of the agent, in microseconds.
    pub duration_us: u64,
}

impl ConversationResult {
    /// The warning about a conversation that passed although no rule looked at what the agent did, because the turns with such
    /// rules were not needed. `has_rules_about_agent` answers whether the turn at an index, counted from 0, has such rules.
    pub(crate) fn warning_if_unchecked(
        &self,
        has_rules_about_agent: impl Fn(usize) -> bool,
    ) -> Option<&'static str> {
        // A checkpoint looks at the agent too, and rules whose judges were not asked have a warning each.
        if !self.is_passed() || !self.checkpoints.is_empty() || !self.not_asked.is_empty() {
            return None;
        }
        // If every turn was sent, every rule had its turn, so there is nothing to warn of.
        let turns = self.turns.iter().enumerate();
        let unneeded = turns.filter(|(_, turn)| turn.reason_not_needed().is_some());
        let mut unneeded = unneeded.peekable();
        unneeded.peek()?;

        // All rules that were evaluated: those of the turns, and those of the whole conversation.
        let rules = self.turns.iter().flat_map(|turn| &turn.rules);
        let mut rules = rules.chain(&self.rules).peekable();
        if rules.peek().is_none() {
            return Some("no rule was evaluated: all rules are on turns that were not needed");
        }

        // Rules about times and tokens pass whatever the agent did, so only the others count.
        if rules.any(|rule| RuleProperties::is_about_agent(&rule.rule)) {
            return None;
        }
        // Unneeded turns without rules about the agent took none away from the test.
        if !unneeded.any(|(index, _)| has_rules_about_agent(index)) {
            return None;
        }
        Some(
            "no rule about what the agent did was evaluated: all such rules are on turns that were not needed",
        )
    }

    /// Whether every turn and every rule passed until now, and nothing halted the conversation.
    pub fn is_passed(&self) -> bool {
        let mut turns = self.turns.iter();
        self.halt.is_none()
            && turns.all(|turn| turn.status() == Status::Passed)
            && !self.rules.iter().any(RuleResult::has_failed)
    }
}
