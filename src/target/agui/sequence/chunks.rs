//! The rules about chunks: that the first names its item, and that later ones agree with it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::items::named;
use super::rule::SequenceRule;
use super::violations::Violations;
use crate::target::agui::chunk_lanes::{Author, ChunkLanes};
use crate::target::agui::event::{Event, Key};
use crate::target::agui::event_kind::EventRef;
use crate::target::agui::item::ItemKind;
use crate::target::agui::warnings::shown;

/// What the first chunk of an item said that later ones may only repeat.
#[derive(Debug)]
struct First {
    begun: EventRef,
    said: Vec<(Key, Option<String>)>,
}

/// The first chunk of what each author has in chunks.
#[derive(Debug, Default)]
pub(super) struct FirstChunks(HashMap<Author, First>);

impl FirstChunks {
    /// The event is the first chunk of a named item.
    pub(super) fn begin(&mut self, kind: ItemKind, author: &Author, event: &Event<'_>, begun: EventRef) {
        let keys: &[Key] = match kind {
            ItemKind::Message => &[Key::Role, Key::Name],
            ItemKind::Call => &[Key::ToolCallName, Key::ParentMessageId],
            ItemKind::Reasoning | ItemKind::ReasoningSpan => &[],
        };
        let said = |key: &Key| {
            let said = event.quiet_id(*key).map(Cow::into_owned);
            // A message without a role is the agent's.
            (*key, said.or_else(|| (*key == Key::Role).then(|| "assistant".to_owned())))
        };
        self.0.insert(author.clone(), First { begun, said: keys.iter().map(said).collect() });
    }

    /// The event is a chunk without an id, and its author has none in chunks.
    pub(super) fn nameless(
        &mut self,
        kind: ItemKind,
        author: &Author,
        lanes: &ChunkLanes,
        violations: &mut Violations<'_, '_>,
    ) {
        self.0.remove(author);
        let (noun, key) = (kind.noun(), kind.id_key().name());
        let (why, against) = match lanes.last(author).filter(|last| last.kind == kind) {
            None => (format!("no {noun} is under way"), None),
            Some(last) => (format!("{} ended with {}", named(kind, &last.id), last.by), Some(last.by)),
        };
        violations.add(SequenceRule::ChunkWithoutId, against, format_args!("names no `{key}`, but {why}"));
    }

    /// The event is a later chunk: it says the same as the first. Each other value is reported once.
    pub(super) fn agree(&mut self, author: &Author, event: &Event<'_>, violations: &mut Violations<'_, '_>) {
        let Some(First { begun, said }) = self.0.get_mut(author) else { return };
        for (key, first) in said {
            let Some(now) = event.quiet_id(*key).filter(|now| Some(&**now) != first.as_deref()) else {
                continue;
            };
            let key = key.name();
            let before = first.as_deref().map_or("none".to_owned(), |first| format!("`{}`", shown(first)));
            let words = format_args!("has the `{key}` `{}`, but {begun} has {before}", shown(&now));
            violations.add(SequenceRule::ChunkDisagrees, Some(*begun), words);
            *first = Some(now.into_owned());
        }
    }
}

/// The event is a chunk that names neither an id nor a subagent, and `count` subagents have such an item in chunks.
pub(super) fn ambiguous(kind: ItemKind, count: usize, violations: &mut Violations<'_, '_>) {
    let (noun, key) = (kind.noun(), kind.id_key().name());
    let words = format_args!(
        "names neither a `{key}` nor a `subagentRunId`, and {count} subagents have a {noun} under way"
    );
    violations.add(SequenceRule::ChunkAmbiguous, None, words);
}
