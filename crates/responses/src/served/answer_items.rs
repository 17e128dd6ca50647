//! The items of an answer, put together part by part, with the events that say each part.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use ananke_agents::{OwnCallStep, Round, RoundPart, ServedFrame};
use ananke_trace::trace::{FinishReason, Interrupt, RunEnd};

/// The name of the server of the calls that the agent executes itself: the API has a label for each.
const SERVER_LABEL: &str = "agent";

/// The items of an answer, and the events that a stream has for them.
pub(super) struct AnswerItems<'r> {
    /// The id of the response, which the ids of its items contain.
    id: &'r str,
    /// The interrupts that the answer ends with, by the call that each is about.
    interrupts: HashMap<&'r str, &'r Interrupt>,
    /// The reason for the end of the answer.
    finish: FinishReason,
    /// The status of an item that ends.
    status: &'static str,
    pub(super) output: Vec<Value>,
    /// The places of the items that are not complete.
    open: Vec<usize>,
    /// The place of the call of the client with each number.
    calls: Vec<usize>,
    /// The place of each call that the agent executes itself.
    own_calls: HashMap<&'r str, usize>,
    events: Vec<(Duration, String, Value)>,
    after: Duration,
}

impl<'r> AnswerItems<'r> {
    pub(super) fn of(id: &'r str, round: &'r Round) -> Self {
        let mut items = Self {
            id,
            interrupts: HashMap::new(),
            finish: round.finish,
            status: "completed",
            output: Vec::new(),
            open: Vec::new(),
            calls: Vec::new(),
            own_calls: HashMap::new(),
            events: Vec::new(),
            after: Duration::ZERO,
        };
        let interrupts = match &round.end {
            Some(RunEnd::Interrupted(interrupts)) => interrupts.as_slice(),
            _ => &[],
        };
        for interrupt in interrupts {
            if let Some(call) = &interrupt.call {
                items.interrupts.insert(call, interrupt);
            }
        }
        for (after, part) in &round.parts {
            items.after = *after;
            items.part(part);
        }
        items.after = round.ended;
        // An interrupt that is about no call of the answer asks for itself.
        for interrupt in interrupts {
            if let Some(call) = &interrupt.call
                && items.own_calls.contains_key(call.as_str())
            {
                continue;
            }
            items.question(interrupt);
        }
        // Items that are open now are not complete if the answer was stopped, so that clients do not execute such a call.
        if matches!(round.finish, FinishReason::Length | FinishReason::Filter) {
            items.status = "incomplete";
        }
        items.close_all();
        items
    }

    /// The events of the items as frames of a stream, the first of which has the number `first`.
    pub(super) fn frames(self, first: usize) -> Vec<ServedFrame> {
        let mut frames = Vec::new();
        for (number, (after, name, keys)) in (first..).zip(self.events) {
            // The type comes first, since people read it first.
            let mut event = json!({ "type": name, "sequence_number": number });
            if let (Value::Object(event), Value::Object(keys)) = (&mut event, keys) {
                event.extend(keys);
            }
            frames.push(ServedFrame::named_event(after, &name, event));
        }
        frames
    }

    /// Adds a part of the answer.
    fn part(&mut self, part: &'r RoundPart) {
        match part {
            RoundPart::Text(text) => self.text(text),
            RoundPart::Reasoning(text) => self.reasoning(text),
            RoundPart::Call(_, id, tool) => {
                self.close_texts();
                let item = json!({ "type": "function_call", "call_id": id, "name": tool, "arguments": "" });
                let place = self.add("fc", item);
                self.calls.push(place);
            }
            RoundPart::Arguments(number, text) => {
                // A call comes before its arguments.
                if let Some(place) = self.calls.get(*number) {
                    self.arguments(*place, text);
                }
            }
            RoundPart::Own(id, step) => self.own(id, step),
        }
    }

    /// Adds text to a message, which is begun if none is open.
    fn text(&mut self, text: &str) {
        let place = self.open_text("message");
        let part = &mut self.output[place]["content"][0];
        if self.finish == FinishReason::Refusal {
            append(&mut part["refusal"], text);
            let delta = json!({ "content_index": 0, "delta": text });
            self.event(place, "refusal.delta", delta);
        } else {
            append(&mut part["text"], text);
            let delta = json!({ "content_index": 0, "delta": text, "logprobs": [] });
            self.event(place, "output_text.delta", delta);
        }
    }

    /// Adds reasoning, as a summary: that is what the API shows of it.
    fn reasoning(&mut self, text: &str) {
        let place = self.open_text("reasoning");
        append(&mut self.output[place]["summary"][0]["text"], text);
        self.event(
            place,
            "reasoning_summary_text.delta",
            json!({ "summary_index": 0, "delta": text }),
        );
    }

