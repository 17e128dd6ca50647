//! One turn of a candidate: what is sent, and what the agent does.

use serde_json::Value;

use crate::lab_error::LabError;
use crate::test_writer::{node_with_references, written_turn};
use ananke_agents::{AgentStep, written_steps};
use ananke_base::message::{TurnInput, UserContent};
use ananke_base::source::{Node, NodeValue};
use ananke_run::LoggedTurn;

/// Keys of a turn that a shrunk test has; captures only if it needs them.
const KEPT: [&str; 3] = ["id", "capture", "respond"];

/// The input of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnInputKind {
    /// A message, or nothing new.
    Begins,
    /// Answers to what the turn before waits for, all of which are resolved.
    Resolves,
    /// Answers, one of which cancels what the turn before waits for.
    Cancels,
}

/// A turn of a candidate.
#[derive(Clone, Debug)]
pub(super) struct CandidateTurn {
    /// The turn as the test writes it, without its rules.
    pub(super) written: Node,
    /// Its rules.
    pub(super) assert: Option<Node>,
    /// The input of the turn.
    pub(super) input: TurnInputKind,
    /// The steps of the agent.
    pub(super) steps: Vec<AgentStep>,
}

impl CandidateTurn {
    /// The turn `number`, counted from 1, which the test writes as `written`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn of(
        turn: &LoggedTurn,
        written: &Node,
        steps: Vec<AgentStep>,
        number: usize,
    ) -> Result<Self, LabError> {
        let input = match &turn.input {
            TurnInput::Resume(answers) if answers.iter().all(|answer| answer.is_resolved) => {
                TurnInputKind::Resolves
            }
            TurnInput::Resume(_) => TurnInputKind::Cancels,
            TurnInput::User(_) | TurnInput::Connect | TurnInput::Continue | TurnInput::Own(_) => {
                TurnInputKind::Begins
            }
        };
        let mut keys = match &turn.input {
            TurnInput::User(UserContent::Parts(_)) | TurnInput::Continue => {
                let kept = written
                    .entries()
                    .iter()
                    .filter(|entry| ["user", "attachments"].contains(&entry.key.as_str()));
                Node {
                    value: NodeValue::Map(kept.cloned().collect()),
                    span: written.span,
                }
            }
            _ => written_turn(&turn.input, number)?,
        };
        for key in KEPT {
            if let Some(value) = written.get(key) {
                keys.set(key, value.clone());
            }
        }
        let assert = written.get("assert").cloned();
        Ok(Self {
            written: keys,
            assert,
            input,
            steps,
        })
    }

    /// The steps of the agent, as written in a config.
    pub(super) fn written_steps(&self) -> Vec<Value> {
        written_steps(&self.steps)
    }
}

/// The steps of the agent, turn by turn: an answer to an interrupt continues the steps of the turn that waits for it. `None` if
/// a turn answers something that nothing waits for.
pub(super) fn rules(turns: &[CandidateTurn]) -> Option<Vec<(usize, Vec<Value>)>> {
    let mut rules: Vec<(usize, Vec<Value>)> = Vec::new();
    for (turn, number) in turns.iter().zip(1..) {
        let steps = turn.written_steps();
        match turn.input {
            TurnInputKind::Begins => rules.push((number, steps)),
            TurnInputKind::Resolves => {
                interrupt(&mut rules)?;
                rules.last_mut()?.1.extend(steps);
            }
            TurnInputKind::Cancels => {
                interrupt(&mut rules)?.insert("cancelled".to_owned(), Value::Array(steps));
            }
        }
    }
    for (_, steps) in &mut rules {
        *steps = node_with_references(&Value::Array(std::mem::take(steps)))
            .to_json()
            .as_array()
            .cloned()?;
    }
    Some(rules)
}

/// The interrupt that the last of the steps is.
fn interrupt(rules: &mut [(usize, Vec<Value>)]) -> Option<&mut serde_json::Map<String, Value>> {
    rules
        .last_mut()?
        .1
        .last_mut()?
        .get_mut("interrupt")?
        .as_object_mut()
}
