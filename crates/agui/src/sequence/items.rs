//! The rules about messages, calls and reasoning: what begins, continues and ends in which order.

use super::EventOrderRule;
use super::violations::{EventViolations, Named, UnfinishedItem};
use crate::event_kind::ItemKind;
use crate::open_items::{ItemSpan, OpenItems, StartForm};

/// The rules about one kind of item.
struct ItemRules {
    begun_twice: EventOrderRule,
    not_open: EventOrderRule,
    still_open: EventOrderRule,
}

fn rules(kind: ItemKind) -> ItemRules {
    use EventOrderRule as Rule;
    let [begun_twice, not_open, still_open] = match kind {
        ItemKind::Message => [
            Rule::TextAlreadyOpen,
            Rule::TextNotOpen,
            Rule::TextStillOpen,
        ],
        ItemKind::Call => [
            Rule::CallAlreadyOpen,
            Rule::CallNotOpen,
            Rule::CallStillOpen,
        ],
        ItemKind::Reasoning => [
            Rule::ReasoningMessageAlreadyOpen,
            Rule::ReasoningMessageNotOpen,
            Rule::ReasoningMessageStillOpen,
        ],
        ItemKind::ReasoningSpan => [
            Rule::ReasoningAlreadyOpen,
            Rule::ReasoningNotOpen,
            Rule::ReasoningStillOpen,
        ],
    };
    ItemRules {
        begun_twice,
        not_open,
        still_open,
    }
}

/// The item of a kind and id as a message names it.
pub(super) fn named(kind: ItemKind, id: &str) -> Named<'_> {
    Named {
        noun: kind.noun(),
        id,
        subagent: None,
    }
}

/// The event begins an item. Gives whether it may.
pub(super) fn begin(
    kind: ItemKind,
    id: &str,
    items: &OpenItems,
    violations: &mut EventViolations<'_, '_>,
) -> bool {
    let Some(ItemSpan { begun, .. }) = items.get(kind, id).filter(|item| item.is_unfinished())
    else {
        return true;
    };
    let words = format_args!("begins {}, which is open since {begun}", named(kind, id));
    violations.add(rules(kind).begun_twice, Some(*begun), words);
    false
}

/// The event continues an item. Gives whether it may.
pub(super) fn continue_(
    kind: ItemKind,
    id: &str,
    items: &OpenItems,
    violations: &mut EventViolations<'_, '_>,
) -> bool {
    match items.get(kind, id) {
        Some(ItemSpan { ended: None, .. }) => true,
        item => not_open(kind, id, "goes on with", item, violations),
    }
}

/// The event ends an item. Gives whether it may.
pub(super) fn end(
    kind: ItemKind,
    id: &str,
    items: &OpenItems,
    violations: &mut EventViolations<'_, '_>,
) -> bool {
    match items.get(kind, id) {
        // Chunks of another subagent still continue it.
        Some(ItemSpan {
            ended: None, form, ..
        }) if *form != StartForm::Chunk => true,
        item => not_open(kind, id, "ends", item, violations),
    }
}

/// The items that are open when the run finishes.
pub(super) fn left(items: &OpenItems) -> impl Iterator<Item = UnfinishedItem<'_>> {
    let left = |(kind, id, begun)| UnfinishedItem {
        rule: rules(kind).still_open,
        begun,
        what: named(kind, id),
    };
    items.unfinished().map(left)
}

fn not_open(
    kind: ItemKind,
    id: &str,
    does: &str,
    item: Option<&ItemSpan>,
    violations: &mut EventViolations<'_, '_>,
) -> bool {
    let rule = rules(kind).not_open;
    let what = format!("{does} {}", named(kind, id));
    match item {
        None => violations.add(rule, None, format_args!("{what}, which never began")),
        Some(ItemSpan {
            ended: Some(ended), ..
        }) if *ended != violations.event => {
            violations.add(
                rule,
                Some(*ended),
                format_args!("{what}, which had ended with {ended}"),
            );
        }
        Some(ItemSpan { begun, .. }) => {
            let words =
                format_args!("{what}, which {begun} began in chunks: those end by themselves");
            violations.add(rule, Some(*begun), words);
        }
    }
    false
}
