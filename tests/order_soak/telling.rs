//! How a conversation is told: the same things on each wire, with texts and arguments in pieces that come later, ends that come
//! later still, roles repeated or left out, and parts that only a snapshot shows.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::aisdk_telling;
use super::conversation::{Item, Turn, Wire};
use super::dice::Dice;
use super::{anthropic_telling, responses_telling};

/// The bodies of the responses to the requests of a turn, in order.
pub(super) fn turn(wire: Wire, turn: &Turn, number: usize, dice: &mut Dice) -> Vec<Vec<Value>> {
    match wire {
        Wire::Agui | Wire::Program => vec![agui(turn, number, dice)],
        Wire::Observed => vec![chunks(&turn.items, number, true, dice)],
        Wire::Run => rounds(turn, number, dice),
        Wire::Responses => vec![responses_telling::events(&turn.items, number, dice)],
        Wire::AiSdk => vec![aisdk_telling::chunks(&turn.items, number, dice)],
        Wire::Anthropic => anthropic_telling::responses(&turn.items, number, dice),
        Wire::A2a => vec![a2a(turn, number, dice)],
        // A form of its own tells what an agent behind an HTTP API says.
        Wire::Mcp | Wire::Messages | Wire::Http => Vec::new(),
    }
}

/// One thing on a wire.
#[derive(Default)]
pub(super) struct Told {
    /// What may come before it, and begins nothing.
    pub(super) early: Vec<Value>,
    pub(super) begin: Vec<Value>,
    /// What may come any time after.
    pub(super) later: VecDeque<Value>,
    /// The thing that has to be complete first.
    pub(super) needs: Option<usize>,
    /// Whether every message has to be complete first, or every result.
    pub(super) ends: Ends,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Other,
    Message,
    Result,
}

/// The kinds of things that something ends.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Ends {
    #[default]
    Nothing,
    Messages,
    Results,
}

/// Everything that is told, begun in its order; what comes later is mixed with what follows.
pub(super) fn mixed(mut told: Vec<Told>, dice: &mut Dice) -> Vec<Value> {
    let mut sent = Vec::new();
    let is_calm = dice.one_in(3);
    for index in 0..told.len() {
        if !is_calm {
            while index > 0 && dice.one_in(3) {
                sent.extend(told[dice.below(index)].later.pop_front());
            }
            // What begins nothing may come before what begins.
            if index + 1 < told.len() && dice.one_in(3) {
                let early = std::mem::take(&mut told[index + 1].early);
                sent.extend(early);
            }
        }
        if let Some(needed) = told[index].needs {
            sent.extend(std::mem::take(&mut told[needed].later));
        }
        let ended = match told[index].ends {
            Ends::Nothing => None,
            Ends::Messages => Some(Kind::Message),
            Ends::Results => Some(Kind::Result),
        };
        for earlier in &mut told[..index] {
            if ended == Some(earlier.kind) {
                sent.extend(std::mem::take(&mut earlier.later));
            }
        }
        let own = &mut told[index];
        sent.append(&mut own.early);
        sent.append(&mut own.begin);
        if is_calm {
            sent.extend(std::mem::take(&mut own.later));
        }
    }
    while told.iter().any(|told| !told.later.is_empty()) {
        let index = dice.below(told.len());
        sent.extend(told[index].later.pop_front());
    }
    sent
}

/// The place of the call of a result among the things of a turn.
pub(super) fn place_of(id: usize, items: &[Item]) -> Option<usize> {
    let is_it = |item: &Item| matches!(item, Item::Call { id: own, .. } if *own == id);
    items.iter().position(is_it)
}

pub(super) fn tool_of(id: usize, items: &[Item]) -> &str {
    let call = place_of(id, items).map(|place| &items[place]);
    match call {
        Some(Item::Call { tool, .. }) => tool,
        _ => "",
    }
}

pub(super) fn arguments(k: &str) -> String {
    json!({ "k": k }).to_string()
}

fn agui(turn: &Turn, number: usize, dice: &mut Dice) -> Vec<Value> {
    let items = &turn.items;
    // A call that only the snapshot shows has its result there, too.
    let is_listed = dice.one_in(3);
    let mut is_hidden: Vec<bool> = items.iter().map(|_| is_listed && dice.one_in(2)).collect();
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::Result { id, .. } => {
                let call = place_of(*id, items);
                is_hidden[index] |= call.is_none_or(|call| is_hidden[call]);
            }
            Item::State(_) => is_hidden[index] = false,
            Item::Says(_) | Item::Call { .. } => {}
        }
    }
    let told = items.iter().enumerate().map(|(index, item)| {
        if is_hidden[index] {
            Told::default()
        } else {
            agui_item(item, index, number, items, dice)
        }
    });
    let mut events = vec![json!({ "type": "RUN_STARTED" })];
    let told = told.collect();
    events.extend(mixed(told, dice));
    if is_listed {
        events.push(snapshot(turn, number));
    }
    events.push(json!({ "type": "RUN_FINISHED" }));
    events
}

