//! What happened in a rule's home, in the order in which it began: messages where they open, calls where they start,
//! results where they come.
//!
//! Only kinds of things that some step names are on the walk. A call has one result, its last; a result belongs to the
//! turn it came in, whichever turn the call began in.

use super::step::{Step, Wants};
use crate::assertion::judge::{Home, Scope};
use crate::model::SaidBy;
use crate::trace::{Role, Trace};

/// One thing that happened, by its place in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Message { index: usize, by: SaidBy },
    Call(usize),
    Result(usize),
}

impl Item {
    /// Its place among all that happened.
    fn order(self, trace: &Trace) -> u32 {
        match self {
            Self::Message { index, .. } => trace.messages[index].order,
            Self::Call(call) => trace.calls[call].order,
            Self::Result(call) => trace.calls[call].result().map_or(0, |result| result.order),
        }
    }

    /// The number of the event that brought it.
    pub(crate) fn event(self, trace: &Trace) -> u32 {
        match self {
            Self::Message { index, .. } => trace.messages[index].opened,
            Self::Call(call) => trace.calls[call].first_event,
            Self::Result(call) => {
                let call = &trace.calls[call];
                call.result().map_or(call.last_event, |result| result.event)
            }
        }
    }
}

/// Which kinds of things the steps of a rule name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of its own")]
pub(crate) struct Kinds {
    pub(crate) calls: bool,
    pub(crate) results: bool,
    pub(crate) messages: bool,
    pub(crate) of_user: bool,
}

impl Kinds {
    pub(crate) fn of(steps: &[Step]) -> Self {
        steps.iter().fold(Self::default(), |kinds, step| match &step.wants {
            Wants::Call(_) => Self { calls: true, ..kinds },
            Wants::Result(_) => Self { results: true, ..kinds },
            Wants::Message { by: SaidBy::Assistant, .. } => Self { messages: true, ..kinds },
            Wants::Message { by: SaidBy::User, .. } => Self { of_user: true, ..kinds },
        })
    }

    /// `calls, results and messages`
    pub(crate) fn words(self) -> String {
        let Self { calls, results, messages, of_user } = self;
        let words = [
            (calls, "calls"),
            (results, "results"),
            (messages, "messages"),
            (of_user, "messages of the user"),
        ];
        let words: Vec<&str> = words.into_iter().filter_map(|(is, word)| is.then_some(word)).collect();
        match words.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            all => all.concat(),
        }
    }
}

/// What happened in the home so far.
pub(crate) fn walk(scope: &Scope<'_>, kinds: Kinds) -> Vec<Item> {
    let trace = scope.trace;
    let turn = match scope.home {
        Home::Turn(turn) => trace.turns.get(turn),
        Home::Test => None,
    };
    let mut items = Vec::new();
    let messages = turn.map_or(0..trace.messages.len(), |turn| turn.messages.clone());
    if kinds.messages || kinds.of_user {
        items.extend(messages.filter_map(|index| message(scope, kinds, index)));
    }
    let calls = turn.map_or(0..trace.calls.len(), |turn| turn.calls.clone());
    if kinds.calls {
        items.extend(calls.clone().filter(|call| scope.counts(*call)).map(Item::Call));
    }
    if kinds.results {
        let earlier = turn.into_iter().flat_map(|turn| turn.late_results.iter().copied());
        items.extend(earlier.chain(calls).filter(|call| scope.is_answered(*call)).map(Item::Result));
    }
    items.sort_by_key(|item| item.order(trace));
    items
}

/// A message, where it is on the walk.
pub(crate) fn message(scope: &Scope<'_>, kinds: Kinds, index: usize) -> Option<Item> {
    let message = scope.trace.messages.get(index)?;
    let (by, is_wanted) = match message.role {
        Role::Assistant => (SaidBy::Assistant, kinds.messages && scope.hears(message)),
        Role::User => (SaidBy::User, kinds.of_user && scope.hears_user(message)),
        Role::System | Role::Reasoning => return None,
    };
    let is_told = !(scope.reach.without_subagents && message.is_by_subagent());
    (is_wanted && is_told).then_some(Item::Message { index, by })
}
