//! The items of an answer: which are open with their text so far, and when each began and ended.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::event_kind::{EventRef, ItemKind};
use ananke_base::source::received_json::HalfJoiner;
use ananke_base::text::ShortText;

/// The form in which an item began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartForm {
    /// With an event of its own.
    Start,
    /// With its first chunk.
    Chunk,
    /// It did not, but an event continues it.
    Assumed,
    /// With an event that names no id.
    Unnamed,
}

/// The moments at which the newest item of an id began and ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemSpan {
    run: u32,
    pub(super) begun: EventRef,
    pub(super) form: StartForm,
    pub(super) ended: Option<EventRef>,
    /// Whether all of it was there once.
    is_complete: bool,
}

impl ItemSpan {
    /// Whether it properly began and has not ended.
    pub(super) fn is_unfinished(&self) -> bool {
        self.ended.is_none() && matches!(self.form, StartForm::Start | StartForm::Chunk)
    }
}

/// An item that is being assembled.
#[derive(Debug, Default)]
pub(super) struct OpenItem {
    /// The role of a message.
    pub(super) role: &'static str,
    /// Its text or arguments so far.
    pub(super) text: String,
    /// Joins characters that are cut between two pieces.
    pub(super) joiner: HalfJoiner,
}

/// The items of one exchange.
#[derive(Debug, Default)]
pub(super) struct OpenItems {
    /// The number of the current run: earlier runs do not count for the order of events.
    run: u32,
    items: [HashMap<ShortText, ItemSpan>; ItemKind::ALL.len()],
    open: [IndexMap<ShortText, OpenItem>; ItemKind::ALL.len()],
    /// Items of this run that are closed and have not ended: the event that ends an item has to name it.
    closed_only: [HashSet<ShortText>; ItemKind::ALL.len()],
}

impl OpenItems {
    /// From now on items belong to another run.
    pub(super) fn start_run(&mut self) {
        self.run += 1;
        self.closed_only = Default::default();
    }

    /// The newest item of an id in this run; none that no event has named.
    pub(super) fn get(&self, kind: ItemKind, id: &str) -> Option<&ItemSpan> {
        self.items[kind as usize]
            .get(id)
            .filter(|item| item.run == self.run && item.form != StartForm::Unnamed)
    }