fn agui_item(item: &Item, index: usize, number: usize, items: &[Item], dice: &mut Dice) -> Told {
    let mut told = Told::default();
    match item {
        Item::Says(text) => {
            let id = format!("m{number}-{index}");
            let content = |delta: &str| json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta });
            told.early.push(
                json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" }),
            );
            if dice.one_in(4) {
                told.early.push(content(""));
            }
            let mut pieces = dice.split(text).into_iter();
            told.begin
                .extend(pieces.next().map(|piece| content(&piece)));
            told.later.extend(pieces.map(|piece| content(&piece)));
            told.later
                .push_back(json!({ "type": "TEXT_MESSAGE_END", "messageId": id }));
        }
        Item::Call { id, tool, k } => {
            let id = format!("c{id}");
            told.begin
                .push(json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": tool }));
            let pieces = dice.split(&arguments(k)).into_iter();
            told.later.extend(pieces.map(
                |piece| json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": piece }),
            ));
            told.later
                .push_back(json!({ "type": "TOOL_CALL_END", "toolCallId": id }));
        }
        Item::Result { id, text } => {
            told.needs = place_of(*id, items);
            told.begin.push(json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("r{id}"), "toolCallId": format!("c{id}"), "content": text }));
        }
        Item::State(value) => told
            .begin
            .push(json!({ "type": "STATE_SNAPSHOT", "snapshot": { "step": value } })),
    }
    told
}

/// The conversation since the message of the user, as a list.
fn snapshot(turn: &Turn, number: usize) -> Value {
    let mut messages =
        vec![json!({ "id": format!("u{number}"), "role": "user", "content": turn.user })];
    for (index, item) in turn.items.iter().enumerate() {
        messages.push(match item {
            Item::Says(text) => json!({ "id": format!("m{number}-{index}"), "role": "assistant", "content": text }),
            Item::Call { id, tool, k } => {
                let function = json!({ "name": tool, "arguments": arguments(k) });
                json!({ "id": format!("l{id}"), "role": "assistant",
                    "toolCalls": [{ "id": format!("c{id}"), "type": "function", "function": function }] })
            }
            Item::Result { id, text } => json!({ "id": format!("r{id}"), "role": "tool", "toolCallId": format!("c{id}"), "content": text }),
            Item::State(_) => continue,
        });
    }
    json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages })
}

