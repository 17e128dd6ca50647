//! The items of one response as far as they have arrived, and which of them an event belongs to.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::event::text_of;
use super::item_kind::{OutputItemKind, type_of};
use super::streamed_text::StreamedText;

/// The items of one response, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct OutputItems {
    items: Vec<OutputItem>,
    by_id: HashMap<String, usize>,
    /// The newest call with each id of a call.
    by_call_id: HashMap<String, usize>,
    /// The newest item at each place of the output.
    by_index: HashMap<u64, usize>,
    /// The items of each type that are not complete, the newest last.
    open: HashMap<String, Vec<usize>>,
}

/// One item as far as it has arrived.
#[derive(Debug)]
pub(super) struct OutputItem {
    pub(super) item_type: String,
    pub(super) kind: OutputItemKind,
    /// Whether the server has given it an id.
    has_id: bool,
    /// Whether the server has given it a place.
    has_index: bool,
    /// The id of its message in the trace, once that has begun.
    pub(super) message: Option<String>,
    /// The id of its reasoning in the trace, once that has begun.
    pub(super) reasoning: Option<String>,
    pub(super) call: ItemCall,
    /// The key of its call in the trace; empty before that has begun.
    pub(super) key: String,
    /// The tool of its call; empty before that has begun.
    pub(super) tool: String,
    /// The parts of its message, by their number.
    pub(super) parts: BTreeMap<u64, StreamedText>,
    pub(super) thoughts: StreamedText,
    /// The arguments of its call.
    pub(super) arguments: StreamedText,
    /// The input of its call, of a tool whose input is a plain text.
    pub(super) input: String,
    /// The item as it was announced, for servers that never complete it.
    pub(super) announced: Option<Value>,
    pub(super) is_done: bool,
    /// The item as the next request has it.
    pub(super) sent_back: Option<Value>,
}

/// The state of the call of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemCall {
    /// Nothing of it is reported, or the item is no call.
    NotBegun,
    /// A place in the order is kept for it, since its tool is not known yet.
    Placed,
    Begun,
    /// The call of an earlier response, which was approved since.
    Approved,
}

/// The completeness of the item that a call is begun with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemExtent {
    /// More of it may follow, such as its tool.
    Announced,
    Whole,
}

/// The origin of a whole item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeSource {
    /// An event about this item alone.
    OwnEvent,
    /// The list of all items at the end of the response.
    AllItems,
}

/// The signs by which an event names its item.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemSigns<'e> {
    pub(super) id: Option<&'e str>,
    pub(super) index: Option<u64>,
    pub(super) item_type: &'e str,
}

impl OutputItems {
    /// The number of the item with these signs: by its id, else by its place if the type fits and it is open, else the newest open
    /// item of its type, unless both have a place. Servers leave out or invent each of them.
    pub(super) fn find(&self, signs: ItemSigns<'_>) -> Option<usize> {
        if let Some(id) = signs.id
            && let Some(number) = self.by_id.get(id)
        {
            return Some(*number);
        }
        if let Some(index) = signs.index
            && let Some(number) = self.by_index.get(&index)
            && self.items[*number].item_type == signs.item_type
            && !self.items[*number].is_done
        {
            return Some(*number);
        }
        let number = *self.open.get(signs.item_type)?.last()?;
        let is_elsewhere = signs.index.is_some() && self.items[number].has_index;
        if is_elsewhere { None } else { Some(number) }
    }

    /// The number of the item that is the same as `item`, which is whole. In the list of all items of a response, each one that
    /// has come before is the same: by its id, by the id of its call, else by its place if its type is the same.
    pub(super) fn find_whole(
        &self,
        item: &Value,
        signs: ItemSigns<'_>,
        from: WholeSource,
    ) -> Option<usize> {
        // An id is the best sign, since servers repeat it in every event of an item.
        if let Some(id) = signs.id
            && let Some(number) = self.by_id.get(id)
        {
            return Some(*number);
        }
        if let Some(call_id) = text_of(item, "call_id")
            && OutputItemKind::of(item) != OutputItemKind::Result
            && let Some(number) = self.by_call_id.get(call_id)
            && (from == WholeSource::AllItems || !self.items[*number].is_done)
        {
            return Some(*number);
        }
        if from == WholeSource::AllItems
            && let Some(index) = signs.index
            && let Some(number) = self.by_index.get(&index)
            && self.items[*number].item_type == signs.item_type
        {
            return Some(*number);
        }
        // An item with an id that is new is another one, unless the open one has none.
        let number = self.find(signs)?;
        let is_other = signs.id.is_some() && self.items[number].has_id;
        if is_other { None } else { Some(number) }
    }

    /// The number of the newest call with this id of a call.
    pub(super) fn find_call(&self, call_id: &str) -> Option<usize> {
        self.by_call_id.get(call_id).copied()
    }

    /// Takes it that an item is the call with this id.
    pub(super) fn note_call(&mut self, number: usize, call_id: &str) {
        self.by_call_id.insert(call_id.to_owned(), number);
    }

