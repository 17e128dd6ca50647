//! The rules about chunks: that the first names its item, and that later ones agree with it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{EventOrderRule, items::named, violations::EventViolations};
use crate::chunk_lanes::{ChunkLanes, LaneOwner};
use crate::event::{FieldKey, WireEvent};
use crate::event_kind::{EventRef, ItemKind};
use crate::warnings::shown;

/// The fields of the first chunk of an item, which later ones may only repeat.
#[derive(Debug)]
struct FirstChunk {
    begun: EventRef,
    said: Vec<(FieldKey, Option<String>)>,
}

/// The first chunk of what each author has in chunks.
#[derive(Debug, Default)]
pub(super) struct FirstChunks(HashMap<LaneOwner, FirstChunk>);

impl FirstChunks {
    /// The event is the first chunk of a named item.
    pub(super) fn begin(
        &mut self,
        kind: ItemKind,
        author: &LaneOwner,
        event: &WireEvent<'_>,
        begun: EventRef,
    ) {
        let keys: &[FieldKey] = match kind {
            ItemKind::Message => &[FieldKey::Role, FieldKey::Name],
            ItemKind::Call => &[FieldKey::ToolCallName, FieldKey::ParentMessageId],
            ItemKind::Reasoning | ItemKind::ReasoningSpan => &[],
        };
        let said = |key: &FieldKey| {
            let said = event.quiet_id(*key).map(Cow::into_owned);
            // A message without a role is the agent's.
            (
                *key,
                said.or_else(|| (*key == FieldKey::Role).then(|| "assistant".to_owned())),
            )
        };
        self.0.insert(
            author.clone(),
            FirstChunk {
                begun,
                said: keys.iter().map(said).collect(),
            },
        );
    }

    /// The event is a chunk without an id, and its author has none in chunks.
    pub(super) fn nameless(
        &mut self,
        kind: ItemKind,
        author: &LaneOwner,
        lanes: &ChunkLanes,
        violations: &mut EventViolations<'_, '_>,
    ) {
        self.0.remove(author);
        let (noun, key) = (kind.noun(), kind.id_key().name());
        let (why, against) = match lanes.last(author).filter(|last| last.kind == kind) {
            None => (format!("no {noun} is under way"), None),
            Some(last) => (
                format!("{} ended with {}", named(kind, &last.id), last.by),
                Some(last.by),
            ),
        };
        violations.add(
            EventOrderRule::ChunkWithoutId,
            against,
            format_args!("names no `{key}`, but {why}"),
        );
    }

    /// The event is a later chunk: it says the same as the first. Each other value is reported once.
    pub(super) fn agree(
        &mut self,
        author: &LaneOwner,
        event: &WireEvent<'_>,
        violations: &mut EventViolations<'_, '_>,
    ) {
        let Some(FirstChunk { begun, said }) = self.0.get_mut(author) else {
            return;
        };
        for (key, first) in said {
            let Some(now) = event
                .quiet_id(*key)
                .filter(|now| Some(&**now) != first.as_deref())
            else {
                continue;
            };
            let key = key.name();
            let before = first
                .as_deref()
                .map_or("none".to_owned(), |first| format!("`{}`", shown(first)));
            let words = format_args!(
                "has the `{key}` `{}`, but {begun} has {before}",
                shown(&now)
            );
            violations.add(EventOrderRule::ChunkDisagrees, Some(*begun), words);
            *first = Some(now.into_owned());
        }
    }
}

/// The event is a chunk that names neither an id nor a subagent, and `count` subagents have such an item in chunks.
pub(super) fn ambiguous(kind: ItemKind, count: usize, violations: &mut EventViolations<'_, '_>) {
    let (noun, key) = (kind.noun(), kind.id_key().name());
    let words = format_args!(
        "names neither a `{key}` nor a `subagentRunId`, and {count} subagents have a {noun} under way"
    );
    violations.add(EventOrderRule::ChunkAmbiguous, None, words);
}