fn delta(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "id": "chunk", "object": "chat.completion.chunk", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// A delta of the model, whose role may be left out.
fn by_model(mut of: Value, dice: &mut Dice) -> Value {
    if dice.one_in(3) {
        of["role"] = json!("assistant");
    }
    delta(&of, None)
}

/// The chunks of one completion.
fn chunks(items: &[Item], number: usize, is_last: bool, dice: &mut Dice) -> Vec<Value> {
    let mut told: Vec<Told> = Vec::new();
    let mut calls = 0;
    for item in items {
        let mut own = Told::default();
        match item {
            Item::Says(text) => {
                own.kind = Kind::Message;
                if dice.one_in(3) {
                    own.early
                        .push(delta(&json!({ "role": "assistant", "content": "" }), None));
                }
                let pieces: Vec<Value> = dice
                    .split(text)
                    .into_iter()
                    .map(|piece| json!({ "content": piece }))
                    .collect();
                let mut pieces = pieces.into_iter();
                own.begin
                    .extend(pieces.next().map(|piece| by_model(piece, dice)));
                own.later = pieces.map(|piece| by_model(piece, dice)).collect();
                own.ends = Ends::Results;
            }
            Item::Call { id, tool, k } => {
                let mut call = json!({ "index": calls, "id": format!("c{number}-{id}"), "type": "function", "function": { "name": tool, "arguments": "" } });
                let mut pieces: VecDeque<String> = dice.split(&arguments(k)).into();
                if dice.one_in(2) {
                    call["function"]["arguments"] = json!(pieces.pop_front());
                }
                own.begin
                    .push(by_model(json!({ "tool_calls": [call] }), dice));
                for piece in pieces {
                    let call = json!({ "index": calls, "function": { "arguments": piece } });
                    own.later
                        .push_back(by_model(json!({ "tool_calls": [call] }), dice));
                }
                own.ends = Ends::Results;
                calls += 1;
            }
            Item::Result { id, text } => {
                own.kind = Kind::Result;
                own.needs = place_of(*id, items);
                own.ends = Ends::Messages;
                for (index, piece) in dice.split(text).into_iter().enumerate() {
                    let mut piece =
                        json!({ "tool_call_id": format!("c{number}-{id}"), "content": piece });
                    if index == 0 || dice.one_in(2) {
                        piece["role"] = json!("tool");
                    }
                    match index {
                        0 => own.begin.push(delta(&piece, None)),
                        _ => own.later.push_back(delta(&piece, None)),
                    }
                }
            }
            Item::State(_) => {}
        }
        told.push(own);
    }
    let mut sent = Vec::new();
    if dice.one_in(2) {
        sent.push(delta(&json!({ "role": "assistant" }), None));
    }
    sent.extend(mixed(told, dice));
    let reason = if is_last { "stop" } else { "tool_calls" };
    sent.push(delta(&json!({}), Some(reason)));
    sent
}

/// The completions between which the test executes tools.
fn rounds(turn: &Turn, number: usize, dice: &mut Dice) -> Vec<Vec<Value>> {
    let (mut rounds, mut round) = (Vec::new(), Vec::new());
    for item in &turn.items {
        if matches!(item, Item::Result { .. }) {
            if !round.is_empty() {
                rounds.push(std::mem::take(&mut round));
            }
        } else {
            round.push(item.clone());
        }
    }
    rounds.push(round);
    let last = rounds.len() - 1;
    let told = rounds.iter().enumerate();
    told.map(|(index, items)| chunks(items, number, index == last, dice))
        .collect()
}

/// A part by which agents of the Agent Development Kit show calls.
fn adk_part(item: &Item, items: &[Item]) -> Value {
    match item {
        Item::Call { id, tool, k } => {
            json!({ "kind": "data", "metadata": { "adk_type": "function_call" },
            "data": { "id": format!("c{id}"), "name": tool, "args": { "k": k } } })
        }
        Item::Result { id, text } => {
            json!({ "kind": "data", "metadata": { "adk_type": "function_response" },
            "data": { "id": format!("c{id}"), "name": tool_of(*id, items), "response": text } })
        }
        Item::Says(_) | Item::State(_) => Value::Null,
    }
}

/// Responses to a request of a version before 1.0; the server puts the id of the request in.
fn a2a(turn: &Turn, number: usize, dice: &mut Dice) -> Vec<Value> {
    let (task, items) = (format!("t{number}"), &turn.items);
    let event = |mut result: Value| {
        result["taskId"] = json!(task);
        result["contextId"] = json!("context");
        json!({ "jsonrpc": "2.0", "id": "REQUEST", "result": result })
    };
    let status = |state: &str, message: Value, is_final: bool| {
        event(
            json!({ "kind": "status-update", "status": { "state": state, "message": message }, "final": is_final }),
        )
    };
    let mut told: Vec<Told> = Vec::new();
    let mut is_shown_before = false;
    for (index, item) in items.iter().enumerate() {
        let mut own = Told::default();
        match item {
            Item::Says(text) => {
                let id = format!("a{number}-{index}");
                let pieces = dice.split(text);
                let last = pieces.len() - 1;
                for (piece, text) in pieces.into_iter().enumerate() {
                    let mut parts = vec![json!({ "kind": "text", "text": text })];
                    // A call that follows may be a part of the same artifact.
                    if piece == 0
                        && let Some(next @ Item::Call { .. }) = items.get(index + 1)
                        && dice.one_in(3)
                    {
                        parts.push(adk_part(next, items));
                        is_shown_before = true;
                    }
                    let artifact = json!({ "artifactId": id, "parts": parts });
                    let update = event(
                        json!({ "kind": "artifact-update", "artifact": artifact, "append": piece > 0, "lastChunk": false }),
                    );
                    match piece {
                        0 => own.begin.push(update),
                        _ => own.later.push_back(update),
                    }
                }
                if last > 0 || dice.one_in(2) {
                    let artifact = json!({ "artifactId": id, "parts": [] });
                    own.later.push_back(event(json!({ "kind": "artifact-update", "artifact": artifact, "append": true, "lastChunk": true })));
                }
            }
            Item::Call { .. } if std::mem::take(&mut is_shown_before) => {}
            Item::Call { id, .. } | Item::Result { id, .. } => {
                let kind = if matches!(item, Item::Call { .. }) {
                    "call"
                } else {
                    "result"
                };
                let message = json!({ "kind": "message", "role": "agent", "messageId": format!("{kind}-{id}"), "parts": [adk_part(item, items)] });
                own.begin.push(status("working", message, false));
            }
            Item::State(_) => {}
        }
        told.push(own);
    }
    let begins = json!({ "jsonrpc": "2.0", "id": "REQUEST", "result": { "kind": "task", "id": task, "contextId": "context", "status": { "state": "submitted" } } });
    let mut events = vec![begins];
    events.extend(mixed(told, dice));
    events.push(status("completed", Value::Null, true));
    events
}

/// A list of messages.
pub(super) fn messages(turns: &[Turn]) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in turns {
        messages.push(json!({ "role": "user", "content": turn.user }));
        for item in &turn.items {
            match item {
                Item::Says(text) => messages.push(json!({ "role": "assistant", "content": text })),
                Item::Call { id, tool, k } => {
                    let function = json!({ "name": tool, "arguments": arguments(k) });
                    let call =
                        json!({ "id": format!("c{id}"), "type": "function", "function": function });
                    messages.push(json!({ "role": "assistant", "content": Value::Null, "tool_calls": [call] }));
                }
                Item::Result { id, text } => {
                    messages.push(json!({ "role": "tool", "tool_call_id": format!("c{id}"), "content": text }));
                }
                Item::State(_) => {}
            }
        }
    }
    messages
}
