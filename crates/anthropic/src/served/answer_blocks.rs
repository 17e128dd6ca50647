//! The blocks of an answer, put together part by part, with the events that say each part.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::request_messages::input_of;
use ananke_agents::{OwnCallStep, Round, RoundPart, ServedFrame};

/// The name of the server of the calls that the agent executes itself: the API has one for each.
const SERVER_NAME: &str = "agent";

/// The start of a signature of reasoning, which clients send back: the id of the message follows it.
const SIGNATURE: &str = "YW5hbmtl";

/// The blocks of an answer, and the events that a stream has for them.
pub(super) struct AnswerBlocks<'r> {
    /// The id of the message.
    id: &'r str,
    pub(super) content: Vec<Value>,
    /// The arguments of each call so far, by its place.
    inputs: HashMap<usize, String>,
    /// The places of the blocks that are not complete.
    open: Vec<usize>,
    /// The place of the call of the client with each number.
    calls: Vec<usize>,
    /// The place of each call that the agent executes itself.
    own_calls: HashMap<&'r str, usize>,
    frames: Vec<ServedFrame>,
    after: Duration,
}

impl<'r> AnswerBlocks<'r> {
    pub(super) fn of(id: &'r str, round: &'r Round) -> Self {
        let mut blocks = Self {
            id,
            content: Vec::new(),
            inputs: HashMap::new(),
            open: Vec::new(),
            calls: Vec::new(),
            own_calls: HashMap::new(),
            frames: Vec::new(),
            after: Duration::ZERO,
        };
        // The time goes along with the parts, because each event is sent when its part was produced.
        for (after, part) in &round.parts {
            blocks.after = *after;
            blocks.part(part);
        }
        blocks.after = round.ended;
        for place in blocks.open.clone() {
            blocks.close(place);
        }
        blocks
    }

    /// The events of the blocks as frames of a stream.
    pub(super) fn into_frames(self) -> Vec<ServedFrame> {
        self.frames
    }

    /// Adds a part of the answer.
    fn part(&mut self, part: &'r RoundPart) {
        match part {
            RoundPart::Text(text) => {
                let empty = json!({ "type": "text", "text": "" });
                self.text(empty, "text", "text_delta", text);
            }
            RoundPart::Reasoning(text) => {
                let empty = json!({ "type": "thinking", "thinking": "", "signature": "" });
                self.text(empty, "thinking", "thinking_delta", text);
            }
            RoundPart::Call(_, id, tool) => {
                self.close_texts();
                let place =
                    self.add(json!({ "type": "tool_use", "id": id, "name": tool, "input": {} }));
                self.calls.push(place);
            }
            RoundPart::Arguments(number, text) => {
                // A call comes before its arguments.
                if let Some(place) = self.calls.get(*number) {
                    self.input(*place, text);
                }
            }
            RoundPart::Own(id, step) => self.own(id, step),
        }
    }

    /// More of a text, which is begun with the block `empty` if none of its type is open.
    fn text(&mut self, empty: Value, key: &str, delta_type: &str, text: &str) {
        let place = match self.open.last() {
            Some(place) if self.content[*place]["type"] == empty["type"] => *place,
            _ => {
                self.close_texts();
                self.add(empty)
            }
        };
        if let Value::String(whole) = &mut self.content[place][key] {
            whole.push_str(text);
        }
        let mut delta = json!({ "type": delta_type });
        delta[key] = text.into();
        self.delta(place, &delta);
    }

    /// A step of a call that the agent executes itself.
    fn own(&mut self, id: &'r str, step: &OwnCallStep) {
        match step {
            OwnCallStep::Begins(tool) => {
                self.close_texts();
                let block = json!({ "type": "mcp_tool_use", "id": id, "name": tool, "server_name": SERVER_NAME, "input": {} });
                let place = self.add(block);
                self.own_calls.insert(id, place);
            }
            OwnCallStep::Arguments(text) => {
                if let Some(place) = self.own_calls.get(id) {
                    self.input(*place, text);
                }
            }
            OwnCallStep::Ends(result, is_error) => {
                let Some(place) = self.own_calls.get(id).copied() else {
                    return;
                };
                self.close(place);
                self.close_texts();
                let content = json!([{ "type": "text", "text": result }]);
                let block = json!({ "type": "mcp_tool_result", "tool_use_id": id, "is_error": is_error, "content": content });
                let place = self.add(block);
                self.close(place);
            }
        }
    }

    /// More of the input of a call.
    fn input(&mut self, place: usize, text: &str) {
        self.inputs.entry(place).or_default().push_str(text);
        self.delta(
            place,
            &json!({ "type": "input_json_delta", "partial_json": text }),
        );
    }

    /// Adds a block, and returns its place.
    fn add(&mut self, block: Value) -> usize {
        let place = self.content.len();
        self.frame(
            "content_block_start",
            &json!({ "index": place, "content_block": block }),
        );
        self.content.push(block);
        self.open.push(place);
        place
    }

    /// Ends the text or the reasoning that is open.
    fn close_texts(&mut self) {
        if let Some(place) = self.open.last().copied()
            && matches!(
                self.content[place]["type"].as_str(),
                Some("text" | "thinking")
            )
        {
            self.close(place);
        }
    }

    /// Ends a block, if it is open.
    fn close(&mut self, place: usize) {
        let count = self.open.len();
        self.open.retain(|open| *open != place);
        if self.open.len() == count {
            return;
        }
        if self.content[place]["type"] == "thinking" {
            let signature = format!("{SIGNATURE}{}", self.id);
            self.delta(
                place,
                &json!({ "type": "signature_delta", "signature": signature }),
            );
            self.content[place]["signature"] = signature.into();
        }
        if let Some(input) = self.inputs.remove(&place) {
            self.content[place]["input"] = input_of(&input);
        }
        self.frame("content_block_stop", &json!({ "index": place }));
    }

    fn delta(&mut self, place: usize, delta: &Value) {
        self.frame(
            "content_block_delta",
            &json!({ "index": place, "delta": delta }),
        );
    }

    fn frame(&mut self, name: &str, event: &Value) {
        self.frames
            .push(event_frame(self.after, name, event.clone()));
    }
}

/// An event of a stream, whose type is also its name.
pub(super) fn event_frame(after: Duration, name: &str, keys: Value) -> ServedFrame {
    let mut event = json!({ "type": name });
    if let (Value::Object(event), Value::Object(keys)) = (&mut event, keys) {
        event.extend(keys);
    }
    ServedFrame::named_event(after, name, event)
}