    /// The items of this run that properly began and have not ended.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = (ItemKind, &str, EventRef)> {
        ItemKind::ALL.into_iter().flat_map(move |kind| {
            let closed = self.closed_only[kind as usize].iter();
            let ids = closed
                .filter(move |id| !self.is_open(kind, id))
                .chain(self.open[kind as usize].keys());
            ids.filter_map(move |id| {
                let item = self.get(kind, id).filter(|item| item.is_unfinished())?;
                Some((kind, id.as_str(), item.begun))
            })
        })
    }

    pub(super) fn is_open(&self, kind: ItemKind, id: &str) -> bool {
        self.open[kind as usize].contains_key(id)
    }

    /// Whether it was complete once.
    pub(super) fn is_complete(&self, kind: ItemKind, id: &str) -> bool {
        self.items[kind as usize]
            .get(id)
            .is_some_and(|item| item.is_complete)
    }

    /// The only open item of a kind, if there is exactly one.
    pub(super) fn only_open(&self, kind: ItemKind) -> Option<&str> {
        let mut open = self.open[kind as usize].keys();
        open.next()
            .filter(|_| open.next().is_none())
            .map(ShortText::as_str)
    }

    /// The event begins an item; one that is unfinished stays as it is.
    pub(super) fn begin(&mut self, kind: ItemKind, id: &str, form: StartForm, event: EventRef) {
        let run = self.run;
        match self.items[kind as usize].get_mut(id) {
            Some(item) if item.run == run && item.is_unfinished() => {}
            Some(item) => {
                *item = ItemSpan {
                    run,
                    begun: event,
                    form,
                    ended: None,
                    ..*item
                }
            }
            None => {
                let item = ItemSpan {
                    run,
                    begun: event,
                    form,
                    ended: None,
                    is_complete: false,
                };
                self.items[kind as usize].insert(id.into(), item);
            }
        }
    }

    /// The event continues an item that it names: one that has ended, or never began, is assumed to have begun.
    pub(super) fn resume(&mut self, kind: ItemKind, id: &str, event: EventRef) {
        if self.get(kind, id).is_none_or(|item| item.ended.is_some()) {
            self.begin(kind, id, StartForm::Assumed, event);
        }
    }

    /// The event ends an item that it names.
    pub(super) fn end(&mut self, kind: ItemKind, id: &str, event: EventRef) {
        if let Some(item) = self.items[kind as usize].get_mut(id) {
            item.ended.get_or_insert(event);
        }
    }

    /// The chunks of an item end with `by`; gives whether the item ends with them, since it began with one.
    pub(super) fn end_chunks(&mut self, kind: ItemKind, id: &str, by: EventRef) -> bool {
        let item = self.items[kind as usize].get_mut(id);
        let item = item.filter(|item| matches!(item.form, StartForm::Chunk | StartForm::Unnamed));
        item.map(|item| item.ended.get_or_insert(by)).is_some()
    }

    /// Opens an item.
    pub(super) fn open(&mut self, kind: ItemKind, id: &str, role: &'static str) {
        self.open[kind as usize].insert(
            id.into(),
            OpenItem {
                role,
                ..OpenItem::default()
            },
        );
    }

    /// An open item.
    pub(super) fn open_mut(&mut self, kind: ItemKind, id: &str) -> Option<&mut OpenItem> {
        self.open[kind as usize].get_mut(id)
    }

    /// The text of an open item so far.
    pub(super) fn open_text(&self, kind: ItemKind, id: &str) -> Option<&str> {
        self.open[kind as usize]
            .get(id)
            .map(|open| open.text.as_str())
    }

    /// Closes an open item.
    pub(super) fn close(&mut self, kind: ItemKind, id: &str) -> Option<(ShortText, OpenItem)> {
        let closed = self.open[kind as usize].swap_remove_entry(id)?;
        self.set_complete(kind, id);
        Some(closed)
    }

    /// Closes every open item of a kind, in the order they were opened.
    pub(super) fn close_all(&mut self, kind: ItemKind) -> IndexMap<ShortText, OpenItem> {
        let open = std::mem::take(&mut self.open[kind as usize]);
        open.keys().for_each(|id| self.set_complete(kind, id));
        open
    }

    fn set_complete(&mut self, kind: ItemKind, id: &str) {
        if let Some(item) = self.items[kind as usize].get_mut(id) {
            item.is_complete = true;
            if item.is_unfinished() {
                self.closed_only[kind as usize].insert(id.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_kind::known;
    use super::*;

    fn event(number: u32) -> EventRef {
        EventRef {
            number,
            kind: known("CUSTOM").unwrap().0,
        }
    }

    fn unfinished(items: &OpenItems) -> Vec<(&str, u32)> {
        let mut unfinished: Vec<_> = items
            .unfinished()
            .map(|(_, id, begun)| (id, begun.number))
            .collect();
        unfinished.sort_unstable();
        unfinished
    }

    fn begun(id: &str, form: StartForm) -> OpenItems {
        let mut items = OpenItems::default();
        items.begin(ItemKind::Message, id, form, event(1));
        items.open(ItemKind::Message, id, "assistant");
        items
    }

    #[test]
    fn an_item_is_unfinished_until_an_event_ends_it_by_its_id() {
        let mut items = begun("m", StartForm::Start);
        assert_eq!(unfinished(&items), [("m", 1)]);
        assert!(items.close(ItemKind::Message, "m").is_some());
        assert_eq!(
            unfinished(&items),
            [("m", 1)],
            "closed by an event that does not name it"
        );
        items.open(ItemKind::Message, "m", "assistant");
        assert_eq!(
            unfinished(&items),
            [("m", 1)],
            "once, also if it is open again"
        );
        items.end(ItemKind::Message, "m", event(3));
        assert_eq!(unfinished(&items), []);
    }

    #[test]
    fn what_no_event_has_begun_by_name_is_never_unfinished() {
        for form in [StartForm::Assumed, StartForm::Unnamed] {
            let mut items = begun("m", form);
            assert_eq!(unfinished(&items), [], "{form:?}");
            items.close(ItemKind::Message, "m");
            assert_eq!(unfinished(&items), [], "{form:?}");
        }
        assert!(
            begun("m", StartForm::Unnamed)
                .get(ItemKind::Message, "m")
                .is_none()
        );
    }

    #[test]
    fn the_next_run_knows_no_item_of_the_one_before() {
        let mut items = begun("m", StartForm::Start);
        items.close(ItemKind::Message, "m");
        items.start_run();
        assert_eq!(unfinished(&items), []);
        assert!(items.get(ItemKind::Message, "m").is_none());
        assert!(
            items.is_complete(ItemKind::Message, "m"),
            "its text is complete all the same"
        );
    }

    #[test]
    fn the_only_open_item_is_the_one_that_is_meant() {
        let mut items = begun("m", StartForm::Start);
        assert_eq!(items.only_open(ItemKind::Message), Some("m"));
        assert_eq!(items.only_open(ItemKind::Call), None);
        items.open(ItemKind::Message, "n", "assistant");
        assert_eq!(items.only_open(ItemKind::Message), None);
        let closed: Vec<ShortText> = items.close_all(ItemKind::Message).into_keys().collect();
        assert_eq!(closed, ["m", "n"]);
    }

    #[test]
    fn only_an_item_in_chunks_ends_with_them() {
        assert!(begun("m", StartForm::Chunk).end_chunks(ItemKind::Message, "m", event(2)));
        assert!(!begun("m", StartForm::Start).end_chunks(ItemKind::Message, "m", event(2)));
    }
}
