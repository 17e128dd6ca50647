//! The forms in which an agent behind an HTTP API of its own tells a conversation, with the mapping that reads each form.
//!
//! A form shows less than a conversation has, and what it cannot show is left out of the conversation before it is judged:
//! - A call without a result counts as executed, because a response does not say that a call waits. So every call has a result.
//! - Texts without anything between them are one message, unless each text is a message (`whole`).
//! - A document whose texts, calls and results are three lists has them in this order.
//! - A result without an id answers the oldest open call, or the oldest open call to its tool.
//! - A result in the item of its call comes with the call, unless a later item with the same id brings it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::conversation::{Conversation, Item, Turn};
use super::dice::Dice;
use super::telling::{Ends, Kind, Told, arguments, mixed, place_of, tool_of};

/// The form of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HttpFraming {
    /// A JSON document with a list of texts, one of calls and one of results.
    Lists,
    /// A JSON document with one list of everything.
    Steps,
    /// Server-sent events whose data has a type.
    Sse,
    /// Server-sent events with names.
    Named,
    /// JSON values, one after the other.
    Lines,
    /// Lines of a code, a colon and JSON.
    Prefixed,
}

/// What an event of a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HttpTexts {
    Whole,
    Delta,
    /// All of the text of the turn so far.
    Cumulative,
}

/// What an item of a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HttpCalls {
    Whole,
    /// More each time, under one id.
    Growing,
    PiecesById,
    PiecesByIndex,
    /// Pieces of the call that began last.
    PiecesOfNewest,
}

/// What joins a result with its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HttpResults {
    ById,
    ByName,
    OfOldest,
    /// The result is in the item of its call.
    Inside,
}

/// A form of responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HttpForm {
    pub(super) framing: HttpFraming,
    texts: HttpTexts,
    calls: HttpCalls,
    results: HttpResults,
}

impl HttpForm {
    pub(super) fn any(dice: &mut Dice) -> Self {
        let framing = dice.pick(&[
            HttpFraming::Lists,
            HttpFraming::Steps,
            HttpFraming::Sse,
            HttpFraming::Named,
            HttpFraming::Lines,
            HttpFraming::Prefixed,
        ]);
        let mut texts = dice.pick(&[HttpTexts::Whole, HttpTexts::Delta, HttpTexts::Cumulative]);
        let mut calls = dice.pick(&[
            HttpCalls::Whole,
            HttpCalls::Growing,
            HttpCalls::PiecesById,
            HttpCalls::PiecesByIndex,
            HttpCalls::PiecesOfNewest,
        ]);
        let mut results = dice.pick(&[
            HttpResults::ById,
            HttpResults::ByName,
            HttpResults::OfOldest,
            HttpResults::Inside,
        ]);
        // The list of texts has no place for what comes between two pieces, and the hits of one event are all of its text.
        if framing == HttpFraming::Lists {
            texts = HttpTexts::Whole;
            calls = HttpCalls::Whole;
        } else if framing == HttpFraming::Steps && texts == HttpTexts::Cumulative {
            texts = HttpTexts::Delta;
        }
        let is_in_pieces = !matches!(calls, HttpCalls::Whole | HttpCalls::Growing);
        if is_in_pieces && results == HttpResults::Inside {
            results = HttpResults::ById;
        }
        Self {
            framing,
            texts,
            calls,
            results,
        }
    }

    /// The name of its target.
    pub(super) fn name(self) -> String {
        let Self {
            framing,
            texts,
            calls,
            results,
        } = self;
        format!("http-{framing:?}-{texts:?}-{calls:?}-{results:?}").to_lowercase()
    }