    /// Adds an item with these signs, of which nothing else is known. Returns its number.
    pub(super) fn add(&mut self, signs: ItemSigns<'_>, kind: OutputItemKind) -> usize {
        let number = self.items.len();
        self.items.push(OutputItem {
            item_type: signs.item_type.to_owned(),
            kind,
            has_id: false,
            has_index: false,
            message: None,
            reasoning: None,
            call: ItemCall::NotBegun,
            key: String::new(),
            tool: String::new(),
            parts: BTreeMap::new(),
            thoughts: StreamedText::default(),
            arguments: StreamedText::default(),
            input: String::new(),
            announced: None,
            is_done: false,
            sent_back: None,
        });
        self.note_signs(number, signs);
        let open = self.open.entry(signs.item_type.to_owned()).or_default();
        open.push(number);
        number
    }

    /// Takes it that an item has this id and this place, in addition to those that it had.
    pub(super) fn note_signs(&mut self, number: usize, signs: ItemSigns<'_>) {
        if let Some(id) = signs.id {
            self.by_id.entry(id.to_owned()).or_insert(number);
            self.items[number].has_id = true;
        }
        if let Some(index) = signs.index {
            self.by_index.insert(index, number);
            self.items[number].has_index = true;
        }
    }

    /// Gives an item another type, of which nothing has been reported yet.
    pub(super) fn retype(&mut self, number: usize, value: &Value) {
        self.close(number);
        let item = &mut self.items[number];
        type_of(value).clone_into(&mut item.item_type);
        item.kind = OutputItemKind::of(value);
        item.is_done = false;
        let open = self.open.entry(item.item_type.clone()).or_default();
        open.push(number);
    }

    /// Takes it that an item is complete.
    pub(super) fn close(&mut self, number: usize) {
        self.items[number].is_done = true;
        let item_type = &self.items[number].item_type;
        let Some(open) = self.open.get_mut(item_type) else {
            return;
        };
        // Most items end in the reverse order of their beginnings, or alone. One that ends before a newer one stays in the list
        // until that has ended, so that each item is removed once.
        while let Some(number) = open.last()
            && self.items[*number].is_done
        {
            open.pop();
        }
    }

    pub(super) fn item(&mut self, number: usize) -> &mut OutputItem {
        &mut self.items[number]
    }

    /// The number of items.
    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// The items, which are no longer needed here.
    pub(super) fn into_all(self) -> Vec<OutputItem> {
        self.items
    }
}

impl OutputItem {
    /// Whether nothing of it has been reported.
    pub(super) fn is_unreported(&self) -> bool {
        self.message.is_none() && self.reasoning.is_none() && self.call == ItemCall::NotBegun
    }

    /// The item as far as it has arrived, for servers that never complete it.
    pub(super) fn put_together(&mut self) -> Value {
        let mut whole = match self.announced.take() {
            Some(announced) => announced,
            None => json!({ "type": self.item_type }),
        };
        // A key of the announced item is the beginning of what came in pieces.
        if !self.arguments.text().is_empty() {
            whole["arguments"] = self.arguments.text().into();
        }
        if !self.input.is_empty() {
            let key = if self.item_type == "code_interpreter_call" {
                "code"
            } else {
                "input"
            };
            whole[key] = self.input.as_str().into();
        }
        if !self.parts.is_empty() {
            let mut parts = Vec::new();
            for text in self.parts.values() {
                parts
                    .push(json!({ "type": "output_text", "text": text.text(), "annotations": [] }));
            }
            whole["role"] = "assistant".into();
            whole["content"] = parts.into();
        }
        whole
    }
}

impl<'e> ItemSigns<'e> {
    /// The signs of an item that an event at this place of the output contains.
    pub(super) fn of_item(item: &'e Value, index: Option<u64>) -> Self {
        Self {
            id: text_of(item, "id"),
            index,
            item_type: type_of(item),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs<'e>(id: Option<&'e str>, index: Option<u64>, item_type: &'e str) -> ItemSigns<'e> {
        ItemSigns {
            id,
            index,
            item_type,
        }
    }

    #[test]
    fn an_event_finds_its_item_by_whatever_sign_is_right() {
        let mut items = OutputItems::default();
        let text = items.add(
            signs(Some("m"), Some(0), "message"),
            OutputItemKind::Message,
        );
        let call = items.add(
            signs(Some("f"), Some(1), "function_call"),
            OutputItemKind::Unknown,
        );
        assert_eq!(
            items.find(signs(Some("m"), Some(1), "function_call")),
            Some(text)
        );
        assert_eq!(
            items.find(signs(Some("new"), Some(1), "function_call")),
            Some(call)
        );
        assert_eq!(items.find(signs(None, None, "message")), Some(text));
        assert_eq!(items.find(signs(Some("n"), Some(2), "message")), None);
        assert_eq!(items.find(signs(None, None, "reasoning")), None);
        items.close(call);
        assert_eq!(items.find(signs(None, Some(1), "function_call")), None);
        assert_eq!(items.find(signs(Some("f"), None, "")), Some(call));
    }
}
