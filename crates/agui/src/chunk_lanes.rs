//! The chunk forms: which item each chunk begins or continues. The agent itself and every subagent have a lane with one
//! item in it, which any event of the same author that is no chunk of it ends.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::event_kind::{EventRef, ItemKind};
use super::open_items::StartForm;

/// The owner of a lane: a subagent by its id, or the agent.
pub(super) type LaneOwner = Option<String>;

/// The item of a lane.
#[derive(Debug)]
struct OpenLane {
    id: String,
    /// Whether its first chunk named the id.
    is_named: bool,
}

/// The last item of a lane that a chunk named, and the event that ended it.
#[derive(Debug)]
pub(super) struct LastChunk {
    pub(super) kind: ItemKind,
    pub(super) id: String,
    pub(super) by: EventRef,
}

/// The item that a chunk continues or begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChunkTarget {
    /// The item of this author's lane.
    Continues(LaneOwner),
    /// The item that it names, in this author's lane.
    Begins(LaneOwner),
    /// It names no id, and this author's lane has none.
    Nameless(LaneOwner),
    /// It names neither an id nor a subagent, and so many lanes have an item of the kind.
    Ambiguous(usize),
}

/// The lanes of one exchange.
#[derive(Debug, Default)]
pub(super) struct ChunkLanes {
    lanes: [IndexMap<LaneOwner, OpenLane>; ItemKind::ALL.len()],
    /// The author in whose lane a named id is.
    authors: [HashMap<String, LaneOwner>; ItemKind::ALL.len()],
    last: HashMap<LaneOwner, LastChunk>,
}

impl ChunkLanes {
    /// The item that a chunk of this kind, id and subagent continues or begins.
    pub(super) fn target(
        &self,
        kind: ItemKind,
        id: Option<&str>,
        subagent: Option<&str>,
    ) -> ChunkTarget {
        let lanes = &self.lanes[kind as usize];
        let named = subagent.map(str::to_owned);
        let author = match id {
            // The lane that has the id, whichever subagent the chunk names.
            Some(id) => self.authors[kind as usize]
                .get(id)
                .cloned()
                .unwrap_or(named),
            None if named.is_some() || lanes.contains_key(&None) => named,
            None if lanes.len() > 1 => return ChunkTarget::Ambiguous(lanes.len()),
            None => lanes.keys().next().cloned().flatten(),
        };
        let is_same = |lane: &OpenLane| id.is_none_or(|id| lane.is_named && lane.id == id);
        if lanes.get(&author).is_some_and(is_same) {
            ChunkTarget::Continues(author)
        } else if id.is_some() {
            ChunkTarget::Begins(author)
        } else {
            ChunkTarget::Nameless(author)
        }
    }

    /// The id of the item of a lane.
    pub(super) fn current(&self, kind: ItemKind, author: &LaneOwner) -> Option<&str> {
        self.lanes[kind as usize]
            .get(author)
            .map(|lane| lane.id.as_str())
    }

    /// The last item of an author's lane.
    pub(super) fn last(&self, author: &LaneOwner) -> Option<&LastChunk> {
        self.last.get(author)
    }

    /// A chunk begins an item; with [`StartForm::Chunk`] it names the id.
    pub(super) fn begin(&mut self, kind: ItemKind, author: LaneOwner, id: &str, form: StartForm) {
        let is_named = form == StartForm::Chunk;
        if is_named {
            self.authors[kind as usize].insert(id.to_owned(), author.clone());
        }
        self.lanes[kind as usize].insert(
            author,
            OpenLane {
                id: id.to_owned(),
                is_named,
            },
        );
    }

    /// Ends what the lane of an author has; gives the item.
    pub(super) fn end(&mut self, author: &LaneOwner, by: EventRef) -> Option<(ItemKind, String)> {
        let mut ended = ItemKind::ALL
            .into_iter()
            .filter(|kind| !self.lanes[*kind as usize].is_empty());
        let kind = ended.find(|kind| self.lanes[*kind as usize].contains_key(author))?;
        let OpenLane { id, is_named } = self.lanes[kind as usize].swap_remove(author)?;
        if is_named {
            self.authors[kind as usize].remove(&id);
            self.last.insert(
                author.clone(),
                LastChunk {
                    kind,
                    id: id.clone(),
                    by,
                },
            );
        }
        Some((kind, id))
    }

