//! An answer as a stream of events, or as one document.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer_items::AnswerItems;
use ananke_agents::{ModelApiError, Round, ServedFrame, ServedResponse};
use ananke_trace::trace::{FinishReason, RunEnd, Usage};

/// The fields that every answer to a request has.
#[derive(Clone, Copy)]
pub(super) struct ResponsesAnswer<'r> {
    pub(super) id: &'r str,
    pub(super) model: &'r str,
    /// The response whose conversation goes on.
    pub(super) previous: Option<&'r str>,
}

impl<'r> ResponsesAnswer<'r> {
    /// The answer in `round` as a stream of events, with the times at which the agent produced its parts.
    pub(super) fn events(self, round: &'r Round) -> ServedResponse {
        // A failure before the first part is a response with an error status, since the stream has not begun.
        if round.parts.is_empty()
            && let Some((message, code)) = round.error()
        {
            return error_response(round.ended, message, code);
        }
        let first = match round.parts.first() {
            Some((after, _)) => *after,
            None => round.ended,
        };
        let mut frames = Vec::new();
        for (number, name) in ["response.created", "response.in_progress"]
            .iter()
            .enumerate()
        {
            let begun = self.response("in_progress", &[], None);
            frames.push(event(first, name, number, &begun));
        }
        let items = AnswerItems::of(self.id, round);
        let ended = self.ended(round, &items.output);
        frames.extend(items.frames(frames.len()));
        let name = format!(
            "response.{}",
            ended["status"].as_str().unwrap_or("completed")
        );
        frames.push(event(round.ended, &name, frames.len(), &ended));
        ServedResponse::events(frames)
    }

    /// The answer in `round` as one JSON document, at the time at which it is complete.
    pub(super) fn document(self, round: &'r Round) -> ServedResponse {
        // Nothing has been sent before a document, so that every failure is a response with an error status.
        if let Some((message, code)) = round.error() {
            return error_response(round.ended, message, code);
        }
        let items = AnswerItems::of(self.id, round);
        let document = self.ended(round, &items.output);
        ServedResponse::document(200, round.ended, &document)
    }

    /// The whole response, as its last event has it.
    fn ended(self, round: &Round, output: &[Value]) -> Value {
        let (status, details) = match &round.end {
            Some(RunEnd::Error { .. }) => ("failed", Value::Null),
            Some(RunEnd::Cancelled) => ("cancelled", Value::Null),
            Some(RunEnd::Unknown(reason)) => ("incomplete", json!({ "reason": reason })),
            Some(RunEnd::Finished | RunEnd::Interrupted(_)) | None => match round.finish {
                FinishReason::Length => ("incomplete", json!({ "reason": "max_output_tokens" })),
                FinishReason::Filter => ("incomplete", json!({ "reason": "content_filter" })),
                // A refusal is a part of a message.
                FinishReason::Complete | FinishReason::Refusal => ("completed", Value::Null),
            },
        };
        let mut response = self.response(status, output, round.usage);
        response["incomplete_details"] = details;
        if let Some((message, code)) = round.error() {
            response["error"] =
                json!({ "code": code.unwrap_or("server_error"), "message": message });
        }
        response
    }

    fn response(self, status: &str, output: &[Value], usage: Option<Usage>) -> Value {
        json!({
            "id": format!("resp_{}", self.id),
            "object": "response",
            "created_at": 0,
            "status": status,
            "error": null,
            "incomplete_details": null,
            "instructions": null,
            "metadata": {},
            "model": self.model,
            "output": output,
            "parallel_tool_calls": true,
            "previous_response_id": self.previous,
            "temperature": null,
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
            "usage": usage.map(usage_object),
        })
    }
}

/// An event with a response.
fn event(after: Duration, name: &str, number: usize, response: &Value) -> ServedFrame {
    let event = json!({ "type": name, "sequence_number": number, "response": response });
    ServedFrame::named_event(after, name, event)
}

/// The event of an error, which has its keys next to its type.
pub(super) fn error_event(message: &str, code: Option<&str>) -> Value {
    json!({ "type": "error", "code": code.unwrap_or("server_error"), "message": message, "param": null })
}

/// The response of an agent that fails before it says anything.
fn error_response(after: Duration, message: &str, code: Option<&str>) -> ServedResponse {
    let error = error_document(&ModelApiError::of_server(message, code));
    ServedResponse::document(500, after, &error)
}

/// An error as a server reports it. The API has one type for all failures of a server.
pub(super) fn error_document(error: &ModelApiError<'_>) -> Value {
    let error_type = match error.error_type {
        "api_error" | "overloaded_error" => "server_error",
        other => other,
    };
    json!({ "error": { "message": error.message, "type": error_type, "param": null, "code": error.code } })
}

/// The tokens under the keys of the API. A number that the agent did not report, or only in part, is omitted: a client would take
/// any other value for the true one.
fn usage_object(usage: Usage) -> Value {
    let mut counts = Map::new();
    for (key, tokens) in [
        ("input_tokens", usage.input),
        ("output_tokens", usage.output),
        ("total_tokens", usage.total),
    ] {
        if let Some(tokens) = tokens.whole() {
            counts.insert(key.to_owned(), tokens.into());
        }
    }
    // The details are never missing, because clients read them without asking whether they are there.
    let cached = usage.cached.whole().unwrap_or_default();
    let details = json!({ "cached_tokens": cached });
    counts.insert("input_tokens_details".to_owned(), details);
    let details = json!({ "reasoning_tokens": 0 });
    counts.insert("output_tokens_details".to_owned(), details);
    Value::Object(counts)
}
