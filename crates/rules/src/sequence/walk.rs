//! The walk over a rule's scope: the things that happened, in the order in which they began. Messages are where their
//! first text is, calls where they start, results where they arrive.
//!
//! Only the kinds of things that some step names are included. A call has one result, its last; a result belongs to the
//! turn it arrived in, whichever turn the call started in.

use crate::evaluation::View;
use crate::steps::{Kinds, author};
use ananke_model::model::MessageRole;
use ananke_trace::trace::TraceItem;

/// The things of these kinds in the scope of the rule.
pub(super) fn walk(view: &View<'_>, kinds: Kinds) -> Vec<TraceItem> {
    let is_included = |item: &TraceItem| match *item {
        TraceItem::Message(index) => includes_message(view, kinds, index),
        TraceItem::Call(call) => kinds.calls && view.counts(call),
        TraceItem::Result { call, .. } => {
            let is_last = view.trace.last_result(call) == Some(*item);
            kinds.results && is_last && view.was_answered(call)
        }
        TraceItem::Answer { .. } | TraceItem::State(_) | TraceItem::ModelCall(_) => false,
    };
    let items = view.log().iter().filter(|item| is_included(item));
    items.copied().collect()
}

/// Whether the message at `index` is one of these kinds that the rule looks at.
pub(super) fn includes_message(view: &View<'_>, kinds: Kinds, index: usize) -> bool {
    view.trace.messages.get(index).is_some_and(|message| {
        let is_wanted = match author(message) {
            Some(MessageRole::Assistant) => kinds.messages && view.includes_text(message),
            Some(MessageRole::User) => kinds.of_user && view.includes_user_text(message),
            None => false,
        };
        is_wanted && view.includes_author(&message.author)
    })
}