    /// The owners of the lanes that have an item, by name.
    pub(super) fn authors(&self) -> Vec<LaneOwner> {
        let mut authors: Vec<LaneOwner> = self
            .lanes
            .iter()
            .flat_map(IndexMap::keys)
            .cloned()
            .collect();
        authors.sort_unstable();
        authors
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.iter().all(IndexMap::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_kind::known;
    use super::*;

    const KIND: ItemKind = ItemKind::Message;

    fn by(number: u32) -> EventRef {
        EventRef {
            number,
            kind: known("CUSTOM").unwrap().0,
        }
    }

    fn author(id: &str) -> LaneOwner {
        id.to_owned().into()
    }

    #[test]
    fn a_chunk_continues_the_item_of_its_lane_and_another_id_begins_one() {
        let mut lanes = ChunkLanes::default();
        assert_eq!(
            lanes.target(KIND, Some("m"), None),
            ChunkTarget::Begins(None)
        );
        assert_eq!(lanes.target(KIND, None, None), ChunkTarget::Nameless(None));
        lanes.begin(KIND, None, "m", StartForm::Chunk);
        assert_eq!(
            lanes.target(KIND, Some("m"), None),
            ChunkTarget::Continues(None)
        );
        assert_eq!(lanes.target(KIND, None, None), ChunkTarget::Continues(None));
        assert_eq!(
            lanes.target(KIND, Some("n"), None),
            ChunkTarget::Begins(None)
        );
        assert_eq!(lanes.current(KIND, &None), Some("m"));
    }

    #[test]
    fn a_chunk_without_a_name_goes_to_the_agent_else_to_the_only_lane_else_it_is_ambiguous() {
        let mut lanes = ChunkLanes::default();
        lanes.begin(KIND, author("a"), "m", StartForm::Chunk);
        assert_eq!(
            lanes.target(KIND, None, None),
            ChunkTarget::Continues(author("a"))
        );
        lanes.begin(KIND, author("b"), "n", StartForm::Chunk);
        assert_eq!(lanes.target(KIND, None, None), ChunkTarget::Ambiguous(2));
        assert_eq!(
            lanes.target(KIND, None, Some("b")),
            ChunkTarget::Continues(author("b"))
        );
        lanes.begin(KIND, None, "o", StartForm::Chunk);
        assert_eq!(lanes.target(KIND, None, None), ChunkTarget::Continues(None));
    }

    #[test]
    fn an_id_is_found_in_its_lane_whoever_the_chunk_names() {
        let mut lanes = ChunkLanes::default();
        lanes.begin(KIND, author("a"), "m", StartForm::Chunk);
        assert_eq!(
            lanes.target(KIND, Some("m"), Some("b")),
            ChunkTarget::Continues(author("a"))
        );
    }

    #[test]
    fn an_item_whose_first_chunk_had_no_id_is_not_continued_by_one() {
        let mut lanes = ChunkLanes::default();
        lanes.begin(KIND, None, "m", StartForm::Unnamed);
        assert_eq!(lanes.target(KIND, None, None), ChunkTarget::Continues(None));
        assert_eq!(
            lanes.target(KIND, Some("m"), None),
            ChunkTarget::Begins(None)
        );
    }

    #[test]
    fn the_end_of_a_lane_gives_its_item_and_is_remembered_if_the_item_was_named() {
        let mut lanes = ChunkLanes::default();
        lanes.begin(KIND, None, "m", StartForm::Chunk);
        lanes.begin(ItemKind::Call, author("a"), "c", StartForm::Unnamed);
        assert_eq!(lanes.authors(), [None, author("a")]);
        assert_eq!(lanes.end(&None, by(3)), Some((KIND, "m".to_owned())));
        assert_eq!(lanes.end(&None, by(4)), None);
        let last = lanes
            .last(&None)
            .map(|last| (last.kind, last.id.as_str(), last.by.number));
        assert_eq!(last, Some((KIND, "m", 3)));
        assert_eq!(
            lanes.end(&author("a"), by(5)),
            Some((ItemKind::Call, "c".to_owned()))
        );
        assert!(lanes.last(&author("a")).is_none() && lanes.is_empty());
    }
}
