//! A turn that is sent on a condition, and the decision about it.
//!
//! **Invariant:** a turn of which it is not known whether it is needed is not sent.

use super::awaiting_input::awaiting_input;
use super::pending::open_interrupts;
use ananke_rules::{Evaluator, StepFinding, TurnCondition, WantedOfTurn};
use ananke_trace::trace::{Fact, Facts, Trace};

/// The facts that decide whether an agent waits for input.
const OF_WAITING: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Text,
    Fact::State,
    Fact::RunEnds,
    Fact::Interrupts,
]);

/// The facts that decide whether an interrupt is open.
const OF_INTERRUPTS: Facts = Facts::of(&[Fact::RunEnds, Fact::Interrupts]);

/// A turn that is sent on a condition.
#[derive(Clone, Debug)]
pub struct ConditionalTurn {
    /// The thing that must be true of the turn before it.
    pub condition: TurnCondition,
    /// The tools that ask the user.
    pub confirmation_tools: Vec<String>,
    /// The id of the turn in the test.
    pub id: Option<String>,
    /// The input of the turn, in words.
    pub shown: String,
}

/// The decision about a conditional turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnDecision {
    /// The turn is sent.
    Needed,
    /// The turn is not sent, for this reason.
    NotNeeded(String),
    /// The turn is not sent, although something that was not read may meet its condition.
    Undecided(String),
}

impl ConditionalTurn {
    /// The decision whether the turn is sent, after the last turn of `trace`. A step is looked for with the compiled patterns of
    /// `evaluator`, and in the time that its rules have.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn decide(
        &self,
        trace: &Trace,
        evaluator: &mut Evaluator,
    ) -> Result<TurnDecision, regex::Error> {
        // A condition of the first turn is about the history, the messages before it, if the test has some.
        let mut trace = trace;
        let mut place = format!("turn {}", trace.turns.len());
        if trace.turns.is_empty()
            && let Some(history) = trace.history()
        {
            trace = history;
            place = String::from("the history");
        }

        // While an interrupt is open, nothing but its answer can be sent: no other condition is met, whatever it looks for.
        let wanted = &self.condition.wanted;
        if !open_interrupts(trace).is_empty() {
            if *wanted == WantedOfTurn::Interrupted {
                return Ok(TurnDecision::Needed);
            }
            return Ok(TurnDecision::NotNeeded(format!(
                "an interrupt is open after {place}: only `if: interrupted` is met then"
            )));
        }

        // A turn whose condition is met is sent at once. The reason is why it is not met.
        let reason = match wanted {
            WantedOfTurn::Interrupted => format!("no interrupt is open after {place}"),
            WantedOfTurn::Awaits => {
                if awaiting_input(trace, &self.confirmation_tools).is_awaiting() {
                    return Ok(TurnDecision::Needed);
                }
                format!("the agent does not wait for input after {place}")
            }
            WantedOfTurn::Step(step) => match TurnCondition::find(step, trace, evaluator)? {
                StepFinding::Found => return Ok(TurnDecision::Needed),
                StepFinding::Undecided(why) => return Ok(TurnDecision::Undecided(why)),
                StepFinding::Missing => {
                    // "a call to `pay`" becomes "turn 2 has no call to `pay`".
                    let description = step.describe();
                    let thing = description.strip_prefix("a ").unwrap_or(&description);
                    format!("{place} has no {thing}")
                }
            },
        };

        // A part of the turn that could not be read may be the very thing that the condition looks for.
        Ok(match self.unread(trace) {
            Some(unread) => TurnDecision::Undecided(unread),
            None => TurnDecision::NotNeeded(reason),
        })
    }

    /// The parts of the last turn that were not read and may meet the condition, in words. A step is `None`: the search for it
    /// reports what it could not read.
    fn unread(&self, trace: &Trace) -> Option<String> {
        let facts = match self.condition.wanted {
            WantedOfTurn::Awaits => OF_WAITING,
            WantedOfTurn::Interrupted => OF_INTERRUPTS,
            WantedOfTurn::Step(_) => return None,
        };
        let last = trace.turns.last().map(|turn| turn.index);
        trace.lacking(last, facts, &|tool, _| {
            self.confirmation_tools.iter().any(|own| own == tool)
        })
    }
}
