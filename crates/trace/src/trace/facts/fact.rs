//! The facts that rules rest on, which a record of a conversation may show or not.
//!
//! **Why:** A rule that passes because what would have failed it was not recorded is the worst fault of a test tool. So
//! a rule names the facts that it rests on, a record names those that it shows, and where one is missing the rule is
//! *not shown*. The list is short on purpose: a fact is what a rule can rest on, not a field of a protocol.
//!
//! **Invariant:** a live conversation shows every fact; what something else recorded may lack some.

use std::ops::BitOr;

/// Something that a record of a conversation may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The tools that were called, in their order.
    Calls,
    /// The arguments of calls.
    Arguments,
    /// The results of calls.
    Results,
    /// Whether calls failed or were denied.
    CallEnds,
    /// The text of the agent.
    Text,
    /// The text of the user.
    UserText,
    /// The times at which turns began and ended.
    TurnTimes,
    /// The times at which calls began and were answered.
    CallTimes,
    /// The time of the first text of a turn.
    FirstText,
    /// The tokens of turns.
    Usage,
    /// The state.
    State,
    /// The ends of runs.
    RunEnds,
    /// The things that the agent waited for, and their answers.
    Interrupts,
    /// The tools that the servers of the agent declared.
    DeclaredTools,
    /// Every event as the agent sent it.
    Events,
    /// The requests of the agent to its model.
    ModelCalls,
    /// The contents of these requests.
    Prompts,
}

impl Fact {
    /// Every fact, in the order in which people read them.
    const ALL: [Self; 17] = [
        Self::Calls,
        Self::Arguments,
        Self::Results,
        Self::CallEnds,
        Self::Text,
        Self::UserText,
        Self::TurnTimes,
        Self::CallTimes,
        Self::FirstText,
        Self::Usage,
        Self::State,
        Self::RunEnds,
        Self::Interrupts,
        Self::DeclaredTools,
        Self::Events,
        Self::ModelCalls,
        Self::Prompts,
    ];

    /// The fact in words that continue the sentence "the trace does not show …" in messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Calls => "tool calls",
            Self::Arguments => "the arguments of calls",
            Self::Results => "the results of calls",
            Self::CallEnds => "whether calls failed or were denied",
            Self::Text => "what the agent said",
            Self::UserText => "what the user said",
            Self::TurnTimes => "when turns began and ended",
            Self::CallTimes => "when calls began and were answered",
            Self::FirstText => "when the first text came",
            Self::Usage => "tokens",
            Self::State => "the state",
            Self::RunEnds => "how runs ended",
            Self::Interrupts => "interrupts",
            Self::DeclaredTools => "which tools were declared",
            Self::Events => "the events of the agent",
            Self::ModelCalls => "requests to the model",
            Self::Prompts => "what requests to the model contain",
        }
    }
}

/// A set of facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts(u32);

impl Facts {
    /// No fact.
    pub const NONE: Self = Self(0);

    /// Every fact.
    pub const ALL: Self = Self((1 << Fact::ALL.len()) - 1);

    /// The facts that what an agent sends can carry. Its requests to a model arrive at another place, so that nothing in a
    /// response can be one.
    pub const OF_AGENT: Self = Self(Self::ALL.0 & !Self::OF_MODEL.0);

    /// The facts about requests to a model.
    pub const OF_MODEL: Self = Self::of(&[Fact::ModelCalls, Fact::Prompts]);

    /// The set of `facts`; a loop, because constants are made of it.
    pub const fn of(facts: &[Fact]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < facts.len() {
            bits |= 1 << facts[index] as u32;
            index += 1;
        }
        Self(bits)
    }

    /// The same facts without `others`.
    #[must_use]
    pub fn except(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The same facts, and `fact` if there is one.
    #[must_use]
    pub fn with(self, fact: Option<Fact>) -> Self {
        match fact {
            Some(fact) => self | Self::of(&[fact]),
            None => self,
        }
    }

    /// Whether any of `others` is one of them.
    pub fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether `fact` is one of them.
    pub fn has(self, fact: Fact) -> bool {
        self.0 & Self::of(&[fact]).0 != 0
    }

    /// The facts of `needed` that are not among them, in the order in which people read them.
    pub fn missing(self, needed: Self) -> Vec<Fact> {
        Fact::ALL
            .into_iter()
            .filter(|fact| needed.has(*fact) && !self.has(*fact))
            .collect()
    }
}

impl BitOr for Facts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_in_a_fixed_order() {
        let shown = Facts::of(&[Fact::Calls, Fact::Text]);
        let needed = Facts::of(&[Fact::Results, Fact::Text]) | Facts::of(&[Fact::Arguments]);
        assert_eq!(shown.missing(needed), [Fact::Arguments, Fact::Results]);
        assert_eq!(Facts::ALL.missing(needed), []);
        assert!(
            Fact::ALL
                .into_iter()
                .all(|fact| Facts::ALL.has(fact) && !Facts::NONE.has(fact))
        );
        assert!(
            !Facts::ALL
                .except(Facts::of(&[Fact::Events]))
                .has(Fact::Events)
        );
    }
}
