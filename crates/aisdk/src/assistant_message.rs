//! The message of the assistant: everything that came for one message of the user, over all requests and steps.

use serde_json::{Map, Value, json};

use super::ui_part::{UiPart, UiTextPart, UiToolPart};

/// A message of the assistant.
#[derive(Clone, Debug)]
pub(super) struct AssistantMessage {
    pub(super) id: String,
    metadata: Option<Value>,
    parts: Vec<UiPart>,
}

impl AssistantMessage {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            metadata: None,
            parts: Vec::new(),
        }
    }

    /// Adds a part at the end. Returns its place.
    pub(super) fn push(&mut self, part: UiPart) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// The text or the reasoning at this place.
    pub(super) fn text(&mut self, place: usize) -> Option<&mut UiTextPart> {
        match self.parts.get_mut(place) {
            Some(UiPart::Text(part)) => Some(part),
            _ => None,
        }
    }

    /// The call at this place.
    pub(super) fn tool(&mut self, place: usize) -> Option<&mut UiToolPart> {
        match self.parts.get_mut(place) {
            Some(UiPart::Tool(part)) => Some(part),
            _ => None,
        }
    }

    /// Replaces the part of the application with the same type and id, or adds it.
    pub(super) fn put_data(&mut self, data: &Value) {
        for part in &mut self.parts {
            // A part without an id is never the same as another one.
            if let UiPart::Other(known) = part
                && !data["id"].is_null()
                && known["type"] == data["type"]
                && known["id"] == data["id"]
            {
                known.clone_from(data);
                return;
            }
        }
        self.parts.push(UiPart::Other(data.clone()));
    }

    /// Drops the parts after the last step began, or all parts if none did. Returns the number of parts that are left.
    pub(super) fn drop_step(&mut self) -> usize {
        // The start of the step stays, since the retry has no start of its own.
        while let Some(part) = self.parts.last()
            && !matches!(part, UiPart::StepStart)
        {
            self.parts.pop();
        }
        self.parts.len()
    }

    /// Merges metadata into that of the message: mappings key by key, as the official client does.
    pub(super) fn add_metadata(&mut self, metadata: &Value) {
        match &mut self.metadata {
            Some(known) => merge(known, metadata),
            None => self.metadata = Some(metadata.clone()),
        }
    }

    /// The message as a request has it; `None` without parts, which a backend refuses.
    pub(super) fn as_sent(&self) -> Option<Value> {
        if self.parts.is_empty() {
            return None;
        }
        let mut message = Map::new();
        message.insert("id".to_owned(), self.id.as_str().into());
        if let Some(metadata) = &self.metadata {
            message.insert("metadata".to_owned(), metadata.clone());
        }
        message.insert("role".to_owned(), "assistant".into());
        let mut parts = Vec::new();
        for part in &self.parts {
            parts.push(part.as_sent());
        }
        message.insert("parts".to_owned(), json!(parts));
        Some(Value::Object(message))
    }
}

/// Puts `more` over `known`: mappings key by key, anything else as a whole.
fn merge(known: &mut Value, more: &Value) {
    match (known, more) {
        (Value::Object(known), Value::Object(more)) => {
            for (key, value) in more {
                merge(known.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (known, more) => *known = more.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_merged_and_data_is_updated_in_place() {
        let mut message = AssistantMessage::new("m".to_owned());
        assert_eq!(message.as_sent(), None);
        message.add_metadata(&json!({ "a": { "b": 1, "c": 2 }, "d": 3 }));
        message.add_metadata(&json!({ "a": { "b": 4 }, "d": [5] }));
        message.put_data(&json!({ "type": "data-cart", "id": "1", "data": 1 }));
        message.put_data(&json!({ "type": "data-cart", "data": 2 }));
        message.put_data(&json!({ "type": "data-cart", "data": 3 }));
        message.put_data(&json!({ "type": "data-cart", "id": "1", "data": 4 }));
        let expected = json!({
            "id": "m", "metadata": { "a": { "b": 4, "c": 2 }, "d": [5] }, "role": "assistant",
            "parts": [
                { "type": "data-cart", "id": "1", "data": 4 },
                { "type": "data-cart", "data": 2 },
                { "type": "data-cart", "data": 3 },
            ],
        });
        assert_eq!(message.as_sent(), Some(expected));
    }

    #[test]
    fn a_reset_drops_what_came_since_the_step_began() {
        let mut message = AssistantMessage::new("m".to_owned());
        let part = |text: &str| {
            UiPart::Text(UiTextPart {
                part_type: "text",
                text: text.to_owned(),
                metadata: None,
            })
        };
        message.push(UiPart::StepStart);
        message.push(part("a"));
        message.push(UiPart::StepStart);
        message.push(part("b"));
        assert_eq!(message.drop_step(), 3);
        assert_eq!(message.drop_step(), 3);
        message.push(part("c"));
        let sent = message.as_sent().expect("parts");
        assert_eq!(sent["parts"][1]["text"], "a");
        assert_eq!(sent["parts"][3]["text"], "c");
    }
}
