//! How a response of the Responses API tells a turn: items whose pieces are mixed, whose tools may be named late, and which the
//! last event repeats or not.

use serde_json::{Value, json};

use super::conversation::Item;
use super::dice::Dice;
use super::telling::{Told, arguments, mixed, place_of};

/// The events of one response, whose server executes the tools.
pub(super) fn events(items: &[Item], number: usize, dice: &mut Dice) -> Vec<Value> {
    let mut told = Vec::new();
    let mut output = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let whole = whole(item, index, number);
        told.push(match item {
            Item::Says(text) => message(text, &whole, index, dice),
            Item::Call { k, .. } => call(k, &whole, index, dice),
            Item::Result { id, .. } => Told {
                needs: place_of(*id, items),
                begin: vec![done(index, &whole)],
                ..Told::default()
            },
            Item::State(_) => Told::default(),
        });
        if !whole.is_null() {
            output.push(whole);
        }
    }
    let mut sent = Vec::new();
    if dice.one_in(2) {
        sent.push(
            json!({ "type": "response.created", "response": { "id": format!("r{number}") } }),
        );
    }
    sent.extend(mixed(told, dice));
    // Servers repeat all items at the end, or none.
    let output = if dice.one_in(2) { output } else { Vec::new() };
    let response = json!({ "id": format!("r{number}"), "status": "completed", "output": output });
    sent.push(json!({ "type": "response.completed", "response": response }));
    sent
}

/// The complete item; null for what the API does not show.
fn whole(item: &Item, index: usize, number: usize) -> Value {
    match item {
        Item::Says(text) => {
            let part = json!({ "type": "output_text", "text": text, "annotations": [] });
            json!({ "type": "message", "id": format!("m{number}-{index}"), "role": "assistant", "content": [part] })
        }
        Item::Call { id, tool, k } => json!({
            "type": "function_call", "id": format!("f{number}-{id}"), "call_id": format!("c{number}-{id}"), "name": tool, "arguments": arguments(k),
        }),
        Item::Result { id, text } => json!({
            "type": "function_call_output", "id": format!("o{number}-{id}"), "call_id": format!("c{number}-{id}"), "output": text,
        }),
        Item::State(_) => Value::Null,
    }
}

fn added(index: usize, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: usize, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

fn message(text: &str, whole: &Value, index: usize, dice: &mut Dice) -> Told {
    let id = &whole["id"];
    let piece = |text: String| {
        json!({
            "type": "response.output_text.delta", "item_id": id, "output_index": index, "content_index": 0, "delta": text,
        })
    };
    let mut told = Told::default();
    // Some servers announce no item.
    if !dice.one_in(4) {
        let begun = json!({ "type": "message", "id": id, "role": "assistant", "content": [] });
        told.begin.push(added(index, &begun));
    }
    let mut pieces = dice.split(text).into_iter();
    told.begin.extend(pieces.next().map(piece));
    told.later.extend(pieces.map(piece));
    if dice.one_in(2) {
        told.later.push_back(json!({ "type": "response.output_text.done", "item_id": id, "content_index": 0, "text": text }));
    }
    told.later.push_back(done(index, whole));
    told
}

fn call(k: &str, whole: &Value, index: usize, dice: &mut Dice) -> Told {
    let id = &whole["id"];
    let mut begun = whole.clone();
    let mut told = Told::default();
    // Some servers repeat the arguments in pieces that they have announced.
    if !dice.one_in(4) {
        begun["arguments"] = "".into();
    }
    // Some servers name the tool only in the complete item.
    if dice.one_in(4) {
        begun = json!({ "type": "function_call", "id": id });
    }
    told.begin.push(added(index, &begun));
    for piece in dice.split(&arguments(k)) {
        told.later.push_back(json!({
            "type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": piece,
        }));
    }
    told.later.push_back(done(index, whole));
    told
}