    /// The target whose responses have this form.
    pub(super) fn target(self, endpoint: &str) -> Value {
        // The text of a prefixed line is JSON itself.
        let text = match self.framing {
            HttpFraming::Lists => "texts[*]".to_owned(),
            HttpFraming::Prefixed => self.at("text"),
            _ => format!("{}.text", self.at("text")),
        };
        let texts = match self.texts {
            HttpTexts::Whole => "whole",
            HttpTexts::Delta => "delta",
            HttpTexts::Cumulative => "cumulative",
        };
        let mut calls = json!({ "at": self.at("call"), "name": "tool", "args": "input" });
        if self.has_ids() {
            calls["id"] = json!("id");
        }
        match self.calls {
            HttpCalls::Whole | HttpCalls::Growing => {}
            HttpCalls::PiecesById | HttpCalls::PiecesOfNewest => calls["mode"] = json!("delta"),
            HttpCalls::PiecesByIndex => {
                calls["mode"] = json!("delta");
                calls["index"] = json!("index");
            }
        }
        let mut results = json!({ "at": self.at("result"), "result": "output" });
        match self.results {
            HttpResults::ById => results["id"] = json!("id"),
            HttpResults::ByName => results["name"] = json!("tool"),
            HttpResults::OfOldest => {}
            HttpResults::Inside => calls["result"] = json!("output"),
        }
        let mut response = json!({
            "stream": self.stream(),
            "text": { "path": text, "mode": texts, "optional": true },
            "calls": calls,
        });
        if self.results != HttpResults::Inside {
            response["results"] = results;
        }
        if self.has_end() {
            response["done"] = json!(self.at("end"));
        }
        if self.framing != HttpFraming::Lists {
            response["state"] = json!(format!("{}.value", self.at("state")));
        }
        json!({ "type": "http", "endpoint": endpoint, "body": { "message": "${INPUT}" }, "response": response })
    }

