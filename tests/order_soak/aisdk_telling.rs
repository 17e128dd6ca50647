//! How a UI message stream tells a turn: chunks of texts and calls that are mixed, steps that begin anywhere, results on the way, and
//! steps that are taken back.

use serde_json::{Value, json};

use super::conversation::Item;
use super::dice::Dice;
use super::telling::{Told, arguments, mixed, place_of};

/// The chunks of one response.
pub(super) fn chunks(items: &[Item], number: usize, dice: &mut Dice) -> Vec<Value> {
    let mut sent = Vec::new();
    // Backends that are written by hand send neither.
    if dice.one_in(2) {
        sent.push(json!({ "type": "start", "messageId": format!("m{number}") }));
    }
    if dice.one_in(4) {
        sent.extend(taken_back(items, dice));
    } else if dice.one_in(2) {
        sent.push(json!({ "type": "start-step" }));
    }
    let told = items.iter().enumerate();
    let told = told.map(|(index, item)| of_item(item, index, items, number, dice));
    let told = told.collect();
    sent.extend(mixed(told, dice));
    if dice.one_in(2) {
        sent.push(json!({ "type": "finish-step" }));
    }
    sent.push(json!({ "type": "finish", "finishReason": "stop" }));
    sent
}

/// A step with the texts of the turn, which is taken back: nothing of it counts.
fn taken_back(items: &[Item], dice: &mut Dice) -> Vec<Value> {
    let mut sent = vec![json!({ "type": "start-step" })];
    for item in items {
        if let Item::Says(text) = item {
            sent.push(json!({ "type": "text-start", "id": "lost" }));
            for piece in dice.split(text) {
                sent.push(json!({ "type": "text-delta", "id": "lost", "delta": piece }));
            }
            if dice.one_in(2) {
                sent.push(json!({ "type": "text-end", "id": "lost" }));
            }
        }
    }
    sent.push(json!({ "type": "reset-step" }));
    sent
}

fn of_item(item: &Item, index: usize, items: &[Item], number: usize, dice: &mut Dice) -> Told {
    match item {
        Item::Says(text) => message(text, &format!("t{index}"), dice),
        Item::Call { id, tool, k } => call(&format!("c{number}-{id}"), tool, k, dice),
        Item::Result { id, text } => {
            let id = format!("c{number}-{id}");
            let output = |value: &str| json!({ "type": "tool-output-available", "toolCallId": id, "output": value });
            let mut begin = Vec::new();
            if dice.one_in(4) {
                let mut on_the_way = output("on the way");
                on_the_way["preliminary"] = true.into();
                begin.push(on_the_way);
            }
            begin.push(output(text));
            let needs = match item {
                Item::Result { id, .. } => place_of(*id, items),
                _ => None,
            };
            Told {
                begin,
                needs,
                ..Told::default()
            }
        }
        Item::State(_) => Told::default(),
    }
}

fn message(text: &str, id: &str, dice: &mut Dice) -> Told {
    let piece = |text: String| json!({ "type": "text-delta", "id": id, "delta": text });
    let mut told = Told::default();
    told.early.push(json!({ "type": "text-start", "id": id }));
    // A step may begin while a text of another stream is open.
    if dice.one_in(4) {
        told.early.push(json!({ "type": "start-step" }));
    }
    let mut pieces = dice.split(text).into_iter();
    told.begin.extend(pieces.next().map(piece));
    told.later.extend(pieces.map(piece));
    if dice.one_in(2) {
        told.later
            .push_back(json!({ "type": "text-end", "id": id }));
    }
    told
}

fn call(id: &str, tool: &str, k: &str, dice: &mut Dice) -> Told {
    let mut told = Told::default();
    let whole = json!({
        "type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": { "k": k },
    });
    if dice.one_in(3) {
        told.begin.push(whole);
        return told;
    }
    told.begin
        .push(json!({ "type": "tool-input-start", "toolCallId": id, "toolName": tool }));
    for piece in dice.split(&arguments(k)) {
        told.later.push_back(
            json!({ "type": "tool-input-delta", "toolCallId": id, "inputTextDelta": piece }),
        );
    }
    // Some backends send the pieces alone.
    if !dice.one_in(4) {
        told.later.push_back(whole);
    }
    told
}
