//! An answer as a stream of chunks, or as one document.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use ananke_agents::{ModelApiError, Round, RoundPart, ServedFrame, ServedResponse};
use ananke_trace::trace::{FinishReason, Usage};

/// The arguments of a call without any, since a client that parses them as JSON needs an object.
const NO_ARGUMENTS: &str = "{}";

/// The fields that every answer to a request has.
#[derive(Clone, Copy)]
pub(super) struct ChatAnswer<'r> {
    pub(super) id: &'r str,
    pub(super) model: &'r str,
    pub(super) reports_usage: bool,
}

impl ChatAnswer<'_> {
    /// The answer in `round` as a stream of chunks, with the times at which the agent produced its parts.
    pub(super) fn chunks(self, round: &Round) -> ServedResponse {
        // A failure before the first part is a response with an error status, since the stream has not begun.
        if round.parts.is_empty()
            && let Some(failed) = failure(round)
        {
            return failed;
        }

        // The role comes alone and first, as from the API itself, at the time of the first part.
        let first = match round.parts.first() {
            Some((after, _)) => *after,
            None => round.ended,
        };
        let role = json!({ "role": "assistant", "content": "" });
        let mut frames = vec![self.chunk(first, &role, None)];
        for (after, part) in &round.parts {
            if let Some(delta) = delta(part, round.finish) {
                frames.push(self.chunk(*after, &delta, None));
            }
        }
        // A failure after the first part is an error within the stream, which has no other end then.
        if let Some((message, code)) = round.error() {
            let error = error_document(&ModelApiError::of_server(message, code));
            frames.push(ServedFrame::event(round.ended, error));
            return ServedResponse::events(frames);
        }
        for place in calls_without_arguments(round) {
            let arguments = RoundPart::Arguments(place, NO_ARGUMENTS.to_owned());
            if let Some(delta) = delta(&arguments, round.finish) {
                frames.push(self.chunk(round.ended, &delta, None));
            }
        }
        let reason = finish_reason(round);
        frames.push(self.chunk(round.ended, &json!({}), Some(reason)));

        // The API sends the tokens after the end of the choice, in a chunk without choices, and only to clients that ask for
        // them.
        if let Some(usage) = round.usage
            && self.reports_usage
        {
            let mut chunk = self.head("chat.completion.chunk", &json!([]));
            chunk["usage"] = usage_object(usage);
            frames.push(ServedFrame::event(round.ended, chunk));
        }
        frames.push(ServedFrame::event(round.ended, "[DONE]"));
        ServedResponse::events(frames)
    }

    /// A chunk with one choice. If the tokens are asked for, each chunk has the key, and only the last has a value.
    fn chunk(self, after: Duration, delta: &Value, reason: Option<&str>) -> ServedFrame {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
        let mut chunk = self.head("chat.completion.chunk", &json!([choice]));
        if self.reports_usage {
            chunk["usage"] = Value::Null;
        }
        ServedFrame::event(after, chunk)
    }

    /// The answer in `round` as one JSON document, at the time at which it is complete.
    pub(super) fn document(self, round: &Round) -> ServedResponse {
        // Nothing has been sent before a document, so that every failure is a response with an error status.
        if let Some(failed) = failure(round) {
            return failed;
        }
        // A document has one key for all text and one item for each call, so that the pieces are joined first. A call has its id,
        // its tool and its arguments here.
        let mut text = String::new();
        let mut reasoning = String::new();
        let mut calls: Vec<(&str, &str, String)> = Vec::new();
        for (_, part) in &round.parts {
            match part {
                RoundPart::Text(more) => text.push_str(more),
                RoundPart::Reasoning(more) => reasoning.push_str(more),
                RoundPart::Call(_, id, tool) => calls.push((id, tool, String::new())),
                RoundPart::Arguments(place, more) => {
                    // `place` counts the calls of the round in their order, as the list does. It is never past its end, because
                    // a call comes before its arguments.
                    if let Some((.., arguments)) = calls.get_mut(*place) {
                        arguments.push_str(more);
                    }
                }
                RoundPart::Own(..) => {}
            }
        }
        // A message of calls alone has null as its content, as from the API itself.
        let content = if text.is_empty() && !calls.is_empty() {
            Value::Null
        } else {
            text.into()
        };
        let mut message = json!({ "role": "assistant", "content": content, "refusal": null });
        // A refusal has a key of its own, so that a client that parses the content never reads it as an answer.
        if round.finish == FinishReason::Refusal {
            message["refusal"] = message["content"].take();
        }
        // The keys of reasoning and calls are missing if there are none, as in the API.
        if !reasoning.is_empty() {
            message["reasoning_content"] = reasoning.into();
        }
        if !calls.is_empty() {
            let mut tool_calls = Vec::new();
            for (id, tool, mut arguments) in calls {
                if arguments.is_empty() {
                    NO_ARGUMENTS.clone_into(&mut arguments);
                }
                let function = json!({ "name": tool, "arguments": arguments });
                tool_calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            message["tool_calls"] = tool_calls.into();
        }

        let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(round) });
        let mut document = self.head("chat.completion", &json!([choice]));
        if let Some(usage) = round.usage {
            document["usage"] = usage_object(usage);
        }
        ServedResponse::document(200, round.ended, &document)
    }

    fn head(self, object: &str, choices: &Value) -> Value {
        let id = format!("chatcmpl-{}", self.id);
        json!({ "id": id, "object": object, "created": 0, "model": self.model, "choices": choices })
    }
}