    fn stream(self) -> &'static str {
        match self.framing {
            // What the first bytes say is enough for these.
            HttpFraming::Lists | HttpFraming::Sse | HttpFraming::Lines => "auto",
            HttpFraming::Steps => "json",
            HttpFraming::Named => "sse",
            HttpFraming::Prefixed => "prefixed",
        }
    }

    fn has_end(self) -> bool {
        matches!(self.framing, HttpFraming::Sse | HttpFraming::Named)
    }

    fn has_ids(self) -> bool {
        self.results == HttpResults::ById
            || matches!(self.calls, HttpCalls::Growing | HttpCalls::PiecesById)
    }

    /// The path to the items of a kind.
    fn at(self, kind: &str) -> String {
        match self.framing {
            HttpFraming::Lists => format!("{kind}s[*]"),
            HttpFraming::Steps => format!("steps[?type={kind}]"),
            HttpFraming::Sse | HttpFraming::Lines => format!("[?type={kind}]"),
            HttpFraming::Named => format!("[?@event={kind}]"),
            HttpFraming::Prefixed => format!("[?@event={}]", code(kind)),
        }
    }

    /// The conversation as far as the form shows it.
    pub(super) fn shown(self, conversation: &Conversation) -> Conversation {
        let turns = conversation.0.iter();
        Conversation(turns.map(|turn| self.turn_shown(turn)).collect())
    }

    fn turn_shown(self, turn: &Turn) -> Turn {
        let mut turn = turn.clone().answered();
        turn.items = self.rejoined(turn.items);
        if self.framing == HttpFraming::Lists {
            turn.items = self.listed(&turn.items);
        } else if self.calls == HttpCalls::Whole && self.results == HttpResults::Inside {
            turn.items = with_results(&turn.items, &turn.items);
        }
        if self.texts != HttpTexts::Whole {
            turn = turn.with_joined_texts();
        }
        turn
    }

    /// The items whose results answer what a result without an id answers.
    fn rejoined(self, mut items: Vec<Item>) -> Vec<Item> {
        let mut open: Vec<(usize, String)> = Vec::new();
        let told = items.clone();
        for item in &mut items {
            match item {
                Item::Call { id, tool, .. } => open.push((*id, tool.clone())),
                Item::Result { id, .. } => {
                    let own_tool = tool_of(*id, &told);
                    let answered = open.iter().position(|(other, tool)| match self.results {
                        HttpResults::ById | HttpResults::Inside => other == id,
                        HttpResults::ByName => tool == own_tool,
                        HttpResults::OfOldest => true,
                    });
                    *id = open.remove(answered.expect("an open call")).0;
                }
                Item::Says(_) | Item::State(_) => {}
            }
        }
        items
    }

    /// The items in the order of a document with lists.
    fn listed(self, items: &[Item]) -> Vec<Item> {
        let of = |is_it: fn(&Item) -> bool| items.iter().filter(move |item| is_it(item)).cloned();
        let calls: Vec<Item> = of(|item| matches!(item, Item::Call { .. })).collect();
        let mut listed: Vec<Item> = of(|item| matches!(item, Item::Says(_))).collect();
        if self.results == HttpResults::Inside {
            listed.extend(with_results(&calls, items));
        } else {
            listed.extend(calls);
            listed.extend(of(|item| matches!(item, Item::Result { .. })));
        }
        listed
    }

    /// The events of a turn: each has the name of its kind, and what it says.
    pub(super) fn turn(self, turn: &Turn, number: usize, dice: &mut Dice) -> Vec<Value> {
        let mut told = Vec::new();
        let mut said = String::new();
        let mut calls = 0;
        for item in &turn.items {
            told.push(match item {
                Item::Says(text) => self.text(text, &mut said, dice),
                Item::Call { id, tool, k } => {
                    calls += 1;
                    let result = result_of(*id, &turn.items);
                    let call = ToldCall {
                        id: format!("c{number}-{id}"),
                        index: calls - 1,
                        tool,
                        k,
                        result,
                    };
                    self.call(&call, dice)
                }
                Item::Result { id, text } => self.result(*id, text, number, &turn.items, dice),
                Item::State(step) => Told {
                    begin: vec![event("state", json!({ "value": { "step": step } }))],
                    ..Told::default()
                },
            });
        }
        // Lists have their order by themselves.
        if self.framing == HttpFraming::Lists {
            let mut events = Vec::new();
            for told in told {
                events.extend(told.begin);
            }
            return events;
        }
        let mut events = mixed(told, dice);
        // A response without any event is an error. Not every mapping looks at this one.
        events.push(event("end", json!({})));
        events
    }

    fn text(self, text: &str, said: &mut String, dice: &mut Dice) -> Told {
        let mut pieces = match self.texts {
            HttpTexts::Whole => vec![text.to_owned()],
            HttpTexts::Delta | HttpTexts::Cumulative => dice.split(text),
        };
        let mut told = Told {
            kind: Kind::Message,
            ..Told::default()
        };
        if self.framing != HttpFraming::Lists && dice.one_in(3) {
            match self.texts {
                HttpTexts::Whole | HttpTexts::Delta => told.early.push(self.text_event("")),
                // The text so far, once more.
                HttpTexts::Cumulative => told.begin.push(self.text_event(said)),
            }
        }
        if self.texts == HttpTexts::Cumulative {
            for piece in &mut pieces {
                said.push_str(piece);
                piece.clone_from(said);
            }
        }
        for (index, piece) in pieces.iter().enumerate() {
            let event = self.text_event(piece);
            if index == 0 {
                told.begin.push(event);
            } else {
                told.later.push_back(event);
            }
        }
        told
    }

    fn text_event(self, text: &str) -> Value {
        match self.framing {
            HttpFraming::Prefixed | HttpFraming::Lists => event("text", json!(text)),
            _ => event("text", json!({ "text": text })),
        }
    }

    fn call(self, call: &ToldCall<'_>, dice: &mut Dice) -> Told {
        let mut told = Told {
            ends: Ends::Messages,
            ..Told::default()
        };
        let mut item = json!({ "tool": call.tool });
        if self.has_ids() {
            item["id"] = json!(call.id);
        }
        let whole = if dice.one_in(2) {
            json!({ "k": call.k })
        } else {
            json!(arguments(call.k))
        };
        match self.calls {
            HttpCalls::Whole => {
                item["input"] = whole;
                if self.results == HttpResults::Inside {
                    item["output"] = json!(call.result);
                }
                told.begin.push(event("call", item));
            }
            HttpCalls::Growing => {
                let mut grown = item.clone();
                grown["input"] = whole;
                if dice.one_in(3) {
                    item = grown.clone();
                }
                told.begin.push(event("call", item));
                told.later.push_back(event("call", grown.clone()));
                if dice.one_in(3) {
                    told.later.push_back(event("call", grown));
                }
            }
            HttpCalls::PiecesById | HttpCalls::PiecesByIndex | HttpCalls::PiecesOfNewest => {
                let mut later = Map::new();
                if self.calls == HttpCalls::PiecesById {
                    later.insert("id".to_owned(), json!(call.id));
                }
                if self.calls == HttpCalls::PiecesByIndex {
                    item["index"] = json!(call.index);
                    later.insert("index".to_owned(), json!(call.index));
                }
                if dice.one_in(3) {
                    let empty = if dice.one_in(2) {
                        Value::Null
                    } else {
                        json!("")
                    };
                    later.insert("tool".to_owned(), empty);
                }
                let mut pieces = dice.split(&arguments(call.k));
                if dice.one_in(2) {
                    item["input"] = json!(pieces.remove(0));
                }
                told.begin.push(event("call", item));
                for piece in pieces {
                    let mut item = Value::Object(later.clone());
                    item["input"] = json!(piece);
                    let event = event("call", item);
                    // Nothing says which call a piece belongs to, so that no other call begins before it.
                    if self.calls == HttpCalls::PiecesOfNewest {
                        told.begin.push(event);
                    } else {
                        told.later.push_back(event);
                    }
                }
            }
        }
        told
    }

    fn result(self, id: usize, text: &str, number: usize, items: &[Item], dice: &mut Dice) -> Told {
        let tool = tool_of(id, items);
        let key = format!("c{number}-{id}");
        let mut told = Told {
            ends: Ends::Messages,
            needs: place_of(id, items),
            kind: Kind::Result,
            ..Told::default()
        };
        match self.results {
            HttpResults::ById => {
                let result = event("result", json!({ "id": key, "output": text }));
                told.begin.push(result.clone());
                // Servers send what they know once more.
                if self.framing != HttpFraming::Lists && dice.one_in(4) {
                    told.later.push_back(result);
                }
            }
            HttpResults::ByName => {
                let result = json!({ "tool": tool, "output": text });
                told.begin.push(event("result", result));
            }
            HttpResults::OfOldest => {
                told.begin.push(event("result", json!({ "output": text })));
            }
            HttpResults::Inside if self.calls == HttpCalls::Growing => {
                let grown = json!({ "id": key, "tool": tool, "output": text });
                told.begin.push(event("call", grown));
            }
            // The item of the call has it.
            HttpResults::Inside => {}
        }
        told
    }

    /// The body of a response.
    pub(super) fn body(self, events: &[Value], line_end: &str) -> String {
        let mut body = String::new();
        let mut steps = Vec::new();
        // The results come first, since the keys of an object have no order.
        let mut lists = json!({ "results": [], "texts": [], "calls": [] });
        for event in events {
            let kind = event["kind"].as_str().unwrap_or_default();
            let said = &event["said"];
            let mut typed = said.clone();
            if let Value::Object(keys) = &mut typed {
                keys.insert("type".to_owned(), json!(kind));
            }
            let ends = format!("{line_end}{line_end}");
            match self.framing {
                HttpFraming::Lists => {
                    if let Some(Value::Array(list)) = lists.get_mut(format!("{kind}s")) {
                        list.push(said.clone());
                    }
                }
                HttpFraming::Steps => steps.push(typed),
                HttpFraming::Sse => body.extend(["data: ", &typed.to_string(), &ends]),
                HttpFraming::Named => {
                    let said = said.to_string();
                    body.extend(["event: ", kind, line_end, "data: ", &said, &ends]);
                }
                HttpFraming::Lines => body.extend([&typed.to_string(), line_end]),
                HttpFraming::Prefixed => {
                    body.extend([code(kind), ":", &said.to_string(), line_end]);
                }
            }
        }
        match self.framing {
            HttpFraming::Lists => lists.to_string(),
            HttpFraming::Steps => json!({ "steps": steps }).to_string(),
            _ => body,
        }
    }
}

