//! The rules about messages, calls and reasoning: what begins, continues and ends in which order.

use super::named::{Left, Named};
use super::rule::SequenceRule;
use super::violations::Violations;
use crate::target::agui::item::ItemKind;
use crate::target::agui::open_items::{Form, Item, OpenItems};

/// The item of a kind and id as a message names it.
pub(super) fn named(kind: ItemKind, id: &str) -> Named<'_> {
    Named { noun: kind.noun(), id, subagent: None }
}

/// The event begins an item. Gives whether it may.
pub(super) fn begin(
    kind: ItemKind,
    id: &str,
    items: &OpenItems,
    violations: &mut Violations<'_, '_>,
) -> bool {
    let Some(Item { begun, .. }) = items.get(kind, id).filter(|item| item.is_unfinished()) else {
        return true;
    };
    let rule = match kind {
        ItemKind::Message => SequenceRule::TextAlreadyOpen,
        ItemKind::Call => SequenceRule::CallAlreadyOpen,
        ItemKind::Reasoning => SequenceRule::ReasoningMessageAlreadyOpen,
        ItemKind::ReasoningSpan => SequenceRule::ReasoningAlreadyOpen,
    };
    let words = format_args!("begins {}, which is open since {begun}", named(kind, id));
    violations.add(rule, Some(*begun), words);
    false
}

/// The event continues an item. Gives whether it may.
pub(super) fn continue_(
    kind: ItemKind,
    id: &str,
    items: &OpenItems,
    violations: &mut Violations<'_, '_>,
) -> bool {
    match items.get(kind, id) {
        Some(Item { ended: None, .. }) => true,
        item => not_open(kind, id, "goes on with", item, violations),
    }
}

/// The event ends an item. Gives whether it may.
pub(super) fn end(kind: ItemKind, id: &str, items: &OpenItems, violations: &mut Violations<'_, '_>) -> bool {
    match items.get(kind, id) {
        // Chunks of another subagent still continue it.
        Some(Item { ended: None, form, .. }) if *form != Form::Chunk => true,
        item => not_open(kind, id, "ends", item, violations),
    }
}

/// The items that are open when the run finishes.
pub(super) fn left(items: &OpenItems) -> impl Iterator<Item = Left<'_>> {
    items.unfinished().map(|(kind, id, begun)| {
        let rule = match kind {
            ItemKind::Message => SequenceRule::TextStillOpen,
            ItemKind::Call => SequenceRule::CallStillOpen,
            ItemKind::Reasoning => SequenceRule::ReasoningMessageStillOpen,
            ItemKind::ReasoningSpan => SequenceRule::ReasoningStillOpen,
        };
        Left { rule, begun, what: named(kind, id) }
    })
}

fn not_open(
    kind: ItemKind,
    id: &str,
    does: &str,
    item: Option<&Item>,
    violations: &mut Violations<'_, '_>,
) -> bool {
    let rule = match kind {
        ItemKind::Message => SequenceRule::TextNotOpen,
        ItemKind::Call => SequenceRule::CallNotOpen,
        ItemKind::Reasoning => SequenceRule::ReasoningMessageNotOpen,
        ItemKind::ReasoningSpan => SequenceRule::ReasoningNotOpen,
    };
    let what = format!("{does} {}", named(kind, id));
    match item {
        None => violations.add(rule, None, format_args!("{what}, which never began")),
        Some(Item { ended: Some(ended), .. }) if *ended != violations.event => {
            violations.add(rule, Some(*ended), format_args!("{what}, which had ended with {ended}"));
        }
        Some(Item { begun, .. }) => {
            let words = format_args!("{what}, which {begun} began in chunks: those end by themselves");
            violations.add(rule, Some(*begun), words);
        }
    }
    false
}
