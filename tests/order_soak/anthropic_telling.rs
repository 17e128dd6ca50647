//! How the Messages API tells a turn: blocks whose pieces are mixed, and servers that pause and go on in another response.

use serde_json::{Value, json};

use super::conversation::Item;
use super::dice::Dice;
use super::telling::{Told, arguments, mixed, place_of};

/// The types of a call and of its result. The client executes those of the first pair.
const PAIRS: [(&str, &str); 3] = [
    ("tool_use", "tool_result"),
    ("server_tool_use", "web_search_tool_result"),
    ("mcp_tool_use", "mcp_tool_result"),
];

/// The events of one response or of two, in the second of which a server goes on that has paused.
pub(super) fn responses(items: &[Item], number: usize, dice: &mut Dice) -> Vec<Vec<Value>> {
    let place = dice.below(items.len() + 1);
    let (before, after) = items.split_at(place);
    // What a model says in another response is another message.
    let is_cut = matches!(
        (before.last(), after.first()),
        (Some(Item::Says(_)), Some(Item::Says(_)))
    );
    if is_cut || !dice.one_in(3) {
        return vec![Message::new(number, 0).events(items, "end_turn", dice)];
    }
    // A server does not wait for results of the client.
    vec![
        Message::new(number, 1).events(before, "pause_turn", dice),
        Message::new(number, 1).events(after, "end_turn", dice),
    ]
}

/// One response.
struct Message {
    number: usize,
    /// The first of the pairs of types that its calls have.
    first_pair: usize,
    /// The index of the next block.
    next: usize,
}

impl Message {
    fn new(number: usize, first_pair: usize) -> Self {
        Self {
            number,
            first_pair,
            next: 0,
        }
    }

    fn events(mut self, items: &[Item], reason: &str, dice: &mut Dice) -> Vec<Value> {
        let mut told = Vec::new();
        for item in items {
            told.push(match item {
                Item::Says(text) => self.text(text, dice),
                Item::Call { id, tool, k } => self.call(*id, tool, k, dice),
                Item::Result { id, text } => Told {
                    needs: place_of(*id, items),
                    ..self.result(*id, text, dice)
                },
                Item::State(_) => Told::default(),
            });
        }
        let mut sent = Vec::new();
        if !dice.one_in(4) {
            let message = json!({ "id": format!("m{}", self.number), "type": "message", "role": "assistant", "content": [] });
            sent.push(json!({ "type": "message_start", "message": message }));
        }
        sent.extend(mixed(told, dice));
        if dice.one_in(3) {
            sent.push(json!({ "type": "ping" }));
        }
        sent.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason } }));
        // Gateways leave the end out.
        if !dice.one_in(8) {
            sent.push(json!({ "type": "message_stop" }));
        }
        sent
    }

    /// A new index of a block.
    fn index(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// A text, as one block in pieces, or in a block for each piece.
    fn text(&mut self, text: &str, dice: &mut Dice) -> Told {
        let mut told = Told::default();
        if dice.one_in(3) {
            for piece in dice.split(text) {
                let index = self.index();
                told.begin
                    .push(start(index, &json!({ "type": "text", "text": piece })));
                told.begin.push(stop(index));
            }
            return told;
        }
        let index = self.index();
        let delta = |text: String| piece(index, &json!({ "type": "text_delta", "text": text }));
        let mut pieces = dice.split(text).into_iter();
        let first = pieces.next().unwrap_or_default();
        match dice.below(3) {
            // Some servers begin no block.
            0 => told.begin.push(delta(first)),
            1 => told
                .begin
                .push(start(index, &json!({ "type": "text", "text": first }))),
            _ => {
                let empty = json!({ "type": "text", "text": "" });
                told.begin.extend([start(index, &empty), delta(first)]);
            }
        }
        told.later.extend(pieces.map(delta));
        told.later.push_back(stop(index));
        told
    }

    fn call(&mut self, id: usize, tool: &str, k: &str, dice: &mut Dice) -> Told {
        let index = self.index();
        let (call_type, _) = self.types_of(id);
        let mut block =
            json!({ "type": call_type, "id": self.id_of(id), "name": tool, "input": {} });
        let mut told = Told::default();
        let input = arguments(k);
        // Some servers send the input at once.
        if dice.one_in(3) {
            block["input"] = serde_json::from_str(&input).expect("JSON");
        } else {
            for text in dice.split(&input) {
                let delta = json!({ "type": "input_json_delta", "partial_json": text });
                told.later.push_back(piece(index, &delta));
            }
        }
        told.begin.push(start(index, &block));
        // A block needs no end.
        if !dice.one_in(4) {
            told.later.push_back(stop(index));
        }
        told
    }

    fn result(&mut self, id: usize, text: &str, dice: &mut Dice) -> Told {
        let index = self.index();
        let (_, result_type) = self.types_of(id);
        let content = if dice.one_in(2) {
            json!([{ "type": "text", "text": text }])
        } else {
            json!(text)
        };
        let block =
            json!({ "type": result_type, "tool_use_id": self.id_of(id), "content": content });
        Told {
            begin: vec![start(index, &block), stop(index)],
            ..Told::default()
        }
    }

    fn types_of(&self, id: usize) -> (&'static str, &'static str) {
        let pairs = &PAIRS[self.first_pair..];
        pairs[id % pairs.len()]
    }

    fn id_of(&self, id: usize) -> String {
        format!("c{}-{id}", self.number)
    }
}

fn start(index: usize, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn piece(index: usize, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stop(index: usize) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}