/// A call with its id and its number in the turn.
struct ToldCall<'a> {
    id: String,
    index: usize,
    tool: &'a str,
    k: &'a str,
    result: &'a str,
}

/// An event, whatever the form of the response is.
fn event(kind: &str, said: impl Into<Value>) -> Value {
    let said = said.into();
    json!({ "kind": kind, "said": said })
}

/// The code of a prefixed line.
fn code(kind: &str) -> &'static str {
    match kind {
        "text" => "0",
        "call" => "9",
        "result" => "a",
        "state" => "2",
        _ => "d",
    }
}

fn result_of(id: usize, items: &[Item]) -> &str {
    let found = items.iter().find_map(|item| match item {
        Item::Result { id: of, text } if *of == id => Some(text.as_str()),
        _ => None,
    });
    found.unwrap_or_default()
}

/// The items of `items` but for results, each call with its result in `all` behind it.
fn with_results(items: &[Item], all: &[Item]) -> Vec<Item> {
    let mut joined = Vec::new();
    for item in items {
        if matches!(item, Item::Result { .. }) {
            continue;
        }
        joined.push(item.clone());
        if let Item::Call { id, .. } = item {
            let text = result_of(*id, all).to_owned();
            joined.push(Item::Result { id: *id, text });
        }
    }
    joined
}