/// An error as a server reports it. The API has one type for all failures of a server.
pub(super) fn error_document(error: &ModelApiError<'_>) -> Value {
    let error_type = match error.error_type {
        "api_error" | "overloaded_error" => "server_error",
        other => other,
    };
    json!({ "error": { "message": error.message, "type": error_type, "param": null, "code": error.code } })
}

/// The response of an agent that fails before it says anything.
fn failure(round: &Round) -> Option<ServedResponse> {
    let (message, code) = round.error()?;
    let error = error_document(&ModelApiError::of_server(message, code));
    Some(ServedResponse::document(500, round.ended, &error))
}

/// The delta of a chunk that contains this part. The first delta of a call has its id and its tool; those with its arguments
/// follow, and have only its index. Calls of the agent's own are in no chunk.
fn delta(part: &RoundPart, finish: FinishReason) -> Option<Value> {
    Some(match part {
        RoundPart::Text(text) if finish == FinishReason::Refusal => json!({ "refusal": text }),
        RoundPart::Text(text) => json!({ "content": text }),
        RoundPart::Reasoning(text) => json!({ "reasoning_content": text }),
        RoundPart::Call(place, id, tool) => {
            let function = json!({ "name": tool, "arguments": "" });
            json!({ "tool_calls": [{ "index": place, "id": id, "type": "function", "function": function }] })
        }
        RoundPart::Arguments(place, text) => {
            json!({ "tool_calls": [{ "index": place, "function": { "arguments": text } }] })
        }
        RoundPart::Own(..) => return None,
    })
}

/// The places of the calls that have no arguments.
fn calls_without_arguments(round: &Round) -> BTreeSet<usize> {
    let mut places: BTreeSet<usize> = (0..round.calls).collect();
    for (_, part) in &round.parts {
        if let RoundPart::Arguments(place, text) = part
            && !text.is_empty()
        {
            places.remove(place);
        }
    }
    places
}

/// The reason for the end of an answer. A refusal has none of its own, since its key says what it is.
fn finish_reason(round: &Round) -> &'static str {
    match round.finish {
        FinishReason::Length => "length",
        FinishReason::Filter => "content_filter",
        FinishReason::Complete | FinishReason::Refusal if round.calls > 0 => "tool_calls",
        FinishReason::Complete | FinishReason::Refusal => "stop",
    }
}

/// The tokens under the keys of the API. A number that the agent did not report, or only in part, is omitted: a client would take
/// any other value for the true one.
fn usage_object(usage: Usage) -> Value {
    let mut counts = Map::new();
    for (key, tokens) in [
        ("prompt_tokens", usage.input),
        ("completion_tokens", usage.output),
        ("total_tokens", usage.total),
    ] {
        if let Some(tokens) = tokens.whole() {
            counts.insert(key.to_owned(), tokens.into());
        }
    }
    if let Some(cached) = usage.cached.whole() {
        let details = json!({ "cached_tokens": cached });
        counts.insert("prompt_tokens_details".to_owned(), details);
    }
    Value::Object(counts)
}
