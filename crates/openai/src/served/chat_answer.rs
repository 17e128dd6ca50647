//! An answer as a stream of chunks, or as one document.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::rounds::{Round, RoundPart};
use ananke_agents::{ServedFrame, ServedResponse};
use ananke_trace::trace::Usage;

/// The fields that every answer to a request has.
#[derive(Clone, Copy)]
pub(super) struct ChatAnswer<'r> {
    pub(super) id: &'r str,
    pub(super) model: &'r str,
    pub(super) reports_usage: bool,
}

impl ChatAnswer<'_> {
    /// The answer as chunks.
    pub(super) fn chunks(self, round: &Round) -> ServedResponse {
        if round.parts.is_empty()
            && let Some(failed) = failure(round)
        {
            return failed;
        }
        let mut frames = Vec::new();
        let mut send = |after: Duration, choices: Value, usage: Option<Value>| {
            let mut chunk = self.head("chat.completion.chunk", &choices);
            if self.reports_usage {
                chunk["usage"] = usage.unwrap_or_default();
            }
            frames.push(ServedFrame::event(after, chunk));
        };
        let choice = |delta: Value, reason: Option<&str>| json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason }]);
        let first = round.parts.first().map_or(round.ended, |(after, _)| *after);
        send(
            first,
            choice(json!({ "role": "assistant", "content": "" }), None),
            None,
        );
        for (after, part) in &round.parts {
            send(*after, choice(delta(part), None), None);
        }
        if let Some((message, code)) = &round.error {
            frames.push(ServedFrame::event(
                round.ended,
                error(message, code.as_deref()),
            ));
            return ServedResponse::events(frames);
        }
        send(
            round.ended,
            choice(json!({}), Some(finish_reason(round))),
            None,
        );
        if let Some(usage) = round.usage.filter(|_| self.reports_usage) {
            send(round.ended, json!([]), Some(usage_object(usage)));
        }
        frames.push(ServedFrame::event(round.ended, "[DONE]"));
        ServedResponse::events(frames)
    }

    /// The answer as a document.
    pub(super) fn document(self, round: &Round) -> ServedResponse {
        if let Some(failed) = failure(round) {
            return failed;
        }
        let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
        for (_, part) in &round.parts {
            match part {
                RoundPart::Text(more) => text.push_str(more),
                RoundPart::Reasoning(more) => reasoning.push_str(more),
                RoundPart::Call(_, id, tool) => calls.push((id, tool, String::new())),
                RoundPart::Arguments(place, more) => {
                    if let Some((.., arguments)) = calls.get_mut(*place) {
                        arguments.push_str(more);
                    }
                }
            }
        }
        let content = if text.is_empty() && !calls.is_empty() {
            Value::Null
        } else {
            text.into()
        };
        let mut message = json!({ "role": "assistant", "content": content, "refusal": null });
        if !reasoning.is_empty() {
            message["reasoning_content"] = reasoning.into();
        }
        if !calls.is_empty() {
            let call = |(id, tool, arguments): (&String, &String, String)| {
                let arguments = if arguments.is_empty() {
                    "{}".to_owned()
                } else {
                    arguments
                };
                json!({ "id": id, "type": "function", "function": { "name": tool, "arguments": arguments } })
            };
            message["tool_calls"] = calls.into_iter().map(call).collect();
        }
        let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(round) });
        let mut document = self.head("chat.completion", &json!([choice]));
        if let Some(usage) = round.usage {
            document["usage"] = usage_object(usage);
        }
        let frame = ServedFrame {
            after: round.ended,
            bytes: Bytes::from(document.to_string()),
        };
        ServedResponse::new(200, "application/json", vec![frame])
    }

    fn head(self, object: &str, choices: &Value) -> Value {
        let id = format!("chatcmpl-{}", self.id);
        json!({ "id": id, "object": object, "created": 0, "model": self.model, "choices": choices })
    }
}

/// An error as a server reports it.
pub(super) fn error(message: &str, code: Option<&str>) -> Value {
    json!({ "error": { "message": message, "type": "server_error", "param": null, "code": code } })
}

/// The response of an agent that fails before it says anything.
fn failure(round: &Round) -> Option<ServedResponse> {
    let (message, code) = round.error.as_ref()?;
    let bytes = Bytes::from(error(message, code.as_deref()).to_string());
    let frame = ServedFrame {
        after: round.ended,
        bytes,
    };
    Some(ServedResponse::new(500, "application/json", vec![frame]))
}

fn delta(part: &RoundPart) -> Value {
    match part {
        RoundPart::Text(text) => json!({ "content": text }),
        RoundPart::Reasoning(text) => json!({ "reasoning_content": text }),
        RoundPart::Call(place, id, tool) => {
            let function = json!({ "name": tool, "arguments": "" });
            json!({ "tool_calls": [{ "index": place, "id": id, "type": "function", "function": function }] })
        }
        RoundPart::Arguments(place, text) => {
            json!({ "tool_calls": [{ "index": place, "function": { "arguments": text } }] })
        }
    }
}

fn finish_reason(round: &Round) -> &'static str {
    if round.calls > 0 {
        "tool_calls"
    } else {
        "stop"
    }
}

fn usage_object(usage: Usage) -> Value {
    let counts = [
        ("prompt_tokens", usage.input),
        ("completion_tokens", usage.output),
        ("total_tokens", usage.total),
    ];
    let counts = counts
        .into_iter()
        .filter_map(|(key, tokens)| Some((key.to_owned(), tokens.whole()?.into())));
    Value::Object(counts.collect::<Map<_, _>>())
}
