//! The walk over a rule's scope: the things that happened, in the order in which they began. Messages are where they open,
//! calls where they start, results where they arrive.
//!
//! Only the kinds of things that some step names are included. A call has one result, its last; a result belongs to the
//! turn it arrived in, whichever turn the call started in.

use crate::evaluation::View;
use crate::steps::{Item, Kinds};
use ananke_model::model::MessageRole;
use ananke_trace::trace::MessageKind;

/// The things that happened in the scope so far.
pub(super) fn walk(view: &View<'_>, kinds: Kinds) -> Vec<Item> {
    let trace = view.trace;
    let turn = view.turn();
    let mut items = Vec::new();
    let messages = turn.map_or(0..trace.messages.len(), |turn| turn.messages.clone());
    if kinds.messages || kinds.of_user {
        items.extend(messages.filter_map(|index| message(view, kinds, index)));
    }
    let calls = turn.map_or(0..trace.calls.len(), |turn| turn.calls.clone());
    if kinds.calls {
        items.extend(
            calls
                .clone()
                .filter(|call| view.counts(*call))
                .map(Item::Call),
        );
    }
    if kinds.results {
        let late = turn
            .into_iter()
            .flat_map(|turn| turn.late_results.iter().copied());
        items.extend(
            late.chain(calls)
                .filter(|call| view.was_answered(*call))
                .map(Item::Result),
        );
    }
    items.sort_by_key(|item| item.order(trace));
    items
}

/// A message, if a step names its kind.
pub(super) fn message(view: &View<'_>, kinds: Kinds, index: usize) -> Option<Item> {
    let message = view.trace.messages.get(index)?;
    let (by, is_wanted) = match message.role {
        MessageKind::Assistant => (
            MessageRole::Assistant,
            kinds.messages && view.includes_text(message),
        ),
        MessageKind::User => (
            MessageRole::User,
            kinds.of_user && view.includes_user_text(message),
        ),
        MessageKind::System | MessageKind::Reasoning => return None,
    };
    let includes_author = !(view.exclusions.subagents && message.is_by_subagent());
    (is_wanted && includes_author).then_some(Item::Message { index, by })
}