    /// The place of the open item of this type. If the open text is of the other type, it ends, and an item begins.
    fn open_text(&mut self, item_type: &str) -> usize {
        if let Some(place) = self.open.last()
            && self.output[*place]["type"] == item_type
        {
            return *place;
        }
        self.close_texts();
        if item_type == "message" {
            let place = self.add("msg", json!({ "type": "message", "status": "in_progress", "role": "assistant", "content": [] }));
            // A refusal is a part of its own, so that a client that parses the text never reads it as an answer.
            let part = if self.finish == FinishReason::Refusal {
                json!({ "type": "refusal", "refusal": "" })
            } else {
                json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] })
            };
            self.output[place]["content"] = json!([part]);
            self.event(
                place,
                "content_part.added",
                json!({ "content_index": 0, "part": part }),
            );
            place
        } else {
            let place = self.add("rs", json!({ "type": "reasoning", "summary": [] }));
            let part = json!({ "type": "summary_text", "text": "" });
            self.output[place]["summary"] = json!([part]);
            self.event(
                place,
                "reasoning_summary_part.added",
                json!({ "summary_index": 0, "part": part }),
            );
            place
        }
    }

    /// A step of a call that the agent executes itself. One that an interrupt is about asks for an approval instead.
    fn own(&mut self, id: &'r str, step: &OwnCallStep) {
        match step {
            OwnCallStep::Begins(tool) => {
                self.close_texts();
                let place = if let Some(interrupt) = self.interrupts.get(id) {
                    let item = json!({
                        "type": "mcp_approval_request", "id": interrupt.id, "name": tool, "arguments": "", "server_label": SERVER_LABEL,
                    });
                    self.add("mcpr", item)
                } else {
                    let item = json!({
                        "type": "mcp_call", "name": tool, "arguments": "", "server_label": SERVER_LABEL, "output": null, "error": null,
                    });
                    self.add("mcp", item)
                };
                self.own_calls.insert(id, place);
            }
            OwnCallStep::Arguments(text) => {
                if let Some(place) = self.own_calls.get(id) {
                    self.arguments(*place, text);
                }
            }
            OwnCallStep::Ends(result, is_error) => {
                if let Some(place) = self.own_calls.get(id).copied() {
                    let key = if *is_error { "error" } else { "output" };
                    self.output[place][key] = result.as_str().into();
                    let status = if *is_error { "failed" } else { "completed" };
                    self.output[place]["status"] = status.into();
                    self.close(place);
                }
            }
        }
    }

    /// A question to the user that is about no call.
    fn question(&mut self, interrupt: &Interrupt) {
        self.close_texts();
        let name = interrupt.reason.as_deref().unwrap_or("approval");
        let arguments = json!({ "message": interrupt.message }).to_string();
        let item = json!({
            "type": "mcp_approval_request", "id": interrupt.id, "name": name, "arguments": arguments, "server_label": SERVER_LABEL,
        });
        self.add("mcpr", item);
    }

    /// Adds to the arguments of a call.
    fn arguments(&mut self, place: usize, text: &str) {
        append(&mut self.output[place]["arguments"], text);
        let item_type = self.output[place]["type"].as_str().unwrap_or_default();
        // A request for an approval comes as a whole.
        if item_type != "mcp_approval_request" {
            let name = format!("{item_type}_arguments.delta");
            self.event(place, &name, json!({ "delta": text }));
        }
    }

    /// Adds an item, and returns its place.
    fn add(&mut self, prefix: &str, mut item: Value) -> usize {
        let place = self.output.len();
        if item["id"].is_null() {
            item["id"] = format!("{prefix}_{}{place}", self.id).into();
        }
        self.events.push((
            self.after,
            "response.output_item.added".to_owned(),
            json!({ "output_index": place, "item": item }),
        ));
        self.output.push(item);
        self.open.push(place);
        place
    }

    /// Ends the message or the reasoning that is open.
    fn close_texts(&mut self) {
        if let Some(place) = self.open.last().copied()
            && matches!(
                self.output[place]["type"].as_str(),
                Some("message" | "reasoning")
            )
        {
            self.close(place);
        }
    }

    /// Ends all items, since the answer is over.
    fn close_all(&mut self) {
        for place in self.open.clone() {
            self.close(place);
        }
    }

    /// Ends an item.
    fn close(&mut self, place: usize) {
        self.open.retain(|open| *open != place);
        let item = self.output[place].clone();
        match item["type"].as_str() {
            Some("message") => {
                let part = &item["content"][0];
                if self.finish == FinishReason::Refusal {
                    let done = json!({ "content_index": 0, "refusal": part["refusal"] });
                    self.event(place, "refusal.done", done);
                } else {
                    let done = json!({ "content_index": 0, "text": part["text"], "logprobs": [] });
                    self.event(place, "output_text.done", done);
                }
                let done = json!({ "content_index": 0, "part": part });
                self.event(place, "content_part.done", done);
                self.output[place]["status"] = self.status.into();
            }
            Some("reasoning") => {
                let part = &item["summary"][0];
                let done = json!({ "summary_index": 0, "text": part["text"] });
                self.event(place, "reasoning_summary_text.done", done);
                let done = json!({ "summary_index": 0, "part": part });
                self.event(place, "reasoning_summary_part.done", done);
            }
            Some(item_type @ ("function_call" | "mcp_call")) => {
                // A client that parses empty arguments as JSON needs an object.
                if item["arguments"] == "" {
                    self.output[place]["arguments"] = "{}".into();
                }
                let name = format!("{item_type}_arguments.done");
                let done = json!({ "arguments": self.output[place]["arguments"] });
                self.event(place, &name, done);
                if self.output[place]["status"].is_null() {
                    self.output[place]["status"] = self.status.into();
                }
            }
            _ => {}
        }
        self.events.push((
            self.after,
            "response.output_item.done".to_owned(),
            json!({ "output_index": place, "item": self.output[place] }),
        ));
    }

    fn event(&mut self, place: usize, name: &str, mut event: Value) {
        event["item_id"] = self.output[place]["id"].clone();
        event["output_index"] = place.into();
        self.events
            .push((self.after, format!("response.{name}"), event));
    }
}

/// Adds `more` to a text of an item.
fn append(value: &mut Value, more: &str) {
    if let Value::String(text) = value {
        text.push_str(more);
    }
}
